"""The kernels of QUIRE and HintSVM, with libsvm's parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alcore import Floats, InputError
from alcore_strategies.checks import LARGEST
from alcore_strategies.geometry import distances_to, squared_distances

MOST = 100
"""The largest degree."""

KINDS = ("linear", "poly", "rbf")


@dataclass(frozen=True)
class Kernel:
    """k(a, b) = a'b ("linear"), (gamma a'b + coef0)^degree ("poly") or exp(-gamma |a - b|^2) ("rbf").

    Raises
    ------
    InputError
        If the kind is unknown, or a number makes the kernel none: gamma not positive, degree below 1, coef0 negative.
    """

    kind: str
    gamma: float
    degree: int
    coef0: float

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kernel is {self.kind!r}; use one of {', '.join(KINDS)}.")
        if not 0 < self.gamma <= LARGEST:
            raise InputError(f"gamma is {self.gamma!r}; give a positive number, {LARGEST:.0e} at most.")
        if not (1 <= self.degree <= MOST and int(self.degree) == self.degree):
            raise InputError(f"degree is {self.degree!r}; give a whole number from 1 to {MOST}.")
        if not 0 <= self.coef0 <= LARGEST:
            raise InputError(f"coef0 is {self.coef0!r}; give 0 or a positive number, {LARGEST:.0e} at most.")

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """Return k between the rows of A (a, d) and those of B (b, d), shape (a, b)."""
        values: Floats = np.exp(-self.gamma * squared_distances(A, B)) if self.kind == "rbf" else self._of(A @ B.T)
        return values

    def row(self, X: Floats, i: int) -> Floats:
        """Return k between every row of X and its row i, shape (n,)."""
        if self.kind == "rbf":
            values: Floats = np.exp(-self.gamma * distances_to(X, X[i]))
            return values
        return self._of(X @ X[i])

    def diagonal(self, X: Floats) -> Floats:
        """Return k of each row with itself, shape (n,)."""
        return np.ones(len(X)) if self.kind == "rbf" else self._of(np.einsum("ij,ij->i", X, X))

    def _of(self, inner: Floats) -> Floats:
        values: Floats = inner if self.kind == "linear" else (self.gamma * inner + self.coef0) ** self.degree
        return values
