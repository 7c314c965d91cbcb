"""CRW: each label in turn gets its most uncertain rows, the more the worse the learner knows it."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Floats, Labels, Rows, Task, View
from alcore_strategies.checks import before, counts, positive


def check_parameters(beta: float, folds: int) -> None:
    """Raise InputError where a parameter is out of range."""
    positive("crw", zero=True, beta=beta)
    counts("crw", 2, folds=folds)


@alcore.selects(
    "crw",
    summary="The rows least sure of each label, more for labels that are known badly",
    tasks={Task.MULTILABEL},
    needs=("proba",),
    stochastic=True,
    source="Esuli and Sebastiani, Active Learning Strategies for Multi-Label Text Classification (ECIR 2009): "
    "Confidence, Round robin, Weighted; a reconstruction",
    group="multi-label",
    adapt=before(check_parameters),
)
def crw(view: View, n: int, *, beta: float = 0.01, folds: int = 5) -> Rows:
    """Label c gets n_c ~ n w_c rows, w_c = (1 - F1_c) + beta, the largest weight first: the most uncertain ones left.

    Uncertain is min(P_c, 1 - P_c) / max(P_c, 1 - P_c). The shares n_c are rounded by largest remainder.

    Parameters
    ----------
    beta : float
        Of a label that is known perfectly, 0 or more.
    folds : int
        F1_c is that of cross-validation on the labelled rows in so many folds, each a fit.
    """
    check_parameters(beta, folds)
    P = view.proba
    w = 1.0 - f1_by_label(view.y, _cross_validated(view, folds)) + beta
    unsure = np.minimum(P, 1.0 - P) / np.maximum(P, 1.0 - P)
    order = view.rng.permutation(len(w))  # chance decides between labels that are alike
    order = order[np.argsort(-w[order], kind="stable")]
    counts = shares(w[order], n)
    taken = np.zeros(len(P), dtype=np.bool_)
    for c, n_c in zip(order.tolist(), counts.tolist(), strict=True):
        rows = view.top(np.where(taken, -1.0, unsure[:, c]), n_c)
        taken[np.searchsorted(view.unlabeled, rows)] = True
    return view.unlabeled[taken]


def f1_by_label(y: Labels, pred: Labels) -> Floats:
    """Return F1 = 2 TP / (2 TP + FP + FN) of each label, (L,); 0 for one with fewer than two positive rows."""
    true = (y * pred).sum(axis=0)
    both = y.sum(axis=0) + pred.sum(axis=0)
    f1: Floats = np.where(y.sum(axis=0) < 2, 0.0, 2.0 * true / np.maximum(both, 1))
    return f1


def shares(w: Floats, n: int) -> Labels:
    """Return whole numbers that sum to n, in proportion to w by largest remainder; all alike where w is 0."""
    quota = n * w / w.sum() if w.sum() > 0 else np.full(len(w), n / len(w))
    counts = np.floor(quota + 1e-9).astype(np.intp)
    rest = np.argsort(-(quota - counts), kind="stable")[: n - counts.sum()]
    counts[rest] += 1
    return counts


def _cross_validated(view: View, folds: int) -> Labels:
    """Return 0/1 predictions of the labelled rows (l, L), each by a fit without its fold."""
    y = view.y
    pred = np.zeros_like(y)
    if len(y) < 2:
        return pred
    fold = view.rng.permutation(len(y)) % folds
    for k in range(min(folds, len(y))):
        held = fold == k
        twin = view.new_learner().fit(view.pool.take(view.labeled[~held]), y[~held])
        pred[held] = twin.predict(view.pool.take(view.labeled[held]))
    return pred
