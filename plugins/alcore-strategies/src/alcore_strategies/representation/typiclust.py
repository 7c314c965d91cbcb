"""TypiClust: the most typical row of each of the largest clusters that have no label."""

from __future__ import annotations

import itertools

import numpy as np

import alcore
from alcore import Floats, Rows, View
from alcore.select import top
from alcore_strategies.checks import before, counts
from alcore_strategies.geometry import blocks, k_means

ROUNDING = 1e-9


def check_parameters(neighbours: int, clusters: int, smallest: int) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("typiclust", neighbours=neighbours, clusters=clusters, smallest=smallest)


@alcore.selects(
    "typiclust",
    summary="Typical rows of the largest clusters without a label",
    revision=2,
    tasks=frozenset(alcore.Task),
    learner=False,
    stochastic=True,
    growth="quadratic",  # neighbours within a cluster
    source="Hacohen, Dekel and Weinshall, Active Learning on a Budget: Opposite Strategies Suit High and Low Budgets "
    "(ICML 2022), algorithm 1",
    group="representation",
    adapt=before(check_parameters),
)
def typiclust(view: View, n: int, *, neighbours: int = 20, clusters: int = 500, smallest: int = 5) -> Rows:
    """Cluster the pool into |labelled| + n clusters; ask for the most typical row of the largest uncovered ones.

    Typicality(x) = 1 / (mean distance of x to its K nearest neighbours in its cluster) (equation 4).

    Parameters
    ----------
    neighbours : int
        K, and no more than half of the cluster.
    clusters : int
        The most clusters; when they are fewer than labels and n, those with the fewest labels come first.
    smallest : int
        Clusters of fewer rows come last: they stand for few.
    """
    check_parameters(neighbours, clusters, smallest)
    features = view.pool.features
    known = np.concatenate([view.labeled, view.pending])
    k = min(len(known) + n, clusters, len(features))
    _, cluster = k_means(features, k, view.rng)
    size, covered = np.bincount(cluster, minlength=k), np.bincount(cluster[known], minlength=k)
    free = np.zeros(len(features), dtype=bool)
    free[view.unlabeled] = True
    order = np.lexsort((view.rng.permutation(k), -size, covered, size < smallest))
    chosen: list[int] = []
    for c in itertools.cycle(order):
        if len(chosen) == n:
            break
        rows = np.flatnonzero(free & (cluster == c))
        if len(rows):
            distance = mean_distance(features[rows], min(neighbours, len(rows) // 2))
            # Two that are each other's nearest, for one, tie.
            chosen.append(int(rows[top(-distance, 1, lambda: view.rng, view.ties, rounding=ROUNDING)[0]]))
            free[chosen[-1]] = False
    return np.array(chosen, dtype=np.intp)


def mean_distance(points: Floats, k: int) -> Floats:
    """Return the mean distance of each point (m, d) to the k nearest others, (m,); 0 for k = 0."""
    from sklearn.neighbors import NearestNeighbors

    if k == 0:
        return np.zeros(len(points))
    near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
    mean = np.empty(len(points))
    for part in blocks(len(points), width=2 * k * points.shape[1]):
        # By differences: those by products, which found the neighbours, have lost half of the digits of small ones.
        gaps = points[near[part]] - points[part, None]
        mean[part] = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps)).mean(axis=1)
    return mean
