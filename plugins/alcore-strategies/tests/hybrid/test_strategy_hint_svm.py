"""HintSVM: both solvers against the primal problem, and what it asks for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe, StrategyError
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid import hinted
from alcore_strategies.hybrid.hint_svm import hint_svm
from alcore_strategies.hybrid.hint_svm_published import HintSvmPublished
from alcore_strategies.hybrid.hinted import Problem, by_interior_point, by_smo
from alcore_strategies.hybrid.kernels import Kernel

LINEAR = Kernel("linear", 0.1, 3, 0.0)
WEIGHTS = [(0.1, 0.1), (1.0, 1.0), (10.0, 0.01), (0.05, 2.0)]


def cancer(n=70, d=6):
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:n, :d]), np.where(y[:n] > 0, 1.0, -1.0)


def problem_of(X, y, Cl, Ch, labeled=20, hints=30):
    return Problem(X[:labeled], y[:labeled], X[labeled : labeled + hints], Cl, Ch)


def cost(w, b, p, eps):
    f, h = p.X @ w + b, p.hints @ w + b
    return 0.5 * w @ w + p.Cl * np.maximum(0, 1 - p.y * f).sum() + p.Ch * np.maximum(0, np.abs(h) - eps).sum()


def least_cost(p, eps):
    """Minimise the paper's objective with slack variables, by a general-purpose solver."""
    n, h, d = len(p.X), len(p.hints), p.X.shape[1]
    c = np.concatenate([np.zeros(d + 1), np.full(n, p.Cl), np.full(h, p.Ch)])
    labeled, hinted = np.column_stack([p.y[:, None] * p.X, p.y]), np.column_stack([p.hints, np.ones(h)])
    rows = np.vstack(
        [
            np.hstack([labeled, np.eye(n), np.zeros((n, h))]),
            np.hstack([hinted, np.zeros((h, n)), np.eye(h)]),
            np.hstack([-hinted, np.zeros((h, n)), np.eye(h)]),
            np.hstack([np.zeros((n + h, d + 1)), np.eye(n + h)]),
        ]
    )
    bounds = np.concatenate([np.ones(n), np.full(2 * h, -eps), np.zeros(n + h)])
    half = np.concatenate([np.ones(d), np.zeros(1 + n + h)])
    found = minimize(
        lambda x: 0.5 * half @ x**2 + c @ x,
        np.concatenate([np.zeros(d + 1), np.ones(n), np.zeros(h)]),
        jac=lambda x: half * x + c,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: rows @ x - bounds, "jac": lambda x: rows},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return cost(found.x[:d], found.x[d], p, eps)


def plane(f):
    """Return w and b of a linear f."""
    b = f(np.zeros((1, 6)))[0]
    return f(np.eye(6)) - b, b


@pytest.mark.parametrize(("Cl", "Ch"), WEIGHTS)
def test_interior_point_is_the_optimum(Cl, Ch):
    p = problem_of(*cancer(), Cl, Ch)
    found, least = cost(*plane(lambda at: by_interior_point(p, at)), p, 0.0), least_cost(p, 0.0)
    assert found <= least + 1e-7
    assert found == pytest.approx(least, rel=1e-4)


@pytest.mark.parametrize(("Cl", "Ch"), WEIGHTS)
@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_smo_is_the_optimum_within_its_tolerance(Cl, Ch, eps):
    p = problem_of(*cancer(), Cl, Ch)
    found, least = cost(*plane(lambda at: by_smo(p, at, LINEAR, eps=eps, tol=1e-4)), p, eps), least_cost(p, eps)
    assert found == pytest.approx(least, rel=5e-3)


@pytest.mark.parametrize(("Cl", "Ch"), WEIGHTS)
def test_both_solvers_agree(Cl, Ch):
    X, y = cancer()
    p = problem_of(X, y, Cl, Ch)
    np.testing.assert_allclose(by_interior_point(p, X), by_smo(p, X, LINEAR, eps=0.0, tol=1e-5), atol=1e-3)


def test_a_tube_too_narrow_is_widened():
    X, y = cancer()
    far = Problem(X[:20] * 1e-3, y[:20], X[20:50], 1e4, 1e-9)  # |f| beyond 32 at the hints
    w, b = plane(lambda at: by_interior_point(far, at))
    assert np.abs(far.hints @ w + b).max() > 32
    np.testing.assert_allclose(
        by_smo(far, X, LINEAR, eps=0.0, tol=1e-4), by_interior_point(far, X), rtol=0.02, atol=0.1
    )


def test_features_of_very_different_scale():
    X, y = load_breast_cancer(return_X_y=True)  # columns from 0.003 to 4,000
    X, p = X[:80], Problem(X[:20], np.where(y[:20] > 0, 1.0, -1.0), X[20:80], 1.0, 1.0)
    b = by_interior_point(p, np.zeros((1, 30)))[0]
    w = by_interior_point(p, np.eye(30)) - b
    best = cost(w, b, p, 0.0)
    for direction in np.random.default_rng(0).normal(size=(200, 31)):
        step = 1e-4 * direction / np.append(X.std(axis=0), 1.0)
        assert cost(w + step[:30], b + step[30], p, 0.0) >= best - 1e-9


def test_an_optimum_that_is_not_reached_is_said(monkeypatch):
    monkeypatch.setattr(hinted, "ITERATIONS", 3)
    X, y = cancer()
    with pytest.raises(StrategyError, match="Standardise"):
        by_interior_point(problem_of(X, y, 1.0, 1.0), X)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 90)), np.where(rng.random(40) > 0.5, 1.0, -1.0)
    p = problem_of(X, y, 0.1, 0.1, 10, 20)
    np.testing.assert_allclose(by_interior_point(p, X), by_smo(p, X, LINEAR, eps=0.0, tol=1e-6), atol=1e-4)


def state_of(strategy, X, y, start, seed=0, ties="first"):
    pool = Pool(X, "classification", (0, 1), features="raw")
    state = State(pool, strategy, Recipe.of(LogisticRegression()), seed=seed, ties=ties)
    state.add(np.asarray(start), y[start], start=True)
    return state


def moons(n=80):
    X, y = make_moons(n, noise=0.2, random_state=0)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_asks_nearest_to_the_boundary_of_the_hinted_machine(kernel):
    X, y = moons()
    start = np.arange(12)
    state = state_of(spec_of(hint_svm).build(kernel=kernel, gamma=0.5, p=0.3, tol=1e-5), X, y, start)
    view = state.view()
    hints = state.view().rng.choice(view.unlabeled, size=int(0.3 * 68), replace=False, shuffle=False)
    p = Problem(X[start], np.where(y[start] > 0, 1.0, -1.0), X[hints], 0.1, 0.1)
    f = np.abs(by_smo(p, X[view.unlabeled], Kernel(kernel, 0.5, 3, 0.0), eps=0.0, tol=1e-5))
    row = state.query(1)[0]
    assert f[view.unlabeled == row][0] <= f.min() + 1e-4


def test_hints_fade_with_labels():
    X, y = moons()
    few, many = (state_of(spec_of(hint_svm).build(half_life=5.0), X, y, np.arange(n)) for n in (5, 40))
    assert few.query(1).shape == many.query(1).shape == (1,)
    plain = state_of(spec_of(hint_svm).build(p=0.0), X, y, np.arange(40))
    faded = state_of(spec_of(hint_svm).build(half_life=1.0), X, y, np.arange(40))
    view = plain.view()
    np.testing.assert_array_equal(plain.strategy.scores(view), faded.strategy.scores(faded.view()))


def test_published_asks_far_from_the_boundary():
    X, y = moons()
    start = np.arange(12)
    right, published = (
        state_of(s, X, y, start)
        for s in (spec_of(hint_svm).build(kernel="rbf", gamma=0.5), HintSvmPublished(kernel="rbf", gamma=0.5))
    )
    near, far = right.query(1), published.query(1)
    distance = np.abs(LogisticRegression().fit(X[start], y[start]).decision_function(X[[near[0], far[0]]]))
    assert distance[0] < distance[1]


def test_published_hints_stay_within_a_tenth():
    X, y = moons()
    state = state_of(HintSvmPublished(tol=1e-4, seed=1126), X, y, np.arange(12))
    view = state.view()
    among = np.isin(view.unlabeled, state.strategy.hints)
    assert state.strategy.scores(view)[among].max() < 0.1 + 1e-3


def test_published_forgets_its_parameters_after_the_first_query():
    X, y = moons()
    states = [state_of(HintSvmPublished(kernel=k, gamma=1.0, seed=1), X, y, np.arange(12)) for k in ("rbf", "linear")]
    first = [state.strategy.scores(state.view()) for state in states]
    for state in states:
        state.add(np.array([12]), y[[12]])
    second = [state.strategy.scores(state.view()) for state in states]
    assert not np.allclose(*first, atol=1e-2)
    np.testing.assert_array_equal(*second)


def test_published_draws_are_those_of_the_seed():
    X, y = moons()
    state = state_of(HintSvmPublished(seed=1126), X, y, np.arange(12))
    random = np.random.RandomState(1126)
    for row in (12, 13):
        left = np.arange(row, 80)
        np.testing.assert_array_equal(state.strategy.hints, left[random.choice(len(left), len(left) // 2)])
        state.add(np.array([row]), y[[row]])


@pytest.mark.parametrize(
    ("params", "says"),
    [({"Cl": 0.0}, "Cl"), ({"p": 1.5}, "p is"), ({"half_life": 0.0}, "half_life"), ({"kernel": "cosine"}, "kernel")],
)
def test_parameters_out_of_range(params, says):
    X, y = moons()
    view = state_of(spec_of(hint_svm).build(), X, y, np.arange(12)).view()
    with pytest.raises(InputError, match=says):
        spec_of(hint_svm).build(**params).scores(view)
