"""A classifier that chooses its own hyper-parameters, by cross-validation on the rows that it is fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.utils.metaestimators import available_if

from alcore import InputError

F = TypeVar("F", bound=Callable[..., Any])
Grid: TypeAlias = Mapping[str, Sequence[Any]]

TIE = 1e-9
"""Mean accuracies this close are equal: the same folds in another order sum to another last digit."""


def _offers(method: str) -> Callable[[F], F]:
    """Make a method one that is there where the classifier inside has it, so that levels are detected."""
    decorator: Callable[[F], F] = available_if(lambda self: hasattr(self.estimator, method))
    return decorator


class Tuned(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits the point of a grid whose accuracy is best in stratified cross-validation on the rows given.

    No other row is looked at. Ties go to the first of the best points. The first point of all is the default: it is
    taken, without cross-validation, where a class has a single row or there is one class only. A class with fewer rows
    than ``folds`` lowers the number of folds to that many.

    Parameters
    ----------
    estimator : classifier
        Copied, never fitted or changed.
    grid : mapping of a parameter to its values
        As for ``ParameterGrid``: all combinations, the parameters in alphabetical order, the last one running fastest.
    folds : int
        2 or more.
    random_state : int or None
        Draws the folds.

    Attributes
    ----------
    chosen_ : dict
        The parameters that won.
    folds_ : int
        The folds that were used; 0 if there was no cross-validation.
    fitted_ : classifier
        Fitted with them to all rows given.
    classes_ : (K,) array

    Raises
    ------
    InputError
        If ``folds`` is no whole number of 2 or more.

    Notes
    -----
    The published code chose them on the full data set, its test part included. Lu, Li and Lin 2023, section 5.3.2.
    """

    def __init__(self, estimator: Any, grid: Grid, folds: int = 3, random_state: int | None = None) -> None:
        if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
            raise InputError(f"folds is {folds!r}; cross-validation needs a whole number of 2 or more, such as 3.")
        self.estimator = estimator
        self.grid = grid
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, and fit what was chosen to all rows."""
        points = ParameterGrid(self.grid)
        counts = np.unique(y, return_counts=True)[1]
        possible = len(points) > 1 and len(counts) > 1 and counts.min() > 1
        self.folds_ = int(min(self.folds, counts.min())) if possible else 0
        if possible:
            folds = StratifiedKFold(self.folds_, shuffle=True, random_state=self.random_state)
            search = GridSearchCV(
                self.estimator, self.grid, scoring="accuracy", cv=folds, refit=_first_of_the_best, error_score="raise"
            ).fit(X, y)
            self.chosen_, self.fitted_ = dict(search.best_params_), search.best_estimator_
        else:
            self.chosen_ = dict(next(iter(points)))
            self.fitted_ = clone(self.estimator).set_params(**self.chosen_).fit(X, y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return classes, (n,)."""
        return self.fitted_.predict(X)

    @_offers("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Return probabilities, (n, K)."""
        return self.fitted_.predict_proba(X)

    @_offers("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Return decision values, (n,) for two classes, else (n, K)."""
        return self.fitted_.decision_function(X)


def _first_of_the_best(results: Mapping[str, Any]) -> int:
    means = np.asarray(results["mean_test_score"])
    return int(np.argmax(means >= means.max() - TIE))
