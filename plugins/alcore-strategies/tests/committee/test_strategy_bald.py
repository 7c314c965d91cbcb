"""bald: mutual information against its definition, and the noise that was published instead."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy, spearmanr
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from alcore import InputError, PairingError, Task
from alcore.committees import EqualMembersWarning
from alcore.estimators import PerLabel
from alcore.testing.toylearner import LEVELS, toy_learner
from alcore_strategies.committee import bald as home
from alcore_strategies.committee.bald import Bald
from alcore_strategies.committee.members import bagged, stacked, trees
from alcore_strategies.committee.published import BaldPublished

X, y = load_iris(return_X_y=True)
START = [0, 1, 2, 60, 61, 62, 120, 121, 122]
SEVERAL = np.stack([y == 0, y > 1, y < 2], axis=1).astype(int)


def information(p):
    """H(mean p) - mean H(p) of probabilities (T, n, K)."""
    return entropy(p.mean(axis=0), axis=1) - entropy(p, axis=2).mean(axis=0)


def test_bagged(view_of):
    view, again = (view_of(X, y, START, LogisticRegression()) for _ in range(2))
    wanted = information(stacked(bagged(again, 6), again.X_unlabeled))
    assert Bald(members=6).scores(view) == pytest.approx(wanted, abs=1e-11)


def test_forest(view_of):
    view = view_of(X, y, START, RandomForestClassifier(20))
    wanted = information(stacked(trees(view), view.X_unlabeled))
    assert Bald("forest").scores(view) == pytest.approx(wanted, abs=1e-11)
    assert wanted.max() > 0.3


def test_draws_are_blind_to_blocks(view_of, monkeypatch):
    learner = toy_learner(Task.CLASSIFICATION, LEVELS[Task.CLASSIFICATION])
    whole = Bald("draws", 50).scores(view_of(X, y, START, learner))
    monkeypatch.setattr(home, "BLOCK", 1000)
    assert Bald("draws", 50).scores(view_of(X, y, START, learner)) == pytest.approx(whole, abs=1e-12)


def test_several_labels_add_up(view_of):
    view, again = (view_of(X, SEVERAL, START, PerLabel(LogisticRegression()), task="multilabel") for _ in range(2))
    p = stacked(bagged(again, 6), again.X_unlabeled)
    wanted = sum(information(np.stack([1 - p[:, :, j], p[:, :, j]], axis=2)) for j in range(3))
    assert Bald(members=6).scores(view) == pytest.approx(wanted, abs=1e-11)


def test_equal_members_tell_nothing(view_of):
    view = view_of(X, y, [0, 60, 120], LogisticRegression())  # one row per class: every bag is the same
    with pytest.warns(EqualMembersWarning, match="fitted to the same 3 rows"):
        assert not Bald().scores(view).any()


def test_draws_need_a_learner_that_has_them(view_of):
    with pytest.raises(PairingError, match="sample_proba"):
        Bald("draws").scores(view_of(X, y, START, LogisticRegression()))


@pytest.mark.parametrize("params", [{"ensemble": "choir"}, {"members": 1}])
def test_refuses(params):
    with pytest.raises(InputError, match="bald"):
        Bald(**params)


def test_published_is_rounding_and_tells_nothing(view_of):
    X, y = load_breast_cancer(return_X_y=True)
    view = view_of((X - X.mean(axis=0)) / X.std(axis=0), y, np.arange(0, 569, 20), LogisticRegression())
    noise, right = BaldPublished().scores(view), Bald(members=10).scores(view)
    assert 0 < np.abs(noise).max() < 1e-13
    assert right.max() > 0.05
    assert abs(spearmanr(noise, right).statistic) < 0.5


def test_published_noise_is_the_same_each_time(view_of):
    one, other = (BaldPublished().scores(view_of(X, y, START, LogisticRegression(), seed=s)) for s in range(2))
    assert one.tolist() == other.tolist()


def test_published_refuses():
    with pytest.raises(InputError, match="bald-published"):
        BaldPublished(1)
