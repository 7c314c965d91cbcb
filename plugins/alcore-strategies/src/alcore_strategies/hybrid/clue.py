"""CLUE: the middles of clusters of rows that are uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import alcore
from alcore import Floats, Rows, Task, View
from alcore.interop import dense
from alcore_strategies.checks import counts, positive
from alcore_strategies.embedding import (
    LAST_LAYER,
    Layer,
    hidden_of,
    needs_of,
    squared_norms,
    stacked,
)
from alcore_strategies.geometry import ROUNDING, without_taken
from alcore_strategies.hybrid.clustering import k_means

LEAST = 1e-9
"""Of the largest weight: rows that are certain do not pull centres, and are no division by zero."""


def weights(p: Floats, task: Task, temperature: float) -> Floats:
    """Return the entropy (n,), in nats, of p^(1/T) normalised; the sum over labels where there are several."""
    p = np.stack([p, 1.0 - p], axis=-1) if task is Task.MULTILABEL else p
    if temperature != 1.0:
        # Of the largest, so that no row of small probabilities vanishes.
        p = (p / p.max(axis=-1, keepdims=True)) ** (1.0 / temperature)
        p /= p.sum(axis=-1, keepdims=True)
    H = -(p * np.log(np.where(p > 0, p, 1.0)))
    total: Floats = H.reshape(len(H), -1).sum(axis=1)
    return total


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    needs = needs_of("clue")(params)
    positive("clue", temperature=params["temperature"])
    counts("clue", sample=params["sample"])
    return needs


@alcore.selects(
    "clue",
    summary="The rows nearest to the centres of clusters that uncertain rows pull",
    revision=2,
    tasks={Task.CLASSIFICATION, Task.MULTILABEL},
    needs=LAST_LAYER,
    advice="layer='features'",
    stochastic=True,
    source="Prabhu, Chandrasekaran, Saenko and Hoffman, Active Domain Adaptation via Clustering "
    "Uncertainty-weighted Embeddings (ICCV 2021), algorithm 1",
    group="hybrid",
    adapt=_adapted,
)
def clue(view: View, n: int, *, layer: Layer = "auto", temperature: float = 1.0, sample: int = 50_000) -> Rows:
    """k-means of the embeddings phi(x), weighted by entropy, with n clusters; the nearest row to each centre.

    Rows that are out for labelling are clustered too, into one cluster more for each, which are theirs.

    Parameters
    ----------
    layer : "auto", "hidden", "embedding" or "features"
        phi; see ``hidden_of``.
    temperature : float
        T of the softmax whose entropy counts; below 1 uncertainty counts more against diversity.
    sample : int
        Of more unlabelled rows than that, so many, drawn anew in each round, make the centres; the nearest rows are
        sought among all.
    """
    _adapted({"layer": layer, "temperature": temperature, "sample": sample})
    H = weights(view.proba, view.pool.task, temperature)
    phi, out = hidden_of(view, view.unlabeled, layer), view.pending
    if len(H) <= n:
        return view.unlabeled
    pull = np.maximum(H, LEAST * H.max()) if H.any() else np.ones(len(H))
    some = slice(None) if len(H) <= max(sample, n) else view.rng.choice(len(H), size=max(sample, n), replace=False)
    seed, points, weight = int(view.rng.integers(2**31)), phi[some], pull[some]
    if len(out):
        taken = hidden_of(view, out, layer)
        doubt = weights(view.model.predict_proba(view.pool.take(out)), view.pool.task, temperature)
        points, weight = stacked(points, taken), np.concatenate([weight, np.maximum(doubt, pull.min())])
    centres = k_means(points, n + len(out), seed, mini=False, weights=weight)[0]
    if len(out):
        centres = without_taken(centres, dense(taken))
    norms2 = squared_norms(phi)
    free = np.ones(len(H), dtype=np.bool_)
    chosen = []
    # Of rows that are equally near, chance takes one.
    rank = np.argsort(view.rng.permutation(len(H)))
    for centre in centres:
        # |phi|^2 - 2 phi'c + |c|^2 in all: what is lost to cancellation is a share of its terms
        gap = norms2 - 2.0 * np.asarray(phi @ centre)
        near = np.flatnonzero(free & (gap <= gap[free].min() + ROUNDING * (norms2 + float(centre @ centre))))
        chosen.append(int(near[rank[near].argmin()]))
        free[chosen[-1]] = False
    return view.unlabeled[chosen]
