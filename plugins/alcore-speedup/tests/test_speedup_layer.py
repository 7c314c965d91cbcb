"""The fully connected layer against scikit-learn, and its draws against what their scheme says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import alcore.testing
from alcore import InputError, Task, plugins
from alcore.learners import Model
from alcore_speedup.layer import LinearLayer

SPEC = plugins.loaded().registry.entry("learner", "linear-layer").spec


@pytest.mark.parametrize("check", alcore.testing.checks_for(SPEC), ids=str)
def test_contract(check):
    check()


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)) @ rng.normal(size=(6, 6)) + 3
    Y = (X @ rng.normal(size=(6, 3)) + 4 * rng.normal(size=(80, 3)) > 0).astype(int)
    Y[:, 1] = X[:, 0] > X[:, 0].mean()
    return X, Y


def test_labels_are_penalised_logistic_regressions(data):
    X, Y = data
    layer = LinearLayer(l2=0.5, scale=False).fit(X, Y)
    for c in range(3):
        one = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, Y[:, c])
        assert layer.W_[:, c] == pytest.approx(one.coef_[0], abs=1e-3)
        assert layer.predict_proba(X)[:, c] == pytest.approx(one.predict_proba(X)[:, 1], abs=1e-3)


def test_classes_are_a_penalised_softmax_regression(data):
    X, Y = data
    y = Y[:, 0] + Y[:, 2]
    layer = LinearLayer(scale=False).fit(X, y)
    other = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    assert layer.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-3)
    assert (layer.predict(X) == other.predict(X)).all()


def test_scaling_makes_units_irrelevant(data):
    X, Y = data
    units = np.array([1e-3, 1.0, 1e3, 1.0, 10.0, 1e-2])
    one, other = LinearLayer().fit(X, Y), LinearLayer().fit(X * units, Y)
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X * units), abs=1e-5)


def test_correlated_features_beyond_the_dense_limit_have_the_same_minimum(data, monkeypatch):
    X, Y = data
    one = LinearLayer().fit(X, Y)
    monkeypatch.setattr("alcore_speedup.layer.DENSE", 3)
    other = LinearLayer().fit(X, Y)
    np.testing.assert_allclose(other.W_, one.W_, atol=1e-3)


def test_a_label_that_all_rows_share_has_its_smoothed_odds(data):
    X, Y = data
    Y = np.column_stack([Y[:, 0], np.zeros(80, int), np.ones(80, int)])
    p = LinearLayer().fit(X, Y).predict_proba(X)
    assert p[:, 1] == pytest.approx(0.5 / 81)
    assert p[:, 2] == pytest.approx(80.5 / 81)


def test_hidden_and_embedding_are_the_layers_input(data):
    X, Y = data
    layer = LinearLayer().fit(X, Y)
    assert layer.hidden(X) == pytest.approx((X - X.mean(axis=0)) / X.std(axis=0))
    assert expit(layer.embed(X) @ layer.W_ + layer.b_) == pytest.approx(layer.predict_proba(X))


def test_dropout_draws_have_the_moments_of_their_masks(data):
    X, Y = data
    layer = LinearLayer(dropout=0.3).fit(X, Y)
    p = layer.sample_proba(X[:5], 20_000, np.random.default_rng(1))
    logits = np.log(p) - np.log1p(-p)
    parts = layer.embed(X[:5])[:, :, None] * layer.W_  # the logit is sum_j m_j / (1 - q) part_j + b
    assert logits.mean(axis=0) == pytest.approx(parts.sum(axis=1) + layer.b_, abs=0.05)
    assert logits.var(axis=0) == pytest.approx(0.3 / 0.7 * (parts**2).sum(axis=1), rel=0.05)


def test_masks_of_each_row_have_the_same_moments_and_are_independent(data):
    X, Y = data
    layer = LinearLayer(dropout=0.3, posterior="dropout-rows").fit(X, Y)
    twice = np.vstack([X[:2], X[:2]])
    p = layer.sample_proba(twice, 20_000, np.random.default_rng(1))
    logits = np.log(p) - np.log1p(-p)
    parts = layer.embed(twice)[:, :, None] * layer.W_
    assert logits.mean(axis=0) == pytest.approx(parts.sum(axis=1) + layer.b_, abs=0.05)
    assert logits.var(axis=0) == pytest.approx(0.3 / 0.7 * (parts**2).sum(axis=1), rel=0.05)
    assert np.corrcoef(logits[:, 0, 0], logits[:, 2, 0])[0, 1] == pytest.approx(0.0, abs=0.05)


def test_adam_takes_the_steps_of_its_paper(data):
    X, Y = data
    layer = LinearLayer(scale=False, training="adam", epochs=7, batch=30, rate=0.01, random_state=3).fit(X, Y)
    rng = np.random.default_rng(3)  # algorithm 1 of Kingma and Ba, step by step
    theta = np.zeros((7, 3))
    theta[:6] = rng.uniform(-np.sqrt(6 / 9), np.sqrt(6 / 9), (6, 3))
    inputs, m, v, t = np.column_stack([X, np.ones(80)]), 0.0, 0.0, 0
    for _ in range(7):
        order = rng.permutation(80)
        for rows in (order[:30], order[30:60], order[60:]):
            t += 1
            g = inputs[rows].T @ (expit(inputs[rows] @ theta) - Y[rows]) / (len(rows) * 3)
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            theta = theta - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    np.testing.assert_allclose(layer.W_, theta[:6], atol=1e-4)
    assert layer.b_ == pytest.approx(theta[6], abs=1e-4)


def test_long_training_comes_near_the_minimum(data):
    X, Y = data
    trained = LinearLayer(training="adam", epochs=5000, rate=0.03, batch=80, random_state=0).fit(X, Y[:, 0])
    minimum = LinearLayer(l2=1e-6).fit(X, Y[:, 0])
    assert trained.predict_proba(X) == pytest.approx(minimum.predict_proba(X), abs=0.02)


def test_laplace_draws_have_the_covariance_of_the_hessian(data):
    X, Y = data
    layer = LinearLayer(posterior="laplace").fit(X, Y[:, :2])
    p = layer.sample_proba(X[:4], 20_000, np.random.default_rng(1))
    logits = np.log(p) - np.log1p(-p)
    inputs = np.column_stack([layer.embed(X), np.ones(80)])
    for c in range(2):
        own = layer.predict_proba(X)[:, c]
        hessian = (inputs.T * (own * (1 - own))) @ inputs + np.diag([1.0] * 6 + [1e-3])
        wanted = np.einsum("ij,jk,ik->i", inputs[:4], np.linalg.inv(hessian), inputs[:4])
        assert logits[:, :, c].var(axis=0) == pytest.approx(wanted, rel=0.05)


def test_draws_of_classes_sum_to_one(data):
    X, Y = data
    for posterior in ("dropout", "dropout-rows", "laplace"):
        layer = LinearLayer(posterior=posterior).fit(X, Y[:, 0] + Y[:, 2])
        assert layer.sample_proba(X, 3, np.random.default_rng(0)).sum(axis=2) == pytest.approx(1.0)


@pytest.mark.parametrize("how", [{"l2": 0.0}, {"dropout": 1.0}, {"posterior": "bagging"},
    {"training": "sgd"}, {"training": "adam", "posterior": "laplace"}, {"training": "adam", "epochs": 0}])  # fmt: skip
def test_wrong_parameters_are_errors(data, how):
    with pytest.raises(InputError):
        LinearLayer(**how).fit(*data)


def test_by_name_it_serves_a_multilabel_task_with_all_its_levels(data):
    X, Y = data
    recipe = plugins.loaded().registry.learner("linear-layer", Task.MULTILABEL, l2=2.0)
    assert isinstance(recipe.source, LinearLayer)
    model: Model = recipe.make(Task.MULTILABEL, 3, 0).fit(X, Y)
    assert model.hidden(X).shape == (80, 6)
    assert model.sample_proba(X, 4, np.random.default_rng(0)).shape == (4, 80, 3)
