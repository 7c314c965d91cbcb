"""alcore's picks on multi-label data equal the rows of the library's pairs, called by hand, over several rounds."""

from __future__ import annotations

import numpy as np
import pytest
from alipy.index import MultiLabelIndexCollection
from alipy.query_strategy import multi_label as raw
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

import alcore
from alcore.plugins import loaded
from alcore.rng import stream

pytestmark = pytest.mark.usefixtures("by_hand")
SEED, ROUNDS = 3, 4


def _labels(load, columns, n=40):
    """Real measurements, some of which are to be told, as above or below their median, from the others."""
    X = StandardScaler().fit_transform(load(return_X_y=True)[0])
    X = X[np.random.default_rng(5).permutation(len(X))[:n]]
    told = X[:, columns]
    return np.ascontiguousarray(np.delete(X, columns, axis=1)), (told > np.median(told, axis=0)).astype(int)


DATA = {"wine": lambda: _labels(load_wine, [0, 4, 9]), "breast cancer": lambda: _labels(load_breast_cancer, [0, 4, 8])}


def agree(strategy, data, by_hand, *, scored=None):
    X, y = DATA[data]()
    run = alcore.simulate(
        X, y, strategy=loaded().registry.build("strategy", strategy),
        learner=OneVsRestClassifier(LogisticRegression(solver="liblinear")), start=list(range(14)), budget=ROUNDS,
        seed=SEED, ties="exact", test=(X, y), features="raw", task="multilabel",
    )  # fmt: skip
    labeled = list(range(14))
    for record in run.records[1:]:
        unlabeled = np.setdiff1d(np.arange(len(X)), labeled)
        seed = int(stream(SEED, "strategy", record.t).integers(2**31))
        picked = int(by_hand(X, y, labeled, unlabeled.tolist(), seed)[0][0])
        ours = int(record.rows[0])
        if scored is None:
            assert picked == ours
        else:
            score = scored()
            assert score[picked] == score[ours] == max(score.values())
        labeled.append(ours)


@pytest.mark.parametrize("data", DATA)
def test_random(data):
    def by_hand(X, y, labeled, unlabeled, seed):
        np.random.seed(seed)
        return raw.QueryMultiLabelRandom(X, y).select(None, [(row,) for row in unlabeled], select_type="ins")

    agree("alipy.multilabel-random", data, by_hand)


@pytest.mark.parametrize("data", DATA)
def test_mmc(data):
    """Named exception: the library's setting multi_class is gone from scikit-learn, and left out."""

    def by_hand(X, y, labeled, unlabeled, seed):
        base = LogisticRegression(solver="liblinear")
        query = raw.QueryMultiLabelMMC(X, y, base_clf=base, logreg_param={"solver": "newton-cg"}, random_state=0)
        return query.select(labeled, unlabeled)

    agree("alipy.mmc", data, by_hand)


@pytest.mark.parametrize("data", DATA)
def test_adaptive(data):
    def by_hand(X, y, labeled, unlabeled, seed):
        return raw.QueryMultiLabelAdaptive(X, y, random_state=0).select(labeled, unlabeled)

    agree("alipy.adaptive", data, by_hand)


@pytest.mark.parametrize("data", DATA)
def test_audi(data, monkeypatch):
    """Counts of labels tie, and the library takes the first of a set: its pick must have alcore's score.

    Named exception: a new object in each round, as the library's goes on from parameters that it means to keep.
    """
    heard, orders = [], []
    get_Xy = raw.get_Xy_in_multilabel

    def get(index, X, y):
        found = get_Xy(index=index, X=X, y=y)
        orders.append(found[2])
        return found

    class Numpy:
        def __getattr__(self, name):
            return getattr(np, name)

        def argmin(self, a):
            heard.append(a)
            return np.argmin(a)

    monkeypatch.setattr(raw, "get_Xy_in_multilabel", get)
    monkeypatch.setattr(raw, "np", Numpy())

    def by_hand(X, y, labeled, unlabeled, seed):
        heard.clear()
        orders.clear()
        np.random.seed(seed)
        query = raw.QueryMultiLabelAUDI(X, 2 * y - 1)
        return query.select([(row,) for row in labeled], [(row,) for row in unlabeled])

    agree("alipy.audi", data, by_hand, scored=lambda: dict(zip(orders[0], -heard[0], strict=True)))


@pytest.mark.parametrize("data", DATA)
def test_quire(data):
    """Named exception: the labelled pairs are given in the order in which the library sorts their positions."""

    def by_hand(X, y, labeled, unlabeled, seed):
        pairs = MultiLabelIndexCollection([(row,) for row in labeled], 3)
        pairs._innercontainer = sorted(pairs._innercontainer, key=lambda pair: pair[::-1])
        return raw.QueryMultiLabelQUIRE(X, 2 * y - 1).select(pairs, [(row,) for row in unlabeled])

    agree("alipy.multilabel-quire", data, by_hand)
