"""Marginal cluster means: rows inside the margin that stand for its clusters."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Floats, Rows, View
from alcore_strategies.checks import before, positive
from alcore_strategies.geometry import nearest_distinct
from alcore_strategies.hybrid.clustering import k_means

XU = (
    "Xu, Yu, Tresp, Xu and Wang, Representative Sampling for Text Classification Using Support Vector Machines "
    "(ECIR 2003)"
)


def check_parameters(band: float) -> None:
    """Raise InputError where a parameter is out of range."""
    positive("mcm", band=band)


@alcore.selects(
    "mcm",
    summary="The row nearest to the mean of each cluster of rows inside the margin",
    revision=2,
    needs=("proba|decision",),
    stochastic=True,
    source=XU,
    group="hybrid",
    adapt=before(check_parameters),
)
def mcm(view: View, n: int, *, band: float = 1.0) -> Rows:
    """k-means with k = n on the rows inside the margin; of each cluster, the row nearest to its centre.

    Inside is |f(x)| < 1, as for support vector machines. For probabilities f is the log-odds, so that p lies between
    0.27 and 0.73. For more than two classes |f| is half the gap of the two largest decision values, or the log-odds of
    the two likeliest classes; with two they are the same. Where no more than n rows are inside, or one class only is
    labelled and there is no margin, the rows of smallest |f| are asked: margin sampling. Rows that are out for
    labelling have clusters of their own.

    Parameters
    ----------
    band : float
        The bound on |f|; 1 is the margin of support vector machines.
    """
    check_parameters(band)
    f = distance_to_boundary(view)
    inside = np.flatnonzero(f < band)
    if n == 0 or len(inside) <= n or view.model.constant is not None:
        return view.top(-f, n)
    if view.ties == "random":  # of rows that are alike, the first is as good as drawn
        inside = view.rng.permutation(inside)
    X = view.pool.features[view.unlabeled[inside]]
    taken = view.pool.features[view.pending]
    chosen = inside[_representatives(X, n, int(view.rng.integers(2**31)), taken)]
    if len(chosen) < n:  # fewer distinct rows than clusters: the most uncertain of the others
        rest = np.full(len(f), -np.inf)
        rest[inside] = -f[inside]
        rest[chosen] = -np.inf
        return np.concatenate([view.unlabeled[chosen], view.top(rest, n - len(chosen))])
    return view.unlabeled[chosen]


def distance_to_boundary(view: View) -> Floats:
    """Return |f| of each unlabelled row: decision values where the learner has them, else log-odds; see ``mcm``."""
    if "decision" in view.model.levels:
        values, scale = view.decision, 0.5
        if values.ndim == 1:
            return np.abs(values)
    else:
        with np.errstate(divide="ignore"):
            values, scale = np.log(view.proba), 1.0
    if values.shape[1] == 1:
        return np.zeros(len(values))
    two = np.partition(values, -2, axis=1)[:, -2:]
    gap: Floats = scale * (two[:, 1] - two[:, 0])
    return gap


def _representatives(X: Floats, k: int, seed: int, taken: Floats) -> Rows:
    """Return the position of the row nearest to the centre of each of k clusters, those without rows left out.

    Points that are taken are clustered too, into one cluster more for each, and what is in theirs is left out.
    """
    if k == 1 and not len(taken):
        return nearest_distinct(X, X.mean(axis=0, keepdims=True), np.arange(len(X)))
    centres, cluster = k_means(np.concatenate([X, taken]), k + len(taken), seed)
    cluster, theirs = cluster[: len(X)], cluster[len(X) :]
    free = np.setdiff1d(cluster, theirs)[:k]
    found = [nearest_distinct(X, centres[[c]], np.flatnonzero(cluster == c)) for c in free]
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)
