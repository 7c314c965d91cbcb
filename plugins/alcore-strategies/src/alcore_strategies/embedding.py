"""Where the query learner sees rows: the inputs of its last layer, its embedding, or the pool's features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from alcore import Floats, InputError, PairingError, Rows, View
from alcore.estimators import Foreign, PerLabel, last_step
from alcore.pool import is_frame, is_sparse
from alcore.types import Level

Layer: TypeAlias = Literal["auto", "hidden", "embedding", "features"]
Places: TypeAlias = Any
"""Float64 array or CSR, (n, h)."""

LAYERS = ("auto", "hidden", "embedding", "features")
ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda z: z,
    "logistic": lambda z: 1.0 / (1.0 + np.exp(-np.clip(z, -500.0, 500.0))),
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
}
"""Those of scikit-learn's multi-layer perceptron."""


def checked_layer(name: str, layer: object) -> None:
    """Raise InputError unless it is one of ``LAYERS``."""
    if layer not in LAYERS:
        raise InputError(f"{name}: layer is {layer!r}; use one of {', '.join(map(repr, LAYERS))}.")


def needs_of(name: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return what makes a strategy's needs from its parameter ``layer``: probabilities, and an embedding if asked."""

    def adapt(params: Mapping[str, Any]) -> dict[str, Any]:
        checked_layer(name, params["layer"])
        return {"needs": ("proba", "embedding") if params["layer"] == "embedding" else ("proba",)}

    return adapt


def hidden_of(view: View, rows: Rows, layer: Layer = "auto") -> Places:
    """Return rows of the pool as the query learner's last layer sees them, (n, h).

    Parameters
    ----------
    view : View
    rows : Rows
    layer : "auto", "hidden", "embedding" or "features"
        "hidden" is the learner's own ``hidden``, or what it is for scikit-learn's linear models (the features that
        they weigh, after the steps of a pipeline) and its multi-layer perceptron; "embedding" is the learner's
        ``embed``; "features" is ``pool.features``; "auto" is "hidden", or else "embedding".

    Returns
    -------
    array of float64, or CSR for a linear model on sparse X
        While one class only is labelled the learner is no model yet, and these are ``pool.features``.

    Raises
    ------
    PairingError
        If the learner does not have that layer.
    """
    model = view.model
    if layer == "features" or model.constant is not None:
        return view.pool.features[rows]
    X = view.pool.take(rows)
    if layer in ("auto", "hidden"):
        if Level.HIDDEN in model.levels:
            return model.hidden(X)
        found = last_inputs(model.estimator, X)
        if found is not None:
            return found
    if layer == "embedding" or (layer == "auto" and Level.EMBEDDING in model.levels):
        return model.embed(X)
    raise PairingError(
        f"{model.name} has no hidden layer{' and no embedding' if layer == 'auto' else ''}. Use layer='features', "
        "a linear learner such as 'logistic-regression', or one with hidden(X) or embed(X)."
    )


def _members(estimator: Any) -> list[Any] | None:
    """Return the classifiers of binary relevance, one per label that is not constant; None for other estimators."""
    if isinstance(estimator, PerLabel):
        return [member for member in estimator.members_ if not isinstance(member, float)]
    if type(estimator).__name__ in ("MultiOutputClassifier", "OneVsRestClassifier"):
        return [member for member in estimator.estimators_ if type(member).__name__ != "_ConstantPredictor"]
    return None


def last_inputs(estimator: Any, X: Any) -> Places | None:
    """Return what the last layer of a fitted linear model or multi-layer perceptron takes, (n, h); None for others.

    The members of binary relevance have one last layer where they all see rows alike (linear ones do).
    """
    if isinstance(estimator, Foreign):
        return last_inputs(estimator.fitted, X)
    last = last_step(estimator)
    if last is not estimator:
        return last_inputs(last, estimator[:-1].transform(X))
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


def squared_norms(Z: Places) -> Floats:
    """Return the squared length of each row, (n,)."""
    norms: Floats = np.asarray(Z.multiply(Z).sum(axis=1)).ravel() if is_sparse(Z) else np.einsum("ij,ij->i", Z, Z)
    return norms


def row_of(Z: Places, i: int) -> Floats:
    """Return one row as an array (h,)."""
    row: Floats = Z[[i]].toarray()[0] if is_sparse(Z) else Z[i]
    return row
