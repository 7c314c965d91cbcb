"""The pool: the rows a strategy may ask for. It never holds a hidden label."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np

from alcore.errors import InputError
from alcore.memory import face, frozen, is_frame, is_sparse, locked
from alcore.types import Floats, Rows, Task

__all__ = ["FeatureView", "Pool", "addressable", "alike", "has_gaps", "is_frame", "is_sparse", "numeric", "take"]

T = TypeVar("T")
FeatureView: TypeAlias = Literal["standard", "raw", "tfidf"]
MAX_VALUES = 1000
MANY_VALUES = 20
"""A column of no more values than this is nominal, however few the rows."""


class NoFeaturesError(InputError):
    """X has no numbers that a strategy of distances could use."""


DENSE = 2 * 10**9
"""Bytes that the dense features of a sparse X may take; a few times as many are in use while they are made."""


class Pool:
    """The rows a strategy may ask for, as the caller gave them, and what can be known of them without labels.

    Parameters
    ----------
    X : array (n, ...), CSR/CSC matrix or array, DataFrame of n rows, or n documents
        Kept as it is, except that every sparse format becomes CSR, because rows must be addressed. Documents are texts
        or dicts, in a list, a Series or an array (n,); they become an object array. Not copied:
        who gave it may still write to it, and nobody else can.
    task : Task
    classes : sequence
        The caller's labels in the order of their codes; the label names of a multi-label task; empty for regression.
    features : "standard", "raw", "tfidf", or a function of X
        What ``Pool.features`` is: numbers imputed by the median and standardised on the pool, the same without
        standardising, the main directions of documents' TF-IDF vectors (``alcore.text``), or ``function(X)`` of shape
        (n, d).

    Raises
    ------
    InputError
        If X has no rows to address, a classification pool has no classes, or ``features`` is none of the four.
    """

    def __init__(
        self,
        X: Any,
        task: Task = Task.CLASSIFICATION,
        classes: Sequence[Any] = (),
        *,
        features: FeatureView | Callable[[Any], Any] = "standard",
    ) -> None:
        self._X = locked(addressable(X))
        self.task = Task(task)
        self.classes = tuple(classes)
        self._features = features
        self._memo: dict[Hashable, Any] = {}
        if not callable(features) and features not in ("standard", "raw", "tfidf"):
            raise InputError(f'features is {features!r}; use "standard", "raw", "tfidf" or a function of X.')
        if isinstance(features, str) and features == "tfidf" and not is_text(self.X):
            raise InputError('features="tfidf" is for texts, X of shape (n,); this X has other rows. Use "standard".')
        if self.task is not Task.REGRESSION and not self.classes:
            raise InputError(f"a {self.task} pool needs classes: the labels that can occur, in order.")

    def __len__(self) -> int:
        return int(self._X.shape[0])

    def __repr__(self) -> str:
        return f"Pool({len(self)} rows, {self.task}, {self.n_classes} classes)"

    @property
    def X(self) -> Any:
        """All rows. An array or CSR matrix cannot be written to, nor unlocked; of a DataFrame this is a copy."""
        return face(self._X)

    @property
    def n_classes(self) -> int:
        """K for classification, the number of labels L for multi-label, 0 for regression."""
        return len(self.classes)

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return is_sparse(self._X)

    def take(self, rows: Rows) -> Any:
        """Return a copy of ``X`` at these rows, in the container the caller used."""
        return take(self._X, rows)

    @property
    def features(self) -> Floats:
        """The numeric view (n, d) that geometry strategies use; read-only.

        Columns of a DataFrame that are not numeric are one-hot encoded; missing numbers become the column's median
        (0 for a column with no value); a constant column is centred but not scaled.
        """
        values: Floats = face(self._numeric)
        return values

    @cached_property
    def _numeric(self) -> Floats:
        return self.memo(("features", self._features), self._make_features)

    def _make_features(self) -> Floats:
        if callable(self._features):
            table = self._features(self.X)
            if np.ndim(table) != 2 or np.shape(table)[0] != len(self):
                raise InputError(
                    f"features gave shape {np.shape(table)} for a pool of {len(self)} rows; return shape (n, d)."
                )
        elif self._features == "tfidf":
            from alcore.text import dense_tfidf

            table = dense_tfidf(self.X)
        else:
            table = numeric(self._X)
        values = np.array(table, dtype=np.float64)
        if self._features == "standard":
            scale = values.std(axis=0)
            varies = (np.ptp(values, axis=0) > 0) & (scale > 0)  # rounding gives some constants a scale of 1e-17
            values = (values - values.mean(axis=0)) / np.where(varies, scale, 1.0)
        return values

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed once per pool and key: neighbours, kernels, clusterings that runs share.

        What is kept must depend on the pool and the key alone: no labels, no seed that is not in the key. Arrays among
        it, alone or in a tuple, are read-only from then on.
        """
        if key not in self._memo:
            self._memo[key] = frozen(make())
        return cast("T", self._memo[key])

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again: a pool is sent to workers small."""
        return {k: v for k, v in self.__dict__.items() if k != "_numeric"} | {"_memo": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Lock what came out of a pickle, or of a copy, again."""
        self.__dict__.update(state)
        self._X = locked(self._X)


def is_documents(X: Any) -> bool:
    """Return whether X, as ``addressable`` gives it, is one text or dict per row rather than columns."""
    return isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object


def is_text(X: Any) -> bool:
    """Return whether X is one text per row."""
    return is_documents(X) and all(isinstance(document, str) for document in X)


def too_scattered(values: int, rows: int) -> bool:
    """Return whether so many different values in so many rows are text or identifiers rather than categories.

    One-hot columns of them would be as many as there are rows, nearly, with all rows equally far apart.
    """
    return values > MAX_VALUES or (values > MANY_VALUES and rows < 2 * values)


def has_gaps(X: Any) -> bool:
    """Tell whether a value of X is missing: NaN, None or NA."""
    if is_sparse(X):
        return bool(np.isnan(X.data).any()) if X.data.dtype.kind == "f" else False
    if is_frame(X):
        return bool(X.isna().to_numpy().any())
    X = np.asarray(X)
    return bool(np.isnan(X).any()) if X.dtype.kind == "f" else False


def addressable(X: Any) -> Any:
    """Return X with rows that can be taken by position.

    Lists become arrays, sparse formats CSR, and documents (texts or dicts) in whatever holds them an object array (n,).

    Raises
    ------
    InputError
        If X has no first axis, its rows differ in length, or its documents are no texts or dicts.
    """
    if is_sparse(X):
        if X.ndim != 2:
            raise InputError(f"X is a sparse array of shape {X.shape}; give one row per example: X.reshape(1, -1).")
        return X if X.format == "csr" else X.tocsr()
    if is_frame(X) and X.ndim == 2:
        return X
    if isinstance(X, str | bytes | Mapping | Set) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise InputError(
            f"X is a {type(X).__name__}; give one row per example, in order: an array, a DataFrame, a sparse matrix or "
            "a list."
        )
    try:
        array = np.asarray(X)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"X is no array: {error} Give as many values for each row, or texts or dicts as documents."
        ) from error
    if array.ndim >= 2:
        return array
    if array.ndim == 1 and array.dtype.kind in "OUT" and len(array):
        return _documents(array)
    if is_frame(X):
        raise InputError(
            f"X is a {type(X).__name__} of numbers; give a DataFrame with one row per example: X.to_frame()."
        )
    raise InputError(f"X has shape {array.shape}; give one row per example, such as X.reshape(-1, 1) for one feature.")


def _documents(array: Any) -> Any:
    documents = array.astype(object)  # one length for all, as NumPy's text has it, would copy the longest n times
    for row, document in enumerate(documents):
        if not isinstance(document, str | Mapping):
            raise InputError(
                f"X has shape {array.shape} and row {row} is a {type(document).__name__}; a row is a list of values, "
                'or all of them are documents: texts ("" for an empty one) or dicts. For one feature give '
                "X.reshape(-1, 1)."
            )
    return documents


def take(X: Any, rows: Rows) -> Any:
    """Return the rows of X by position, whatever its container."""
    return X.iloc[rows] if is_frame(X) else X[rows]


def alike(pool: Any, X: Any, what: str = "X") -> Any:
    """Return X as rows in the container and with the columns of ``pool``'s rows, for a learner fitted to these.

    Raises
    ------
    InputError
        If it is another container, or has other columns, or the same in another order.
    """
    fix = ""
    if is_frame(pool):
        if not is_frame(X) or X.ndim != 2:
            fix = "give a DataFrame: one row alone is X.iloc[[0]]" if is_frame(X) else "give a DataFrame of its columns"
        elif list(X.columns) != list(pool.columns):
            same = sorted(map(str, X.columns)) == sorted(map(str, pool.columns))
            fix = f"{'they are in another order: ' if same else ''}give X[list(columns)], with the pool's columns"
        if fix:
            raise InputError(f"{what} is {_described(X)}, and the pool has the columns {_few(pool.columns)}; {fix}.")
        return X
    if is_frame(X):
        fix = "give X.to_numpy()"
    elif is_sparse(X) != is_sparse(pool):
        fix = "give X.toarray()" if is_sparse(X) else "give scipy.sparse.csr_array(X)"
    shape = X.shape if is_sparse(X) or is_frame(X) else np.shape(X)
    if not fix and tuple(shape[1:]) != tuple(pool.shape[1:]):
        one = len(shape) == pool.ndim - 1 and tuple(shape) == tuple(pool.shape[1:])
        fix = "one row alone is X[[0]], not X[0]" if one else "give the same columns, one row per example"
    if fix:
        each = "sparse rows" if is_sparse(pool) else "rows"
        raise InputError(f"{what} is {_described(X)}, and the pool has {each} of shape {tuple(pool.shape[1:])}; {fix}.")
    return addressable(X)


def _described(X: Any) -> str:
    """Return what a container of rows is, for a message."""
    kind = type(X).__name__
    columns = f" with the columns {_few(X.columns)}" if hasattr(X, "columns") else ""
    return f"a {kind} of shape {X.shape if hasattr(X, 'shape') else np.shape(X)}{columns}"


def _few(columns: Any) -> str:
    names = [str(name) for name in columns]
    return ", ".join(names[:5]) + (f", ... ({len(names)})" if len(names) > 5 else "")


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
    if is_documents(X):
        kind, tfidf = ("texts", 'features="tfidf", or ') if is_text(X) else ("dicts", "")
        raise NoFeaturesError(
            f"X holds {kind}, which have no distances, and a strategy uses them. Give {tfidf}features=function of X "
            'that returns an array (n, d), or use a strategy of predictions alone, such as "margin".'
        )
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
        for name in others:
            _refuse_column(others[name], X.columns[int(name)])
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


def _refuse_column(column: Any, name: Any) -> None:
    """Raise InputError for a column that is no number and of which one-hot columns would be no features either."""
    present = column.dropna()
    try:
        values = int(present.nunique())
    except TypeError:  # lists and the like
        values = len(present)
    if not too_scattered(values, len(present)):
        return
    why = "dates or times" if column.dtype.kind in "mM" else "text or identifiers"
    raise NoFeaturesError(
        f"column {str(name)!r} of X holds {why}: {values} different values in {len(present)} rows, which would "
        "put all rows equally far apart. Leave it out of X, or "
        "give features=function of X that returns an array (n, d)."
    )
