"""The bandit mixture: Exp3 by hand, and the reward."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

import alcore
from alcore import InputError, PairingError, Pool, Recipe
from alcore.state import State
from alcore.testing.toylearner import toy_learner
from alcore.types import Task
from alcore_strategies.learned.bandit import Bandit, left_out_accuracy

X, Y = make_blobs(60, centers=2, random_state=3, cluster_std=4.0)


@alcore.scores("toy.high", summary="The last row", learner=False)
def high(view):
    return view.unlabeled.astype(float)


@alcore.scores("toy.low", summary="The first row", learner=False)
def low(view):
    return -view.unlabeled.astype(float)


def state_of(strategy, seed=0, start=10, learner=None):
    learner = Recipe.of(learner or LogisticRegression())
    state = State(Pool(X, Task.CLASSIFICATION, (0, 1)), strategy, learner, seed=seed)
    state.add(np.arange(start), Y[:start], start=True)
    return state


def test_weights_follow_the_change_of_accuracy():
    strategy = Bandit([low, high], gamma=0.4)
    state = state_of(strategy)
    log_w, before = np.zeros(2), None
    for _ in range(8):
        accuracy = left_out_accuracy(state.view(), 3)
        if before is not None:
            arm, p_arm, earlier = before
            log_w[arm] += 0.4 * (accuracy - earlier) / (p_arm * 2)
        rows = state.query(2)
        p = 0.6 * np.exp(log_w) / np.exp(log_w).sum() + 0.2
        np.testing.assert_allclose(strategy.log_w, log_w)
        arm = int(rows[0] > 30)
        before = arm, p[arm], accuracy
        state.add(rows, Y[rows])


def test_the_accuracy_is_of_rows_left_out():
    """Labels without any pattern are learned by heart, and predicted no better than by chance."""
    from sklearn.tree import DecisionTreeClassifier

    state = State(Pool(X, Task.CLASSIFICATION, (0, 1)), Bandit(), Recipe.of(DecisionTreeClassifier()), seed=0)
    state.add(np.arange(50), np.random.default_rng(0).integers(2, size=50), start=True)
    view = state.view()
    assert (view.model.predict(view.X_labeled) == view.y).all()
    assert left_out_accuracy(view, 5) < 0.75


def test_a_single_row_tells_nothing():
    assert left_out_accuracy(state_of(Bandit(), start=1).view(), 3) == 0.0


def test_both_arms_choose():
    asked = [int(state_of(Bandit([low, high]), seed).query(1)[0]) for seed in range(30)]
    assert set(asked) == {10, 59}


def test_arms_keep_their_state():
    strategy = Bandit(["core-set", "random"], gamma=1.0)
    state = state_of(strategy)
    for _ in range(5):
        rows = state.query(3)
        state.add(rows, Y[rows])
    assert len(np.unique(state.labeled)) == 25


def test_a_learner_that_an_arm_cannot_use_is_refused_whoever_is_drawn():
    learner = toy_learner(Task.CLASSIFICATION, ())
    for seed in range(5):
        with pytest.raises(PairingError, match="margin needs"):
            state_of(Bandit(["random", "margin"]), seed, learner=learner).query(1)


@pytest.mark.parametrize(
    ("params", "said"), [({"gamma": 0.0}, "gamma"), ({"folds": 1}, "folds"), ({"arms": ()}, "arms")]
)
def test_parameters_out_of_range_are_refused(params, said):
    with pytest.raises(InputError, match=said):
        Bandit(**params)
