"""ALBL against algorithm 1 written out, and what its draws are worth."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import InputError, Pool, Recipe
from alcore.state import State
from alcore.types import Task
from alcore_strategies.combinators.inner import make
from alcore_strategies.learned.albl import Albl

X, Y = make_blobs(40, centers=2, random_state=1, cluster_std=3.0)
START = np.arange(6)


@alcore.scores("toy.last", summary="The last row", learner=False)
def last(view):
    return view.unlabeled.astype(float)


@alcore.scores("toy.first", summary="The first row", learner=False)
def first(view):
    return -view.unlabeled.astype(float)


def state_of(strategy, seed=0):
    state = State(Pool(X, Task.CLASSIFICATION, (0, 1)), strategy, Recipe.of(GaussianNB()), seed=seed, ties="first")
    state.add(START, Y[START], start=True)
    return state


def written_out(seed, rounds, T, delta=0.1):
    """Algorithm 1 with the arms last, first and chance; returns the rows that were asked, and the weights.

    A row's label is fed back when the next row is asked for, and the model is fitted to all labels by then.
    """
    K, n, u = 3, len(X), len(X) - len(START)
    p_min = np.sqrt(np.log(K) / (K * T))
    w, labeled, history, asked = np.ones(K), START.tolist(), [], []

    def learn(row, W, phi, p):
        history.append((row, W))
        model = GaussianNB().fit(X[labeled], Y[labeled])
        r = sum(W_i * (model.predict(X[x : x + 1])[0] == Y[x]) for x, W_i in history) / (n * T)
        y_hat, v_hat = r * phi * W, 1 / p
        return w * np.exp(p_min / 2 * (y_hat + v_hat * np.sqrt(np.log(K / delta) / (K * T))))

    waiting = None
    for t in range(rounds):
        rng = np.random.default_rng(alcore.rng.sequence(seed, "strategy", t + 1))
        if waiting:
            w = learn(*waiting)
        while True:
            free = [row for row in range(n) if row not in labeled]
            phi = np.zeros((K, n))
            phi[0, max(free)] = phi[1, min(free)] = 1
            phi[2, len(START) :] = 1 / u
            p = (1 - K * p_min) * w / w.sum() + p_min
            q = p @ phi
            row = int(rng.choice(n, p=q / q.sum()))
            if row in labeled:
                w = learn(row, 1 / q[row], phi[:, row], p)
                continue
            waiting = (row, 1 / q[row], phi[:, row], p)
            break
        asked.append(row)
        labeled.append(row)
    return asked, w / w.sum()


@pytest.mark.parametrize("seed", range(4))
def test_rows_and_weights_are_those_of_the_algorithm(seed):
    strategy = Albl([last, first], T=30)
    state = state_of(strategy, seed)
    for _ in range(25):
        rows = state.query(1)
        state.add(rows, Y[rows])
    asked, w = written_out(seed, 25, T=30)
    assert state.labeled[6:].tolist() == asked
    np.testing.assert_allclose(np.exp(strategy.log_w) / np.exp(strategy.log_w).sum(), w, rtol=1e-9)


def test_the_least_probability_is_the_papers_or_an_equal_share():
    for T, least in ((30, np.sqrt(np.log(3) / 90)), (1, 1 / 3)):
        strategy = Albl([last, first], T=T)
        state_of(strategy).query(1)
        assert strategy.least == pytest.approx(least)


def test_the_number_of_rows_to_be_asked_is_that_of_unlabelled_rows_unless_told():
    strategy = Albl([last])
    state_of(strategy).query(1)
    assert strategy.budget == 34


def test_each_arm_and_chance_are_drawn():
    asked = [int(state_of(Albl([last, first], T=5), seed).query(1)[0]) for seed in range(60)]
    share = np.mean(np.isin(asked, [39, 6]))
    assert {39, 6} < set(asked)
    assert 0.5 < share < 0.85  # two thirds, and a little of the third


def test_a_batch_is_of_the_arms_batches():
    """Two thirds of the weight are on the eight rows at the ends, each drawn once; chance alone has 0.24."""
    rows = np.concatenate([state_of(Albl([last, first], T=10**6, p_min=1 / 3), seed).query(4) for seed in range(20)])
    ends = np.mean(np.isin(rows, [36, 37, 38, 39, 6, 7, 8, 9]))
    assert ends > 0.5
    assert all(len(set(part)) == 4 for part in rows.reshape(20, 4).tolist())


def test_the_weights_stay_finite_in_a_long_run():
    strategy = Albl([last, first], T=1)
    state = state_of(strategy)
    while state.left:
        rows = state.query(1)
        state.add(rows, Y[rows])
    assert np.isfinite(strategy.log_w).all()


def test_a_query_that_is_repeated_teaches_nothing():
    strategy = Albl([last, first], T=30)
    state = state_of(strategy)
    rows = [state.query(1).tolist() for _ in range(3)]
    assert rows[0] == rows[1] == rows[2]
    assert not strategy.drawn.any()


def test_arms_are_given_by_name_with_parameters_and_tell_what_it_needs():
    spec, _ = make({"name": "albl", "arms": ["core-set", {"name": "quire", "lam": 2.0}]})
    assert spec.max_classes == 2
    assert not spec.resumable
    assert spec.needs == ()
    assert set(spec.parts) == {"core-set", "quire"}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"arms": []}, "arms"),
        ({"arms": "margin"}, "arms"),
        ({"T": 0}, "T is 0"),
        ({"delta": 1.0}, "delta"),
        ({"p_min": 0.5}, "1/3"),
        ({"arms": ["mmc"]}, "classification"),
    ],
)
def test_parameters_out_of_range_are_refused(params, said):
    with pytest.raises(InputError, match=said):
        Albl(**params)
