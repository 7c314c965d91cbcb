"""K-means asks for the rows in the middle of the clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine

import alcore
from alcore.decorators import spec_of
from alcore_strategies.representation import k_means_batch


@pytest.fixture
def asked(begin):
    """Return a function that returns the rows of one batch; row 0 is labelled."""

    def ask(X, n, *, seed=0, **params):
        return begin(X, spec_of(k_means_batch).build(**params), start=[0], seed=seed, ties="random").ask(n)

    return ask


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    return np.repeat(np.eye(4) * 50, 10, axis=0) + rng.normal(size=(40, 4))


def test_one_row_of_each_blob_and_the_one_nearest_to_its_mean(asked, blobs):
    Z = alcore.Pool(blobs, "regression").features
    groups = [np.setdiff1d(np.arange(10 * b, 10 * b + 10), [0]) for b in range(4)]
    expected = [g[((Z[g] - Z[g].mean(axis=0)) ** 2).sum(axis=1).argmin()] for g in groups]
    assert sorted(asked(blobs, 4)) == sorted(expected)


def test_a_batch_of_one_is_the_row_nearest_to_the_mean(asked):
    X = load_wine().data
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    Z5 = (U * s)[1:, :5]
    assert asked(X, 1) == [1 + ((Z5 - Z5.mean(axis=0)) ** 2).sum(axis=1).argmin()]


def test_all_features_without_components(asked):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 20.0], 20), *(np.tile([-9.0, 9.0], 20) for _ in range(6))])
    X = X + rng.normal(scale=0.1, size=X.shape)
    Z = alcore.Pool(X, "regression").features[1:]
    centres = KMeans(4, n_init=5, random_state=0).fit(Z).cluster_centers_
    nearest = [1 + int(((Z - centre) ** 2).sum(axis=1).argmin()) for centre in centres]
    assert sorted(asked(X, 4, components=None)) == sorted(nearest)


def test_components_leave_out_what_varies_little(asked):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 10.0], 20), rng.normal(size=(40, 6))])
    X[:, 1:3] += X[:, :1]  # so that the groups are the first component
    assert {row // 20 for row in asked(X, 2, components=1)} == {0, 1}


def test_a_sample_makes_the_centres_and_all_rows_may_be_asked(asked, blobs):
    rows = {row for seed in range(12) for row in asked(blobs, 4, seed=seed, sample=4)}
    assert len(rows) > 8
    assert all(len(set(asked(blobs, 4, seed=seed, sample=4))) == 4 for seed in range(3))


@pytest.mark.parametrize("params", [{"components": 0}, {"sample": 0}])
def test_parameters_out_of_range_are_refused(asked, blobs, params):
    with pytest.raises(alcore.InputError, match=f"k-means: {next(iter(params))}"):
        asked(blobs, 2, **params)
