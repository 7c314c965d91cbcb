"""When the learners of a run are fitted, to which rows, and what is told of it."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore.errors import LearnerError
from alcore.learners import Recipe, SingleClassWarning
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Rows
from alcore.view import View

X = np.arange(12.0)[:, None]
Y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
POOL = Pool(X, classes=("low", "middle", "high"))


class Likeliest:
    """Uses the learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.top(view.proba.max(axis=1), n)


class Counting(GaussianNB):  # type: ignore[misc]
    fits = 0

    def fit(self, X: Any, y: Any) -> Self:
        type(self).fits += 1
        super().fit(X, y)
        return self


class Watching(GaussianNB):  # type: ignore[misc]
    """Notes the rows that each fit sees."""

    seen: list[list[float]] = []  # noqa: RUF012 - shared on purpose: the estimator is copied

    def fit(self, X: Any, y: Any) -> Self:
        self.seen.append(np.asarray(X)[:, 0].tolist())
        super().fit(X, y)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        self.seen.append(np.asarray(X)[:, 0].tolist())
        super().partial_fit(X, y, classes=classes)
        return self


def state(learner: Any = None, start: Any = (0, 4, 8)) -> State:
    made = State(POOL, Likeliest(), Recipe.of(learner or GaussianNB()), seed=0)
    rows = np.array(start, dtype=np.intp)
    made.add(rows, Y[rows], start=True)
    return made


def test_a_recipe_is_fitted_once_per_state_and_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "fits", 0)
    s = state(Counting())
    assert Counting.fits == 0
    model = s.model()
    assert s.view().model.name == model.name
    assert s.model(s.learner) is model
    s.query(1)
    assert Counting.fits == 1
    s.add(np.array([1]), Y[[1]])
    assert s.model() is not model
    assert Counting.fits == 2


def test_two_recipes_are_fitted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "fits", 0)
    s = state(Counting())
    other = s.model(Recipe(Counting()))
    assert other is not s.model()
    assert Counting.fits == 2


@pytest.mark.parametrize(("refit", "seen"), [("scratch", [[0, 4, 8], [0, 3, 4, 8]]), ("continue", [[8, 0, 4], [3]])])
def test_a_learner_sees_rows_in_the_pools_order_unless_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, refit: Any, seen: list[list[float]]
) -> None:
    monkeypatch.setattr(Watching, "seen", [])
    s = state(Recipe(Watching(), refit=refit), start=(8, 0, 4))
    s.model()
    s.add(np.array([3]), Y[[3]])
    s.model()
    assert Watching.seen == seen


def test_the_time_of_fits_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(100))
    monkeypatch.setattr("alcore.state.perf_counter", lambda: float(next(ticks)))
    s = state()
    s.model()
    s.model()
    assert s.fit_time == 1.0
    s.model(Recipe(GaussianNB()))
    assert s.fit_time == 2.0


def test_one_class_warns_once_per_run() -> None:
    s = state(start=(4, 5))
    with pytest.warns(SingleClassWarning, match="all 2 labelled rows are 'middle': GaussianNB predicts that class"):
        s.model()
    s.add(np.array([6]), Y[[6]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert s.model().constant == 1
        s.model(Recipe(LogisticRegression()))


def test_the_next_run_warns_again() -> None:
    for _ in range(2):
        with pytest.warns(SingleClassWarning):
            state(start=(4, 5)).model()


def test_a_learner_that_cannot_be_fitted_is_the_learners_error_in_a_query() -> None:
    with pytest.raises(LearnerError, match="LogisticRegression failed in fit"):
        state(LogisticRegression(C=-1.0)).query(1)
