"""Runs what a table needs, and sets what came out beside what was printed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alcore import Curve, InputError, Store, plugins
from alcore.errors import did_you_mean
from alcore.experiment import Experiment, parse
from alcore.plan import plan
from alcore.results import Run
from alcore.runner import Watcher, run_experiment
from alcore.stats import curves as curves_of
from alcore.stats import recorded
from alcore_benchmark.datasets.catalogue import TABLE, Entry
from alcore_benchmark.datasets.load import BY_NAME, named, sources
from alcore_benchmark.tables import quantities
from alcore_benchmark.tables.published import Value, table, value
from alcore_benchmark.tables.quantities import Cell
from alcore_benchmark.tables.targets import Column, Target

Curves = dict[tuple[str, str], dict[int, Curve]]
"""By data set and column, the curve of each seed that completed."""

PUBLISHED_SEEDS = {"small": 100, "large": 10}
LARGE = 2000
"""Rows from which the paper ran ten seeds instead of a hundred, with at most 3,000 queries."""


@dataclass(frozen=True)
class Line:
    """One cell: what was printed, what came out, and what that means."""

    dataset: str
    column: str
    published: Value | None
    ours: Cell | None
    verdict: str
    note: str = ""


def choose(target: Target, datasets: Sequence[str], columns: Sequence[str]) -> tuple[list[Entry], list[str]]:
    """Return the data sets and columns asked for; by default the small data sets that are here, and all columns.

    Raises
    ------
    InputError
        If there is no such data set or column, or no data set is here.
    """
    chosen = named(datasets)
    for name in columns:
        if name not in target.columns:
            known = ", ".join(target.columns)
            raise InputError(
                f"{target.name} has no column {name!r}; it has {known}.{did_you_mean(name, target.columns)}"
            )
    printed = table(target.number)
    entries = chosen or [
        entry
        for entry in TABLE
        if entry.rows < LARGE and sources(entry) and (entry.name in printed or target.show == "views")
    ]
    if not entries:
        raise InputError(
            f"no data set of {target.name} is here. Put the files into a folder and name it in ALCORE_DATA; "
            "`alcore list datasets` says which and where from."
        )
    return entries, list(columns) or list(target.columns)


def experiment(target: Target, entry: Entry, column: str, seeds: Sequence[int]) -> Experiment:
    """Return the experiment behind one column on one data set."""
    one: Column = target.columns[column]
    pair = {"query": dict(one.query), "task": dict(target.learner)} if one.query else dict(target.learner)
    raw: dict[str, Any] = {
        "name": f"{target.name}-{entry.name}",
        "preset": {"name": "published", "size": 20 if entry.classes == 2 else _start(entry)},
        "datasets": [entry.name],
        "strategies": [dict(one.strategy) | {"label": column}],
        "learners": [pair],
        "seeds": list(seeds),
        "budget": target.budget if entry.rows >= LARGE else "all",
        **target.keys,
        **one.keys,
    }
    return parse(raw, plugins.loaded().registry, source=f"{target.name}, {entry.name}, {column}")


def _start(entry: Entry) -> int:
    """Ten rows for each class, but for the sets on which the published runs had other numbers."""
    return {"abalone": 210, "imdb": 20}.get(entry.name, 10 * entry.classes)


def run(
    target: Target,
    entries: Sequence[Entry],
    columns: Sequence[str],
    seeds: Sequence[int],
    store: Store,
    *,
    jobs: int | None = None,
    watch: Watcher | None = None,
) -> tuple[Curves, dict[tuple[str, str], str]]:
    """Run what is not in the store, and return the curves, and why a cell has none or lacks seeds."""
    planned: dict[tuple[str, str], list[Run]] = {}
    lacking: dict[tuple[str, str], str] = {}
    one: Experiment | None = None
    for entry in entries:
        for column in columns:
            try:
                one = experiment(target, entry, column, seeds)
                planned[entry.name, column] = plan(one, plugins.loaded().registry)
            except InputError as error:
                lacking[entry.name, column] = str(error).splitlines()[-1].strip(" -")
    if one is not None:
        run_all(one, planned.values(), store, jobs=jobs, watch=watch)
    found: Curves = {}
    for key, runs in planned.items():
        found[key], reasons = curves_in(store, [run.id for run in runs])
        if reasons:
            lacking[key] = _told(reasons)
    return found, lacking


def run_all(
    experiment: Experiment,
    planned: Iterable[Sequence[Run]],
    store: Store,
    *,
    jobs: int | None = None,
    watch: Watcher | None = None,
) -> None:
    """Run several experiments as one, so that workers are started once; seeds come first, so that cells fill evenly."""
    by_seed = sorted((run for runs in planned for run in runs), key=lambda run: int(run.names["seed"]))
    if by_seed:
        run_experiment(experiment, store, runs=by_seed, jobs=jobs, watch=watch)


def curves_in(store: Store, ids: Sequence[str]) -> tuple[dict[int, Curve], dict[int, str]]:
    """Return the curves of the completed ones of these runs, and why the others have none, by seed."""
    records = store.records(ids)
    done = records[records["status"] == "completed"]
    by_run = curves_of(done, recorded(done)[0]) if len(done) else {}
    seed_of = dict(zip(done["run"], done["seed"], strict=True))
    ended = records[records["status"] != "completed"].drop_duplicates("run")
    reasons = {
        int(seed): f"{status}: {reason}"
        for seed, status, reason in zip(ended["seed"], ended["status"], ended["reason"], strict=True)
    }
    return {int(seed_of[run]): curve for run, curve in by_run.items()}, reasons


def _told(reasons: Mapping[int, str]) -> str:
    """Return why seeds are missing: how many, and the first reason."""
    return f"{len(reasons)} of the seeds {next(iter(reasons.values()))}" if reasons else ""


def lines(
    target: Target, entries: Sequence[Entry], columns: Sequence[str], found: Curves, lacking: Mapping[Any, str]
) -> list[Line]:
    """Return every cell of the table that was asked for, with its verdict."""
    made = (
        list(_views(entries, columns, found))
        if target.show == "views"
        else list(_cells(target, entries, columns, found))
    )
    printed, absent = table(target.number), _absent(target, entries, found)
    result = []
    for row, column, cell in made:
        there = printed.get(row, {})
        shown = value(there[column]) if column in there else _best_or_worst(there, column)
        note = lacking.get((row, column), "")
        scaled = _scaled(cell, 100.0 if target.percent else 1.0)
        if scaled is not None and column in target.columns and target.columns[column].sd:
            scaled = Cell(scaled.sd, float("nan"), scaled.n)
        said = verdict(shown, scaled, _seeds(row))
        if absent and shown is not None and scaled is not None:
            said, note = "not comparable", f"the published one is among {', '.join(absent)}, too"
        result.append(Line(row, column, shown, scaled, said, note))
    return result


def _absent(target: Target, entries: Sequence[Entry], found: Curves) -> list[str]:
    """Return the columns that a table of ranks or of distances to the best lacks: its numbers depend on all of them."""
    if target.show not in ("rank", "views"):
        return []
    return [name for name in target.columns if not all(found.get((entry.name, name)) for entry in entries)]


def _seeds(row: str) -> int:
    entry = BY_NAME.get(row)
    return PUBLISHED_SEEDS["large" if entry and entry.rows >= LARGE else "small"]


def _scaled(cell: Cell | None, factor: float) -> Cell | None:
    return None if cell is None else Cell(cell.mean * factor, cell.sd * factor, cell.n)


def _best_or_worst(printed: Mapping[str, str], column: str) -> Value | None:
    """Return the number of a column that a table of extremes prints for the best and the worst strategy only."""
    for end in ("BEST", "WORST"):
        if printed.get(f"{end}_QS") == column:
            return value(printed[end])
    return None


def _cells(
    target: Target, entries: Sequence[Entry], columns: Sequence[str], found: Curves
) -> Iterator[tuple[str, str, Cell | None]]:
    for entry in entries:
        curves = {column: found.get((entry.name, column), {}) for column in columns}
        uniform = curves.get("Uniform", {})
        full = {seed: float(curve.values[-1]) for seed, curve in uniform.items()}
        if target.show == "rank":
            by_column = {name: quantities.areas(one) for name, one in curves.items() if one and name != "Uniform"}
            ranked = quantities.ranks(by_column)
        for column, one in curves.items():
            both = {seed: curve for seed, curve in one.items() if seed in full}
            if target.show == "aubc":
                values = list(quantities.areas(one).values())
            elif target.show == "value-at":
                values = quantities.values_at(one, round(target.option * int(entry.rows * 0.6)))
            elif target.show == "value-with":
                values = quantities.values_at(one, int(target.option))
            elif target.show == "labels-to":
                values = quantities.labels_to(both, full, target.option)
            elif target.show == "utilisation":
                values = quantities.utilisation(both, uniform, full, target.option)
            else:
                values = ranked.get(column, [])
            yield entry.name, column, Cell.of(values)


def _views(entries: Sequence[Entry], columns: Sequence[str], found: Curves) -> Iterator[tuple[str, str, Cell | None]]:
    """Yield view scores: by how much a strategy is below the best one or the oracle, mean over a view."""
    means = {
        (entry.name, column): Cell.of(list(quantities.areas(found.get((entry.name, column), {})).values()))
        for entry in entries
        for column in columns
    }
    for column in columns:
        if column == "BSO":
            continue
        for view, belongs in quantities.VIEWS.items():
            below = []
            for entry in entries:
                cells = [means[entry.name, name] for name in columns]
                mine = means[entry.name, column]
                if belongs(entry) and mine is not None:
                    below.append(max(cell.mean for cell in cells if cell is not None) - mine.mean)
            yield column, view, Cell.of(below)


def verdict(published: Value | None, ours: Cell | None, seeds: int) -> str:
    """Return what a cell means.

    "same" is equal to the last printed digit. "within noise" is a difference that two means of so many seeds each show
    19 times in 20, if both have the deviation that ours has (or that was printed).
    """
    if ours is None:
        return "not computed"
    if published is None:
        return "not published"
    if round(ours.mean, published.digits) == round(published.mean, published.digits):
        return "same"
    sd = published.sd if published.sd is not None else ours.sd
    if ours.n < 2 or math.isnan(sd):
        return "one seed"
    error = math.sqrt(ours.sd**2 / ours.n + sd**2 / seeds)
    return "within noise" if abs(ours.mean - published.mean) <= 1.96 * error else "differs"
