"""The tables of the page: cells with a value to sort by, a shade, and what a pointer is told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from alcore import stats
from alcore.report.asked import p_value
from alcore.report.page.content import Content

if TYPE_CHECKING:
    import pandas as pd


Head: TypeAlias = tuple[str, int | None]


@dataclass(frozen=True)
class Cell:
    """A cell of a table: text, a value to sort by, a shade from -1 to 1, and what a pointer is told."""

    text: str
    value: float | None = None
    shade: float | None = None
    told: str = ""
    strong: bool = False
    strategy: int | None = None


@dataclass(frozen=True)
class Grid:
    """A table: header cells (text, position of a strategy or None) and rows of names and cells."""

    header: Sequence[Head]
    rows: Sequence[tuple[Sequence[str], Sequence[Cell]]]
    key: str = ""


def findings(content: Content) -> list[str]:
    """Return what a reader wants to know first, a sentence or two per learner."""
    counts = _counts(content)
    found = []
    for learner, one in content.rankings.items():
        if len(one.places) < 2:
            found.append(f"With {learner} there is nothing to compare: {one.reason}.")
            continue
        best = one.places[0]
        n = f"{best.n} data set{'' if best.n == 1 else 's'}"
        said = f"With {learner}, {best.strategy} ranks best: {best.rank:.2f} of {len(one.places)} over {n}"
        if one.friedman.p is not None:
            word = "differ" if one.friedman.p < one.alpha else "do not differ"
            said += f"; the strategies {word} by Friedman's test (p = {p_value(one.friedman.p)})"
        if row := counts.get((learner, best.strategy)):
            base = content.asked.baseline
            said += f". Against {base} it wins {row['win']}, ties {row['tie']} and loses {row['loss']}"
        found.append(said + ".")
    return found


def _counts(content: Content) -> dict[tuple[str, str], Mapping[Any, Any]]:
    rows = stats.overall(content.improvement).to_dict("records")
    return {(str(row["learner"]), str(row["strategy"])): row for row in rows}


def rank_table(content: Content, learner: str) -> Grid:
    """Return average ranks with wins and losses."""
    counts, rows = _counts(content), []
    for place in content.rankings[learner].places:
        row = counts.get((learner, place.strategy), {})
        cells = [number(place.rank, 2), number(place.sd, 2), Cell(str(place.first), place.first)]
        cells += [Cell(str(row[word]), row[word]) if row else Cell("-") for word in ("win", "tie", "loss")]
        cells += [number(row.get("mean"), 4, signed=True)]
        cells += [number(row.get("p_wilcoxon"), 3, told=str(row.get("reason", "")))]
        at = content.positions[place.strategy]
        rows.append(([place.strategy], [replace(cell, strategy=at) for cell in cells]))
    names = ["strategy", "mean rank", "sd", "first", "wins", "ties", "losses", "improvement", "p"]
    return Grid([(name, None) for name in names], rows)


def score_table(content: Content, learner: str) -> Grid:
    """Return mean scores by data set and strategy, shaded from the worst to the best of each row."""
    scored = content.asked.scored
    cells = stats.table(scored[scored["learner"] == learner], ["dataset"], ["strategy"])
    rows = []
    for (dataset,), by_strategy in cells.items():
        found = {strategy: cell for (strategy,), cell in by_strategy.items()}
        means = [cell.mean for cell in found.values() if not math.isnan(cell.mean)]
        rows.append(([dataset], [_score(content, found.get(name), name, means) for name in content.strategies]))
    header: list[Head] = [("data set", None), *content.positions.items()]
    return Grid(header, rows)


def _score(content: Content, cell: stats.Cell | None, strategy: str, means: Sequence[float]) -> Cell:
    at = content.positions[strategy]
    if cell is None:
        return Cell("-", strategy=at, told="not run")
    star = "" if cell.whole else "*"
    ended = ", ".join(f"{count} {status}" for status, count in cell.ended.items())
    told = f"{cell.n} of {cell.total} runs" + (f"; {ended}" if ended else "")
    if math.isnan(cell.mean):
        return Cell("/".join(cell.ended) or "undefined", strategy=at, told=told)
    up = content.asked.question.greater_is_better
    low, high = (min(means), max(means)) if up else (max(means), min(means))
    shade = (cell.mean - low) / (high - low) if high != low else 0.0
    sd = "" if math.isnan(cell.sd) else f", sd {cell.sd:.4f}"
    return Cell(f"{cell.mean:.4f}{star}", cell.mean, shade, told + sd, cell.mean == high and low != high, at)


def improvement_table(content: Content, learner: str) -> Grid:
    """Return improvement over the baseline, with wins and losses marked."""
    found = content.improvement[content.improvement["learner"] == learner]
    others = [name for name in content.strategies if name != content.asked.baseline]
    most = float(found["mean"].abs().max()) if len(found) else 1.0
    by_dataset: dict[str, dict[str, Cell]] = {}
    for row in found.to_dict("records"):
        mark = {"win": " ▲", "loss": " ▼", "tie": "", "untested": " ?"}[str(row["verdict"])]
        p = [p_value(row[test]) or "none" for test in ("p_t", "p_wilcoxon")]
        told = f"{row['pairs']} pairs; p = {p[0]} (t), {p[1]} (Wilcoxon){'; ' if row['reason'] else ''}{row['reason']}"
        shown = number(row["mean"], 4, signed=True)
        at = content.positions[str(row["strategy"])]
        shade = row["mean"] / most if most and shown.value is not None else None
        cell = Cell(shown.text + mark, shown.value, shade, told, bool(mark.strip(" ?")), at)
        by_dataset.setdefault(str(row["dataset"]), {})[str(row["strategy"])] = cell
    rows = [
        ([dataset], [cells.get(name, Cell("-", strategy=content.positions[name])) for name in others])
        for dataset, cells in by_dataset.items()
    ]
    return Grid([("data set", None), *((name, content.positions[name]) for name in others)], rows)


def label_tables(content: Content) -> list[tuple[str, Grid]]:
    """Return labels needed and utilisation; none without a baseline to set the targets."""
    if not content.has_baseline:
        return []
    asked = content.asked
    how: dict[str, Any] = {"baseline": asked.baseline, "missing": asked.missing, "greater_is_better": asked.up}
    needed = stats.labels_needed(asked.records, asked.question.of, share=0.99, **how)
    near = stats.labels_needed(asked.records, asked.question.of, slack=0.01, **how)
    used = stats.utilisation(near, asked.baseline)
    name = f"Labels to reach 99 % of {asked.baseline}'s last {asked.question.of}"
    rate = f"Data utilisation: labels to come within 0.01 of it, as a share of {asked.baseline}'s"
    return [
        (name, _censored(content, stats.summarised(needed), 0)),
        (rate, _censored(content, used, 2)),
    ]


def _censored(content: Content, found: pd.DataFrame, digits: int) -> Grid:
    several = len(content.learners) > 1
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in found.to_dict("records"):
        key = (str(row["dataset"]), str(row["learner"])) if several else (str(row["dataset"]),)
        star = "" if row["reached"] == row["runs"] else "*"
        beyond = math.isinf(row["median"])
        words = "beyond" if beyond else f"{row['median']:.{digits}f}"
        told = f"{row['reached']} of {row['runs']} runs got there"
        at = content.positions[str(row["strategy"])]
        cell = Cell(words + star, 1e300 if beyond else row["median"], told=told, strategy=at)
        rows.setdefault(key, {})[str(row["strategy"])] = cell
    there = [name for name in content.strategies if any(name in cells for cells in rows.values())]
    header: list[Head] = [("data set", None)]
    header += [("learner", None)] if several else []
    header += [(name, content.positions[name]) for name in there]
    lines = [
        (list(key), [cells.get(name, Cell("-", strategy=content.positions[name])) for name in there])
        for key, cells in rows.items()
    ]
    return Grid(header, lines)


def maps(content: Content) -> list[tuple[str, Grid]]:
    """Return query x task maps, one per data set and strategy, where learners were paired."""
    scored = content.asked.scored
    if (scored["query_learner"] == scored["task_learner"]).all():
        return []
    parts = stats.learner_map(scored).groupby(["dataset", "strategy"], sort=False)
    return [(f"{names[0]}, {names[1]}", _map(part, content.asked.question.greater_is_better)) for names, part in parts]


def _map(part: pd.DataFrame, up: bool) -> Grid:
    tasks = [str(name) for name in dict.fromkeys(part["task_learner"])]
    values = [float(value) for value in part["mean"].dropna()] or [0.0]
    low, high = (min(values), max(values)) if up else (max(values), min(values))
    by_pair = {(str(row["query_learner"]), str(row["task_learner"])): row for row in part.to_dict("records")}
    rows = []
    for query in dict.fromkeys(str(name) for name in part["query_learner"]):
        cells = []
        for task in tasks:
            row = by_pair.get((query, task), {"mean": math.nan})
            cell = number(row["mean"], 4)
            if cell.value is not None:
                shade = (cell.value - low) / (high - low) if high != low else 0.0
                told = f"{row['n']} of {row['total']} runs"
                cell = replace(cell, shade=shade, told=told, strong=bool(row["compatible"]))
            cells.append(cell)
        rows.append(([query], cells))
    return Grid([("query \\ task", None), *((task, None) for task in tasks)], rows)


def number(value: Any, digits: int, *, signed: bool = False, told: str = "") -> Cell:
    """Return a cell with a number, or a dash."""
    if value is None or math.isnan(value):
        return Cell("-", told=told)
    return Cell(f"{value:{'+' if signed else ''}.{digits}f}", float(value), told=told)
