"""``alcore status``: runs by status, with reasons."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, print_json, print_table, store_argument
from alcore.errors import DamagedWarning

if TYPE_CHECKING:
    from alcore.store import Damaged


@click.command("status")
@store_argument
@as_json
def command(store: Path, as_json: bool) -> None:
    """Show the runs of a STORE by status, why those ended that did not complete, and files that are damaged."""
    from alcore.store import Store

    opened = Store(store)
    damaged = opened.damaged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedWarning)  # all of them are listed below
        if damaged and not opened.ids():
            _tell_damaged(store, damaged, as_json)
            return
        runs = opened.runs()
    counts = {str(status): int(count) for status, count in runs["status"].value_counts().items()}
    if as_json:
        print_json({"store": str(store), "counts": counts, "runs": runs.to_dict("records")} | _listed(damaged))
        return
    grouped = runs.groupby(["status", "dataset", "learner", "strategy", "reason"], sort=False)
    incomplete = [
        [str(part) for part in key] + [str(len(group))]
        for key, group in grouped
        if isinstance(key, tuple) and key[0] != "completed"
    ]
    total = f"{len(runs)} run{'s' if len(runs) > 1 else ''}, "
    click.echo(f"{store}: {total}" + ", ".join(f"{count} {status}" for status, count in counts.items()))
    warned = int((runs["warnings"] > 0).sum())
    if warned:
        click.echo(f"{warned} of them warned; see --json, or alcore.Store({str(store)!r}).about(run).")
    if incomplete:
        print_table("Not completed", ["status", "dataset", "learner", "strategy", "reason", "runs"], incomplete)
    if damaged:
        _show(store, damaged)


def _listed(damaged: Sequence[Damaged]) -> dict[str, Any]:
    return {"damaged": [{"file": str(one.file), "why": one.why} for one in damaged]}


def _tell_damaged(store: Path, damaged: Sequence[Damaged], as_json: bool) -> None:
    """Tell of a store where nothing is whole."""
    if as_json:
        print_json({"store": str(store), "counts": {}, "runs": []} | _listed(damaged))
        return
    click.echo(f"{store}: 0 runs")
    _show(store, damaged)


def _show(store: Path, damaged: Sequence[Damaged]) -> None:
    n = len(damaged)
    click.echo(f"{n} damaged file{'s are' if n > 1 else ' is'} left out; to set aside: alcore repair {store} --yes")
    print_table("Damaged", ["file", "why"], [[str(one.file.relative_to(store)), one.why] for one in damaged])
