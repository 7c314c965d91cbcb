"""How much a row promises, from the predictions alone: the acquisition functions of the baselines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from alcore.types import Floats
from alcore_modelselection.predictions import Predictions


def votes(hard: NDArray[np.integer], n_classes: int, weights: Floats) -> Floats:
    """Return the sum of the weights of the models that predict c, shape (N, C): hard (H, N), weights (H,)."""
    n = hard.shape[1]
    total = np.zeros(n * n_classes)
    start = np.arange(n) * n_classes
    for one, weight in zip(hard, weights, strict=True):
        total[start + one] += weight  # one entry per row, so that no index repeats
    return total.reshape(n, n_classes)


def ensemble_entropy(predictions: Predictions) -> Floats:
    """Return the entropy of the mean prediction in nats, shape (N,): -sum_c pi log(pi + 1e-8).

    Uncertainty sampling by a committee's mean prediction (Dagan and Engelson, 1995).
    """
    pi = predictions.mean
    return np.asarray(-(pi * np.log(pi + 1e-8)).sum(axis=1))


def expected_loss(predictions: Predictions, costs: Floats) -> Floats:
    """Return sum_k L_ki, the expected loss of every model's prediction under the ensemble, shape (N,).

    L_ki = sum_c pi_ic costs[c, prediction of k]; Active Testing's score of Kossen et al. (2021), Eq. 8, over models.
    """
    by_class = predictions.mean @ costs  # (N, C): what predicting j is expected to cost
    return np.asarray((by_class * _counts(predictions)).sum(axis=1))


def surrogate_gap(predictions: Predictions, costs: Floats) -> Floats:
    """Return sum_{k<l} |L_ki - L_li|, shape (N,), with L as in ``expected_loss``."""
    return _pair_gaps(predictions.mean @ costs, _counts(predictions))


def expected_gap(predictions: Predictions, costs: Floats) -> Floats:
    """Return sum_{k<l} sum_c pi_ic |costs[c, k's] - costs[c, l's]|, shape (N,) (Matsuura and Hara, 2023).

    For 0/1 costs this is sum_c pi_ic n_ic (H - n_ic), with n_ic models predicting c.
    """
    counts = _counts(predictions)
    total = np.zeros(predictions.n_rows)
    for c, row in enumerate(costs):
        total += predictions.mean[:, c] * _pair_gaps(np.broadcast_to(row, counts.shape), counts)
    return total


def _counts(predictions: Predictions) -> Floats:
    return votes(predictions.hard, predictions.n_classes, np.ones(predictions.n_models))


def _pair_gaps(values: Floats, counts: Floats) -> Floats:
    """Return sum over pairs of models of the difference of their values, shape (N,).

    Models that predict the same class have the same value, ``values`` (N, C), so that pairs of classes are enough:
    with classes in ascending order of value, sum_{k<l} |v_k - v_l| = sum_r v_r n_r (2 below_r + n_r - H).
    """
    order = np.argsort(values, axis=1, kind="stable")
    v, n = np.take_along_axis(values, order, axis=1), np.take_along_axis(counts, order, axis=1)
    up_to = np.cumsum(n, axis=1)
    return np.asarray((v * n * (2 * up_to - n - up_to[:, -1:])).sum(axis=1))
