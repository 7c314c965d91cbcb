"""Numbers that are equal but for rounding are one number, wherever strategies are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from alcore.stats import Blocks, differences, extremes, improvement, overall, ranking, seed_blocks, settled


def blocks(values: dict[str, list[float]]) -> Blocks:
    n = len(next(iter(values.values())))
    index = pd.MultiIndex.from_tuples([(f"d{i}", "knn") for i in range(n)], names=["dataset", "learner"])
    frame = pd.DataFrame(values, index=index)
    return Blocks(frame, frame.isna() & False)


@pytest.mark.parametrize("scale", [1e-20, 1e-9, 1.0, 1e9])
def test_rounding_is_of_the_numbers_magnitude(scale):
    found = settled(scale * np.array([0.1 + 0.2, 0.5, 0.3, 0.3 + 1e-9]))
    assert found[0] == found[2]
    assert len(set(found)) == 3


def test_gaps_and_infinities_stay():
    found = settled([[np.nan, np.inf, 1.0], [np.inf, np.inf, -np.inf]])
    assert np.array_equal(found, [[np.nan, np.inf, 1.0], [np.inf, np.inf, -np.inf]], equal_nan=True)
    assert settled([]).shape == (0,)


def test_differences_of_rounding_are_none_and_equal_ones_share_their_size():
    found = differences([0.1 + 0.2, 0.52, 0.32, np.inf], [0.3, 0.5, 0.3, np.inf])
    assert found.tolist() == [0.0, found[1], found[1], 0.0]


def test_wilcoxon_holm_of_values_that_differ_by_rounding():
    found = ranking(blocks({"a": [0.1 + 0.2] * 8, "c": [0.3] * 8, "e": [0.0] * 8}))
    p = found.posthoc[1].p
    assert p["a", "c"] == 1.0
    assert p["a", "e"] < 0.05
    assert [place.rank for place in found.places] == [1.5, 1.5, 3.0]
    assert [place.strategy for place in found.first] == ["a", "c"]


def scored(values: dict[str, list[list[float]]]) -> pd.DataFrame:
    """Return scored runs by strategy, data set and seed."""
    rows = [
        {"dataset": f"d{d}", "learner": "knn", "strategy": strategy, "seed": seed, "score": score}
        for strategy, datasets in values.items()
        for d, scores in enumerate(datasets)
        for seed, score in enumerate(scores)
    ]
    return pd.DataFrame(rows).assign(status="completed")


def test_improvement_by_rounding_is_a_tie():
    noise = [[0.1 + 0.2] * 6] * 6
    found = improvement(seed_blocks(scored({"random": [[0.3] * 6] * 6, "margin": noise})), "random")
    assert set(found["verdict"]) == {"tie"}
    assert overall(found).iloc[0]["p_wilcoxon"] is None


def test_differences_that_cancel_are_no_difference_over_data_sets():
    """Without rounding the means are 0; with it they are 1e-17 of either sign, which signed ranks would count."""
    base = [[0.3, 0.4, 0.7]] * 6
    own = [[0.4, 0.3, 0.7]] * 6
    found = improvement(seed_blocks(scored({"random": base, "margin": own})), "random")
    assert set(found["mean"]) == {0.0}


def test_best_is_shared_by_means_that_differ_by_rounding():
    row = extremes(seed_blocks(scored({"a": [[0.1, 0.2, 0.3]], "b": [[0.3, 0.2, 0.1]], "c": [[0.0, 0.0, 0.0]]}))).iloc[
        0
    ]
    assert row["best"] == "a = b"
