"""The forms a data file can have, each with the options it takes and the function that loads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from alcore.builtin.datasets import archive, arff, delimited, frames, libsvm
from alcore.builtin.datasets.content import read_parquet, read_text, reading
from alcore.builtin.datasets.frames import Column
from alcore.dataset import Dataset
from alcore.errors import InputError, did_you_mean
from alcore.types import Task

if TYPE_CHECKING:
    from pandas import DataFrame

Reader: TypeAlias = Callable[[Path, Mapping[str, Any]], arff.Relation]
"""Reads the table of a file, with the options of ``Request``."""


@dataclass(frozen=True)
class Request:
    """What is to be loaded: the file, its test part, and what the caller said of them."""

    file: Path
    test: Path | None
    target: Column | Sequence[Column] | None
    labels: int | None
    task: Task | str | None
    name: str
    options: Mapping[str, Any]

    @property
    def source(self) -> str:
        """The files' names; their folders are nobody else's business."""
        return f"file {self.file.name}" + (f", test part {self.test.name}" if self.test else "")


@dataclass(frozen=True)
class Form:
    """One form: its name for messages, the options it takes, and its loader."""

    title: str
    options: frozenset[str]
    load: Callable[[Request], Dataset]


def form_of(file: Path, suffix: str | None, charset: str | None = None) -> Form:
    """Return the form that a file's suffix, or ``suffix`` in its place, says it has.

    Raises
    ------
    InputError
        If no form has that suffix.
    """
    ending = (suffix or file.name).lower().removesuffix(".gz").rpartition(".")[2]
    form = FORMS.get(ending)
    if form is None:
        raise InputError(
            f"{file}: a data file ends in .{', .'.join(FORMS)}, or one of these and .gz, not in "
            f"{(suffix or file.suffix)!r}. Rename it, or say what it holds, as in suffix='.csv'."
        )
    if form is DAT and read_text(file, form.title, charset).lstrip().startswith("@"):
        return KEEL
    return form


def _table(read: Reader, *, declared: bool = False) -> Callable[[Request], Dataset]:
    """Return the loader of a form whose content is a table of columns; ``declared``: the file tells their types."""

    def load(request: Request) -> Dataset:
        import pandas as pd

        relation = read(request.file, request.options)
        frame, train = relation.frame, None
        if request.test is not None:
            train = len(frame)
            test = _like(frame, read(request.test, request.options).frame, request)
            frame = pd.concat([frame, test], ignore_index=True)
        return frames.to_dataset(
            frame,
            name=request.name,
            source=request.source,
            where=str(request.file),
            target=_target(request, relation),
            task=request.task,
            declared=declared,
            encoding=request.options["encoding"],
            drop=request.options["drop"],
            text=request.options["text"],
            train=train,
            dates=relation.dates,
            sparse=relation.sparse,
            **_order(request),
        )

    return load


def _order(request: Request) -> dict[str, Any]:
    return {key: request.options[key] for key in ("classes", "positive")}


def _target(request: Request, relation: arff.Relation) -> Column | Sequence[Column]:
    columns = relation.frame.columns
    if request.labels is not None and request.target is not None:
        raise InputError(f"{request.file}: target and labels both say which columns hold the labels; give one of them.")
    if request.labels is not None:
        if not isinstance(request.labels, int) or not 0 < request.labels < len(columns):
            raise InputError(
                f"{request.file}: labels is {request.labels!r}; give how many of its last columns are labels, 1 to "
                f"{len(columns) - 1}."
            )
        return list(range(len(columns) - request.labels, len(columns)))
    if request.target is not None:
        return request.target
    if len(relation.outputs) == 1:
        return relation.outputs[0]
    raise InputError(
        f"{request.file}: which column holds the labels? Give target=NAME or a position (-1 is the last), or labels=N "
        f"for the last N of a multi-label table. It has {frames.shown(columns)}."
    )


def _like(frame: DataFrame, test: DataFrame, request: Request) -> DataFrame:
    """Return the test part's table, having seen that its columns are those of the first, numbers where those are."""
    import pandas as pd

    have, want = ([str(name) for name in part.columns] for part in (test, frame))
    if have != want:
        odd = sorted(set(have) ^ set(want))
        what = f"{odd[0]!r} is in one of them only" if odd else "their order differs"
        raise InputError(f"{request.test}: its columns are not those of {request.file}: {what}. Give both the same.")
    for position, name in enumerate(want):
        column, dtype = test.iloc[:, position], frame.dtypes.iloc[position]
        if column.isna().all():  # nothing in it tells its type
            test.isetitem(position, column.astype(dtype if dtype.kind not in "iub" else "float64").array)
        elif pd.api.types.is_numeric_dtype(column.dtype) != pd.api.types.is_numeric_dtype(dtype):
            raise InputError(
                f"{request.test}: column {name!r} holds numbers only in one of this file and {request.file}, and other "
                "values in the other. Mend these values, or leave the column out of both files."
            )
    return test


def _read_delimited(separator: str, header: bool) -> Reader:
    """Return the reader of delimited text with these defaults."""

    def read(file: Path, options: Mapping[str, Any]) -> arff.Relation:
        text = read_text(file, "delimited text", options["charset"], options["limit"])
        with reading(file, "delimited text"):
            frame = delimited.read(
                text,
                where=str(file),
                separator=options["separator"] or separator,
                header=header if options["header"] is None else options["header"],
                missing=options["missing"],
                notation=delimited.Notation.of(options["decimal"], options["thousands"], options["units"], str(file)),
            )
        if frame.shape[1] == 1:
            raise InputError(
                f"{file} has a single column, {str(frame.columns[0])[:60]!r}. If something else than "
                f"{options['separator'] or separator!r} divides its fields, give it, as in separator=';'."
            )
        return arff.Relation(frame)

    return read


def _read_arff(file: Path, options: Mapping[str, Any]) -> arff.Relation:
    text = read_text(file, "ARFF", options["charset"], options["limit"])
    with reading(file, "ARFF"):
        return arff.read(text, where=str(file), limit=options["limit"])


def _read_parquet(file: Path, options: Mapping[str, Any]) -> arff.Relation:
    frame = read_parquet(file, options["limit"])
    if frame.empty:
        raise InputError(f"{file} has no rows or no columns; save at least one row, and one feature beside the label.")
    return arff.Relation(frame)


def _load_libsvm(request: Request) -> Dataset:
    """Load LIBSVM text: X is CSR unless ``dense``, labels are whole numbers where all of them are."""
    if request.target is not None or request.labels is not None:
        raise InputError(f"{request.file}: LIBSVM text has its labels in front of each line; give no target or labels.")
    files = [request.file] + ([] if request.test is None else [request.test])
    options = {key: request.options[key] for key in ("dense", "features", "limit")}
    X, y, names, rows = libsvm.read(files, request.task, **options)
    order = _order(request)
    return frames.assemble(
        X,
        y,
        name=request.name,
        source=request.source,
        where=str(request.file),
        task=request.task if names is None else Task.MULTILABEL,
        train=None if request.test is None else rows[0],
        **(order if names is None else order | {"classes": names}),
    )


def _load_arrays(request: Request) -> Dataset:
    """Load a NumPy archive: X under the key "X", labels under "y" or the key that ``target`` names."""
    if request.labels is not None or not isinstance(request.target, str | None):
        raise InputError(f"{request.file}: the target of a NumPy archive is the key of its labels, as in target='y'.")
    keys = ("X", request.target or "y")
    limit = request.options["limit"]
    X, y = _arrays(request.file, keys, limit)
    train = None
    if request.test is not None:
        train = len(X)
        X_test, y_test = _arrays(request.test, keys, limit)
        with reading(request.test, f"the test part of {request.file.name}"):
            X, y = np.concatenate([X, X_test]), np.concatenate([y, y_test])
    return frames.assemble(
        X,
        y,
        name=request.name,
        source=request.source,
        where=str(request.file),
        task=request.task,
        train=train,
        **_order(request),
    )


def _arrays(file: Path, keys: tuple[str, str], limit: float) -> tuple[Any, Any]:
    names = archive.names_of(file)
    for key in keys:
        if key not in names:
            raise InputError(
                f"{file} has no array {key!r}; it has {', '.join(names) or 'none'}. Save it with "
                f"np.savez(path, X=X, y=y), or name the labels as target.{did_you_mean(key, names)}"
            )
    X, y = archive.read(file, keys, limit)
    if not X.size or X.shape[:1] != y.shape[:1]:
        raise InputError(
            f"{file}: X has shape {X.shape} and {keys[1]} has {y.shape}; save at least one row, and one label per row."
        )
    return X, y


_ALL = frozenset({"limit", "classes", "positive"})
_COLUMNS = _ALL | {"encoding", "drop", "text"}
_TEXT = _COLUMNS | {"separator", "header", "missing", "decimal", "thousands", "units", "charset"}
CSV = Form("CSV", _TEXT, _table(_read_delimited(",", header=True)))
TSV = Form("TSV", _TEXT, _table(_read_delimited("\t", header=True)))
DAT = Form("delimited text without names", _TEXT, _table(_read_delimited(",", header=False)))
KEEL = Form("a KEEL file", _COLUMNS | {"charset"}, _table(_read_arff, declared=True))
ARFF = Form("ARFF", _COLUMNS | {"charset"}, _table(_read_arff, declared=True))
PARQUET = Form("Parquet", _COLUMNS, _table(_read_parquet))
LIBSVM = Form("LIBSVM text", _ALL | {"dense", "features"}, _load_libsvm)
ARRAYS = Form("a NumPy archive", _ALL, _load_arrays)
FORMS = {
    "csv": CSV,
    "tsv": TSV,
    "dat": DAT,
    "data": DAT,
    "parquet": PARQUET,
    "arff": ARFF,
    "libsvm": LIBSVM,
    "svm": LIBSVM,
    "txt": LIBSVM,
    "npz": ARRAYS,
}
"""The forms by suffix."""
