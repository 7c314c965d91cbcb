"""ALBL's bandit against libact's, and LAL's features against ALiPy's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import Pool
from alcore.learners import Recipe
from alcore.state import State
from alcore_strategies.learned.albl import Albl
from alcore_strategies.learned.lal_features import describe

X, Y = make_moons(80, noise=0.3, random_state=0)


class Advice:
    """An arm of libact's that advises what it is told."""

    def __init__(self, row):
        self.row = row

    def make_query(self):
        return self.row


@alcore.scores("toy.last", summary="The last row", learner=False)
def last(view):
    return view.unlabeled.astype(float)


@alcore.scores("toy.first", summary="The first row", learner=False)
def first(view):
    return -view.unlabeled.astype(float)


def test_weights_are_those_of_libacts_bandit():
    pool_based = pytest.importorskip("libact.query_strategies.active_learning_by_learning")
    strategy = Albl([last, first], T=50)
    state = State(Pool(X, "classification", (0, 1)), strategy, Recipe.of(GaussianNB()), seed=3, ties="first")
    state.add(np.arange(6), Y[:6], start=True)
    arms = [Advice(79), Advice(6)]
    theirs = pool_based.Exp4P(query_strategies=arms, T=50, unlabeled_invert_id_idx={i: i - 6 for i in range(6, 80)})
    theirs.next(-1, None, None)
    W = {}
    for _ in range(8):  # few enough for no row to be drawn twice
        row = int(state.query(1)[0])
        (_, phi, p) = strategy.waiting[0]
        W[row] = 1 / float(p @ phi)
        state.add(np.array([row]), Y[[row]])
        model, view = state.model(), state.view()
        reward = sum(W[x] * (model.predict(X[[x]])[0] == Y[x]) for x in W) / (80 * 50)
        arms[0].row, arms[1].row = int(view.unlabeled[-1]), int(view.unlabeled[0])
        theirs.next(reward, row, None)
    assert len(W) == 8
    state.query(1)
    own = np.exp(strategy.log_w)
    np.testing.assert_allclose(own / own.sum(), theirs.w / theirs.w.sum(), rtol=1e-9)


def test_features_are_alipys_on_average():
    """Forests differ by chance; in the mean over many they say the same, but for the scale of two of the features.

    ALiPy has p(0|x), and the deviation of the importances over d where the paper has their variance.
    """
    pytest.importorskip("alcore_alipy")
    from alcore_alipy.lal_data import bare
    from alcore_alipy.library import calling

    class Overheard:
        def predict(self, features):
            self.features = features
            return np.zeros(len(features))

    known, unknown = np.arange(30), np.arange(30, 80)
    theirs, own = [], []
    for seed in range(8):
        query = bare(X, Y, 50, seed)
        query._selector = Overheard()
        with calling():
            query.select(known, unknown)
        theirs.append(query._selector.features)
        own.append(describe(X[known], Y[known], X[unknown], 50, np.random.default_rng(seed))[0])
    theirs, own = np.mean(theirs, axis=0), np.mean(own, axis=0)
    theirs[:, 0] = 1 - theirs[:, 0]
    theirs[:, 4] = own[:, 4]
    np.testing.assert_allclose(own[:, :7], theirs[:, :7], atol=0.1)
    np.testing.assert_array_equal(own[:, 7], theirs[:, 7])
