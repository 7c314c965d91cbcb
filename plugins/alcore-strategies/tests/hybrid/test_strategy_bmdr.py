"""BMDR, SPAL's quadratic program and classifier: against general solvers, and the formulas written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.state import State
from alcore_strategies.hybrid.bmdr import Bmdr, BmdrPublished, forces
from alcore_strategies.hybrid.qp import capped, onto_slice


def program(u, seed, *, rank=None):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(u, rank or u))
    return A @ A.T, 3 * rng.normal(size=u), rng.random(u) * (rng.random(u) < 0.8)


def by_slsqp(P, q, b, v):
    """The program by a general solver, its objective and its tolerance."""
    rules = [] if b is None else [{"type": "eq", "fun": lambda a: v @ a - b, "jac": lambda a: v}]
    start = np.full(len(q), 0.5 if b is None else min(1.0, b / v.sum()))
    found = minimize(
        lambda a: 0.5 * a @ P @ a + q @ a,
        start,
        jac=lambda a: P @ a + q,
        bounds=[(0, 1)] * len(q),
        constraints=rules,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return found.x


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("b", [None, 1.0, 3.0])
def test_the_program_is_solved(seed, weighted, b):
    P, q, weights = program(14, seed)
    v = weights if weighted else np.ones(14)
    a = capped(P, q, b, v)
    assert (a >= 0).all()
    assert (a <= 1).all()
    assert b is None or v @ a == pytest.approx(b, abs=1e-10)
    np.testing.assert_allclose(a, by_slsqp(P, q, b, v), atol=1e-5)


def test_a_singular_program_is_solved_as_well_as_any():
    P, q, _ = program(30, 0, rank=4)
    a, b = capped(P, q, 5.0), by_slsqp(P, q, 5.0, np.ones(30))
    assert 0.5 * a @ P @ a + q @ a <= 0.5 * b @ P @ b + q @ b + 1e-7


def test_a_linear_program_is_solved_too():
    """As that of a row of zeros under the linear kernel, whose matrix is 0."""
    assert capped(np.zeros((3, 3)), np.array([2.0, -1.0, 0.5]), 1.0).tolist() == [0.0, 1.0, 0.0]
    assert capped(np.zeros((2, 2)), np.array([2.0, -1.0]), None).tolist() == [0.0, 1.0]
    assert np.isfinite(capped(np.zeros((2, 2)), np.zeros(2), 1.0)).all()


def test_where_it_begins_does_not_matter():
    P, q, v = program(25, 1)
    start = onto_slice(np.random.default_rng(0).random(25), v, 4.0)
    np.testing.assert_allclose(capped(P, q, 4.0, v, start), capped(P, q, 4.0, v), atol=1e-7)


def test_a_program_whose_equation_has_no_weight_is_one_without():
    P, q, _ = program(10, 2)
    np.testing.assert_allclose(capped(P, q, 0.0, np.zeros(10)), capped(P, q, None), atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_point_of_a_slice(seed):
    rng = np.random.default_rng(seed)
    x, v = 2 * rng.normal(size=9), rng.random(9) * (np.arange(9) > 1)
    b = 0.4 * v.sum()
    np.testing.assert_allclose(onto_slice(x, v, b), by_slsqp(np.eye(9), -x, b, v), atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_classifier_under_the_worst_labels(seed):
    """f = m + S r is at the bottom of (f - m)' S^-1 (f - m) + sum c (f^2 + 2 |f|): no direction leads down."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    S, m, c = A @ A.T + 0.1 * np.eye(6), 2 * rng.normal(size=6), rng.random(6) * (np.arange(6) > 0)

    def cost(f):
        return (f - m) @ np.linalg.solve(S, f - m) + c @ (f**2 + 2 * np.abs(f))

    f = m + S @ forces(m, S, c)
    for scale in (1e-1, 1e-3, 1e-5):
        for step in scale * rng.normal(size=(100, 6)):
            assert cost(f + step) >= cost(f) - 1e-12


def written_out(K, L, y, U, b, *, beta, lam, alternations=16):
    """Equation (1) alternately: w by minimisation over its coefficients at all rows, alpha by a general solver."""
    n_l, u = len(L), len(U)
    k = (u - b) / (n_l + u) * K[L][:, U].sum(axis=0) - (n_l + b) / (n_l + u) * K[U][:, U].sum(axis=0)
    f = K[U][:, L] @ np.linalg.solve(K[np.ix_(L, L)] + lam * np.eye(n_l), y)
    chosen = None
    for _ in range(alternations):
        risk = f**2 + 2 * np.abs(f)
        alpha = by_slsqp(beta * K[np.ix_(U, U)], beta * k + risk, b, np.ones(u))
        Q = np.argsort(-alpha, kind="stable")[:b]
        if chosen == set(Q):
            break
        chosen = set(Q)
        # |f_j| <= t_j makes the problem smooth: variables are the coefficients of f at L and Q, and t
        rows = np.concatenate([L, U[Q]])
        G = K[np.ix_(rows, rows)]

        def cost(x, G=G, n_l=n_l):
            f = G @ x[: len(G)]
            return ((y - f[:n_l]) ** 2).sum() + lam * x[: len(G)] @ f + (f[n_l:] ** 2).sum() + 2 * x[len(G) :].sum()

        sides = [
            {"type": "ineq", "fun": lambda x, s=s, G=G, n_l=n_l: x[len(G) :] - s * (G @ x[: len(G)])[n_l:]}
            for s in (-1, 1)
        ]
        x = minimize(
            cost,
            np.concatenate([np.zeros(len(G)), np.ones(b)]),
            constraints=sides,
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        ).x
        f = K[np.ix_(U, rows)] @ x[: len(G)]
    return U[Q]


def state_of(strategy, X, y, start, ties="first"):
    pool = Pool(X, "classification", (0, 1), features="raw")
    state = State(pool, strategy, Recipe.of(LogisticRegression()), seed=0, ties=ties)
    state.add(np.asarray(start), y[start], start=True)
    return state


def moons(n=30, seed=0):
    X, y = make_moons(n, noise=0.3, random_state=seed)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize(("beta", "b", "seed"), [(1000.0, 3, 0), (1.0, 3, 1), (0.1, 2, 2), (0.01, 1, 3)])
def test_the_batch_is_that_of_the_formula_written_out(beta, b, seed):
    X, y = moons(seed=seed)
    start = np.arange(8)
    rows = state_of(Bmdr(beta=beta, gamma=4.0), X, y, start).query(b)
    K = np.exp(-4.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    wanted = written_out(K, start, 2.0 * y[start] - 1, np.arange(8, 30), b, beta=beta, lam=0.1)
    assert set(rows) == set(wanted)


@pytest.mark.parametrize("strategy", [Bmdr, BmdrPublished])
def test_rounds_are_as_from_scratch(strategy):
    X, y = moons(40)
    state = state_of(strategy(beta=1.0), X, y, np.arange(6))
    for _ in range(4):
        fresh = state_of(strategy(beta=1.0), X, y, state.labeled)
        rows = state.query(2)
        assert set(rows) == set(fresh.query(2))
        state.add(rows, y[rows])


def test_the_batch_of_a_run_makes_the_labelled_rows_look_like_the_others():
    """The maximum mean discrepancy between the labelled rows and the others is less than after a random batch."""
    X, y = moons(60)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    start = np.arange(4)

    def discrepancy(batch):
        weights = np.full(60, -1 / 50)
        weights[np.concatenate([start, batch])] = 1 / 10
        return weights @ K @ weights

    rng = np.random.default_rng(0)
    chance = [discrepancy(rng.choice(np.arange(4, 60), 6, replace=False)) for _ in range(200)]
    assert discrepancy(state_of(Bmdr(), X, y, start).query(6)) < np.quantile(chance, 0.01)


def test_what_is_published_asks_for_other_rows():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:80]
    asked = [
        set(state_of(one(beta=0.3, gamma=0.03), X, y[:80], np.arange(20)).query(4)) for one in (Bmdr, BmdrPublished)
    ]
    assert asked[0] != asked[1]


def test_rows_that_are_the_same_are_left_to_chance():
    X, y = moons(20)
    X = np.concatenate([X, X[6:]])
    y = np.concatenate([y, y[6:]])
    asked = set()
    for seed in range(20):
        pool = Pool(X, "classification", (0, 1), features="raw")
        state = State(pool, Bmdr(), Recipe.of(LogisticRegression()), seed=seed)
        state.add(np.arange(6), y[:6], start=True)
        asked.add(int(state.query(1)[0]))
    assert len(asked) == 2
    assert max(asked) - min(asked) == 14


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"beta": 0.0}, "beta"),
        ({"lam": -1.0}, "lam"),
        ({"kernel": "cosine"}, "kernel"),
        ({"gamma": float("nan")}, "gamma"),
    ],
)
def test_parameters_out_of_range_are_refused(params, said):
    with pytest.raises(InputError, match=said):
        Bmdr(**params)
    with pytest.raises(InputError, match="rho"):
        BmdrPublished(rho=0.0)
