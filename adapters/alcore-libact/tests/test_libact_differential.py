"""alcore's picks are those of libact called by hand: same data, seeds and model, over several rounds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from alcore_libact.specs import SPECS

BUILD = {spec.name: spec for spec in SPECS}
BINARY = ["breast-cancer", "iris-2"]
SEVERAL = ["breast-cancer", "wine", "iris"]


def make(name, **params):
    return BUILD[f"libact.{name}"].build(**params)


def sign(code):
    return 1 if code else -1


class FirstOfTied(np.random.RandomState):
    """What libact breaks ties with, made to take the first: for comparison with ties="first"."""

    def choice(self, a, *args, **kwargs):
        return np.min(a)


def logistic(**params):
    from libact.models import LogisticRegression

    return LogisticRegression(**params)


def agree(answers):
    ours, theirs = zip(*answers, strict=True)
    assert ours == theirs
    assert len(set(ours)) == len(ours)


@pytest.mark.parametrize("data", SEVERAL)
@pytest.mark.parametrize(("name", "method"), [("least-confident", "lc"), ("margin", "sm"), ("entropy", "entropy")])
def test_uncertainty(real, side_by_side, name, method, data):
    from libact.query_strategies import UncertaintySampling

    def by_hand(hand):
        return UncertaintySampling(hand.dataset(), model=logistic(), method=method).make_query()

    agree(side_by_side(make(name), real(data), by_hand))


@pytest.mark.parametrize("data", SEVERAL)
@pytest.mark.parametrize(("name", "method"), [("least-confident", "lc"), ("margin", "sm")])
def test_uncertainty_of_decision_values(real, side_by_side, name, method, data):
    from libact.models import SVM
    from libact.query_strategies import UncertaintySampling

    def by_hand(hand):
        svm = SVM(kernel="rbf", C=10.0, decision_function_shape="ovr", tol=1e-8)
        return UncertaintySampling(hand.dataset(), model=svm, method=method).make_query()

    learner = OneVsRestClassifier(SVC(kernel="rbf", C=10.0, tol=1e-8))
    agree(side_by_side(make(name), real(data), by_hand, learner=learner))


@pytest.mark.parametrize("data", SEVERAL)
@pytest.mark.parametrize(("base", "method"), [("entropy", "entropy"), ("margin", "sm")])
def test_density_weighted(real, side_by_side, base, method, data):
    from libact.query_strategies import DensityWeightedMeta, UncertaintySampling

    def by_hand(hand):
        data = hand.dataset()
        inner = UncertaintySampling(data, model=logistic(), method=method)
        return DensityWeightedMeta(data, inner, random_state=hand.random()).make_query()

    agree(side_by_side(make("density-weighted", base=base), real(data, 60), by_hand, rounds=5))


@pytest.mark.parametrize("data", SEVERAL)
def test_random(real, side_by_side, data):
    from libact.query_strategies import RandomSampling

    def by_hand(hand):
        return RandomSampling(hand.dataset(), random_state=hand.random()).make_query()

    agree(side_by_side(make("random"), real(data), by_hand, rounds=20))


@pytest.mark.parametrize("data", SEVERAL)
@pytest.mark.parametrize(("name", "disagreement"), [("qbc-vote", "vote"), ("qbc-kl", "kl_divergence")])
def test_committee(real, side_by_side, name, disagreement, data):
    from libact.query_strategies import QueryByCommittee

    def by_hand(hand):
        return QueryByCommittee(
            hand.dataset(),
            models=[logistic() for _ in range(6)],
            disagreement=disagreement,
            random_state=FirstOfTied(hand.seed),
        ).make_query()

    agree(side_by_side(make(name, members=6), real(data), by_hand))


@pytest.mark.parametrize("data", BINARY)
@pytest.mark.parametrize("params", [{}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2, "gamma": 0.5}])
def test_quire_keeps_its_state(real, side_by_side, params, data):
    from libact.query_strategies import QUIRE

    def by_hand(hand):
        if not hand.kept:  # libact's object is made once, and told each label
            data = hand.dataset(sign)
            hand.kept |= {"data": data, "quire": QUIRE(data, **params), "told": len(hand.labeled)}
        for row in hand.labeled[hand.kept["told"] :]:
            hand.kept["data"].update(row, sign(hand.real.y[row]))
        hand.kept["told"] = len(hand.labeled)
        return hand.kept["quire"].make_query()

    agree(side_by_side(make("quire", **params), real(data, 70), by_hand))


@pytest.mark.parametrize("data", BINARY)
@pytest.mark.parametrize("params", [{}, {"sigma": 0.5, "C": 10.0}])
def test_dwus(real, side_by_side, params, data):
    from libact.query_strategies import DWUS

    def by_hand(hand):
        return DWUS(hand.dataset(sign), random_state=hand.setup_seed, **params).make_query()

    agree(side_by_side(make("dwus", **params), real(data), by_hand))


@pytest.mark.parametrize("data", BINARY)
@pytest.mark.parametrize("params", [{}, {"kernel": "rbf", "Cl": 1.0, "Ch": 0.5, "p": 0.3, "gamma": 0.5}])
def test_hint_svm(real, side_by_side, params, data):
    from libact.query_strategies import HintSVM

    def by_hand(hand):  # made anew each round: a second query of one object loses its parameters
        return HintSVM(hand.dataset(sign), random_state=hand.seed, **params).make_query()

    agree(side_by_side(make("hint-svm", **params), real(data), by_hand))


@pytest.mark.parametrize("data", SEVERAL)
def test_albl(real, side_by_side, data):
    from libact.query_strategies import ActiveLearningByLearning, UncertaintySampling

    def by_hand(hand):
        if not hand.kept:
            data = hand.dataset()
            arms = [UncertaintySampling(data, model=logistic(), method=method) for method in ("lc", "entropy")]
            albl = ActiveLearningByLearning(
                data, T=data.len_unlabeled(), query_strategies=arms, model=logistic(),
                random_state=np.random.RandomState(hand.setup_seed),
            )  # fmt: skip
            hand.kept |= {"data": data, "albl": albl, "told": len(hand.labeled)}
        for row in hand.labeled[hand.kept["told"] :]:
            hand.kept["data"].update(row, int(hand.real.y[row]))
        hand.kept["told"] = len(hand.labeled)
        return hand.kept["albl"].make_query()

    agree(side_by_side(make("albl", arms=("least-confident", "entropy")), real(data), by_hand, rounds=15))


@pytest.mark.slow
@pytest.mark.parametrize("data", ["breast-cancer", "wine"])
@pytest.mark.parametrize("loss", ["log", "01"])
def test_eer(real, side_by_side, loss, data):
    from libact.query_strategies.multiclass import EER

    def by_hand(hand):
        return EER(hand.dataset(), model=logistic(), loss=loss, random_state=hand.random()).make_query()

    agree(side_by_side(make("eer", loss=loss), real(data, 34), by_hand, rounds=3, ties="random"))


@pytest.mark.parametrize("data", SEVERAL)
@pytest.mark.parametrize("active", [True, False])
def test_hierarchical_keeps_its_state(real, side_by_side, active, data):
    from libact.query_strategies.multiclass import HierarchicalSampling

    def by_hand(hand):
        if not hand.kept:
            data = hand.dataset()
            codes = list(range(hand.real.classes))
            tree = HierarchicalSampling(data, codes, active_selecting=active)
            hand.kept |= {"data": data, "tree": tree, "told": len(hand.labeled)}
        for row in hand.labeled[hand.kept["told"] :]:
            hand.kept["data"].update(row, int(hand.real.y[row]))
        hand.kept["told"] = len(hand.labeled)
        hand.kept["tree"].random_state_ = hand.random()
        return hand.kept["tree"].make_query()

    agree(side_by_side(make("hierarchical", active=active), real(data), by_hand, rounds=25))


@pytest.mark.parametrize("data", ["breast-cancer", "wine"])
@pytest.mark.parametrize("uneven", [False, True])
def test_alce(real, side_by_side, uneven, data):
    from libact.query_strategies.multiclass import ActiveLearningWithCostEmbedding
    from sklearn.svm import SVR

    found = real(data)
    k = found.classes
    costs = np.arange(k * k).reshape(k, k) % 5 * (1.0 - np.eye(k)) if uneven else 1.0 - np.eye(k)

    def by_hand(hand):
        alce = ActiveLearningWithCostEmbedding(
            hand.dataset(), costs, SVR(), mds_params={"n_init": 2}, random_state=hand.setup_seed
        )
        alce.random_state_ = hand.random()
        return alce.make_query()

    strategy = make("alce", costs=costs if uneven else None, restarts=2)
    agree(side_by_side(strategy, found, by_hand, ties="random"))
