"""Two estimators that scikit-learn's own refuse to be when few rows are labelled or X is sparse."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from alcore.pool import is_sparse


class Standardize(StandardScaler):  # type: ignore[misc]
    """StandardScaler that leaves a sparse X sparse: scaled, but not centred."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the scale, and the mean of a dense X."""
        self.with_mean = not is_sparse(X)
        super().fit(X, y, sample_weight)
        return self


class Neighbors(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """KNeighborsClassifier that takes the labelled rows there are while they are fewer than ``n_neighbors``."""

    def __init__(self, n_neighbors: int = 5, weights: str = "uniform") -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows."""
        self.inner_ = KNeighborsClassifier(min(self.n_neighbors, X.shape[0]), weights=self.weights).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the most frequent class among the neighbours."""
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the share of each class among the neighbours, (n, classes seen)."""
        return self.inner_.predict_proba(X)
