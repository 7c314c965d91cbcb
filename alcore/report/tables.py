"""Tables as Markdown, CSV or LaTeX, with what is missing said under them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from alcore.stats import Cell

Format: TypeAlias = Literal["markdown", "csv", "latex"]
Cells: TypeAlias = Mapping[tuple[str, ...], Mapping[tuple[str, ...], Cell]]


def header(cells: Cells) -> list[tuple[str, ...]]:
    """Return the columns, in order of first appearance."""
    return list(dict.fromkeys(column for row in cells.values() for column in row))


def lines(cells: Cells, rows: Sequence[str], *, digits: int = 4, sd: bool = False) -> list[list[str]]:
    """Return the table as text cells, the header first. A dash is a pair that was not run; a star, runs that miss.

    "beyond" is a mean that is withheld, since a run did not reach its target.
    """
    columns = header(cells)
    table = [[*rows, *(" / ".join(column) for column in columns)]]
    for row, by_column in cells.items():
        table.append([*row, *(_text(by_column.get(column), digits, sd) for column in columns)])
    return table


def _text(cell: Cell | None, digits: int, sd: bool) -> str:
    if cell is None:
        return "-"
    star = "" if cell.whole else "*"
    if cell.n == 0:
        return f"{'/'.join(cell.ended) or 'undefined'}{star}"
    if cell.beyond:
        return f"beyond{star}"
    spread = f" ± {cell.sd:.{digits}f}" if sd and not math.isnan(cell.sd) else ""
    return f"{cell.mean:.{digits}f}{spread}{star}"


def notes(cells: Cells) -> list[str]:
    """Return one line for every cell that lacks runs, with what became of them."""
    found = []
    for row, by_column in cells.items():
        for column, cell in by_column.items():
            name = " / ".join((*row, *column))
            if cell.beyond:
                there = cell.n - cell.beyond
                found.append(f"* {name}: {there} of {cell.n} runs got there, so that there is no mean")
            if cell.n < cell.total:
                undefined = cell.total - cell.n - sum(cell.ended.values())
                parts = [f"{count} {status}" for status, count in cell.ended.items()]
                parts += [f"{undefined} undefined"] if undefined else []
                found.append(f"* {name}: {cell.n} of {cell.total} runs; {', '.join(parts)}")
    return found


def render(table: Sequence[Sequence[str]], how: Format, labels: int) -> str:
    """Return a table as text; the first ``labels`` columns are names, the others numbers.

    LaTeX needs the package booktabs.
    """
    if how == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(table)
        return out.getvalue().rstrip("\n")
    if how == "latex":
        body = [" & ".join(_escape(cell) for cell in row) + r" \\" for row in table]
        columns = "l" * labels + "r" * (len(table[0]) - labels)
        inside = [body[0], r"\midrule", *body[1:]]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *inside, r"\bottomrule", r"\end{tabular}"])
    table = [[cell.replace("|", r"\|") for cell in row] for row in table]
    width = [max(2, *(len(row[i]) for row in table)) for i in range(len(table[0]))]
    rule = [("-" * w if i < labels else "-" * (w - 1) + ":") for i, w in enumerate(width)]

    def line(row: Sequence[str]) -> str:
        cells = [c.ljust(w) if i < labels else c.rjust(w) for i, (c, w) in enumerate(zip(row, width, strict=True))]
        return f"| {' | '.join(cells)} |"

    return "\n".join([line(table[0]), line(rule), *(line(row) for row in table[1:])])


SPECIAL = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",  # TeX's old fonts have other signs in these three places
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
}


def _escape(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)


def to_json(cells: Cells, rows: Sequence[str], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return one object per cell."""
    return [
        dict(zip(rows, row, strict=True))
        | dict(zip(columns, column, strict=True))
        | {
            "mean": _number(cell.mean),
            "sd": _number(cell.sd),
            "n": cell.n,
            "total": cell.total,
            "ended": dict(cell.ended),
        }
        | ({"beyond": cell.beyond} if cell.beyond else {})
        for row, by_column in cells.items()
        for column, cell in by_column.items()
    ]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
