"""Representation strategies against the libraries': the same rows where both follow the paper, else the reason why."""

from __future__ import annotations

import os

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor

from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore_strategies.combinators.inner import make

PACKAGES = {
    "skactiveml": "alcore_skactiveml",
    "alipy": "alcore_alipy",
    "libact": "alcore_libact",
    "playground": "alcore_playground",
}


def needs(peer):
    pytest.importorskip(PACKAGES[peer.partition(".")[0]])
    if peer.startswith("playground") and not os.environ.get("ALCORE_PLAYGROUND_PATH"):
        pytest.skip("ALCORE_PLAYGROUND_PATH is not set")


def data(load):
    X, y = load(return_X_y=True)
    # Copies and equal distances, of which iris has many, would let each library's rounding decide.
    X = X + 1e-4 * np.random.default_rng(0).normal(size=X.shape)
    some = np.random.default_rng(1).permutation(len(X))[:80]
    return X[some], y[some]


def begin(name, X, y, *, seed=0, **params):
    pool = Pool(X, "classification", [0, 1, 2])
    state = State(pool, make({"name": name, **params})[1], Recipe(DummyClassifier()), seed=seed, ties="first")
    start = np.arange(10)
    state.add(start, y[start], start=True)
    return state


def rows(name, X, y, *, batch=1, rounds=12, **params):
    state, asked = begin(name, X, y, **params), []
    for _ in range(rounds):
        asked.append(sorted(state.query(batch).tolist()))
        state.add(np.array(asked[-1]), y[asked[-1]])
    return asked


@pytest.mark.parametrize("peer", ["skactiveml.core-set", "alipy.core-set", "playground.core-set"])
def test_core_set(peer):
    needs(peer)
    X, y = data(load_wine)
    assert rows("core-set", X, y) == rows(peer, X, y)
    assert rows("core-set", X, y, batch=4, rounds=3) == rows(peer, X, y, batch=4, rounds=3)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("peer", ["alipy.graph-density", "playground.graph-density"])
def test_graph_density(peer, load):
    needs(peer)
    X, y = data(load)
    assert rows("graph-density", X, y) == rows(peer, X, y)


def test_hierarchical_has_the_prunings_of_the_playground():
    """Both draw at random; given the labels that the playground asked for, the clusters are the same."""
    needs("playground")
    X, y = data(load_iris)
    state, ours = begin("playground.hierarchical", X, y), begin("hierarchical", X, y)
    pruned = 0
    for _ in range(20):
        asked = state.query(1)
        clusters = np.flatnonzero(ours.strategy.pruned).tolist()
        assert clusters == sorted(state.strategy.made.pruning)
        pruned = max(pruned, len(clusters))
        for one in (state, ours):
            one.add(asked, y[asked])
    assert pruned > 2


def test_hierarchical_prunes_earlier_than_libact():
    """libact's bounds carry a finite-sample correction that the paper's lack, and count sizes in rows."""
    needs("libact")
    X, y = data(load_iris)
    theirs, ours = begin("libact.hierarchical", X, y), begin("hierarchical", X, y)
    order = np.random.default_rng(0).permutation(np.arange(10, 80))
    for row in order[:40]:
        for one in (theirs, ours):
            one.add(np.array([row]), y[[row]])
    assert theirs.strategy.inner.prunings != np.flatnonzero(ours.strategy.pruned).tolist()
    for clusters in (theirs.strategy.inner.prunings, np.flatnonzero(ours.strategy.pruned)):
        assert sum(ours.strategy.tree.size[v] for v in clusters) == 80  # each row in one cluster


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_prob_cover_with_one_radius(load):
    needs("skactiveml")
    X, y = data(load)
    ours, theirs = begin("prob-cover", X, y, delta=1.0), begin("skactiveml.prob-cover", X, y, deltas=[1.0])
    for _ in range(20):  # scikit-activeml draws among equal counts, whatever the run says of ties
        row = theirs.query(1)
        count = ours.strategy.uncovered[ours.view().unlabeled]
        assert ours.strategy.uncovered[row] == count.max()
        for one in (ours, theirs):
            one.add(row, y[row])


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_max_herding_of_a_pool_without_labels(load):
    """scikit-activeml sums over the rows left, the paper over all rows: the same while nothing is labelled."""
    needs("skactiveml")
    X, _ = data(load)
    params = {"normalize_samples": False, "metric_dict": {"gamma": 0.5}}
    asked = []
    for one, given in (("max-herding", {"sigma": 2**0.5}), ("skactiveml.max-herding", params)):
        pool = Pool(X, "classification", [0, 1, 2])
        state = State(pool, make({"name": one, **given})[1], Recipe(DummyClassifier()), seed=0, ties="first")
        asked.append(state.query(8).tolist())
    assert asked[0] == asked[1]


def test_typiclust_asks_in_the_clusters_that_scikit_activeml_asks_in():
    """Rows within a cluster differ: it takes K = 5 neighbours, not 20, and k-means begins elsewhere."""
    needs("skactiveml")
    blob = np.repeat(np.arange(6), (24, 18, 14, 10, 8, 6))
    X = 60.0 * np.eye(6)[blob] + np.random.default_rng(0).normal(size=(80, 6))
    for name in ("typiclust", "skactiveml.typiclust"):
        pool = Pool(X, "regression")
        state = State(pool, make(name)[1], Recipe(DummyRegressor()), seed=1)
        state.add(np.array([0, 79]), np.zeros(2), start=True)
        assert blob[state.query(4)].tolist() == [1, 2, 3, 4]
