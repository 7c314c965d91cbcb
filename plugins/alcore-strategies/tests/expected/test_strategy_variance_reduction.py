"""variance-reduction: the closed form against traces of inverted matrices, gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

from alcore import InputError
from alcore_strategies.expected import variance_reduction as home
from alcore_strategies.expected.variance_reduction import VarianceReduction, reduction, vr_published


def softmax(f):
    e = np.exp(f - f.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gradients(p, x, *, two):
    """The gradient of every class's probability in the weights, (K, weights), by its definition."""
    if two:
        return np.outer([-1.0, 1.0], p[0] * p[1] * x)[1:]
    return np.array([np.kron(p[k] * (np.eye(len(p))[k] - p), x) for k in range(len(p))])


def information(p, x, *, two):
    """The Fisher information of a row."""
    W = np.diag(p) - np.outer(p, p)
    return np.kron(W[1:, 1:] if two else W, np.outer(x, x))


def traces(labeled, p_labeled, unlabeled, p, prior):
    """tr(F^-1 B) - tr((F + F_x)^-1 B), matrix by matrix."""
    two = p.shape[1] == 2
    F = sum(information(q, x, two=two) for q, x in zip(p_labeled, labeled, strict=True))
    F = F + prior * np.eye(len(F))
    B = sum(np.outer(c, c) for q, x in zip(p, unlabeled, strict=True) for c in gradients(q, x, two=two))
    now = np.trace(np.linalg.solve(F, B))
    after = [np.trace(np.linalg.solve(F + information(q, x, two=two), B)) for q, x in zip(p, unlabeled, strict=True)]
    return now - np.array(after)


def random_problem(k, seed=0):
    rng = np.random.default_rng(seed)
    labeled, unlabeled, theta = rng.normal(size=(9, 4)), rng.normal(size=(30, 4)), rng.normal(size=(4, k))
    return labeled, softmax(labeled @ theta), unlabeled, softmax(unlabeled @ theta)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("prior", [1.0, 1e-4])
def test_equals_the_traces(k, prior):
    problem = random_problem(k)
    assert reduction(*problem, prior) == pytest.approx(traces(*problem, prior), rel=1e-7)


def test_the_gradients_are_those_of_the_probabilities():
    rng = np.random.default_rng(0)
    theta, x, h = rng.normal(size=(3, 4)), rng.normal(size=4), 1e-6
    p = softmax(theta @ x)
    found = gradients(p, x, two=False)
    for j in range(12):
        moved = theta.ravel().copy()
        moved[j] += h
        assert (softmax(moved.reshape(3, 4) @ x) - p) / h == pytest.approx(found[:, j], abs=1e-5)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_scores_are_of_the_pools_features_with_an_intercept(view_of, load):
    X, y = load(return_X_y=True)
    X, y = X[::4], y[::4]
    view = view_of(X, y, np.arange(0, len(y), 5), LogisticRegression(max_iter=5000))
    design = np.column_stack([view.pool.features, np.ones(len(X))])
    p_labeled = view.model.predict_proba(X[view.labeled])
    wanted = traces(design[view.labeled], p_labeled, design[view.unlabeled], view.proba, 1 / 4)
    assert VarianceReduction(sigma=2.0).scores(view) == pytest.approx(wanted, rel=1e-6)


def test_a_class_never_seen_has_no_weights(view_of):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 100, 7)  # of two classes of three
    three = VarianceReduction().scores(view_of(X, y, rows, LogisticRegression()))
    view = view_of(X, y, rows, LogisticRegression())
    design = np.column_stack([view.pool.features, np.ones(150)])
    p = view.model.predict_proba(X)[:, :2]
    wanted = reduction(design[rows], p[rows], design[view.unlabeled], p[view.unlabeled], 1.0)
    assert three == pytest.approx(wanted)


def test_blocks_change_nothing(monkeypatch):
    problem = random_problem(3)
    whole = reduction(*problem, 1.0)
    monkeypatch.setattr(home, "ROWS", 7)
    assert reduction(*problem, 1.0) == pytest.approx(whole)


@pytest.mark.parametrize("sigma", [0, -1.0, float("nan")])
def test_refuses(sigma):
    with pytest.raises(InputError, match="sigma"):
        VarianceReduction(sigma)


def test_published_asks_any_row_and_the_first_where_ties_are_in_order(view_of):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, 150, 7)
    view = view_of(X, y, rows, lambda: pytest.fail("fitted"))
    assert view.top(vr_published(view), 1).tolist() == [1]
    right = view_of(X, y, rows, LogisticRegression())
    assert VarianceReduction().query(right, 1).tolist() != [1]
