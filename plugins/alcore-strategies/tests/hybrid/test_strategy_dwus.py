"""DWUS against its likelihood and its score written out, and the published numerics, NaN and all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid.dwus import dwus, mixture
from alcore_strategies.hybrid.dwus_published import DwusPublished

START = np.arange(12)


def moons(n=80):
    X, y = make_moons(n, noise=0.25, random_state=1)
    return StandardScaler().fit_transform(X), y


def digits(n=80):
    X, y = load_digits(return_X_y=True)
    X = X[:n, X[:n].std(axis=0) > 0]
    return StandardScaler().fit_transform(X), y[:n] % 2


def state_of(strategy, X, y, start=START):
    state = State(Pool(X, "classification", (0, 1)), strategy, Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(start, y[start], start=True)
    return state


def right(**params):
    return spec_of(dwus).build(**params)


def by_hand(X, y, labeled, unlabeled, sigma, C, clusters=5, seed=0):
    """Return log p(x) E[(y - yhat)^2] with the mixture and the likelihood as the paper writes them."""
    centres = KMeans(clusters, n_init=1, random_state=seed).fit(X).cluster_centers_
    prior = np.full(clusters, 1 / clusters)
    likelihood = np.column_stack([multivariate_normal.logpdf(X, c, sigma * np.eye(X.shape[1])) for c in centres])
    for _ in range(5000):
        joint = np.exp(likelihood) * prior
        P = joint / joint.sum(axis=1, keepdims=True)
        prior = P.mean(axis=0)
    signs = np.where(y[labeled] > 0, 1, -1)

    def negative_log_likelihood(w):
        s = centres @ w[:-1] + w[-1]
        of_label = (P[labeled] / (1 + np.exp(-signs[:, None] * s))).sum(axis=1)
        return C / 2 * w[:-1] @ w[:-1] - np.log(of_label).sum()

    w = minimize(negative_log_likelihood, np.zeros(X.shape[1] + 1), tol=1e-10).x
    p = P[unlabeled] @ (1 / (1 + np.exp(-centres @ w[:-1] - w[-1])))
    yhat = np.where(p >= 0.5, 1, -1)
    error = p * (1 - yhat) ** 2 + (1 - p) * (-1 - yhat) ** 2
    return np.log((np.exp(likelihood) @ prior)[unlabeled] * error)


@pytest.mark.parametrize(("sigma", "C"), [(0.3, 1.0), (1.0, 0.05)])
def test_scores_are_the_papers(sigma, C):
    X, y = moons()
    state = state_of(right(sigma=sigma, C=C, tol=1e-12), X, y)
    for _ in range(3):
        view = state.view()
        wanted = by_hand(X, y, view.labeled, view.unlabeled, sigma, C)
        found = state.strategy.scores(view)
        np.testing.assert_allclose(found - found.mean(), wanted - wanted.mean(), atol=2e-4)
        picked = state.query(2)
        assert set(picked) == set(view.unlabeled[np.argsort(-wanted)[:2]])
        state.add(picked, y[picked])


def test_sixty_features_are_no_trouble():
    X, y = digits()
    state = state_of(right(sigma=0.1), X, y)
    scores = state.strategy.scores(state.view())
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) == len(scores)


def test_the_variance_is_estimated_where_none_is_given():
    X, y = moons()
    gaps = ((X[:, None] - KMeans(5, n_init=1, random_state=0).fit(X).cluster_centers_) ** 2).sum(axis=2).min(axis=1)
    view = state_of(right(), X, y).view()
    same = right(sigma=gaps.mean() / 2).scores(view)
    np.testing.assert_allclose(right().scores(view), same, rtol=1e-10)


def test_one_labelled_class_leaves_the_density():
    X, y = moons()
    state = state_of(right(), X, y, np.flatnonzero(y == 1)[:5])
    view = state.view()
    density = mixture(state.pool, 5, None, 1e-6, 0).log_density[view.unlabeled]
    assert np.corrcoef(state.strategy.scores(view), density)[0, 1] > 0.999


def test_clusters_are_made_once_per_pool(monkeypatch):
    X, y = moons()
    pool, fits = Pool(X, "classification", (0, 1)), []
    fit = KMeans.fit
    monkeypatch.setattr(KMeans, "fit", lambda self, *args, **given: fits.append(1) or fit(self, *args, **given))
    for seed in range(3):
        state = State(pool, right(), Recipe.of(LogisticRegression()), seed=seed)
        state.add(START, y[START], start=True)
        for _ in range(2):
            state.query(1)
    assert len(fits) == 1


def test_published_is_the_first_row_of_the_pool_in_many_dimensions():
    X, y = digits()
    start = np.array([3, 30, 41, 60, 70])
    state = state_of(DwusPublished(sigma=0.03), X, y, start)
    asked = []
    for _ in range(4):
        rows = state.query(1)
        asked += rows.tolist()
        state.add(rows, y[rows])
    assert asked == [0, 1, 2, 4]
    assert state_of(right(sigma=0.03), X, y, start).query(1).tolist() != [0]


def test_published_labels_of_zero_say_nothing():
    X, y = moons()
    rows = np.concatenate([np.flatnonzero(y == 1)[:4], np.flatnonzero(y == 0)[:6]])
    fewer = rows[:5]  # with other labels of class 0
    view, less = state_of(DwusPublished(), X, y, rows).view(), state_of(DwusPublished(), X, y, fewer).view()
    codes = DwusPublished(labels="codes")
    common = np.isin(less.unlabeled, view.unlabeled)
    np.testing.assert_allclose(codes.scores(view), codes.scores(less)[common], rtol=1e-9)
    signs = DwusPublished()
    assert not np.allclose(signs.scores(view), signs.scores(less)[common], rtol=1e-3)


@pytest.mark.parametrize(
    ("params", "says"), [({"clusters": 0}, "clusters"), ({"sigma": -1.0}, "sigma"), ({"C": 0.0}, "C is")]
)
def test_parameters_out_of_range(params, says):
    X, y = moons()
    view = state_of(right(), X, y).view()
    with pytest.raises(InputError, match=says):
        right(**params).scores(view)
    with pytest.raises(InputError, match=says):
        DwusPublished(**params)


def test_published_labels_are_one_of_two():
    with pytest.raises(InputError, match="codes"):
        DwusPublished(labels="numbers")
