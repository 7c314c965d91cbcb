"""Which rows are considered at all, where considering every one would not fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alcore.types import Floats, Rows
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.selectors.acquisition import votes

if TYPE_CHECKING:
    from alcore_modelselection.coda.selector import Coda

REFRESH = 20
"""Labels after which a set of candidates that is not all of them is chosen anew."""


LEAST = 32
"""A set of candidates is never smaller, so that it outlasts the labels until the next one."""


def choose(predictions: Predictions, p_best: Floats, rows: Rows, options: Coda) -> tuple[Rows, str]:
    """Return the rows to consider, and what to say if these are not all.

    Rows are taken in the order of how much the likely best models are split on them: one minus the sum over classes
    of the squared share of P(best), mixed half and half with the plain vote so that no model is forgotten. A label on
    which they agree moves them all alike.
    """
    cost = _bytes_per_row(predictions, rows, options)
    limit = options.max_candidates
    if cost.sum() <= options.memory and (limit is None or len(rows) <= limit):
        return rows, ""
    weights = 0.5 * p_best + 0.5 / len(p_best)
    share = votes(predictions.hard, predictions.n_classes, weights)[rows]
    order = np.argsort(-(1.0 - (share**2).sum(axis=1)), kind="stable")
    fits = max(LEAST, int(np.searchsorted(np.cumsum(cost[order]), options.memory, side="right")))
    kept = min(fits, limit or fits, len(rows))
    note = (
        f"coda considers {kept} of {len(rows)} rows at a time, those on which the likely best models are split most, "
        f"and chooses them anew after every {REFRESH} labels; raise max_candidates or memory "
        f"(now {options.memory >> 20} MiB) to consider more."
    )
    return np.sort(rows[order[:kept]]), note


def _bytes_per_row(predictions: Predictions, rows: Rows, options: Coda) -> Floats:
    """Return the memory that each row may need: one pattern, with P(best) after it, per class predicted there."""
    touched = np.zeros(len(rows))
    for c in range(predictions.n_classes):
        touched += (predictions.hard[:, rows] == c).any(axis=0)
    return touched * predictions.n_models * (options.dtype.itemsize + 1) + 8.0 * predictions.n_classes
