"""ProbCover counts what a matrix of all balls counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

import alcore
from alcore_strategies.geometry import k_means
from alcore_strategies.representation import ProbCover
from alcore_strategies.representation.prob_cover import largest_pure_radius2

X, Y = load_iris(return_X_y=True)
PICK = np.random.default_rng(3).permutation(150)[:80]
X, Y = X[PICK] + 1e-6 * np.random.default_rng(0).normal(size=(80, 4)), Y[PICK]
Z = alcore.Pool(X, "regression").features


def greedy_cover(D, delta, labeled, n):
    """Algorithm 1 on the graph of all balls; ties to the first row."""
    edges = delta >= D
    labeled, asked = list(labeled), []
    for _ in range(n):
        covered = edges[labeled].any(axis=0)
        gain = (edges & ~covered).sum(axis=1)
        gain[labeled] = -1
        asked.append(int(gain.argmax()))
        labeled.append(asked[-1])
    return asked


@pytest.mark.parametrize("batch", [1, 6])
@pytest.mark.parametrize("delta", [0.4, 0.9, 100.0])
def test_covers_most_of_what_is_not_covered(begin, delta, batch):
    run = begin(X, ProbCover(delta=delta), start=[2, 7], y=Y)
    assert run.ask(batch, 24 // batch) == greedy_cover(cdist(Z, Z), delta, [2, 7], 24)


@pytest.mark.parametrize("alpha", [0.5, 0.95, 1.0])
def test_radius_is_the_largest_of_that_purity(alpha):
    cluster = k_means(Z, 3, np.random.default_rng(0), repeats=10)[1]
    D = cdist(Z, Z)

    def purity(delta):
        balls = delta >= D
        return np.mean([len(set(cluster[ball])) == 1 for ball in balls])

    delta = np.sqrt(largest_pure_radius2(Z, alpha, 3))
    assert purity(delta * (1 - 1e-9)) >= alpha
    assert purity(delta * (1 + 1e-9)) < alpha


def test_radius_of_the_classes_by_default(begin):
    run = begin(X, ProbCover(), start=[0], y=Y)
    assert run.state.strategy.radius2 == largest_pure_radius2(Z, 0.95, 3)
    more = begin(X, ProbCover(alpha=0.9, clusters=5), start=[0], y=Y)
    assert more.state.strategy.radius2 == largest_pure_radius2(Z, 0.9, 5)


def test_one_radius_for_all_seeds(begin):
    pool = alcore.Pool(X, "classification", [0, 1, 2])
    radii = {begin(pool, ProbCover(), start=[0], y=Y, seed=seed).state.strategy.radius2 for seed in range(3)}
    assert len(radii) == 1


def test_counts_after_many_labels_are_those_from_scratch(begin):
    run = begin(X, ProbCover(delta=0.7), start=[1], y=Y)
    rows = run.ask(1, 15)
    scratch = begin(X, ProbCover(delta=0.7), start=[1, *rows], y=Y)
    np.testing.assert_array_equal(run.state.strategy.uncovered, scratch.state.strategy.uncovered)
    np.testing.assert_array_equal(run.state.strategy.covered, scratch.state.strategy.covered)


@pytest.mark.parametrize("params", [{"delta": 0.0}, {"alpha": 0.0}, {"alpha": 1.1}, {"clusters": 1}])
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(alcore.InputError, match=f"prob-cover: {next(iter(params))}"):
        ProbCover(**params)
