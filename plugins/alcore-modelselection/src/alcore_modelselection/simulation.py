"""Runs a selection against known labels and records what it chose and how good that was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alcore.errors import InputError
from alcore.types import Floats, Rows
from alcore_modelselection import metrics
from alcore_modelselection.losses import LossLike, make_loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.protocols import Selector
from alcore_modelselection.selection import Selection


@dataclass(frozen=True)
class Trace:
    """One simulated selection of T labels.

    Attributes
    ----------
    chosen : array of shape (T,)
        The rows, in the order in which they were labelled.
    best : array of shape (T + 1,)
        The position of the selected model, before any label and after each.
    regret : array of shape (T + 1,)
        Its regret, as a fraction (not per cent).
    seconds : array of shape (T,)
        The time of each step: query and update and selected model.
    notices : what the selector had to say
    """

    chosen: Rows
    best: NDArray[np.intp]
    regret: Floats
    seconds: Floats
    notices: tuple[str, ...]

    @property
    def cumulative_regret(self) -> Floats:
        """The sums of the regrets after labels 1..t, shape (T,)."""
        return metrics.cumulative_regret(self.regret)

    def to_json(self) -> dict[str, Any]:
        """Return the trace as JSON values; entry t - 1 of each list is that after label t."""
        return {
            "chosen": self.chosen.tolist(),
            "regret": self.regret[1:].tolist(),
            "cumulative_regret": self.cumulative_regret.tolist(),
            "best": self.best[1:].tolist(),
            "before_labels": {"regret": float(self.regret[0]), "best": int(self.best[0])},
            "labels_to_within_0.01": metrics.labels_to_within(self.regret),
            "notices": list(self.notices),
        }


def simulate(
    predictions: Predictions,
    method: str | Selector = "coda",
    *,
    steps: int = 100,
    seed: int = 0,
    loss: LossLike = "accuracy",
    params: Mapping[str, Any] | None = None,
) -> Trace:
    """Run a selection of ``steps`` labels, one at a time, with the labels of ``predictions`` as the oracle.

    Fewer steps are taken if there are fewer rows. See ``Selection`` for the other parameters.

    Raises
    ------
    InputError
        If a label is unknown, or ``steps`` is negative.
    """
    labels = predictions.labels
    if labels is None or (labels < 0).any():
        lacking = "has no labels" if labels is None else f"lacks the label of row {int(np.flatnonzero(labels < 0)[0])}"
        raise InputError(f"a simulation needs every row's label, but the input {lacking}; or label interactively.")
    if steps < 0:
        raise InputError(f"steps is {steps}; use 0 or more.")
    steps = min(steps, predictions.n_rows)
    one = Selection(predictions, method, seed=seed, loss=loss, params=params)
    risks = make_loss(loss, predictions.n_classes).true_risks(predictions.hard, labels)
    chosen, best = np.empty(steps, dtype=np.intp), np.empty(steps + 1, dtype=np.intp)
    seconds = np.empty(steps)
    best[0] = one.pick()
    for t in range(steps):
        started = perf_counter()
        chosen[t] = one.ask()[0]
        one.tell(chosen[t], predictions.classes[labels[chosen[t]]])
        best[t + 1] = one.pick()
        seconds[t] = perf_counter() - started
    return Trace(chosen, best, metrics.regret(best, risks), seconds, tuple(one.notices))
