"""Core-set asks for the farthest row, as a search over all pairs does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

import alcore
from alcore_strategies.representation import CoreSet

X = load_wine().data
Z = (X - X.mean(axis=0)) / X.std(axis=0)


def farthest(Z, labeled, n):
    labeled = list(labeled)
    for _ in range(n):
        distance = cdist(Z, Z[labeled]).min(axis=1)
        labeled.append(int(distance.argmax()))
    return labeled[-n:]


@pytest.mark.parametrize("batch", [1, 7])
def test_asks_for_the_farthest_row_from_all_labelled_ones(begin, batch):
    start = [3, 50, 51, 120]
    assert begin(X, CoreSet(), start=start).ask(batch, 28 // batch) == farthest(Z, start, 28)


@pytest.mark.parametrize("seed", range(3))
def test_one_row_of_each_far_cluster_where_nothing_is_labelled(begin, seed):
    blobs = np.repeat(np.eye(4) * 50, 5, axis=0) + np.random.default_rng(0).normal(size=(20, 4))
    rows = begin(blobs, CoreSet(), seed=seed, ties="random").ask(4)
    assert sorted(row // 5 for row in rows) == [0, 1, 2, 3]


def test_medoid_first_and_then_the_farthest_from_it(begin):
    medoid = int((cdist(Z, Z) ** 2).sum(axis=1).argmin())
    rows = begin(X, CoreSet(first="medoid")).ask(6)
    assert rows == [medoid, *farthest(Z, [medoid], 5)]


def test_rows_out_for_labelling_are_centres(begin):
    state = begin(X, CoreSet(), start=[3]).state
    out = state.query(1)
    state.close(out)
    assert state.query(2).tolist() == farthest(Z, [3, *out.tolist()], 2)


def test_unknown_first_is_refused():
    with pytest.raises(alcore.InputError, match='use "random" or "medoid"'):
        CoreSet(first="nearest")
