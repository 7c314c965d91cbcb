"""``alcore status``: runs by status, with reasons."""

from __future__ import annotations

from pathlib import Path

import click

from alcore.cli.common import as_json, doubts_of, print_doubts, print_json, print_table, store_argument


@click.command("status")
@store_argument
@as_json
def command(store: Path, as_json: bool) -> None:
    """Show the runs of a STORE by status, and why those ended that did not complete."""
    from alcore.store import Store

    opened = Store(store)
    runs = opened.runs()
    doubted = doubts_of(opened, runs)
    counts = {str(status): int(count) for status, count in runs["status"].value_counts().items()}
    if as_json:
        print_json({"store": str(store), "counts": counts, "doubts": doubted, "runs": runs.to_dict("records")})
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
    print_doubts(doubted)
    if incomplete:
        print_table("Not completed", ["status", "dataset", "learner", "strategy", "reason", "runs"], incomplete)
