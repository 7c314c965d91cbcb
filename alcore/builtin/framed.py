"""Estimators of scikit-learn and XGBoost that take any DataFrame: by position, whatever its columns are called.

``framed.LogisticRegression`` is scikit-learn's, which is given numbers where X is a DataFrame: columns of numbers as
they are and a 0/1 column for each value of the others, as ``encoding="one-hot"`` makes them. Names such as ``age<30``,
or two columns of one name, make no difference then. A class is made when it is first used, since its import takes time.
"""

from __future__ import annotations

import functools
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError
from alcore.pool import is_frame
from alcore.types import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

_HOME = {
    "LogisticRegression": "sklearn.linear_model",
    "Ridge": "sklearn.linear_model",
    "SVC": "sklearn.svm",
    "LinearSVC": "sklearn.svm",
    "RandomForestClassifier": "sklearn.ensemble",
    "RandomForestRegressor": "sklearn.ensemble",
    "GaussianNB": "sklearn.naive_bayes",
    "GaussianProcessRegressor": "sklearn.gaussian_process",
    "XGBClassifier": "xgboost",
    "Standardize": "alcore.builtin.estimators",
    "Neighbors": "alcore.builtin.estimators",
    "Discriminant": "alcore.builtin.estimators",
}
_METHODS = ("partial_fit", "predict", "predict_proba", "decision_function", "transform", "apply")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = framed(getattr(import_module(_HOME[name]), name))
    globals()[name] = made
    return made


def framed(kind: Any) -> Any:
    """Return the class of estimators with methods that turn a DataFrame into numbers first.

    It keeps the name, so that nothing is called by another one, and lives here, so that it can be pickled.
    """
    methods: dict[str, Any] = {"fit": _fitting(kind.fit), "__module__": __name__, "__doc__": kind.__doc__}
    for name in _METHODS:
        method = inspect.getattr_static(kind, name, None)
        if inspect.isfunction(method):  # scikit-learn's conditional ones are descriptors, and stay
            methods[name] = _answering(method)
    return type(kind.__name__, (kind,), methods)


def _fitting(method: Any) -> Any:
    @functools.wraps(method)
    def fit(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        self.__dict__.pop("table_", None)
        if is_frame(X):
            self.table_ = Table(X)
            X = self.table_.numbers(X)
        return method(self, X, *args, **kwargs)

    return fit


def _answering(method: Any) -> Any:
    @functools.wraps(method)
    def answer(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if is_frame(X):
            if "table_" not in self.__dict__:
                self.table_ = Table(X)
            X = self.table_.numbers(X)
        return method(self, X, *args, **kwargs)

    return answer


class Table:
    """What the columns of a DataFrame are: numbers, or the values that they can have."""

    def __init__(self, frame: DataFrame) -> None:
        import pandas as pd

        self.values: list[list[Any] | None] = []
        for position in range(frame.shape[1]):
            column = frame.iloc[:, position]
            if isinstance(column.dtype, pd.CategoricalDtype):
                self.values.append(list(column.cat.categories))
            elif pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
                self.values.append(None)
            else:
                self.values.append(sorted(column.dropna().unique(), key=str))

    def numbers(self, frame: Any) -> Floats:
        """Return these rows as float64, (n, d): NaN stays in numbers, and a value that is missing or new is all 0.

        Raises
        ------
        InputError
            If the number of columns is another.
        """
        import pandas as pd

        if frame.ndim != 2 or frame.shape[1] != len(self.values):
            raise InputError(
                f"X has shape {frame.shape}, where the learner was fitted to {len(self.values)} columns; give the same."
            )
        blocks = []
        for position, values in enumerate(self.values):
            column = frame.iloc[:, position]
            if values is None:
                blocks.append(column.to_numpy(dtype=np.float64, na_value=np.nan)[:, None])
            else:
                codes = pd.Index(values).get_indexer(column.astype(object)) if values else np.full(len(column), -1)
                blocks.append((np.asarray(codes)[:, None] == np.arange(len(values))).astype(np.float64))
        return np.hstack(blocks)
