"""Reads predictions from npz, npy, CSV and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alcore.errors import InputError
from alcore_modelselection.predictions import Predictions

VALUES = ("preds", "predictions", "probabilities", "hard")
"""The names under which an npz may hold its predictions."""


def read_predictions(
    path: str | os.PathLike[str],
    *,
    labels: str | None = None,
    ignore: Iterable[str] = (),
    normalise: bool = False,
) -> Predictions:
    """Return the predictions in a file.

    Parameters
    ----------
    path : path
        ``.npz`` with ``preds`` (H, N, C) or ``hard`` (H, N), and optionally ``labels`` (N,), ``classes`` (C,),
        ``models`` (H,) or the number of classes ``C``. ``.npy`` with either array. ``.csv`` or ``.parquet`` with a row
        per row and a column per model: hard labels, lists of C probabilities, or columns ``model:class`` of one
        probability each.
    labels : str, optional
        Of a table, the column of true labels (``label`` if there is one); otherwise an ``.npy`` file of them.
    ignore : names of columns that are no model
    normalise : divide rows of probabilities by their sum

    Raises
    ------
    InputError
        If there is no such file, its type is none of these, or what it holds is not as described.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file {file}.")
    if file.suffix == ".npz":
        return _npz(file, labels, normalise)
    if file.suffix == ".npy":
        truth = None if labels is None else _array(Path(labels))
        return Predictions(_array(file, mmap=True), labels=truth, normalise=normalise)
    if file.suffix in (".csv", ".parquet"):
        return _table(file, labels, set(ignore), normalise)
    raise InputError(f"{file} is of type {file.suffix or 'unknown'!r}; give .npz, .npy, .csv or .parquet.")


def _array(file: Path, *, mmap: bool = False) -> NDArray[Any]:
    try:
        return np.asarray(np.load(file, mmap_mode="r" if mmap else None, allow_pickle=False))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as one array: {error}") from None


def _npz(file: Path, labels: str | None, normalise: bool) -> Predictions:
    try:
        with np.load(file, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as npz without pickles: {error}") from None
    names = [name for name in VALUES if name in found]
    if not names:
        raise InputError(f"{file} holds {', '.join(found) or 'nothing'}; it needs one of {', '.join(VALUES)}.")
    values, classes = found[names[0]], found.get("classes")
    if classes is None and "C" in found and values.ndim == 2:
        classes = np.arange(int(found["C"]))
    truth = _array(Path(labels)) if labels is not None else found.get("labels")
    models = found.get("models")
    return Predictions(
        values,
        labels=truth,
        classes=classes,
        models=None if models is None else [str(name) for name in models],
        normalise=normalise,
    )


def _table(file: Path, labels: str | None, ignore: set[str], normalise: bool) -> Predictions:
    import pandas as pd

    try:
        frame = pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file)
    except (ValueError, OSError) as error:
        raise InputError(f"{file} cannot be read as a table: {error}") from None
    columns = [str(name) for name in frame.columns]
    frame.columns = columns
    truth_column = labels or ("label" if "label" in columns else None)
    for name in [*ignore, *([truth_column] if truth_column else [])]:
        if name not in columns:
            raise InputError(f"{file} has no column {name!r}; its columns are {', '.join(columns[:20])}.")
    models = [name for name in columns if name not in ignore and name != truth_column]
    if not models or frame.empty:
        raise InputError(f"{file} has no predictions: a table has one column per model and one row per row.")
    truth = None if truth_column is None else frame[truth_column].to_numpy()
    if all(":" in name for name in models):
        return _columns_of_probabilities(file, frame, models, truth, normalise)
    if all(isinstance(frame[name].iloc[0], list | np.ndarray) for name in models):
        try:
            values = np.stack([np.stack(frame[name].map(np.asarray).tolist()) for name in models])
        except ValueError as error:
            raise InputError(f"{file}: the lists of probabilities differ in length: {error}") from None
        return Predictions(values, labels=truth, models=models, normalise=normalise)
    votes = [frame[name].to_numpy() for name in models]
    _refuse_strangers(file, models, votes)
    kinds = {v.dtype.kind for v in votes}
    if kinds & set("OUS") and not kinds <= set("OUS"):
        votes = [v.astype(object) for v in votes]
    return Predictions(np.stack(votes), labels=truth, models=models)


def _columns_of_probabilities(
    file: Path, frame: Any, columns: Sequence[str], truth: NDArray[Any] | None, normalise: bool
) -> Predictions:
    classes: dict[str, list[str]] = {}
    for name in columns:
        model, _, label = name.rpartition(":")
        classes.setdefault(model, []).append(label)
    first = next(iter(classes.values()))
    for model, own in classes.items():
        if sorted(own) != sorted(first):
            raise InputError(f"{file}: model {model!r} has the classes {own}, others have {first}; they must agree.")
    values = np.stack([frame[[f"{model}:{c}" for c in first]].to_numpy(dtype=np.float64) for model in classes])
    names: NDArray[Any] = np.asarray(first)
    if truth is not None and truth.dtype.kind in "iuf":  # column names are text, the labels beside them are numbers
        try:
            names = np.asarray([float(c) for c in first])
        except ValueError:
            raise InputError(f"{file}: the labels are numbers, but the classes are called {first}.") from None
    return Predictions(values, labels=truth, classes=names, models=list(classes), normalise=normalise)


def _refuse_strangers(file: Path, models: Sequence[str], votes: Sequence[NDArray[Any]]) -> None:
    """Refuse a column that shares no value with any other, such as row numbers or the text of the rows."""
    values = [set(v.tolist()) for v in votes]
    for k, name in enumerate(models):
        others = set().union(*(v for j, v in enumerate(values) if j != k))
        if len(models) > 2 and not values[k] & others:
            raise InputError(
                f"{file}: column {name!r} shares no value with any other column, so it is no model's predictions; "
                "leave it out (ignore=[...], --ignore on the command line)."
            )
