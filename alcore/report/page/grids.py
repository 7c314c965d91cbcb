"""The tables of the page: cells with a value to sort by, a shade, and what a pointer is told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from alcore import stats
from alcore.report.asked import got_there, p_value
from alcore.report.page.content import Content
from alcore.report.rankings import lacking_note

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
    found = []
    few = stats.few_seeds(content.asked.by_seed)
    for learner, one in content.rankings.items():
        if len(one.places) < 2:
            found.append(f"With {learner} there is nothing to compare: {one.reason}.")
            continue
        said = f"With {learner}, {_first(content, learner, one)}"
        if one.friedman.p is not None:
            word = "differ" if one.friedman.p < one.alpha else "are not shown to differ"
            said += f"; the strategies {word} by Friedman's test (p = {p_value(one.friedman.p)})"
        lost = lacking_note(stats.by_learner(content.asked.by_seed)[learner], one)
        found.append(". ".join([said, *(note[:1].upper() + note[1:] for note in [lost] if note)]) + ".")
    return found + [f"{note[:1].upper()}{note[1:]}." for note in few]


def _first(content: Content, learner: str, one: stats.Ranking) -> str:
    """Return who ranks best, in words: a tie is a tie, and the baseline, by which others are measured, no winner."""
    n = f"{one.places[0].n} data set{'' if one.places[0].n == 1 else 's'}"
    first, base = one.first, content.asked.baseline
    names, rank = [place.strategy for place in first], f"{first[0].rank:.2f} of {len(one.places)} over {n}"
    if len(first) == len(one.places):
        return f"all {len(first)} strategies tie: rank {rank}"
    if base in names:
        others = [name for name in names if name != base]
        tied = f"{_and(others)} {'ties' if len(others) == 1 else 'tie'} with it" if others else ""
        second = next((place for place in one.places if place.strategy not in names), first[0])
        next_best = f"{second.strategy} comes next: {second.rank:.2f}"
        return f"no strategy ranks better than {base}: {rank}; {tied or next_best}"
    if len(names) > 1:
        return f"{_and(names)} tie for the best rank: {rank}"
    said = f"{names[0]} ranks best: {rank}"
    row = _counts(content).get((learner, names[0]))
    return said + (f"; against {base} it wins {row['win']}, ties {row['tie']} and loses {row['loss']}" if row else "")


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
        cells += [number(row.get(p), 3, told=str(row.get("reason", ""))) for p in ("p_wilcoxon", "p_holm")]
        at = content.positions[place.strategy]
        rows.append(([place.strategy], [replace(cell, strategy=at) for cell in cells]))
    names = ["strategy", "mean rank", "sd", "first", "wins", "ties", "losses", "improvement", "p", "p (Holm)"]
    return Grid([(name, None) for name in names], rows)


def score_table(content: Content, learner: str) -> Grid:
    """Return mean scores by data set and strategy, shaded from the worst to the best of each row."""
    scored = content.asked.scored
    cells = stats.table(scored[scored["learner"] == learner], ["dataset"], ["strategy"])
    rows = []
    for (dataset,), by_strategy in cells.items():
        found = {strategy: cell for (strategy,), cell in by_strategy.items()}
        shaded = dict(zip(found, shades(list(found.values()), content.asked.question.greater_is_better), strict=True))
        row = [_score(content, found.get(name), name, shaded.get(name)) for name in content.strategies]
        rows.append(([dataset], row))
    header: list[Head] = [("data set", None), *content.positions.items()]
    return Grid(header, rows)


def shades(cells: Sequence[stats.Cell], up: bool) -> list[float]:
    """Return how near each cell of a row is to the best one, 1 the best, 0 the worst and where all are equal.

    NaN for a cell that lacks runs: it is no better nor worse than those over all of them, whatever its mean.
    """
    means = stats.settled([cell.mean if cell.whole else math.nan for cell in cells])
    there = [mean for mean in means if math.isfinite(mean)]
    low, high = (min(there), max(there)) if there else (0.0, 0.0)
    if low == high:
        return [0.0 if math.isfinite(mean) else math.nan for mean in means]
    return [float(mean - low if up else high - mean) / (high - low) for mean in means]


def _score(content: Content, cell: stats.Cell | None, strategy: str, shade: float | None) -> Cell:
    at = content.positions[strategy]
    if cell is None:
        return Cell("-", strategy=at, told="not run")
    star = "" if cell.whole else "*"
    ended = ", ".join(f"{count} {status}" for status, count in cell.ended.items())
    told = f"{cell.n} of {cell.total} runs" + (f"; {ended}" if ended else "")
    if cell.beyond:
        return Cell(f"beyond{star}", strategy=at, told=f"{told}; {cell.n - cell.beyond} got there")
    if math.isnan(cell.mean):
        return Cell("/".join(cell.ended) or "undefined", strategy=at, told=told)
    sd = "" if math.isnan(cell.sd) else f", sd {cell.sd:.4f}"
    shade = None if shade is None or math.isnan(shade) else shade
    return Cell(f"{cell.mean:.4f}{star}", cell.mean, shade, told + sd, shade == 1, at)


def improvement_table(content: Content, learner: str) -> Grid:
    """Return improvement over the baseline, with wins and losses marked."""
    found = content.improvement[content.improvement["learner"] == learner]
    others = [name for name in content.strategies if name != content.asked.baseline]
    sizes = found["mean"].abs()
    most = float(sizes[sizes < math.inf].max()) if len(found) else 1.0
    by_dataset: dict[str, dict[str, Cell]] = {}
    for row in found.to_dict("records"):
        mark = {"win": " ▲", "loss": " ▼", "tie": "", "untested": " ?"}[str(row["verdict"])]
        p = [p_value(row[test]) or "none" for test in ("p_t", "p_wilcoxon", "p_holm")]
        told = f"{row['pairs']} pairs; p = {p[0]} (t), {p[1]} (Wilcoxon), {p[2]} (adjusted by Holm)"
        told += f"; {row['reason']}" if row["reason"] else ""
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
        star = "" if row["reached"] == row["runs"] and not row["left_out"] else "*"
        beyond = math.isinf(row["median"])
        words = "beyond" if beyond else f"{row['median']:.{digits}f}"
        told = got_there(row)
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
    whole = part.loc[part["n"] == part["total"], "mean"]
    values = [float(value) for value in whole[whole.abs() < math.inf]] or [0.0]
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
                whole = row["n"] == row["total"]
                text = cell.text + ("" if whole else "*")
                cell = replace(
                    cell, text=text, shade=shade if whole else None, told=told, strong=bool(row["compatible"])
                )
            cells.append(cell)
        rows.append(([query], cells))
    return Grid([("query \\ task", None), *((task, None) for task in tasks)], rows)


def number(value: Any, digits: int, *, signed: bool = False, told: str = "") -> Cell:
    """Return a cell with a number, or a dash."""
    if value is None or math.isnan(value):
        return Cell("-", told=told)
    if math.isinf(value):
        return Cell(f"{('-' if value < 0 else '+') if signed else ''}beyond", told=told)
    return Cell(f"{value:{'+' if signed else ''}.{digits}f}", float(value), told=told)
