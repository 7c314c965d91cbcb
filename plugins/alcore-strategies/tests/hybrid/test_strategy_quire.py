"""QUIRE against the min-max problem itself, and what is published against the code that it stands for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.state import State
from alcore_strategies.hybrid.kernels import Kernel
from alcore_strategies.hybrid.quire import Quire
from alcore_strategies.hybrid.quire_published import QuirePublished

KERNELS = [
    {"kernel": "rbf", "gamma": 0.7, "lam": 0.5},
    {"kernel": "linear", "lam": 2.0},
    {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 0.5, "lam": 1.0},
]


def moons(n=14, seed=0):
    X, y = make_moons(n, noise=0.3, random_state=seed)
    return StandardScaler().fit_transform(X), y


def state_of(strategy, X, y, start, ties="first"):
    state = State(
        Pool(X, "classification", (0, 1), features="raw"), strategy, Recipe.of(LogisticRegression()), seed=0, ties=ties
    )
    state.add(np.asarray(start), y[start], start=True)
    return state


def kernel_matrix(X, *, kernel="rbf", gamma=1.0, degree=3, coef0=1.0, **_):
    gram = X @ X.T
    if kernel == "linear":
        return gram
    if kernel == "poly":
        return (gamma * gram + coef0) ** degree
    square = np.diag(gram)
    return np.exp(-gamma * (square[:, None] + square - 2 * gram))


def worst_case(K, lam, labeled, signs, s, y_s):
    """Equation 5 for one label of s: the minimum of y'Ly over real labels of the others, by its normal equations."""
    L = np.linalg.inv(K + lam * np.eye(len(K)))
    known = [*labeled, s]
    rest = np.setdiff1d(np.arange(len(K)), known)
    y = np.zeros(len(K))
    y[known] = [*signs, y_s]
    y[rest] = -np.linalg.solve(L[np.ix_(rest, rest)], L[np.ix_(rest, known)] @ y[known])
    return y @ L @ y


@pytest.mark.parametrize("params", KERNELS)
def test_scores_are_the_min_max_over_labels(params):
    X, y = moons()
    start = [0, 3, 5, 8]
    state = state_of(Quire(**params), X, y, start)
    view = state.view()
    K, signs = kernel_matrix(X, **params), 2 * y[start] - 1
    wanted = np.array([max(worst_case(K, params["lam"], start, signs, s, c) for c in (-1, 1)) for s in view.unlabeled])
    known = signs @ np.linalg.solve(K[np.ix_(start, start)] + params["lam"] * np.eye(4), signs)
    np.testing.assert_allclose(-state.strategy.scores(view), wanted - known, rtol=1e-9)


def test_the_relaxed_minimum_bounds_that_over_all_labelings():
    X, y = moons(8)
    start, lam = [0, 3], 1.0
    K = kernel_matrix(X)
    L = np.linalg.inv(K + lam * np.eye(8))
    rest = np.setdiff1d(np.arange(8), [*start, 1])

    def whole(y_s):
        for labels in product((-1, 1), repeat=len(rest)):
            full = np.zeros(8)
            full[[*start, 1]], full[rest] = [*(2 * y[start] - 1), y_s], labels
            yield full @ L @ full

    for y_s in (-1, 1):
        assert worst_case(K, lam, start, 2 * y[start] - 1, 1, y_s) <= min(whole(y_s)) + 1e-12


@pytest.mark.parametrize("memory", [0, 3 * 8 * 40, 1 << 30])
def test_state_over_rounds_is_the_posterior_from_scratch(memory):
    X, y = moons(40)
    state = state_of(Quire(memory=memory), X, y, [0, 3, 5])
    K = kernel_matrix(X)
    for _ in range(6):
        labeled, signs = state.labeled, 2 * state.y - 1
        inverse = np.linalg.inv(K[np.ix_(labeled, labeled)] + np.eye(len(labeled)))
        rows = state.view().unlabeled
        f = K[np.ix_(rows, labeled)] @ inverse @ signs
        v = 2.0 - np.einsum("ij,jk,ik->i", K[np.ix_(rows, labeled)], inverse, K[np.ix_(rows, labeled)])
        np.testing.assert_allclose(state.strategy.scores(state.view()), -((1 + np.abs(f)) ** 2) / v, rtol=1e-10)
        picked = state.query(2)
        state.add(picked, y[picked])


def test_state_without_memory_for_a_factor_on_real_data(shared):
    X, y = load_svmlight_file(str(shared / "data" / "tabular" / "australian-svmstyle.txt"))
    X, y = StandardScaler().fit_transform(X.toarray()), (y > 0).astype(int)
    start = np.arange(20)
    states = [state_of(Quire(memory=memory, gamma=0.1), X, y, start) for memory in (1 << 30, 0)]
    for _ in range(5):
        picks = [state.query(1) for state in states]
        assert picks[0] == picks[1]
        for state in states:
            state.add(picks[0], y[picks[0]])


def as_published(K, lam, labeled, y, unlabeled):
    """Transcribe the published evaluation, term by term."""
    L = np.linalg.inv(K + lam * np.eye(len(K)))
    Kul = K[np.ix_(unlabeled, labeled)]
    inverse_aa = lam * np.eye(len(unlabeled)) + K[np.ix_(unlabeled, unlabeled)] - Kul @ Kul.T / lam
    det = np.linalg.det(L[np.ix_(unlabeled, unlabeled)])
    values = []
    for i, s in enumerate(unlabeled):
        rest = np.delete(unlabeled, i)
        keep = np.delete(np.arange(len(unlabeled)), i)
        column = inverse_aa[keep, i]
        inverse_uu = inverse_aa[np.ix_(keep, keep)] - (column @ column) / inverse_aa[i, i]
        t = (L[s, labeled] - L[s, rest] @ inverse_uu @ L[np.ix_(rest, labeled)]) @ y
        values.append(L[s, s] - det / L[s, s] + 2 * abs(t))
    return np.array(values)


@pytest.mark.parametrize("params", KERNELS)
def test_published_scores_are_the_published_evaluation(params):
    X, y = moons(30)
    state = state_of(QuirePublished(**params), X, y, [0, 3, 5, 8])
    K = kernel_matrix(X, **params)
    for _ in range(4):
        view = state.view()
        wanted = as_published(K, params["lam"], view.labeled, 2 * view.y - 1, view.unlabeled)
        np.testing.assert_allclose(-state.strategy.scores(view), wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())
        picked = state.query(1)
        state.add(picked, y[picked])


def test_published_is_not_the_right_one():
    X, y = moons(60)
    right, published = (state_of(make(), X, y, [0, 3, 5, 8]) for make in (Quire, QuirePublished))
    order = [np.argsort(state.strategy.scores(state.view()))[::-1][:10].tolist() for state in (right, published)]
    assert order[0] != order[1]


def test_the_kernel_matrix_is_inverted_once_per_pool():
    X, _ = moons(30)
    pool = Pool(X, "classification", (0, 1))
    first, second = QuirePublished(), QuirePublished()
    for strategy in (first, second):
        strategy.setup(pool, np.random.default_rng(0))
        strategy.update(np.array([1, 2]), np.array([0, 1]))
    assert first.L is second.L
    assert first.M is not second.M


@pytest.mark.parametrize(
    ("params", "says"),
    [({"lam": 0.0}, "lam"), ({"kernel": "sigmoid"}, "rbf"), ({"gamma": -1.0}, "gamma"), ({"memory": -1}, "memory")],
)
def test_parameters_out_of_range(params, says):
    with pytest.raises(InputError, match=says):
        Quire(**params)


@pytest.mark.parametrize("kind", ["linear", "poly", "rbf"])
def test_kernel_rows_and_diagonal_are_those_of_its_matrix(kind):
    X, _ = moons(12)
    kernel = Kernel(kind, 0.4, 2, 1.0)
    K = kernel(X, X)
    np.testing.assert_allclose(K, kernel_matrix(X, kernel=kind, gamma=0.4, degree=2), atol=1e-12)
    np.testing.assert_allclose(kernel.row(X, 3), K[3], atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(K), atol=1e-12)
