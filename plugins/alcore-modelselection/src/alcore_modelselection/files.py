"""Reads predictions from npz, npy, CSV and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alcore.builtin.datasets import archive
from alcore.builtin.datasets.content import LIMIT, check_size
from alcore.errors import InputError
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.tables import read_table

VALUES = ("preds", "predictions", "probabilities", "hard")
"""The names under which an npz may hold its predictions."""

MAX_CLASSES = 1_000_000


def read_predictions(
    path: str | os.PathLike[str],
    *,
    labels: str | None = None,
    ignore: Iterable[str] = (),
    models: Iterable[str] = (),
    normalise: bool = False,
    separator: str = ",",
    limit: float = LIMIT,
) -> Predictions:
    """Return the predictions in a file.

    Parameters
    ----------
    path : path
        ``.npz`` with ``preds`` (H, N, C) or ``hard`` (H, N), and optionally ``labels`` (N,), ``classes`` (C,),
        ``models`` (H,) or the number of classes ``C``. ``.npy`` with either array. ``.csv`` (or ``.csv.gz``) or
        ``.parquet`` with a row per row and a column per model: hard labels, lists of C probabilities, or columns
        ``model:class`` of one probability each. Text stays as it is written: ``NA`` and ``01`` are classes.
    labels : str, optional
        Of a table, the column of true labels (``label`` if there is one); otherwise an ``.npy`` file of them.
    ignore : names of columns that are no model
    models : names of the models in a table; without any, all other columns are models unless they cannot be
    normalise : divide rows of probabilities by their sum
    separator : what divides the fields of a CSV
    limit : megabytes that a packed file may hold

    Raises
    ------
    InputError
        If there is no such file, its type is none of these, or what it holds is not as described.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file {file}; relative paths start from {Path.cwd()}.")
    suffix = Path(file.name.removesuffix(".gz")).suffix
    try:
        if suffix == ".npz":
            return _npz(file, labels, normalise, limit)
        if suffix == ".npy":
            truth = None if labels is None else archive.read_single(Path(labels), limit)
            values = archive.read_single(file, limit, mapped=True)
            return Predictions(values, labels=truth, normalise=normalise)
        if suffix in (".csv", ".parquet"):
            return read_table(
                file, labels, set(ignore), list(models), normalise=normalise, separator=separator, limit=limit
            )
    except InputError as error:
        told = str(error)
        raise InputError(told if told.startswith(str(file)) else f"{file}: {told}") from error
    raise InputError(f"{file} is of type {file.suffix or 'unknown'!r}; give .npz, .npy, .csv or .parquet.")


def _npz(file: Path, labels: str | None, normalise: bool, limit: float) -> Predictions:
    there = archive.names_of(file)
    names = [name for name in VALUES if name in there]
    if not names:
        raise InputError(f"{file} holds {', '.join(there) or 'nothing'}; it needs one of {', '.join(VALUES)}.")
    wanted = [name for name in (names[0], "classes", "C", "labels", "models") if name in there]
    found = dict(zip(wanted, archive.read(file, wanted, limit), strict=True))
    values, classes = found[names[0]], found.get("classes")
    if classes is None and "C" in found and values.ndim == 2:
        classes = _numbered(file, found["C"], values.shape[1], limit)
    truth = archive.read_single(Path(labels), limit) if labels is not None else found.get("labels")
    models = found.get("models")
    return Predictions(
        values,
        labels=truth,
        classes=classes,
        models=None if models is None else [str(name) for name in np.atleast_1d(models)],
        normalise=normalise,
    )


def _numbered(file: Path, count: NDArray[Any], rows: int, limit: float) -> NDArray[Any]:
    """Return the classes 0..C-1, having seen that C is a number of classes."""
    if count.ndim or count.dtype.kind not in "iu" or not 2 <= int(count) <= MAX_CLASSES:
        raise InputError(
            f"{file}: C is {count!r}, which is no number of classes; give a whole number from 2 to {MAX_CLASSES}."
        )
    check_size(
        file, 8 * rows * int(count), file.stat().st_size, limit, f"says C = {int(count)}; vote shares would take"
    )
    return np.arange(int(count))
