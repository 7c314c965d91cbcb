"""Where the query learner sees rows: the inputs of its last layer, its embedding, or the pool's features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from alcore import Floats, InputError, PairingError, Rows, View
from alcore.layers import Places
from alcore.pool import is_sparse
from alcore.types import Level

Layer: TypeAlias = Literal["auto", "hidden", "embedding", "features"]

LAYERS = ("auto", "hidden", "embedding", "features")
LAST_LAYER = ("proba", "hidden|embedding")
"""What a strategy needs that takes gradients in the last layer, or places in front of it."""


def checked_layer(name: str, layer: object) -> None:
    """Raise InputError unless it is one of ``LAYERS``."""
    if not isinstance(layer, str) or layer not in LAYERS:
        raise InputError(f"{name}: layer is {layer!r}; use one of {', '.join(map(repr, LAYERS))}.")


def needs_of(name: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return what makes a strategy's needs from its parameter ``layer``: probabilities, and the layer."""

    def adapt(params: Mapping[str, Any]) -> dict[str, Any]:
        checked_layer(name, params["layer"])
        needs = {"auto": LAST_LAYER, "features": ("proba",)}.get(params["layer"], ("proba", params["layer"]))
        return {"needs": needs}

    return adapt


def hidden_of(view: View, rows: Rows, layer: Layer = "auto") -> Places:
    """Return rows of the pool as the query learner's last layer sees them, (n, h).

    Parameters
    ----------
    view : View
    rows : Rows
    layer : "auto", "hidden", "embedding" or "features"
        "hidden" is ``model.hidden``: the learner's own, or what it is for scikit-learn's linear models and multi-layer
        perceptrons; "embedding" is the learner's ``embed``; "features" is ``pool.features``; "auto" is "hidden", or
        else "embedding".

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
    if layer in ("auto", "hidden") and Level.HIDDEN in model.levels:
        return model.hidden(view.pool.take(rows))
    if layer in ("auto", "embedding") and Level.EMBEDDING in model.levels:
        return model.embed(view.pool.take(rows))
    lacks = {"auto": "no hidden layer and no embedding", "hidden": "no hidden layer"}.get(layer, "no embedding")
    raise PairingError(
        f"{model.name} has {lacks}. Use layer='features', a linear learner such as 'logistic-regression', or one with "
        "hidden(X) or embed(X)."
    )


def squared_norms(Z: Places) -> Floats:
    """Return the squared length of each row, (n,)."""
    norms: Floats = np.asarray(Z.multiply(Z).sum(axis=1)).ravel() if is_sparse(Z) else np.einsum("ij,ij->i", Z, Z)
    return norms


def stacked(Z: Places, more: Places) -> Places:
    """Return the rows of both, sparse where they are."""
    if not is_sparse(Z):
        return np.concatenate([Z, more])
    from scipy.sparse import vstack

    return vstack([Z, more]).tocsr()


def row_of(Z: Places, i: int) -> Floats:
    """Return one row as an array (h,)."""
    row: Floats = Z[[i]].toarray()[0] if is_sparse(Z) else Z[i]
    return row
