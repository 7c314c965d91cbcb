"""The border of a session: what people give as rows, labels and classes, checked and made into what the core uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from alcore.dataset import encode, fingerprint, missing
from alcore.errors import InputError
from alcore.pool import Pool, is_frame, is_sparse
from alcore.types import Labels, Rows, Task


def as_classes(classes: Iterable[Any], task: Task) -> tuple[Any, ...]:
    """Return the classes as Python's own values.

    Raises
    ------
    InputError
        If they are a text, have a missing value or a label twice, or the task has none.
    """
    if isinstance(classes, str):
        raise InputError(f"classes is {classes!r}; give all labels that can occur, such as ['no', 'yes'].")
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in classes)
    if task is Task.REGRESSION and labels:
        raise InputError('a regression has no classes; leave them out, or use task="classification".')
    odd = [label for label in labels if not isinstance(label, str | int)]
    if odd and missing(np.asarray(odd, dtype=object)).any():
        raise InputError(f"classes {list(labels)} has a missing value, which is no label; leave it out.")
    if len(set(labels)) != len(labels):
        raise InputError(f"classes {list(labels)} has a label twice.")
    return labels


def as_rows(pool: Pool, given: Any) -> Rows:
    """Return rows of the pool, of one row or a sequence of them.

    Raises
    ------
    InputError
        If they are no distinct integers within the pool, or labels of a DataFrame's index.
    """
    n = len(pool)
    if is_frame(pool.X) and hasattr(given, "get_indexer") and not np.array_equal(pool.X.index, np.arange(n)):
        raise InputError("rows are positions in X, and an index holds names: give X.index.get_indexer(rows).")
    try:
        rows = np.atleast_1d(np.asarray(given))
    except ValueError as error:  # lists of different lengths
        raise InputError(f"rows are integers, positions in X; given: {given!r}.") from error
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError(f"rows are integers, positions in X; given: {given!r}.")
    outside = rows[(rows < 0) | (rows >= n)]
    if outside.size:
        raise InputError(f"row {outside[0]} is outside X, which has rows 0 to {n - 1}.")
    found, counts = np.unique(rows, return_counts=True)
    if len(found) != len(rows):
        raise InputError(f"row {found[counts > 1][0]} is given more than once.")
    return rows.astype(np.intp)


def as_codes(pool: Pool, rows: Rows, labels: Any, *, one: bool) -> Labels:
    """Return the codes of labels, one per row; with ``one``, those of the single row need not be in a list.

    Raises
    ------
    InputError
        If there are not as many labels as rows, one is missing, or one is not among the classes.
    """
    labels = labels.toarray() if is_sparse(labels) else labels
    values = np.asarray(labels, dtype=object)
    if values.ndim == 0 or (one and values.ndim == 1 and pool.task is Task.MULTILABEL):
        labels, values = [labels], values[np.newaxis]
    if len(values) != len(rows):
        raise InputError(f"{len(values)} labels for {len(rows)} rows; give one label per row.")
    if len(rows) == 0:
        return np.empty(0, dtype=np.intp)
    try:
        return encode(labels, pool.task, pool.classes or None).codes
    except InputError:
        gone = missing(values)
        lacking = rows[gone if gone.ndim == 1 else gone.any(axis=1)]
        if lacking.size:
            raise InputError(f"row {lacking[0]} lacks a label; leave the row out here, or skip it.") from None
        raise
    except (TypeError, ValueError) as error:  # a dict, lists of different lengths: what cannot be labels
        raise InputError(f"labels is {labels!r}; give one label per row, in the order of the rows.") from error


def as_known(pool: Pool, y: Any) -> tuple[Rows, list[Any]]:
    """Return the rows that have a label, and their labels, of labels for the whole pool with gaps.

    Raises
    ------
    InputError
        If there is not one entry per row.
    """
    values = np.asarray(y.toarray() if is_sparse(y) else y, dtype=object)
    if values.ndim == 0 or len(values) != len(pool):
        raise InputError(
            f"y has shape {values.shape} for {len(pool)} rows; give one label per row, None where there is none."
        )
    gone = missing(values)
    # A row of a matrix that has only some of its labels counts as told, and is refused as such.
    rows = np.flatnonzero(~(gone if gone.ndim == 1 else gone.all(axis=1)))
    return rows, values[rows].tolist()


def as_told(pool: Pool, codes: Labels) -> list[Any]:
    """Return codes as the caller names the labels."""
    if pool.task is Task.CLASSIFICATION:
        return [pool.classes[code] for code in codes]
    told: list[Any] = codes.tolist()
    return told


def sampled(pool: Pool) -> str:
    """Return a hash of some hundred rows, evenly spaced, fewer where they are long."""
    long = int(np.prod(pool.X.shape[1:], dtype=int)) if not pool.sparse else 1
    count = min(len(pool), max(16, min(256, 100_000 // max(1, long))))
    return fingerprint(pool.take(np.linspace(0, len(pool) - 1, count).astype(np.intp)))
