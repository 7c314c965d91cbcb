"""``alcore check``: the conformance suite on one strategy, learner or metric."""

from __future__ import annotations

from typing import Any

import click

from alcore.cli.common import as_json, print_json


@click.command("check")
@click.argument("name")
@click.option("--kind", type=click.Choice(["strategy", "learner", "metric"]), help="If the name is of several kinds.")
@as_json
def command(name: str, kind: Any, as_json: bool) -> None:
    """Check the strategy, learner or metric NAME against its contract; exit with 1 if a check fails."""
    from alcore import testing

    report = testing.check(name, kind=kind)
    if as_json:
        print_json(report.to_json())
    else:
        click.echo(str(report))
    if not report.ok:
        raise SystemExit(1)
