"""QUIRE as published results have it: the numerics of libact, which are not those of the paper."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, Labels, Pool, Rows, View
from alcore_strategies.hybrid.kernels import Kernel
from alcore_strategies.hybrid.quire import HUANG, Posterior, checked, sign


@alcore.strategy(
    "quire-published",
    summary="QUIRE with libact's inverse and score, as in published comparisons",
    learner=False,
    max_classes=2,
    batch="top",
    growth="quadratic",
    source=f"{HUANG}, in the code of libact",
    group="hybrid",
)
class QuirePublished:
    """argmin_s L_ss - det(L_uu) / L_ss + 2 |t_s|, where a stands for all unlabelled rows and u for those but s.

    Three things differ from the paper:

    - the inverse of L_aa is taken to be M = lambda I + K_aa - K_al K_la / lambda: (lambda I)^-1 where
      (lambda I + K_ll)^-1 belongs;
    - the inverse of L_uu is M_uu - m'm / M_ss, with m = M_us: an inner product, one number that is taken from every
      entry, where the outer product m m' belongs;
    - the score leaves out y_l' S y_l, S the Schur complement of L_ll, which does depend on s.

    Then t_s = (L_sl - L_su (M_uu - m'm / M_ss) L_ul) y_l. libact computes it row by row in O(u^3) for each round; here
    L_su M_uu z_u, with z = L_.l y_l, is L_sa M_aa z_a less the terms that touch s, so that a round is O(u^2).

    State: M for all rows, z, and log det(lambda I + K_ll), from which det(L_aa) = det(lambda I + K_ll) / det(L^-1).

    Parameters
    ----------
    lam : float
        lambda, the weight of the regularisation.
    kernel : "rbf", "linear" or "poly"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.
    """

    def __init__(
        self, lam: float = 1.0, kernel: str = "rbf", gamma: float = 1.0, degree: int = 3, coef0: float = 1.0
    ) -> None:
        self.lam, self.kernel = lam, checked(lam, kernel, gamma, degree, coef0)

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Invert the kernel matrix, once per pool."""
        key = ("quire-published", self.kernel, self.lam)
        self.K, self.L, logdet = pool.memo(key, lambda: _inverted(pool.features, self.kernel, self.lam))
        self.M = self.K + self.lam * np.eye(len(pool))
        self.z = np.zeros(len(pool))
        self.posterior = Posterior(pool.features, self.kernel, self.lam, memory=1 << 30)
        self.logdet_aa = -logdet

    def update(self, rows: Rows, labels: Labels) -> None:
        """Move rows from a to l."""
        self.M -= self.K[:, rows] @ (self.K[rows] / self.lam)
        for i, label in zip(rows.tolist(), labels.tolist(), strict=True):
            self.z += sign(label) * self.L[:, i]
            self.logdet_aa += float(np.log(self.posterior.add(i, sign(label))))

    def scores(self, view: View) -> Floats:
        """Return the evaluation of libact, negated, for each unlabelled row."""
        a = view.unlabeled
        L, M, z = self.L[np.ix_(a, a)], self.M[np.ix_(a, a)], self.z[a]
        Lss, Mss, Mz = L.diagonal(), M.diagonal(), M @ z
        inner = np.einsum("ij,ij->i", M, M) - Mss**2  # m'm
        LuuMz = L @ Mz - Lss * Mz - z * np.einsum("ij,ij->i", L, M) + Lss * Mss * z
        t = z - LuuMz + inner / Mss * (L.sum(axis=1) - Lss) * (z.sum() - z)
        det = np.exp(min(self.logdet_aa, 700.0))
        cost = Lss - det / Lss + 2.0 * np.abs(t)
        largest = float(np.abs(cost).max(initial=1e-300))
        scores: Floats = -np.round(cost, 11 - int(np.floor(np.log10(largest))))  # equal rows differ by rounding
        return scores

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest scores."""
        return view.top(self.scores(view), n, rounding=0)


def _inverted(X: Floats, kernel: Kernel, lam: float) -> tuple[Floats, Floats, float]:
    """Return K, L = (K + lambda I)^-1 and log det(K + lambda I)."""
    K = kernel(X, X)
    regular = K + lam * np.eye(len(X))
    return K, np.asarray(np.linalg.inv(regular), dtype=np.float64), float(np.linalg.slogdet(regular)[1])
