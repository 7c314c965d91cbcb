"""Where members of committees come from."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from alcore import InputError, PairingError, Task
from alcore.estimators import PerLabel
from alcore.learners import SingleClassWarning
from alcore.testing.toylearner import LEVELS, toy_learner
from alcore_strategies.committee.members import bag, bagged, draws, heterogeneous, stacked, trees
from alcore_strategies.committee.platt import PlattSVC, sigmoid

X, y = load_iris(return_X_y=True)
START = [0, 1, 2, 60, 61, 62, 120, 121, 122]
SEVERAL = np.stack([y == 0, y > 1, y < 9], axis=1).astype(int)


def test_a_stratified_bag_keeps_the_count_of_every_class():
    codes = np.repeat([0, 3, 7], [1, 2, 20])
    drawn = bag(codes, np.random.default_rng(0), stratified=True)
    assert np.bincount(codes[drawn]).tolist() == np.bincount(codes).tolist()
    assert len(np.unique(drawn)) < len(codes)


def test_a_free_bag_is_a_bootstrap_sample():
    rng = np.random.default_rng(0)
    share = np.mean([len(np.unique(bag(np.zeros(100), rng, stratified=False))) / 100 for _ in range(200)])
    assert share == pytest.approx(1 - np.exp(-1), abs=0.01)


def test_twenty_classes_of_one_row_each_are_bagged_at_once(view_of):
    codes = np.arange(40) % 20
    view = view_of(np.eye(40), codes, np.arange(20), DecisionTreeClassifier())
    assert [model.predict(np.eye(40)[:20]).tolist() for model in bagged(view, 2)] == [list(range(20))] * 2


def test_bags_are_of_several_labels_too(view_of):
    view = view_of(X, SEVERAL, START, PerLabel(LogisticRegression()), task="multilabel")
    assert stacked(bagged(view, 3), view.X_unlabeled).shape == (3, 141, 3)


def test_bagged_refuses_to_be_nobody(view_of):
    with pytest.raises(InputError, match="members is 0"):
        bagged(view_of(X, y, START, LogisticRegression()), 0)


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestClassifier(8),
        ExtraTreesClassifier(8),
        make_pipeline(StandardScaler(), RandomForestClassifier(8)),
        BaggingClassifier(max_features=0.5),
    ],
    ids=["forest", "extra trees", "pipeline", "bagging of columns"],
)
def test_trees_average_to_the_forest(view_of, learner):
    view = view_of(X, y, START, learner)
    assert stacked(trees(view), view.X_unlabeled).mean(axis=0) == pytest.approx(view.proba, abs=1e-12)


@pytest.mark.parametrize(
    "learner", [RandomForestClassifier(8), PerLabel(RandomForestClassifier(8))], ids=["one", "each"]
)
def test_trees_of_several_labels_average_to_the_forest(view_of, learner):
    view = view_of(X, SEVERAL, START, learner, task="multilabel")
    assert stacked(trees(view), view.X_unlabeled).mean(axis=0) == pytest.approx(view.proba, abs=1e-12)


def test_trees_know_a_class_that_was_never_seen(view_of):
    view = view_of(X, y, [0, 1, 120, 121], RandomForestClassifier(4))
    p = stacked(trees(view), view.X_unlabeled)
    assert p.shape[2] == 3
    assert not p[:, :, 1].any()


def test_trees_of_one_class_are_the_constant(view_of):
    view = view_of(X, y, [60, 61], RandomForestClassifier(4))
    with pytest.warns(SingleClassWarning):
        view.model  # noqa: B018 - fits
    assert stacked(trees(view), view.X_unlabeled)[:, :, 1].tolist() == [[1.0] * 148]


def test_trees_need_a_forest(view_of):
    with pytest.raises(PairingError, match="LogisticRegression has no members"):
        trees(view_of(X, y, START, LogisticRegression()))


def test_draws_are_the_learners_own_where_it_has_them(view_of):
    learner = toy_learner(Task.CLASSIFICATION, LEVELS[Task.CLASSIFICATION])
    drawn = draws(view_of(X, y, START, learner), X[100:], 500)
    mean = draws(view_of(X, y, START, learner, seed=1), X[100:], 500).mean(axis=0)
    assert drawn.shape == (500, 50, 3)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.1)
    assert drawn.std(axis=0).min() > 1e-3


def test_draws_are_bagged_where_the_learner_has_none(view_of):
    view, again = (view_of(X, y, START, LogisticRegression()) for _ in range(2))
    assert draws(view, X[100:], 4) == pytest.approx(stacked(bagged(again, 4), X[100:]))


def test_the_heterogeneous_committee_is_of_four_good_models(view_of):
    view = view_of(X, y, START, LogisticRegression())
    members, features = heterogeneous(view), view.pool.features[view.unlabeled]
    assert [model.name for model in members] == [
        "LogisticRegression",
        "PlattSVC",
        "RandomForestClassifier",
        "Discriminant",
    ]
    assert min(np.mean(model.predict(features) == y[view.unlabeled]) for model in members) > 0.75


def test_platts_sigmoid_is_at_the_optimum():
    rng = np.random.default_rng(0)
    values = rng.normal(size=200)
    positive = values + rng.normal(size=200) > 0.3
    a, b = sigmoid(values, positive)
    n = positive.sum()
    residual = 1 / (1 + np.exp(-(a * values + b))) - np.where(positive, (n + 1) / (n + 2), 1 / (202 - n))
    assert abs(residual.sum()) < 1e-6
    assert abs((residual * values).sum()) < 1e-6


@pytest.mark.parametrize("rows", [[0, 60], [0, 60, 120], [*range(0, 150, 3)]], ids=["one each", "three", "many"])
def test_platts_svm_gives_probabilities_from_few_rows(rows):
    p = PlattSVC(random_state=0).fit(X[rows], y[rows]).predict_proba(X)
    assert p.sum(axis=1) == pytest.approx(np.ones(150))
    assert p.min() >= 0
