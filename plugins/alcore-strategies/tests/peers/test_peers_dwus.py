"""DWUS beside libact: equal where its densities are numbers, and where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe
from alcore.state import State
from alcore_strategies.hybrid.dwus_published import DwusPublished

library = pytest.importorskip("alcore_libact.library")
START = np.array([1, 2, 3, 5, 8, 13, 21, 34])


def moons(n=80):
    X, y = make_moons(n, noise=0.25, random_state=1)
    return StandardScaler().fit_transform(X), y


def cancer(n=80):
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:n, :4]), y[:n]


def digits(n=80):
    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n] % 2


def published_picks(X, y, labels, rounds, **params):
    """Return ours and libact's rows on the same labelled rows; libact is told ``labels`` of the two classes."""
    strategy = DwusPublished(labels="codes" if labels == (0, 1) else "signs", **params)
    pool = Pool(X, "classification", (0, 1), features="raw")
    state = State(pool, strategy, Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(START, y[START], start=True)
    with library.quiet():
        known = np.full(len(X), None, dtype=object)
        for row in START:
            known[row] = labels[y[row]]
        data = library.Dataset(X, known)
        theirs = library.pool_based.DWUS(data, random_state=1126, **params)
        for _ in range(rounds):
            rows = state.query(1)
            yield int(rows[0]), int(theirs.make_query())
            data.update(int(rows[0]), labels[y[rows[0]]])
            state.add(rows, y[rows])


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1)])
@pytest.mark.parametrize(("data", "sigma"), [(moons, 0.1), (cancer, 0.3)])
def test_published_picks_are_libacts(data, sigma, labels):
    ours, theirs = zip(*published_picks(*data(), labels, 6, sigma=sigma), strict=True)
    assert ours == theirs


def test_published_picks_are_libacts_where_all_is_nan():
    ours, theirs = zip(*published_picks(*digits(), (-1, 1), 3, sigma=0.1), strict=True)
    assert ours == theirs == (0, 4, 6)
