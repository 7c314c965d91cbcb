"""Adaptive: uncertain of the labels, or wrong in their number, whichever leaves the smaller error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import alcore
from alcore import Floats, InputError, Model, Task, View
from alcore.select import tied
from alcore.types import Level
from alcore_strategies.checks import before

BETAS = tuple(i / 10 for i in range(11))
TINY = 1e-300


def check_parameters(betas: Sequence[float]) -> None:
    """Raise InputError where a parameter is out of range."""
    numbers = isinstance(betas, list | tuple | np.ndarray) and all(isinstance(b, int | float) for b in betas)
    if not numbers or not len(betas) or not all(0 <= beta <= 1 for beta in betas):
        raise InputError(f"adaptive: betas is {betas!r}; give a list of one or more numbers from 0 to 1.")


@alcore.scores(
    "adaptive",
    summary="Small margin between labels, or an unusual number of them, whichever leaves the smaller error",
    revision=2,
    tasks={Task.MULTILABEL},
    needs=("proba|decision",),
    source="Li and Guo, Active Learning with Multi-Label SVM Classification (IJCAI 2013)",
    group="multi-label",
    adapt=before(check_parameters),
)
def adaptive(view: View, *, betas: Sequence[float] = BETAS) -> Floats:
    """q(x, beta) = (1 / sep(x))^beta * c(x)^(1 - beta).

    sep(x) = min over predicted labels of f_k - max over the others of f_k, c(x) = | number of predicted labels - their
    mean number in the labelled rows |. For every beta, the learner is fitted as if the best row had its predicted
    labels; the beta counts whose fit leaves the least error on the unlabelled rows. f are decision values, or 2 p - 1
    where there are none.

    Parameters
    ----------
    betas : numbers from 0 to 1
        Each costs a fit, at most: one per distinct best row.
    """
    check_parameters(betas)
    f = view.decision if Level.DECISION in view.model.levels else 2.0 * view.proba - 1.0
    u = 1.0 / np.maximum(separation_margin(f), TINY)
    c = np.abs((f > 0).sum(axis=1) - view.y.sum(axis=1).mean())
    q = [u**beta * c ** (1.0 - beta) for beta in betas]
    best = [int(np.searchsorted(view.unlabeled, view.top(one, 1)[0])) for one in q]
    error = {i: _error_after(view, i, f[i] > 0) for i in dict.fromkeys(best)}
    least = tied([-error[i] for i in best], ties=view.ties, who="adaptive")
    chosen: Floats = q[int(np.flatnonzero(least)[0])]
    return chosen


def separation_margin(f: Floats) -> Floats:
    """Return min_{f_k > 0} f_k - max_{f_k < 0} f_k, (n,); infinite where all have one sign."""
    margin: Floats = np.where(f > 0, f, np.inf).min(axis=1) - np.where(f < 0, f, -np.inf).max(axis=1)
    return margin


def approximate_error(f: Floats) -> float:
    """Return sum_x max_{f_k > 0} [1 - f_k]_+ + max_{f_k < 0} [1 + f_k]_+: the hinge losses of predicted labels."""
    loss = np.maximum(1.0 - np.abs(f), 0.0)
    positive, negative = np.where(f > 0, loss, 0.0), np.where(f < 0, loss, 0.0)
    return float((positive.max(axis=1) + negative.max(axis=1)).sum())


def _error_after(view: View, i: int, labels: Any) -> float:
    rows = np.append(view.labeled, view.unlabeled[i])
    twin: Model = view.new_learner().fit(view.pool.take(rows), np.vstack([view.y, labels.astype(view.y.dtype)]))
    if Level.DECISION in twin.levels:
        return approximate_error(twin.decision_function(view.X_unlabeled))
    return approximate_error(2.0 * twin.predict_proba(view.X_unlabeled) - 1.0)
