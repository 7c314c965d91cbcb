"""qbc: the three disagreements against their formulas, and what was published instead."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from alcore import InputError, Model, Task
from alcore_strategies.committee.members import bagged, stacked
from alcore_strategies.committee.published import QbcPublished, four, whole_bag
from alcore_strategies.committee.qbc import QueryByCommittee, vote_entropy

X, y = load_iris(return_X_y=True)
START = [0, 1, 2, 60, 61, 62, 70, 120, 121, 122]


@pytest.fixture
def views(view_of):
    return tuple(view_of(X, y, START, DecisionTreeClassifier()) for _ in range(2))


def test_vote_entropy_is_that_of_the_shares_of_votes(views):
    found = QueryByCommittee(members=7).scores(views[0])
    votes = np.array([model.predict(views[1].X_unlabeled) for model in bagged(views[1], 7)])
    wanted = [-sum(s * math.log(s) for s in np.bincount(v) / 7 if s) for v in votes.T]
    assert found == pytest.approx(wanted, abs=1e-12)
    assert len(np.unique(found)) > 2


def test_equal_divisions_of_votes_tie_whichever_classes_they_fall_on():
    class Says:
        def __init__(self, codes):
            self.codes = np.array(codes)

        def predict(self, X):
            return self.codes

    voters = [Says([0, 1, 2]), Says([1, 2, 0]), Says([1, 2, 0]), Says([2, 0, 1]), Says([2, 0, 1]), Says([2, 0, 1])]
    assert len(set(vote_entropy(voters, None, 3).tolist())) == 1


def test_consensus_entropy_is_that_of_the_mean(view_of):
    view, again = (view_of(X, y, START, LogisticRegression()) for _ in range(2))
    p = stacked(bagged(again, 5), again.X_unlabeled).mean(axis=0)
    assert QueryByCommittee("consensus-entropy", members=5).scores(view) == pytest.approx(-(p * np.log(p)).sum(axis=1))


def test_kl_is_the_mean_divergence_from_the_consensus(view_of):
    view, again = (view_of(X, y, START, LogisticRegression()) for _ in range(2))
    p = stacked(bagged(again, 5), again.X_unlabeled)
    wanted = (p * np.log(p / p.mean(axis=0))).sum(axis=2).mean(axis=0)
    assert QueryByCommittee("kl", members=5).scores(view) == pytest.approx(wanted, abs=1e-11)


def test_kl_of_members_that_are_certain_is_a_number(views):
    assert np.isfinite(QueryByCommittee("kl", members=3).scores(views[0])).all()


@pytest.mark.parametrize("disagreement", ["vote-entropy", "consensus-entropy", "kl"])
def test_the_heterogeneous_committee_needs_no_query_learner(view_of, disagreement):
    view = view_of(X, y, START, lambda: pytest.fail("fitted"))
    rows = QueryByCommittee(disagreement, "heterogeneous").query(view, 10)
    assert (y[rows] == 0).sum() <= 1  # the classes that overlap are the others


@pytest.mark.parametrize("params", [{"disagreement": "loud"}, {"committee": "royal"}, {"members": 1}, {"members": 2.5}])
def test_refuses(params):
    with pytest.raises(InputError, match="qbc"):
        QueryByCommittee(**params)


def test_published_committee_of_one_never_disagrees(view_of):
    view = view_of(X, y, START, DecisionTreeClassifier())
    assert not QbcPublished().scores(view).any()
    assert QueryByCommittee().scores(view).any()


def test_published_committee_of_one_asks_any_row(view_of):
    asked = {
        int(QbcPublished().query(view_of(X, y, START, DecisionTreeClassifier(), seed=seed, ties="random"), 1)[0])
        for seed in range(40)
    }
    assert len(asked) > 25


def test_published_committee_of_four_votes(view_of):
    view, again = (view_of(X, y, START, DecisionTreeClassifier()) for _ in range(2))
    members = four(again)
    votes = np.array([model.predict(again.pool.features[again.unlabeled]) for model in members])
    wanted = [-sum(s * math.log(s) for s in np.bincount(v) / 4 if s) for v in votes.T]
    assert QbcPublished("four").scores(view) == pytest.approx(wanted, abs=1e-12)
    assert [model.name for model in members] == ["LogisticRegression", "SVC", "SVC", "Discriminant"]
    assert all(isinstance(model, Model) and model.task is Task.CLASSIFICATION for model in members)


def test_published_bags_have_every_class_and_end():
    codes = np.arange(20)
    assert sorted(codes[whole_bag(codes, np.random.default_rng(0))]) == list(range(20))


def test_published_refuses():
    with pytest.raises(InputError, match="qbc-published"):
        QbcPublished("three")
