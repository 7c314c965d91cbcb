"""Ranks and their tests against Demsar's worked example, scipy, scikit-posthocs and the published tables."""

from __future__ import annotations

import math
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from alcore.errors import InputError
from alcore.stats import Blocks, critical_difference, friedman_test, holm, ranking

# Demsar (2006), table 6: AUC of C4.5 with m and cf tuned or not, on 14 data sets. The last digits of "voting" are
# chosen so that its ranks are those printed, which the rounded values do not give.
DEMSAR = """
0.763 0.768 0.771 0.798
0.599 0.591 0.590 0.569
0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898
0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685
0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000
0.940 0.962 0.965 0.962
0.619 0.666 0.614 0.669
0.972 0.981 0.9751 0.975
0.957 0.978 0.946 0.970
"""
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def blocks(values: Any, names: list[str] | None = None, *, up: bool = True) -> Blocks:
    values = np.asarray(values, dtype=float)
    columns = names or [f"s{i}" for i in range(values.shape[1])]
    index = pd.MultiIndex.from_tuples([(f"d{i}", "knn") for i in range(len(values))], names=["dataset", "learner"])
    frame = pd.DataFrame(values, index=index, columns=columns)
    return Blocks(frame, frame.isna() & False, (), up)


@pytest.fixture(scope="module")
def demsar() -> Blocks:
    return blocks([line.split() for line in DEMSAR.strip().splitlines()], NAMES)


def chance(n: int = 12, k: int = 5, step: float = 0.5) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(n, k)) + step * np.arange(k)


# --- Demsar's example ------------------------------------------------------------------------------------------------


def test_average_ranks(demsar):
    found = {place.strategy: round(place.rank, 3) for place in ranking(demsar).places}
    assert found == {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}


def test_places_are_best_first_and_count_shared_first_ranks(demsar):
    first = ranking(demsar).places[0]
    assert (first.strategy, first.n) == ("C4.5+m+cf", 14)
    assert first.first == 7  # the tie on mushroom included


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 1.25), (0.10, 1.12)])
def test_critical_difference(alpha, expected):
    assert critical_difference(4, 14, alpha) == pytest.approx(expected, abs=0.005)


def test_nemenyi_groups(demsar):
    """At 0.10 "C4.5 is significantly worse than C4.5+m and C4.5+m+cf", and C4.5+cf is in between."""
    nemenyi = ranking(demsar, alpha=0.1).posthoc[0]
    assert nemenyi.groups == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]


def test_nemenyi_at_5_per_cent_finds_nothing(demsar):
    assert ranking(demsar).posthoc[0].groups == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]


# --- scipy and scikit-posthocs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", [True, False])
def test_friedman_is_scipys(up):
    values = chance()
    expected = scipy_stats.friedmanchisquare(*values.T)
    found = ranking(blocks(values, up=up)).friedman
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_iman_davenport():
    """The definition (Demsar, section 3.2.2), from the chi2 that is corrected for ties."""
    found = ranking(blocks(chance(n=14, k=4))).iman_davenport
    chi2 = ranking(blocks(chance(n=14, k=4))).friedman.statistic
    assert found.statistic == pytest.approx(13 * chi2 / (14 * 3 - chi2))
    assert found.p == pytest.approx(scipy_stats.f.sf(found.statistic, 3, 39))


def test_posthoc_is_that_of_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed; it is in the dev group")
    values = chance()
    values[3] = values[3].round()  # some ties
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nemenyi = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
        wilcoxon = posthocs.posthoc_wilcoxon(list(values.T), p_adjust="holm").to_numpy()
    for found, expected in zip(ranking(blocks(values)).posthoc, (nemenyi, wilcoxon), strict=True):
        p = {frozenset(pair): value for pair, value in found.p.items()}
        for i, j in combinations(range(5), 2):
            assert p[frozenset((f"s{i}", f"s{j}"))] == pytest.approx(expected[i, j], abs=1e-6), found.name


def test_holm():
    """Worked by hand: 0.01 * 3, then 0.02 * 2 = 0.04, then 0.04 * 1, in the order of the p-values."""
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.02])), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(holm(np.array([0.6, 0.5])), [1.0, 1.0])


def test_groups_of_wilcoxon_holm_are_runs_of_neighbours_without_a_difference():
    n = 20
    base = np.random.default_rng(1).normal(size=n)
    near = base + np.random.default_rng(2).normal(size=n) * 0.1
    found = ranking(blocks(np.column_stack([base, near, base + 5])))
    assert found.order[0] == "s2"
    assert [set(group) for group in found.posthoc[1].groups] == [{"s0", "s1"}]


# --- what can be said of little --------------------------------------------------------------------------------------


def test_two_strategies_have_no_friedman_test_and_still_a_pair():
    found = ranking(blocks(chance(k=2, step=2)))
    assert found.friedman.p is None
    assert "needs 3" in found.friedman.reason
    assert found.reason == ""
    assert list(found.posthoc[1].p) == [("s1", "s0")]
    expected = scipy_stats.wilcoxon(chance(k=2, step=2)[:, 1] - chance(k=2, step=2)[:, 0])
    assert found.posthoc[1].p["s1", "s0"] == pytest.approx(expected.pvalue)


def test_one_block_ranks_and_tests_nothing():
    found = ranking(blocks([[0.1, 0.3, 0.2]]))
    assert found.order == ["s1", "s2", "s0"]
    assert (found.reason, found.posthoc) == ("1 complete block; tests need 2", [])
    assert found.friedman.reason == "1 complete block; Friedman's test needs 2"
    assert all(math.isnan(place.sd) for place in found.places)


def test_all_ties():
    found = ranking(blocks(np.full((5, 3), 0.5)))
    assert {place.rank for place in found.places} == {2.0}
    assert found.reason == found.friedman.reason == "all strategies tie in every block"


def test_two_strategies_that_tie_everywhere_do_not_differ():
    found = ranking(blocks(np.full((5, 2), 0.5)))
    assert found.posthoc[1].p == {("s0", "s1"): 1.0}
    assert found.posthoc[1].groups == [("s0", "s1")]


def test_one_strategy_and_none():
    assert ranking(blocks([[0.1], [0.2]])).reason == "1 strategy to compare; it takes 2"
    assert ranking(blocks(np.empty((0, 0)))).reason == "0 strategies to compare; it takes 2"


def test_gaps_leave_ranks_and_narrow_the_tests():
    values = chance(n=6, k=3)
    values[0, 1] = np.nan
    found = ranking(blocks(values))
    assert {place.strategy: place.n for place in found.places} == {"s0": 6, "s1": 5, "s2": 6}
    assert found.blocks == 5
    assert found.notes == ["tests are over the 5 of 6 blocks that all strategies have"]
    assert found.friedman.p == pytest.approx(scipy_stats.friedmanchisquare(*values[1:].T).pvalue)


def test_the_same_order_everywhere_has_an_infinite_f():
    found = ranking(blocks(np.tile([1.0, 2.0, 3.0], (4, 1))))
    assert found.friedman.statistic == pytest.approx(8.0)  # N (k - 1)
    assert found.iman_davenport.reason == "every block has the same ranks: F is infinite"


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_no_level(alpha):
    with pytest.raises(InputError, match="give a significance level between 0 and 1"):
        ranking(blocks(chance()), alpha)


def test_friedman_of_blocks():
    assert friedman_test(chance()).p == pytest.approx(scipy_stats.friedmanchisquare(*chance().T).pvalue)


# --- the published tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "firsts"),
    [("table06_xgboost_average_rank.csv", {"US": 18}), ("table27_rf_average_rank.csv", {"US": 13, "BALD": 9})],
)
def test_published_ranks_obey_their_own_arithmetic(shared: Path, table: str, firsts: dict[str, int]):
    """k strategies share the ranks 1..k, those that timed out left out; and "US ranks first on 18 datasets"."""
    published = pd.read_csv(shared / "reference" / table, index_col=0).apply(pd.to_numeric, errors="coerce")
    k = published.notna().sum(axis=1)
    # Printed to two digits; a rank may have been rounded up or down.
    np.testing.assert_allclose(published.sum(axis=1), k * (k + 1) / 2, atol=0.5)
    found = {place.strategy: place.first for place in ranking(blocks(published, list(published), up=False)).places}
    assert {name: found[name] for name in firsts} == firsts
