"""Delimited text -> a table: numbers become numbers, everything else stays text, and no row is bent to fit."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from alcore.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "<null>", "<NA>", "#N/A")
"""What marks a missing value unless the caller says otherwise. ``None`` is not among them: it is a common category."""


def read(
    text: str,
    *,
    where: str,
    separator: str = ",",
    header: bool = True,
    missing: Collection[str] = MISSING,
    as_text: Collection[int] = (),
) -> DataFrame:
    """Return the table that delimited text holds.

    Parameters
    ----------
    text : str
        Fields may be quoted with ``"``. Space around a field does not count, and empty lines are skipped.
    where : what the errors call the text: its path
    separator : one character
    header : bool
        Whether the first line names the columns; without names they are ``x0``, ``x1``, ...
    missing : collection of str
        Fields that mean "no value".
    as_text : collection of int
        Positions of columns that stay text even if every field is a number; -1 is the last.

    Returns
    -------
    DataFrame
        A column is numeric (or bool, if it holds only ``True`` and ``False``) if every field that is not missing is,
        and text otherwise. Numbers are the nearest float64 to what is written.

    Raises
    ------
    InputError
        If there is no row, or a row has not as many fields as the first one: pandas alone would fill such a row up.
    """
    import pandas as pd

    first = _first_line(text, where, separator, header)
    names = [f"x{position}" for position in range(len(first))]
    kept = {position % len(first) for position in as_text}
    frame: DataFrame = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        header=0 if header else None,
        names=names,
        index_col=False,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(missing),
        dtype={names[position]: str for position in kept},
        **_exact(pd.__version__),
        low_memory=False,
    )
    for position, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            frame.isetitem(position, _stripped(frame.iloc[:, position], missing, as_text=position in kept).array)
    if header:
        frame.columns = pd.Index([name.strip() for name in first])
    return frame


def _first_line(text: str, where: str, separator: str, header: bool) -> list[str]:
    """Return the fields of the first line, having seen that every other line has as many."""
    if not isinstance(separator, str) or len(separator) != 1:
        raise InputError(f"{where}: the separator is {separator!r}; give one character, such as ';'.")
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    first: list[str] = []
    at, count = 0, 0
    for row in rows:
        if not row or (len(row) == 1 and not row[0].strip()):  # pandas skips empty lines too
            continue
        if not first:
            first, at = row, rows.line_num
        elif len(row) != len(first):
            raise InputError(
                f"{where}, line {rows.line_num}: {len(row)} fields, where line {at} has {len(first)}. Mend the line, "
                f"or give the separator (now {separator!r})."
            )
        count += 1
    if count <= header:
        raise InputError(f"{where} has no rows" + (" below the line of column names." if count else "."))
    return first


def _exact(version: str) -> dict[str, Any]:
    """Return what makes pandas read the nearest float64: from 3.1 on it does, and deprecates the argument."""
    major, minor = version.split(".")[:2]
    return {} if (int(major), int(minor)) >= (3, 1) else {"float_precision": "round_trip"}


def _stripped(column: Series[Any], missing: Collection[str], as_text: bool) -> Series[Any]:
    """Return a text column without space around its fields, as numbers if only that space made it text."""
    import pandas as pd

    fields = column.astype(object)
    distinct = fields.dropna().unique()  # few, in most columns: what is said of them is said of all
    bare = {field: field.strip() if isinstance(field, str) else field for field in distinct}
    if any(field != stripped or stripped in missing for field, stripped in bare.items()):
        fields = fields.map({field: None if stripped in missing else stripped for field, stripped in bare.items()})
    values = [stripped for stripped in bare.values() if stripped not in missing]
    if not as_text and pd.to_numeric(pd.Series(values, dtype=object), errors="coerce").notna().all():
        return pd.to_numeric(fields, errors="coerce")
    return fields
