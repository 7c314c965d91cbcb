"""Ranks of strategies over blocks, and which are shown to differ: Friedman, Nemenyi, Wilcoxon with Holm's correction.

After Demsar: Statistical comparisons of classifiers over multiple data sets (2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from alcore.errors import InputError
from alcore.stats.blocks import Blocks
from alcore.stats.equal import differences
from alcore.stats.significance import Tested, friedman_test, holm, wilcoxon_test
from alcore.types import TOLERANCE, Floats


@dataclass(frozen=True)
class Place:
    """The rank of one strategy: mean and standard deviation over ``n`` blocks, and how often it was first."""

    strategy: str
    rank: float
    sd: float
    n: int
    first: int


@dataclass(frozen=True)
class PostHoc:
    """Which pairs of strategies are shown to differ: p-values, adjusted for all pairs, and groups that are not.

    ``groups`` holds runs of neighbours in the order of the ranks within which no pair is shown to differ, which is not
    the same as shown to be equal; a strategy in no group differs from all others.
    """

    name: str
    p: Mapping[tuple[str, str], float]
    groups: Sequence[tuple[str, ...]]
    critical_difference: float | None = None


@dataclass(frozen=True)
class Ranking:
    """Strategies by average rank, best first, with tests over ``blocks`` complete blocks."""

    places: Sequence[Place]
    blocks: int
    alpha: float
    friedman: Tested
    iman_davenport: Tested
    posthoc: Sequence[PostHoc]
    reason: str
    notes: Sequence[str]

    @property
    def order(self) -> list[str]:
        """The strategies, best first."""
        return [place.strategy for place in self.places]

    @property
    def first(self) -> list[Place]:
        """The place that is best, or all of those that tie for it."""
        return [place for place in self.places if place.rank <= self.places[0].rank * (1 + TOLERANCE)]


def ranking(blocks: Blocks, alpha: float = 0.05) -> Ranking:
    """Rank strategies and test their differences.

    Average ranks are over the blocks that a strategy has; where it lacks some (policy "available"), the tests use the
    complete blocks only, and their average ranks.

    Parameters
    ----------
    blocks : by seed, on one problem; or by problem
    alpha : significance level, in (0, 1)

    Raises
    ------
    InputError
        If alpha is no level.
    """
    check_alpha(alpha)
    ranks = blocks.ranks()
    places = [
        Place(str(name), float(own.mean()), float(own.std(ddof=1)), len(own), int((own == best[own.index]).sum()))
        for name, column in ranks.items()
        if len(own := column.dropna())
        for best in [ranks.min(axis=1)]
    ]
    places.sort(key=lambda place: place.rank)
    names = [place.strategy for place in places]
    complete = blocks.complete.index
    whole = ranks.loc[complete, names].to_numpy(dtype=float)
    n, k = whole.shape
    friedman = friedman_test(-whole)
    reason = _no_posthoc(n, k, friedman)
    scores = blocks.values.loc[complete, names].to_numpy(dtype=float)
    found = [] if reason else [_nemenyi(names, whole, alpha), _wilcoxon_holm(names, scores, alpha)]
    notes = list(blocks.notes)
    if n < len(ranks):
        notes.append(f"tests are over the {n} of {len(ranks)} blocks that all strategies have")
    return Ranking(places, n, alpha, friedman, _iman_davenport(friedman, n, k), found, reason, notes)


def check_alpha(alpha: float) -> None:
    """Raise InputError if this is no significance level."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha is {alpha}; give a significance level between 0 and 1, such as 0.05.")


def _no_posthoc(n: int, k: int, friedman: Tested) -> str:
    if k < 2:
        return f"{k} strateg{'y' if k == 1 else 'ies'} to compare; it takes 2"
    if n < 2:
        return f"{n} complete block{'' if n == 1 else 's'}; tests need 2"
    return "" if k == 2 else friedman.reason


def _iman_davenport(friedman: Tested, n: int, k: int) -> Tested:
    """Return F_F = (N - 1) chi2 / (N (k - 1) - chi2), less conservative than Friedman's chi-squared."""
    from scipy.stats import f

    if friedman.statistic is None:
        return Tested(reason=friedman.reason)
    rest = n * (k - 1) - friedman.statistic
    if rest <= 1e-9:
        return Tested(reason="every block has the same ranks: F is infinite")
    value = (n - 1) * friedman.statistic / rest
    return Tested(value, float(f.sf(value, k - 1, (k - 1) * (n - 1))))


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's CD = q_alpha sqrt(k (k + 1) / (6 N)), q the studentised range divided by sqrt(2)."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, k, np.inf) / sqrt(2) * sqrt(k * (k + 1) / (6 * n)))


def _nemenyi(names: Sequence[str], ranks: Floats, alpha: float) -> PostHoc:
    from scipy.stats import studentized_range

    n, k = ranks.shape
    average = ranks.mean(axis=0)
    scale = sqrt(k * (k + 1) / (6 * n))
    p = {
        (a, b): float(studentized_range.sf(abs(average[i] - average[j]) / scale * sqrt(2), k, np.inf))
        for (i, a), (j, b) in combinations(enumerate(names), 2)
    }
    order = [names[i] for i in np.argsort(average, kind="stable")]
    return PostHoc("Nemenyi", p, _groups(order, p, alpha), critical_difference(k, n, alpha))


def _wilcoxon_holm(names: Sequence[str], scores: Floats, alpha: float) -> PostHoc:
    pairs = list(combinations(range(len(names)), 2))
    tested = [wilcoxon_test(differences(scores[:, i], scores[:, j])) for i, j in pairs]
    raw = np.array([1.0 if test.p is None else test.p for test in tested])  # equal in every block: no difference
    p = {(names[i], names[j]): float(value) for (i, j), value in zip(pairs, holm(raw), strict=True)}
    return PostHoc("Wilcoxon-Holm", p, _groups(names, p, alpha))


def _groups(order: Sequence[str], p: Mapping[tuple[str, str], float], alpha: float) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours, two at least, in which no pair is shown to differ; none inside another."""

    def alike(part: Sequence[str]) -> bool:
        return all(p.get((a, b), p.get((b, a), 0.0)) >= alpha for a, b in combinations(part, 2))

    found: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = max(reached, start + 1)
        while end < len(order) and alike(order[start : end + 1]):
            end += 1
        if end > reached and end - start > 1:
            found.append(tuple(order[start:end]))
        reached = max(reached, end)
    return found
