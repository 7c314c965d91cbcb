"""Density-weighted uncertainty sampling."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from alcore import Floats, Pool, Rows, StrategyError, View
from alcore.interop import signs
from alcore_libact.library import Dataset, quiet

with quiet():
    from libact.query_strategies import density_weighted_uncertainty_sampling as home  # type: ignore[import-untyped]


class DWUS:
    """``DWUS``: density times expected error under a logistic regression of cluster centres (Donmez et al. 2007).

    The clusters and the density are made once per run; they need no labels.

    Parameters
    ----------
    clusters : int
        Number of k-means clusters (libact's ``n_clusters``).
    sigma : float
        Variance of each cluster. Distances are of standardised features unless the run says otherwise.
    C : float
        Weight of the penalty of the logistic regression.
    """

    name = "libact.dwus"

    def __init__(self, clusters: int = 5, sigma: float = 0.1, C: float = 1.0) -> None:
        self.clusters, self.sigma, self.C = clusters, sigma, C

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Cluster the pool.

        Raises
        ------
        StrategyError
            If the share of a cluster in a row is 0/0: in many dimensions exp(-distance^2 / 2 sigma) is 0 for all.
        """
        n = len(pool)
        with quiet():
            self.mixture = home.DWUS(
                Dataset(pool.features, np.full(n, None, dtype=object)),
                n_clusters=min(self.clusters, n),
                sigma=self.sigma,
                C=self.C,
                random_state=int(rng.integers(2**31)),
            )
        if not np.isfinite(self.mixture.P_k_x).all():
            raise StrategyError(
                f"{self.name} gave NaN for the density of rows: with sigma={self.sigma} and {pool.features.shape[1]} "
                "features, exp(-distance^2 / 2 sigma) is 0 for every cluster. Use a larger sigma."
            )

    def scores(self, view: View) -> Floats:
        """Return p(x) min(P(y=1|x), P(y=0|x)), with P(y|x) = sum_k P(y|k) P(k|x)."""
        mixture, by_row = self.mixture, np.argsort(view.labeled)
        labeled = view.labeled[by_row]
        model = home.DensityWeightedLogisticRegression(mixture.P_k_x[labeled], mixture.kmeans_.cluster_centers_, self.C)
        with quiet():
            model.train(labeled, signs(view.y[by_row])[:, None])
            of_cluster = np.asarray(model.predict(), dtype=np.float64)[:, 0]
        positive = mixture.P_k_x[view.unlabeled] @ of_cluster
        error: Floats = np.minimum(positive, 1.0 - positive) * mixture.p_x[view.unlabeled]
        return error

    def query(self, view: View, n: int) -> Rows:
        """Return the rows of the largest scores."""
        return view.top(self.scores(view), n)
