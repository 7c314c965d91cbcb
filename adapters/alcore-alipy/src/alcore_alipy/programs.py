"""BMDR and SPAL: a batch as the solution of quadratic programs, alternating with a kernel classifier.

The library asks for the solver ECOS, which cvxpy no longer brings; here the programs go to OSQP or Clarabel. All of it
stays the library's own: what is exchanged is how cvxpy is asked, and who chooses between equal weights.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from alcore import Floats, InputError, Rows, StrategyError, UnavailableError, View
from alcore_alipy.library import calling, filled, load, prepared, rebound, shared

LABELS = load("query_strategy.query_labels")
SOLVERS = ("osqp", "clarabel")


class Programmed:
    """Either strategy. The kernel matrix is made once per pool.

    Parameters
    ----------
    kind : "bmdr" or "spal"
    solver : "osqp" or "clarabel"
    parameters : of the library's constructor
    """

    def __init__(self, kind: str, solver: str, **parameters: Any) -> None:
        if solver not in SOLVERS:
            raise InputError(f"alipy.{kind}: solver is {solver!r}; use {' or '.join(map(repr, SOLVERS))}.")
        if importlib.util.find_spec(solver) is None:
            raise UnavailableError(f"alipy.{kind}: the solver {solver!r} is not installed: pip install {solver}")
        self.kind = kind
        self.name = f"alipy.{kind}"
        self.solver = solver
        self.parameters = parameters

    def query(self, view: View, n: int) -> Rows:
        """Return the batch."""
        if n == 0:
            return view.unlabeled[:0]
        library = {"bmdr": LABELS.QueryInstanceBMDR, "spal": LABELS.QueryInstanceSPAL}[self.kind]
        features = view.pool.features
        with calling():
            query = prepared(
                view,
                (self.kind, *self.parameters.items()),
                lambda: library(features, np.where(np.arange(len(features)) % 2, -1, 1), **self.parameters),
            )
            query.y = 1 - 2 * filled(view, self.name)  # the library's coding: +1 for the first class, -1 for the second
            query._cvxpy = _cvxpy(self.solver, self.name)
            select = rebound(library.select, nlargestarg=_largest(view, self.name), sum=query._cvxpy.sum)
            picked = select(query, view.labeled, view.unlabeled, batch_size=int(n))
        return np.asarray(picked, dtype=np.intp)


def bmdr(
    beta: float = 1000.0, gamma: float = 0.1, rho: float = 1.0, kernel: str = "rbf", gamma_ker: float = 1.0,
    degree: int = 3, coef0: float = 1.0, solver: str = "osqp",
) -> Programmed:  # fmt: skip
    """Discriminative and representative batches; the parameters are the library's, and ``solver``."""
    return Programmed(
        "bmdr", solver, beta=beta, gamma=gamma, rho=rho, kernel=kernel, gamma_ker=gamma_ker, degree=degree, coef0=coef0
    )


def spal(
    mu: float = 0.1, gamma: float = 0.1, rho: float = 1.0, lambda_init: float = 0.1, kernel: str = "rbf",
    gamma_ker: float = 1.0, degree: int = 3, coef0: float = 1.0, solver: str = "osqp",
) -> Programmed:  # fmt: skip
    """Self-paced batches; the parameters are the library's, less ``lambda_pace``, which it never uses."""
    return Programmed(
        "spal", solver, mu=mu, gamma=gamma, rho=rho, lambda_init=lambda_init, kernel=kernel, gamma_ker=gamma_ker,
        degree=degree, coef0=coef0,
    )  # fmt: skip


def _largest(view: View, who: str) -> Callable[[Any, int], Rows]:
    """Return the library's ``nlargestarg`` with ties in an order that stays the same throughout the query."""
    m = len(view.unlabeled)
    preference = view.rng.permutation(m) if view.ties == "random" else -np.arange(m)

    def largest(a: Any, n: int) -> Rows:
        values = np.asarray(a, dtype=np.float64)
        if values.shape != (m,) or np.isnan(values).any():
            raise StrategyError(
                f"{who}: the quadratic program has no solution that is a number. Use the other solver, "
                'features = "standard", or another kernel width.'
            )
        return np.lexsort((preference, shared(view, values)))[m - n :]

    return largest


def _cvxpy(solver: str, who: str) -> Any:
    """Return what the library sees as cvxpy."""
    cvxpy: Any = importlib.import_module("cvxpy")
    chosen = {"osqp": cvxpy.OSQP, "clarabel": cvxpy.CLARABEL}[solver]

    class Problem:
        def __init__(self, objective: Any, constraints: Any) -> None:
            self.problem = cvxpy.Problem(objective, constraints)

        def solve(self, **_ignored: Any) -> float:
            # A Python float: the library takes NumPy's, which cvxpy returns now, for a failure.
            try:
                return float(self.problem.solve(solver=chosen))
            except cvxpy.error.SolverError as error:
                raise StrategyError(f"{who}: {solver} failed: {error}") from error

    def quad_form(x: Any, P: Floats) -> Any:
        # A kernel matrix is positive semidefinite; rounding may say otherwise, and to prove it costs O(u^3).
        return cvxpy.quad_form(x, cvxpy.psd_wrap(P))

    return SimpleNamespace(
        Variable=cvxpy.Variable, Minimize=cvxpy.Minimize, Problem=Problem, quad_form=quad_form, error=cvxpy.error,
        OSQP=chosen, ECOS=chosen, sum=cvxpy.sum,
    )  # fmt: skip
