"""SPAL against its formula written out, and what is published against what is right."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.state import State
from alcore_strategies.hybrid.spal import Spal, SpalPublished


def moons(n=40, seed=0):
    X, y = make_moons(n, noise=0.3, random_state=seed)
    return StandardScaler().fit_transform(X), y


def state_of(strategy, X, y, start):
    pool = Pool(X, "classification", (0, 1), features="raw")
    state = State(pool, strategy, Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(np.asarray(start), y[start], start=True)
    return state


def solved(P, q, b, v):
    rules = [] if b is None else [{"type": "eq", "fun": lambda a: v @ a - b, "jac": lambda a: v}]
    return minimize(
        lambda a: 0.5 * a @ P @ a + q @ a,
        np.full(len(q), 0.5 if b is None else min(1.0, b / v.sum())),
        jac=lambda a: P @ a + q,
        bounds=[(0, 1)] * len(q),
        constraints=rules,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    ).x


def classifier(K, L, y, lam, rows, c):
    """f at all rows: the coefficients of f at L and the weighted rows, with t_j >= |f_j|, by a general solver."""
    both = np.concatenate([L, rows])
    G, n_l = K[np.ix_(both, both)], len(L)

    def cost(x):
        f = G @ x[: len(G)]
        return ((y - f[:n_l]) ** 2).sum() + lam * x[: len(G)] @ f + c @ f[n_l:] ** 2 + 2 * c @ x[len(G) :]

    sides = [{"type": "ineq", "fun": lambda x, s=s: x[len(G) :] - s * (G @ x[: len(G)])[n_l:]} for s in (-1, 1)]
    start = np.concatenate([np.zeros(len(G)), np.ones(len(rows))])
    x = minimize(cost, start, constraints=sides, method="SLSQP", options={"ftol": 1e-12, "maxiter": 500}).x
    return K[:, both] @ x[: len(G)]


def written_out(K, L, y, U, b, *, mu, lam, pace):
    n_l, u = len(L), len(U)
    k = (u - b) / (n_l + u) * K[L][:, U].sum(axis=0) - (n_l + b) / (n_l + u) * K[U][:, U].sum(axis=0)
    f = K[:, L] @ np.linalg.solve(K[np.ix_(L, L)] + lam * np.eye(n_l), y)
    v, chosen = np.ones(u), None
    for _ in range(16):
        risk = f[U] ** 2 + 2 * np.abs(f[U])
        alpha = solved(mu * K[np.ix_(U, U)], mu * k + v * risk, b if v.sum() >= b else None, v)
        v = np.maximum(0, 1 - alpha * risk / pace)
        weight = np.round(alpha * v, 5)
        Q = np.argsort(-weight, kind="stable")[:b]
        if chosen == set(Q):
            break
        chosen = set(Q)
        heard = np.flatnonzero(weight > 1e-3)
        f = classifier(K, L, y, lam, U[heard], (alpha * v)[heard])
    return U[Q]


@pytest.mark.parametrize(("mu", "pace", "b", "seed"), [(0.1, 3.0, 3, 0), (1.0, 2.0, 2, 1), (0.05, 5.0, 2, 2)])
def test_the_batch_is_that_of_the_formula_written_out(mu, pace, b, seed):
    X, y = moons(26, seed)
    start = np.arange(8)
    rows = state_of(Spal(mu=mu, lambda_init=pace, gamma=4.0), X, y, start).query(b)
    K = np.exp(-4.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    wanted = written_out(K, start, 2.0 * y[start] - 1, np.arange(8, 26), b, mu=mu, lam=0.1, pace=pace)
    assert set(rows) == set(wanted)


@pytest.mark.parametrize("strategy", [Spal, SpalPublished])
def test_rounds_are_as_from_scratch(strategy):
    X, y = moons()
    # without a pace, which tells rounds apart
    params = {"lambda_init": 2.0} | ({"lambda_pace": 0.0} if strategy is Spal else {})
    state = state_of(strategy(**params), X, y, np.arange(6))
    for _ in range(4):
        fresh = state_of(strategy(**params), X, y, state.labeled)
        rows = state.query(2)
        assert set(rows) == set(fresh.query(2))
        state.add(rows, y[rows])


def test_harder_rows_are_asked_as_the_pace_grows():
    """With a large pace every row is easy, and those are asked whose label the classifier knows least."""
    X, y = moons(60)

    def sureness(pace):
        state = state_of(Spal(mu=0.001, lambda_init=pace), X, y, np.arange(20))
        ridge = state.strategy.ridge.f
        return np.abs(ridge[state.query(1)]).mean(), np.sort(np.abs(ridge[20:]))

    asked, least = sureness(100.0)
    assert asked <= least[1]


def test_what_is_published_keeps_its_pace():
    """A run that begins with the pace of the tenth round asks as the tenth round does; the published one does not."""
    X, y = moons(60, seed=3)

    def tenth(strategy):
        state = state_of(strategy, X, y, np.arange(10))
        state.t = 9
        return set(state.query(3))

    first = lambda strategy: set(state_of(strategy, X, y, np.arange(10)).query(3))  # noqa: E731
    assert tenth(Spal(lambda_init=0.1, lambda_pace=0.3)) == first(Spal(lambda_init=2.8))
    assert tenth(SpalPublished(lambda_init=0.1)) == first(SpalPublished(lambda_init=0.1))
    assert first(Spal(lambda_init=0.1)) != first(Spal(lambda_init=2.8))


@pytest.mark.parametrize(
    ("params", "said"), [({"mu": 0.0}, "mu"), ({"lambda_init": 0.0}, "lambda_init"), ({"lambda_pace": -1.0}, "pace")]
)
def test_parameters_out_of_range_are_refused(params, said):
    with pytest.raises(InputError, match=said):
        Spal(**params)
