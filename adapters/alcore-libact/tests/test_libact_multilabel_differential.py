"""The multi-label strategies: alcore's picks are those of libact called by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from alcore.estimators import PerLabel
from alcore_libact.multilabel import f1
from alcore_libact.specs import SPECS

BUILD = {spec.name: spec for spec in SPECS}
DATA = ["digits", "wine-labels"]


def make(name, **params):
    return BUILD[f"libact.{name}"].build(**params)


def logistic():
    from libact.models import LogisticRegression

    return LogisticRegression()


def agree(answers):
    ours, theirs = zip(*answers, strict=True)
    assert ours == theirs
    assert len(set(ours)) == len(ours)


@pytest.fixture
def drive(side_by_side):
    def driven(strategy, real, by_hand, rounds=6):
        return side_by_side(
            strategy, real, by_hand, rounds=rounds, ties="random", learner=PerLabel(LogisticRegression())
        )

    return driven


@pytest.mark.parametrize("data", DATA)
def test_mmc(real, drive, data):
    from libact.query_strategies.multilabel import MMC

    def by_hand(hand):  # the parameters of its own logistic regression, less one that scikit-learn has no more
        return MMC(
            hand.dataset(), br_base=logistic(), logreg_param={"solver": "newton-cg"}, random_state=hand.random()
        ).make_query()

    agree(drive(make("mmc"), real(data), by_hand))


@pytest.mark.parametrize("data", DATA)
def test_binary_minimization(real, drive, data):
    from libact.query_strategies.multilabel import BinaryMinimization

    def by_hand(hand):
        return BinaryMinimization(hand.dataset(), logistic(), random_state=hand.random()).make_query()

    agree(drive(make("binary-minimization"), real(data), by_hand))


@pytest.mark.slow
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("betas", [None, [0.0, 0.5]])
def test_adaptive(real, drive, betas, data):
    from libact.query_strategies.multilabel import AdaptiveActiveLearning

    def by_hand(hand):
        return AdaptiveActiveLearning(hand.dataset(), logistic(), betas=betas, random_state=hand.random()).make_query()

    agree(drive(make("adaptive", betas=betas), real(data, 50), by_hand, rounds=3))


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("criterion", ["hlr", "shlr", "mmr"])
def test_auxiliary_learner(real, drive, criterion, data):
    from libact.models import SVM
    from libact.models.multilabel import BinaryRelevance
    from libact.query_strategies.multilabel import MultilabelWithAuxiliaryLearner

    def by_hand(hand):
        major, minor = BinaryRelevance(logistic()), BinaryRelevance(SVM())
        return MultilabelWithAuxiliaryLearner(
            hand.dataset(), major, minor, criterion=criterion, random_state=hand.random()
        ).make_query()

    agree(drive(make("multilabel-with-auxiliary-learner", criterion=criterion), real(data), by_hand))


@pytest.mark.parametrize("data", DATA)
def test_reference_pairs(real, drive, data, monkeypatch):
    from libact.models.multilabel import BinaryRelevance
    from libact.query_strategies.multilabel import cost_sensitive_reference_pair_encoding as home

    def by_hand(hand):  # made anew each round, with a class that takes its parameter by position
        with monkeypatch.context() as patch:
            patch.setattr(home, "NearestNeighbors", lambda n, **params: NearestNeighbors(n_neighbors=n, **params))
            strategy = home.CostSensitiveReferencePairEncoding(
                hand.dataset(), f1, BinaryRelevance(logistic()), logistic(), n_models=12, random_state=hand.setup_seed
            )
        strategy.random_state_ = hand.random()
        return strategy.make_query()

    agree(drive(make("cost-sensitive-reference-pair-encoding", models=12), real(data), by_hand, rounds=4))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["emotions", "scene"])
def test_binary_minimization_on_published_data(shared, real, drive, name):
    import gzip

    from libact.query_strategies.multilabel import BinaryMinimization
    from scipy.io import arff
    from sklearn.preprocessing import StandardScaler

    path = shared / "data" / "multilabel" / f"{name}.arff.gz"
    with gzip.open(path, "rt") as file:
        table, _ = arff.loadarff(file)
    columns = np.column_stack([np.asarray(table[column]).astype(float) for column in table.dtype.names])
    labels = 6
    found = real("digits")
    found.X = StandardScaler().fit_transform(columns[:120, :-labels])
    found.y = columns[:120, -labels:].astype(np.intp)
    found.classes = labels

    def by_hand(hand):
        return BinaryMinimization(hand.dataset(), logistic(), random_state=hand.random()).make_query()

    agree(drive(make("binary-minimization"), found, by_hand))
