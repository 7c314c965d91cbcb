"""``alcore repair``: set damaged files aside."""

from __future__ import annotations

from pathlib import Path

import click

from alcore.cli.common import as_json, print_json, print_table, store_argument


@click.command("repair")
@store_argument
@click.option("--yes", is_flag=True, help="Do it; else they are only listed.")
@as_json
def command(store: Path, yes: bool, as_json: bool) -> None:
    """Set the damaged files of a STORE aside, so that ``alcore run`` does their runs again. Nothing is deleted."""
    from alcore.store import ASIDE, Store

    opened = Store(store)
    if yes:
        with opened.locked():  # a journal that is being written, or a file that is being replaced, is no damage
            damaged = opened.damaged()
            moved = opened.set_aside(damaged) if damaged else []
    else:
        damaged, moved = opened.damaged(), []
    if as_json:
        listed = [{"file": str(one.file), "why": one.why} for one in damaged]
        print_json({"store": str(store), "damaged": listed, "set_aside": [str(path) for path in moved]})
        return
    if not damaged:
        click.echo(f"{store}: nothing is damaged.")
        return
    print_table("Damaged", ["file", "why"], [[str(one.file.relative_to(store)), one.why] for one in damaged])
    if yes:
        click.echo(f"Moved to {store / ASIDE}. `alcore run` does the runs again that are missing now.")
    else:
        click.echo(f"Nothing was done. To move these into {store / ASIDE}: alcore repair {store} --yes")
