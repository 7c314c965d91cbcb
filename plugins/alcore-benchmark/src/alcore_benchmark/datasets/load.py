"""Loads a data set of the benchmark from wherever it is, and checks that it is the one that was published."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from alcore import Dataset, InputError, UnavailableError
from alcore.builtin.datasets import openml
from alcore.errors import did_you_mean
from alcore.plugins import loaded
from alcore_benchmark.datasets.catalogue import TABLE, Entry

Source: TypeAlias = Literal["auto", "file", "bundled", "openml"]
FOLDER = "ALCORE_DATA"
BY_NAME = {entry.name: entry for entry in TABLE}


def load(name: str, *, source: Source = "auto") -> Dataset:
    """Return one of the 40 data sets, checked against the facts of the catalogue.

    Parameters
    ----------
    name : str
        Its name in the catalogue.
    source : "auto", "file", "bundled" or "openml"
        "file" is in the folder ``ALCORE_DATA``; "bundled" comes with a package, maybe in another order of rows or on
        another scale; "openml" was downloaded by ``alcore download NAME``. "auto" takes the first that is there.

    Raises
    ------
    UnavailableError
        If it is not there; the message says where it can be had.
    InputError
        If what is there is not what was published: it names each difference.
    """
    entry = BY_NAME[name]
    if source not in ("auto", "file", "bundled", "openml"):
        raise InputError(f'{name}: source is {source!r}; use "auto", "file", "bundled" or "openml".')
    makers = {"file": _from_file, "bundled": _bundled, "openml": _from_openml}
    there = sources(entry)
    chosen = next(iter(there), None) if source == "auto" else source
    if chosen not in there:
        only = f"; there is {' and '.join(there)}" if there else ""
        raise UnavailableError(f"{name} {lacking(entry)}{only}")
    found = makers[chosen](entry)
    _check(entry, found)
    return found


def named(names: Sequence[str]) -> list[Entry]:
    """Return the entries of these names; InputError, with the nearest name, if there is no such data set."""
    for name in names:
        if name not in BY_NAME:
            raise InputError(f"{name!r} is no data set of the benchmark.{did_you_mean(name, BY_NAME)}")
    return [BY_NAME[name] for name in names]


def fetch(entry: Entry) -> Dataset:
    """Return the data set from OpenML, downloading it the first time, checked as ``load`` checks it."""
    found = _from_openml(entry)
    _check(entry, found)
    return found


def sources(entry: Entry) -> list[str]:
    """Return where the data set can be had here and now, the best first."""
    spare = loaded().registry.get("dataset", entry.bundled) if entry.bundled else None
    there = {
        "file": path_of(entry) is not None,
        "bundled": spare is not None and spare.spec.missing() is None,
        "openml": entry.openml is not None and openml.cached(entry.openml),
    }
    return [source for source, here in there.items() if here]


def path_of(entry: Entry) -> Path | None:
    """Return where its file is, or None. ``ALCORE_DATA`` may name several folders, as PATH does."""
    for folder in os.environ.get(FOLDER, "").split(os.pathsep):
        file = Path(folder).expanduser() / entry.file
        if folder and file.is_file():
            return file
    return None


def lacking(entry: Entry) -> str:
    """Return what to do to have the data set."""
    online = f". Or: alcore download {entry.name}" if entry.openml else ""
    return f"needs the file {entry.file} in the folder that {FOLDER} names ({entry.where}){online}"


def unavailable(entry: Entry) -> str | None:
    """Return why the data set cannot be loaded here without the network, or None."""
    return None if sources(entry) else lacking(entry)


def _from_file(entry: Entry) -> Dataset:
    from alcore.builtin.datasets import files

    path = path_of(entry)
    assert path is not None  # noqa: S101 - it is among the sources
    data = files.load(path, name=entry.name, task="classification", **entry.options)
    X, y = PREPARE.get(entry.name, _as_it_is)(data.X, np.asarray(data.y))
    return _dataset(entry, X, y)


def _as_it_is(X: Any, y: Any) -> tuple[Any, Any]:
    return X, y


def _without_rare_classes(X: Any, y: Any) -> tuple[Any, Any]:
    """Sex as one code (F, I, M), and no class of fewer than three rows."""
    count = Counter(y.tolist())
    kept = np.array([count[label] > 2 for label in y.tolist()])
    return np.column_stack([X[:, :3].argmax(axis=1), X[:, 3:]])[kept], y[kept]


def _stripped(X: Any, y: Any) -> tuple[Any, Any]:
    """Labels without the blanks around them."""
    return X, np.array([str(label).strip() for label in y])


def _any_outcome(X: Any, y: Any) -> tuple[Any, Any]:
    """Missing values are 0, as LIBSVM text has it, and every outcome but 0 is one class."""
    return np.where(np.isnan(X), 0.0, X), (y != 0).astype(int)


PREPARE: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "abalone": _without_rare_classes,
    "academic-success": _stripped,
    "dry-bean": _stripped,
    "myocardial": _any_outcome,
}
"""What is done to X and y of a file before they are those of the published runs."""


def _from_openml(entry: Entry) -> Dataset:
    data: Dataset = loaded().registry.build("dataset", "openml", id=entry.openml)
    return _dataset(entry, data.X, data.y)


def _bundled(entry: Entry) -> Dataset:
    data: Dataset = loaded().registry.build("dataset", entry.bundled)
    return _dataset(entry, data.X, data.y)


def _dataset(entry: Entry, X: Any, y: Any) -> Dataset:
    return Dataset(entry.name, X, y, task="classification", source=entry.where)  # type: ignore[arg-type]


def _check(entry: Entry, data: Dataset) -> None:
    """Raise InputError that says in what the data differ from those of the published runs."""
    counts = np.bincount(data.codes)
    imbalance = float(counts.max() / counts.min())
    facts: dict[str, tuple[float, float]] = {
        "rows": (len(data), entry.rows),
        "features": (data.X.shape[1], entry.features),
        "classes": (len(data.classes or ()), entry.classes),
    }
    differs = [f"{given} {what}, not {due}" for what, (given, due) in facts.items() if given != due]
    printed = math.floor(imbalance) if float(entry.imbalance).is_integer() else round(imbalance, 2)
    if printed != entry.imbalance and entry.target_known:
        differs.append(f"imbalance {imbalance:.2f}, not {entry.imbalance}")
    if differs:
        raise InputError(
            f"{entry.name} is not the data set of the published runs: it has {'; '.join(differs)}. "
            f"{entry.note[:1].upper() + entry.note[1:] + '. ' if entry.note else ''}The published one: "
            f"{entry.file} ({entry.where})."
        )
