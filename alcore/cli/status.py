"""``alcore status``: runs by status, with reasons; protocols, and versions that differ."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import (
    as_json,
    doubts_of,
    open_selected,
    print_doubts,
    print_json,
    print_table,
    protocol_option,
    store_argument,
)
from alcore.errors import DamagedError, DamagedWarning

if TYPE_CHECKING:
    from alcore.selection import Selected
    from alcore.store import Damaged


@click.command("status")
@store_argument
@protocol_option
@as_json
def command(store: Path, protocol: str | None, as_json: bool) -> None:
    """Show the runs of a STORE by status, why those ended that did not complete, and files that are damaged.

    They are those of one protocol; what others there are is listed, and where versions or revisions differ.
    """
    from alcore.store import Store

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedWarning)  # all of them are listed below
        try:
            opened = open_selected(store, protocol)
        except DamagedError:  # nothing is whole
            _tell_damaged(store, Store(store).damaged(), as_json)
            return
    runs, damaged = opened.runs(), opened.damaged()
    doubted = doubts_of(opened, runs)
    counts = {str(status): int(count) for status, count in runs["status"].value_counts().items()}
    changed = _changed(opened)
    if as_json:
        protocols = [one.to_json() for one in opened.protocols]
        beside = {"protocols": protocols, "notes": opened.notes, "doubts": doubted, **changed, **_listed(damaged)}
        print_json(
            {"store": str(store), "counts": counts} | opened.to_json() | beside | {"runs": runs.to_dict("records")}
        )
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
    _print_beside(opened, changed)
    if damaged:
        _show(store, damaged)


def _changed(store: Selected) -> dict[str, list[dict[str, Any]]]:
    """Return versions that differ within a store or from what is installed, and revisions that are not those here."""
    from alcore import plugins
    from alcore.parts import installed
    from alcore.selection import recorded_revisions, recorded_versions

    versions = []
    for package, recorded in recorded_versions(store).items():
        here = installed(package)
        hashed = any(version.startswith("sha256:") for version in recorded)  # a loose file
        if not hashed and (len(recorded) > 1 or here not in (*recorded, "unknown")):
            versions.append({"package": package, "recorded": recorded, "installed": here})
    revisions = []
    for part, revision in recorded_revisions(store).items():
        kind, _, name = part.partition(" ")
        entry = plugins.loaded().registry.get(kind, name)  # type: ignore[arg-type]
        if entry is not None and str(entry.revision) != revision:
            revisions.append({"part": part, "recorded": revision, "installed": str(entry.revision)})
    return {"versions": versions, "revisions": revisions}


def _print_beside(store: Selected, changed: dict[str, list[dict[str, Any]]]) -> None:
    for one in changed["revisions"]:
        click.echo(
            f"{one['part']} has revision {one['installed']} here and {one['recorded']} in the store: alcore run makes "
            "its runs anew."
        )
    if changed["versions"]:
        rows = [
            [one["package"], ", ".join(f"{v} ({n} runs)" for v, n in one["recorded"].items()), one["installed"]]
            for one in changed["versions"]
        ]
        click.echo('Versions differ, which is shown only; nothing is run again for it, unless reuse = "exact".')
        print_table("", ["package", "recorded", "installed"], rows)
    if len(store.protocols) > 1:
        rows = [
            [
                f"{one.number}{' (shown)' if one.number == store.protocol.number else ''}", one.id, str(len(one.runs)),
                ", ".join(f"{key} = {value}" for key, value in one.differs.items()),
            ]
            for one in store.protocols
        ]  # fmt: skip
        print_table("Protocols", ["protocol", "id", "runs", "differs in"], rows)
    for note in store.notes:
        click.echo(note)


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
