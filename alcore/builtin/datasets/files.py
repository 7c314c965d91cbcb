"""The user's own files, told apart by their suffix.

================== ================================================= ==========================================
suffix (or + .gz)  content                                           options
================== ================================================= ==========================================
.csv .tsv          delimited text whose first line names the columns encoding drop text separator header missing
                                                                     decimal thousands units charset
.dat .data         the same without names                            the same
.dat .data         KEEL's form, which may name its target            encoding drop text charset
.parquet           a table                                           encoding drop text
.arff              Weka's form, which declares types                 encoding drop text charset
.libsvm .svm .txt  lines of "label index:value ..."; X is CSR        dense features
.npz               NumPy arrays X and y                              none
================== ================================================= ==========================================

All of them take ``classes``, ``positive`` and ``limit``.

Without ``task``, labels with fractions are a regression's and all others classes, unless that would be absurd
(``alcore.dataset.refuse_absurd``); where the file declares types (ARFF, KEEL), every number is a regression's.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from alcore.builtin.datasets import forms
from alcore.builtin.datasets.content import LIMIT
from alcore.builtin.datasets.delimited import MISSING
from alcore.builtin.datasets.forms import Form, Request
from alcore.builtin.datasets.frames import Column, Encoding
from alcore.dataset import Dataset
from alcore.errors import InputError, did_you_mean
from alcore.spec import DatasetSpec
from alcore.types import Task


def load(
    path: str | Path,
    target: Column | Sequence[Column] | None = None,
    *,
    labels: int | None = None,
    task: Task | str | None = None,
    name: str | None = None,
    test_path: str | Path | None = None,
    base: str | Path | None = None,
    suffix: str | None = None,
    encoding: Encoding = "one-hot",
    drop: Column | Sequence[Column] = (),
    separator: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = MISSING,
    dense: bool = False,
    features: int | None = None,
    text: Column | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    units: Sequence[str] = (),
    charset: str | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    limit: float = LIMIT,
) -> Dataset:
    """Return the data set in a file, its rows in the order of the file. The module tells which form takes what.

    Parameters
    ----------
    path : str or Path, relative to ``base``
    target : str, int or list of these
        The column of the labels, by name or position (-1 is the last); a list of 0/1 columns makes the task
        multi-label. In an .npz the key of the labels, "y" by default.
    labels : int, in place of ``target``: so many last columns are the labels of a multi-label task
    task : "classification", "regression" or "multilabel"; None infers it
    name : str, of the data set; None makes it from the file's
    test_path : str or Path of a second file of the same form, the data set's own test part
    base : str or Path that relative paths start from; None is the current directory
    suffix : str, to read the file as if its name ended so
    encoding : "one-hot" or "frame"
        Columns that are no numbers become 0/1 columns of a float64 array, or X a DataFrame in which they are
        categorical. Missing numbers are NaN in both.
    drop : str, int or list of these: columns that are neither features nor labels, such as an identifier
    separator : str; None is a tab in .tsv and a comma elsewhere
    header : bool, whether line 1 names the columns; None is what the suffix says
    missing : list of str that stand for a missing value
    dense : bool, whether X of LIBSVM text becomes an array
    features : int, how many LIBSVM text has; None is the largest index that occurs
    text : str or int, the one column that is a feature: X is then its documents, shape (n,)
    decimal, thousands : str, what numbers are written with, such as "," and "."
    units : list of str that may stand beside a number and do not count, such as "%"
    charset : str, of text; None is UTF-8
    classes : list, all labels that can occur, in the order of their codes
    positive : label, one of two: the class with code 1, which metrics of two classes are about
    limit : number of megabytes that a packed file may hold; above it a file is refused that would take more than 20
        times its size

    Raises
    ------
    InputError
        If the file cannot be found or read, a column or a label is missing, or an option is not for this form.
    """
    file = _locate(path, base)
    form = forms.form_of(file, suffix, charset)
    missing = (missing,) if isinstance(missing, str) else missing
    options: dict[str, Any] = {
        "encoding": encoding,
        "drop": drop,
        "separator": separator,
        "header": header,
        "missing": missing,
    }
    options |= {"dense": dense, "features": features, "text": text, "decimal": decimal, "thousands": thousands}
    options |= {"units": units, "charset": charset, "classes": classes, "positive": positive, "limit": limit}
    _check(options, form, file)
    test = None if test_path is None else _locate(test_path, base)
    return form.load(Request(file, test, target, labels, task, name or _name(file), options))


def _locate(path: str | Path, base: str | Path | None) -> Path:
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise InputError(f"path is {path!r}; give the path of a file, as text.")
    file = Path(base or "", Path(path).expanduser())
    if file.is_file():
        return file
    if file.is_dir():
        raise InputError(f"{file} is a folder; give one file in it.")
    beside = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
    start = "" if file.is_absolute() else f" Relative paths start from {Path.cwd()}, or from base."
    raise InputError(f"there is no file {file}.{did_you_mean(file.name, beside)}{start}")


def _check(options: Mapping[str, Any], form: Form, file: Path) -> None:
    defaults = inspect.signature(load).parameters
    for option, value in options.items():
        given = value != defaults[option].default and value != []  # TOML's empty list says nothing
        if given and option not in form.options:
            takes = f"it takes {', '.join(sorted(form.options))}" if form.options else "it takes none"
            raise InputError(f"{file} is read as {form.title}, which has no option {option!r}; {takes}.")


def _name(file: Path) -> str:
    """Return a file's name as the name of a data set: lower case, without the suffixes of its form."""
    stem = file.name.lower().removesuffix(".gz")
    stem = stem.removesuffix(Path(stem).suffix) if Path(stem).suffix else stem
    return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._") or "file"


def specs() -> list[DatasetSpec]:
    """Return the spec of the family ``file``."""
    return [
        DatasetSpec(
            name="file",
            summary="Your own file: CSV, TSV, Parquet, LIBSVM text, .npz, ARFF or KEEL, with path= and target=",
            make="alcore.builtin.datasets.files:load",
            source="a file",
            task=None,
        )
    ]
