"""k-means of scikit-learn, in silence, and in bounded memory for large pools."""

from __future__ import annotations

import warnings
from typing import Any

from alcore import Floats, Rows
from alcore_strategies.geometry import unlike

MANY = 5_000
"""More rows than this are clustered by mini-batches: k-means itself would take many passes over them."""


def k_means(
    X: Any, k: int, seed: int, *, mini: bool | None = None, weights: Floats | None = None, exact: bool = False
) -> tuple[Floats, Rows]:
    """Return the centres (k, d) and the cluster of each row (n,) of k-means++ and Lloyd's algorithm.

    Parameters
    ----------
    k : int
        Number of clusters; more than there are rows gives one per row. Where rows repeat, clusters may be empty.
    seed : int
        Of the first centres.
    mini : bool or None
        Mini-batches of 1024 rows; None takes them for more than ``MANY`` rows.
    weights : (n,) or None
        Of the rows; None takes ones.
    exact : bool
        Cluster the rows themselves, so that what is equally near to two centres is as the processor rounds it.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    rows = X.shape[0]
    make: Any = MiniBatchKMeans if (rows > MANY if mini is None else mini) else KMeans
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        model = make(n_clusters=min(k, rows), n_init=1, random_state=seed)
        found = model.fit(X if exact else unlike(X), sample_weight=weights)
    return found.cluster_centers_, found.labels_


def mini_batches(X: Floats, k: int, seed: int) -> Floats:
    """Return the distance of each row to each centre (n, k) of scikit-learn's mini-batch k-means, by its defaults."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        distances: Floats = MiniBatchKMeans(n_clusters=k, random_state=seed).fit_transform(X)
    return distances
