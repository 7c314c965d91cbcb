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
