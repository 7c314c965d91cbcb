"""Three forms of P(best), from each model's Beta distribution of worth on each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from alcore.types import Floats
from alcore_modelselection.coda.quadrature import Grid, Hypothesis

PBest: TypeAlias = Literal["rows", "mixture", "total"]
Effect: TypeAlias = Callable[[NDArray[np.uint8]], NDArray[Any]]
"""From the states of all models on some rows, (B, H), to what a label changes there, (B, H)."""


class Form(Protocol):
    """A way to make P(best) of the Beta distributions (a, b) of each class.

    ``relative``: whether an effect is the change of P(best | class), which other classes' labels leave as it is, or
    P(best) itself, which any label changes.
    """

    relative: bool

    def learn(self, c: int, a: Floats, b: Floats) -> None:
        """Take the distributions on class c, each (H,)."""

    def value(self, weights: Floats) -> Floats:
        """Return P(best), shape (H,), for the weight of each class in a model's quality, shape (C,)."""

    def effect(self, c: int, a: Floats, b: Floats, weights: Floats) -> Effect:
        """Return the effect of a label c, had each model the distribution (a, b) of its state, each (S, H)."""


class Rows:
    """The published code: the average over classes of the probability to be the best one on that class."""

    relative = True

    def __init__(self, grid: Grid, classes: int, models: int, dtype: DTypeLike) -> None:
        self.grid, self.dtype = grid, dtype
        self.by_class = np.full((classes, models), 1.0 / models)

    def learn(self, c: int, a: Floats, b: Floats) -> None:
        """Integrate class c anew."""
        self.by_class[c] = self.grid.best(*self.grid.tabulate(a, b))

    def value(self, weights: Floats) -> Floats:
        """Return sum_c pi_c P(best | c)."""
        return np.asarray(weights @ self.by_class)

    def effect(self, c: int, a: Floats, b: Floats, weights: Floats) -> Effect:
        """Return the change of P(best | c)."""
        hypothesis = Hypothesis(self.grid, *self.grid.tabulate(a, b), dtype=self.dtype)
        now = self.by_class[c].astype(self.dtype)

        def change(states: NDArray[np.uint8]) -> NDArray[Any]:
            out = hypothesis.best(states)
            out -= now
            return out

        return change


class Mixture:
    """The paper's text: one integral, with the mixtures of densities and distribution functions of Eq. 14 and 15."""

    relative = False

    def __init__(self, grid: Grid, classes: int, models: int, dtype: DTypeLike) -> None:
        self.grid, self.dtype = grid, dtype
        self.tables = np.zeros((2, classes, models, len(grid.x)))  # density and distribution function

    def learn(self, c: int, a: Floats, b: Floats) -> None:
        """Tabulate class c anew."""
        self.tables[:, c] = self.grid.tabulate(a, b)

    def value(self, weights: Floats) -> Floats:
        """Return the integral of Eq. 13."""
        pdf, cdf = self._mixed(weights)
        return self.grid.best(pdf, cdf)

    def effect(self, c: int, a: Floats, b: Floats, weights: Floats) -> Effect:
        """Return P(best) after the label."""
        new = np.stack(self.grid.tabulate(a, b))  # (2, S, H, P)
        pdf, cdf = self._mixed(weights)[:, None] + weights[c] * (new - self.tables[:, None, c])
        return Hypothesis(self.grid, pdf, cdf, dtype=self.dtype).best

    def _mixed(self, weights: Floats) -> Floats:
        return np.asarray(np.tensordot(weights, self.tables, axes=(0, 1)))


class Total:
    """Not in the paper: the probability that a model's accuracy, sum_c pi_c M_cc (Eq. 9), is the largest.

    The sum of independent Beta variables is given the Beta distribution of its mean and variance. Both published
    forms ask who wins on a class, but not by how much: of two models that win on one of two classes each, neither is
    the better one to them, whatever their accuracies.
    """

    relative = False

    def __init__(self, grid: Grid, classes: int, models: int, dtype: DTypeLike) -> None:
        self.grid, self.dtype = grid, dtype
        self.mean, self.variance = np.zeros((2, classes, models))

    def learn(self, c: int, a: Floats, b: Floats) -> None:
        """Take the moments on class c."""
        self.mean[c], self.variance[c] = _moments(a, b)

    def value(self, weights: Floats) -> Floats:
        """Return the integral of Eq. 13 over the distributions of total accuracy."""
        return self.grid.best(*self._tables(weights @ self.mean, weights**2 @ self.variance))

    def effect(self, c: int, a: Floats, b: Floats, weights: Floats) -> Effect:
        """Return P(best) after the label."""
        mean, variance = _moments(a, b)
        mean = weights @ self.mean + weights[c] * (mean - self.mean[c])
        variance = weights**2 @ self.variance + weights[c] ** 2 * (variance - self.variance[c])
        return Hypothesis(self.grid, *self._tables(mean, variance), dtype=self.dtype).best

    def _tables(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        concentration = mean * (1.0 - mean) / variance - 1.0
        return self.grid.tabulate(mean * concentration, (1.0 - mean) * concentration)


def _moments(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    mean = a / (a + b)
    return mean, mean * (1.0 - mean) / (a + b + 1.0)


FORMS: dict[PBest, Callable[[Grid, int, int, DTypeLike], Form]] = {"rows": Rows, "mixture": Mixture, "total": Total}
