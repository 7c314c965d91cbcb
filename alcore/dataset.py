"""A data set, and the one border where labels become codes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore.pool import addressable, is_frame, is_sparse
from alcore.types import Labels, Task


@dataclass(frozen=True)
class Dataset:
    """Rows with labels, as they came.

    Parameters
    ----------
    name : str
        Lower case.
    X : array (n, ...), sparse matrix or DataFrame of n rows
    y : array-like (n,) of class labels or targets, or a 0/1 matrix (n, L)
        Complete: a data set for experiments has no missing label.
    task : Task or None
        None infers it: a matrix is multi-label, floats with fractions are regression, all else is classification.
    classes : sequence or None
        All labels that can occur, in the order of their codes; None takes those in y, sorted.
    test : (X, y) or None
        The data set's own test part, where it has one.
    source : str
        Where it comes from, for tables and papers.
    """

    name: str
    X: Any
    y: Any
    task: Task | None = None
    classes: Sequence[Any] | None = None
    test: tuple[Any, Any] | None = None
    source: str = ""
    _encoded: Encoded = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", addressable(self.X))
        if self.X.shape[0] != np.shape(self.y)[0]:
            raise InputError(f"{self.name}: X has {self.X.shape[0]} rows and y has {np.shape(self.y)[0]}.")
        try:
            encoded = encode(self.y, self.task, self.classes)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from error
        object.__setattr__(self, "_encoded", encoded)
        object.__setattr__(self, "task", encoded.task)
        object.__setattr__(self, "classes", encoded.classes)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def codes(self) -> Labels:
        """Labels as codes (n,), a 0/1 matrix (n, L) or floats (n,); read-only."""
        return self._encoded.codes

    def fingerprint(self) -> str:
        """Return a hash of the rows and the labels: equal for equal data, whatever the name."""
        names = [str(label) for label in self.classes or ()]
        return fingerprint(self.X, self.codes, *(self.test or ()), also=f"{self.task}{names}")


@dataclass(frozen=True)
class Encoded:
    """Labels as the core uses them."""

    codes: Labels
    classes: tuple[Any, ...]
    task: Task


def encode(y: Any, task: Task | str | None = None, classes: Sequence[Any] | None = None) -> Encoded:
    """Turn the caller's labels into codes, once.

    Parameters
    ----------
    y : array-like (n,) or (n, L)
        Ints, strings, booleans, floats, a pandas Series of any dtype, or a 0/1 matrix (dense or sparse).
    task : Task or None
        None infers it (see ``Dataset``).
    classes : sequence or None
        All labels that can occur, in code order. None takes a categorical's categories, or the sorted labels in y.

    Raises
    ------
    InputError
        If a label is missing or not in ``classes``, or y does not fit the task.
    """
    if classes is None and hasattr(getattr(y, "dtype", None), "categories"):
        classes = list(y.dtype.categories)
    if classes is not None:
        classes = [label.item() if isinstance(label, np.generic) else label for label in classes]
    values = _array(y)
    if values.dtype.kind in "mM":
        raise InputError(f"y is of dtype {values.dtype}; labels are strings, numbers or booleans: convert dates first.")
    task = _infer_task(values) if task is None else _task(task)
    if task is Task.CLASSIFICATION:
        codes, names = _encode_classes(values, classes)
    elif task is Task.REGRESSION:
        codes, names = _encode_targets(values), ()
    else:
        codes, names = _encode_labelsets(values, classes, y)
    codes.setflags(write=False)
    return Encoded(codes, names, task)


def _array(y: Any) -> Labels:
    values = np.asarray(y.toarray() if is_sparse(y) else y)
    if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
        # Of a list that mixes strings with NaN or numbers, NumPy makes strings all: "nan" would become a class.
        labels = np.asarray(y, dtype=object)
        if not all(isinstance(label, str | bytes) for label in labels.flat):
            return labels
    return values


def _task(task: Task | str) -> Task:
    try:
        return Task(task)
    except ValueError:
        raise InputError(f"task is {task!r}; use one of {', '.join(Task)}.") from None


def _infer_task(values: Labels) -> Task:
    if values.ndim == 2 and values.shape[1] > 1:
        return Task.MULTILABEL
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values != np.round(values)).any():
        return Task.REGRESSION
    return Task.CLASSIFICATION


def _encode_classes(values: Labels, classes: Sequence[Any] | None) -> tuple[Labels, tuple[Any, ...]]:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"y has shape {values.shape}; classification takes one label per row, shape (n,).")
    gone = missing(values)
    if gone.any():
        raise InputError(
            f"y has no label at row {int(np.flatnonzero(gone)[0])} ({int(gone.sum())} in all). Leave out rows without "
            "a label here; to label rows as you go, use alcore.Session."
        )
    if classes is None:
        try:
            found, codes = np.unique(values, return_inverse=True)
        except TypeError as error:
            raise InputError(f"y mixes types that cannot be sorted ({error}); give classes=[...] in order.") from error
        return codes.reshape(-1).astype(np.intp), tuple(found.tolist())
    code = {label: i for i, label in enumerate(classes)}
    if len(code) != len(classes):
        raise InputError(f"classes {list(classes)} has a label twice.")
    strange = sorted({label for label in values.tolist() if label not in code}, key=str)
    if strange:
        raise InputError(f"y has the label {strange[0]!r}, which is none of the classes {list(classes)}.")
    return np.array([code[label] for label in values.tolist()], dtype=np.intp), tuple(classes)


def _encode_targets(values: Labels) -> Labels:
    try:
        targets = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"y is no target of a regression: {error}.") from error
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim != 1 or not np.isfinite(targets).all():
        raise InputError("a regression's y is one finite number per row, shape (n,).")
    return targets


def _encode_labelsets(values: Labels, classes: Sequence[Any] | None, y: Any) -> tuple[Labels, tuple[Any, ...]]:
    if values.ndim != 2 or not np.isin(values, (0, 1)).all():
        raise InputError("a multi-label y is a 0/1 matrix, shape (n, L), without gaps.")
    if classes is None:
        classes = list(y.columns) if is_frame(y) else list(range(values.shape[1]))
    if len(classes) != values.shape[1]:
        raise InputError(f"y has {values.shape[1]} labels and classes names {len(classes)}.")
    return values.astype(np.intp), tuple(classes)


def missing(values: Labels) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which labels are missing: None, NaN, NaT or pandas.NA, whatever the dtype."""
    if values.dtype.kind in "biuSU":
        return np.zeros(len(values), dtype=bool)
    import pandas as pd

    return np.asarray(pd.isna(values), dtype=bool)


def fingerprint(*parts: Any, also: str = "") -> str:
    """Return a hash of arrays, sparse matrices, DataFrames and a text: 16 hexadecimal digits."""
    digest = hashlib.sha256(also.encode())
    for part in parts:
        _feed(digest, part)
    return digest.hexdigest()[:16]


def _feed(digest: Any, part: Any) -> None:
    if is_sparse(part):
        part = part.tocsr(copy=True)
        part.sum_duplicates()  # and sorts, so that one content has one form
        part.eliminate_zeros()
        digest.update(repr(part.shape).encode())
        for array in (part.indptr.astype(np.int64), part.indices.astype(np.int64), part.data):
            _feed(digest, array)
    elif is_frame(part):
        import pandas as pd

        columns = part.dtypes.items() if part.ndim == 2 else [("", part.dtype)]
        digest.update(repr([(str(name), str(dtype)) for name, dtype in columns]).encode())
        digest.update(pd.util.hash_pandas_object(part, index=False).to_numpy().tobytes())
    else:
        array = np.asarray(part)
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(repr(array.tolist()).encode() if array.dtype == object else np.ascontiguousarray(array).tobytes())
