"""Learners of alcore as scikit-activeml expects them: fitted already, and asked by row number.

Where a strategy only hands rows to the learner, it is given row numbers for X, shape (n, 1), instead of features. The
learner takes the rows from the pool in the container the user gave, so that DataFrames, sparse matrices and missing
values reach it as they are, and looks up what alcore has computed already. Where a strategy measures distances too, it
is given ``Pool.features``, by the hook that scikit-activeml has for embeddings.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.stats import norm
from skactiveml.base import (  # type: ignore[import-untyped]
    ProbabilisticRegressor,
    SkactivemlClassifier,
    SkactivemlRegressor,
)
from skactiveml.utils import ExtLabelEncoder  # type: ignore[import-untyped]

from alcore import Floats, InputError, Labels, Pool, Rows, Task, View
from alcore.interop import dense
from alcore.learners import Model
from alcore.pool import is_frame, is_sparse

WITH_FEATURES = "with_features"
"""The keyword by which strategies ask for the embedding next to the prediction."""


def row_numbers(pool: Pool) -> Floats:
    """Return the rows of the pool as a table of one column, (n, 1)."""
    return np.arange(len(pool), dtype=np.float64)[:, np.newaxis]


def row_numbers_of(X: Any) -> Rows:
    """Return the rows that a table of row numbers stands for."""
    return np.asarray(X)[:, 0].astype(np.intp)


class _ByRow:
    """What classifier and regressor have in common: the model, and the fits that strategies make to try a label.

    All such fits of one query are copies of one twin of the query learner, so that they differ by their labels and
    not by their seeds.
    """

    view: View
    model: Model
    twin: Model | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the rows that have a label; the labelled rows as they are give the query learner, fitted already."""
        rows, y = row_numbers_of(X), np.asarray(y, dtype=np.float64)
        known = ~np.isnan(y)
        rows, y = rows[known], y[known]
        if self.twin is None:
            raise TypeError("this learner is fitted already and must not be refitted here")
        view = self.view
        order = np.argsort(view.labeled)
        if np.array_equal(rows, view.labeled[order]) and np.array_equal(y, view.y[order]):
            self.model = view.model
        else:
            codes = y if view.pool.task is Task.REGRESSION else y.astype(np.intp)
            self.model = copy.deepcopy(self.twin).fit(view.pool.take(rows), codes)
        return self

    def _rows(self, X: Any) -> tuple[Rows, bool]:
        """Return the rows and whether they are all the unlabelled rows, asked of the query learner."""
        rows = row_numbers_of(X)
        return rows, self.model is self.view.__dict__.get("model") and np.array_equal(rows, self.view.unlabeled)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> Self:
        return copy.copy(self)

    def __deepcopy__(self, memo: Any) -> Self:
        # Copies are made before each fit, which replaces the model; nothing else of it ever changes.
        return copy.copy(self)


class RowClassifier(_ByRow, SkactivemlClassifier):  # type: ignore[misc]
    """The query learner, or a member of a committee, as a fitted classifier of row numbers.

    Parameters
    ----------
    view : View
    model : Model or None
        None takes the query learner.
    refits : bool
        Whether the strategy may fit copies of it.
    """

    def __init__(self, view: View, model: Model | None = None, refits: bool = False) -> None:
        classes = np.arange(view.pool.n_classes)
        super().__init__(classes=classes)
        self.view, self.refits = view, refits
        self.model = view.model if model is None else model
        self.twin = view.new_learner() if refits else None
        self.classes_ = classes

    @cached_property
    def _le(self) -> Any:
        """The label encoder, which one strategy looks for."""
        return ExtLabelEncoder(classes=self.classes_, missing_label=self.missing_label).fit(self.classes_)

    def predict_proba(self, X: Any, with_features: bool = False) -> Any:
        """Return probabilities (n, K) that may be written to, as some strategies do, and the features if asked."""
        rows, known = self._rows(X)
        proba = np.array(self.view.proba if known else self.model.predict_proba(self.view.pool.take(rows)))
        return (proba, self.view.pool.features[rows]) if with_features else proba

    def predict(self, X: Any) -> Labels:
        """Return codes (n,)."""
        return self.model.predict(self.view.pool.take(row_numbers_of(X)))


class RowRegressor(_ByRow, ProbabilisticRegressor):  # type: ignore[misc]
    """The query learner, or a member of a committee, as a fitted regressor of row numbers; see RowClassifier."""

    def __init__(self, view: View, model: Model | None = None, refits: bool = False) -> None:
        super().__init__()
        self.view, self.refits = view, refits
        self.model = view.model if model is None else model
        self.twin = view.new_learner() if refits else None

    def predict_target_distribution(self, X: Any) -> Any:
        """Return normal distributions; their arrays are new ones, because some strategies change their shape."""
        mean, std = self.model.predict_std(self.view.pool.take(row_numbers_of(X)))
        return norm(loc=np.array(mean), scale=np.array(std))

    def predict(
        self, X: Any, return_std: bool = False, return_entropy: bool = False, with_features: bool = False
    ) -> Any:
        """Return the mean (n,), and what else is asked for."""
        if with_features:
            mean, std = super().predict(X, return_std=True)
            return mean, std, self.view.pool.features[row_numbers_of(X)]
        if return_std or return_entropy:
            return super().predict(X, return_std=return_std, return_entropy=return_entropy)
        return self.model.predict(self.view.pool.take(row_numbers_of(X)))


class Discriminator(SkactivemlClassifier):  # type: ignore[misc]
    """A classifier of row numbers, like the query learner, that tells labelled rows (0) from unlabelled ones (1)."""

    def __init__(self, view: View) -> None:
        super().__init__(classes=[0, 1])
        self.view = view
        self.twin = view.new_learner()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the twin, as a model of two classes."""
        model = Model(copy.deepcopy(self.twin.estimator), Task.CLASSIFICATION, 2, self.twin.levels)
        self.model = model.fit(self.view.pool.take(row_numbers_of(X)), np.asarray(y, dtype=np.intp))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of being labelled and unlabelled, (n, 2)."""
        return self.model.predict_proba(self.view.pool.take(row_numbers_of(X)))

    def __sklearn_clone__(self) -> Self:
        return copy.copy(self)


class _ByFeatures:
    """The query learner, asked by ``Pool.features``, for strategies that have no hook for embeddings.

    A table that is not that of all unlabelled rows is looked up row by row, and rows with equal features are one row
    then.
    """

    view: View

    def _taken(self, X: Any) -> Any:
        """Return the rows of ``Pool.X`` that these features stand for."""
        view = self.view
        if np.array_equal(X, view.pool.features[view.unlabeled]):
            return view.X_unlabeled
        known = rows_by_features(view.pool)
        return view.pool.take(np.array([known[row.tobytes()] for row in np.ascontiguousarray(X)], dtype=np.intp))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Refuse: it is fitted."""
        raise TypeError("this learner is fitted already and must not be refitted here")

    def __sklearn_is_fitted__(self) -> bool:
        return True


class FeatureClassifier(_ByFeatures, SkactivemlClassifier):  # type: ignore[misc]
    """The query learner as a fitted classifier of ``Pool.features``."""

    def __init__(self, view: View) -> None:
        classes = np.arange(view.pool.n_classes)
        super().__init__(classes=classes)
        self.view, self.model, self.classes_ = view, view.model, classes

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities (n, K)."""
        return np.array(self.model.predict_proba(self._taken(X)))


class FeatureRegressor(_ByFeatures, SkactivemlRegressor):  # type: ignore[misc]
    """The query learner as a fitted regressor of ``Pool.features``."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view, self.model = view, view.model

    def predict(self, X: Any) -> Floats:
        """Return the predictions (n,)."""
        return np.asarray(self.model.predict(self._taken(X)), dtype=np.float64)


class InputClassifier(SkactivemlClassifier):  # type: ignore[misc]
    """The query learner as a classifier of arrays that are not rows of the pool, such as rows with values dropped."""

    def __init__(self, view: View) -> None:
        classes = np.arange(view.pool.n_classes)
        super().__init__(classes=classes)
        self.view, self.model, self.classes_ = view, view.model, classes

    def predict(self, X: Any) -> Labels:
        """Return codes (n,)."""
        pool = self.view.pool
        if is_frame(pool.X):
            import pandas as pd

            X = pd.DataFrame(X, columns=pool.X.columns)
        return self.model.predict(X)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Refuse: it is fitted."""
        raise TypeError("this learner is fitted already and must not be refitted here")

    def __sklearn_is_fitted__(self) -> bool:
        return True


def rows_by_features(pool: Pool) -> Mapping[bytes, int]:
    """Return the first row that has these features, by their bytes; made once per pool."""

    def make() -> dict[bytes, int]:
        return {pool.features[row].tobytes(): row for row in range(len(pool) - 1, -1, -1)}

    return pool.memo(("skactiveml", "rows by features"), make)


def numbers(pool: Pool) -> Any:
    """Return X as the numbers that the learner is fitted to.

    Raises
    ------
    InputError
        If X is sparse, or not made of finite numbers.
    """
    if is_sparse(pool.X):
        raise InputError("scikit-activeml takes no sparse X here; give a dense one.")
    try:
        X = dense(pool.X) if is_frame(pool.X) else pool.X
        finite = bool(np.isfinite(X).all())
    except (TypeError, ValueError) as error:
        raise InputError(f"values of X are set to zero here, so that X must be numbers: {error}") from error
    if not finite:
        raise InputError("X has missing or infinite values, which scikit-activeml refuses; impute them first.")
    return X
