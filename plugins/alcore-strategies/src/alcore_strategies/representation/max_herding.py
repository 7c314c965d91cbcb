"""MaxHerding: labelled rows that are like as many rows as they can be, in the sense of a kernel."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, Labels, Pool, Rows, View
from alcore_strategies.checks import positive
from alcore_strategies.geometry import blocks, distances_to, squared_distances

FEW = 32
SLACK = 1e-9
ROUNDING = 1e-10
"""Of the largest gain, a sum over all rows; within ``SLACK``, so that all that tie have been evaluated."""


@alcore.strategy(
    "max-herding",
    summary="The row that makes labelled rows most similar to all rows",
    revision=2,
    tasks=frozenset(alcore.Task),
    learner=False,
    growth="quadratic",  # the first gains, once per pool; a query evaluates a few rows
    source="Bae, Noh and Sutherland, Generalized Coverage for More Robust Low-Budget Active Learning (ECCV 2024)",
    group="representation",
)
class MaxHerding:
    """argmax_i sum_j max(k(x_j, x_i) - h_j, 0), with h_j = max_{l labelled} k(x_j, x_l): greedy generalised coverage.

    State: h, and an upper bound of each row's gain. Gains only fall (coverage is submodular), so that what a gain once
    was bounds it for ever: only rows whose bound exceeds the best gain found are evaluated, O(n d) each, and no n x n
    kernel exists.

    Parameters
    ----------
    sigma : float or None
        k(x, x') = exp(-||x - x'||^2 / sigma^2). None takes the root of half the mean squared distance of two rows;
        the paper's 1 is about that for its features, which have norm 1.
    """

    def __init__(self, sigma: float | None = None) -> None:
        positive("max-herding", sigma=sigma)
        self.sigma = sigma

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Compute what each row would gain alone, unless another run on this pool has; nothing is labelled."""
        self.features = pool.features
        spread = float(pool.features.var(axis=0).sum())
        self.width = (spread or 1.0) if self.sigma is None else self.sigma**2
        self.h = np.zeros(len(pool))
        first = pool.memo(("max-herding", self.width), lambda: self._gains(np.arange(len(pool)), self.h))
        self.bound = first.copy()

    def update(self, rows: Rows, labels: Labels) -> None:
        """Take in what is like the new rows."""
        for row in rows.tolist():
            self.h = self._with(self.h, row)

    def query(self, view: View, n: int) -> Rows:
        """Return the row of the largest gain, then the one of the largest gain after that, and so on."""
        h, bound = self.h, self.bound  # a gain found after the labelled rows alone is a bound in later rounds, too
        for row in view.pending.tolist():
            h, bound = self._with(h, row), bound.copy()
        chosen: list[int] = []
        left = view.unlabeled
        for _ in range(n):
            if chosen:
                h, bound = self._with(h, chosen[-1]), bound.copy()
            scores = self._best(left, h, bound)
            scores[np.searchsorted(left, chosen)] = -np.inf  # view.unlabeled is ascending
            chosen.append(int(view.top(scores, 1, rounding=ROUNDING)[0]))
        return np.array(chosen, dtype=np.intp)

    def _best(self, rows: Rows, h: Floats, bound: Floats) -> Floats:
        """Return the gains of the rows that may have the largest one, and -inf for others; lower the bounds to them."""
        order = rows[np.argsort(-bound[rows])]
        gains = np.full(len(self.features), -np.inf)
        largest, begin, size = -np.inf, 0, FEW
        while begin < len(order) and bound[order[begin]] * (1.0 + SLACK) >= largest:
            some = order[begin : begin + size]
            open_ = some[bound[some] > 0]  # a gain is at least 0: one that is bounded by 0 is 0
            bound[open_] = self._gains(open_, h)
            gains[some] = bound[some]
            largest = max(largest, float(gains[some].max()))
            begin, size = begin + size, 2 * size
        return gains[rows]

    def _gains(self, rows: Rows, h: Floats) -> Floats:
        x, gains = self.features, np.empty(len(rows))
        for part in blocks(len(rows), width=3 * len(x)):
            K = squared_distances(x[rows[part]], x)
            K /= -self.width
            np.exp(K, out=K)
            K -= h
            gains[part] = np.maximum(K, 0.0, out=K).sum(axis=1)
        return gains

    def _with(self, h: Floats, row: int) -> Floats:
        x = self.features
        nearer: Floats = np.maximum(h, np.exp(-distances_to(x, x[row]) / self.width))
        return nearer
