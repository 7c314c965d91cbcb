"""``alcore prune``: remove runs that later ones have superseded."""

from __future__ import annotations

from pathlib import Path

import click

from alcore.cli.common import as_json, open_selected, print_json, print_table, store_argument


@click.command("prune")
@store_argument
@click.option("--yes", is_flag=True, help="Remove them; without it they are listed only.")
@as_json
def command(store: Path, yes: bool, as_json: bool) -> None:
    """List the superseded runs of a STORE, and remove them with --yes.

    These are runs of another protocol than the latest, of an older revision of a part, or of what a label stood for
    before. A run of the last `alcore run` is never among them.
    """
    from alcore.selection import prune
    from alcore.store import Store

    selection = open_selected(store)
    gone = prune(Store(store)) if yes else sorted(selection.superseded)
    listed = selection.listed(gone)
    if as_json:
        print_json({"store": str(store), "removed": yes, "runs": listed})
        return
    if not gone:
        click.echo(f"{store}: no run is superseded.")
        return
    groups: dict[tuple[str, ...], int] = {}
    for one in listed:
        key = tuple(str(one[name]) for name in ("dataset", "learner", "strategy", "why"))
        groups[key] = groups.get(key, 0) + 1
    rows = [[*key, str(count)] for key, count in groups.items()]
    print_table("Removed" if yes else "Superseded", ["dataset", "learner", "strategy", "why", "runs"], rows)
    count = f"{len(gone)} run{'s' if len(gone) > 1 else ''}"
    click.echo(f"{count} removed from {store}." if yes else f"{count} of {store}; remove them with --yes.")
