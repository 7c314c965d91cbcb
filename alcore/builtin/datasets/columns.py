"""Columns that are no features: row numbers, dates, free text, and numbers in another notation. Each has its cure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError
from alcore.pool import MANY_VALUES, too_scattered

if TYPE_CHECKING:
    from pandas import DataFrame, Series


class RowNumberWarning(UserWarning):
    """A column counts the rows: where these are sorted by class, it gives the labels away."""


_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?"
    r"|\d{1,2}(?P<by>[-/.])\d{1,2}(?P=by)(\d{4}|\d{2})( \d{1,2}:\d{2}(:\d{2})?)?",
)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?|[+-]?\d+")
_GROUPS = re.compile(r"[+-]?\d{1,3}(?P<by>[,.' \u00a0\u2019])\d{3}((?P=by)\d{3})*([.,]\d+)?|[+-]?\d{1,3}([.,]\d+)?")
_UNITS = re.compile(r"[+-]?[$\u20ac\u00a3]? ?[+-]?\d[\d.,]*([eE][+-]?\d+)? ?(%|[$\u20ac\u00a3])?")


def refuse_unnamed(frame: DataFrame, kept: Sequence[int], where: str) -> None:
    """Raise InputError for a feature without a name: the index that was saved too, or the end of lines.

    A table that has no names at all is judged by its last column alone.
    """
    for position in kept:
        name = str(frame.columns[position]).strip()
        last = position == frame.shape[1] - 1
        if last and (name == "" or re.fullmatch(r"x\d+", name)) and frame.iloc[:, position].isna().all():
            raise InputError(
                f"{where}: column {position}, the last, has no name and no value: the lines end with a separator. "
                f"Leave it out with drop={position}."
            )
        if name == "" or re.fullmatch(r"Unnamed: \d+(_level_\d+)?|__index_level_\d+__", name):
            raise InputError(
                f"{where}: column {position} has no name; it is most likely the row numbers that a table was saved "
                f"with (as pandas' to_csv does). Leave it out with drop={position}, or name it in the file to "
                "keep it."
            )


def warn_of_row_numbers(frame: DataFrame, where: str) -> None:
    """Warn of features that hold 0, 1, 2, ... or 1, 2, 3, ... in the order of the rows."""
    import pandas as pd

    n = len(frame)
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if n <= MANY_VALUES or not pd.api.types.is_numeric_dtype(column.dtype):
            continue
        if column.iloc[0] in (0, 1) and np.array_equal(column.to_numpy(), np.arange(n) + column.iloc[0]):
            warnings.warn(
                f"{where}: column {str(column.name)!r} counts the rows. If it is no property of them, leave it out: "
                f"drop=[{str(column.name)!r}]: where rows are sorted by class, it gives the labels away.",
                RowNumberWarning,
                stacklevel=2,
            )


def refuse_dates(frame: DataFrame, dates: Collection[str], where: str) -> None:
    """Raise InputError for a feature that the file declares as dates."""
    for name in frame.columns:
        if name in dates:
            raise InputError(f"{where}: attribute {name!r} is a date. {_cure_of_dates(name)}")


def refuse_text(column: Series[Any], where: str) -> None:
    """Raise InputError for text that holds dates, or numbers that were not read as such.

    Parameters
    ----------
    column : Series of str, missing values being NaN or None
    """
    values = [str(value) for value in column.dropna().unique()]
    if not values:
        return
    name, shown = str(column.name), values[0][:30]
    if all(map(_DATE.fullmatch, values)):
        raise InputError(f"{where}: column {name!r} holds dates, such as {shown!r}. {_cure_of_dates(name)}")
    cure = _cure_of_notation(values)
    if cure:
        raise InputError(
            f"{where}: column {name!r} holds numbers in another notation, such as {shown!r}. Read them with {cure} "
            f"(text files have these options), or leave the column out with drop=[{name!r}]."
        )


def refuse_scattered(column: Series[Any], where: str) -> None:
    """Raise InputError for a nominal column of which one-hot columns would teach nothing."""
    present = column.dropna()
    values = int(present.nunique())
    if too_scattered(values, len(present)):
        name = str(column.name)
        raise InputError(
            f"{where}: column {name!r} holds text or identifiers: {values} different values in {len(present)} rows, "
            "too many to one-hot (a column for each would make all rows equally far apart). Leave it out with "
            f"drop=[{name!r}], use it alone as documents with text={name!r}, or keep it as it is with encoding='frame'."
        )


def _cure_of_dates(name: str) -> str:
    return (
        f"Turn it into numbers (days since a day, month, weekday), or leave it out with drop=[{name!r}]; with "
        f"features=, a function of your own makes numbers of it."
    )


def _cure_of_notation(values: Sequence[str]) -> str | None:
    """Return the option that reads these texts, if all of them are numbers in one other notation."""
    if all(map(_GROUPS.fullmatch, values)):
        grouped = next((match["by"] for value in values if (match := _GROUPS.fullmatch(value)) and match["by"]), None)
        if grouped:
            return f"thousands={grouped!r} {'or' if grouped == ',' else 'and'} decimal=','"
    if all(map(_COMMA.fullmatch, values)):
        return "decimal=','"
    if len(values) > 1 and all(map(_UNITS.fullmatch, values)):
        unit = next((sign for value in values for sign in "%$\u20ac\u00a3" if sign in value), None)
        return f"units=[{unit!r}]" if unit else None
    return None
