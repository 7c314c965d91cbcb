"""Two strategies: ten lines where a formula is enough, a class where state makes a round cheap."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, Labels, Pool, Rows, View


@alcore.scores(
    "example.ratio",
    summary="Largest ratio of the second likeliest class to the likeliest",
    needs=("proba",),
    source="Settles (2009), section 3.1",
    group="uncertainty",
)
def ratio(view: View) -> Floats:
    """p_2 / p_1, with p_1 >= p_2 the two largest probabilities. 1 = the two are equally likely."""
    if view.proba.shape[1] < 2:
        return np.zeros(len(view.unlabeled))
    two = np.partition(view.proba, -2, axis=1)[:, -2:]
    doubt: Floats = two[:, 0] / two[:, 1]
    return doubt


@alcore.strategy(
    "example.k-center",
    summary="The row farthest from all labelled rows",
    tasks=frozenset(alcore.Task),
    learner=False,
    sparse=False,
    source="Sener and Savarese, Active Learning for CNNs: A Core-Set Approach (2018), algorithm 1",
    group="representation",
)
class KCenter:
    """Greedy k-center. State: the squared distance of every row to its nearest labelled row, O(n d) per new label."""

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything; nothing is labelled."""
        self.features = pool.features
        self.nearest = np.full(len(pool), np.inf)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Let the new rows shorten the distances."""
        for row in rows:
            self.nearest = self._with(row, self.nearest)

    def query(self, view: View, n: int) -> Rows:
        """Return the farthest row, then the farthest from that one as well, and so on."""
        nearest = self.nearest
        chosen: list[int] = []
        for _ in range(n):
            left = np.where(np.isin(view.unlabeled, chosen), -np.inf, nearest[view.unlabeled])
            row = int(view.top(left, 1)[0])
            chosen.append(row)
            nearest = self._with(row, nearest)
        return np.array(chosen, dtype=np.intp)

    def _with(self, row: int, nearest: Floats) -> Floats:
        shorter: Floats = np.minimum(nearest, ((self.features - self.features[row]) ** 2).sum(axis=1))
        return shorter
