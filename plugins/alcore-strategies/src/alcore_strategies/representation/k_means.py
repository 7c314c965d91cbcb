"""K-means: as many clusters as labels, and the row in the middle of each."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Rows, View
from alcore_strategies.checks import before, counts
from alcore_strategies.geometry import k_means, nearest_distinct, principal_components, without_taken


def check_parameters(components: int | None, sample: int) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("k-means", components=components, sample=sample)


@alcore.selects(
    "k-means",
    summary="The rows nearest to the centres of as many clusters",
    revision=2,
    tasks=frozenset(alcore.Task),
    learner=False,
    stochastic=True,
    source="Zhdanov, Diverse Mini-Batch Active Learning (2019), without weights; on principal components as in the "
    "speed-up paper",
    group="representation",
    adapt=before(check_parameters),
)
def k_means_batch(view: View, n: int, *, components: int | None = 5, sample: int = 50_000) -> Rows:
    """Cluster the unlabelled rows into n; ask for the row nearest to each centre that none before it has taken.

    Parameters
    ----------
    components : int or None
        Cluster on so many principal components of the pool; None takes ``Pool.features`` themselves.
    sample : int
        Of more unlabelled rows than that, so many, drawn anew in each round, make the centres; the nearest rows are
        sought among all.
    """
    check_parameters(components, sample)
    pool = view.pool
    z = pool.features
    if components is not None and components < z.shape[1]:
        z = pool.memo(("k-means", components), lambda: principal_components(pool.features, components))
    candidates = view.unlabeled
    most = max(sample, n)
    few = candidates if len(candidates) <= most else view.rng.choice(candidates, most, replace=False)
    out = view.pending  # clustered too, into one cluster more for each, which are theirs
    centres, _ = k_means(z[np.concatenate([few, out])], n + len(out), view.rng)
    centres = without_taken(centres, z[out])
    if view.ties == "random":
        candidates = view.rng.permutation(candidates)
    return nearest_distinct(z, centres, candidates)
