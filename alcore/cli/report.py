"""``alcore report``: one offline page, and figures for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from alcore.cli.common import as_json, open_selected, print_json, protocol_option, store_argument


@click.command("report")
@store_argument
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The page; by default STORE.html.")
@click.option("--metric", default="aubc", show_default=True, help="What ranks and tables are of, as in alcore table.")
@click.option("--of", default=None, help="The round metric whose curves are shown; by default the first recorded.")
@click.option("--baseline", default="random", show_default=True, help="What strategies are compared with.")
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
@click.option("--figures", type=click.Path(path_type=Path), metavar="DIR", help="Write figures there instead.")
@click.option("--format", "how", type=click.Choice(["svg", "pdf", "png"]), default="svg", show_default=True)
@protocol_option
@as_json
def command(
    store: Path,
    output: Path | None,
    metric: str,
    of: str | None,
    baseline: str,
    figures: Path | None,
    how: str,
    protocol: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write a report of a STORE: one HTML page that needs no network; or figures, one file each."""
    from alcore import plugins
    from alcore.report.asked import Asked
    from alcore.report.facts import directed
    from alcore.report.page import render
    from alcore.stats import question

    opened, loaded = open_selected(store, protocol), plugins.loaded()
    records = opened.records()
    asked = directed(question(loaded.registry, records, metric, of), opened, loaded.registry, records)
    asking = Asked(opened, loaded.registry, records, asked, baseline, **options)
    written: list[Path] = []
    if figures is not None:
        from alcore.report.figures import draw_figures

        written += draw_figures(asking, figures, how)
    if output is not None or figures is None:
        page = output or store.parent / f"{store.resolve().name}.html"
        page.write_text(render(asking, loaded), encoding="utf8")
        written.append(page)
    if as_json:
        print_json({"store": str(store), "written": [str(path) for path in written]} | opened.to_json())
    else:
        for path in written:
            click.echo(f"{path}  ({path.stat().st_size / 1000:.0f} kB)")
    for note in opened.notes:
        click.echo(note, err=True)
