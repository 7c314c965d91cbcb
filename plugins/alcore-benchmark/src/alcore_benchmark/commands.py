"""``alcore reproduce tableN``, ``alcore reproduce margin-per-seed`` and ``alcore download``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from alcore.cli.common import print_json, print_table
from alcore_benchmark.tables.targets import TARGETS, Target

if TYPE_CHECKING:
    from alcore.runner import Progress
    from alcore_benchmark.datasets.catalogue import Entry

F = TypeVar("F", bound=Callable[..., Any])


def add(cli: click.Group) -> None:
    """Add the commands to ``alcore``."""
    commands = {target.name: _table(target) for target in TARGETS} | {"margin-per-seed": margin_per_seed}
    cli.add_command(click.Group("reproduce", commands, help="Repeat published results."))
    cli.add_command(download)


def _options(function: F) -> F:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; by default one per core."),
        click.option(
            "--store", type=click.Path(path_type=Path),
            help="Where the runs are kept and looked for; by default results/reproduce.",
        ),
        click.option("--seeds", default=10, show_default=True, type=click.IntRange(min=1), help="Seeds 0 to N - 1."),
        click.option("--datasets", default="", help="Names, by commas; by default those under 2,000 rows here."),
    ):  # fmt: skip
        function = option(function)
    return function


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _store(path: Path | None) -> Any:
    from alcore import Store

    return Store(path or Path("results", "reproduce"), create=True)


def _watch(progress: Progress, _run: Any, _result: Any) -> None:
    if progress.done % 100 == 0 or progress.left == 0:
        click.echo(f"{progress.done} of {progress.total} runs", err=True)


def _table(target: Target) -> click.Command:
    @click.command(target.name, help=f"Table {target.number}, {target.title}.")
    @click.option("--strategies", default="", help=f"Columns, by commas: {', '.join(target.columns)}.")
    @_options
    def command(
        strategies: str, datasets: str, seeds: int, store: Path | None, jobs: int | None, as_json: bool
    ) -> None:
        from alcore_benchmark.tables import remake
        from alcore_benchmark.tables.verdicts import summary

        entries, columns = remake.choose(target, _words(datasets), _words(strategies))
        records, lacking = remake.run(
            target, entries, columns, range(seeds), _store(store), jobs=jobs, watch=None if as_json else _watch
        )
        lines = remake.lines(target, entries, columns, records, lacking)
        if as_json:
            print_json({"table": target.number, "title": target.title, "cells": [asdict(line) for line in lines]})
            return
        rows = []
        for line in lines:
            printed = f"{line.published.mean:.{line.published.digits}f}" if line.published else "-"
            ours = f"{line.ours.mean:.2f}" if line.ours and not isnan(line.ours.mean) else "-"
            width = f"± {line.ours.half_width:.2f}" if line.ours and not isnan(line.ours.half_width) else ""
            rows.append([line.dataset, line.column, printed, ours, width, str(line.ours.n if line.ours else 0),
                         line.verdict, line.note])  # fmt: skip
        head = ["data set", "column", "published", "ours", "95 %", "seeds", "verdict", "note"]
        print_table(f"Table {target.number}: {target.title}", head, rows)
        click.echo(summary([line.verdict for line in lines]))

    return command


def _count(verdicts: list[str]) -> None:
    click.echo(", ".join(f"{count} {verdict}" for verdict, count in Counter(verdicts).most_common()) + ".")


@click.command("margin-per-seed")
@click.option("--query", type=click.Choice(["RBFSVM", "LR"]), default="RBFSVM", show_default=True, help="Query model.")
@click.option("--task", type=click.Choice(["RBFSVM", "LR"]), default="RBFSVM", show_default=True, help="Task model.")
@click.option(
    "--published", type=click.Path(path_type=Path),
    help="Published values: dataset, query_model, task_model, seed, aubc; by default those of the reference data.",
)  # fmt: skip
@_options
def margin_per_seed(
    query: str, task: str, published: Path | None, datasets: str, seeds: int, store: Path | None, jobs: int | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Margin sampling seed by seed: AUBC to five digits, published and ours."""
    from alcore_benchmark import per_seed

    file = per_seed.published_file(published)
    runs = per_seed.run(
        _entries(datasets), range(seeds), _store(store), query=query, task=task, file=file, jobs=jobs,
        watch=None if as_json else _watch,
    )  # fmt: skip
    if as_json:
        print_json({"runs": [asdict(one) | {"verdict": one.verdict} for one in runs]})
        return
    rows = [
        [
            one.dataset,
            str(one.seed),
            *("-" if v is None else f"{v:.5f}" for v in (one.published, one.ours)),
            one.verdict,
        ]
        for one in runs
    ]
    print_table(
        f"Margin, {query} asks, {task} is scored: AUBC", ["data set", "seed", "published", "ours", "verdict"], rows
    )
    _count([one.verdict for one in runs])
    if file is None:
        click.echo(
            "No published values here: give --published FILE, or set ALCORE_SHARED to the reference data.", err=True
        )


def _entries(datasets: str) -> list[Entry]:
    from alcore import InputError
    from alcore_benchmark.datasets.catalogue import TABLE
    from alcore_benchmark.datasets.load import named, sources

    found = named(_words(datasets)) or [e for e in TABLE if e.rows < 2000 and e.classes == 2 and sources(e)]
    if not found:
        raise InputError("no data set is here; `alcore list datasets` says which files to put into ALCORE_DATA.")
    return found


@click.command("download")
@click.argument("names", nargs=-1, required=True)
def download(names: tuple[str, ...]) -> None:
    """Download data sets of the benchmark from OpenML, by NAME, once."""
    from alcore import InputError
    from alcore_benchmark.datasets.load import fetch

    for entry in _entries(",".join(names)):
        if entry.openml is None:
            raise InputError(f"{entry.name} is not at OpenML: {entry.where}, file {entry.file}.")
        data = fetch(entry)
        click.echo(f"{entry.name}: {len(data)} rows, OpenML {entry.openml}")
