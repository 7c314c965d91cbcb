"""BMDR and SPAL against ALiPy's, and their quadratic program against Clarabel and OSQP."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool
from alcore.learners import Recipe
from alcore.state import State
from alcore_strategies.combinators.inner import make
from alcore_strategies.hybrid.qp import capped

pytest.importorskip("alcore_alipy")
cvxpy = pytest.importorskip("cvxpy")

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[:110], Y[:110]
WIDE = {"gamma": 0.05}


def asked(strategy, n, trial, **params):
    start = np.random.default_rng(trial).choice(len(X), 25, replace=False)
    pool = Pool(X, "classification", (0, 1), features="raw")
    state = State(pool, make({"name": strategy, **params})[1], Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(start, Y[start], start=True)
    return set(state.query(n).tolist())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", ["CLARABEL", "OSQP"])
def test_the_program_is_solved_as_by_others(solver, weighted):
    rng = np.random.default_rng(0)
    K = np.exp(-0.05 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    q, v = rng.normal(size=len(X)) - K.mean(axis=0), rng.random(len(X)) if weighted else np.ones(len(X))
    a = cvxpy.Variable(len(X))
    problem = cvxpy.Problem(
        cvxpy.Minimize(0.5 * cvxpy.quad_form(a, cvxpy.psd_wrap(K)) + q @ a), [a >= 0, a <= 1, v @ a == 7]
    )
    problem.solve(solver=getattr(cvxpy, solver))
    own = capped(K, q, 7.0, v)
    np.testing.assert_allclose(own, a.value, atol=1e-5 if solver == "CLARABEL" else 3e-2)
    assert 0.5 * own @ K @ own + q @ own <= problem.value + 1e-9


@pytest.mark.parametrize("trial", range(3))
@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("name", ["bmdr", "spal"])
def test_what_is_published_asks_for_the_rows_that_alipy_asks_for(name, n, trial):
    alipy = asked(f"alipy.{name}", n, trial, gamma_ker=0.05, solver="clarabel")
    assert asked(f"{name}-published", n, trial, **WIDE) == alipy


@pytest.mark.parametrize("trial", range(3))
def test_one_row_of_bmdr_is_alipys_where_rows_are_far_apart(trial):
    """With the default width K is nearly I: the halved K_1 moves alpha, and leaves its largest element where it is."""
    assert asked("bmdr", 1, trial) == asked("alipy.bmdr", 1, trial, solver="clarabel")


def test_batches_are_not_alipys_where_rows_are_near_each_other():
    """Half the weight of K_1 lets the batch crowd; and the batch's own phi are left out of w."""
    differ = [asked(name, 4, 0, **WIDE) != asked(f"{name}-published", 4, 0, **WIDE) for name in ("bmdr", "spal")]
    assert any(differ)
