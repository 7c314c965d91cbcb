"""Reads the published tables as they were printed.

Three slips of the paper are put right here: the rows of Table 8 have each other's names, Table 15 is labels to 95 %
(its caption says 99, and its numbers lie between those of Tables 14 and 5), and "BaTLEa" is Banana.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from alcore_benchmark.datasets.catalogue import TABLE

TITLES = {entry.title: entry.name for entry in TABLE} | {
    "BaTLEa": "banana", "Academic": "academic-success", "Diabetes 130": "diabetes-130", "RT-IoT": "rt-iot2022",
}  # fmt: skip
SWAPPED = {
    "Abalone": "Satellite",
    "Academic Success": "Dry Bean",
    "Satellite": "Academic Success",
    "Dry Bean": "Abalone",
}
"""What the rows of Table 8 are: their order of magnitude fits Tables 10 and 11 so, and not as printed."""

NUMBER = re.compile(r"([\d.]+)(%?)(?:±([\d.]+)%?)?\*?$")


@dataclass(frozen=True)
class Value:
    """A printed number: percent as it stands, standard deviation where one is given, digits after the point."""

    mean: float
    sd: float | None
    digits: int


@cache
def table(number: int) -> dict[str, dict[str, str]]:
    """Return the cells of a table as printed, by row (a data set's name here, or a strategy's title) and column."""
    folder = files("alcore_benchmark.tables").joinpath("published")
    [file] = [one for one in folder.iterdir() if one.name.startswith(f"table{number:02d}_")]
    rows = list(csv.reader(file.read_text(encoding="utf8").splitlines()))
    found = {}
    for title, *cells in rows[1:]:
        meant = SWAPPED.get(title, title) if number == 8 else title
        found[TITLES.get(meant, meant)] = dict(zip(rows[0][1:], cells, strict=True))
    return found


def value(cell: str) -> Value | None:
    """Return the number in a cell, that of the newer code where there are two; None for TLE, a dash or a name."""
    match = NUMBER.match(cell.rpartition("->")[2].strip())
    if not match:
        return None
    return Value(float(match[1]), float(match[3]) if match[3] else None, len(match[1].partition(".")[2]))


def printed_columns(number: int, row: str) -> list[str]:
    """Return the columns that have a number in a row, none if there is no such row."""
    return [column for column, cell in table(number).get(row, {}).items() if value(cell) is not None]
