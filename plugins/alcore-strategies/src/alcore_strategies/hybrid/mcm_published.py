"""Marginal cluster means as published results have it: the playground's."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Floats, Rows, View
from alcore_strategies.hybrid.clustering import mini_batches
from alcore_strategies.hybrid.mcm import XU


@alcore.selects(
    "mcm-published",
    summary="MCM with the playground's margin, the values of labelled rows, as in published comparisons",
    needs=("proba|decision",),
    stochastic=True,
    source=f"{XU}, in the code of google/active-learning",
    group="hybrid",
)
def mcm_published(view: View, n: int) -> Rows:
    """Mini-batch k-means on the rows inside the margin, whose bounds are set by the labelled rows.

    A row is inside if for some class its value is less than that of every labelled row. For |f| that is nearer to the
    boundary than all of them. For probabilities it is surer, that it is not of that class, than the learner is of any
    row it was fitted to: such rows are few, and where they are fewer than n, those of smallest margin are asked, which
    is what the published runs with tree learners did nearly always.

    Of each cluster the row nearest to its centre is asked; where one is the nearest to two, those of smallest margin
    fill the batch.
    """
    values, seen = _values(view)
    two = np.partition(values, -2, axis=1)[:, -2:] if values.shape[1] > 1 else np.zeros((len(values), 2))
    sure = "decision" in view.model.levels
    margin = np.abs(values[:, 0]) if sure and view.pool.n_classes == 2 else two[:, 1] - two[:, 0]
    if sure:
        values, seen = np.abs(values), np.abs(seen)
    inside = np.flatnonzero((values < seen.min(axis=0)).any(axis=1)) if len(seen) else np.empty(0, dtype=np.intp)
    if n == 0 or len(inside) < n:
        return view.top(-margin, n, rounding=0)
    if view.ties == "random":
        inside = view.rng.permutation(inside)
    D = mini_batches(view.pool.features[view.unlabeled[inside]], n, int(view.rng.integers(2**31)))
    chosen = np.unique(inside[D.argmin(axis=0)])
    chosen = chosen[np.argsort(margin[chosen], kind="stable")]
    rest = -margin
    rest[chosen] = -np.inf
    return np.concatenate([view.unlabeled[chosen], view.top(rest, n - len(chosen), rounding=0)])


def _values(view: View) -> tuple[Floats, Floats]:
    """Return decision values, or else probabilities, of the unlabelled and of the labelled rows, a column per class."""
    if "decision" not in view.model.levels:
        return view.proba, view.model.predict_proba(view.X_labeled)
    values, seen = view.decision, view.model.decision_function(view.X_labeled)
    if values.ndim == 1:
        return np.column_stack([-values, values]), np.column_stack([-seen, seen])
    return values, seen
