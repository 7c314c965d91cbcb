"""Runs what a table needs, and sets what came out beside what was printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alcore import InputError, Store, plugins, stats
from alcore.errors import did_you_mean
from alcore.experiment import Experiment, parse
from alcore.plan import plan
from alcore.results import Run
from alcore.runner import Watcher, run_experiment
from alcore.stats import Cell
from alcore_benchmark.datasets.catalogue import TABLE, Entry
from alcore_benchmark.datasets.load import named, sources
from alcore_benchmark.tables import quantities, views
from alcore_benchmark.tables.published import Value, printed_columns, table, value
from alcore_benchmark.tables.quantities import LARGE, Cells
from alcore_benchmark.tables.targets import Target
from alcore_benchmark.tables.verdicts import verdict, verdict_of_deviation

if TYPE_CHECKING:
    import pandas as pd

Reasons = Mapping[tuple[str, str], str]
"""By data set and column, why it has no number or lacks seeds."""

PUBLISHED_SEEDS = {"small": 100, "large": 10}
WITHOUT = {
    "value-at": "no run has a value there: the start set has more labels already, or the budget ends before",
    "labels-to": "no seed got there",
    "utilisation": "no seed got there",
    "rank": "the published ranks are among the other strategies",
}
"""Why runs that completed give no number."""


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
        If there is no such data set or column, or none of the small data sets is here.
    """
    chosen = named(datasets)
    for name in columns:
        if name not in target.columns:
            known = ", ".join(target.columns)
            raise InputError(
                f"{target.name} has no column {name!r}; it has {known}.{did_you_mean(name, target.columns)}"
            )
    printed = table(19 if target.show == "views" else target.number)
    here = chosen or [entry for entry in TABLE if entry.name in printed and sources(entry)]
    entries = chosen or [entry for entry in here if entry.rows < LARGE]
    if here and not entries:
        raise InputError(
            f"all data sets of {target.name} have 2,000 rows or more and take long; name those you want: --datasets "
            f"{','.join(entry.name for entry in here)}."
        )
    if not entries:
        raise InputError(
            f"no data set of {target.name} is here. Put the files into a folder and name it in ALCORE_DATA; "
            "`alcore list datasets` says which and where from."
        )
    return entries, list(columns) or list(target.columns)


def experiment(target: Target, entry: Entry, column: str, seeds: Sequence[int]) -> Experiment:
    """Return the experiment behind one column on one data set."""
    one = target.column(column)
    pair = {"query": dict(one.query), "task": dict(target.learner)} if one.query else dict(target.learner)
    raw: dict[str, Any] = {
        "name": f"{target.name}-{entry.name}",
        "preset": {"name": "published", "size": 20 if entry.classes == 2 else _start(entry)},
        "datasets": [entry.name],
        "strategies": [dict(one.strategy) | {"label": one.label or column}],
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
) -> tuple[pd.DataFrame, Reasons]:
    """Run what is not in the store, and return the records, as ``gathered`` does, and why a cell lacks seeds."""
    planned: dict[tuple[str, str], list[Run]] = {}
    lacking: dict[tuple[str, str], str] = {}
    one: Experiment | None = None
    for entry in entries:
        for column in target.needs(columns):
            try:
                one = experiment(target, entry, column, seeds)
                planned[entry.name, column] = plan(one, plugins.loaded().registry)
            except InputError as error:
                lacking[entry.name, column] = str(error).splitlines()[-1].strip(" -")
    if one is not None:
        run_all(one, planned.values(), store, jobs=jobs, watch=watch)
    records = gathered(store, planned, str(target.learner["label"]))
    for key, ended in stats.incomplete(records).groupby(["dataset", "strategy"], sort=False):
        first = ended.iloc[0]
        lacking[str(key[0]), str(key[1])] = f"{ended['runs'].sum()} of the seeds {first['status']}: {first['reason']}"
    return records, lacking


def run_all(
    experiment: Experiment,
    planned: Iterable[Sequence[Run]],
    store: Store,
    *,
    jobs: int | None = None,
    watch: Watcher | None = None,
) -> None:
    """Run several experiments as one, so that workers are started once; seeds come first, so that cells fill evenly."""
    once = {run.id: run for runs in planned for run in runs}
    by_seed = sorted(once.values(), key=lambda run: int(run.names["seed"]))
    if by_seed:
        run_experiment(experiment, store, runs=by_seed, jobs=jobs, watch=watch)


def gathered(store: Store, planned: Mapping[tuple[str, str], Sequence[Run]], learner: str) -> pd.DataFrame:
    """Return the records of these runs that have ended, as ``Store.records`` does, but named as the table names them.

    The strategy is the column, and the learner is one for all: a table compares columns, also where another learner
    asks in one of them, or where two show the same runs.
    """
    import pandas as pd

    names = ["run", "dataset", "strategy", "learner"]
    there = store.ids()
    keys = pd.DataFrame(
        [(run.id, *key, learner) for key, runs in planned.items() for run in runs if run.id in there], columns=names
    )
    if not len(keys):
        return pd.DataFrame(columns=[*names, "seed", "status", "reason"])
    records = keys.merge(store.records(set(keys["run"])).drop(columns=names[1:]), on="run")
    return records.assign(run=records["strategy"] + "/" + records["run"])


def lines(
    target: Target, entries: Sequence[Entry], columns: Sequence[str], records: pd.DataFrame, lacking: Reasons
) -> list[Line]:
    """Return every cell of the table that was asked for, with its verdict."""
    if target.show == "views":
        return _view_lines(columns, quantities.cells(target, entries, columns, records), records, lacking)
    made = quantities.cells(target, entries, columns, records)
    return [_line(target, entry, column, made, lacking) for entry in entries for column in columns]


def _line(target: Target, entry: Entry, column: str, made: Cells, lacking: Reasons) -> Line:
    row = entry.name
    shown = _printed(table(target.number).get(row, {}), column)
    cell = made.get((row, column))
    note = lacking.get((row, column)) or ("" if cell else WITHOUT.get(target.show, ""))
    seeds = PUBLISHED_SEEDS["large" if entry.rows >= LARGE else "small"]
    if cell is not None:
        cell = _scaled(cell, 100.0 if target.percent else 1.0)
    if cell is not None and target.columns[column].sd:
        cell = Cell(cell.sd, float("nan"), cell.n, cell.total, cell.ended)
        return Line(row, column, shown, cell, verdict_of_deviation(shown, cell, seeds), note)
    absent = [name for name in printed_columns(target.number, row) if (row, name) not in made]
    if target.show == "rank" and absent and shown is not None and cell is not None:
        return Line(row, column, shown, cell, "not comparable", f"the published one is among {', '.join(absent)}, too")
    return Line(row, column, shown, cell, verdict(shown, cell, seeds), note)


def _view_lines(columns: Sequence[str], made: Cells, records: pd.DataFrame, lacking: Reasons) -> list[Line]:
    done = records[records["status"] == "completed"]
    there = {str(name): set(part["strategy"]) for name, part in done.groupby("dataset", sort=False)}
    result = []
    for column in columns:
        for view in views.NAMES if column != "BSO" else ():
            shown, cell = _printed(table(23)[column], view), made.get((column, view))
            note = "; ".join(dict.fromkeys(text for (_, name), text in lacking.items() if name == column))
            if cell is None:
                result.append(Line(column, view, shown, None, "not computed", note or "no data set of this view ran"))
                continue
            cell, other = _scaled(cell, 100.0), views.missing(column, view, there)
            said = "not comparable" if other else verdict(shown, cell, PUBLISHED_SEEDS["small"])
            note = f"the published one is {' and '.join(other)}" if other else note
            result.append(Line(column, view, shown, cell, said, note))
    return result


def _scaled(cell: Cell, factor: float) -> Cell:
    return Cell(cell.mean * factor, cell.sd * factor, cell.n, cell.total, cell.ended)


def _printed(row: Mapping[str, str], column: str) -> Value | None:
    """Return a printed number; of the best and the worst strategy where a table has those only."""
    if column in row:
        return value(row[column])
    for end in ("BEST", "WORST"):
        if row.get(f"{end}_QS") == column:
            return value(row[end])
    return None
