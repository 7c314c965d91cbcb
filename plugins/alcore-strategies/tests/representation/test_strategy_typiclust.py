"""TypiClust asks for typical rows of clusters without a label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import alcore
from alcore.decorators import spec_of
from alcore_strategies.representation import typiclust

SIZES = (24, 16, 12, 8, 3)
BLOB = np.repeat(np.arange(5), SIZES)


@pytest.fixture
def X():
    return 60.0 * np.eye(5)[BLOB] + np.random.default_rng(2).normal(size=(len(BLOB), 5))


@pytest.fixture
def asked(begin, X):
    """Return a function that returns the rows of one batch, and keeps the run."""

    def ask(n, *, start, seed=0, **params):
        return begin(X, spec_of(typiclust).build(**params), start=start, seed=seed).ask(n)

    return ask


def typical(X, blob, k, taken=()):
    """The row of a blob with the smallest mean distance to its k nearest others, by all distances."""
    Z = alcore.Pool(X, "regression").features
    rows = np.setdiff1d(np.flatnonzero(blob == BLOB), taken)
    D = np.sort(cdist(Z[rows], Z[rows]), axis=1)[:, 1 : 1 + min(k, len(rows) // 2)]
    return int(rows[D.mean(axis=1).argmin()])


@pytest.mark.parametrize("k", [20, 3])
def test_most_typical_rows_of_the_largest_uncovered_clusters(asked, X, k):
    first = np.flatnonzero(BLOB == 0)[:1]
    assert asked(4, start=first, neighbours=k, smallest=1) == [typical(X, blob, k) for blob in (1, 2, 3, 4)]


def test_small_clusters_come_last(asked, X):
    start = [np.flatnonzero(blob == BLOB)[0] for blob in (0, 1, 2)]
    assert BLOB[asked(2, start=start, smallest=1)].tolist() == [3, 4]
    assert BLOB[asked(2, start=start, smallest=5)].tolist() == [
        3,
        0,
    ]  # the largest of those with one label, and not the small one without


def test_clusters_with_fewest_labels_first_where_all_have_some(asked, X):
    start = [np.flatnonzero(blob == BLOB)[i] for blob, i in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0), (4, 0))]
    assert BLOB[asked(3, start=start, clusters=5, smallest=1)].tolist() == [2, 3, 4]


def test_a_second_row_of_a_cluster_is_typical_of_what_is_left(asked, X):
    start = [np.flatnonzero(blob == BLOB)[0] for blob in range(5)]
    rows = asked(6, start=start, clusters=5, smallest=1)
    assert BLOB[rows].tolist() == [0, 1, 2, 3, 4, 0]
    assert rows[0] == typical(X, 0, 20, taken=start)
    assert rows[5] == typical(X, 0, 20, taken=[*start, rows[0]])


def test_rows_out_for_labelling_cover_their_cluster(begin, X):
    state = begin(X, spec_of(typiclust).build(smallest=1), start=np.flatnonzero(BLOB == 0)[:1]).state
    state.close(np.flatnonzero(BLOB == 1)[:1])
    assert BLOB[state.query(3)].tolist() == [2, 3, 4]


@pytest.mark.parametrize("params", [{"neighbours": 0}, {"clusters": 0}, {"smallest": 0}])
def test_parameters_out_of_range_are_refused(asked, params):
    with pytest.raises(alcore.InputError, match=f"typiclust: {next(iter(params))}"):
        asked(1, start=[0], **params)
