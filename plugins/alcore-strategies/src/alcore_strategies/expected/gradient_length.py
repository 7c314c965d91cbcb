"""Expected gradient length: the row whose label is expected to change the model most."""

from __future__ import annotations

import numpy as np

from alcore import Floats, View, scores
from alcore_strategies.embedding import LAST_LAYER, hidden_of, squared_norms


@scores(
    "expected-gradient-length",
    summary="Largest expected gradient of the loss in the last layer's weights",
    revision=2,
    needs=LAST_LAYER,
    group="expected change",
    source="Settles, Craven and Ray, Multiple-Instance Active Learning (2008); Settles (2009), section 3.3",
)
def expected_gradient_length(view: View) -> Floats:
    """sum_y p(y|x) ||p - e_y|| sqrt(||h||^2 + 1), with h what the last layer (softmax, with a bias) is given.

    The gradient of -log p(y|x) in the weights is (p - e_y) (x) (h, 1). At the optimum that of the labelled rows is 0,
    so that this is all of it. h is the learner's ``hidden``, which linear models and perceptrons have too, else its
    ``embed``.

    Raises
    ------
    PairingError
        If the query learner has neither.
    """
    p, model = view.proba, view.model
    if model.constant is not None:
        return np.zeros(len(p))
    squares = np.einsum("uk,uk->u", p, p)
    # ||p - e_y||^2 = ||p||^2 - 2 p_y + 1
    length = (p * np.sqrt(np.maximum(squares[:, None] - 2.0 * p + 1.0, 0.0))).sum(axis=1)
    h = hidden_of(view, view.unlabeled)
    return np.asarray(length * np.sqrt(squared_norms(h) + 1.0), dtype=np.float64)
