"""Querying informative and representative examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import InputError, Labels, Pool, Rows, StrategyError, View
from alcore.interop import signs
from alcore_libact.asking import ask_again
from alcore_libact.library import Dataset, pool_based, quiet


class QUIRE:
    """``QUIRE``, with libact's formula as it is (Huang et al. 2010, but see the notes).

    State: the kernel matrix, the inverse of its regularised form, and which rows are labelled.

    Parameters
    ----------
    lam : float
        Weight of the regularisation (libact's ``lambda``).
    kernel : "rbf", "poly" or "linear"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.

    Notes
    -----
    libact takes the inverse of lambda I for that of lambda I + K over the labelled rows, and an inner for an outer
    product in the update per candidate. That is kept: it is what the name stands for in published comparisons.
    """

    name = "libact.quire"

    def __init__(
        self, lam: float = 1.0, kernel: str = "rbf", gamma: float = 1.0, degree: int = 3, coef0: float = 1.0
    ) -> None:
        if kernel not in ("rbf", "poly", "linear"):
            raise InputError(f'kernel is {kernel!r}; use "rbf", "poly" or "linear".')
        self.params = {"lambda": lam, "kernel": kernel, "gamma": gamma, "degree": degree, "coef0": coef0}

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Compute and invert the kernel matrix; nothing is labelled."""
        with quiet():
            self.inner: Any = pool_based.QUIRE(
                Dataset(pool.features, np.full(len(pool), None, dtype=object)), **self.params
            )

    def update(self, rows: Rows, labels: Labels) -> None:
        """Move the rows to the labelled ones, with -1 for code 0 and +1 for code 1."""
        for row, sign in zip(rows.tolist(), signs(labels).tolist(), strict=True):
            self.inner.update(row, sign)

    def query(self, view: View, n: int) -> Rows:
        """Return the row of the least evaluation, then that without the row, and so on.

        libact keeps the first of equal ones, so that the order in which it sees the rows breaks ties.
        """
        if n == 0:
            return view.unlabeled[:0]
        before = self.inner.Uindex
        try:
            return ask_again(view, n, lambda left: self._once(view, left), who=self.name)
        finally:
            self.inner.Uindex = before

    def _once(self, view: View, left: Rows) -> int:
        self.inner.Uindex = (view.rng.permutation(left) if view.ties == "random" else left).tolist()
        with quiet():
            row = int(self.inner.make_query())
        if row < 0:
            raise StrategyError(f"{self.name} gave NaN for all {len(left)} rows: its inverse is not finite.")
        return row
