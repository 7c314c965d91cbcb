"""MMC: the row whose likeliest labels would reduce the loss most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

import alcore
from alcore import Floats, InputError, Labels, Task, View

Values: TypeAlias = Literal["proba", "decision"]


def _needs(params: Mapping[str, Any]) -> dict[str, Any]:
    return {"needs": (_checked(params["values"]),)}


def _checked(values: object) -> str:
    if values not in ("proba", "decision"):
        raise InputError(f'mmc: values is {values!r}; use "proba" or "decision".')
    return str(values)


@alcore.scores(
    "mmc",
    summary="Largest loss reduction with the likeliest number of labels",
    revision=2,
    tasks={Task.MULTILABEL},
    needs=("proba",),
    source="Yang, Sun, Wang and Chen, Effective Multi-Label Active Learning for Text Classification (KDD 2009)",
    group="multi-label",
    adapt=_needs,
)
def mmc(view: View, *, values: Values = "proba") -> Floats:
    """sum_c (1 - yhat_c f_c) / 2, with yhat = +1 for the m labels of largest probability, and else -1.

    m is predicted from the sorted, normalised probabilities by a logistic regression on the labelled rows. f_c in
    [-1, 1] is 2 p_c - 1; or the decision value, as the paper has it for an SVM, with p_c its logistic.

    Parameters
    ----------
    values : "proba" or "decision"
    """
    _checked(values)
    if values == "proba":
        p, p_labeled = view.proba, view.model.predict_proba(view.X_labeled)
        f = 2.0 * p - 1.0
    else:
        f = view.decision
        p, p_labeled = _logistic(f), _logistic(view.model.decision_function(view.X_labeled))
        f = np.clip(f, -1e6, 1e6)  # a label that all labelled rows share is certain: infinite
    m = _predicted_sizes(_profile(p_labeled), view.y.sum(axis=1), _profile(p))
    rank = np.argsort(np.argsort(-p, axis=1, kind="stable"), axis=1, kind="stable")
    yhat = np.where(rank < m[:, None], 1.0, -1.0)
    loss: Floats = ((1.0 - yhat * f) / 2.0).sum(axis=1)
    return loss


def _logistic(f: Floats) -> Floats:
    p: Floats = 1.0 / (1.0 + np.exp(-np.clip(f, -500.0, 500.0)))
    return p


def _profile(p: Floats) -> Floats:
    """Return each row's probabilities, the largest first, as shares of their sum."""
    total = p.sum(axis=1, keepdims=True)
    profile: Floats = -np.sort(-p, axis=1) / np.where(total > 0, total, 1.0)
    return profile


def _predicted_sizes(profiles: Floats, sizes: Labels, asked: Floats) -> Labels:
    if len(np.unique(sizes)) == 1:
        return np.full(len(asked), sizes[0])
    from sklearn.linear_model import LogisticRegression

    found: Labels = LogisticRegression(solver="newton-cg", max_iter=1000).fit(profiles, sizes).predict(asked)
    return found
