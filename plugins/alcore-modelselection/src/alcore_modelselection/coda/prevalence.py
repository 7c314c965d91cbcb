"""How probable each class is for each row, and in all, under the current beliefs (paper, Eq. 10)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from alcore.types import Floats, Rows
from alcore_modelselection.predictions import Predictions

Prevalence: TypeAlias = Literal["code", "paper"]
FLOOR = 1e-12


class ClassBeliefs:
    """The sums over models behind pi(c | x_i), kept up to date one label at a time.

    ``form="code"``: u_ic = sum_k sum_s theta_kcs h_ks(x_i), with the parameters as they are. ``form="paper"``:
    u_ic = sum_k sum_c' h_kc'(x_i) M_kc'c, as Eq. 10 is printed, with M the mean of the Dirichlet distribution. A label
    changes one row of theta per model, so that ``u`` changes in one column (code) or by one product (paper).
    """

    def __init__(self, predictions: Predictions, theta: Floats, form: Prevalence) -> None:
        self.predictions, self.form = predictions, form
        self.u = np.zeros((predictions.n_rows, predictions.n_classes))
        # (H, s, c) or (H, c', c): from what a model says to what it adds to each class
        weights = theta.transpose(0, 2, 1) if form == "code" else theta / theta.sum(axis=2, keepdims=True)
        self._accumulate(np.ascontiguousarray(weights))

    def _accumulate(self, weights: Floats) -> None:
        """Add sum_k h_k(x_i) @ weights_k, in blocks of rows that stay in the cache."""
        n, c = self.u.shape
        block = max(1, (1 << 16) // c)
        for start in range(0, n, block):
            part = self.u[start : start + block]
            for k in range(self.predictions.n_models):
                if self.predictions.soft is None:
                    part += weights[k][self.predictions.hard[k, start : start + block]]
                else:
                    part += self.predictions.soft[k, start : start + block].astype(np.float64) @ weights[k]

    def update(self, label: int, row: int, before: Floats, after: Floats) -> None:
        """Follow row ``label`` of theta from ``before`` to ``after``, both (H, C), changed by the label of ``row``."""
        said = self.predictions.hard[:, row].astype(np.intp)
        every = np.arange(self.predictions.n_models)
        if self.form == "code":
            step = after[every, said] - before[every, said]
            self.u[:, label] += self._votes(said, step)
            return
        change = after / after.sum(axis=1, keepdims=True) - before / before.sum(axis=1, keepdims=True)
        if self.predictions.soft is None:
            self.u += (self.predictions.hard == label).T.astype(np.float64) @ change
        else:
            for k, one in enumerate(self.predictions.soft):
                self.u += np.outer(one[:, label].astype(np.float64), change[k])

    def _votes(self, said: Rows, step: Floats) -> Floats:
        """Return sum_k step_k h_k,said_k(x_i), shape (N,)."""
        total = np.zeros(len(self.u))
        for k, j in enumerate(said):
            if self.predictions.soft is None:
                total += step[k] * (self.predictions.hard[k] == j)
            else:
                total += step[k] * self.predictions.soft[k, :, j]
        return total

    def of_rows(self, rows: Rows | slice = slice(None)) -> Floats:
        """Return pi(c | x_i) of these rows, shape (rows, C)."""
        u = self.u[rows]
        return np.asarray(u / np.maximum(u.sum(axis=1, keepdims=True), FLOOR))

    def marginal(self) -> Floats:
        """Return pi(c), shape (C,)."""
        # The mean of the rows' distributions as one product, without the (N, C) array of them.
        share = (1.0 / np.maximum(self.u.sum(axis=1), FLOOR)) @ self.u
        return np.asarray(share / share.sum())
