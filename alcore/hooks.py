"""The hooks of alcore. A plugin is a module that implements some of them and says ``alcore_api = 1``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import click

API = 1
"""The version of the hooks below. A plugin states the one it was written for as ``alcore_api``."""

PROJECT = "alcore"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def alcore_strategies() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return strategies: decorated functions or classes, or ``StrategySpec``."""


@hookspec
def alcore_learners() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return learners: ``LearnerSpec``."""


@hookspec
def alcore_metrics() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return metrics: decorated functions, or ``MetricSpec``."""


@hookspec
def alcore_datasets() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return data sets: ``DatasetSpec``."""


@hookspec
def alcore_stop_rules() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return stop rules: ``StopRuleSpec``."""


@hookspec
def alcore_selectors() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return selectors, which find the best of many models with few labels: ``SelectorSpec``."""


@hookspec
def alcore_presets() -> Iterable[Any]:  # type: ignore[empty-body]
    """Return presets of experiments: ``PresetSpec``."""


@hookspec
def alcore_commands(cli: click.Group) -> None:
    """Add commands to the command line: ``cli.add_command(...)``."""


@hookspec
def alcore_report_sections(results: Any) -> Iterable[Any]:  # type: ignore[empty-body]
    """Return sections for the report: pairs of a title and HTML, or of a title and a function that makes it.

    Of a section whose function raises, its title stays with the reason below. What the hook itself raises stands under
    ``alcore_title`` of the plugin's module.
    """
