"""``alcore list``: what there is, from whom, and whether it can be used here."""

from __future__ import annotations

from typing import Any

import click

from alcore.cli.common import as_json, print_groups, print_json
from alcore.registry import KINDS, plural
from alcore.spec import GROUPS

PLURALS = {plural(kind): kind for kind in KINDS}


@click.command("list")
@click.argument("what", type=click.Choice(list(PLURALS)))
@as_json
def command(what: str, as_json: bool) -> None:
    """List strategies, learners, metrics, datasets, stop-rules or selectors."""
    from alcore import plugins

    entries = [entry.to_json() for entry in plugins.loaded().registry.entries(PLURALS[what])]
    if as_json:
        print_json({what: entries})
        return
    print_groups(what.capitalize(), ["name", "summary", "traits", "from"], _grouped(what, entries))


def _grouped(what: str, entries: list[dict[str, Any]]) -> dict[str, list[list[str]]]:
    """Return the rows of the table by group: strategies by family, plain names first; all else in one group."""
    groups: dict[str, list[list[str]]] = {group: [] for group in GROUPS} if what == "strategies" else {}
    for e in sorted(entries, key=lambda e: what == "strategies" and "." in e["name"]):
        row = [e["name"], e["summary"], _traits(what, e), f"{e['distribution']} {e['version']}"]
        groups.setdefault(e.get("group") or ("other" if what == "strategies" else ""), []).append(row)
    return {group: rows for group, rows in groups.items() if rows}


def _traits(what: str, entry: dict[str, Any]) -> str:
    """Return what one looks for first: the needs of a strategy, the levels of a learner, the size of a data set."""
    if entry["reason"]:
        return f"unavailable: {entry['reason']}"
    if what == "strategies":
        needs = " and ".join(need.replace("|", " or ") for need in entry["needs"])
        flags = [name for name in ("stateful", "stochastic", "truth") if entry[name]]
        classes = [f"{entry['max_classes']} classes"] if entry["max_classes"] else []
        growth = [] if entry["growth"] == "linear" else [entry["growth"]]
        return ", ".join(([f"needs {needs}"] if needs else []) + classes + flags + growth)
    if what == "learners":
        return ", ".join([*entry["tasks"], *entry["levels"]])
    if what == "metrics":
        return ", ".join([entry["scope"], *([] if len(entry["tasks"]) == 3 else entry["tasks"])])
    if what == "datasets":
        size = f"{entry['rows']} x {entry['features']}" if entry["rows"] and entry["features"] else ""
        known = f"{entry['classes']} classes" if entry["classes"] else ""
        return ", ".join(part for part in (entry["task"], size, known) if part)
    if what == "selectors":
        return ", ".join([*entry["losses"], *(name for name in ("posterior", "stochastic") if entry[name])])
    return ""
