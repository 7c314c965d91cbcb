"""``alcore check``: the conformance suite on one strategy, learner or metric."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from alcore.cli.common import as_json, print_json
from alcore.errors import InputError


def _parameter(text: str) -> tuple[str, Any]:
    """Return a parameter's name and value; what is no TOML value is a string, as shells take quotes away."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InputError(f"--param {text!r} has no value; write --param {text}=VALUE.")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


@click.command("check")
@click.argument("name")
@click.option("--kind", type=click.Choice(["strategy", "learner", "metric"]), help="If the name is of several kinds.")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="A parameter, its value as in TOML.")
@click.option("--learner", help="The query learner of a strategy, by name; by default a toy that has every level.")
@click.option("--file", "files", multiple=True, type=click.Path(path_type=Path), help="A Python file that defines it.")
@as_json
def command(
    name: str, kind: Any, params: tuple[str, ...], learner: str | None, files: tuple[Path, ...], as_json: bool
) -> None:
    """Check the strategy, learner or metric NAME against its contract; exit with 1 if a check fails."""
    from alcore import plugins, testing

    registry = plugins.with_files(plugins.loaded(), files)
    estimator = registry.build("learner", learner) if learner else None
    given = dict(_parameter(text) for text in params)
    report = testing.check(name, kind=kind, registry=registry, params=given, learner=estimator)
    if as_json:
        print_json(report.to_json())
    else:
        click.echo(str(report))
    if not report.ok:
        raise SystemExit(1)
