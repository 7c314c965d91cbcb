"""Expected gradient length: the row whose label is expected to change the model most."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore import Floats, PairingError, View, scores
from alcore.estimators import last_step
from alcore.interop import dense
from alcore.types import Level


@scores(
    "expected-gradient-length",
    summary="Largest expected gradient of the loss in the last layer's weights",
    needs=("proba",),
    group="expected change",
    source="Settles, Craven and Ray, Multiple-Instance Active Learning (2008); Settles (2009), section 3.3",
)
def expected_gradient_length(view: View) -> Floats:
    """sum_y p(y|x) ||p - e_y|| sqrt(||h||^2 + 1), with h what the last layer (softmax, with a bias) is given.

    The gradient of -log p(y|x) in the weights is (p - e_y) (x) (h, 1). At the optimum that of the labelled rows is 0,
    so that this is all of it. h is the learner's ``hidden``, else its ``embed``, else the input of a linear model.

    Raises
    ------
    PairingError
        If the query learner has neither, and is no linear model.
    """
    p, model = view.proba, view.model
    if model.constant is not None:
        return np.zeros(len(p))
    squares = np.einsum("uk,uk->u", p, p)
    # ||p - e_y||^2 = ||p||^2 - 2 p_y + 1
    length = (p * np.sqrt(np.maximum(squares[:, None] - 2.0 * p + 1.0, 0.0))).sum(axis=1)
    return np.asarray(length * np.sqrt(_squared_norms(last_input(view)) + 1.0), dtype=np.float64)


def last_input(view: View) -> Any:
    """Return what the last layer is given for each unlabelled row, (u, h), possibly sparse; raises PairingError."""
    model = view.model
    if Level.HIDDEN in model.levels:
        return model.hidden(view.X_unlabeled)
    if Level.EMBEDDING in model.levels:
        return model.embed(view.X_unlabeled)
    estimator = model.estimator
    linear = last_step(estimator)
    if not hasattr(linear, "coef_"):
        raise PairingError(
            f"expected-gradient-length needs hidden, embed or a linear model; {model.name} is none of them. "
            "Use learner 'logistic-regression'."
        )
    return estimator[:-1].transform(view.pool.take(view.unlabeled)) if linear is not estimator else view.X_unlabeled


def _squared_norms(H: Any) -> Floats:
    if hasattr(H, "multiply"):
        return np.asarray(H.multiply(H).sum(axis=1), dtype=np.float64).ravel()
    H = dense(H)
    return np.asarray(np.einsum("uh,uh->u", H, H))
