"""ProbCover: balls around the labelled rows that cover as much of the pool as they can."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore.types import Mask
from alcore_strategies.checks import positive
from alcore_strategies.geometry import blocks, distances_to, k_means, squared_distances
from alcore_strategies.representation.greedy import greedily


@alcore.strategy(
    "prob-cover",
    summary="The row whose ball covers most rows that no labelled row's ball covers",
    revision=2,
    learner=False,
    growth="quadratic",  # the radius and the first counts, once per pool
    source="Yehuda, Dekel, Hacohen and Weinshall, Active Learning Through a Covering Lens (NeurIPS 2022), algorithm 1",
    group="representation",
)
class ProbCover:
    """argmax_i |{j uncovered: ||x_i - x_j|| <= delta}|; then what i covers counts for nobody.

    State: which rows are covered, and how many uncovered ones are in the ball of each. Every row is covered once in a
    run, and then taken off the counts of its neighbours: O(n d), without a graph.

    Parameters
    ----------
    delta : float or None
        The radius in units of ``Pool.features``; None takes the largest one of purity ``alpha``.
    alpha : float
        The purity: the share of rows whose ball holds rows of one cluster only.
    clusters : int or None
        How many k-means clusters stand for the classes in that; None takes the number of classes.
    """

    def __init__(self, delta: float | None = None, alpha: float = 0.95, clusters: int | None = None) -> None:
        positive("prob-cover", delta=delta)
        if not 0 < alpha <= 1:
            raise InputError(f"prob-cover: alpha is {alpha!r}; give a share above 0, up to 1.")
        if clusters is not None and clusters < 2:
            raise InputError(
                f"prob-cover: clusters is {clusters!r}; give 2 or more, or None for the number of classes."
            )
        self.delta, self.alpha, self.clusters = delta, alpha, clusters

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Find the radius and what each ball holds, unless another run on this pool has; nothing is covered."""
        x = self.features = pool.features
        k = min(max(pool.n_classes, 2) if self.clusters is None else self.clusters, len(pool))
        self.radius2 = (
            pool.memo(("prob-cover", "radius", self.alpha, k), lambda: largest_pure_radius2(x, self.alpha, k))
            if self.delta is None
            else self.delta**2
        )
        held = pool.memo(("prob-cover", "held", self.radius2), lambda: self._held(np.arange(len(x))))
        self.uncovered: Floats = held.astype(np.float64)
        self.covered = np.zeros(len(pool), dtype=bool)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Cover the balls of the new rows."""
        for row in rows.tolist():
            self._cover(self.covered, self.uncovered, row)

    def query(self, view: View, n: int) -> Rows:
        """Return the row that covers most, then the one that covers most of what that leaves, and so on."""
        return greedily(view, n, self.uncovered, partial(self._cover, self.covered.copy()))

    def _cover(self, covered: Mask, uncovered: Floats, row: int) -> None:
        new = np.flatnonzero(~covered & (distances_to(self.features, self.features[row]) <= self.radius2))
        covered[new] = True
        if covered.all():
            uncovered[:] = 0.0
        else:
            uncovered -= self._held(new)

    def _held(self, rows: Rows) -> Rows:
        """Return how many of these rows are in the ball of each row of the pool."""
        x, held = self.features, np.zeros(len(self.features), dtype=np.intp)
        for part in blocks(len(rows), width=2 * len(x)):
            held += (squared_distances(x[rows[part]], x) <= self.radius2).sum(axis=0)
        return held


def largest_pure_radius2(features: Floats, alpha: float, k: int) -> float:
    """Return the square of the largest radius at which a share alpha of all balls is pure (section 3.3).

    A ball is pure while it holds rows of one of k clusters only: up to the nearest row of another cluster. So the
    radius is the least of these distances when the (1 - alpha) n smallest are left out, less one rounding step.
    The clustering is the tightest of ten from one seed, so that all runs on a pool have the same radius.
    """
    n = len(features)
    cluster = k_means(features, k, np.random.default_rng(0), repeats=10)[1]
    other = np.empty(n)
    for part in blocks(n, width=3 * n):
        D2 = squared_distances(features[part], features)
        D2[cluster[part, None] == cluster] = np.inf
        other[part] = D2.min(axis=1)
    impure = min(int((1.0 - alpha) * n + 1e-9), n - 1)
    return float(np.nextafter(np.partition(other, impure)[impure], 0.0))
