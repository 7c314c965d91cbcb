"""``alcore reproduce coda-table1`` and its like: the paper's tables, on every task whose predictions are at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import numpy as np

from alcore.errors import InputError

if TYPE_CHECKING:
    from alcore_modelselection.predictions import Predictions
    from alcore_modelselection.zoo import Condition

F = TypeVar("F", bound=Callable[..., Any])
STUDY = (
    "keel.banana", "keel.phoneme", "keel.spambase", "keel.magic", "keel.page-blocks0", "keel.satimage",
    "keel.optdigits", "keel.texture",
)  # fmt: skip
STANDARD_ERRORS = 2.3
"""Two means over five seeds that come from one distribution are closer than this 19 times of 20."""


def _options(function: F) -> F:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--seeds", default=5, show_default=True, type=click.IntRange(min=1), help="Runs per cell."),
        click.option("--strategies", "--methods", "methods", help="Columns, separated by commas; all by default."),
        click.option("--datasets", "--tasks", "tasks", help="Tasks, separated by commas; all that are there."),
        click.option(
            "--data", type=click.Path(path_type=Path), help="The folder with a TASK.npz of predictions and labels each."
        ),
    ):
        function = option(function)
    return function


def _table_command(table: str, summary: str) -> click.Command:
    @click.command(f"coda-table{table}", help=summary)
    @_options
    def command(data: Path | None, tasks: str | None, methods: str | None, seeds: int, as_json: bool) -> None:
        rows = reproduce(table, _folder(data), _words(tasks), _words(methods), seeds)
        if as_json:
            click.echo(json.dumps({"rows": rows}))
            return
        _show(table, rows)

    return command


@click.command("coda-study")
@click.option(
    "--datasets",
    default=",".join(STUDY),
    show_default=True,
    help="Classification data sets; see: alcore list datasets.",
)
@click.option("--conditions", default="plain,imbalanced,biased,imbalanced+biased", show_default=True)
@click.option(
    "--seeds", default=10, show_default=True, type=click.IntRange(min=1), help="Runs of what is drawn at random."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def study_command(datasets: str, conditions: str, seeds: int, as_json: bool) -> None:
    """Our own study: 72 scikit-learn models on real data sets, where CODA does well and where it fails."""
    from alcore_modelselection.study import run, summary

    rows: list[dict[str, Any]] = []
    for dataset in _words(datasets) or []:
        for condition in _words(conditions) or []:
            rows += run(dataset, cast("Condition", condition), seeds)
            if not as_json:
                click.echo(f"{dataset}, {condition}: done", err=True)
    if as_json:
        click.echo(json.dumps({"rows": rows}))
        return
    from alcore.cli.common import print_table

    columns, table = summary(rows)
    print_table("Cumulative regret after 100 labels x 100, mean over seeds", columns, table)


COMMANDS = [
    study_command,
    _table_command("1", "Table 1 of CODA (and Table 2, its SD): cumulative regret after 100 labels, x 100."),
    _table_command("3", "Table 3 of CODA: regret after 50 labels, x 100."),
    _table_command("4", "Table 4 of CODA: regret after 100 labels, x 100."),
    _table_command("5", "Table 5 of CODA: regret of model selection without labels, x 100."),
]


def reproduce(
    table: str, folder: Path, tasks: Sequence[str] | None, methods: Sequence[str] | None, seeds: int
) -> list[dict[str, Any]]:
    """Return a table's cells: one row per seed, and one of the mean with its published value and a verdict.

    Raises
    ------
    InputError
        If a task or a method is unknown.
    """
    from alcore_modelselection.files import read_predictions
    from alcore_modelselection.published import METHODS, task_name

    found = {task_name(file.stem): file for file in sorted(folder.glob("*.npz")) if not file.stem.startswith("golden")}
    if not found:
        raise InputError(f"{folder} holds no predictions (TASK.npz).")
    names = list(tasks or found)
    for name in names:
        if name not in found:
            raise InputError(f"there are no predictions of {name!r} in {folder}; there are {', '.join(found)}.")
    columns = list(methods or (["ensv", "entropy", "bnm", "coda"] if table == "5" else METHODS))
    rows: list[dict[str, Any]] = []
    for name in names:
        predictions = read_predictions(found[name])
        if table == "5":
            rows += _without_labels(name, predictions, columns)
        else:
            for method in columns:
                rows += _cell(table, name, predictions, method, seeds)
    return rows


def _cell(table: str, task: str, predictions: Predictions, method: str, seeds: int) -> list[dict[str, Any]]:
    from alcore_modelselection.published import METHODS, cell, parameters, published
    from alcore_modelselection.simulation import simulate

    if method not in METHODS:
        raise InputError(f"the paper has no column {method!r}; its columns are {', '.join(METHODS)}.")
    params = parameters(method, task)
    values = [
        cell(table, simulate(predictions, METHODS[method][0], steps=100, seed=seed, params=params))
        for seed in range(seeds)
    ]
    there = published().get((table, task, method))
    sd = float(np.std(values, ddof=1)) if seeds > 1 else None
    mean = float(np.mean(values))
    rows = [_row(task, method, seed, value, None, None, "", params) for seed, value in enumerate(values)]
    return [
        *rows,
        _row(task, method, None, mean, sd, there, verdict(mean, sd, seeds, there), params),
    ]


def _without_labels(task: str, predictions: Predictions, columns: Sequence[str]) -> list[dict[str, Any]]:
    from alcore_modelselection.published import published
    from alcore_modelselection.unsupervised import METHODS, step0_regret

    ours = step0_regret(predictions)
    rows = []
    for method in columns:
        if method not in METHODS:
            raise InputError(f"{method!r} does not select without labels; use {', '.join(METHODS)}.")
        value, there = ours[method], published().get(("5", task, method))
        if value is None:
            rows.append(_row(task, method, None, None, None, there, "needs probabilities", {}))
        else:
            rows.append(_row(task, method, None, 100 * value, None, there, verdict(100 * value, None, 1, there), {}))
    return rows


def _row(
    task: str, method: str, seed: int | None, ours: float | None, sd: float | None, there: Any, said: str, params: Any
) -> dict[str, Any]:
    return {
        "dataset": task,
        "strategy": method,
        "query_model": None,
        "task_model": None,
        "seed": seed,
        "ours": ours,
        "ours_sd": sd,
        "published": None if there is None else there.mean,
        "published_sd": None if there is None else there.sd,
        "verdict": said,
        "parameters": params,
    }


def verdict(mean: float, sd: float | None, seeds: int, there: Any) -> str:
    """Say whether a mean agrees with a published one (five seeds): "same", "within noise", "differs", "not published".

    "Same" is to the printed digit; "within noise" is within 2.3 standard errors of the difference of the two means.
    """
    from alcore_modelselection.published import SEEDS

    if there is None:
        return "not published"
    if abs(mean - there.mean) <= 0.05 + 1e-6:  # half of the last printed digit
        return "same"
    noise = np.hypot((sd or 0.0) / np.sqrt(seeds), (there.sd or 0.0) / np.sqrt(SEEDS))
    return "within noise" if abs(mean - there.mean) <= STANDARD_ERRORS * noise else "differs"


def _show(table: str, rows: list[dict[str, Any]]) -> None:
    from alcore.cli.common import print_table
    from alcore_modelselection.published import TABLES

    def number(mean: float | None, sd: float | None) -> str:
        return "" if mean is None else f"{mean:.1f}" + ("" if sd is None else f" ± {sd:.1f}")

    cells = [
        [
            r["dataset"],
            r["strategy"],
            number(r["ours"], r["ours_sd"]),
            number(r["published"], r["published_sd"]),
            r["verdict"],
        ]
        for r in rows
        if r["seed"] is None
    ]
    print_table(f"Table {table}: {TABLES[table]}", ["task", "method", "ours", "published", "verdict"], cells)


def _words(text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _folder(data: Path | None) -> Path:
    if data is None:
        shared = os.environ.get("ALCORE_SHARED")
        if shared is None:
            raise InputError(
                "where are the predictions? Give --data FOLDER with a TASK.npz each, or set ALCORE_SHARED."
            )
        data = Path(shared) / "data" / "modelselection"
    if not data.is_dir():
        raise InputError(f"there is no folder {data}.")
    return data
