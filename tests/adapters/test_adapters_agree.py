"""Which strategies of one name pick the same rows, and why the others do not: what docs/adapters.md says, on less."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

pytest.importorskip("alcore_alipy", reason="needs the group adapters")

from alcore import Pool, Recipe, Task, agreement
from alcore.engine import ArrayOracle
from alcore.estimators import PerLabel
from alcore.plugins import loaded


def make(name, **params):
    return loaded().registry.build("strategy", name, **params)


def rows(load, n, columns=None):
    X, y = load(return_X_y=True)
    chosen = np.random.default_rng(1).permutation(len(X))[:n]
    return StandardScaler().fit_transform(X[chosen][:, :columns]), y[chosen]


def agreements(strategies, X, y, learner, *, rounds=10, start=12):
    """Return the share of rounds in which two ask the same row, and their rank correlation, by pair of names."""
    task, classes = (Task.MULTILABEL, y.shape[1]) if np.ndim(y) > 1 else (Task.CLASSIFICATION, y.max() + 1)
    pool = Pool(X, task, tuple(range(classes)), features="raw")
    if not isinstance(strategies, dict):
        strategies = {name: make(name) for name in strategies}
    found = agreement.compare(
        pool, ArrayOracle(y), strategies, Recipe(learner), start=np.arange(start), rounds=rounds, seed=0
    )
    assert not found.failed
    return {(pair.a, pair.b): pair for pair in found.pairs}


def same(strategies, *args, **how):
    return {names: pair.same for names, pair in agreements(strategies, *args, **how).items()}


LIBRARIES = ("skactiveml", "modal", "libact", "alipy")
SETS = {"wine": (load_wine, 80), "breast-cancer": (load_breast_cancer, 80)}
sets = pytest.mark.parametrize("data", SETS)


@sets
@pytest.mark.parametrize("name", ["margin", "entropy", "least-confident"])
def test_uncertainty_is_the_same_in_all_libraries(name, data):
    pairs = agreements([name, *(f"{one}.{name}" for one in LIBRARIES)], *rows(*SETS[data]), LogisticRegression())
    assert {pair.same for pair in pairs.values()} == {1.0}
    assert min(pair.rank_correlation for pair in pairs.values()) > 1 - 1e-9


def test_the_playground_ranks_by_decision_values_which_differ_from_probabilities_for_three_classes():
    both = ["margin", "playground.margin"]
    if loaded().registry.entry("strategy", "playground.margin").spec.missing():
        pytest.skip("needs a checkout, named by ALCORE_PLAYGROUND_PATH")
    assert same(both, *rows(load_breast_cancer, 80), LogisticRegression())[tuple(both)] == 1
    assert same(both, *rows(load_wine, 120), LogisticRegression(), rounds=20)[tuple(both)] < 1
    assert same(both, *rows(load_wine, 120), GaussianNB(), rounds=20)[tuple(both)] == 1  # no decision values


def test_decision_values_and_probabilities_of_three_classes_order_rows_otherwise():
    """The cause of the above, without the playground."""
    X, y = rows(load_wine, 120)
    model = LogisticRegression().fit(X[:20], y[:20])
    gaps = [np.diff(np.sort(told(X[20:]), axis=1)[:, -2:]) for told in (model.decision_function, model.predict_proba)]
    assert np.argsort(gaps[0], axis=0).tolist() != np.argsort(gaps[1], axis=0).tolist()


def test_libact_takes_decision_values_where_there_are_no_probabilities():
    X, y = rows(load_wine, 80)
    assert same(["margin", "libact.margin"], X, y, SVC(decision_function_shape="ovr"))["margin", "libact.margin"] == 1


class Nearly:
    """A classifier of five classes, of which the likeliest is less so in row 6 than elsewhere, by the last digit."""

    def fit(self, X, y):
        self.classes_ = np.arange(5)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X):
        return np.tile([0.201, 0.2, 0.2, 0.2, 0.199], (len(X), 1)) - (X == 6) * [2.0**-55, 0, 0, 0, 0]


def test_scikit_activeml_loses_the_last_digit_of_a_margin_as_it_subtracts_it_from_one():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 5
    strategies = {name: make(name) for name in ("margin", "skactiveml.margin")}
    pool = Pool(X, Task.CLASSIFICATION, tuple(range(5)), features="raw")
    found = agreement.compare(pool, ArrayOracle(y), strategies, Recipe(Nearly()), start=np.arange(5), rounds=1)
    assert {name: rows[0].tolist() for name, rows in found.asked.items()} == {"margin": [6], "skactiveml.margin": [5]}


@sets
def test_core_sets_are_the_same(data):
    names = ["skactiveml.core-set", "alipy.core-set", "skactiveml.greedy-sampling-x"]
    assert set(same(names, *rows(*SETS[data]), GaussianNB()).values()) == {1.0}


def test_alipy_and_libact_have_the_same_quire_and_scikit_activeml_another():
    X, y = rows(load_breast_cancer, 60, 6)
    strategies = {"alipy": make("alipy.quire"), "libact": make("libact.quire"),
                  "skactiveml": make("skactiveml.quire", metric_dict={"gamma": 1.0})}  # fmt: skip
    found = same(strategies, X, y, GaussianNB())
    assert found["alipy", "libact"] == 1
    assert found["libact", "skactiveml"] < 0.5


def test_expected_error_is_that_of_the_other_rows_in_alipy_and_modal_and_of_more_rows_in_the_others():
    X, y = rows(load_breast_cancer, 36, 3)
    strategies = {
        "alipy": make("alipy.eer"), "modal": make("modal.log-loss-reduction"), "libact": make("libact.eer"),
        "skactiveml": make("skactiveml.eer", method="log_loss"),
    }  # fmt: skip
    found = same(strategies, X, y, GaussianNB(), rounds=8)
    assert found["alipy", "modal"] == 1
    assert found["alipy", "libact"] < 1
    assert found["alipy", "skactiveml"] < 1


def test_density_is_weighted_in_three_ways():
    names = ["libact.density-weighted", "alipy.density-weighted", "modal.information-density"]
    assert max(same(names, *rows(load_breast_cancer, 80), LogisticRegression()).values()) < 0.5


class Reseeded:
    """A strategy whose setup draws from a seed of its own."""

    def __init__(self, seed, **params):
        self.inner, self.seed = make("libact.alce", **params), seed

    def setup(self, pool, rng):
        self.inner.setup(pool, np.random.default_rng(self.seed))

    def query(self, view, n):
        return self.inner.query(view, n)


@pytest.mark.parametrize(("regressor", "agrees"), [(None, False), (Ridge(), True)], ids=["SVR", "ridge"])
def test_alce_depends_on_how_its_embedding_is_turned_unless_the_regressor_does_not(regressor, agrees):
    both = {"one": Reseeded(1, regressor=regressor), "other": Reseeded(2, regressor=regressor)}
    assert (same(both, *rows(load_wine, 80), GaussianNB())["one", "other"] == 1) == agrees


def test_libact_and_scikit_activeml_turn_the_embedding_of_alce_otherwise():
    assert (
        same(["libact.alce", "skactiveml.alce"], *rows(load_wine, 80), GaussianNB())["libact.alce", "skactiveml.alce"]
        < 1
    )


def digits(n=80):
    X, digit = rows(load_digits, n)
    return X, np.column_stack([digit % 2 == 0, digit > 4, np.isin(digit, (0, 6, 8, 9))]).astype(int)


@pytest.mark.parametrize("names", [("alipy.mmc", "libact.mmc"), ("modal.binary-minimum", "libact.binary-minimization")])
def test_multilabel_strategies_that_are_the_same(names):
    assert same(names, *digits(), PerLabel(LogisticRegression()), start=20)[names] == 1


def test_adaptive_differs_by_an_error_that_alipy_cuts_off_at_zero(monkeypatch):
    names = ("alipy.adaptive", "libact.adaptive")
    make("libact.adaptive")
    home = importlib.import_module("libact.query_strategies.multilabel.adaptive_active_learning")

    def cut_off(learner, data, X):
        learner.train(data)
        f = learner.predict_real(X)
        wrong = [np.max(1 - np.where(f < 0, 1, f), axis=1), np.max(1 + np.where(f > 0, -1, f), axis=1)]
        return np.maximum(wrong, 0).sum()

    X, y = digits(60)
    assert same(names, X, y, PerLabel(LogisticRegression()), start=20, rounds=6)[names] < 1
    monkeypatch.setattr(home, "_calc_approx_err", cut_off)
    assert same(names, X, y, PerLabel(LogisticRegression()), start=20, rounds=6)[names] == 1
