"""What a prediction is worth on each true class: 1 or 0 for accuracy, a share of the largest cost otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from alcore.types import Floats
from alcore_modelselection.losses import Loss


class Scores:
    """The worth of predicting j where c is true, in [0, 1], and the Beta distribution of a model's mean worth on c.

    For the 0/1 costs of accuracy (plain or balanced) this is Eq. 11 of the paper: the share of right predictions on
    class c has the distribution Beta(theta_cc, sum_{j != c} theta_cj). For other costs, which the paper leaves open,
    the mean worth sum_j v_j M_cj under the Dirichlet distribution is given the Beta distribution with the same mean
    and variance; for two distinct costs per class this is exact, too.

    Attributes
    ----------
    values : list of arrays
        The distinct values of worth on class c, ascending; a model's state is its position among them.
    codes : array of shape (C, C), uint8
        The state that predicting j (column) puts a model in where c (row) is true.
    scale : array of shape (C,)
        The largest cost difference on class c; 0 where any prediction costs the same and c says nothing.
    """

    def __init__(self, loss: Loss) -> None:
        cost = loss.costs - loss.costs.min(axis=1, keepdims=True)
        self.scale: Floats = cost.max(axis=1)
        worth = 1.0 - cost / np.where(self.scale > 0, self.scale, 1.0)[:, None]
        self.values: list[Floats] = []
        self.codes = np.zeros(worth.shape, dtype=np.uint8)
        for c, row in enumerate(worth):
            distinct, self.codes[c] = np.unique(row, return_inverse=True)
            self.values.append(distinct)
        self._worth = worth

    def informative(self, c: int) -> bool:
        """Whether predictions differ in worth where c is true."""
        return bool(self.scale[c] > 0)

    def beta(self, c: int, theta: Floats) -> tuple[Floats, Floats]:
        """Return (a, b) of each model's Beta distribution on class c, each (H,), from row c of theta, (H, C)."""
        return self._match(c, theta.sum(axis=1), theta @ self._worth[c], theta @ self._worth[c] ** 2)

    def beta_after(self, c: int, theta: Floats, weight: float) -> tuple[Floats, Floats]:
        """Return (a, b), each (S, H), had each model gained ``weight`` in each of the S states of class c."""
        v = self.values[c][:, None]
        total = np.broadcast_to(theta.sum(axis=1) + weight, (len(v), len(theta)))
        return self._match(c, total, theta @ self._worth[c] + weight * v, theta @ self._worth[c] ** 2 + weight * v**2)

    def _match(self, c: int, total: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        if len(self.values[c]) == 2:  # worth 0 or 1: the marginal of a Dirichlet distribution is a Beta
            return first, total - first
        mean = first / total
        variance = (second / total - mean**2) / (total + 1.0)
        concentration = mean * (1.0 - mean) / variance - 1.0
        return mean * concentration, (1.0 - mean) * concentration

    def states(self, c: int, hard: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Return the state of each model on each row where c is true, shape (rows, H), from ``hard`` (H, rows)."""
        return np.ascontiguousarray(self.codes[c][hard].T)
