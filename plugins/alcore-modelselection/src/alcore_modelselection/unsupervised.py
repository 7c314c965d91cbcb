"""Model selection without any label (paper, section 9.2): a score per model, larger is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError
from alcore.types import Floats
from alcore_modelselection.coda.selector import Coda
from alcore_modelselection.losses import LossLike, make_loss
from alcore_modelselection.metrics import regret
from alcore_modelselection.predictions import Predictions


def consensus_prior(predictions: Predictions, loss: LossLike = "accuracy") -> Floats:
    """Return P(best) of CODA before any label, shape (H,)."""
    coda = Coda()
    coda.setup(predictions.without_labels(), make_loss(loss, predictions.n_classes), np.random.default_rng(0))
    return coda.posterior()


def ensv(predictions: Predictions) -> Floats:
    """Return each model's agreement with the ensemble's prediction, shape (H,) (Hu et al., EnsV)."""
    return np.asarray((predictions.hard == predictions.consensus).mean(axis=1))


def entropy(predictions: Predictions) -> Floats:
    """Return each model's mean prediction entropy in nats with its sign changed, shape (H,): the most confident wins.

    Raises
    ------
    InputError
        If the predictions are hard labels, whose entropy is zero for all.
    """
    soft = _soft(predictions, "entropy")
    out = np.empty(len(soft))
    for k, one in enumerate(soft):
        p = one.astype(np.float64)
        out[k] = (p * np.log(np.maximum(p, 1e-300))).sum(axis=1).mean()
    return out


def bnm(predictions: Predictions, *, prefer: Literal["small", "large"] = "small") -> Floats:
    """Return each model's nuclear norm as a score, shape (H,).

    Parameters
    ----------
    predictions : Predictions
        Probabilities.
    prefer : "small" or "large"
        The paper selects the smallest sum of singular values of the (N, C) prediction matrix ("small", the default).
        Batch nuclear-norm maximisation (Cui et al., 2020), where the norm comes from, holds a larger one for better.

    Raises
    ------
    InputError
        If the predictions are hard labels, or ``prefer`` is neither.
    """
    if prefer not in ("small", "large"):
        raise InputError(f"prefer={prefer!r}; use 'small' (as the paper) or 'large' (as Cui et al.).")
    soft = _soft(predictions, "bnm")
    sign = -1.0 if prefer == "small" else 1.0
    out = np.empty(len(soft))
    for k, one in enumerate(soft):
        p = one.astype(np.float64)
        # The singular values from the (C, C) product: N is many times C.
        out[k] = sign * np.sqrt(np.maximum(np.linalg.eigvalsh(p.T @ p), 0.0)).sum()
    return out


METHODS: dict[str, Callable[[Predictions], Floats]] = {
    "coda": consensus_prior,
    "ensv": ensv,
    "entropy": entropy,
    "bnm": bnm,
}
VOTES = ("coda", "ensv")
"""Those that hard labels are enough for."""


def select(predictions: Predictions) -> dict[str, int | None]:
    """Return the position of the model that each method selects (the first on a tie); None where it does not apply."""
    return {
        name: int(method(predictions).argmax()) if predictions.soft is not None or name in VOTES else None
        for name, method in METHODS.items()
    }


def step0_regret(predictions: Predictions, source_validation: ArrayLike | None = None) -> dict[str, float | None]:
    """Return the regret of the model that each method selects without labels; None where it does not apply.

    Parameters
    ----------
    predictions : Predictions
        With labels, which measure the regret only.
    source_validation : array of shape (H,), optional
        Each model's validation accuracy on source data, where it is known: the method ``source_val``.

    Raises
    ------
    InputError
        If labels are lacking, or the validation accuracies are not one finite number per model.
    """
    labels = predictions.labels
    if labels is None or (labels < 0).any():
        raise InputError("the regret is measured against every row's label; the predictions lack some.")
    risks = make_loss("accuracy", predictions.n_classes).true_risks(predictions.hard, labels)
    out: dict[str, float | None] = {"source_val": None}
    if source_validation is not None:
        accuracy = np.asarray(source_validation, dtype=np.float64)
        if accuracy.shape != (predictions.n_models,) or not np.isfinite(accuracy).all():
            raise InputError(
                f"source_validation has shape {accuracy.shape}; give one accuracy for each of "
                f"{predictions.n_models} models."
            )
        out["source_val"] = float(regret(int(accuracy.argmax()), risks))
    return out | {name: None if k is None else float(regret(k, risks)) for name, k in select(predictions).items()}


def _soft(predictions: Predictions, name: str) -> NDArray[Any]:
    if predictions.soft is None:
        raise InputError(f"{name} needs probabilities, but these predictions are hard labels; use ensv or coda.")
    return predictions.soft
