"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from alcore.hooks import hookimpl
from alcore.spec import LearnerSpec, Spec
from alcore.types import Level, Task

if TYPE_CHECKING:
    import click

alcore_api = 1
alcore_title = "Speed-up factors"


@hookimpl
def alcore_metrics() -> Iterable[Any]:
    """Return the speed-up factor and the metrics that it is compared with."""
    from alcore_speedup.metrics import METRICS

    return METRICS


@hookimpl
def alcore_learners() -> Iterable[Spec]:
    """Return the layer of the paper's experiments on tables."""
    return [
        LearnerSpec(
            name="linear-layer",
            summary="One fully connected layer, logistic or softmax outputs",
            make="alcore_speedup.layer:LinearLayer",
            tasks=frozenset({Task.CLASSIFICATION, Task.MULTILABEL}),
            levels=frozenset({Level.PROBA, Level.DECISION, Level.EMBEDDING, Level.HIDDEN, Level.DRAWS}),
            sparse=False,
            per_label=False,
        )
    ]


@hookimpl
def alcore_commands(cli: click.Group) -> None:
    """Add ``speed-up``."""
    from alcore_speedup.cli import command

    cli.add_command(command)


@hookimpl
def alcore_report_sections(results: Any) -> Iterable[Any]:
    """Return the factors of a store's setups as a section of its report."""
    from alcore_speedup.report import sections

    return sections(results)
