"""Ranked batch-mode sampling (``modAL.batch``)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from alcore import Rows, View
from alcore_modal.face import Answers
from alcore_modal.library import load

_batch = load("modAL.batch")
_measures = load("modAL.uncertainty")


class RankedBatch:
    """Uncertain rows that are far from the labelled ones and from each other: ``ranked_batch``.

    modAL takes the first of equal rows. It is given the unlabelled rows in an order drawn from the run's seed, unless
    ties go to the first, so that the order of the file decides nothing.

    Parameters
    ----------
    metric : str
        A distance of ``sklearn.metrics.pairwise_distances``, on ``Pool.features``.
    """

    name = "modal.ranked-batch"

    def __init__(self, metric: str = "euclidean") -> None:
        self.metric = metric

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, the first ranked first."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        learner = Answers(view)
        uncertainty = _measures.classifier_uncertainty(learner, learner.rows)
        view.top(uncertainty, 0)  # refuses NaN, which argmax would take for the largest
        m = len(view.unlabeled)
        order = view.rng.permutation(m) if view.ties == "random" else np.arange(m)
        rows, features = view.unlabeled[order], view.pool.features
        ranked, _ = _batch.ranked_batch(
            SimpleNamespace(on_transformed=False, X_training=features[view.labeled] if len(view.labeled) else None),
            unlabeled=features[rows],
            uncertainty_scores=uncertainty[order],
            n_instances=n,
            metric=self.metric,
            n_jobs=None,
        )
        answer: Rows = rows[ranked]
        return answer
