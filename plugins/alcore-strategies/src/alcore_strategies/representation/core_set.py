"""Core-set: labelled rows as centres that leave no row far away."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore_strategies.geometry import distances_to, distances_to_row
from alcore_strategies.representation.greedy import greedily


@alcore.strategy(
    "core-set",
    summary="The row farthest from its nearest labelled row (greedy k-center)",
    tasks=frozenset(alcore.Task),
    learner=False,
    source="Sener and Savarese, Active Learning for Convolutional Neural Networks: A Core-Set Approach (ICLR 2018)",
    group="representation",
)
class CoreSet:
    """argmax_i min_{j in s} ||x_i - x_j||, then s := s + {i} (algorithm 1: k-center greedy).

    State: the squared distance of every row to the nearest labelled one, infinite while there is none; a label shortens
    it in O(n d).

    Parameters
    ----------
    first : "random" or "medoid"
        The first row where nothing is labelled: a tie of all rows, or the row nearest to the mean (the one with the
        least sum of squared distances to all rows).
    """

    def __init__(self, first: Literal["random", "medoid"] = "random") -> None:
        if first not in ("random", "medoid"):
            raise InputError(f'core-set: first is {first!r}; use "random" or "medoid".')
        self.first = first

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything; nothing is labelled."""
        self.features = pool.features
        self.squares = np.einsum("ij,ij->i", pool.features, pool.features)
        self.distance = np.full(len(pool), np.inf)
        if self.first == "medoid":
            # As far as 5 m - d_i, with m the largest of the squared distances d_i to the mean: the medoid is the
            # farthest, and all are farther than the centre will be, since no two rows are more than 4 m apart.
            from_mean = distances_to(pool.features, pool.features.mean(axis=0))
            self.distance = 5.0 * from_mean.max() - from_mean

    def update(self, rows: Rows, labels: Labels) -> None:
        """Let the new rows be centres."""
        for row in rows.tolist():
            self._centre(self.distance, row)

    def query(self, view: View, n: int) -> Rows:
        """Return the farthest row, then the farthest from that one as well, and so on."""
        return greedily(view, n, self.distance, self._centre, rounding=1e-10)

    def _centre(self, distance: Floats, row: int) -> None:
        np.minimum(distance, distances_to_row(self.features, self.squares, row), out=distance)
