"""Distances in blocks are those of the textbook formula; seeding and nearest rows take none twice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA

import alcore
from alcore_strategies import geometry


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def brute(A, B):
    return ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)


@pytest.mark.parametrize("d", [1, 3, 40])
def test_squared_distances(rng, d):
    A, B = rng.normal(size=(23, d)), rng.normal(size=(17, d))
    np.testing.assert_allclose(geometry.squared_distances(A, B), brute(A, B), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [3, 40])
def test_squared_distances_far_from_the_origin_keep_their_digits(rng, d):
    A = 1e6 + rng.normal(size=(20, d))
    D = geometry.squared_distances(A, A)
    np.testing.assert_allclose(D, brute(A, A), rtol=1e-9)
    assert (np.diag(D) == 0).all()
    assert (D >= 0).all()


@pytest.mark.parametrize("rows", [None, np.array([5, 0, 19])])
def test_distances_to_one_point(rng, rows):
    A = rng.normal(size=(20, 6))
    found = geometry.distances_to(A, A[3], rows)
    np.testing.assert_allclose(found, brute(A, A[3:4])[:, 0][slice(None) if rows is None else rows])


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_distances_to_a_row_keep_their_digits(rng, shift):
    A = np.repeat(shift + rng.normal(size=(20, 6)), 2, axis=0)
    A[5] += 1e-5
    squares = np.einsum("ij,ij->i", A, A)
    D = geometry.distances_to_row(A, squares, 4)
    np.testing.assert_allclose(D, brute(A, A[4:5])[:, 0], rtol=1e-11)
    assert D[4] == 0
    assert geometry.distances_to_row(A, squares, 9)[8] == 0  # a copy


@pytest.mark.parametrize("memory", [1, 500, 1 << 20])
def test_nearest_whatever_the_block(rng, memory):
    A, B = rng.normal(size=(31, 4)), rng.normal(size=(9, 4))
    distance, index = geometry.nearest(A, B, memory)
    np.testing.assert_array_equal(index, brute(A, B).argmin(axis=1))
    np.testing.assert_allclose(distance, np.sqrt(brute(A, B).min(axis=1)))


def test_nearest_of_none_is_refused(rng):
    with pytest.raises(alcore.InputError, match="needs a row in B"):
        geometry.nearest(rng.normal(size=(3, 2)), np.empty((0, 2)))


def test_blocks_cover_all_and_fit_in_memory():
    parts = list(geometry.blocks(1000, width=10, memory=8 * 10 * 64))
    assert np.concatenate([np.arange(1000)[part] for part in parts]).tolist() == list(range(1000))
    assert max(part.stop - part.start for part in parts) == 64


def test_k_plus_plus_draws_by_squared_distance(rng):
    points = np.array([[0.0], [1.0], [3.0]])
    second = [
        geometry.k_plus_plus(lambda i: geometry.distances_to(points, points[i]), 3, 2, rng, first=0)[1]
        for _ in range(1500)
    ]
    assert np.mean(np.array(second) == 2) == pytest.approx(0.9, abs=0.03)  # 9 : 1


def test_k_plus_plus_of_copies_are_distinct(rng):
    points = np.repeat([[0.0], [1.0]], 4, axis=0)
    drawn = geometry.k_plus_plus(lambda i: geometry.distances_to(points, points[i]), 8, 8, rng)
    assert sorted(drawn) == list(range(8))
    assert set(points[drawn[:2], 0]) == {0.0, 1.0}


def test_k_plus_plus_of_more_than_there_are(rng):
    assert len(geometry.k_plus_plus(lambda i: np.zeros(3), 3, 9, rng)) == 3
    assert len(geometry.k_plus_plus(lambda i: np.zeros(3), 3, 0, rng)) == 0


def test_nearest_distinct_gives_each_centre_the_nearest_that_is_left():
    points = np.array([[0.0], [1.0], [2.0], [10.0]])
    centres = np.array([[0.9], [0.8], [1.1]])
    assert geometry.nearest_distinct(points, centres, np.array([0, 1, 2, 3])).tolist() == [1, 0, 2]
    assert geometry.nearest_distinct(points, centres, np.array([3, 2])).tolist() == [2, 3]


def test_nearest_distinct_takes_the_first_of_two_that_rounding_tells_apart(rng):
    pair = rng.normal(size=(2, 7))
    for points in (pair, pair[::-1]):
        assert geometry.nearest_distinct(points, pair.mean(axis=0)[None] + 1e-16, np.array([0, 1])).tolist() == [0]


@pytest.mark.parametrize("shape", [(60, 8), (9, 30), (8, 8)])
def test_principal_components(rng, shape):
    X = rng.normal(size=shape) * np.arange(1, shape[1] + 1) + 5
    found, known = geometry.principal_components(X, 3), PCA(3).fit_transform(X)
    np.testing.assert_allclose(np.abs(found), np.abs(known), rtol=1e-7, atol=1e-9)


def test_principal_components_of_few_columns_are_the_centred_columns(rng):
    X = rng.normal(size=(20, 3))
    np.testing.assert_array_equal(geometry.principal_components(X, 5), X - X.mean(axis=0))


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_unlike_moves_points_by_less_than_anybody_sees_and_copies_alike(rng, make):
    points = np.concatenate([rng.integers(-2, 3, size=(30, 4)) * 1.0] * 2)
    moved = geometry.unlike(make(points))
    moved = moved.toarray() if hasattr(moved, "toarray") else moved
    np.testing.assert_allclose(moved, points, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(moved[:30], moved[30:])


def test_k_means_is_indifferent_to_the_rounding_of_symmetric_points():
    """A factor of two is exact, a third is not: on a grid, where points are between centres, both must agree."""
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    for k in range(2, 12):
        expected = geometry.k_means(grid, k, np.random.default_rng(k))[1]
        for scale in (2.0, 1.0 / 3.0, 0.1):
            found = geometry.k_means(grid * scale, k, np.random.default_rng(k))[1]
            assert found.tolist() == expected.tolist()


def test_k_means_finds_blobs_and_says_nothing_of_copies(rng):
    blobs = np.repeat([[0.0, 0.0], [9.0, 9.0]], 10, axis=0)
    centres, cluster = geometry.k_means(blobs, 2, rng)
    assert sorted(centres[:, 0]) == pytest.approx([0.0, 9.0], abs=1e-8)
    assert len(set(cluster[:10])) == len(set(cluster[10:])) == 1
    assert geometry.k_means(np.ones((6, 2)), 3, rng)[0].shape == (3, 2)
