"""A learner for toy pools that can say anything a strategy may ask for: quick, exact, and never the one at fault.

Ridge regression in closed form, on one-hot classes, 0/1 labels or targets. It takes few rows, one class per row,
constant columns, identical rows, sparse X and DataFrames without a warning, answers with continuous numbers, and is a
scikit-learn estimator with ``coef_`` for strategies that look inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar

import numpy as np
from numpy.random import Generator
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from alcore.learners import Recipe
from alcore.pool import is_frame, is_sparse
from alcore.types import Floats, Level, Task

F = TypeVar("F", bound=Callable[..., Any])
COMMON = frozenset({Level.EMBEDDING, Level.HIDDEN})
LEVELS = {
    Task.CLASSIFICATION: COMMON | {Level.PROBA, Level.DECISION, Level.DRAWS},
    Task.MULTILABEL: COMMON | {Level.PROBA, Level.DECISION, Level.DRAWS},
    Task.REGRESSION: COMMON | {Level.STD},
}
"""The levels that a toy learner can have, by task."""

SHARPNESS = 4.0
"""Factor between a class's score and its logit: predictions are neither certain nor all alike."""


def toy_learner(task: Task, levels: Iterable[Level]) -> Recipe:
    """Return a learner for a task with these levels and no others.

    Raises
    ------
    ValueError
        If a level is none of ``LEVELS[task]``.
    """
    levels = frozenset(levels)
    if not levels <= LEVELS[task]:
        raise ValueError(f"no toy learner for {task} has {', '.join(sorted(levels - LEVELS[task]))}.")
    names = tuple(sorted(levels))
    if task is not Task.REGRESSION:
        return Recipe(ToyClassifier(names))
    return Recipe(ToyRegressorWithStd(names) if Level.STD in levels else ToyRegressor(names))


def noisy_learner(task: Task) -> Recipe:
    """Return a learner for a task, with every level, whose fits depend on its seed."""
    names = tuple(sorted(LEVELS[task]))
    return Recipe(NoisyRegressor(names) if task is Task.REGRESSION else NoisyClassifier(names))


def _has(level: Level) -> Callable[[F], F]:
    only: Callable[[F], F] = available_if(lambda learner: level in learner.levels)
    return only


class _Ridge(BaseEstimator):  # type: ignore[misc]
    def __init__(self, levels: tuple[str, ...] = (), alpha: float = 1.0) -> None:
        self.levels = levels
        self.alpha = alpha

    def _solve(self, X: Any, targets: Floats) -> None:
        A = _numbers(X)
        gram = A.T @ A + self.alpha * np.eye(A.shape[1])
        self.inverse_ = np.linalg.inv(gram)
        self.weights_ = self.inverse_ @ A.T @ targets
        self.n_features_in_ = A.shape[1] - 1
        self.coef_, self.intercept_ = self.weights_[:-1].T, self.weights_[-1]

    @_has(Level.EMBEDDING)
    def embed(self, X: Any) -> Floats:
        """Return the features, (n, d)."""
        return _numbers(X)[:, :-1]

    @_has(Level.HIDDEN)
    def hidden(self, X: Any) -> Floats:
        """Return the inputs of the last layer, (n, d + 1)."""
        return _numbers(X)


class ToyClassifier(ClassifierMixin, _Ridge):  # type: ignore[misc]
    """Ridge regression on one-hot classes (n,), or on a 0/1 matrix (n, L)."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit."""
        y = np.asarray(y)
        self.multilabel_ = y.ndim == 2
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._solve(X, y - 0.5 if self.multilabel_ else np.eye(len(self.classes_))[codes])
        return self

    def predict(self, X: Any) -> Any:
        """Return the class, or the labels, with the largest score."""
        scores = _numbers(X) @ self.weights_
        return (scores > 0).astype(np.intp) if self.multilabel_ else self.classes_[scores.argmax(axis=1)]

    @_has(Level.PROBA)
    def predict_proba(self, X: Any) -> Floats:
        """Return softmax of the scores (n, classes seen), or the logistic function of each label's (n, L)."""
        return self._link(_numbers(X) @ self.weights_)

    @_has(Level.DECISION)
    def decision_function(self, X: Any) -> Floats:
        """Return scores: (n,) for two classes, else (n, classes seen) or (n, L)."""
        scores: Floats = _numbers(X) @ self.weights_
        two = not self.multilabel_ and scores.shape[1] == 2
        return scores[:, 1] - scores[:, 0] if two else scores

    @_has(Level.DRAWS)
    def sample_proba(self, X: Any, draws: int, rng: Generator) -> Floats:
        """Return probabilities under weights drawn from their posterior, (draws, n, columns of predict_proba)."""
        root = np.linalg.cholesky(self.inverse_)
        weights = self.weights_ + root @ rng.normal(size=(draws, *self.weights_.shape))
        return self._link(_numbers(X) @ weights)

    def _link(self, scores: Floats) -> Floats:
        if self.multilabel_:
            return 1.0 / (1.0 + np.exp(-SHARPNESS * scores))
        exp = np.exp(SHARPNESS * (scores - scores.max(axis=-1, keepdims=True)))
        share: Floats = exp / exp.sum(axis=-1, keepdims=True)
        return share


class ToyRegressor(RegressorMixin, _Ridge):  # type: ignore[misc]
    """Ridge regression."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit."""
        self._solve(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Any) -> Any:
        """Return the mean, (n,)."""
        return _numbers(X) @ self.weights_


class ToyRegressorWithStd(ToyRegressor):
    """Ridge regression that also says how sure it is."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean (n,), and the standard deviation of unit noise's posterior if asked."""
        A = _numbers(X)
        mean = A @ self.weights_
        return (mean, np.sqrt(np.einsum("ij,jk,ik->i", A, self.inverse_, A))) if return_std else mean


class _Noisy(_Ridge):
    def __init__(self, levels: tuple[str, ...] = (), alpha: float = 1.0, random_state: int | None = None) -> None:
        super().__init__(levels, alpha)
        self.random_state = random_state

    def _solve(self, X: Any, targets: Floats) -> None:
        super()._solve(X, targets)
        self.weights_ = self.weights_ + 0.2 * np.random.default_rng(self.random_state).normal(size=self.weights_.shape)
        self.coef_, self.intercept_ = self.weights_[:-1].T, self.weights_[-1]


class NoisyClassifier(_Noisy, ToyClassifier):
    """A toy classifier whose weights are drawn."""


class NoisyRegressor(_Noisy, ToyRegressorWithStd):
    """A toy regressor whose weights are drawn."""


def _numbers(X: Any) -> Floats:
    """Return X as a dense matrix with a last column of ones."""
    dense = X.toarray() if is_sparse(X) else X.to_numpy() if is_frame(X) else X
    return np.column_stack([np.asarray(dense, dtype=np.float64), np.ones(X.shape[0])])
