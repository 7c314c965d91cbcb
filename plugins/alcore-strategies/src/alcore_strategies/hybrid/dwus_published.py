"""Density-weighted uncertainty as published results have it: libact's, which is a number only in few dimensions."""

from __future__ import annotations

from typing import Literal

import numpy as np

import alcore
from alcore import Floats, InputError, Pool, Rows, View
from alcore_strategies.geometry import squared_distances
from alcore_strategies.hybrid.clustering import k_means
from alcore_strategies.hybrid.dwus import NGUYEN, check_parameters, cluster_logits, design, sigmoid


@alcore.strategy(
    "dwus-published",
    summary="DWUS with libact's densities, which are NaN in many dimensions, as in published comparisons",
    learner=False,
    max_classes=2,
    batch="top",
    source=f"{NGUYEN}, in the code of libact",
    group="hybrid",
)
class DwusPublished:
    """argmax_x p(x) min(p(y=1|x), p(y=-1|x)), as libact computes it.

    Three things differ from ``dwus``:

    - p(k|x) is a quotient of exp(-|x - c_k|^2 / 2 sigma), and 0/0 where all are 0 in double precision: in many
      dimensions. One such row makes the priors NaN, and with them every row; libact asks for the first of the pool;
    - p(x) has variance sqrt(sigma), not sigma;
    - published runs with learners that want labels 0 and 1 handed libact just these: sigmoid(y f) is then 1/2 for
      every row of class 0, whose labels say nothing.

    Parameters
    ----------
    clusters, sigma, C
        As in ``dwus``; libact's defaults.
    iterations : int
        Of EM (libact's ``max_iter``).
    labels : "signs" or "codes"
        -1 and 1, or 0 and 1 as in the published runs of XGBoost.
    seed : int
        Of k-means; 1126 in the published runs.
    """

    def __init__(
        self,
        clusters: int = 5,
        sigma: float = 0.1,
        C: float = 1.0,
        iterations: int = 100,
        labels: Literal["signs", "codes"] = "signs",
        seed: int = 1126,
    ) -> None:
        check_parameters(clusters, sigma, C, 1.0, seed)
        if labels not in ("signs", "codes"):
            raise InputError(f'labels is {labels!r}; use "signs" or "codes".')
        if not iterations >= 1:
            raise InputError(f"iterations is {iterations!r}; give 1 or more.")
        self.clusters, self.sigma, self.C, self.iterations = clusters, sigma, C, iterations
        self.labels, self.seed = labels, seed

    def scores(self, view: View) -> Floats:
        """Return the score of each unlabelled row, infinite where it is NaN to libact."""
        centres, P, density = view.pool.memo(
            ("dwus-published", self.clusters, self.sigma, self.iterations, self.seed), lambda: self._mixture(view.pool)
        )
        if np.isnan(P).any():
            return np.full(len(view.unlabeled), np.inf)
        seen = view.labeled if self.labels == "signs" else view.labeled[view.y > 0]
        y = np.where(view.y > 0, 1.0, -1.0) if self.labels == "signs" else np.ones(len(seen))
        p = P[view.unlabeled] @ sigmoid(cluster_logits(centres, P[seen], y, self.C))
        score: Floats = density[view.unlabeled] * np.where(p >= 0.5, 1.0 - p, p)
        return score

    def query(self, view: View, n: int) -> Rows:
        """Return the rows of the largest scores; the first of the pool, whatever ``ties`` says, where they are NaN."""
        scores = self.scores(view)
        return view.unlabeled[:n] if np.isposinf(scores).any() else view.top(scores, n, rounding=0)

    def _mixture(self, pool: Pool) -> tuple[Floats, Floats, Floats]:
        """Return the centres as ``dwus.design`` has them, p(k|x) and p(x), step by step as libact does."""
        X = pool.features
        centres, _ = k_means(X, self.clusters, self.seed, mini=False, exact=True)
        D2 = squared_distances(X, centres)
        apart, prior = np.exp(-D2 / 2.0 / self.sigma), np.full(len(centres), 1.0 / len(centres))
        with np.errstate(invalid="ignore"):  # 0/0 is what is published
            for _ in range(self.iterations):
                joint = apart * prior
                P = joint / joint.sum(axis=1, keepdims=True)
                prior = P.mean(axis=0)
        variance = np.sqrt(self.sigma)
        of_cluster = np.exp(-D2 / 2.0 / variance - 0.5 * X.shape[1] * np.log(2.0 * np.pi * variance))
        return design(centres), P, of_cluster @ prior
