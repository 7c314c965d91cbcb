"""Learners that tune themselves: on the rows they are given, reproducibly, and whatever those rows are."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import alcore
from alcore import InputError, plugins
from alcore.errors import LearnerError
from alcore.testing import check_learner
from alcore.types import Floats, Labels, Level, Task
from alcore_benchmark.tuned import Tuned

NAMES = ("tuned-rbf-svm", "tuned-xgboost", "tuned-random-forest", "tuned-logistic-regression")
CHEAP: dict[str, dict[str, Any]] = {
    "tuned-rbf-svm": {"folds": 2},
    "tuned-xgboost": {"folds": 2, "n_estimators": 2},
    "tuned-random-forest": {"folds": 2, "n_estimators": 2},
    "tuned-logistic-regression": {"folds": 2},
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "tuned-rbf-svm": {"svc__C": 1.0, "svc__gamma": "scale"},
    "tuned-xgboost": {"max_depth": None, "min_child_weight": None},
    "tuned-random-forest": {"max_features": "sqrt", "min_samples_leaf": 1},
    "tuned-logistic-regression": {"logisticregression__C": 1.0},
}


def learner(name: str, **params: Any) -> Any:
    return plugins.loaded().registry.build("learner", name, **params)


def grid_of_squares(side: int = 6) -> tuple[Floats, Labels]:
    """Return a checkerboard of 2 x 2 squares, ``side`` rows on a side of each: no line divides its colours."""
    at = (np.arange(2 * side) + 0.5) / side
    X = np.array([(a, b) for a in at for b in at])
    return X, (np.floor(X).sum(axis=1) % 2).astype(int)


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts one class whatever it is fitted to, so that its cross-validated accuracy is known."""

    def __init__(self, answer: int = 0, other: Any = None) -> None:
        self.answer = answer
        self.other = other

    def fit(self, X: Any, y: Any) -> Constant:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Labels:
        return np.full(len(X), self.answer)


# --- what is chosen ------------------------------------------------------------------------------------------------


def test_the_best_point_is_chosen() -> None:
    y = np.array([0] * 4 + [1] * 8)
    found = Tuned(Constant(), {"answer": (0, 1)}, random_state=0).fit(np.zeros((12, 1)), y)
    assert (found.chosen_, found.predict(np.zeros((2, 1))).tolist()) == ({"answer": 1}, [1, 1])


@pytest.mark.parametrize("values", [("a", "b", "c"), ("c", "a")])
def test_ties_go_to_the_first_point(values: tuple[str, ...]) -> None:
    found = Tuned(Constant(), {"other": values}, random_state=0).fit(np.zeros((8, 1)), np.array([0, 1] * 4))
    assert found.chosen_ == {"other": values[0]}


def test_a_tie_up_to_the_last_digit_is_a_tie() -> None:
    """The accuracies of the folds of one point are those of the other in another order: their sums differ by 1e-16."""

    class Fold(Constant):
        def score_of(self, X: Any) -> Labels:
            order = {"up": (1, 2, 3), "down": (3, 2, 1)}[self.other]
            right = order[int(X[:, 0].min()) % 3]
            return (np.arange(len(X)) >= right).astype(int)

        predict = score_of

    y = np.zeros(30, dtype=int)
    y[:3] = 1
    X = np.zeros((30, 1))
    for fold, (_, rows) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)):
        X[rows] = fold
    for values in (("up", "down"), ("down", "up")):
        assert Tuned(Fold(), {"other": values}, random_state=0).fit(X, y).chosen_ == {"other": values[0]}


@pytest.mark.parametrize("name", NAMES)
def test_ties_of_a_registered_learner_go_to_the_default(name: str) -> None:
    """Two clouds far apart: every point of every grid is right on all rows."""
    chance = np.random.default_rng(0)
    y = np.array([0, 1] * 12)
    X = chance.normal(scale=0.05, size=(24, 2)) + 3 * y[:, None]
    trees = {"n_estimators": 20} if name in ("tuned-xgboost", "tuned-random-forest") else {}
    found = learner(name, **trees).set_params(random_state=0).fit(X, y)
    assert (found.chosen_, found.folds_) == (DEFAULTS[name], 3)


def test_a_checkerboard_needs_a_larger_C() -> None:
    X, y = grid_of_squares()
    assert learner("tuned-rbf-svm").set_params(random_state=0).fit(X, y).chosen_["svc__C"] > 1


def test_noise_needs_a_stronger_penalty() -> None:
    chance = np.random.default_rng(3)
    X = chance.normal(size=(40, 30))
    y = (X[:, 0] + chance.normal(size=40) > 0).astype(int)
    found = learner("tuned-logistic-regression").set_params(random_state=0).fit(X, y)
    assert found.chosen_["logisticregression__C"] < 1


def test_the_choice_is_that_of_cross_validation_point_by_point() -> None:
    chance = np.random.default_rng(8)
    X = chance.normal(size=(45, 3))
    y = ((X**2).sum(axis=1) + 0.5 * chance.normal(size=45) > 2.5).astype(int)
    Cs = (1.0, 0.1, 10.0, 100.0)
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    means = [cross_val_score(SVC(C=C), X, y, cv=folds).mean() for C in Cs]
    assert max(means) > means[0]
    found = Tuned(SVC(), {"C": Cs}, random_state=5).fit(X, y)
    assert found.chosen_ == {"C": Cs[int(np.argmax(means))]}
    np.testing.assert_array_equal(found.decision_function(X), SVC(C=found.chosen_["C"]).fit(X, y).decision_function(X))


# --- only the rows given -------------------------------------------------------------------------------------------


class Spy(KNeighborsClassifier):  # type: ignore[misc]
    """Notes which rows, told by their first column, it meets while a tuned learner is fitted."""

    met: ClassVar[list[set[int]]] = []
    tuning: ClassVar[bool] = False

    def fit(self, X: Any, y: Any) -> Any:
        self.note(X)
        return super().fit(X, y)

    def predict(self, X: Any) -> Any:
        self.note(X)
        return super().predict(X)

    def note(self, X: Any) -> None:
        if Spy.tuning:
            Spy.met[-1].update(X[:, 0].astype(int).tolist())


class Watched(Tuned):
    """Tells the spy when it is fitted."""

    def fit(self, X: Any, y: Any) -> Any:
        Spy.met.append(set())
        Spy.tuning = True
        super().fit(X, y)
        Spy.tuning = False
        return self


def test_no_row_of_the_test_set_or_without_a_label_is_met() -> None:
    Spy.met.clear()
    chance = np.random.default_rng(0)
    X = np.column_stack([np.arange(60), chance.normal(size=60)])
    y = (X[:, 1] > 0).astype(int)
    run = alcore.simulate(
        X, y, strategy="margin", learner=Watched(Spy(1), {"n_neighbors": (1, 2)}), start=8, budget=6, batch=2, seed=1
    )
    labelled = [set(run.queried[: record.n_labeled].tolist()) for record in run.records]
    assert Spy.met == labelled
    assert [len(rows) for rows in Spy.met] == [8, 10, 12, 14]
    assert all(before < after for before, after in pairwise(Spy.met))


def test_neither_the_estimator_nor_the_grid_is_changed() -> None:
    inner, grid = SVC(), {"C": (1.0, 10.0)}
    Tuned(inner, grid, random_state=0).fit(*grid_of_squares(3))
    assert (inner.C, hasattr(inner, "classes_"), grid) == (1.0, False, {"C": (1.0, 10.0)})


# --- few rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "folds"), [((5, 9), 3), ((3, 3), 3), ((2, 9), 2), ((2, 2), 2), ((1, 9), 0), ((1, 1), 0), ((9, 4, 1), 0)]
)
def test_folds_are_no_more_than_the_smallest_class_has_rows(counts: tuple[int, ...], folds: int) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    found = Tuned(SVC(), {"C": (1.0, 10.0)}, random_state=0).fit(X, y)
    assert found.folds_ == folds
    assert folds or found.chosen_ == {"C": 1.0}


def test_a_grid_of_one_point_needs_no_cross_validation() -> None:
    found = Tuned(SVC(), {"C": (10.0,)}).fit(*grid_of_squares(3))
    assert (found.folds_, found.chosen_, found.fitted_.C) == (0, {"C": 10.0}, 10.0)


def test_one_class_of_what_takes_one_is_fitted_by_default() -> None:
    found = Tuned(KNeighborsClassifier(1), {"n_neighbors": (1, 2)}).fit(np.zeros((4, 1)), np.ones(4, dtype=int))
    assert (found.folds_, found.chosen_, found.predict([[5.0]]).tolist()) == (0, {"n_neighbors": 1}, [1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], [1, 1], [0, 0, 2]], ids=str)
def test_a_registered_learner_takes_the_fewest_rows(name: str, labels: list[int]) -> None:
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    recipe = plugins.loaded().registry.learner(name, Task.CLASSIFICATION, **CHEAP[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pred = recipe.make(Task.CLASSIFICATION, 3, 0).fit(X, np.array(labels)).predict(X)
    assert set(pred.tolist()) <= set(labels)


# --- chance --------------------------------------------------------------------------------------------------------


def test_a_seed_fixes_the_folds() -> None:
    chance = np.random.default_rng(2)
    X, y = chance.normal(size=(24, 2)), np.array([0, 1] * 12)
    tuned = [Tuned(SVC(), {"C": (1.0, 3.0, 10.0, 30.0)}, random_state=seed) for seed in range(6)]
    found = [one.fit(X, y).chosen_ for one in tuned]
    assert found == [clone(one).fit(X, y).chosen_ for one in tuned]
    assert len({str(one) for one in found}) > 1


def test_a_run_is_repeated_by_its_seed() -> None:
    X, y = grid_of_squares(4)
    first, again = (
        alcore.simulate(X, y, strategy="margin", learner=learner("tuned-rbf-svm", folds=2), start=8, budget=6, batch=2)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.queried, again.queried)
    np.testing.assert_array_equal(first.curve.values, again.curve.values)


# --- what is registered --------------------------------------------------------------------------------------------

RULES = (
    "predicts", "same-seed-same-predictions", "levels-as-declared", "class-unseen", "few-rows",
    "no-warnings", "sparse-if-declared", "nan-if-declared",
)  # fmt: skip
"""Those that differ from grid to grid or that tuning could break; `alcore check NAME` tries all, in minutes."""


@pytest.mark.parametrize("name", NAMES)
def test_a_registered_learner_keeps_the_rules(name: str) -> None:
    report = check_learner(name, params=CHEAP[name], only=RULES)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_choice_it_is_the_learner_of_the_plain_name(name: str) -> None:
    """One row of a class rules out cross-validation: the default point must be what the plain learner is."""
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = np.array([1] + [0] * 11)
    trees = {"n_estimators": 5} if name in ("tuned-xgboost", "tuned-random-forest") else {}
    found, plain = (
        plugins.loaded().registry.learner(one, Task.CLASSIFICATION, **trees).make(Task.CLASSIFICATION, 2, 7)
        for one in (name, name.removeprefix("tuned-"))
    )
    for one in (found, plain):
        one.estimator.set_params(**{key: 3 for key in one.estimator.get_params() if key.endswith("random_state")})
    np.testing.assert_array_equal(found.fit(X, y).predict(X), plain.fit(X, y).predict(X))
    assert found.levels == plain.levels - {Level.HIDDEN}  # what is chosen inside is not known before a fit


@pytest.mark.parametrize("folds", [1, 0, -3, 2.5, True, "3"])
def test_folds_are_a_whole_number_of_two_or_more(folds: Any) -> None:
    with pytest.raises(InputError, match=r"folds is .*; cross-validation needs a whole number of 2 or more"):
        learner("tuned-rbf-svm", folds=folds)


def test_the_published_gamma_comes_first_in_its_grid() -> None:
    assert learner("tuned-rbf-svm", gamma="auto", scale=False).grid["gamma"] == ("auto", 0.1, 1.0)
    assert learner("tuned-rbf-svm", gamma=0.1).grid["svc__gamma"] == (0.1, 1.0)


def test_a_parameter_that_the_estimator_lacks_is_told() -> None:
    with pytest.raises(LearnerError, match="Invalid parameter 'sharpness'"):
        alcore.simulate(
            *grid_of_squares(3), strategy="margin", learner=Tuned(SVC(), {"sharpness": (1, 2)}), start=8, budget=2
        )
