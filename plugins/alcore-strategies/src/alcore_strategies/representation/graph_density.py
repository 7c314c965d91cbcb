"""Graph density: rows in the midst of near neighbours, whose neighbours then count for less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore_strategies.checks import positive
from alcore_strategies.representation.greedy import greedily


class Graph(NamedTuple):
    """The symmetric k-nearest-neighbour graph P: row i's neighbours are ``joined[start[i] : start[i + 1]]``."""

    start: Rows
    joined: Rows
    density: Floats


def nearest_neighbour_graph(features: Floats, k: int, width: float) -> Graph:
    """Return P_ij = 1 where i is among the k nearest rows of j or j among those of i, in the L1 distance d.

    The density is Gra(i) = sum_j W_ij / sum_j P_ij with W_ij = P_ij exp(-d_ij / width), width = 2 sigma^2.
    """
    from sklearn.neighbors import NearestNeighbors

    n = len(features)
    distances, neighbours = NearestNeighbors(n_neighbors=k, p=1).fit(features).kneighbors()
    i, j = np.repeat(np.arange(n), k), neighbours.ravel()
    edges, first = np.unique(np.concatenate([i * n + j, j * n + i]), return_index=True)  # sorted by i, then j
    weights = np.exp(-np.tile(distances.ravel(), 2)[first] / width)
    i, j = np.divmod(edges, n)
    degree = np.bincount(i, minlength=n)
    return Graph(np.append(0, np.cumsum(degree)), j, np.bincount(i, weights, minlength=n) / degree)


@alcore.strategy(
    "graph-density",
    summary="The row with the nearest neighbours; its neighbours lose its density",
    tasks=frozenset(alcore.Task),
    learner=False,
    growth="quadratic",  # the graph, once per pool; a query is linear
    source="Ebert, Fritz and Schiele, RALF: A Reinforced Active Learning Formulation (CVPR 2012), section 3.2",
    group="representation",
)
class GraphDensity:
    """argmax_i Gra(i); then Gra(j) := Gra(j) - Gra(i) P_ij, so that the next row is from elsewhere.

    The graph is built once per pool. State: the densities after the rows asked for, O(neighbours) per label.

    Parameters
    ----------
    neighbours : int
        k; a pool of fewer rows joins each to all others.
    sigma : float or None
        Of the weights; None takes 2 sigma^2 = d, the number of features, as the published benchmark does.
    start : "ignore" or "subtract"
        Whether the start set, which was not chosen by density, lowers its neighbours' densities too. The published
        benchmark ignores it.
    """

    def __init__(self, neighbours: int = 10, sigma: float | None = None, start: str = "ignore") -> None:
        if neighbours < 1:
            raise InputError(f"graph-density: neighbours is {neighbours!r}; give 1 or more.")
        positive("graph-density", sigma=sigma)
        if start not in ("ignore", "subtract"):
            raise InputError(f'graph-density: start is {start!r}; use "ignore" or "subtract".')
        self.neighbours = neighbours
        self.sigma = sigma
        self.start = start

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Build the graph, unless another run on this pool has."""
        features = pool.features
        k = min(self.neighbours, len(pool) - 1)
        width = float(features.shape[1]) if self.sigma is None else 2.0 * self.sigma**2
        if k:
            make = lambda: nearest_neighbour_graph(features, k, width)  # noqa: E731
            self.graph = pool.memo(("graph-density", k, self.sigma), make)
        else:  # a pool of one row
            self.graph = Graph(np.zeros(2, dtype=np.intp), np.empty(0, dtype=np.intp), np.zeros(1))
        self.density = self.graph.density.copy()
        self.started = self.start == "subtract"

    def update(self, rows: Rows, labels: Labels) -> None:
        """Lower the densities around the new rows, one after the other."""
        if self.started:
            for row in rows.tolist():
                self._take(self.density, row)
        self.started = True

    def query(self, view: View, n: int) -> Rows:
        """Return the densest row, then the densest of what that leaves, and so on."""
        return greedily(view, n, self.density, self._take)

    def _take(self, density: Floats, row: int) -> None:
        start, joined, _ = self.graph
        density[joined[start[row] : start[row + 1]]] -= density[row]
