"""Uncertainty sampling, and its weighting by density."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from alcore import Floats, InputError, View
from alcore.interop import seed_of
from alcore_libact.asking import Scored
from alcore_libact.library import pool_based, quiet
from alcore_libact.models import Answers, FittedProba, uncertain
from alcore_libact.sheet import rows_in, sheet

METHODS = {"least-confident": "lc", "margin": "sm", "entropy": "entropy"}
"""alcore's name of a measure of uncertainty: libact's."""


def least_confident() -> Scored:
    """Return ``UncertaintySampling(method="lc")``."""
    return Scored("libact.least-confident", uncertainty, measure="least-confident")


def margin() -> Scored:
    """Return ``UncertaintySampling(method="sm")``."""
    return Scored("libact.margin", uncertainty, measure="margin")


def entropy() -> Scored:
    """Return ``UncertaintySampling(method="entropy")``."""
    return Scored("libact.entropy", uncertainty, measure="entropy")


def density_weighted(base: str = "entropy", beta: float = 1.0, clusters: int = 5) -> Scored:
    """Return ``DensityWeightedMeta`` over a measure of uncertainty.

    Parameters
    ----------
    base : "entropy", "margin" or "least-confident"
        libact multiplies the base's score by a similarity. Scores of the last two are negative, which turns the
        weighting round: rows unlike their cluster come first.
    beta : float
        Exponent of the similarity, a whole number where similarities can be negative.
    clusters : int
        Number of k-means clusters.
    """
    _checked(base)
    return Scored("libact.density-weighted", weighted, base=base, beta=beta, clusters=clusters)


def uncertainty(view: View, *, measure: str) -> Floats:
    """Return -max p, -(p_1 - p_2) or the entropy of ``view.unlabeled`` (Settles 2009, section 3.1)."""
    answers = Answers(view)
    model = FittedProba(answers) if measure == "entropy" else uncertain(answers)
    with quiet():
        strategy = pool_based.UncertaintySampling(sheet(view).dataset, model=model, method=METHODS[measure])
        return _values(strategy._get_scores())


def weighted(view: View, *, base: str, beta: float, clusters: int) -> Floats:
    """Return the base score times (cosine of a row and its cluster's centre) ^ beta (Settles 2009, section 3.6)."""
    answers, data = Answers(view), sheet(view)
    model = FittedProba(answers) if base == "entropy" else uncertain(answers)
    # libact always makes 5 clusters, and fails on fewer rows.
    means = _Clusters(view.pool.features, min(clusters, len(data.rows)), seed_of(view))
    with quiet():
        inner = pool_based.UncertaintySampling(data.dataset, model=model, method=METHODS[base])
        strategy = pool_based.DensityWeightedMeta(
            data.dataset, inner, clustering_method=means, similarity_metric=means.similarity, beta=beta
        )
        return _values(strategy._get_scores())


class _Clusters:
    """k-means of rows given by their numbers, and the cosine of every row and centre, which libact asks for singly."""

    def __init__(self, features: Floats, clusters: int, seed: int) -> None:
        from sklearn.cluster import KMeans

        self.features = features
        self.means = KMeans(n_clusters=clusters, random_state=seed)

    def fit(self, X: Any) -> Self:
        """Cluster these rows."""
        from sklearn.metrics.pairwise import cosine_similarity

        self.means.fit(self.features[rows_in(X)])
        self.cluster_centers_ = self.means.cluster_centers_
        self._number = {center.tobytes(): number for number, center in enumerate(self.cluster_centers_)}
        self._cosine = cosine_similarity(self.features, self.cluster_centers_)
        return self

    def predict(self, X: Any) -> Any:
        """Return the cluster of each row."""
        return self.means.predict(self.features[rows_in(X)])

    def similarity(self, row: Any, center: Any) -> Any:
        """Return the cosine of a row and a centre, shape (1, 1)."""
        return self._cosine[row, self._number[center.tobytes()]]


def _values(scored: Any) -> Floats:
    return np.fromiter((score for _, score in scored), dtype=np.float64)


def _checked(base: str) -> None:
    if base not in METHODS:
        raise InputError(f"base is {base!r}; use one of {', '.join(METHODS)}.")
