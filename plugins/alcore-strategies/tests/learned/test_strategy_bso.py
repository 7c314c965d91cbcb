"""The beam-search oracle against trying everything."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import InputError, Pool, Recipe
from alcore.protocols import Truth
from alcore.state import State
from alcore_strategies.learned.bso import Bso

X, Y = make_moons(60, noise=0.35, random_state=0)
X_TEST, Y_TEST = make_moons(41, noise=0.35, random_state=1)
START = np.array([0, 1, 2, 3])


class Counted(GaussianNB):
    fits: ClassVar[list[tuple[float, ...]]] = []

    def fit(self, X, y):
        Counted.fits.append(tuple(sorted(X[:, 0].tolist())))
        return super().fit(X, y)


def state_of(strategy, n=12, learner=None, seed=0):
    state = State(Pool(X[:n], "classification", (0, 1)), strategy, Recipe.of(learner or GaussianNB()), seed=seed)
    strategy.reveal(Truth(Y[:n], X_TEST, Y_TEST))
    start = np.concatenate([np.flatnonzero(Y[:n] == k)[:2] for k in (0, 1)])
    state.add(start, Y[start], start=True)
    return state


def accuracy(rows):
    return np.mean(GaussianNB().fit(X[rows], Y[rows]).predict(X_TEST) == Y_TEST)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_beam_wide_enough_finds_the_best_batch(n):
    state = state_of(Bso(width=10**6))
    best = max(accuracy([*state.labeled, *batch]) for batch in combinations(state.view().unlabeled.tolist(), n))
    assert accuracy([*state.labeled, *state.query(n)]) == pytest.approx(best)


def test_looking_ahead_asks_the_first_row_of_the_best_sequence():
    state = state_of(Bso(width=10**6, ahead=1))
    free = state.view().unlabeled.tolist()
    best = max(accuracy([*state.labeled, *pair]) for pair in combinations(free, 2))
    row = int(state.query(1)[0])
    assert max(accuracy([*state.labeled, row, other]) for other in free if other != row) == pytest.approx(best)


def test_width_one_is_greedy():
    state = state_of(Bso(width=1))
    known = state.labeled.tolist()
    for row in state.query(3).tolist():
        free = [other for other in range(12) if other not in known]
        assert accuracy([*known, row]) == max(accuracy([*known, other]) for other in free)
        known.append(row)


def test_each_set_is_fitted_once():
    Counted.fits.clear()
    state = state_of(Bso(width=5), learner=Counted())
    state.query(2)
    assert len(Counted.fits) == len(set(Counted.fits)) == 8 + 5 * 7 - 10  # ten pairs of the beam's rows are there twice


def test_it_reaches_what_chance_does_not():
    own = alcore.simulate(X, Y, strategy="bso", strategy_params={"width": 2}, learner="gaussian-nb", budget=6, seed=0)
    chance = alcore.simulate(X, Y, strategy="random", learner="gaussian-nb", budget=6, seed=0)
    assert own.curve.values[1:].mean() > chance.curve.values[1:].mean()


def test_equal_rows_are_left_to_chance():
    asked = set()
    for seed in range(10):
        state = state_of(strategy := Bso(), seed=seed)
        strategy.reveal(Truth(Y[:12], np.array([[-1.0, 0.5]]), np.array([0])))  # a row that all predict
        asked.add(int(state.query(1)[0]))
    assert len(asked) > 1


def test_it_needs_the_truth():
    state = State(Pool(X, "classification", (0, 1)), Bso(), Recipe.of(GaussianNB()), seed=0)
    state.add(START, Y[START], start=True)
    with pytest.raises(InputError, match="truth"):
        state.query(1)


@pytest.mark.parametrize(("params", "said"), [({"width": 0}, "width"), ({"ahead": -1}, "ahead")])
def test_parameters_out_of_range_are_refused(params, said):
    with pytest.raises(InputError, match=said):
        Bso(**params)
