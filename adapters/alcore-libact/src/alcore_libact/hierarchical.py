"""Hierarchical sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Labels, Pool, Rows, StrategyError, View
from alcore.interop import patched, seed_of
from alcore_libact.asking import ask_again, place
from alcore_libact.library import SHIMS, Dataset, quiet

with quiet(), patched(modules=SHIMS):
    from libact.query_strategies.multiclass import hierarchical_sampling as home  # type: ignore[import-untyped]

TRIES = 10_000


class HierarchicalSampling:
    """``HierarchicalSampling``: prune a cluster tree as labels come in, and draw from its impure parts.

    State: counts, bounds and the pruning of Ward's tree over ``pool.features`` (Dasgupta and Hsu 2008).

    Parameters
    ----------
    active : bool
        Draw a subtree by the bound on its errors (libact's ``active_selecting``), or else by its size.
    """

    name = "libact.hierarchical"

    def __init__(self, active: bool = True) -> None:
        self.active = active

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Cluster the pool; nothing is labelled."""
        data = Dataset(pool.features, np.full(len(pool), None, dtype=object))
        with quiet():
            self.inner: Any = home.HierarchicalSampling(data, list(range(pool.n_classes)), active_selecting=self.active)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Count the labels, and prune anew."""
        for row, code in zip(rows.tolist(), labels.tolist(), strict=True):
            self.inner.update(row, code)

    def query(self, view: View, n: int) -> Rows:
        """Return rows drawn one after the other; libact may draw one that is out already, and draws again."""
        if n == 0:
            return view.unlabeled[:0]
        before = self.inner.random_state_
        self.inner.random_state_ = np.random.RandomState(seed_of(view))
        try:
            return ask_again(view, n, self._once, who=self.name)
        finally:
            self.inner.random_state_ = before

    def _once(self, left: Rows) -> int:
        with quiet():
            for _ in range(TRIES):
                row = int(self.inner.make_query())
                if place(left, row) is not None:
                    return row
        raise StrategyError(
            f"{self.name} drew {TRIES} rows, of which none may be asked; tell the labels of some first."
        )
