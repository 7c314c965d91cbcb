"""The published algorithm term by term, without any shortcut: what the fast form is checked and timed against."""

from __future__ import annotations

import numpy as np

from alcore.types import Floats, Mask
from alcore_modelselection.coda.gain import entropy_bits
from alcore_modelselection.coda.prior import dirichlet
from alcore_modelselection.coda.quadrature import Grid
from alcore_modelselection.predictions import Predictions


class DenseCoda:
    """CODA as its code computes it: a (rows, classes, models, points) table of Beta densities at every step.

    Accuracy and the published settings only. One query costs B C H P evaluations of the Beta density, with B
    candidates, C classes, H models and P points.
    """

    def __init__(self, predictions: Predictions, *, eta: float = 0.01, points: int = 256, chunk: int = 100) -> None:
        self.hard, self.eta, self.chunk = predictions.hard.astype(np.intp), eta, chunk
        if predictions.soft is None:
            self.probabilities: Floats = np.eye(predictions.n_classes)[self.hard]
        else:
            self.probabilities = predictions.soft.astype(np.float64)
        self.theta = dirichlet(
            predictions, prior="consensus+diagonal", alpha=0.1, temperature=0.5, confusion_form="normalised"
        )
        self.grid = Grid(points)
        self.split = predictions.split

    def class_of_rows(self) -> Floats:
        """Return pi(c | x_i), shape (N, C)."""
        u = np.zeros(self.probabilities.shape[1:])
        for theta, said in zip(self.theta, self.probabilities, strict=True):
            u += said @ theta.T
        return np.asarray(u / np.maximum(u.sum(axis=1, keepdims=True), 1e-12))

    def _best(self, a: Floats, b: Floats) -> Floats:
        """Return the share of each model, shape (..., H), for a and b of shape (..., H)."""
        pdf, cdf = self.grid.tabulate(a, b)
        log_cdf = np.log(np.maximum(cdf, 1e-30))
        others = np.clip(log_cdf.sum(axis=-2, keepdims=True) - log_cdf, -80, 80)
        share = (pdf * np.exp(others) * self.grid.weights).sum(axis=-1)
        return np.asarray(share / np.maximum(share.sum(axis=-1, keepdims=True), 1e-30))

    def _by_class(self) -> tuple[Floats, Floats, Floats]:
        a = np.einsum("kcc->ck", self.theta)
        b = self.theta.sum(axis=2).T - a
        return a, b, self._best(a, b)

    def p_best(self) -> Floats:
        """Return P(best), shape (H,)."""
        pi = self.class_of_rows().sum(axis=0)
        return np.asarray((pi / pi.sum()) @ self._by_class()[2])

    def gains(self, unlabeled: Mask) -> Floats:
        """Return the information gain of each row in bits, shape (N,); -inf where it is no candidate."""
        a, b, now = self._by_class()
        pi_rows = self.class_of_rows()
        pi = pi_rows.sum(axis=0) / pi_rows.sum()
        present = pi @ now
        rows = np.flatnonzero(unlabeled & self.split)
        out = np.full(len(unlabeled), -np.inf)
        for start in range(0, len(rows), self.chunk):
            part = rows[start : start + self.chunk]
            hit = self.hard[:, part].T[:, None, :] == np.arange(len(a))[:, None]  # (B, C, H)
            after = self._best(a + hit, b + ~hit)
            changed = present + pi[:, None] * (after - now)
            out[part] = entropy_bits(present) - (pi_rows[part] * entropy_bits(changed)).sum(axis=1)
        return out

    def update(self, row: int, label: int) -> None:
        """Add eta to the cells of the label."""
        self.theta[np.arange(len(self.theta)), label, self.hard[:, row]] += self.eta
