"""An RBF-SVM with probabilities that need neither many rows nor scikit-learn's retired ``probability=True``."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from alcore import Floats, Labels

FOLDS = 5


class PlattSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """SVC with an RBF kernel and a sigmoid on each class's decision values (Platt 1999).

    The sigmoids are fitted to cross-validated decision values, or to those of the SVM itself while a class has one
    row. Several classes: one sigmoid per class, normalised.

    Parameters
    ----------
    C : float
    gamma : "scale", "auto" or float
    random_state : int or None
        Of the folds.
    """

    def __init__(self, C: float = 1.0, gamma: Any = "scale", random_state: int | None = None) -> None:
        self.C = C
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the SVM, and a sigmoid per class."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        svm = SVC(C=self.C, gamma=self.gamma)
        self.svm_ = svm.fit(X, codes)
        folds = min(FOLDS, int(np.bincount(codes).min()))
        if folds < 2:
            values = self.svm_.decision_function(X)
        else:
            split = StratifiedKFold(folds, shuffle=True, random_state=self.random_state)
            values = cross_val_predict(svm, X, codes, cv=split, method="decision_function")
        # One sigmoid serves two classes: that of the second.
        columns = values.reshape(len(codes), -1)
        first = 1 if columns.shape[1] == 1 else 0
        self.sigmoids_ = np.array([sigmoid(columns[:, j], codes == j + first) for j in range(columns.shape[1])])
        return self

    def predict(self, X: Any) -> Labels:
        """Return the SVM's own class."""
        predicted: Labels = self.classes_[self.svm_.predict(X)]
        return predicted

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities (n, K)."""
        values = self.svm_.decision_function(X).reshape(X.shape[0], -1)
        p: Floats = 0.5 * (1.0 + np.tanh(0.5 * (self.sigmoids_[:, 0] * values + self.sigmoids_[:, 1])))
        if p.shape[1] == 1:
            return np.hstack([1.0 - p, p])
        p = np.maximum(p, np.finfo(float).tiny)
        p /= p.sum(axis=1, keepdims=True)
        return p


def sigmoid(values: Floats, positive: Labels) -> tuple[float, float]:
    """Return (a, b) of P(positive) = 1 / (1 + exp(-(a f + b))) by Newton steps with halving.

    Targets are Platt's (n+ + 1) / (n+ + 2) and 1 / (n- + 2), which keep the optimum finite on separable values.
    """
    n = int(positive.sum())
    t = np.where(positive, (n + 1.0) / (n + 2.0), 1.0 / (len(positive) - n + 2.0))
    A = np.column_stack([values, np.ones(len(values))])
    w = np.array([0.0, np.log((n + 1.0) / (len(positive) - n + 1.0))])

    def loss(w: Floats) -> float:
        f = A @ w
        return float((np.logaddexp(0.0, f) - t * f).sum())

    now = loss(w)
    for _ in range(100):
        p = 0.5 * (1.0 + np.tanh(0.5 * (A @ w)))
        gradient = A.T @ (p - t)
        step = np.linalg.solve((A * (p * (1.0 - p))[:, None]).T @ A + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while size > 1e-10 and (then := loss(w - size * step)) >= now - 1e-4 * size * float(gradient @ step):
            size /= 2.0
        if size <= 1e-10 or now - then < 1e-12 * max(1.0, abs(now)):
            break
        w, now = w - size * step, then
    return float(w[0]), float(w[1])
