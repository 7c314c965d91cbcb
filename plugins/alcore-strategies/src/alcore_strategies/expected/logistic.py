"""An L2 logistic regression as a convex problem: what it was fitted to, and what one more row would make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore import Floats, Labels, View
from alcore.interop import dense

MAX_PARAMETERS = 200
"""Weights above which a Hessian of them costs as much as a fit of the learner."""


@dataclass(frozen=True)
class Logistic:
    """min sum_i loss(theta; a_i, y_i) + 1/2 sum_j penalty_j theta_j^2, and the rows that may join the sum.

    Two classes have one column of weights and the logistic function, K classes K columns and softmax, as in
    scikit-learn. Rows are in the learner's own coordinates: standardised on the labelled rows where it does so, and
    with a last column of ones for the intercept.

    Attributes
    ----------
    labeled : array of shape (l, D)
    unlabeled : array of shape (u, D)
    y : array of shape (l, C)
        Ones where the row has that class; C = 1 for two classes (the second), else the number of classes seen.
    theta : array of shape (C, D)
        The learner's weights.
    penalty : array of shape (D,)
        1/C_sklearn, and 0 for the intercept.
    penalties : array of shape (u, D)
        The same if the row joins. A learner that standardises would do it anew with that row: dividing a feature by
        r times its former scale is the same as penalising its weight r^2 times as much, and shifting it changes only
        the intercept, which is free.
    seen : codes of the classes seen, ascending
    """

    labeled: Floats
    unlabeled: Floats
    y: Floats
    theta: Floats
    penalty: Floats
    penalties: Floats
    seen: Labels

    @property
    def columns(self) -> int:
        """C: columns of weights."""
        return int(self.theta.shape[0])

    def targets(self, position: int) -> Floats:
        """Return the row of ``y`` of a row that has the class ``seen[position]``."""
        return np.array([float(position)]) if self.columns == 1 else np.eye(self.columns)[position]


def logistic_of(view: View) -> Logistic | None:
    """Return the problem that the query learner is the solution of, or None if it is no such regression.

    It is one if it is scikit-learn's ``LogisticRegression`` with an L2 penalty and no class weights, alone or after
    one ``StandardScaler``, of no more than 200 weights.
    """
    model = view.model
    if model.constant is not None:
        return None
    scaler, regression = _parts(model.estimator)
    if regression is None or not _plain_l2(regression) or not (scaler is None or regression.fit_intercept):
        return None
    theta = np.asarray(regression.coef_, dtype=np.float64)
    theta = np.column_stack([theta, regression.intercept_]) if regression.fit_intercept else theta
    if theta.size > MAX_PARAMETERS:
        return None
    seen, codes = np.unique(view.y, return_inverse=True)
    y = np.eye(len(seen))[codes]
    own = np.full(theta.shape[1], 1.0 / regression.C)
    labeled, unlabeled = (
        dense(X if scaler is None else scaler.transform(X)) for X in (view.X_labeled, view.X_unlabeled)
    )
    if regression.fit_intercept:
        own[-1] = 0.0
        labeled, unlabeled = (np.column_stack([X, np.ones(len(X))]) for X in (labeled, unlabeled))
    penalties = np.broadcast_to(own, unlabeled.shape)
    if scaler is not None and scaler.with_std:
        growth = scale_growth(dense(view.X_labeled), dense(view.X_unlabeled))
        penalties = own * np.column_stack([growth, np.ones(len(growth))])
    return Logistic(labeled, unlabeled, y[:, 1:] if len(seen) == 2 else y, theta, own, penalties, seen)


def _parts(estimator: Any) -> tuple[Any, Any]:
    """Return the scaler, or None, and the logistic regression, or None, that an estimator consists of."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    from alcore.builtin.estimators import Standardize

    steps = [step for _, step in estimator.steps] if type(estimator) is Pipeline else [estimator]
    if _kind(steps[-1]) is not LogisticRegression or len(steps) > 2:
        return None, None
    if len(steps) == 2 and _kind(steps[0]) not in (StandardScaler, Standardize):
        return None, None
    tables = [vars(step)["table_"] for step in steps if "table_" in vars(step)]
    if any(values is not None for table in tables for values in table.values):
        return None, None  # fitted to a DataFrame of other things than numbers, which it encodes itself
    return (steps[0] if len(steps) == 2 else None), steps[-1]


def _kind(estimator: Any) -> type:
    """Return the class of an estimator; that of a learner by name is scikit-learn's, which takes any DataFrame too."""
    kind = type(estimator)
    return kind.__mro__[1] if kind.__module__ == "alcore.builtin.framed" else kind


def _plain_l2(regression: Any) -> bool:
    params = regression.get_params()
    l2 = params["penalty"] == "l2" or (params["penalty"] == "deprecated" and not params["l1_ratio"])
    joint = params.get("multi_class", "auto") in ("auto", "deprecated", "warn")
    return bool(
        l2 and joint and params["class_weight"] is None and params["solver"] != "liblinear" and np.isfinite(params["C"])
    )


def scale_growth(X: Floats, new: Floats) -> Floats:
    """Return (scale of X and one new row / scale of X)^2, feature by feature, shape (len(new), d).

    The scale is StandardScaler's: the standard deviation, or 1 for a feature that is constant but for rounding.
    """
    rows, mean, variance = len(X), X.mean(axis=0), X.var(axis=0)
    away = new - mean
    after = (rows * variance + away**2 * (rows / (rows + 1))) / (rows + 1)
    growth: Floats = _scale2(after, mean + away / (rows + 1), rows + 1) / _scale2(variance, mean, rows)
    return growth


def _scale2(variance: Floats, mean: Floats, rows: int) -> Floats:
    eps = np.finfo(np.float64).eps
    return np.where(variance <= rows * eps * variance + (rows * mean * eps) ** 2, 1.0, variance)
