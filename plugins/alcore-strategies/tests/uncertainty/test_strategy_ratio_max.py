"""ratio-max: the formula, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from alcore_strategies.uncertainty import ratio_max


class Told(ClassifierMixin, BaseEstimator):
    """Predicts the probabilities that X holds."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X):
        return X


def test_of_several_classes_it_is_the_second_probability_over_the_first(view_of):
    p = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]])
    view = view_of(p, [0, 1, 2, 0, 0, 0], [0, 1, 2], Told())
    assert ratio_max(view) == pytest.approx([0.3 / 0.5, 0.1 / 0.8, 1.0])


def test_of_several_labels_it_is_the_largest_ratio_of_a_label_and_its_opposite(view_of):
    p = np.array([[0.9, 0.1], [0.2, 0.6], [1.0, 0.0], [0.5, 0.01]])
    view = view_of(p, [[1, 0], [0, 1], [1, 0], [0, 0]], [0], Told(), task="multilabel")
    assert ratio_max(view) == pytest.approx([0.4 / 0.6, 0.0, 1.0])
