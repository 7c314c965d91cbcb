"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from alcore.hooks import hookimpl
from alcore.spec import Spec
from alcore_benchmark import datasets, learners, presets
from alcore_benchmark.uniform import uniform_published

if TYPE_CHECKING:
    import click

alcore_api = 1


@hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return the published baseline."""
    return [uniform_published]


@hookimpl
def alcore_datasets() -> Iterable[Spec]:
    """Return the 40 data sets."""
    return datasets.specs()


@hookimpl
def alcore_learners() -> Iterable[Spec]:
    """Return the learners that tune themselves."""
    return learners.specs()


@hookimpl
def alcore_presets() -> Iterable[Spec]:
    """Return the protocols."""
    return presets.specs()


@hookimpl
def alcore_commands(cli: click.Group) -> None:
    """Add ``alcore reproduce`` for the tables, and ``alcore download``."""
    from alcore_benchmark import commands

    commands.add(cli)
