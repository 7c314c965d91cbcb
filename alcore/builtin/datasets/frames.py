"""A table of columns -> a ``Dataset``: which columns are labels, and what becomes of features that are no numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from alcore.builtin.datasets import columns
from alcore.dataset import Dataset, encode, refuse_absurd
from alcore.errors import InputError, did_you_mean
from alcore.pool import addressable
from alcore.types import Floats, Labels, Task

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Encoding: TypeAlias = Literal["one-hot", "frame"]
Column: TypeAlias = str | int
"""A column's name or its position; -1 is the last one."""

_BINARY = {0: 0, 1: 1, "0": 0, "1": 1}  # False and 0.0 are equal to 0


def to_dataset(
    frame: DataFrame,
    *,
    name: str,
    source: str,
    where: str,
    target: Column | Sequence[Column],
    task: Task | str | None = None,
    declared: bool = False,
    encoding: Encoding = "one-hot",
    drop: Column | Iterable[Column] = (),
    train: int | None = None,
    text: Column | None = None,
    dates: Collection[str] = (),
    sparse: bool = False,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
) -> Dataset:
    """Return the data set that a table holds.

    Parameters
    ----------
    frame : DataFrame
        One row per example.
    where : str
        What the errors call the table: its path.
    target : column or list of columns
        The labels; a list makes the task multi-label, and each of its columns holds 0 and 1.
    task : Task or None
        None infers it as ``Dataset`` does.
    declared : bool
        Whether the table declares its types (ARFF does): then a target of numbers is a regression's unless ``task``
        says otherwise.
    encoding : "one-hot" or "frame"
        What X is; see ``features``.
    drop : columns that are neither features nor labels
    train : int or None
        The rows from this one on are the data set's own test part.
    text : column or None
        The one feature, whose texts are X, shape (n,).
    dates : names of columns that are declared as dates
    sparse : bool
        Whether the file had the form of mostly zeros: X is CSR then.
    classes, positive
        As in the data set ``file``.

    Raises
    ------
    InputError
        If a column does not exist, a label is missing, no feature is left, or ``features`` refuses a column.
    """
    import pandas as pd

    multilabel = isinstance(target, Sequence) and not isinstance(target, str)
    if multilabel and task not in (None, Task.MULTILABEL):
        raise InputError(f"{where}: several targets make the task multilabel, not {task}; name one column, or no task.")
    targets, kept = _divide(frame, target, drop, where)
    y: Labels
    found: Sequence[Any] | None
    if multilabel:
        y, found, task = _labelsets(frame, targets, where), [str(frame.columns[t]) for t in targets], Task.MULTILABEL
    else:
        column = frame.iloc[:, targets[0]]
        y, found = _labels(column, where)
        if task is None and declared and found is None:
            task = Task.REGRESSION
        if task is None and classes is None and not isinstance(column.dtype, pd.CategoricalDtype):
            refuse_absurd(y, f"{where}: target {str(column.name)!r}")
    if text is None:
        if not declared:
            columns.refuse_unnamed(frame, kept, where)
        X = features(frame.iloc[:, kept], encoding, where, dates)
    else:
        X = _documents(frame, text, targets, where)
    if sparse and isinstance(X, np.ndarray) and X.ndim == 2:
        from scipy.sparse import csr_matrix

        X = csr_matrix(X)
    order = {"classes": found if classes is None else classes, "positive": positive}
    return assemble(X, y, name=name, source=source, where=where, task=task, train=train, **order)


def _documents(frame: DataFrame, text: Column, targets: Sequence[int], where: str) -> Any:
    """Return a column's texts, shape (n,); a missing one is empty."""
    position = positions(frame, text, where)[0]
    column = frame.iloc[:, position].astype(object)
    if position in targets:
        raise InputError(f"{where}: column {str(column.name)!r} is the target and text; name two columns.")
    strange = [value for value in column[column.notna()] if not isinstance(value, str)]
    if strange:
        raise InputError(
            f"{where}: text is column {str(column.name)!r}, which holds {strange[0]!r}; name the one of the documents."
        )
    return column.where(column.notna(), "").to_numpy(dtype=object)


def _divide(
    frame: DataFrame, target: Column | Sequence[Column], drop: Column | Iterable[Column], where: str
) -> tuple[list[int], list[int]]:
    """Return the positions of the labels and of the features."""
    targets = positions(frame, target, where)
    dropped = positions(frame, drop, where)
    if not targets:
        raise InputError(f"{where}: target is an empty list; name the columns of the labels.")
    both = sorted(set(targets) & set(dropped))
    if both:
        raise InputError(f"{where}: column {frame.columns[both[0]]!r} is the target and in drop; take it out of one.")
    kept = [position for position in range(frame.shape[1]) if position not in {*targets, *dropped}]
    if not kept:
        raise InputError(f"{where}: no column is left for the features once target and drop are taken away.")
    return targets, kept


def assemble(
    X: Any,
    y: Labels,
    *,
    name: str,
    source: str,
    where: str,
    task: Task | str | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    train: int | None = None,
) -> Dataset:
    """Return the data set of these rows, those from ``train`` on as its test part, with the classes of both parts.

    ``classes`` gives them all in order, and ``positive`` one of two that is the last; labels are given as they are
    or as texts.
    """
    try:
        X = addressable(X)
        if X.shape[0] != len(y):
            raise InputError(f"X has {X.shape[0]} rows and y has {len(y)}; save both with one entry per example.")
        encoded = encode(y, task, None if classes is None else _as_found(classes, y))
        if positive is not None:
            encoded = encode(y, encoded.task, _with_last(encoded.classes, positive, encoded.task))
        part, rest = slice(None, train), slice(train, None)
        return Dataset(
            name=name,
            X=_rows(X, part),
            y=y[part],
            task=encoded.task,
            classes=encoded.classes or None,
            test=None if train is None else (_rows(X, rest), y[rest]),
            source=source,
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _as_found(classes: Sequence[Any], y: Labels) -> list[Any]:
    """Return classes that were given, each as the label in y that reads the same."""
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise InputError(f"classes is {classes!r}; give a list of all labels, in order.")
    by_text = {str(label): label for label in np.unique(y.astype(str))} if y.dtype.kind in "US" else {}
    if y.ndim == 1 and y.dtype.kind in "biufO":
        by_text = {str(label): label for label in dict.fromkeys(y.tolist())}
    return [by_text.get(str(label), label) for label in classes]


def _with_last(classes: Sequence[Any], positive: Any, task: Task) -> list[Any]:
    """Return two classes, the positive one as the second; InputError if they are not two or it is not among them."""
    last = [label for label in classes if str(label) == str(positive)]
    if task is not Task.CLASSIFICATION or len(classes) != 2 or len(last) != 1:
        what = f"its classes are {shown(classes)}" if classes else f"the task is {task}"
        raise InputError(f"positive is {positive!r}; it names one of two classes, and {what}.")
    return [label for label in classes if label != last[0]] + last


def _rows(X: Any, part: slice) -> Any:
    return X.iloc[part].reset_index(drop=True) if hasattr(X, "iloc") else X[part]


def positions(frame: DataFrame, given: Column | Iterable[Column], where: str) -> list[int]:
    """Return the positions of columns given by name or position.

    Raises
    ------
    InputError
        If there is no such column, or the name stands for two.
    """
    names = [str(name) for name in frame.columns]
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return [_position(names, column, where) for column in given]


def _position(names: Sequence[str], column: Column, where: str) -> int:
    if isinstance(column, int) and not isinstance(column, bool):
        if not -len(names) <= column < len(names):
            raise InputError(f"{where} has {len(names)} columns, so no column {column}; give a position from 0.")
        return column % len(names)
    found = [position for position, name in enumerate(names) if name == column]
    if not found:
        raise InputError(
            f"{where} has no column {column!r}; give one of {shown(names)}.{did_you_mean(str(column), names)}"
        )
    if len(found) > 1:
        raise InputError(f"{where} has {len(found)} columns named {column!r}; give the position, such as {found[0]}.")
    return found[0]


def shown(names: Iterable[object]) -> str:
    """Return the first names, and how many there are if that is not all."""
    texts = [str(name) for name in names]
    texts = [text if len(text) <= 60 else f"{text[:57]}..." for text in texts]
    return ", ".join(texts[:8]) + (f", ... ({len(texts)} in all)" if len(texts) > 8 else "")


def features(frame: DataFrame, encoding: Encoding, where: str, dates: Collection[str] = ()) -> Any:
    """Return the columns as features.

    Parameters
    ----------
    frame : DataFrame
    encoding : "one-hot" or "frame"
        "one-hot": a float64 array (n, d) in which a nominal column is one column per value that occurs, in the order
        of its categories (or sorted), all 0 where it is missing. "frame": a DataFrame with the columns as they are,
        nominal ones as pandas' categorical dtype, missing as NaN. Numbers are float64 and keep their NaN in both.
    where : str
        What the errors call the table.
    dates : names of columns that are declared as dates

    Raises
    ------
    InputError
        If a column holds neither numbers nor values (dates, lists, numbers in another notation), or text or identifiers
        that are to be one-hot.
    """
    import pandas as pd

    if encoding not in ("one-hot", "frame"):
        raise InputError(f"{where}: encoding is {encoding!r}; use 'one-hot' or 'frame'.")
    columns.refuse_dates(frame, dates, where)
    columns.warn_of_row_numbers(frame, where)
    parts = [_feature(frame.iloc[:, position], where) for position in range(frame.shape[1])]
    if encoding == "frame":
        made = pd.concat(parts, axis=1)
        made.columns = pd.Index([str(name) for name in frame.columns])
        return made.reset_index(drop=True)
    blocks = [
        _one_hot(column, where) if isinstance(column.dtype, pd.CategoricalDtype) else column.to_numpy()[:, None]
        for column in parts
    ]
    return np.hstack(blocks)


def _feature(column: Series[Any], where: str) -> Series[Any]:
    """Return one column as float64 or categorical."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        if not pd.api.types.is_complex_dtype(column.dtype):
            return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index, name=column.name)
    elif pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
        values = column.astype(object)
        if all(isinstance(value, str | bool | int | float) for value in values[values.notna()]):
            text = values.where(values.isna(), values.map(str))
            columns.refuse_text(text, where)
            return text.astype(pd.CategoricalDtype(natural(text[text.notna()].unique())))
    raise InputError(
        f"{where}: column {column.name!r} holds {column.dtype} values, which are neither numbers nor nominal. Turn "
        f"them into numbers, or leave the column out with drop=[{str(column.name)!r}]."
    )


def _one_hot(column: Series[Any], where: str) -> Floats:
    columns.refuse_scattered(column, where)
    codes = column.cat.remove_unused_categories().cat.codes.to_numpy()
    made: Floats = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
    return made


def natural(values: Iterable[str]) -> list[str]:
    """Return texts sorted: by number if all are numbers, else by alphabet."""
    values = list(values)
    try:
        return sorted(values, key=lambda value: (float(value), value))
    except ValueError:
        return sorted(values)


def _labels(column: Series[Any], where: str) -> tuple[Labels, list[Any] | None]:
    """Return labels, and the classes in order unless they are numbers."""
    import pandas as pd

    gone = np.flatnonzero(column.isna())
    if gone.size:
        raise InputError(
            f"{where}: column {column.name!r} has no label in row {gone[0]} ({gone.size} in all). Leave out the rows "
            "without a label; to label rows as you go, use alcore.Session."
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.asarray(column.astype(object)), list(column.cat.remove_unused_categories().cat.categories)
    for test, dtype in (
        (pd.api.types.is_bool_dtype, np.bool_),
        (pd.api.types.is_integer_dtype, np.int64),
        (pd.api.types.is_float_dtype, np.float64),
    ):
        if test(column.dtype):
            return column.to_numpy(dtype=dtype), None
    y = np.asarray(column.astype(object))
    return y, natural(set(y)) if all(isinstance(label, str) for label in y) else None


def _labelsets(frame: DataFrame, targets: Sequence[int], where: str) -> Labels:
    y = np.empty((len(frame), len(targets)), dtype=np.intp)
    for j, position in enumerate(targets):
        labels = frame.iloc[:, position].astype(object)
        strange = [(row, label) for row, label in enumerate(labels) if not _binary(label)]
        if strange:
            row, label = strange[0]
            raise InputError(
                f"{where}: label {frame.columns[position]!r} is {label!r} in row {row}; a multi-label column holds 0 "
                "and 1 only. To predict one column, give its name as target, not a list."
            )
        y[:, j] = [_BINARY[label] for label in labels]
    return y


def _binary(label: object) -> bool:
    return isinstance(label, Hashable) and label in _BINARY
