"""``alcore table``: means over seeds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, print_json, store_argument

if TYPE_CHECKING:
    import pandas as pd


@click.command("table")
@store_argument
@click.option(
    "--metric",
    default="aubc",
    show_default=True,
    help='A curve, comparison or recorded round metric, with parameters as in "labels-to(target=0.9)".',
)
@click.option("--of", default=None, help="The round metric whose curves are scored; by default the first recorded.")
@click.option("--rows", default=None, help="Names, by commas: dataset, learner, strategy, seed, ...")
@click.option("--columns", default="strategy", show_default=True, help="Names, by commas.")
@click.option("--baseline", default="random", show_default=True, help="What comparison metrics compare with.")
@click.option("--format", "how", type=click.Choice(["markdown", "csv", "latex"]), default="markdown", show_default=True)
@click.option("--digits", type=click.IntRange(0, 12), default=4, show_default=True)
@click.option("--sd", is_flag=True, help="Add the standard deviation over runs.")
@as_json
def command(
    store: Path,
    metric: str,
    of: str | None,
    rows: str | None,
    columns: str,
    baseline: str,
    how: str,
    digits: int,
    sd: bool,
    as_json: bool,
) -> None:
    """Show mean scores over the runs of a STORE. A star marks means over fewer runs than there are."""
    from alcore.store import Store

    show(Store(store).records(), metric, of, rows, columns, baseline, how, digits, sd, as_json)


def show(
    records: pd.DataFrame,
    metric: str,
    of: str | None = None,
    rows: str | None = None,
    columns: str = "strategy",
    baseline: str = "random",
    how: str = "markdown",
    digits: int = 4,
    sd: bool = False,
    as_json: bool = False,
    params: Mapping[str, Any] | None = None,
) -> None:
    """Print a table of records; ``params`` are the metric's."""
    from alcore import plugins
    from alcore.errors import InputError
    from alcore.report import tables
    from alcore.stats import question, scores, table, words

    asked = question(plugins.loaded().registry, records, metric, of, **(params or {}))
    if sd and asked.spec.scope == "comparison":
        raise InputError(f"{metric} gives all runs of a strategy one score: there is no spread for --sd to show.")
    across = [name.strip() for name in columns.split(",")]
    if rows is None:
        down = ["dataset"] + (["learner"] if records["learner"].nunique() > 1 and "learner" not in across else [])
        down = [name for name in down if name not in across] or ["learner"]
    else:
        down = [name.strip() for name in rows.split(",")]
    scored = scores(records, asked, baseline)
    cells = table(scored, down, across)
    if as_json:
        listed = tables.to_json(cells, down, across)
        if asked.spec.scope == "comparison":  # all runs of a strategy share its score: there is no spread
            listed = [cell | {"sd": None} for cell in listed]
        print_json({"metric": metric, "of": asked.of, "cells": listed, "notes": words(scored)})
        return
    text = tables.render(tables.lines(cells, down, digits=digits, sd=sd), how, len(down))  # type: ignore[arg-type]
    if how == "markdown":
        click.echo(f"Mean {asked.title}\n")
    click.echo(text)
    for note in [*tables.notes(cells), *words(scored)]:
        click.echo(note, err=how != "markdown")
