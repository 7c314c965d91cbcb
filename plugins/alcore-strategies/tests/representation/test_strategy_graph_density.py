"""Graph density is that of a loop over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import alcore
from alcore_strategies.representation import GraphDensity


def pool(X):
    return alcore.Pool(X, "regression")


def standard(X):
    return pool(X).features


def begun(X, **params):
    strategy = GraphDensity(**params)
    strategy.setup(pool(X), np.random.default_rng(0))
    return strategy


def brute(Z, k, width):
    """P, and the density of the paper."""
    n = len(Z)
    d = np.abs(Z[:, None, :] - Z[None, :, :]).sum(axis=2)
    P = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in np.argsort(d[i], kind="stable") if j != i][:k]
        P[i, others] = P[others, i] = True
    W = P * np.exp(-d / width)
    return P, W.sum(axis=1) / P.sum(axis=1)


@pytest.fixture
def Z():
    return np.random.default_rng(1).normal(size=(70, 5))


@pytest.mark.parametrize(("params", "k", "width"), [({}, 10, 5.0), ({"neighbours": 3, "sigma": 0.7}, 3, 2 * 0.7**2)])
def test_density_is_the_mean_weight_of_the_neighbours(Z, params, k, width):
    strategy = begun(Z, **params)
    np.testing.assert_allclose(strategy.density, brute(standard(Z), k, width)[1])


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_picks_are_those_of_a_dense_matrix(begin, load, batch):
    X = load().data
    X = X + 1e-6 * np.random.default_rng(0).normal(size=X.shape)  # iris has copies, among which neighbours are chance
    start = [1, 60, 100, 140]
    P, density = brute(standard(X), 10, X.shape[1])
    left, expected = np.ones(len(X), dtype=bool), []
    left[start] = False
    for _ in range(20):
        i = int(np.where(left, density, -np.inf).argmax())
        density = density - density[i] * P[i]
        left[i] = False
        expected.append(i)
    assert begin(X, GraphDensity(), start=start).ask(batch, 20 // batch) == expected


def test_start_set_may_lower_its_neighbours_as_well(Z):
    P, density = brute(standard(Z), 10, 5.0)
    for start, expected in (("ignore", density), ("subtract", density - density[7] * P[7])):
        strategy = begun(Z, start=start)
        strategy.update(np.array([7]), np.zeros(1))
        np.testing.assert_allclose(strategy.density, expected)


def test_graph_is_built_once_for_all_runs_on_a_pool(Z):
    shared, first, second = pool(Z), GraphDensity(), GraphDensity()
    first.setup(shared, np.random.default_rng(0))
    second.setup(shared, np.random.default_rng(1))
    assert first.graph is second.graph
    first.update(np.array([0]), np.zeros(1))
    first.update(np.array([1]), np.zeros(1))
    np.testing.assert_array_equal(second.density, second.graph.density)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_a_pool_of_few_rows_joins_all(n):
    strategy = begun(np.arange(n, dtype=float)[:, None])
    assert len(strategy.graph.joined) == n * (n - 1)
    assert np.isfinite(strategy.density).all()


@pytest.mark.parametrize("params", [{"neighbours": 0}, {"sigma": 0.0}, {"start": "both"}])
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(alcore.InputError, match=f"graph-density: {next(iter(params))}"):
        GraphDensity(**params)
