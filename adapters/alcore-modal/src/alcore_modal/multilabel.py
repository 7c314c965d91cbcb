"""Samplers of multi-label tasks (``modAL.multilabel``)."""

from __future__ import annotations

import numpy as np

from alcore import Floats, Rows, View
from alcore_modal.face import Answers, Scored, every, per_label
from alcore_modal.library import load

_samplers = load("modAL.multilabel")


class BinaryMinimum:
    """The row that is nearest to one label's boundary: ``SVM_binary_minimum``.

    modAL answers one row, the first of equal ones. It is asked again without that row until the batch is full, and is
    given the rows in an order drawn from the run's seed, unless ties go to the first. Its own ``random_tie_break``
    answers the row that is farthest from every boundary, and is not used.
    """

    name = "modal.binary-minimum"

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the smallest distance to a boundary."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        view.top(view.decision.min(axis=1), 0)  # refuses NaN, which argmin would take for the smallest
        classifier, m = per_label(view.decision), len(view.unlabeled)
        left = view.rng.permutation(m) if view.ties == "random" else np.arange(m)
        chosen: list[int] = []
        for _ in range(n):
            nearest = _samplers.SVM_binary_minimum(classifier, left)
            chosen.append(left[nearest])
            left = np.delete(left, nearest)
        return view.unlabeled[chosen]


def max_loss() -> Scored:
    """Make ``modal.max-loss``: the hinge loss of the predicted labels if the surest label were the only one."""
    return Scored("modal.max-loss", _max_loss)


def mean_max_loss() -> Scored:
    """Make ``modal.mean-max-loss``: the mean, over labels, of that loss if the label were the only one."""
    return Scored("modal.mean-max-loss", _mean_max_loss)


def min_confidence() -> Scored:
    """Make ``modal.min-confidence``: the smallest probability of any label."""
    return Scored("modal.min-confidence", _min_confidence)


def avg_confidence() -> Scored:
    """Make ``modal.avg-confidence``: the largest mean probability of the labels."""
    return Scored("modal.avg-confidence", _avg_confidence)


def max_score() -> Scored:
    """Make ``modal.max-score``: the largest p_j (yhat_j - 1/2) of any label."""
    return Scored("modal.max-score", _max_score)


def avg_score() -> Scored:
    """Make ``modal.avg-score``: the largest mean of p_j (yhat_j - 1/2) over the labels."""
    return Scored("modal.avg-score", _avg_score)


# Each returns the values it chooses by; random_tie_break=False, because max_score shuffles by default, with global
# random state, and alcore breaks the ties.
def _values(view: View, sampler: str) -> Floats:
    learner = Answers(view)
    return every(getattr(_samplers, sampler), learner, learner.rows, random_tie_break=False)


def _max_loss(view: View) -> Floats:
    return _values(view, "max_loss")


def _mean_max_loss(view: View) -> Floats:
    return _values(view, "mean_max_loss")


def _min_confidence(view: View) -> Floats:
    return -_values(view, "min_confidence")


def _avg_confidence(view: View) -> Floats:
    return _values(view, "avg_confidence")


def _max_score(view: View) -> Floats:
    return _values(view, "max_score")


def _avg_score(view: View) -> Floats:
    return _values(view, "avg_score")
