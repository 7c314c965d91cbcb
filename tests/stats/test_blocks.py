"""Scores side by side, and each policy for gaps, on tables small enough to work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from alcore.errors import InputError
from alcore.stats import POLICIES, problem_blocks, seed_blocks

NAN = math.nan


def scored(*rows: tuple[str, str, int, float], failed: tuple[tuple[str, str, int], ...] = ()) -> pd.DataFrame:
    """Return scored runs: data set, strategy, seed, score; ``failed`` are runs that failed."""
    frame = pd.DataFrame(rows, columns=["dataset", "strategy", "seed", "score"]).assign(status="completed")
    lost = pd.DataFrame(failed, columns=["dataset", "strategy", "seed"]).assign(score=NAN, status="failed")
    return pd.concat([frame, lost], ignore_index=True).assign(learner="knn")


def table(*, failed: tuple[tuple[str, str, int], ...] = ()) -> pd.DataFrame:
    """Return a, b and c on wine and moons with two seeds, less what failed."""
    values = {"a": 0.5, "b": 0.6, "c": 0.4}
    rows = [
        (dataset, strategy, seed, value + seed / 10)
        for dataset in ("wine", "moons")
        for strategy, value in values.items()
        for seed in (0, 1)
        if (dataset, strategy, seed) not in failed
    ]
    return scored(*rows, failed=failed)


def test_a_block_is_a_seed_on_a_problem_in_order_of_appearance():
    blocks = seed_blocks(table())
    assert blocks.values.index.tolist() == [
        ("wine", "knn", 0), ("wine", "knn", 1), ("moons", "knn", 0), ("moons", "knn", 1),
    ]  # fmt: skip
    assert blocks.strategies == ["a", "b", "c"]
    np.testing.assert_allclose(blocks.values.to_numpy()[:2], [[0.5, 0.6, 0.4], [0.6, 0.7, 0.5]])
    assert blocks.notes == ()


def test_complete_leaves_the_block_out_for_all_and_says_so():
    blocks = seed_blocks(table(failed=(("wine", "b", 1),)), "complete")
    assert [key for key in blocks.values.index if key[0] == "wine"] == [("wine", "knn", 0)]
    assert len(blocks.complete) == 3
    assert blocks.notes == ("wine / knn: 1 of 2 seeds left out: not every strategy has a score there",)


def test_available_keeps_the_gap():
    blocks = seed_blocks(table(failed=(("wine", "b", 1),)), "available")
    assert blocks.values.loc[("wine", "knn", 1)].tolist() == pytest.approx([0.6, NAN, 0.5], nan_ok=True)
    assert blocks.ranks().loc[("wine", "knn", 1)].tolist() == pytest.approx([1.0, NAN, 2.0], nan_ok=True)


def test_drop_leaves_the_strategy_out_on_that_problem():
    blocks = seed_blocks(table(failed=(("wine", "b", 1),)), "drop")
    assert blocks.values.loc["wine", "b"].isna().all()
    assert blocks.values.loc["moons", "b"].notna().all()
    assert blocks.notes == ("wine / knn: b left out: a seed has no score",)


def test_worst_counts_a_failure_as_the_worst_score_of_its_block_and_ranks_it_last():
    blocks = seed_blocks(table(failed=(("wine", "b", 1),)), "worst")
    assert blocks.values.loc[("wine", "knn", 1)].tolist() == pytest.approx([0.6, 0.5, 0.5])
    assert blocks.ranks().loc[("wine", "knn", 1)].tolist() == [1.0, 3.0, 2.0]


def test_worst_of_a_loss_is_the_largest():
    blocks = seed_blocks(table(failed=(("wine", "b", 1),)), "worst", greater_is_better=False)
    assert blocks.values.loc[("wine", "knn", 1), "b"] == pytest.approx(0.6)
    assert blocks.ranks().loc[("wine", "knn", 1)].tolist() == [2.0, 3.0, 1.0]


def test_worst_does_not_invent_runs_that_were_never_planned():
    rows = table()
    rows = rows[~((rows["dataset"] == "wine") & (rows["strategy"] == "b") & (rows["seed"] == 1))]
    assert [key for key in seed_blocks(rows, "worst").values.index if key[0] == "wine"] == [("wine", "knn", 0)]


def test_a_strategy_without_any_score_on_a_problem_does_not_cost_the_others_their_seeds():
    blocks = seed_blocks(table(failed=(("wine", "b", 0), ("wine", "b", 1))), "complete")
    assert len(blocks.values.loc["wine"]) == 2
    assert blocks.notes == ()


@pytest.mark.parametrize("missing", POLICIES)
def test_no_gaps_are_the_same_under_every_policy(missing):
    pd.testing.assert_frame_equal(seed_blocks(table(), missing).values, seed_blocks(table()).values)


def test_problems_are_means_over_seeds():
    blocks = problem_blocks(seed_blocks(table()))
    assert blocks.values.index.tolist() == [("wine", "knn"), ("moons", "knn")]
    np.testing.assert_allclose(blocks.values.to_numpy(), [[0.55, 0.65, 0.45]] * 2)


GONE = (("wine", "b", 0), ("wine", "b", 1))


@pytest.mark.parametrize(
    ("missing", "problems", "strategies", "note"),
    [
        ("complete", ["moons"], ["a", "b", "c"], "wine / knn left out: not every strategy has a score there"),
        ("available", ["wine", "moons"], ["a", "b", "c"], None),
        ("drop", ["wine", "moons"], ["a", "c"], "b left out: no score on some data set"),
        ("worst", ["wine", "moons"], ["a", "b", "c"], None),
    ],
)
def test_a_strategy_that_lacks_a_problem(missing, problems, strategies, note):
    blocks = problem_blocks(seed_blocks(table(failed=GONE), missing), missing)
    assert [key[0] for key in blocks.values.index] == problems
    assert set(blocks.strategies) == set(strategies)
    assert blocks.notes == (() if note is None else (note,))
    if missing == "worst":
        assert blocks.ranks().loc[("wine", "knn")].to_dict() == {"a": 1.0, "b": 3.0, "c": 2.0}


def test_a_strategy_without_a_score_anywhere_is_set_aside():
    frame = scored(("d", "a", 0, 0.5), ("d", "b", 0, 0.6), failed=(("d", "c", 0),))
    blocks = problem_blocks(seed_blocks(frame))
    assert blocks.strategies == ["a", "b"]
    assert blocks.notes == ("c left out: no score anywhere",)


def test_sums_in_another_order_tie():
    frame = scored(("d", "a", 0, 0.1 + 0.2), ("d", "b", 0, 0.3))
    assert seed_blocks(frame).ranks().iloc[0].tolist() == [1.5, 1.5]


def test_unknown_policy():
    with pytest.raises(InputError, match="missing is 'ignore'; use complete, available, drop, worst"):
        seed_blocks(table(), "ignore")  # type: ignore[arg-type]


def test_two_runs_of_one_name_cannot_be_compared_as_one():
    with pytest.raises(InputError, match="several runs of a with knn on d, seed 0: another budget"):
        seed_blocks(scored(("d", "a", 0, 0.5), ("d", "a", 0, 0.7)))
