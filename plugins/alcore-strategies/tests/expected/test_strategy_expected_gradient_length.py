"""expected-gradient-length: the closed form against gradients by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alcore import PairingError, Task
from alcore.builtin.estimators import Standardize
from alcore.testing.toylearner import toy_learner
from alcore.types import Level
from alcore_strategies.expected.gradient_length import expected_gradient_length

X, y = load_iris(return_X_y=True)
START = np.arange(0, 150, 9)


def loss(weights, h, label):
    f = weights @ h
    return np.log(np.exp(f).sum()) - f[label]


def expected_length(weights, h, step=1e-6):
    """sum_y p(y|x) ||gradient of -log p(y|x)||, coordinate by coordinate."""
    p = np.exp(weights @ h - np.log(np.exp(weights @ h).sum()))
    total = 0.0
    for label in range(len(weights)):
        gradient = [
            (loss(weights + step * e.reshape(weights.shape), h, label) - loss(weights, h, label)) / step
            for e in np.eye(weights.size)
        ]
        total += p[label] * np.linalg.norm(gradient)
    return total


def test_equals_the_length_of_gradients_of_a_standardising_regression(view_of):
    view = view_of(X, y, START, make_pipeline(StandardScaler(), LogisticRegression()))
    scaler, regression = view.model.estimator
    weights = np.column_stack([regression.coef_, regression.intercept_])
    H = np.column_stack([scaler.transform(view.X_unlabeled), np.ones(len(view.unlabeled))])
    wanted = [expected_length(weights, h) for h in H[:20]]
    assert expected_gradient_length(view)[:20] == pytest.approx(wanted, rel=1e-4)


def test_of_two_classes_it_is_the_variance_times_the_norm(view_of):
    view = view_of(X[:100], y[:100], np.arange(30, 70), LogisticRegression())
    p, norm = view.proba[:, 1], np.sqrt((view.X_unlabeled**2).sum(axis=1) + 1)
    assert expected_gradient_length(view) == pytest.approx(np.sqrt(8) * p * (1 - p) * norm)


def test_the_last_layer_is_given_what_the_learner_hides(view_of):
    learner = toy_learner(Task.CLASSIFICATION, {Level.PROBA, Level.HIDDEN})
    view = view_of(X, y, START, learner)
    p = view.proba
    length = sum(p[:, k] * np.linalg.norm(p - np.eye(3)[k], axis=1) for k in range(3))
    norm = np.sqrt((view.model.hidden(view.X_unlabeled) ** 2).sum(axis=1) + 1)
    assert expected_gradient_length(view) == pytest.approx(length * norm)


def test_sparse_rows_stay_sparse(view_of):
    dense = expected_gradient_length(
        view_of(X, y, START, make_pipeline(StandardScaler(with_mean=False), LogisticRegression()))
    )
    sparse = expected_gradient_length(
        view_of(csr_matrix(X), y, START, make_pipeline(Standardize(), LogisticRegression()))
    )
    assert sparse == pytest.approx(dense, rel=1e-3)


def test_a_forest_has_no_gradient(view_of):
    with pytest.raises(PairingError, match="RandomForestClassifier"):
        expected_gradient_length(view_of(X, y, START, RandomForestClassifier(3)))
