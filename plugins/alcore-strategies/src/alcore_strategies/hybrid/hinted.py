"""The hinted support vector machine: a classifier that is near zero at hints, solved to its optimum in two ways.

With f(x) = w'phi(x) + b it minimises ::

    1/2 |w|^2 + C_l sum_i max(0, 1 - y_i f(x_i)) + C_h sum_j max(0, |f(x_j)| - eps)

over the labelled rows i and the hints j (Li, Ferng and Lin 2015, the extended SVM).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alcore import Floats, StrategyError
from alcore_strategies.geometry import blocks
from alcore_strategies.hybrid.kernels import Kernel

ITERATIONS = 100
ROUNDING = 1e-14
PROXIMAL = 1e-10
"""Part of |x|^2 that is added to the diagonal of each step, which stays solvable where no bound is near."""
PRECOMPUTED = 2_000
"""Up to so many rows the solver gets the kernel's matrix: NumPy computes it faster than libsvm, a row at a time."""


@dataclass(frozen=True)
class Problem:
    """Rows (l, d), their signs (l,), hints (h, d), and the weights of both errors."""

    X: Floats
    y: Floats
    hints: Floats
    Cl: float
    Ch: float

    @property
    def undetermined(self) -> bool:
        """Whether b has no optimum: one class, and no hint that pulls the other way (or no row at all)."""
        return len(self.hints) == 0 and len(np.unique(self.y)) < 2


def by_interior_point(problem: Problem, at: Floats) -> Floats:
    """Return f at these rows, with the linear kernel and eps = 0.

    Mehrotra's predictor and corrector on the dual: with w = sum_i g_i x_i over rows and hints, minimise
    1/2 |w|^2 - sum_i y_i g_i subject to sum g = 0, 0 <= y_i g_i <= C_l for rows and |g_j| <= C_h for hints; b is the
    multiplier of the sum. The matrix of each step is diagonal plus Z Z', Z the rows themselves, so that a step is
    O((l + h) d^2), and the number of steps (10 to 25) hardly depends on the data.

    Parameters
    ----------
    at : (m, d)

    Returns
    -------
    Floats, shape (m,)

    Raises
    ------
    StrategyError
        If C |x|^2 is so large that double precision does not suffice.
    """
    if problem.undetermined:
        return np.zeros(len(at))
    Z = np.concatenate([problem.X, problem.hints])
    lower = np.concatenate([np.where(problem.y > 0, 0.0, -problem.Cl), np.full(len(problem.hints), -problem.Ch)])
    upper = np.concatenate([np.where(problem.y > 0, problem.Cl, 0.0), np.full(len(problem.hints), problem.Ch)])
    c = np.concatenate([-problem.y, np.zeros(len(problem.hints))])
    if Z.shape[1] > Z.shape[0]:  # more columns than rows: Z is any root of Z Z'
        values, axes = np.linalg.eigh(Z @ Z.T)
        g, b = _box_program(axes * np.sqrt(np.maximum(values, 0.0)), c, lower, upper)
    else:
        g, b = _box_program(Z, c, lower, upper)
    f: Floats = at @ (Z.T @ g) + b
    return f


def _box_program(Z: Floats, c: Floats, lower: Floats, upper: Floats) -> tuple[Floats, float]:
    """Minimise 1/2 |Z'g|^2 + c'g subject to sum g = 0 and lower <= g <= upper; return g and the multiplier of the sum.

    Slacks s = g - lower and t = upper - g have multipliers u and v. They are carried along, not computed from g, which
    would leave no digits near a bound. At the end each slack, relative to the room there is, or its multiplier is 0.

    Raises
    ------
    StrategyError
        If it does not get there.
    """
    width, size = upper - lower, np.abs(Z).max(axis=0, initial=0.0)
    mean = 1.0 + float(np.einsum("ij,ij->i", Z, Z).mean())
    room = np.minimum(width, 1.0 / mean)  # 1 / |x|^2 is the size of a multiplier that no bound stops
    s = np.where(c > 0, width - 0.5 * room, np.where(c < 0, 0.5 * room, 0.5 * width))  # labels near 0, hints at 0
    g, t, b = lower + s, width - s, 0.0
    u = v = np.full(len(g), 1.0 + float(np.abs(Z @ (Z.T @ g)).max()))
    for _ in range(ITERATIONS):
        w = Z.T @ g
        dual, primal = Z @ w + c + b - u + v, float(g.sum())
        apart = max(float(np.minimum(s / room, u).max()), float(np.minimum(t / room, v).max()))
        used = np.abs(g)
        digits = 1e-9 + ROUNDING * float(size @ (used @ np.abs(Z))), 1e-9 * room.sum() + ROUNDING * float(used.sum())
        if apart < 1e-8 and np.abs(dual).max() < digits[0] and abs(primal) < digits[1]:
            return g, b
        D = u / s + v / t + PROXIMAL * mean
        step = _newton(Z, D)
        gap = float(s @ u + t @ v)
        dg, db = step(-dual - u + v, -primal)  # towards the optimum (affine)
        du, dv = -u - u / s * dg, -v + v / t * dg
        reach = _reach(s, t, u, v, dg, du, dv)
        after = float((s + reach * dg) @ (u + reach * du) + (t - reach * dg) @ (v + reach * dv))
        centre = gap / (2 * len(g)) * (after / gap) ** 3
        su, tv = s * u + dg * du - centre, t * v - dg * dv - centre
        dg, db = step(-dual - su / s + tv / t, -primal)  # corrected
        du, dv = (-su - u * dg) / s, (-tv + v * dg) / t
        reach = min(1.0, 0.995 * _reach(s, t, u, v, dg, du, dv))
        g, s, t, b = g + reach * dg, s + reach * dg, t - reach * dg, b + reach * db
        u, v = u + reach * du, v + reach * dv
    raise StrategyError(
        f"the interior-point method is {apart:.1e} from the optimum after {ITERATIONS} steps, for want of digits: "
        f"features up to {size.max():.1e}, weights from {width.min():.1e} to {width.max():.1e}. Standardise the "
        "features, or take smaller weights."
    )


def _newton(Z: Floats, D: Floats) -> Callable[[Floats, float], tuple[Floats, float]]:
    """Return the solver of (Z Z' + D) x + 1 beta = r, 1'x = p.

    With w = Z'x it is x = (r - Z w - beta) / D, which keeps digits where D is small, and d + 1 equations for w, beta.
    """
    from scipy.linalg import cho_factor, cho_solve

    A = np.column_stack([Z, np.ones(len(Z))])
    M = A.T @ (A / D[:, None])
    M[np.diag_indices(Z.shape[1])] += 1.0
    factor = cho_factor(M, lower=True, overwrite_a=True, check_finite=False)

    def solve(r: Floats, p: float) -> tuple[Floats, float]:
        right = A.T @ (r / D)
        right[-1] -= p
        w = cho_solve(factor, right, check_finite=False)
        return (r - A @ w) / D, float(w[-1])

    return solve


def _reach(s: Floats, t: Floats, u: Floats, v: Floats, dg: Floats, du: Floats, dv: Floats) -> float:
    """Return the part of a step, at most 1, after which the first slack or multiplier is 0."""
    falls = max(float((-dg / s).max()), float((dg / t).max()), float((-du / u).max()), float((-dv / v).max()))
    return 1.0 if falls <= 1.0 else 1.0 / falls


def by_smo(problem: Problem, at: Floats, kernel: Kernel, *, eps: float, tol: float) -> Floats:
    """Return f at these rows, by libsvm's sequential minimal optimisation in scikit-learn's support vector regression.

    Regression on targets z with a tube of half-width E has the dual variables of both errors, a+ with linear term
    E - z and a- with E + z. For E large, z = y (E + 1) makes them the hinge of a label (a- = 0), and a hint that is
    there twice, with z = E - eps and z = -(E - eps), has one of |f| - eps in each. E is large enough if and only if
    no variable of the far side is in use, which is checked.

    Parameters
    ----------
    at : (m, d)
    eps : float
        Half-width of the tube around 0 in which a hint costs nothing.
    tol : float
        Violation of the optimality conditions at which the solver stops.
    """
    if problem.undetermined:
        return np.zeros(len(at))
    from sklearn.svm import SVR

    Z = np.concatenate([problem.X, problem.hints])
    n, h = len(Z), len(problem.hints)
    twice = np.concatenate([np.arange(n), np.arange(n - h, n)])  # rows, hints, and hints again
    small = len(twice) <= PRECOMPUTED
    given = kernel(Z, Z)[np.ix_(twice, twice)] if small else Z[twice]
    weight = np.concatenate([np.ones(n - h), np.full(2 * h, problem.Ch / problem.Cl)])
    E = 16.0
    while True:
        z = np.concatenate([problem.y * (E + 1.0), np.full(h, E - eps), np.full(h, eps - E)])
        svr = SVR(
            kernel="precomputed" if small else kernel.kind, gamma=kernel.gamma, degree=kernel.degree,
            coef0=kernel.coef0, C=problem.Cl, epsilon=E, tol=tol, cache_size=200,
        )  # fmt: skip
        svr.random_state = 0  # or it draws one from NumPy's global state, and has no use for it
        svr.fit(given, z, weight)
        if (svr.dual_coef_[0] * np.sign(z[svr.support_]) >= 0).all():
            g = np.bincount(twice[svr.support_], weights=svr.dual_coef_[0], minlength=n)
            used = np.flatnonzero(g)
            f = np.full(len(at), float(svr.intercept_[0]))
            for part in blocks(len(at), width=2 * len(used)):
                f[part] += kernel(at[part], Z[used]) @ g[used]
            return f
        E *= 4.0
