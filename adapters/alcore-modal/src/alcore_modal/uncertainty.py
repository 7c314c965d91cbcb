"""Uncertainty sampling (``modAL.uncertainty``) and information density (``modAL.density``)."""

from __future__ import annotations

from alcore import Floats, InputError, View
from alcore_modal.face import Answers, Scored
from alcore_modal.library import load

_measures = load("modAL.uncertainty")
_density = load("modAL.density")
_combination = load("modAL.utils.combination")


def least_confident() -> Scored:
    """Make ``modal.least-confident``: 1 - max_k p_k, ``classifier_uncertainty``."""
    return Scored("modal.least-confident", _least_confident)


def margin() -> Scored:
    """Make ``modal.margin``: -(p_1 - p_2), ``classifier_margin``."""
    return Scored("modal.margin", _margin)


def entropy() -> Scored:
    """Make ``modal.entropy``: -sum_k p_k log p_k, ``classifier_entropy``."""
    return Scored("modal.entropy", _entropy)


def information_density(beta: float = 1.0, metric: str = "euclidean") -> Scored:
    """Make ``modal.information-density``: the product of ``classifier_uncertainty`` and ``information_density``.

    Parameters
    ----------
    beta : float
        The exponent of the density.
    metric : str
        A distance of ``sklearn.metrics.pairwise_distances``; a row's density is its mean similarity
        1 / (1 + distance) to the unlabelled rows, in ``Pool.features``.
    """
    if not beta >= 0:
        raise InputError(f"beta is {beta!r}; the exponent of the density is 0 or more.")
    return Scored("modal.information-density", _information_density, beta=beta, metric=metric)


def _least_confident(view: View) -> Floats:
    learner = Answers(view)
    doubt: Floats = _measures.classifier_uncertainty(learner, learner.rows)
    return doubt


def _margin(view: View) -> Floats:
    learner = Answers(view)
    gap: Floats = _measures.classifier_margin(learner, learner.rows)
    return -gap


def _entropy(view: View) -> Floats:
    learner = Answers(view)
    nats: Floats = _measures.classifier_entropy(learner, learner.rows)
    return nats


def _information_density(view: View, *, beta: float, metric: str) -> Floats:
    features = view.pool.features[view.unlabeled]
    product = _combination.make_product(
        lambda: _least_confident(view),
        lambda: _density.information_density(features, metric=metric),
        exponents=[1.0, beta],
    )
    scores: Floats = product()
    return scores
