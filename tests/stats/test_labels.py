"""Labels needed and what labels buy, on curves worked out by hand; censoring against scipy's Kaplan-Meier."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from alcore.errors import InputError
from alcore.stats import kaplan_meier_median, labels_needed, pool_sizes, summarised, utilisation, value_at

NAN = math.nan


def run(
    values: Sequence[float], strategy: str = "random", seed: int = 0, *, reason: str = "budget_reached", step: int = 1,
    status: str = "completed",
) -> pd.DataFrame:  # fmt: skip
    """Return the records of one run: 10 labelled rows at the start, then ``step`` more a round."""
    head: dict[str, Any] = {"run": f"{strategy}/{seed}", "dataset": "d", "strategy": strategy, "learner": "knn"}
    head |= {"query_learner": "knn", "task_learner": "knn", "seed": seed, "status": status, "reason": reason}
    clocks = {f"{clock}_time": 0.1 for clock in ("fit", "query", "update", "score")}
    rounds = list(range(len(values))) or [-1]
    n = [10 + step * t if t >= 0 else 0 for t in rounds]
    return pd.DataFrame(head | {"t": rounds, "n_labeled": n, "accuracy": list(values) or [NAN]} | clocks)


def records(*runs: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(runs, ignore_index=True)


# --- value at a share of the pool ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "pool", "step", "expected"),
    [
        (0.2, 60, 1, 0.7),  # 12 rows: two after the start set
        (0.2, 62, 1, 0.7),  # 12.4 is 12
        (0.2, 64, 1, 0.8),  # 12.8 is 13
        (0.2, 60, 4, 0.5),  # 12 rows are between two rounds: what there is with at most 12
        (0.1, 60, 1, NAN),  # the start set has more
        (0.5, 60, 1, NAN),  # the curve ends before
        (0.5, 100, 40, 0.6),  # exactly the end
    ],
)
def test_value_at_a_share(share, pool, step, expected):
    values = [0.5, 0.6, 0.7, 0.8] if step < 40 else [0.5, 0.6]
    scored = value_at(run(values, step=step), "accuracy", share, {"d": pool})
    assert scored["score"].tolist() == pytest.approx([expected], nan_ok=True)


def test_value_of_a_run_that_did_not_complete_is_missing():
    scored = value_at(records(run([0.5, 0.6]), run([0.5, 0.6], seed=1, status="timeout")), "accuracy", 1, {"d": 11})
    assert scored["score"].tolist() == pytest.approx([0.6, NAN], nan_ok=True)
    assert scored["status"].tolist() == ["completed", "timeout"]


def test_pool_sizes_are_known_where_a_run_exhausted_the_pool():
    assert pool_sizes(records(run([0.5, 0.6]), run([0.5, 0.6, 0.7], seed=1, reason="pool_exhausted"))) == {"d": 12}
    assert pool_sizes(run([0.5])) == {}


def test_wrong_share_and_unknown_pool():
    with pytest.raises(InputError, match="share is 20; give a share of the pool above 0 and up to 1"):
        value_at(run([0.5]), "accuracy", 20, {"d": 10})
    with pytest.raises(InputError, match="the pool size of d is not known"):
        value_at(run([0.5]), "accuracy", 0.2, {})


# --- labels needed ---------------------------------------------------------------------------------------------------


def needed(frame: pd.DataFrame, **options: Any) -> dict[str, tuple[bool, float]]:
    found = labels_needed(frame, "accuracy", **options)
    return {one.run: (one.reached, one.labels) for one in found.itertuples()}


PAIR = records(run([0.5, 0.6, 0.79, 0.8, 0.8]), run([0.5, 0.7, 0.8, 0.7, 0.6], "margin"))


def test_target_is_a_share_of_the_baselines_last_value():
    assert needed(PAIR, share=0.95) == {"random/0": (True, 12.0), "margin/0": (True, 12.0)}
    assert needed(PAIR, share=0.85) == {"random/0": (True, 12.0), "margin/0": (True, 11.0)}
    assert labels_needed(PAIR, "accuracy", share=0.85)["target"].tolist() == pytest.approx([0.68, 0.68])


def test_target_is_slack_below_the_baselines_last_value():
    assert needed(PAIR, slack=0.01)["random/0"] == (True, 12.0)
    assert needed(PAIR, slack=0.0)["random/0"] == (True, 13.0)


def test_a_target_that_is_not_reached_is_censored_at_the_end():
    frame = records(run([0.5, 0.9]), run([0.5, 0.6, 0.7], "margin"))
    assert needed(frame, share=0.99)["margin/0"] == (False, 12.0)


def test_a_loss_is_reached_from_above():
    frame = records(run([0.9, 0.6, 0.4]), run([0.9, 0.45, 0.4], "margin"))
    assert needed(frame, share=0.8, greater_is_better=False) == {"random/0": (True, 12.0), "margin/0": (True, 11.0)}


def test_rounding_does_not_hide_that_a_target_is_reached():
    frame = records(run([0.5, 0.3]), run([0.1 + 0.2 - 1e-16, 0.2], "margin"))
    assert needed(frame, share=1.0)["margin/0"] == (True, 10.0)


def test_runs_without_a_target_have_no_row():
    frame = records(PAIR, run([0.5, 0.9], "margin", 1), run([0.5], seed=1, status="failed"))
    assert set(needed(frame, share=0.9)) == {"random/0", "margin/0"}


@pytest.mark.parametrize(("missing", "expected"), [("complete", None), ("worst", (False, math.inf))])
def test_a_run_that_failed_is_left_out_or_never_there(missing, expected):
    frame = records(run([0.5, 0.8]), run([0.5, 0.9], "margin", status="failed"))
    assert needed(frame, share=0.9, missing=missing).get("margin/0") == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give share or slack"),
        ({"share": 0.9, "slack": 0.1}, "give share or slack"),
        ({"share": 90}, "share is 90; give a share of the full budget's value"),
        ({"slack": -1}, "slack is -1"),
        ({"share": 0.9, "baseline": "randm"}, r"'randm' is none of the strategies random, margin. Did you mean"),
        ({"share": 0.9, "missing": "skip"}, "missing is 'skip'"),
    ],
)
def test_wrong_questions(options, message):
    with pytest.raises(InputError, match=message):
        labels_needed(PAIR, "accuracy", **options)


# --- censored medians ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "reached", "median"),
    [
        ([10, 20, 30], [True, True, True], 20),
        ([10, 20, 30, 40], [True, True, True, True], 20),
        ([10, 20, 50, 50], [True, True, False, False], 20),
        ([10, 50, 50, 50], [True, False, False, False], math.inf),
        ([15, 10, 30], [False, True, True], 30),  # S falls to 2/3 at 10, and to 0 at 30: the censored one is gone
        ([math.inf, 20, 20], [False, True, True], 20),
        ([50], [False], math.inf),
        ([], [], NAN),
    ],
)
def test_median_with_censored_runs(labels, reached, median):
    assert kaplan_meier_median(labels, reached) == pytest.approx(median, nan_ok=True)


def test_median_is_where_scipys_survival_function_falls_to_a_half():
    chance = np.random.default_rng(0)
    labels, reached = chance.integers(20, 60, 40).astype(float), chance.random(40) < 0.7
    survival = scipy_stats.ecdf(scipy_stats.CensoredData(labels[reached], right=labels[~reached])).sf
    median = kaplan_meier_median(labels, reached)
    assert survival.evaluate(median) <= 0.5 < survival.evaluate(median - 0.5)


def test_summary_gives_no_mean_of_those_alone_that_got_there():
    frame = records(
        run([0.5, 0.8]), run([0.5, 0.8], seed=1), run([0.5, 0.8, 0.8], "margin"), run([0.5, 0.6], "margin", 1)
    )
    found = summarised(labels_needed(frame, "accuracy", share=0.99)).set_index("strategy")
    assert found.loc["random", ["runs", "reached", "median", "mean", "sd"]].tolist() == [2, 2, 11.0, 11.0, 0.0]
    margin = found.loc["margin", ["runs", "reached", "median", "mean"]].tolist()
    assert margin == pytest.approx([2, 1, 11.0, NAN], nan_ok=True)


# --- utilisation -----------------------------------------------------------------------------------------------------


def test_utilisation_is_a_ratio_of_labels_seed_by_seed():
    frame = records(
        run([0.5, 0.6, 0.8], seed=0), run([0.5, 0.8, 0.8], seed=1),
        run([0.5, 0.8, 0.8], "margin", 0), run([0.8, 0.8, 0.8], "margin", 1),
    )  # fmt: skip
    row = utilisation(labels_needed(frame, "accuracy", slack=0.01), "random").iloc[0]
    assert (row["strategy"], row["runs"], row["reached"]) == ("margin", 2, 2)
    assert row["mean"] == pytest.approx((11 / 12 + 10 / 11) / 2)
    assert row["ratio_of_means"] == pytest.approx(21 / 23)
    assert row["median"] == pytest.approx(10 / 11)


def test_utilisation_with_a_seed_that_does_not_get_there_has_no_mean():
    frame = records(run([0.5, 0.8]), run([0.5, 0.8], seed=1), run([0.8, 0.8], "margin"), run([0.5, 0.6], "margin", 1))
    row = utilisation(labels_needed(frame, "accuracy", slack=0.01), "random").iloc[0]
    assert (row["runs"], row["reached"], row["median"]) == (2, 1, pytest.approx(10 / 11))
    assert math.isnan(row["mean"])
    assert math.isnan(row["ratio_of_means"])


def test_utilisation_of_nothing_is_an_empty_table():
    frame = records(run([0.5], status="failed"), run([0.5, 0.6], "margin"))
    assert len(utilisation(labels_needed(frame, "accuracy", slack=0.01), "random")) == 0
