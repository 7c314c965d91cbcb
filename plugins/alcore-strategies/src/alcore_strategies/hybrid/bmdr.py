"""BMDR: a batch on which the worst labels cost least, and with which the labelled rows look most like the others."""

from __future__ import annotations

from sys import maxsize

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore.select import top
from alcore_strategies.checks import LARGEST
from alcore_strategies.hybrid.kernels import Kernel
from alcore_strategies.hybrid.qp import capped
from alcore_strategies.hybrid.quire import Posterior, checked, sign

WANG = (
    "Wang and Ye, Querying Discriminative and Representative Samples for Batch Mode Active Learning "
    "(KDD 2013; ACM TKDD 9(3), 2015)"
)
ALTERNATIONS = 15
SOLVED = 1e-7
"""Of the largest weight: what the solver leaves open, and with it the processor."""


class Alternating:
    """What BMDR, SPAL and their published forms share: the classifier f = w'phi(x), and the kernel matrix.

    State: the Gaussian process whose mean is kernel ridge regression on the labelled rows, O(n (l + d)) per label.

    Parameters
    ----------
    beta : float
        Weight of the representative term.
    lam : float
        Weight of ||w||^2.
    kernel : Kernel
    rho : float or None
        ADMM's step, for the published form: it halves K_1, leaves the rows of the batch out of w, and w inexact. None
        for the right one.
    """

    def __init__(self, beta: float, lam: float, kernel: Kernel, rho: float | None = None) -> None:
        self.beta, self.lam, self.kernel = beta, lam, kernel
        self.rho = None if rho is None else positive("rho", rho)

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Begin without a label: f = 0."""
        self.pool = pool
        self.ridge = Posterior(pool.features, self.kernel, self.lam, maxsize)
        self.inverse: Floats | None = None

    def update(self, rows: Rows, labels: Labels) -> None:
        """Take in the new labels."""
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
            self.ridge.add(row, sign(label))
        self.inverse = None

    @property
    def K(self) -> Floats:
        """The kernel matrix of the pool (n, n), one for all runs on it."""
        X = self.pool.features
        return self.pool.memo(("kernel matrix", self.kernel), lambda: self.kernel(X, X))

    def covariance(self, rows: Rows, others: Rows) -> Floats:
        """Return how far f(rows) moves by a unit force on f(others): w adds a multiple of phi(others) to the ridge's.

        That is the posterior covariance over lambda. Published is a w of the labelled rows' phi alone, which can only
        move by what these span: K_.l (K_ll K_ll + lambda K_ll)^+ K_l. instead.
        """
        done = len(self.ridge.rows)
        if self.rho is not None:
            L = np.array(self.ridge.rows, dtype=np.intp)
            if self.inverse is None:
                K_ll = self.K[np.ix_(L, L)]
                self.inverse = np.asarray(np.linalg.pinv(K_ll @ K_ll + self.lam * K_ll, hermitian=True))
            inverse: Floats = self.inverse
            return self.K[np.ix_(rows, L)] @ inverse @ self.K[np.ix_(L, others)]
        R = self.ridge.R[:done] if self.ridge.R is not None else np.empty((0, len(self.pool)))
        return (self.K[np.ix_(rows, others)] - R[:, rows].T @ R[:, others]) / self.lam


class Round:
    """One query: K_uu, the linear term k, and the current w and alpha."""

    def __init__(self, strategy: Alternating, view: View, n: int) -> None:
        # Rows that are out for labelling are among those that the batch should complete, though not in f.
        U, L = view.unlabeled, np.concatenate([view.labeled, view.pending])
        u, l = len(U), len(L)  # noqa: E741 - the paper's
        self.strategy, self.U, self.n = strategy, U, n
        K_uu, K_lu = strategy.K[np.ix_(U, U)], strategy.K[np.ix_(L, U)]
        # k of eq. (1): what draws the batch from labelled rows and to unlabelled ones
        self.k = ((u - n) * K_lu.sum(axis=0) - (l + n) * K_uu.sum(axis=0)) / (u + l)
        self.P = K_uu if strategy.rho is None else 0.5 * K_uu
        self.f = strategy.ridge.f[U]
        self.alpha: Floats | None = None
        self.alike = view.pool.memo(("rows that are alike",), lambda: alike(view.pool.features))[U]
        # Equal alphas in one order throughout the query: drawn anew each time, the batch would never stay the same.
        self.exact = strategy.rho is not None or view.ties == "exact"  # as published
        self.order = view.rng.permutation(u) if view.ties == "random" else -np.arange(u)

    @property
    def risk(self) -> Floats:
        """Of the label that f likes least, less its constant: max_y (y - f)^2 - 1 = f^2 + 2 |f|."""
        return self.f**2 + 2.0 * np.abs(self.f)

    def choose(self) -> Rows:
        """Return the positions of the n largest alphas of the best alpha for this f."""
        self.alpha = capped(self.P, self.k + self.risk / self.strategy.beta, self.n, start=self.alpha)
        return self.largest(self.alpha)

    def shared(self, weights: Floats) -> Floats:
        """Return weights that rows that are the same share: their mean, which is as good a solution, and only one."""
        _, kind, count = np.unique(self.alike, return_inverse=True, return_counts=True)
        means: Floats = np.bincount(kind, weights) / count
        return means[kind]

    def largest(self, weights: Floats) -> Rows:
        """Return the positions of the n largest weights, which are equal where the solver cannot tell them apart."""
        shared = self.shared(weights)
        if self.exact:
            return np.lexsort((self.order, np.round(shared, 8)))[::-1][: self.n]
        ranked = np.argsort(-self.order)
        return ranked[top(shared[ranked], self.n, ties="first", rounding=SOLVED)]

    def fit(self, Q: Rows, weights: Floats | None = None) -> None:
        """Let f be the best one for the labelled rows and these positions, with their weights."""
        rows = self.U[Q]
        weights = np.ones(len(rows)) if weights is None else weights
        m, S, rho = self.strategy.ridge.f, self.strategy.covariance(rows, rows), self.strategy.rho
        r = forces(m[rows], S, weights) if rho is None else admm(m[rows], S, weights, rho, self.f[Q])
        self.f = m[self.U] + self.strategy.covariance(self.U, rows) @ r


def forces(m: Floats, S: Floats, c: Floats) -> Floats:
    """Return r such that f = m + S r minimises (f - m)' S^-1 (f - m) + sum_i c_i (f_i^2 + 2 |f_i|).

    Where s is a subgradient of |f|, S^-1 (f - m) + C (f + s) = 0. So f = (I + S C)^-1 (m - S C s) and r = -C (f + s),
    and the best s solves the dual, a quadratic program in a box: min 1/2 s'Ps - h's over -1 <= s <= 1, with
    P = C (I + S C)^-1 S C and h = C (I + S C)^-1 m.

    Parameters
    ----------
    m, c : arrays of shape (q,)
        The minimiser without the sum, and the weights >= 0 of the sum.
    S : array of shape (q, q)
        Symmetric, positive semidefinite; never inverted.
    """
    T = np.linalg.inv(np.eye(len(m)) + S * c)
    P, h = c[:, None] * (T @ S) * c, c * (T @ m)
    s = 2.0 * capped(4.0 * (P + P.T) / 2.0, -2.0 * (P.sum(axis=1) + h), None) - 1.0 if len(m) else m
    return -c * (T @ (m - S @ (c * s)) + s)


def admm(m: Floats, S: Floats, c: Floats, rho: float, z: Floats, most: int = 1000) -> Floats:
    """Return what ``forces`` does, less exactly, as published: by ADMM with f = z as constraint, begun at z.

    f is a linear system, z a soft threshold; it ends at residuals of 1 % (Boyd et al. 2011, section 3.3).
    """
    absolute, relative = 1e-4, 1e-2
    dual, r = np.zeros(len(m)), np.zeros(len(m))
    system = np.linalg.inv(np.eye(len(m)) + 0.5 * rho * S)
    for _ in range(most):
        f = system @ (m + 0.5 * S @ (dual + rho * z))
        r = 0.5 * (dual + rho * (z - f))
        v, before = rho * f - dual, z
        z = np.sign(v) * np.maximum(np.abs(v) - 2.0 * c, 0.0) / (rho + 2.0 * c)
        dual = dual + rho * (z - f)
        root = np.sqrt(len(m)) * absolute
        primal_small = np.linalg.norm(f - z) < root + relative * max(np.linalg.norm(z), np.linalg.norm(f))
        if primal_small and rho * np.linalg.norm(z - before) < root + relative * np.linalg.norm(dual):
            break
    return r


def alike(features: Floats) -> Rows:
    """Return a number for each row, which rows that are the same have in common."""
    return np.unique(features, axis=0, return_inverse=True)[1].reshape(-1)


def positive(name: str, value: float) -> float:
    """Return the value of a parameter, or raise InputError."""
    if not 0 < value <= LARGEST:
        raise InputError(f"{name} is {value!r}; give a positive number, {LARGEST:.0e} at most.")
    return value


@alcore.strategy(
    "bmdr",
    summary="A batch of which the worst labels cost least, and that makes the labelled rows look like the pool",
    revision=2,
    learner=False,
    max_classes=2,
    growth="cubic",
    source=WANG,
    group="hybrid",
)
class Bmdr(Alternating):
    """min over w and alpha of the bound of the risk after the batch.

    ::

        sum_l (y_i - f_i)^2 + lambda ||w||^2 + sum_u alpha_j (f_j^2 + 2 |f_j|) + beta (alpha' K_1 alpha + k'alpha)

    with f = w'phi, K_1 = K_uu / 2, 0 <= alpha <= 1 and sum alpha = b. In turns: alpha by a quadratic program, and w
    with alpha 1 for the b largest and 0 for the others, until the batch stays the same.

    Parameters
    ----------
    beta : float
        Weight of the maximum mean discrepancy between labelled and other rows.
    lam : float
        lambda, the weight of the regularisation.
    kernel : "rbf", "linear" or "poly"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.
    """

    def __init__(
        self,
        beta: float = 1000.0,
        lam: float = 0.1,
        kernel: str = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        super().__init__(positive("beta", beta), lam, checked(lam, kernel, gamma, degree, coef0))

    def query(self, view: View, n: int) -> Rows:
        """Alternate between alpha and w until the n rows of the largest alpha stay the same."""
        if n in (0, len(view.unlabeled)):
            return view.unlabeled[:n]
        round_ = Round(self, view, n)
        chosen: set[int] = set()
        for _ in range(ALTERNATIONS + 1):
            Q = round_.choose()
            if chosen == set(Q.tolist()):
                break
            chosen = set(Q.tolist())
            round_.fit(Q)
        return view.unlabeled[Q]


@alcore.strategy(
    "bmdr-published",
    summary="BMDR as the benchmark ran it: half the weight of K_1, and a w of labelled rows only",
    learner=False,
    max_classes=2,
    growth="cubic",
    source=WANG,
    group="hybrid",
)
class BmdrPublished(Bmdr):
    """ALiPy's BMDR, which the benchmark's tables were made with.

    It takes alpha'K_uu alpha / 4 for alpha'K_1 alpha, leaves the batch's own phi out of w, and ends ADMM at residuals
    of 1 %. Parameters as ``Bmdr``, and ``rho``, ADMM's step.
    """

    def __init__(
        self,
        beta: float = 1000.0,
        lam: float = 0.1,
        rho: float = 1.0,
        kernel: str = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        kernels = checked(lam, kernel, gamma, degree, coef0)
        Alternating.__init__(self, positive("beta", beta), lam, kernels, rho)
