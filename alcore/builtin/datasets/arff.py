"""ARFF, and KEEL's dialect of it -> a table whose column types are the declared ones.

SciPy's reader is not used, because it refuses text attributes, double-quoted names and space around nominal values,
all of which occur in published data sets (MULAN's ``flags``, many of OpenML's). Where it can read a file, both give the
same table.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alcore.builtin.datasets import delimited
from alcore.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MISSING = ("?", "<null>", "")
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,'\"\s][^,]*?|)\s*(,|$)")
_NUMBER = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # KEEL adds the range
_TEXT = re.compile(r"(string|date)\b.*", re.IGNORECASE)


@dataclass(frozen=True)
class Relation:
    """What an ARFF file holds.

    ``frame`` has float64 columns for numbers, categorical ones (categories as declared) for nominal attributes, and
    text otherwise. ``outputs`` are the targets that a KEEL header names; ARFF proper names none.
    """

    frame: DataFrame
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Attribute:
    name: str
    number: bool
    values: tuple[str, ...] | None = None


def read(text: str, *, where: str) -> Relation:
    """Return the relation that an ARFF or KEEL text holds.

    Parameters
    ----------
    text : str
        The content of the file, lines ended by a line feed. ``?`` and KEEL's ``<null>`` mark a missing value. Dates
        are kept as text. Attributes that a KEEL header names neither as input nor as output are left out.
    where : str
        What the errors call it: its path.

    Raises
    ------
    InputError
        If a line of the header or a row is malformed, a value is none of those declared, or the rows are sparse.
    """
    lines = enumerate(text.split("\n"), start=1)
    attributes, inputs, outputs = _header(lines, where)
    rows = [line for _, line in lines if line.strip() and not line.lstrip().startswith("%")]
    if not rows:
        raise InputError(f"{where} has no rows below @data.")
    if rows[0].lstrip().startswith("{"):
        raise InputError(
            f"{where} is a sparse ARFF file, which cannot be read. Save it as LIBSVM text and load it with "
            "data set 'file', path='NAME.libsvm'."
        )
    frame = _table(rows, attributes, where)
    if inputs and outputs:
        frame = frame.loc[:, [name in {*inputs, *outputs} for name in frame.columns]]
    return Relation(frame, outputs)


def _header(lines: Iterator[tuple[int, str]], where: str) -> tuple[list[_Attribute], tuple[str, ...], tuple[str, ...]]:
    """Read up to @data and return the attributes, and KEEL's inputs and outputs."""
    attributes: list[_Attribute] = []
    roles: dict[str, tuple[str, ...]] = {}
    for number, raw in lines:
        line = raw.strip()
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        keyword = keyword.lower()
        if keyword == "@data":
            if not attributes:
                raise InputError(f"{where} declares no @attribute above @data.")
            return attributes, roles.get("@input", ()), roles.get("@output", ())
        if keyword == "@attribute":
            attributes.append(_attribute(line, f"{where}, line {number}"))
        elif keyword.rstrip("s") in ("@input", "@output"):
            roles[keyword.rstrip("s")] = tuple(_fields(rest, f"{where}, line {number}"))
        elif line and not line.startswith("%") and keyword != "@relation":
            raise InputError(
                f"{where}, line {number}: {line[:60]!r} is no line of an ARFF header (@relation, @attribute, @data)."
            )
    raise InputError(f"{where} has no line @data: it is no ARFF file, or was cut off.")


def _attribute(line: str, where: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    name, declared = match.groups() if match else ("", "")
    name = _unquote(name)
    if _NUMBER.fullmatch(declared):
        return _Attribute(name, number=True)
    if _TEXT.fullmatch(declared):
        return _Attribute(name, number=False)
    if declared.startswith("{") and declared.endswith("}"):
        return _Attribute(name, number=False, values=tuple(_fields(declared[1:-1], where)))
    raise InputError(
        f"{where}: {line[:60]!r} declares no attribute; use '@attribute NAME numeric', 'string' or '{{a, b}}'."
    )


def _fields(line: str, where: str) -> list[str]:
    """Return the fields of a comma-separated line whose quoted fields escape with a backslash."""
    fields, position = [], 0
    while True:
        match = _FIELD.match(line, position)
        if match is None:  # text after a closing quote, or a quote that is not closed
            raise InputError(f"{where}: the quotes of {line[position : position + 40]!r} do not match; mend them.")
        fields.append(_unquote(match[1]))
        position = match.end()
        if not match[2]:
            return fields


def _unquote(field: str) -> str:
    if len(field) >= 2 and field[0] == field[-1] and field[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", field[1:-1]).strip()
    return field


def _table(rows: Sequence[str], attributes: Sequence[_Attribute], where: str) -> DataFrame:
    import pandas as pd

    text = "\n".join(rows)
    if any(quote in text for quote in "'\"\\"):  # few files need the slow way to ordinary quotes
        text = _requoted(rows, where)
    as_text = [position for position, attribute in enumerate(attributes) if not attribute.number]
    frame = delimited.read(text, where=f"{where}, below @data", header=False, missing=MISSING, as_text=as_text)
    if frame.shape[1] != len(attributes):
        raise InputError(f"{where} declares {len(attributes)} attributes and its rows have {frame.shape[1]} fields.")
    for position, attribute in enumerate(attributes):
        frame.isetitem(position, _typed(frame.iloc[:, position], attribute, where).array)
    frame.columns = pd.Index([attribute.name for attribute in attributes])
    return frame


def _requoted(rows: Sequence[str], where: str) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    for number, row in enumerate(rows, start=1):
        writer.writerow(_fields(row, f"{where}, row {number} below @data"))
    return written.getvalue()


def _typed(column: Series[Any], attribute: _Attribute, where: str) -> Series[Any]:
    """Return a column as what its attribute declares."""
    import pandas as pd

    typed: Series[Any]
    if attribute.number and pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64")
    if attribute.number:
        typed = pd.to_numeric(column, errors="coerce").astype("float64")
        strange, rule = column[typed.isna() & column.notna()], "is no number"
    elif attribute.values is not None:
        values = list(dict.fromkeys(attribute.values))
        known = column.isin(values)
        typed = column.where(known).astype(pd.CategoricalDtype(values))
        strange, rule = column[~known & column.notna()], f"is none of its values {', '.join(values[:8])}"
    else:
        return column
    if len(strange):
        raise InputError(
            f"{where}: {strange.iloc[0]!r} {rule}, which attribute {attribute.name!r} declares (row "
            f"{strange.index[0] + 1} below @data). Mend the row or the declaration."
        )
    return typed
