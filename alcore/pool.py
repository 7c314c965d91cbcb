"""The pool: the rows a strategy may ask for. It never holds a hidden label."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats, Rows, Task

T = TypeVar("T")
FeatureView: TypeAlias = Literal["standard", "raw"]

DENSE = 2 * 10**9
"""Bytes that the dense features of a sparse X may take; a few times as many are in use while they are made."""


class Pool:
    """The rows a strategy may ask for, as the caller gave them, and what can be known of them without labels.

    Parameters
    ----------
    X : array (n, ...), CSR/CSC matrix or array, or DataFrame of n rows
        Kept as it is, except that every sparse format becomes CSR, because rows must be addressed.
    task : Task
    classes : sequence
        The caller's labels in the order of their codes; the label names of a multi-label task; empty for regression.
    features : "standard", "raw", or a function of X
        What ``Pool.features`` is: numbers imputed by the median and standardised on the pool, the same without
        standardising, or ``function(X)`` of shape (n, d).

    Raises
    ------
    InputError
        If X has no rows to address, a classification pool has no classes, or ``features`` is none of the three.
    """

    def __init__(
        self,
        X: Any,
        task: Task = Task.CLASSIFICATION,
        classes: Sequence[Any] = (),
        *,
        features: FeatureView | Callable[[Any], Any] = "standard",
    ) -> None:
        self.X = addressable(X)
        self.task = Task(task)
        self.classes = tuple(classes)
        self._features = features
        self._memo: dict[Hashable, Any] = {}
        if not callable(features) and features not in ("standard", "raw"):
            raise InputError(f'features is {features!r}; use "standard", "raw" or a function of X.')
        if self.task is not Task.REGRESSION and not self.classes:
            raise InputError(f"a {self.task} pool needs classes: the labels that can occur, in order.")

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __repr__(self) -> str:
        return f"Pool({len(self)} rows, {self.task}, {self.n_classes} classes)"

    @property
    def n_classes(self) -> int:
        """K for classification, the number of labels L for multi-label, 0 for regression."""
        return len(self.classes)

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return is_sparse(self.X)

    def take(self, rows: Rows) -> Any:
        """Return ``X`` at these rows, in the container the caller used."""
        return take(self.X, rows)

    @cached_property
    def features(self) -> Floats:
        """The numeric view (n, d) that geometry strategies use; read-only.

        Columns of a DataFrame that are not numeric are one-hot encoded; missing numbers become the column's median
        (0 for a column with no value); a constant column is centred but not scaled.
        """
        return self.memo(("features", self._features), self._make_features)

    def _make_features(self) -> Floats:
        if callable(self._features):
            table = self._features(self.X)
            if np.ndim(table) != 2 or np.shape(table)[0] != len(self):
                raise InputError(
                    f"features gave shape {np.shape(table)} for a pool of {len(self)} rows; return shape (n, d)."
                )
        else:
            table = numeric(self.X)
        values = np.array(table, dtype=np.float64)
        if self._features == "standard":
            scale = values.std(axis=0)
            varies = (np.ptp(values, axis=0) > 0) & (scale > 0)  # rounding gives some constants a scale of 1e-17
            values = (values - values.mean(axis=0)) / np.where(varies, scale, 1.0)
        values.setflags(write=False)
        return values

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once per pool and key: neighbours, kernels, clusterings that runs share.

        What is kept must depend on the pool and the key alone: no labels, no seed that is not in the key.
        """
        if key not in self._memo:
            self._memo[key] = make()
        return cast("T", self._memo[key])

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again: a pool is sent to workers small."""
        return {k: v for k, v in self.__dict__.items() if k != "features"} | {"_memo": {}}


def is_sparse(X: Any) -> bool:
    """Tell whether X is a SciPy sparse matrix or array, without importing SciPy for those that are not."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def is_frame(X: Any) -> bool:
    """Tell whether X is a pandas DataFrame or Series, without importing pandas."""
    return hasattr(X, "iloc")


def has_gaps(X: Any) -> bool:
    """Tell whether a value of X is missing: NaN, None or NA."""
    if is_sparse(X):
        return bool(np.isnan(X.data).any()) if X.data.dtype.kind == "f" else False
    if is_frame(X):
        return bool(X.isna().to_numpy().any())
    X = np.asarray(X)
    return bool(np.isnan(X).any()) if X.dtype.kind == "f" else False


def addressable(X: Any) -> Any:
    """Return X with rows that can be taken by position: lists become arrays, sparse formats become CSR.

    Raises
    ------
    InputError
        If X has no first axis.
    """
    if is_sparse(X):
        return X if X.format == "csr" else X.tocsr()
    if is_frame(X):
        if X.ndim != 2:
            raise InputError(f"X is a {type(X).__name__}; give a DataFrame with one row per example.")
        return X
    X = np.asarray(X)
    if X.ndim < 2:
        raise InputError(f"X has shape {X.shape}; give one row per example, such as X.reshape(-1, 1) for one feature.")
    return X


def take(X: Any, rows: Rows) -> Any:
    """Return the rows of X by position, whatever its container."""
    return X.iloc[rows] if is_frame(X) else X[rows]


def _refuse_large(X: Any) -> None:
    """Raise InputError, before memory is asked for, if a sparse X takes more than ``DENSE`` bytes when it is dense."""
    n, d = X.shape
    if 8 * n * d > DENSE:
        raise InputError(
            f"X is sparse, {n} x {d}: distances between rows are taken on a dense array, of {8 * n * d / 1e9:.1f} GB "
            f"here, and more than {DENSE / 1e9:.0f} GB is refused. Give few features that stand for it: "
            "features=lambda X: TruncatedSVD(100, random_state=0).fit_transform(X), from sklearn.decomposition; or a "
            "strategy that uses predictions only, such as 'margin'."
        )


def numeric(X: Any) -> Floats:
    """Return X as numbers without gaps, shape (n, d): see ``Pool.features``."""
    if is_sparse(X):
        _refuse_large(X)
        values = np.asarray(X.toarray(), dtype=np.float64)
    elif is_frame(X):
        import pandas as pd

        columns = X.copy(deep=False)
        columns.columns = [str(position) for position in range(X.shape[1])]
        numbers = columns.select_dtypes(include=["number", "bool"], exclude=["timedelta"]).astype(np.float64)
        others = columns.drop(columns=numbers.columns)
        values = numbers.to_numpy(np.float64, na_value=np.nan)
        if others.shape[1]:  # get_dummies refuses a frame without columns
            dummies = pd.get_dummies(others.astype("object").where(others.notna(), None), dtype=np.float64)
            values = np.hstack([values, dummies.to_numpy(np.float64)])
    else:
        try:
            values = np.asarray(X, dtype=np.float64).reshape(len(X), -1)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"X of dtype {np.asarray(X).dtype} has no numeric view: {error}. "
                "Give a DataFrame, numbers, or Pool(features=function)."
            ) from error
    gaps = ~np.isfinite(values)
    if gaps.any():
        values = np.where(gaps, np.nan, values)
        filled = gaps.all(axis=0)
        middle = np.zeros(values.shape[1])
        middle[~filled] = np.nanmedian(values[:, ~filled], axis=0)
        values = np.where(gaps, middle, values)
    return values
