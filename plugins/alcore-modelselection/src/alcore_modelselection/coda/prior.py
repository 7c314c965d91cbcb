"""Dirichlet priors over the rows of each model's confusion matrix (paper, section 4.2, Eq. 5 to 7)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from alcore.types import Floats
from alcore_modelselection.predictions import Predictions

Prior: TypeAlias = Literal["consensus+diagonal", "consensus", "diagonal", "uniform"]
Confusion: TypeAlias = Literal["normalised", "counts"]


def confusion(predictions: Predictions) -> Floats:
    """Return each model's confusion matrix against the consensus labels, shape (H, C, C), as sums (Eq. 5).

    Entry (k, c, j) sums the probability that model k gives to class j over the rows whose consensus is c.
    """
    h, c = predictions.n_models, predictions.n_classes
    out = np.zeros((h, c, c))
    consensus = predictions.consensus
    if predictions.soft is None:
        start = consensus * c
        for k, one in enumerate(predictions.hard):
            out[k] = np.bincount(start + one, minlength=c * c).reshape(c, c)
        return out
    order = np.argsort(consensus, kind="stable")
    classes, first = np.unique(consensus[order], return_index=True)
    for k, one in enumerate(predictions.soft):
        out[k, classes] = np.add.reduceat(one[order].astype(np.float64), first, axis=0)
    return out


def dirichlet(
    predictions: Predictions, *, prior: Prior, alpha: float, temperature: float, confusion_form: Confusion
) -> Floats:
    """Return the parameters theta of the Dirichlet distribution of every row, shape (H, C, C) (Eq. 6 and 7).

    Parameters
    ----------
    predictions : Predictions
    prior : str
        With the consensus of Eq. 5 or without it; with the diagonal of Eq. 7 or with 2/C in every cell.
    alpha : float
        The weight of the consensus.
    temperature : float
        T of Eq. 6: parameters are divided by it.
    confusion_form : "normalised" or "counts"
        Whether each row of Eq. 5 is divided by its sum, as the published code does, or left as counts, as printed.
    """
    h, c = predictions.n_models, predictions.n_classes
    if "diagonal" in prior:
        base = np.full((c, c), 1.0 / (c - 1))
        np.fill_diagonal(base, 1.0)
    else:
        base = np.full((c, c), 2.0 / c)
    theta = np.broadcast_to(base, (h, c, c)).copy()
    if "consensus" in prior:
        counts = confusion(predictions)
        if confusion_form == "normalised":
            # A class that is nobody's consensus has an all-zero row, which stays one.
            counts /= np.maximum(counts.sum(axis=2, keepdims=True), 1e-6)
        theta += alpha * counts
    theta /= temperature
    return theta
