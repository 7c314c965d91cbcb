"""Delimited text -> a table: numbers become numbers, everything else stays text, and no row is bent to fit."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from alcore.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "<null>", "<NA>", "#N/A")
"""What marks a missing value unless the caller says otherwise. ``None`` is not among them: it is a common category."""


@dataclass(frozen=True)
class Notation:
    """How a text writes numbers.

    Parameters
    ----------
    decimal : str, what stands before the fraction
    thousands : str, what stands between groups of three digits; empty if nothing does
    units : texts before or after a number that do not count, such as "%"
    """

    decimal: str = "."
    thousands: str = ""
    units: tuple[str, ...] = ()

    @classmethod
    def of(cls, decimal: Any, thousands: Any, units: Any, where: str) -> Notation | None:
        """Return the notation, or None if it is Python's; InputError if it is none."""
        units = (units,) if isinstance(units, str) else tuple(units)
        for option, sign in (("decimal", decimal), ("thousands", thousands or "_")):
            if not isinstance(sign, str) or len(sign) != 1 or sign.isalnum() or sign in "+-":
                raise InputError(
                    f"{where}: {option} is {sign!r}; give the one sign that numbers are written with: ','."
                )
        if decimal == thousands:
            raise InputError(f"{where}: decimal and thousands are both {decimal!r}; they are different signs.")
        if not all(isinstance(unit, str) and unit.strip() for unit in units):
            raise InputError(f"{where}: units is {units!r}; give texts beside numbers that do not count, as in ['%'].")
        return None if (decimal, thousands or "", units) == (".", "", ()) else cls(decimal, thousands or "", units)

    def plain(self, text: str) -> str | None:
        """Return a number as Python writes it, or None if it is not written this way."""
        for unit in self.units:
            text = text.removeprefix(unit).removesuffix(unit).strip()
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        whole = match["whole"].replace(self.thousands, "") if self.thousands else match["whole"]
        return f"{match['sign']}{whole or '0'}.{match['part'] or '0'}{match['power'] or ''}"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        groups = rf"\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+|" if self.thousands else ""
        return re.compile(
            rf"(?P<sign>[+-]?)(?P<whole>{groups}\d+|(?={re.escape(self.decimal)}\d))"
            rf"(?:{re.escape(self.decimal)}(?P<part>\d*))?(?P<power>[eE][+-]?\d+)?"
        )


def read(
    text: str,
    *,
    where: str,
    separator: str = ",",
    header: bool = True,
    missing: Collection[str] = MISSING,
    as_text: Collection[int] = (),
    notation: Notation | None = None,
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
    notation : Notation or None
        How numbers are written; None is Python's way.

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
    plain = notation is None
    frame: DataFrame = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        header=0 if header else None,
        names=names,
        index_col=False,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(missing),
        dtype={name: str for position, name in enumerate(names) if position in kept or not plain},
        **_exact(pd.__version__),
        low_memory=False,
    )
    for position, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            frame.isetitem(position, _stripped(frame.iloc[:, position], missing, position in kept, notation).array)
    if header:
        frame.columns = pd.Index([name.strip() for name in first])
    return frame


def _first_line(text: str, where: str, separator: str, header: bool) -> list[str]:
    """Return the fields of the first line, having seen that every other line has as many."""
    if not isinstance(separator, str) or len(separator) != 1:
        raise InputError(f"{where}: the separator is {separator!r}; give one character, such as ';'.")
    if separator in '"\r\n':
        raise InputError(f"{where}: the separator is {separator!r}, which cannot divide fields; give one such as ';'.")
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    first: list[str] = []
    at, count = 0, 0
    for row in rows:
        if not row or (len(row) == 1 and not row[0].strip()):  # pandas skips empty lines too
            continue
        if not first:
            first, at = row, rows.line_num
        elif len(row) != len(first):
            ends = not row[-1] and len(row) == len(first) + 1
            cure = f"Mend the line, or give the separator (now {separator!r})."
            cure = f"It ends with a separator. {cure}" if ends else cure
            raise InputError(
                f"{where}, line {rows.line_num}: {len(row)} fields, where line {at} has {len(first)}. {cure}"
            )
        count += 1
    if count <= header:
        below = " below the line of column names" if count else ""
        raise InputError(f"{where} has no rows{below}; give a file with one line per row.")
    return first


def _exact(version: str) -> dict[str, Any]:
    """Return what makes pandas read the nearest float64: from 3.1 on it does, and deprecates the argument."""
    major, minor = version.split(".")[:2]
    return {} if (int(major), int(minor)) >= (3, 1) else {"float_precision": "round_trip"}


def _stripped(column: Series[Any], missing: Collection[str], as_text: bool, notation: Notation | None) -> Series[Any]:
    """Return a text column without space around its fields, as numbers if only space or notation made it text."""
    import pandas as pd

    fields = column.astype(object)
    distinct = fields.dropna().unique()  # few, in most columns: what is said of them is said of all
    bare = {field: field.strip() if isinstance(field, str) else field for field in distinct}
    if any(field != stripped or stripped in missing for field, stripped in bare.items()):
        fields = fields.map({field: None if stripped in missing else stripped for field, stripped in bare.items()})
    values = [stripped for stripped in bare.values() if stripped not in missing]
    if as_text:
        return fields
    if notation is not None:
        written = {value: notation.plain(value) for value in values}
        if None in written.values():
            return fields
        fields, values = fields.map(written), list(written.values())
    if pd.to_numeric(pd.Series(values, dtype=object), errors="coerce").notna().all():
        return pd.to_numeric(fields, errors="coerce")
    return fields
