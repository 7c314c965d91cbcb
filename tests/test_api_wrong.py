"""What ``alcore.simulate`` refuses, and that it does so before anything is fitted, with the fix."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import alcore
from alcore.api import Finished, simulate
from alcore.errors import InputError, LearnerError, PairingError, StrategyError, UnknownNameError
from alcore.types import Floats, Labels, Rows
from alcore.view import View

X = np.random.default_rng(2).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
THREE = np.arange(60) % 3


class Counting:
    """Counts its fits, whatever it is copied to."""

    fits = 0

    def __init__(self, **has: Any) -> None:
        for name in has:
            setattr(self, name, lambda X: np.zeros((len(X), 2)))

    def fit(self, X: Any, y: Labels) -> Self:
        Counting.fits += 1
        return self

    def predict(self, X: Any) -> Labels:
        return np.zeros(X.shape[0], dtype=int)


class First:
    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


@alcore.strategy("toy.one", summary="One row at a time", learner=False, batch="single")
class One(First):
    pass


@alcore.scores("toy.binary", summary="Two classes", learner=False, max_classes=2, sparse=False)
def binary(view: View) -> Floats:
    return np.zeros(len(view.unlabeled))


def run(**more: Any) -> Finished:
    settings: dict[str, Any] = {"strategy": "random", "learner": Counting(), "budget": 2, "start": 10} | more
    return simulate(settings.pop("X", X), settings.pop("y", Y), **settings)


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no probabilities": (
        {"strategy": "entropy"},
        PairingError,
        r"entropy needs proba; Counting offers predict. Use learner 'gaussian-nb'.*, or strategy 'random'",
    ),
    "no decision values either": ({"strategy": "margin"}, PairingError, "margin needs proba or decision"),
    "a single-query strategy in batches": (
        {"strategy": One, "batch": 2},
        PairingError,
        "toy.one chooses one row at a time; batch is 2. Use batch=1",
    ),
    "an object of it": ({"strategy": One(), "batch": 2}, PairingError, "toy.one chooses one row at a time"),
    "too many classes": (
        {"strategy": binary, "y": THREE},
        PairingError,
        "strategy toy.binary takes 2 classes at most; this pool has 3. Use 'entropy'",
    ),
    "sparse rows": (
        {"strategy": binary, "X": sparse.csr_array(X)},
        PairingError,
        "strategy toy.binary takes no sparse X, and this pool is sparse. Make it dense",
    ),
    "sparse rows for a cold start": ({"cold_start": binary, "X": sparse.csr_array(X)}, PairingError, "no sparse X"),
    "sparse rows for a learner": (
        {"learner": "lda", "X": sparse.csr_array(X)},
        PairingError,
        "learner lda takes no sparse X",
    ),
    "sparse rows for a task learner": (
        {"task_learner": "gaussian-nb", "X": sparse.csr_array(X)},
        PairingError,
        "learner gaussian-nb takes no sparse X",
    ),
    "a strategy of another task": (
        {"strategy": "margin", "y": X[:, 0], "learner": "ridge"},
        PairingError,
        "strategy margin serves classification; this pool is regression. Use 'random'",
    ),
    "a learner of another task": ({"learner": "ridge"}, InputError, "learner 'ridge' serves regression, not class"),
    "a task learner of another task": ({"task_learner": "ridge"}, InputError, "learner 'ridge' serves regression"),
    "a metric of another task": (
        {"metrics": "r2"},
        PairingError,
        "metric r2 does not serve classification, the task of this pool. Use 'accuracy'",
    ),
    "a metric of two classes": ({"metrics": ["f1"], "y": THREE}, PairingError, "metric f1 takes 2 classes"),
    "a metric that needs probabilities": (
        {"metrics": ["accuracy", "log-loss"]},
        PairingError,
        "metric log-loss needs proba; Counting has none. Use another metric or learner",
    ),
    "a metric that the task learner cannot serve": (
        {"learner": Counting(predict_proba=True), "task_learner": LinearSVC(), "metrics": "log-loss"},
        PairingError,
        "metric log-loss needs proba; LinearSVC has none",
    ),
    "a metric that is not there": ({"metrics": "acuracy"}, UnknownNameError, "Did you mean 'accuracy'"),
    "a metric of curves": ({"metrics": "aubc"}, InputError, "'aubc' is no round metric; it scores whole curves"),
    "a function for a metric's name": ({"metrics": len}, InputError, "give names, or a mapping of names to functions"),
    "a name for a metric's function": (
        {"metrics": {"a": "accuracy"}},
        InputError,
        "the metric 'a' is 'accuracy'; give",
    ),
    "a strategy that is not there": ({"strategy": "margins"}, UnknownNameError, "Did you mean 'margin'"),
    "a learner that is not there": ({"learner": "ridg"}, UnknownNameError, "Did you mean 'ridge'"),
    "no strategy at all": ({"strategy": 3}, InputError, "3 is no strategy: give a name, an object with query"),
    "no learner at all": ({"learner": 3}, InputError, "3 is no learner"),
    "a start in the test set": ({"start": [0, 1, 2, 3, 4, 5]}, InputError, "which is in the test set or outside X"),
    "a start outside": ({"start": [60], "test": (X, Y)}, InputError, "start has row 60, which is in the test set or"),
    "a start of one row twice": ({"start": [3, 3], "test": (X, Y)}, InputError, "give distinct rows of X"),
    "a start of masks": ({"start": Y == 1, "test": (X, Y)}, InputError, "give distinct rows of X"),
    "a start of fractions": ({"start": [0.0, 1.0], "test": (X, Y)}, InputError, "give distinct rows of X"),
    "a negative start": ({"start": -1}, InputError, "start is -1; give a whole number, 0 or more"),
    "a share as a start": ({"start": 0.1}, InputError, r"start is 0\.1; give a whole number"),
    "a negative budget": ({"budget": -1}, InputError, "budget is -1; give a whole number"),
    "a share as a budget": ({"budget": 0.5}, InputError, r"budget is 0\.5; give a whole number"),
    "a batch of nothing": ({"batch": 0}, InputError, "batch is 0; ask for 1 row per round or more"),
    "a batch of halves": ({"batch": 1.5}, InputError, r"batch is 1\.5; give a whole number"),
    "a negative seed": ({"seed": -1}, InputError, "seed is -1; give a whole number"),
    "a number of test rows": ({"test_size": 20}, InputError, "the test size is 20; give the share of rows"),
    "another task": ({"task": "ranking"}, InputError, "task is 'ranking'; use one of classification"),
    "a gap in y": ({"y": [None, *Y[1:]]}, InputError, "data: y has no label at row 0.*use alcore.Session"),
    "a label that is no class": ({"classes": [0, 2]}, InputError, "data: y has the label 1, which is none of"),
    "a short y": ({"y": Y[:59]}, InputError, "data: X has 60 rows and y has 59"),
    "a test set that is no pair": ({"test": X}, InputError, r"test is a ndarray; give a pair, test=\(X, y\)"),
    "a short test set": ({"test": (X, Y[:9])}, InputError, "test has 60 rows and 9 labels"),
    "an empty test set": ({"test": (X[:0], Y[:0])}, InputError, "test has 0 rows and 0 labels"),
    "a class of the test set alone": ({"test": (X, THREE)}, InputError, "test: y has the label 2, which is none of"),
    "a stop rule by name": ({"stop": ["plateau"]}, InputError, "stop has 'plateau'; a stop rule is a function"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_refused_before_anything_is_fitted(what: str) -> None:
    Counting.fits = 0
    more, error, match = REFUSED[what]
    with pytest.raises(error, match=match):
        run(**more)
    assert Counting.fits == 0


def test_what_is_not_refused_is_fitted() -> None:
    Counting.fits = 0
    run()
    assert Counting.fits == 3


@pytest.mark.parametrize(
    "learner", [Ridge(), LinearRegression, make_pipeline(StandardScaler(), Ridge()), lambda: RandomForestRegressor(2)]
)
def test_a_regressor_for_classes(learner: Any) -> None:
    with pytest.raises(PairingError, match=r"is a regressor; the task is classification. Use learner 'gaussian-nb'"):
        run(learner=learner)
    with pytest.raises(PairingError, match=r"is a regressor; the task is classification"):
        run(learner=GaussianNB(), task_learner=learner)


def test_a_classifier_for_targets() -> None:
    with pytest.raises(PairingError, match=r"LogisticRegression is a classifier; the task is regression. Use learner"):
        run(y=X[:, 0], learner=LogisticRegression())


def test_the_fix_that_is_named_works() -> None:
    with pytest.raises(PairingError, match="'gaussian-nb'"):
        run(strategy="entropy", learner=SVC())
    assert len(run(strategy="entropy", learner="gaussian-nb").records) == 3


def test_single_queries_one_by_one() -> None:
    assert len(run(strategy=One, batch=1).records) == 3


def test_a_strategy_that_fails() -> None:
    class Broken(First):
        def query(self, view: View, n: int) -> Rows:
            raise KeyError("what")

    with pytest.raises(StrategyError, match="Broken failed in round 1: KeyError: 'what'"):
        run(strategy=Broken())


def test_a_learner_that_fails() -> None:
    class Broken(Counting):
        def fit(self, X: Any, y: Labels) -> Self:
            raise ValueError("no")

    with pytest.raises(LearnerError, match="Broken failed in fit: ValueError: no"):
        run(learner=Broken())


def test_an_error_in_a_round_keeps_the_rounds_before() -> None:
    class Failing(First):
        def query(self, view: View, n: int) -> Rows:
            if view.t == 3:
                raise SystemExit(0)
            return super().query(view, n)

    with pytest.raises(StrategyError, match="Failing failed in round 3: SystemExit: 0") as caught:
        simulate(X, Y, strategy=Failing(), learner=GaussianNB(), budget=5)
    assert [record.t for record in caught.value.records] == [0, 1, 2]
    assert "accuracy" in caught.value.records[2].metrics


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "1"])
def test_threads_are_a_whole_number(threads: Any) -> None:
    with pytest.raises(InputError, match=r"threads is .*give a whole number of 1 or more, or None"):
        simulate(X, Y, strategy="random", learner=GaussianNB(), threads=threads)
    with pytest.raises(InputError, match="threads is"):
        alcore.Session(X, strategy="random", learner=GaussianNB(), classes=[0, 1], threads=threads)
