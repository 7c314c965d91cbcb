"""epsilon-greedy: what chance decides, and what it leaves to uncertainty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore import InputError
from alcore.builtin.strategies import entropy, least_confident, margin
from alcore_strategies.uncertainty import EpsilonGreedy, ratio_max

START = [0, 1, 60, 61, 120, 121]


@pytest.fixture
def view(view_of):
    X, y = load_iris(return_X_y=True)
    return view_of(X, y, START, LogisticRegression())


@pytest.mark.parametrize(
    ("name", "function"),
    [("margin", margin), ("entropy", entropy), ("least-confident", least_confident), ("ratio-max", ratio_max)],
)
def test_without_chance_it_is_the_uncertainty_it_is_told(view, name, function):
    assert EpsilonGreedy(0, name).query(view, 9).tolist() == view.top(function(view), 9).tolist()


def test_with_nothing_but_chance_it_draws_distinct_rows_evenly(view_of):
    X, y = load_iris(return_X_y=True)
    counts = np.zeros(len(X), dtype=int)
    for seed in range(60):
        counts[EpsilonGreedy(1).query(view_of(X, y, START, GaussianNB(), seed=seed), 72)] += 1
    left = np.delete(counts, START)
    assert left.sum() == 60 * 72
    assert np.ptp(left) < 35  # binomial with mean 30 and deviation 4


def test_chance_takes_about_its_share_of_a_batch(view_of):
    X, y = load_iris(return_X_y=True)
    shared = []
    for seed in range(30):
        view = view_of(X, y, START, GaussianNB(), seed=seed)
        best = set(view.top(margin(view), 20).tolist())
        shared.append(len(best & set(EpsilonGreedy(0.5).query(view, 20).tolist())))
    assert 10 < np.mean(shared) < 13  # half of 20, and what chance finds of the others


@pytest.mark.parametrize("params", [{"epsilon": -0.1}, {"epsilon": 1.5}, {"uncertainty": "doubt"}])
def test_refuses(params):
    with pytest.raises(InputError, match="epsilon-greedy"):
        EpsilonGreedy(**params)
