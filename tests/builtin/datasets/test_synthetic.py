"""Synthetic data sets follow the distributions they document."""

import math

import numpy as np
import pytest

from alcore.builtin.datasets import synthetic
from alcore.errors import InputError
from alcore.types import Task

ALL = [
    synthetic.checkerboard,
    synthetic.two_moons,
    synthetic.clouds,
    synthetic.imbalanced,
    synthetic.sinusoid,
    synthetic.multilabel,
]
by_name = pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)


@by_name
def test_a_seed_gives_the_same_rows(make):
    assert make(n=50, seed=3).fingerprint() == make(n=50, seed=3).fingerprint()


@by_name
def test_another_seed_gives_other_rows(make):
    assert make(n=50, seed=3).fingerprint() != make(n=50, seed=4).fingerprint()


@by_name
def test_global_random_state_is_left_alone(make):
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    make(n=50)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


@by_name
def test_rows_and_seed_are_whole_numbers(make):
    with pytest.raises(InputError, match=r"n is 20\.5; give a whole number"):
        make(n=20.5)
    with pytest.raises(InputError, match="seed is -1; give a whole number of at least 0"):
        make(seed=-1)


@by_name
def test_numpy_integers_are_numbers_too(make):
    assert len(make(n=np.int64(30))) == 30


@pytest.mark.parametrize("cells", [2, 3, 5])
def test_checkerboard_colours_its_cells(cells):
    dataset = synthetic.checkerboard(n=60, cells=cells)
    expected = [(math.floor(a * cells) + math.floor(b * cells)) % 2 for a, b in dataset.X]
    assert dataset.codes.tolist() == expected
    assert dataset.X.min() >= 0
    assert dataset.X.max() < 1


def test_checkerboard_flips_the_share_asked_for():
    clean, noisy = synthetic.checkerboard(n=80), synthetic.checkerboard(n=80, flipped=0.1)
    np.testing.assert_array_equal(clean.X, noisy.X)
    assert (clean.codes != noisy.codes).sum() == 8


def test_two_moons_without_noise_lie_on_their_half_circles():
    dataset = synthetic.two_moons(n=61, noise=0)
    upper, lower = dataset.X[dataset.codes == 0], dataset.X[dataset.codes == 1]
    np.testing.assert_allclose(np.linalg.norm(upper, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(lower - [1, 0.5], axis=1), 1)
    assert upper[:, 1].min() >= 0
    assert lower[:, 1].max() <= 0.5
    assert (len(upper), len(lower)) == (31, 30)


def test_two_moons_noise_is_its_standard_deviation():
    exact, noisy = synthetic.two_moons(n=5000, noise=0), synthetic.two_moons(n=5000, noise=0.2)
    assert (noisy.X - exact.X).std() == pytest.approx(0.2, rel=0.05)


def test_clouds_have_equal_sizes_and_unit_spread():
    dataset = synthetic.clouds(n=4000, classes=4, dims=3)
    assert dataset.X.shape == (4000, 3)
    assert np.bincount(dataset.codes).tolist() == [1000] * 4
    for k in range(4):
        np.testing.assert_allclose(dataset.X[dataset.codes == k].std(axis=0), 1, atol=0.1)


def test_clouds_spread_their_centres_by_the_separation():
    near, far = (synthetic.clouds(n=20, separation=s).X for s in (0.0, 10.0))
    centres = (far - near) / 10  # the same draws but for the centres
    assert len(np.unique(centres.round(9), axis=0)) == 3


def test_imbalanced_has_the_share_asked_for():
    dataset = synthetic.imbalanced(n=200, ratio=0.05)
    assert np.bincount(dataset.codes).tolist() == [190, 10]


def test_imbalanced_keeps_one_row_of_the_small_class():
    assert np.bincount(synthetic.imbalanced(n=20, ratio=0.001).codes).tolist() == [19, 1]


def test_imbalanced_means_are_separated_as_said():
    dataset = synthetic.imbalanced(n=20000, ratio=0.5, dims=4, separation=2.0)
    means = [dataset.X[dataset.codes == k].mean(axis=0) for k in (0, 1)]
    assert np.linalg.norm(means[1] - means[0]) == pytest.approx(2.0, abs=0.1)


def test_sinusoid_without_noise_is_the_wave():
    dataset = synthetic.sinusoid(n=40, cycles=3, noise=0)
    assert dataset.task is Task.REGRESSION
    np.testing.assert_allclose(dataset.codes, [math.sin(2 * math.pi * 3 * x) for x in dataset.X[:, 0]], atol=1e-12)


def test_multilabel_shares_and_shapes():
    dataset = synthetic.multilabel(n=50, labels=7, dims=3, share=0.2)
    assert dataset.task is Task.MULTILABEL
    assert dataset.X.shape == (50, 3)
    assert dataset.codes.sum(axis=0).tolist() == [10] * 7


def test_multilabel_without_noise_is_separable_by_half_spaces():
    dataset = synthetic.multilabel(n=300, labels=3, dims=2, noise=0)
    for label in dataset.codes.T:
        with_label, without = dataset.X[label == 1], dataset.X[label == 0]
        angles = np.linspace(0, 2 * np.pi, 2000)
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
        gaps = (with_label @ directions.T).min(axis=0) - (without @ directions.T).max(axis=0)
        assert gaps.max() > -0.02


def test_every_label_occurs_and_is_absent():
    for share in (0.0, 0.999):
        present = synthetic.multilabel(n=20, share=share).codes.mean(axis=0)
        assert ((present > 0) & (present < 1)).all()


@pytest.mark.parametrize("make", [synthetic.two_moons, synthetic.clouds, synthetic.imbalanced])
def test_rows_are_shuffled(make):
    codes = make(n=60).codes
    assert (np.diff(codes) < 0).any()
    assert len({tuple(np.flatnonzero(make(n=60, seed=seed).codes == 0)) for seed in range(3)}) == 3


@pytest.mark.parametrize(
    ("make", "params", "message"),
    [
        (synthetic.checkerboard, {"cells": 1}, "cells is 1; give a whole number of at least 2"),
        (synthetic.checkerboard, {"flipped": 0.5}, "flipped is 0.5; give a number of at least 0 and below 0.5"),
        (synthetic.two_moons, {"noise": -1}, "noise is -1; give a number of at least 0, and finite"),
        (synthetic.two_moons, {"noise": math.nan}, "noise is nan"),
        (synthetic.two_moons, {"noise": math.inf}, "noise is inf"),
        (synthetic.clouds, {"n": 2, "classes": 3}, "n is 2; give a whole number of at least 3"),
        (synthetic.clouds, {"dims": True}, "dims is True"),
        (synthetic.imbalanced, {"ratio": 0.6}, "ratio is 0.6; give the share of the smaller class"),
        (synthetic.imbalanced, {"ratio": "0.1"}, "ratio is '0.1'"),
        (synthetic.sinusoid, {"cycles": "two"}, "cycles is 'two'"),
        (synthetic.multilabel, {"share": 1}, "share is 1; give a number of at least 0 and below 1"),
        (synthetic.multilabel, {"labels": 1}, "labels is 1"),
    ],
)
def test_wrong_parameters(make, params, message):
    with pytest.raises(InputError, match=message):
        make(**params)
