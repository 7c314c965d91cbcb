"""Hierarchical sampling: a tree of clusters, and labels that say where it is pure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import InputError, Labels, Pool, Rows, View
from alcore.interop import seeded_globals, silenced
from alcore_playground.checkout import sampler
from alcore_playground.face import NOBODY, Taken, placeholder


class Hierarchical:
    """``HierarchicalClusterAL``: a random unlabelled row of a cluster that is large and not known to be pure.

    State: the batches that were labelled. The sampler has played one call per batch, each with a seed of its own, the
    labels before it and the batch's size; where its calls were others (rows were asked for that are not labelled, the
    run is resumed), it is made again and plays them.

    Parameters
    ----------
    beta : float
        How pure a cluster must be for a label to be admissible; larger is less strict.
    affinity, linkage : str
        ``metric`` and ``linkage`` of scikit-learn's ``AgglomerativeClustering``, on ``Pool.features``.
    max_features : int or None
        Cluster on so many principal components.
    """

    name = "playground.hierarchical"

    def __init__(
        self, beta: float = 2.0, affinity: str = "euclidean", linkage: str = "ward", max_features: int | None = None
    ) -> None:
        sampler("hierarchical_clustering_AL", "HierarchicalClusterAL")
        if not beta > 0:
            raise InputError(f"beta is {beta!r}; give a number above 0.")
        self.params = {"beta": beta, "affinity": affinity, "linkage": linkage, "max_features": max_features}

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything, and cluster the pool."""
        self.pool, self.seed = pool, int(rng.integers(2**31))
        self.batches: list[tuple[Rows, Labels]] = []
        self._make()

    def update(self, rows: Rows, labels: Labels) -> None:
        """Note what was labelled."""
        self.batches.append((np.array(rows), np.array(labels)))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sampler, whose class no other process can find."""
        return {name: value for name, value in vars(self).items() if name not in ("made", "calls")}

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return NOBODY
        if not self.batches:
            raise InputError(f'{self.name} begins with labels: give a start set, or cold_start="random".')
        sizes = [len(rows) for rows, _ in self.batches[1:]]
        if not hasattr(self, "made") or self.calls != sizes:
            self._make()
            for call, size in enumerate(sizes):
                self._play(call, size)
        # Rows that are out for labelling cannot be told to the sampler: that many more are asked for, and left out.
        out = len(self.pool) - len(view.unlabeled) - sum(len(rows) for rows, _ in self.batches)
        asked = self._play(len(sizes), n + out)
        return asked[np.isin(asked, view.unlabeled)][:n]

    def _make(self) -> None:
        make = sampler("hierarchical_clustering_AL", "HierarchicalClusterAL")
        y = placeholder(self.pool)
        with seeded_globals(self.seed), silenced(), _deep(len(self.pool)):
            self.made = make(self.pool.features, y, self.seed, **self.params)
        self.calls: list[int] = []

    def _play(self, call: int, n: int) -> Rows:
        """Let the sampler choose n rows in its call of this number, from the labels before it."""
        # Every class of the pool counts from the start, as if seen on a row outside: with one class the sampler fails.
        labels = {-1 - code: code for code in range(self.pool.n_classes)}
        for rows, codes in self.batches[: call + 1]:
            labels |= dict(zip(rows.tolist(), codes.tolist(), strict=True))
        seed = int(np.random.SeedSequence([self.seed, call]).generate_state(1)[0])
        # Of y, the labels of the whole pool, it prints how impure the clusters are.
        y = placeholder(self.pool)
        with seeded_globals(seed), silenced(), _deep(len(self.pool)):
            asked = self.made.select_batch(N=n, already_selected=Taken(), labeled=labels, y=y)
        self.calls.append(n)
        return np.array(asked, dtype=np.intp)


@contextmanager
def _deep(n: int) -> Iterator[None]:
    """Allow the recursion that a tree of n leaves can take: one that splits off a row at a time is n deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 3 * n)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
