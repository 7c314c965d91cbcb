"""QUIRE beside the libraries: scikit-activeml has the paper's score, libact and ALiPy the published numerics."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe
from alcore.plugins import loaded
from alcore.state import State
from alcore_strategies.hybrid.quire import Quire
from alcore_strategies.hybrid.quire_published import QuirePublished

START = np.arange(8)


def cancer(n=60):
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:n, :5]), y[:n]


def moons(n=60):
    X, y = make_moons(n, noise=0.3, random_state=0)
    return StandardScaler().fit_transform(X), y


def picks(ours, theirs, X, y, rounds=6):
    """Return what both ask in each round on the same labelled rows, those that ours asked for."""
    pool = Pool(X, "classification", (0, 1), features="raw")
    states = [State(pool, one, Recipe.of(LogisticRegression()), seed=0, ties="first") for one in (ours, theirs)]
    for state in states:
        state.add(START, y[START], start=True)
    for _ in range(rounds):
        asked = [state.query(1) for state in states]
        yield int(asked[0][0]), int(asked[1][0])
        for state in states:
            state.add(asked[0], y[asked[0]])


def agree(answers):
    ours, theirs = zip(*answers, strict=True)
    assert ours == theirs


def of(name, **params):
    pytest.importorskip(f"alcore_{name.split('.')[0]}")
    return loaded().registry.build("strategy", name, **params)


@pytest.mark.parametrize("data", [cancer, moons])
def test_the_right_one_is_scikit_activemls(data):
    X, y = data()
    theirs = of("skactiveml.quire", metric="rbf", metric_dict={"gamma": 0.3}, lmbda=0.7)
    agree(picks(Quire(gamma=0.3, lam=0.7), theirs, X, y))


@pytest.mark.parametrize("data", [cancer, moons])
@pytest.mark.parametrize("params", [{}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2, "gamma": 0.5}])
def test_the_published_one_is_libacts(data, params):
    X, y = data()
    agree(picks(QuirePublished(**params), of("libact.quire", **params), X, y))


def test_the_published_one_is_alipys():
    X, y = cancer()
    agree(picks(QuirePublished(), of("alipy.quire"), X, y))


def test_the_right_one_is_not_libacts():
    X, y = moons()
    ours, theirs = zip(*picks(Quire(), of("libact.quire"), X, y), strict=True)
    assert ours != theirs
