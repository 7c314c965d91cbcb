"""``alcore table``: means over seeds, and analyses of strategies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, open_selected, print_json, protocol_option, store_argument

if TYPE_CHECKING:
    import pandas as pd

    from alcore.selection import Selected


SHOWS = (
    "means", "best", "value-at", "labels-to", "utilisation", "improvement", "ranks", "views", "pairs", "properties",
    "times",
)  # fmt: skip
ONLY = {
    "rows": ("means",),
    "columns": ("means",),
    "sd": ("means",),
    "share": ("value-at", "labels-to", "utilisation"),
    "slack": ("labels-to", "utilisation"),
    "missing": ("best", "labels-to", "utilisation", "improvement", "ranks", "views", "properties"),
    "alpha": ("improvement", "ranks", "properties"),
    "test": ("improvement", "properties"),
    "properties": ("value-at", "views", "properties"),
}
"""Options that only some analyses have a use for."""


@click.command("table")
@store_argument
@click.option("--show", type=click.Choice(SHOWS), default="means", show_default=True, help="Which analysis.")
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
@click.option("--share", type=float, help="Of the pool for value-at; of the full budget's value for labels-to.")
@click.option("--slack", type=float, help="How far from the full budget's value is near enough, instead of --share.")
@click.option(
    "--missing",
    type=click.Choice(["complete", "available", "drop", "worst"]),
    default="complete",
    show_default=True,
    help="What a run without a score means where strategies are compared.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--test", type=click.Choice(["t", "wilcoxon"]), default="t", show_default=True, help="Decides wins.")
@click.option("--properties", type=click.Path(path_type=Path), help="CSV: dataset, n, d, imbalance.")
@protocol_option
@as_json
@click.pass_context
def command(
    ctx: click.Context,
    /,
    store: Path,
    show: str,
    metric: str,
    of: str | None,
    rows: str | None,
    columns: str,
    baseline: str,
    how: str,
    digits: int,
    sd: bool,
    protocol: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show mean scores over the runs of a STORE, or another analysis. A star marks what rests on fewer runs."""
    from alcore.errors import InputError

    for option, used_by in ONLY.items():
        given = ctx.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE
        if given and show not in used_by:
            raise InputError(f"--{option} goes with --show {', '.join(used_by)}; --show {show} has no use for it.")
    opened = open_selected(store, protocol)
    if show == "means":
        show_means(opened.records(), metric, of, rows, columns, baseline, how, digits, sd, as_json, selection=opened)
    else:
        show_analysis(opened, show, metric, of, how, as_json, baseline=baseline, digits=digits, **options)


def show_analysis(
    store: Selected, name: str, metric: str, of: str | None, how: str, as_json: bool, *, baseline: str, **options: Any
) -> None:
    """Print an analysis of a store by name; options are those of ``alcore.report.asked.Asked``."""
    from alcore import plugins
    from alcore.report import analysis, tables
    from alcore.report.asked import Asked
    from alcore.report.facts import directed
    from alcore.stats import question

    registry, records = plugins.loaded().registry, store.records()
    asked = directed(question(registry, records, metric, of), store, registry, records)
    shown = analysis.SHOWS[name](Asked(store, registry, records, asked, baseline, **options))
    if as_json:
        head = {"show": name, "metric": metric, "of": asked.of, "baseline": baseline, "missing": options["missing"]}
        print_json(head | store.to_json() | dict(shown.data) | {"notes": [*shown.notes, *store.notes]})
        return
    for position, sheet in enumerate(shown.sheets):
        if position:
            click.echo()
        if how == "markdown":
            click.echo(f"{sheet.title}\n")
        click.echo(tables.render(sheet.lines, how, sheet.labels))  # type: ignore[arg-type]
    for note in (*shown.notes, *store.notes):
        click.echo(note, err=how != "markdown")


def show_means(
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
    selection: Selected | None = None,
) -> None:
    """Print a table of records; ``params`` are the metric's, ``selection`` tells what of the store is left out."""
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
    left_out = selection.notes if selection else []
    cells = table(scored, down, across)
    if as_json:
        listed = tables.to_json(cells, down, across)
        if asked.spec.scope == "comparison":  # all runs of a strategy share its score: there is no spread
            listed = [cell | {"sd": None} for cell in listed]
        head = {"metric": metric, "of": asked.of} | (selection.to_json() if selection else {})
        print_json(head | {"cells": listed, "notes": [*words(scored), *left_out]})
        return
    text = tables.render(tables.lines(cells, down, digits=digits, sd=sd), how, len(down))  # type: ignore[arg-type]
    if how == "markdown":
        click.echo(f"Mean {asked.title}\n")
    click.echo(text)
    for note in [*tables.notes(cells), *words(scored), *left_out]:
        click.echo(note, err=how != "markdown")
