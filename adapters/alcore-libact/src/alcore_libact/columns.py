"""A multi-label learner as libact's: a binary classifier per label, or all labels at once."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from alcore import Floats, Labels, Model, Rows, View
from alcore.types import Level
from alcore_libact.library import ProbabilisticModel
from alcore_libact.models import LEAST, Answers
from alcore_libact.sheet import rows_in


class Joint(ProbabilisticModel):  # type: ignore[misc]
    """The fitted learner with all labels at once: predictions (n, L)."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # nothing in it changes

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        """Do nothing: alcore has fitted it to the labelled rows."""
        return self

    def predict(self, feature: Any, *args: Any, **kwargs: Any) -> Labels:
        """Return a 0/1 matrix (n, L)."""
        return np.asarray(self.answers("predict", rows_in(feature)))

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return the probability of each label, (n, L)."""
        return np.asarray(self.answers("predict_proba", rows_in(feature)))

    def score(self, testing_dataset: Any, *args: Any, **kwargs: Any) -> float:
        """Return the share of rows with every label right."""
        X, y = testing_dataset.format_sklearn()
        return float((self.predict(X) == y).all(axis=1).mean())


class Column(ProbabilisticModel):  # type: ignore[misc]
    """A binary classifier of one label, found by the labels that libact trains it on.

    On the round's labelled rows the fitted learner answers; on others a copy of a twin is fitted to the one label, so
    that all that is tried in a round is tried with one seed.
    """

    def __init__(self, answers: Answers, y: Labels, twin: Model) -> None:
        self.answers, self.y, self.twin = answers, y, twin
        self.label = 0
        self.model: Model | None = None

    @classmethod
    def of(cls, view: View) -> Column:
        """Return the classifier that libact copies for each label."""
        return cls(Answers(view), view.y[np.argsort(view.labeled)], view.new_learner())

    def __deepcopy__(self, memo: Any) -> Column:
        return Column(self.answers, self.y, self.twin)

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        """Find the label, or fit a twin."""
        X, y = dataset.format_sklearn()
        rows, codes = rows_in(X), np.asarray(y, dtype=np.intp)
        if np.array_equal(rows, self.answers.labeled):
            # Labels that agree in every labelled row are one to libact, too.
            self.label, self.model = int(np.flatnonzero((self.y == codes[:, None]).all(axis=0))[0]), None
        else:
            pool = self.answers.view.pool
            self.model = copy.deepcopy(self.twin).fit(pool.take(rows), codes[:, None])
        return self

    def predict(self, feature: Any, *args: Any, **kwargs: Any) -> Labels:
        """Return 0 or 1, (n,)."""
        return np.asarray(self._of("predict", rows_in(feature)), dtype=np.intp)

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return probabilities of 0 and 1, (n, 2)."""
        p = np.clip(self._of("predict_proba", rows_in(feature)), LEAST, 1.0)
        return np.column_stack([1.0 - p, p])

    def predict_real(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return decision values, or 2p - 1 where there are none, for 0 and 1: (n, 2)."""
        rows = rows_in(feature)
        if Level.DECISION in self.answers.view.model.levels:
            real = self._of("decision_function", rows)
        else:
            real = 2.0 * self._of("predict_proba", rows) - 1.0
        return np.column_stack([-real, real])

    def score(self, testing_dataset: Any, *args: Any, **kwargs: Any) -> float:
        """Return the accuracy."""
        X, y = testing_dataset.format_sklearn()
        return float(np.mean(self.predict(X) == y))

    def _of(self, method: str, rows: Rows) -> Any:
        if self.model is None:
            return self.answers(method, rows)[:, self.label]
        given = np.asarray(getattr(self.model, method)(self.answers.view.pool.take(rows)))
        return given.reshape(len(rows), -1)[:, -1]  # (n,), (n, 1) or, of two classes, (n, 2)


class OnFeatures(ProbabilisticModel):  # type: ignore[misc]
    """A scikit-learn classifier of one label, fitted to ``pool.features`` of the rows."""

    def __init__(self, features: Floats, estimator: Any) -> None:
        self.features, self.estimator = features, estimator

    def __deepcopy__(self, memo: Any) -> OnFeatures:
        return OnFeatures(self.features, copy.deepcopy(self.estimator))

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        """Fit."""
        X, y = dataset.format_sklearn()
        self.estimator.fit(self.features[rows_in(X)], np.asarray(y), **kwargs)
        return self

    def predict(self, feature: Any, *args: Any, **kwargs: Any) -> Labels:
        """Return 0 or 1, (n,)."""
        return np.asarray(self.estimator.predict(self.features[rows_in(feature)]))

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return probabilities of 0 and 1, (n, 2)."""
        return np.asarray(self.estimator.predict_proba(self.features[rows_in(feature)]))

    def predict_real(self, feature: Any, *args: Any, **kwargs: Any) -> Floats:
        """Return decision values, or 2p - 1 where there are none, (n, 2)."""
        if not hasattr(self.estimator, "decision_function"):
            return 2.0 * self.predict_proba(feature) - 1.0
        real = np.asarray(self.estimator.decision_function(self.features[rows_in(feature)]))
        return np.column_stack([-real, real])

    def score(self, testing_dataset: Any, *args: Any, **kwargs: Any) -> float:
        """Return the accuracy."""
        X, y = testing_dataset.format_sklearn()
        return float(np.mean(self.predict(X) == y))
