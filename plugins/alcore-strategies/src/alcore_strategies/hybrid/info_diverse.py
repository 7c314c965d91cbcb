"""Informative and diverse: small margins, and of each cluster no more than its share of the batch."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Rows, View
from alcore.builtin.strategies import margin
from alcore.select import top
from alcore_strategies.checks import before, counts, seeds
from alcore_strategies.hybrid.clustering import k_means


def check_parameters(clusters: int | None, seed: int) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("info-diverse", clusters=clusters)
    seeds("info-diverse", seed)


@alcore.selects(
    "info-diverse",
    summary="Smallest margins, with each cluster of the pool limited to its share of the batch",
    revision=2,
    needs=("proba|decision",),
    source="Google's active-learning playground, informative_diverse (2017)",
    group="hybrid",
    adapt=before(check_parameters),
)
def info_diverse(view: View, n: int, *, clusters: int | None = None, seed: int = 0) -> Rows:
    """Go through the rows by margin, and take one if fewer than n |c| / N rows of its cluster c have been taken.

    With N the rows of the pool and |c| those of the cluster, that is the ceiling of the cluster's share: a batch of one
    is margin sampling. Where clusters run out of rows, the smallest margins fill the batch. Rows that are out for
    labelling belong to the batch: their clusters' shares are theirs first.

    Parameters
    ----------
    clusters : int or None
        Number of k-means clusters of ``pool.features``, by mini-batches; None takes the number of classes.
    seed : int
        Of the clusters, which are made once per pool and shared by all runs.
    """
    check_parameters(clusters, seed)
    k = max(view.pool.n_classes, 1) if clusters is None else clusters
    scores = margin(view)
    out = view.pending
    if n <= 1 and not len(out):
        return view.top(scores, n)
    exact = view.ties == "exact"  # as published
    make = lambda: k_means(view.pool.features, k, seed, mini=True, exact=exact)[1]  # noqa: E731
    whole = view.pool.memo(("info-diverse", k, seed, exact), make)
    cluster, size, asked = whole[view.unlabeled], np.bincount(whole, minlength=k), np.bincount(whole[out], minlength=k)
    allowed = np.zeros(len(scores), dtype=np.bool_)
    for c in range(k):
        members = np.flatnonzero(cluster == c)
        quota = max(-(-(n + len(out)) * int(size[c]) // len(whole)) - int(asked[c]), 0)
        allowed[members[top(scores[members], quota, lambda: view.rng, view.ties)]] = True
    chosen = view.top(np.where(allowed, scores, -np.inf), min(n, int(allowed.sum())))
    if len(chosen) == n:
        return chosen
    rest = np.where(allowed, -np.inf, scores)
    return np.concatenate([chosen, view.top(rest, n - len(chosen))])
