"""A data set, and the one border where labels become codes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore.pool import MANY_VALUES, addressable, is_frame, is_sparse
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
        None infers it: a matrix is multi-label, floats with fractions are regression, all else is classification unless
        ``refuse_absurd`` refuses it.
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
        try:
            object.__setattr__(self, "X", addressable(self.X))
            encoded = encode(self.y, self.task, self.classes)
            if self.X.shape[0] != len(encoded.codes):
                raise InputError(
                    f"X has {self.X.shape[0]} rows and y has {len(encoded.codes)}; give one label per row of X."
                )
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
    if isinstance(classes, str) or not isinstance(classes, Iterable | None):
        raise InputError(f"classes is {classes!r}; give all labels that can occur, such as ['no', 'yes'].")
    if classes is not None:
        classes = [label.item() if isinstance(label, np.generic) else label for label in classes]
    values = _array(y)
    if values.dtype.kind in "mM":
        raise InputError(f"y is of dtype {values.dtype}; labels are strings, numbers or booleans: convert dates first.")
    if task is None and classes is None:
        refuse_absurd(values, "y")
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
    if isinstance(y, str | bytes | Mapping | Set) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise InputError(
            f"y is a {type(y).__name__}; give one label per row of X, in its order: a list, an array or a Series."
        )
    try:
        values = np.asarray(y.toarray() if is_sparse(y) else y)
    except (ValueError, TypeError) as error:
        raise InputError(f"y is no array: {error} {_SETS}") from error
    if values.ndim == 0:
        raise InputError(f"y is the single value {values.item()!r}; give one label per row of X.")
    if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
        # Of a list that mixes strings with NaN or numbers, NumPy makes strings all: "nan" would become a class.
        labels = np.asarray(y, dtype=object)
        if not all(isinstance(label, str | bytes) for label in labels.flat):
            values = labels
    if values.dtype == object:
        _refuse_strange(values)
    elif values.dtype.kind in "iuf" and values.ndim == 1 and isinstance(y, list | tuple):
        _refuse_strange(np.fromiter(y, dtype=object, count=len(y)))  # NumPy makes True 1 among numbers
    return values


def _refuse_strange(labels: Labels) -> None:
    """Raise InputError for labels that are collections, or truth values among numbers: True equals 1."""
    truths = numbers = False
    for row, label in enumerate(labels.flat):
        if isinstance(label, bool | np.bool_):
            truths = True
        elif isinstance(label, int | float | np.number) and label == label:
            numbers = True
        elif isinstance(label, list | tuple | Mapping | Set | np.ndarray):
            raise InputError(f"y has a {type(label).__name__} at row {row}. {_SETS}")
    if truths and numbers:
        raise InputError(
            "y mixes True and False with numbers, and True equals 1. Make them of one kind, such as 0 and 1, or texts."
        )


_SETS = (
    "A label is one number, text or truth value; sets of labels are given as a 0/1 matrix: "
    "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)."
)


def refuse_absurd(values: Labels, what: str) -> None:
    """Raise InputError for labels of which each would be a class without rows to learn it from.

    Of numbers, more than 20 different ones are refused as classes where a number has fewer than 2 rows on average; and
    where they are not consecutive (their range is 1.25 times their number, or more), fewer than 5, or any number of
    rows if there are more than 100 of them. Of texts, more than 20 different ones where three in four rows have their
    own. ``task`` or ``classes`` given says what is meant, and nothing is refused.

    Parameters
    ----------
    values : array (n,) of labels
    what : str, what the error calls them
    """
    labels = _numbers(values)
    if labels is None and (values.ndim != 1 or not all(isinstance(label, str) for label in values.tolist())):
        return
    different = np.unique(values.astype(str) if labels is None else labels)
    n, count = len(values), len(different)
    if count <= MANY_VALUES:
        return
    if labels is None:
        if 4 * count > 3 * n:
            raise InputError(
                f"{what} has {count} different texts in {n} rows: an identifier or free text, no class. Name the "
                'column of the labels, or if these are classes, say task="classification".'
            )
        return
    scattered = different[-1] - different[0] + 1 >= 1.25 * count
    if n < 2 * count or (scattered and (n < 5 * count or count > 100)):
        raise InputError(
            f"{what} has {count} different numbers in {n} rows, such as {different[0]:g} and {different[-1]:g}. If "
            'they are amounts, say task="regression"; if they are classes, task="classification"; if they are '
            "identifiers, name the column of the labels."
        )


def _numbers(values: Labels) -> Labels | None:
    """Return whole numbers as floats, or None if these labels are no whole numbers."""
    if values.ndim != 1 or len(values) == 0:
        return None
    if values.dtype == object:
        if not all(isinstance(label, int | float | np.number) and not isinstance(label, bool) for label in values):
            return None
        values = values.astype(np.float64)
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all() or (values != np.round(values)).any():
        return None
    return values.astype(np.float64)


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
    code = _positions(classes)
    if len(code) != len(classes):
        raise InputError(f"classes {list(classes)} has a label twice.")
    strange = sorted({label for label in values.tolist() if label not in code}, key=str)
    if strange:
        raise InputError(f"y has the label {strange[0]!r}, which is none of the classes {list(classes)}.")
    return np.array([code[label] for label in values.tolist()], dtype=np.intp), tuple(classes)


def _positions(classes: Sequence[Any]) -> dict[Any, int]:
    """Return the code of each class; InputError if one of them is no label."""
    try:
        return {label: i for i, label in enumerate(classes)}
    except TypeError as error:
        raise InputError(
            f"classes is {classes!r}; give all labels that can occur, each a number, a text or a truth value: {error}."
        ) from error


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
