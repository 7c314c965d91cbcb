"""A learner is any scikit-learn-compatible estimator; this one is small enough to read."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Centroids(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The class whose mean is nearest; probabilities fall off with the squared distance.

    Parameters
    ----------
    temperature : float
        Larger makes probabilities more even.
    """

    def __init__(self, temperature: float = 1.0) -> None:
        self.temperature = temperature

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the mean of each class."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return softmax(-distance^2 / temperature), shape (n, classes seen)."""
        X = np.asarray(X, dtype=np.float64)
        logits = -((X[:, None, :] - self.means_[None, :, :]) ** 2).sum(axis=2) / self.temperature
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        """Return the likeliest class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
