"""``alcore plugins``: what is loaded, what failed and why."""

from __future__ import annotations

from dataclasses import asdict

import click

from alcore.cli.common import as_json, print_json, print_table


@click.command("plugins")
@as_json
def command(as_json: bool) -> None:
    """Show every plugin: loaded, failed or blocked, and why."""
    from alcore import plugins

    reports = plugins.loaded().reports
    if as_json:
        print_json({"plugins": [asdict(report) for report in reports]})
        return
    rows = [
        [
            report.entry,
            f"{report.dist} {report.version}",
            report.state.value,
            report.reason or ", ".join(f"{len(names)} {kind}" for kind, names in report.provides.items()),
        ]
        for report in reports
    ]
    print_table("Plugins", ["name", "distribution", "state", "provides, or why not"], rows)
