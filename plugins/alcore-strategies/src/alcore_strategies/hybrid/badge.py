"""BADGE: a batch whose gradients are large and unlike each other."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Floats, Rows, Task, View
from alcore.layers import Places
from alcore.select import top
from alcore_strategies.embedding import LAST_LAYER, Layer, checked_layer, hidden_of, needs_of, row_of, squared_norms
from alcore_strategies.geometry import k_plus_plus

SAME = 1e-12
"""Of the norms: squared distances below this share are rounding."""


class Gradients:
    """g_i = e_i (x) h_i, the gradient of row i's loss under its own predicted label in the last layer's weights.

    The C * h numbers of a row are never there: ||g_i||^2 = ||e_i||^2 ||h_i||^2 and g_i.g_j = (e_i.e_j)(h_i.h_j).

    Parameters
    ----------
    e : (n, C), p minus the predicted labels
    h : (n, h), array or CSR: the inputs of the last layer
    bias : bool
        Whether the last layer's bias counts: h has a further column of ones.
    """

    def __init__(self, e: Floats, h: Places, bias: bool) -> None:
        self.e, self.h, self.one = e, h, float(bias)
        self.norms2: Floats = squared_norms(e) * (squared_norms(h) + self.one)

    def to(self, i: int) -> Floats:
        """Return the squared distances (n,) of all gradients to that of row i: O(n (C + h)), O(n) memory."""
        D2: Floats = np.asarray(self.h @ row_of(self.h, i))
        D2 += self.one
        D2 *= self.e @ self.e[i]
        scale = self.norms2 + self.norms2[i]
        np.multiply(D2, -2.0, out=D2)
        D2 += scale
        D2[SAME * scale >= D2] = 0.0
        return D2


def errors(p: Floats, task: Task) -> Floats:
    """Return e = p - onehot(argmax p), or p - [p >= .5] for several labels: what the loss would have p change by."""
    if task is Task.MULTILABEL:
        return p - (p >= 0.5)
    e = p.copy()
    e[np.arange(len(e)), p.argmax(axis=1)] -= 1.0
    return e


@alcore.selects(
    "badge",
    summary="A batch whose gradients are large and unlike each other",
    revision=2,
    tasks={Task.CLASSIFICATION, Task.MULTILABEL},
    needs=LAST_LAYER,
    advice="layer='features'",
    stochastic=True,
    source="Ash, Zhang, Krishnamurthy, Langford and Agarwal, Deep Batch Active Learning by Diverse, Uncertain Gradient "
    "Lower Bounds (ICLR 2020), algorithm 1",
    group="hybrid",
    adapt=needs_of("badge"),
)
def badge(view: View, n: int, *, layer: Layer = "auto", bias: bool = False) -> Rows:
    """Draw the batch by k-means++ among the gradients; the first is the one of largest norm, as in the authors' code.

    Rows that are out for labelling are centres already: the batch goes on from them.

    Parameters
    ----------
    layer : "auto", "hidden", "embedding" or "features"
        What the last layer takes; see ``hidden_of``.
    bias : bool
        Whether the gradient in the last layer's bias counts too (eq. 1 has none).
    """
    checked_layer("badge", layer)
    out, rows, p = view.pending, view.unlabeled, view.proba
    if len(out):
        rows = np.concatenate([rows, out])
        p = np.concatenate([p, view.model.predict_proba(view.pool.take(out))])
    g = Gradients(errors(p, view.pool.task), hidden_of(view, rows, layer), bias)
    asked = len(rows) - len(out)
    first = None if len(out) else int(top(g.norms2, 1, lambda: view.rng, view.ties)[0])
    return rows[k_plus_plus(g.to, len(rows), n, view.rng, first=first, taken=range(asked, len(rows)))]
