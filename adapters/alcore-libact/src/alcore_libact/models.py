"""alcore's learners as libact's models. Their features are row numbers, their answers those of the run's own learner.

libact trains a model wherever it meets one, often twice a round. Here ``train`` on the round's labelled rows costs
nothing: the learner that alcore fitted answers. Anything else is fitted with a twin of the run's learner.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np

from alcore import Floats, Labels, Model, Rows, View
from alcore.types import Level
from alcore_libact.library import ContinuousModel, ProbabilisticModel
from alcore_libact.sheet import rows_in

LEAST = float(np.finfo(np.float64).tiny)
"""What a probability of 0 becomes: libact computes 0 log 0, which is NaN in floating point and 0 in the limit."""


class Answers:
    """What the round's fitted learner says of rows, each of its tables computed once."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._tables: dict[tuple[str, bool], Any] = {}

    def __call__(self, method: str, rows: Rows) -> Any:
        """Return ``method`` of the fitted learner at these rows."""
        for labeled in (False, True):
            place = self._place[labeled][rows]
            if (place >= 0).all():
                return self._table(method, labeled)[place]
        return getattr(self.view.model, method)(self.view.pool.take(rows))

    @cached_property
    def _place(self) -> tuple[Rows, Rows]:
        places = []
        for rows in (self.view.unlabeled, self.view.labeled):
            place = np.full(len(self.view.pool), -1, dtype=np.intp)
            place[rows] = np.arange(len(rows))
            places.append(place)
        return places[0], places[1]

    def _table(self, method: str, labeled: bool) -> Any:
        key = method, labeled
        if key not in self._tables:
            view = self.view
            if labeled or method == "predict":
                X = view.X_labeled if labeled else view.X_unlabeled
                self._tables[key] = getattr(view.model, method)(X)
            else:
                self._tables[key] = view.proba if method == "predict_proba" else view.decision
        return self._tables[key]

    @cached_property
    def labeled(self) -> Rows:
        """The labelled rows as libact orders them."""
        return np.sort(self.view.labeled)


class _Learner(ContinuousModel):  # type: ignore[misc]
    """What all of these share: features are row numbers."""

    def predict(self, feature: Any, *args: Any, **kwargs: Any) -> Labels:
        """Return codes (n,)."""
        return np.asarray(self._ask("predict", rows_in(feature)))

    def predict_real(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return decision values, a column per class."""
        return two_columns(self._ask("decision_function", rows_in(feature)))

    def score(self, testing_dataset: Any, *args: Any, **kwargs: Any) -> float:
        """Return the accuracy."""
        X, y = testing_dataset.format_sklearn()
        return float(np.mean(self.predict(X) == y))

    @abstractmethod
    def _ask(self, method: str, rows: Rows) -> Any:
        """Return what the learner answers for these rows."""


class Fitted(_Learner):
    """The fitted learner with decision values only."""

    answers: Answers

    def __init__(self, answers: Answers | None = None) -> None:
        if answers is not None:
            self.answers = answers

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # nothing in it changes

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        """Do nothing: alcore has fitted it to the labelled rows."""
        return self

    def _ask(self, method: str, rows: Rows) -> Any:
        return self.answers(method, rows)


class FittedProba(Fitted, ProbabilisticModel):  # type: ignore[misc]
    """The fitted learner with probabilities of all classes, or of those in ``classes``."""

    def __init__(self, answers: Answers, classes: Labels | None = None) -> None:
        super().__init__(answers)
        self.classes = classes

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return probabilities, (n, classes)."""
        return columns(self._ask("predict_proba", rows_in(feature)), self.classes)


class Student(_Learner, ProbabilisticModel):  # type: ignore[misc]
    """A twin of the run's learner, fitted when libact trains it; label i stands for ``classes[i]``."""

    def __init__(self, view: View, fresh: Callable[[], Model], classes: Labels | None = None) -> None:
        self.view, self.fresh, self.classes = view, fresh, classes
        self.model: Model | None = None

    def __deepcopy__(self, memo: Any) -> Student:
        return Student(self.view, self.fresh, self.classes)

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        """Fit a twin."""
        X, y = dataset.format_sklearn()
        codes = np.asarray(y, dtype=np.intp)
        codes = codes if self.classes is None else self.classes[codes]
        self.model = self.fresh().fit(self.view.pool.take(rows_in(X)), codes)
        return self

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return probabilities, (n, classes)."""
        return columns(self._ask("predict_proba", rows_in(feature)), self.classes)

    def _ask(self, method: str, rows: Rows) -> Any:
        same = np.array_equal(rows, self.view.unlabeled)  # the rows that are taken once a round
        X = self.view.X_unlabeled if same else self.view.pool.take(rows)
        return getattr(self.model, method)(X)


class WhatIf(FittedProba):
    """The fitted learner, whose deep copies are students: for strategies that copy a model to try a label on it."""

    def __init__(self, answers: Answers, classes: Labels) -> None:
        super().__init__(answers, classes)
        twin = answers.view.new_learner()
        self._student = Student(answers.view, lambda: copy.deepcopy(twin), classes)  # one seed for all that are tried

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.deepcopy(self._student, memo)


def uncertain(answers: Answers) -> Any:
    """Return the fitted learner with what libact prefers: probabilities, or else decision values."""
    probable = Level.PROBA in answers.view.model.levels
    return FittedProba(answers) if probable else Fitted(answers)


def columns(given: Floats, classes: Labels | None) -> Floats:
    """Return the columns of these classes (None: all, and two at least), with no probability of exactly 0."""
    if classes is not None:
        given = given if len(classes) == given.shape[1] else given[:, classes]
    elif given.shape[1] == 1:
        given = np.column_stack([given, np.zeros(len(given))])
    return np.maximum(given, LEAST)


def two_columns(decision: Floats) -> Floats:
    """Return libact's shape of decision values: two columns where there is one value per row."""
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
