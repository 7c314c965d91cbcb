"""Variance reduction: the row that makes the predictions of a logistic regression least uncertain."""

from __future__ import annotations

import numpy as np

from alcore import Floats, Rows, View, scores, strategy
from alcore_strategies.checks import positive
from alcore_strategies.expected.refits import curvature

ROUNDING = 1e-10
"""Of the largest reduction: what is left of the digits of two inverses."""
ROWS = 1 << 14
"""Rows that are worked on at a time."""


@strategy(
    "variance-reduction",
    summary="Largest reduction of the variance of a logistic regression's predictions",
    revision=2,
    needs=("proba",),
    batch="top",
    sparse=False,
    group="expected change",
    source="Schein and Ungar, Active learning for logistic regression: an evaluation (2007)",
)
class VarianceReduction:
    """A-optimality: how much tr(F^-1 B) falls, in closed form for all rows.

    F is the Fisher information of the weights, given the labelled rows and a Gaussian prior, and B the sum over the
    unlabelled rows and classes of c c', with c the gradient of a class's probability. What a row adds to F does not
    depend on its label.

    Parameters
    ----------
    sigma : float
        Standard deviation of the prior on the weights of the standardised ``pool.features``; 1 is scikit-learn's
        C = 1, the published runs had 100.
    intercept : bool
        Whether the regression has one, under the same prior.

    Raises
    ------
    InputError
        If ``sigma`` is not positive.
    """

    def __init__(self, sigma: float = 1.0, intercept: bool = True) -> None:
        positive("variance-reduction", sigma=sigma)
        self.sigma = sigma
        self.intercept = intercept

    def scores(self, view: View) -> Floats:
        """Return the reduction of the trace if the row were labelled, 0 or more."""
        X = view.pool.features
        labeled, unlabeled = (self._design(X[rows]) for rows in (view.labeled, view.unlabeled))
        p_labeled, p = view.model.predict_proba(view.X_labeled), view.proba
        seen = p_labeled.any(axis=0) | p.any(axis=0)  # what is never predicted has no weights to be uncertain of
        if seen.sum() < 2:
            return np.zeros(len(p))
        return reduction(labeled, p_labeled[:, seen], unlabeled, p[:, seen], 1.0 / self.sigma**2)

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest reduction."""
        return view.top(self.scores(view), n, rounding=ROUNDING) if n else view.unlabeled[:0]

    def _design(self, X: Floats) -> Floats:
        return np.column_stack([X, np.ones(len(X))]) if self.intercept else X


def reduction(labeled: Floats, p_labeled: Floats, unlabeled: Floats, p: Floats, prior: float) -> Floats:
    """Return tr(F^-1 B) - tr((F + F_x)^-1 B) of each unlabelled row x, shape (u,).

    Parameters
    ----------
    labeled, unlabeled : arrays of shape (l, d) and (u, d)
    p_labeled, p : arrays of shape (l, K) and (u, K)
        Two classes have one column of weights, which is that of the second, K classes K.
    prior : float
        1 / sigma^2, added to the diagonal of F.

    Notes
    -----
    F_x = (I (x) x) W (I (x) x)' with W = diag(p) - p p' has rank K at most, so that (Woodbury)
    tr(F^-1 B) - tr((F + F_x)^-1 B) = tr((I + W S)^-1 W R), with S = (I (x) x)' F^-1 (I (x) x) and
    R = (I (x) x)' F^-1 B F^-1 (I (x) x). For two classes that is w r / (1 + w s).
    """
    two, d = p.shape[1] == 2, unlabeled.shape[1]
    weights = curvature(p_labeled)
    fisher = _sum(labeled, weights[:, 1:, 1:] if two else weights)
    c = len(fisher) // d
    fisher[np.diag_indices_from(fisher)] += prior
    spread = np.zeros_like(fisher)
    for rows in _blocks(len(unlabeled)):
        g = curvature(p[rows])  # column k is the gradient of p_k in the logits
        spread += _sum(unlabeled[rows], g[:, 1:, 1:] ** 2 if two else g @ g)
    inverse = np.linalg.inv(fisher)
    inverse = 0.5 * (inverse + inverse.T)
    middle = inverse @ spread @ inverse
    fall = np.empty(len(unlabeled))
    for rows in _blocks(len(unlabeled)):
        w = curvature(p[rows])
        w = w[:, 1:, 1:] if two else w
        s, r = (_forms(unlabeled[rows], m.reshape(c, d, c, d)) for m in (inverse, middle))
        fall[rows] = np.einsum("uij,uji->u", np.linalg.solve(np.eye(c) + w @ s, w), r)
    return np.maximum(fall, 0.0)


def _sum(rows: Floats, weights: Floats) -> Floats:
    """Return sum_i W_i (x) x_i x_i', shape (C d, C d), of weights (n, C, C)."""
    c, d = weights.shape[1], rows.shape[1]
    total = np.empty((c, d, c, d))
    for i in range(c):
        for j in range(i, c):
            total[i, :, j, :] = total[j, :, i, :] = (rows * weights[:, i, j, None]).T @ rows
    return total.reshape(c * d, c * d)


def _forms(rows: Floats, m: Floats) -> Floats:
    """Return x' M_ij x for each row and each (d, d) block of m (C, d, C, d), shape (n, C, C)."""
    c = len(m)
    forms = np.empty((len(rows), c, c))
    for i in range(c):
        for j in range(c):
            forms[:, i, j] = np.einsum("nd,nd->n", rows @ m[i, :, j, :], rows)
    return forms


def _blocks(count: int) -> list[slice]:
    return [slice(first, first + ROWS) for first in range(0, count, ROWS)]


@scores(
    "vr-published",
    summary="Variance reduction as published: any row, because no score is a number",
    learner=False,
    uniform=True,
    group="expected change",
    source="Lu et al., An Expanded Benchmark that Rediscovers and Affirms the Edge of Uncertainty Sampling (2025)",
)
def vr_published(view: View) -> Floats:
    """All rows tie.

    The benchmark's libact was given the classes -1 and 1 and tried the labels 0 and 1, of which one is a class that
    the model does not know: every variance was NaN, and the first row of the shuffled pool was asked. Its published
    results equal those of random sampling on 17 of 20 data sets.
    """
    return np.zeros(len(view.unlabeled))
