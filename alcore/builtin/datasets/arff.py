"""ARFF, and KEEL's dialect of it -> a table whose column types are the declared ones.

SciPy's reader is not used, because it refuses text attributes, double-quoted names and space around nominal values,
all of which occur in published data sets (MULAN's ``flags``, many of OpenML's). Where it can read a file, both give the
same table.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alcore.builtin.datasets import delimited
from alcore.builtin.datasets.content import LIMIT, check_size
from alcore.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MISSING = ("?", "<null>", "")
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,'\"\s][^,]*?|)\s*(,|$)")
_NUMBER = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # KEEL adds the range
_STRING = re.compile(_QUOTED)
_PAIR = re.compile(rf"((?:\s*\d+\s+(?:{_QUOTED})\s*)|[^,'\"]*(?:[^,\s][^,]*)?)(?=,|$)")
_WEIGHT = re.compile(r"(?<=[^,{])\s*,\s*\{\s*[\d.eE+-]+\s*\}\s*$")
_ATTRIBUTE_WEIGHT = re.compile(r"(.*\S)\s*\{\s*[\d.eE+-]+\s*\}")
_TEXT = re.compile(r"(string|date)\b.*", re.IGNORECASE)


@dataclass(frozen=True)
class Relation:
    """What an ARFF file holds.

    ``frame`` has float64 columns for numbers, categorical ones (categories as declared) for nominal attributes, and
    text otherwise. ``outputs`` are the targets that a KEEL header names; ARFF proper names none. ``dates`` are the
    attributes declared as such, and ``sparse`` says whether the rows had the sparse form.
    """

    frame: DataFrame
    outputs: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    sparse: bool = False


@dataclass(frozen=True)
class _Attribute:
    name: str
    number: bool
    values: tuple[str, ...] | None = None
    date: bool = False


class WeightsWarning(UserWarning):
    """The rows or attributes of a file have weights, which nothing here uses."""


def read(text: str, *, where: str, limit: float = LIMIT) -> Relation:
    """Return the relation that an ARFF or KEEL text holds.

    Parameters
    ----------
    text : str
        The content of the file, lines ended by a line feed. ``?`` and KEEL's ``<null>`` mark a missing value. Dates
        are kept as text. Attributes that a KEEL header names neither as input nor as output are left out. A comment
        begins with ``%`` at the begin of a line or after white space, outside quotes. Sparse rows, ``{2 5.1, 7 yes}``,
        leave out numbers that are 0 and the first declared value of a nominal attribute.
    where : str
        What the errors call it: its path.
    limit : float
        How many megabytes sparse rows may become as a table.

    Raises
    ------
    InputError
        If a line of the header or a row is malformed, a value is none of those declared, or sparse rows would become
        larger than the limit.

    Warns
    -----
    WeightsWarning
        If rows or attributes have weights, ``{0.5}`` at their end.
    """
    lines = enumerate(text.split("\n"), start=1)
    attributes, inputs, outputs = _header(lines, where)
    rows = [_uncommented(line) for _, line in lines if line.strip() and not line.lstrip().startswith("%")]
    rows = _unweighted(rows, where)
    if not rows:
        raise InputError(f"{where} has no rows below @data; give a whole file.")
    sparse = rows[0].lstrip().startswith("{")
    if sparse:
        check_size(
            where, 8 * len(rows) * len(attributes), len(text), limit, "has sparse rows and would as a table take"
        )
        rows = [_filled(row, attributes, f"{where}, row {number} below @data") for number, row in enumerate(rows, 1)]
    frame = _table(rows, attributes, where)
    if inputs and outputs:
        frame = frame.loc[:, [name in {*inputs, *outputs} for name in frame.columns]]
    return Relation(frame, outputs, frozenset(attribute.name for attribute in attributes if attribute.date), sparse)


def _uncommented(line: str) -> str:
    """Return a line without the comment at its end; a ``%`` in quotes or in the middle of a word begins none."""
    if "%" not in line:
        return line
    position = 0
    while position < len(line):
        before = line[position - 1 : position]
        if line[position] == "%" and (before.isspace() or before in "}'\""):
            return line[:position].rstrip()
        quoted = _STRING.match(line, position) if before.isspace() or before in ("", ",", "{") else None
        position = quoted.end() if quoted else position + 1
    return line


def _unweighted(rows: list[str], where: str) -> list[str]:
    """Return rows without the weights at their ends."""
    if not any(row.rstrip().endswith("}") and _WEIGHT.search(row) for row in rows):
        return rows
    warnings.warn(
        f"{where}: rows have weights, {{...}} at their ends, which are not used: every row counts once.",
        WeightsWarning,
        stacklevel=3,
    )
    return [_WEIGHT.sub("", row) for row in rows]


def _filled(row: str, attributes: Sequence[_Attribute], where: str) -> str:
    """Return a sparse row with what it leaves out, as a line of all fields."""
    inside = row.strip()
    if not (inside.startswith("{") and inside.endswith("}")):
        raise InputError(f"{where}: {row[:40]!r} is no sparse row as the first one is; write '{{2 5.1, 7 yes}}'.")
    fields = [_default(attribute) for attribute in attributes]
    for pair in _split(inside[1:-1], where) if inside[1:-1].strip() else ():
        index, _, value = pair.strip().replace("\t", " ").partition(" ")
        if not index.isdecimal() or int(index) >= len(fields) or not value.strip():
            raise InputError(
                f"{where}: {pair[:40]!r} is no 'index value' with an index from 0 to {len(fields) - 1}; mend it."
            )
        fields[int(index)] = value.strip()
    return ",".join(fields)


def _default(attribute: _Attribute) -> str:
    """Return what a sparse row means that does not mention an attribute, as the file would write it."""
    if attribute.number:
        return "0"
    if not attribute.values:
        return "?"
    return "'" + attribute.values[0].replace("\\", "\\\\").replace("'", "\\'") + "'"


def _header(lines: Iterator[tuple[int, str]], where: str) -> tuple[list[_Attribute], tuple[str, ...], tuple[str, ...]]:
    """Read up to @data and return the attributes, and KEEL's inputs and outputs."""
    attributes: list[_Attribute] = []
    roles: dict[str, tuple[str, ...]] = {}
    for number, raw in lines:
        line = _uncommented(raw).strip()
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        keyword = keyword.lower()
        if keyword == "@data":
            if not attributes:
                raise InputError(f"{where} declares no @attribute above @data; give a whole file.")
            return attributes, roles.get("@input", ()), roles.get("@output", ())
        if keyword == "@attribute":
            attributes.append(_attribute(line, f"{where}, line {number}"))
        elif keyword.rstrip("s") in ("@input", "@output"):
            roles[keyword.rstrip("s")] = tuple(_fields(rest, f"{where}, line {number}"))
        elif line and not line.startswith("%") and keyword != "@relation":
            raise InputError(
                f"{where}, line {number}: {line[:60]!r} is no line of an ARFF header (@relation, @attribute, @data). "
                "Mend it."
            )
    raise InputError(f"{where} has no line @data: it is no ARFF file, or was cut off. Give a whole one.")


def _attribute(line: str, where: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    name, declared = match.groups() if match else ("", "")
    name = _unquote(name)
    weighted = _ATTRIBUTE_WEIGHT.fullmatch(declared)
    if weighted:
        declared = weighted[1]
        warnings.warn(f"{where}: attribute {name!r} has a weight, which is not used.", WeightsWarning, stacklevel=4)
    if _NUMBER.fullmatch(declared):
        return _Attribute(name, number=True)
    if _TEXT.fullmatch(declared):
        return _Attribute(name, number=False, date=declared.lower().startswith("date"))
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


def _split(line: str, where: str) -> list[str]:
    """Return the pairs of a sparse row, as they are written."""
    pairs, position = [], 0
    while position <= len(line):
        match = _PAIR.match(line, position)
        if match is None:
            raise InputError(f"{where}: the quotes of {line[position : position + 40]!r} do not match; mend them.")
        pairs.append(match[1])
        position = match.end() + 1
    return pairs


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
        raise InputError(
            f"{where} declares {len(attributes)} attributes and its rows have {frame.shape[1]} fields. "
            "Mend the declarations or the rows."
        )
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
