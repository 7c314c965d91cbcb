"""QUIRE: the row whose worst label costs the large-margin criterion over all rows, labelled or not, least."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore_strategies.checks import LARGEST
from alcore_strategies.geometry import blocks
from alcore_strategies.hybrid.kernels import Kernel

HUANG = (
    "Huang, Jin and Zhou, Active Learning by Querying Informative and Representative Examples "
    "(NIPS 2010; IEEE TPAMI 36(10), 2014)"
)


class Posterior:
    """The Gaussian process with kernel k and noise lambda, given the labels so far, at every row of X.

    Kept up to date by one step per label. With R'R = K_.l (K_ll + lambda I)^-1 K_l., whose rows grow with the labels
    (a partial Cholesky factor, never an n x n matrix), the posterior covariance of row i with all is
    c = k_i. - R_.i' R, and a label y of row i gives ::

        s = c_i + lambda,   f += c (y - f_i) / s,   v -= c^2 / s,   R gets the row c / sqrt(s).

    O(n (l + d)) per label. Where R would take more than ``memory`` bytes it is dropped, and c is computed from K_.l in
    blocks: O(n l d) per label, and no more memory than (K_ll + lambda I)'s own factor.

    Attributes
    ----------
    f : Floats, shape (n,)
        The posterior mean f(x).
    v : Floats, shape (n,)
        The posterior variance of a label, noise included: never below lambda.
    """

    def __init__(self, X: Floats, kernel: Kernel, lam: float, memory: int) -> None:
        self.X, self.kernel, self.lam, self.memory = X, kernel, lam, memory
        self.f = np.zeros(len(X))
        self.v = kernel.diagonal(X) + lam
        self.rows: list[int] = []
        self.R: Floats | None = np.empty((0, len(X)))
        self.chol: Floats = np.empty((0, 0))

    def add(self, i: int, y: float) -> float:
        """Take in the label y of row i, and return s, the variance that it was given with before."""
        c = self._covariance(i)
        s = max(float(c[i]) + self.lam, self.lam)
        self.f += c * ((y - self.f[i]) / s)
        self.v = np.maximum(self.v - c * c / s, self.lam)
        self._keep(i, c / np.sqrt(s))
        return s

    def _covariance(self, i: int) -> Floats:
        k, done = self.kernel.row(self.X, i), len(self.rows)
        if self.R is not None:
            k -= self.R[:done, i] @ self.R[:done]
            return k
        from scipy.linalg import cho_solve

        weights = cho_solve((self.chol, True), k[self.rows])
        for part in blocks(len(k), width=2 * done):
            k[part] -= self.kernel(self.X[part], self.X[self.rows]) @ weights
        return k

    def _keep(self, i: int, row: Floats) -> None:
        done = len(self.rows)
        self.rows.append(i)
        if self.R is not None and 8 * row.size * (done + 1) <= self.memory:
            if done == len(self.R):  # room for twice as many, so that growing costs little
                room = min(2 * done + 16, max(self.memory // (8 * row.size), done + 1))
                self.R = np.concatenate([self.R, np.empty((room - done, row.size))])
            self.R[done] = row
            return
        self.R = None
        labeled = self.X[self.rows]
        self.chol = np.asarray(np.linalg.cholesky(self.kernel(labeled, labeled) + self.lam * np.eye(done + 1)))


def checked(lam: float, kernel: str, gamma: float, degree: int, coef0: float) -> Kernel:
    """Return the kernel, or raise InputError where it or lambda is out of range."""
    if not 0 < lam <= LARGEST:
        raise InputError(f"lam is {lam!r}; give a positive number, {LARGEST:.0e} at most.")
    return Kernel(kernel, gamma, degree, coef0)


def sign(label: int) -> float:
    """Return -1 for code 0 and +1 for code 1."""
    return 1.0 if label else -1.0


@alcore.strategy(
    "quire",
    summary="The row that a min-max over its label and all others finds informative and representative",
    revision=2,
    learner=False,
    max_classes=2,
    batch="top",
    source=HUANG,
    group="hybrid",
)
class Quire:
    """argmin_s (1 + |f_s|)^2 / v_s: small |f| is informative, large v representative.

    With L = (K + lambda I)^-1 the paper asks (eq. 7) argmin_s max_{y_s} min_{y_u} y'Ly over the labels y_u of the other
    unlabelled rows, relaxed to real numbers. The inner minimum is a Schur complement, y_r' (K_rr + lambda I)^-1 y_r
    with r the labelled rows and s; the block inverse at s makes it y_l' (K_ll + lambda I)^-1 y_l + (y_s - f_s)^2 / v_s,
    whose first term is the same for all s.

    Parameters
    ----------
    lam : float
        lambda, the weight of the regularisation.
    kernel : "rbf", "linear" or "poly"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.
    memory : int
        Bytes that the factor of the covariance (labels x rows) may take; beyond them it is computed again each round.
    """

    def __init__(
        self,
        lam: float = 1.0,
        kernel: str = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 1.0,
        memory: int = 1 << 30,
    ) -> None:
        self.lam, self.kernel, self.memory = lam, checked(lam, kernel, gamma, degree, coef0), memory
        if memory < 0:
            raise InputError(f"memory is {memory!r} bytes; give 0 or more.")

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Begin from the prior: f = 0, v = k(x, x) + lambda."""
        self.posterior = Posterior(pool.features, self.kernel, self.lam, self.memory)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Condition on the new labels."""
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
            self.posterior.add(row, sign(label))

    def scores(self, view: View) -> Floats:
        """Return -(1 + |f|)^2 / v."""
        f, v = self.posterior.f[view.unlabeled], self.posterior.v[view.unlabeled]
        cost: Floats = -((1.0 + np.abs(f)) ** 2) / v
        return cost

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest scores."""
        return view.top(self.scores(view), n)
