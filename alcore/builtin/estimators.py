"""Estimators that scikit-learn's own refuse to be when few rows are labelled or X is sparse."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from alcore.pool import is_documents, is_sparse


class Standardize(StandardScaler):  # type: ignore[misc]
    """StandardScaler that leaves a sparse X sparse: scaled, but not centred."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the scale, and the mean of a dense X."""
        self.with_mean = not is_sparse(X)
        super().fit(X, y, sample_weight)
        return self


class Words(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of texts, X of shape (n,); columns are standardised, as they are no texts."""

    def __init__(self, max_features: int | None = None) -> None:
        self.max_features = max_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words and their weights."""
        texts = is_documents(X)
        self.inner_ = TfidfVectorizer(sublinear_tf=True, max_features=self.max_features) if texts else Standardize()
        self.inner_.fit(X)
        return self

    def transform(self, X: Any) -> Any:
        """Return the vectors of texts, CSR (n, words), or columns standardised."""
        return self.inner_.transform(X)


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


class Discriminant(LinearDiscriminantAnalysis):  # type: ignore[misc]
    """LinearDiscriminantAnalysis that also takes one row per class, where there is no covariance to estimate yet.

    The unit covariance then stands for it: the nearest class mean decides, with equal priors as counted.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the means, and the covariance if a class has a second row."""
        classes, counts = np.unique(y, return_counts=True)
        if len(y) > len(classes):
            super().fit(X, y)
            return self
        X = np.asarray(X, dtype=np.float64)
        self.classes_, self.n_features_in_ = classes, X.shape[1]
        self.means_ = np.array([X[np.asarray(y) == label].mean(axis=0) for label in classes])
        intercept = -0.5 * (self.means_**2).sum(axis=1) + np.log(counts / counts.sum())
        binary = len(classes) == 2
        self.coef_ = self.means_[1:] - self.means_[:1] if binary else self.means_
        self.intercept_ = intercept[1:] - intercept[:1] if binary else intercept
        return self
