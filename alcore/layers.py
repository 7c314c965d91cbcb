"""What the last layer of a fitted linear model or multi-layer perceptron is given: the one way in which it is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from alcore.estimators import Foreign, PerLabel, last_step
from alcore.pool import is_frame, is_sparse
from alcore.types import Floats

Places: TypeAlias = Any
"""Float64 array or CSR, (n, h)."""

ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda z: z,
    "logistic": lambda z: 1.0 / (1.0 + np.exp(-np.clip(z, -500.0, 500.0))),
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
}
"""Those of scikit-learn's multi-layer perceptron."""


def last_inputs(estimator: Any, X: Any) -> Places | None:
    """Return what the last layer of a fitted linear model or multi-layer perceptron takes, (n, h); None for others.

    Whether there is one is known before a fit: ``estimators.has_last_layer``. The members of binary relevance have one
    last layer where they all see rows alike, as linear ones do but behind a step that learns from the labels.
    """
    if isinstance(estimator, Foreign):
        return last_inputs(estimator.fitted, X)
    last = last_step(estimator)
    if last is not estimator:
        return last_inputs(last, estimator[:-1].transform(X))
    if hasattr(estimator, "best_estimator_"):  # of a search over parameters
        return last_inputs(estimator.best_estimator_, X)
    members = _members(estimator)
    if members is not None:
        return _shared(members, X)
    if hasattr(estimator, "coef_"):
        Z = _numbers(X)
        return Z if np.shape(estimator.coef_)[-1] == Z.shape[1] else None
    if not hasattr(estimator, "coefs_") or getattr(estimator, "activation", None) not in ACTIVATIONS:
        return None
    Z = _numbers(X)
    for weights, intercept in zip(estimator.coefs_[:-1], estimator.intercepts_[:-1], strict=True):
        Z = ACTIVATIONS[estimator.activation](np.asarray(Z @ weights) + intercept)
    return Z


def _members(estimator: Any) -> list[Any] | None:
    """Return the classifiers of binary relevance, one per label that is not constant; None for other estimators."""
    if isinstance(estimator, PerLabel):
        return [member for member in estimator.members_ if not isinstance(member, float)]
    if type(estimator).__name__ in ("MultiOutputClassifier", "OneVsRestClassifier"):
        return [member for member in estimator.estimators_ if type(member).__name__ != "_ConstantPredictor"]
    return None


def _shared(members: list[Any], X: Any) -> Places | None:
    if not members:
        return _numbers(X)  # all labels are constant, and nothing weighs the features
    found = last_inputs(members[0], X)
    if found is None or len(members) == 1:
        return found
    few = X.iloc[:8] if is_frame(X) else X[:8]
    some = _dense(found[:8])
    for member in members[1:]:
        other = last_inputs(member, few)
        if other is None or other.shape != some.shape or not np.allclose(_dense(other), some):
            return None
    return found


def _numbers(X: Any) -> Places:
    if is_sparse(X):
        return X.tocsr().astype(np.float64)
    return np.asarray(X.to_numpy() if is_frame(X) else X, dtype=np.float64)


def _dense(Z: Places) -> Floats:
    return np.asarray(Z.toarray() if is_sparse(Z) else Z)
