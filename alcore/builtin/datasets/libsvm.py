"""LIBSVM text: a line is ``label index:value ...``, or ``label,label index:value ...`` of a multi-label task."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alcore.builtin.datasets.content import MARKS, check_size, read_bytes, reading
from alcore.errors import InputError
from alcore.types import Labels, Task

MAX_FEATURES = 100_000_000
"""An index above this is a slip, unless ``features`` says otherwise: arrays of one number per feature are made."""

_SETS = re.compile(rb"^[ \t]*[^\s:#,]+,", re.MULTILINE)
_LONG_INDEX = re.compile(rb"(?<![\d.:])(\d{9,}):")
_WHOLE = 2.0**53


def read(
    files: Sequence[Path], task: Task | str | None, *, dense: bool, features: int | None, limit: float
) -> tuple[Any, Labels, list[int | float] | None, list[int]]:
    """Return X (CSR unless ``dense``), labels, the names of a multi-label task's labels, and each file's rows.

    Raises
    ------
    InputError
        If a file is malformed or has no rows, an index is above ``features``, or X would be above the limit.
    """
    from sklearn.datasets import load_svmlight_files

    where = " or ".join(str(file) for file in files)
    contents = [_content(file, features, limit) for file in files]
    multilabel = task == Task.MULTILABEL or (task is None and any(_SETS.search(content) for content in contents))
    with reading(where, "LIBSVM text"):
        streams = [io.BytesIO(content) for content in contents]
        loaded = load_svmlight_files(streams, n_features=features, multilabel=multilabel)
    parts, labels = loaded[::2], loaded[1::2]
    for file, part in zip(files, parts, strict=True):
        if not part.shape[0]:
            raise InputError(f"{file} has no rows; write lines such as '1 3:0.5'.")
    y, names = _label_matrix(labels) if multilabel else (_whole(np.concatenate(labels), task), None)
    rows = [part.shape[0] for part in parts]
    if dense:
        size = 8 * sum(rows) * parts[0].shape[1]
        check_size(where, size, sum(map(len, contents)), limit, "would as an array (dense=True) take")
    return _stack(parts, dense), y, names, rows


def _content(file: Path, features: int | None, limit: float) -> bytes:
    """Return a file's content without a mark at its begin, having seen that its indices are of a possible size."""
    if features is not None and (isinstance(features, bool) or not isinstance(features, int) or features < 1):
        raise InputError(f"{file}: features is {features!r}; give how many there are, such as 300.")
    content = read_bytes(file, "LIBSVM text", limit)
    if content.startswith(tuple(MARKS)):
        raise InputError(f"{file} is UTF-16; LIBSVM text is plain ASCII: save it as UTF-8.")
    most = min(max(features or 0, MAX_FEATURES), 2**31 - 1)
    for match in _LONG_INDEX.finditer(content):
        if int(match[1][:20]) > most:
            line = content.count(b"\n", 0, match.start()) + 1
            raise InputError(
                f"{file}, line {line}: the index {match[1].decode()[:20]} is above {most}, the most that is taken. "
                f"Mend the line, or if it is right, say features=N (at most {2**31 - 1})."
            )
    return content.removeprefix(b"\xef\xbb\xbf")


def _stack(parts: Sequence[Any], dense: bool) -> Any:
    from scipy.sparse import vstack

    X = parts[0] if len(parts) == 1 else vstack(parts, format="csr")
    return X.toarray() if dense else X


def _whole(y: Labels, task: Task | str | None) -> Labels:
    """Return labels as integers if they are class numbers: the format has floats only."""
    if task == Task.REGRESSION or not (np.abs(y) < _WHOLE).all():  # NaN is not below either
        return y
    return y.astype(np.int64) if bool((y == np.round(y)).all()) else y


def _label_matrix(labels: Sequence[Sequence[tuple[float, ...]]]) -> tuple[Labels, list[int | float]]:
    """Return sets of labels as a 0/1 matrix, and the labels that its columns stand for."""
    sets = [labelset for part in labels for labelset in part]
    found = sorted({label for labelset in sets for label in labelset})
    position = {label: j for j, label in enumerate(found)}
    y = np.zeros((len(sets), len(found)), dtype=np.intp)
    for i, labelset in enumerate(sets):
        y[i, [position[label] for label in labelset]] = 1
    return y, [int(label) if float(label).is_integer() else label for label in found]
