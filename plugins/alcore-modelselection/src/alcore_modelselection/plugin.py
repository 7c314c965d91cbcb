"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from alcore.hooks import hookimpl
from alcore.spec import SelectorSpec, Spec

if TYPE_CHECKING:
    import click

alcore_api = 1
HERE = "alcore_modelselection"
EVERY_LOSS = frozenset({"accuracy", "balanced-accuracy", "cost"})


@hookimpl
def alcore_selectors() -> Iterable[Spec]:
    """Return CODA and the selectors that it is compared with."""
    return [
        SelectorSpec(
            name="coda",
            summary="Confusion matrices from the models' consensus; asks the label that tells most about which is best",
            make=f"{HERE}.coda.selector:Coda",
            source="Kay et al., Consensus-Driven Active Model Selection, ICCV 2025",
            losses=EVERY_LOSS,
            posterior=True,
        ),
        SelectorSpec(
            name="model-selector",
            summary="A posterior over models with one error rate; asks the label that is expected to sharpen it most",
            make=f"{HERE}.selectors.model_selector:ModelSelector",
            source="Okanovic et al., All models are wrong, some are useful: Model selection with limited labels, 2025",
            posterior=True,
        ),
        SelectorSpec(
            name="active-testing",
            summary="Draws rows by their expected loss under the ensemble; unbiased risks by LURE",
            make=f"{HERE}.selectors.risk:ActiveTesting",
            source="Kossen et al., Active Testing: Sample-Efficient Model Evaluation, ICML 2021",
            losses=EVERY_LOSS,
            stochastic=True,
        ),
        SelectorSpec(
            name="vma",
            summary="Draws rows by how much the models' losses are expected to differ there; unbiased risks by LURE",
            make=f"{HERE}.selectors.risk:Vma",
            source="Matsuura and Hara, Active Model Selection: A Variance Minimization Approach, 2023",
            losses=EVERY_LOSS,
            stochastic=True,
        ),
        SelectorSpec(
            name="uncertainty",
            summary="Asks the rows whose mean prediction over all models has the largest entropy",
            make=f"{HERE}.selectors.risk:Uncertainty",
            source="Dagan and Engelson, Committee-Based Sampling for Training Probabilistic Classifiers, ICML 1995",
            losses=EVERY_LOSS,
        ),
        SelectorSpec(
            name="random",
            summary="Asks any row, each equally likely",
            make=f"{HERE}.selectors.risk:Random",
            losses=EVERY_LOSS,
            stochastic=True,
        ),
    ]


@hookimpl
def alcore_commands(cli: click.Group) -> None:
    """Add ``select-model``, and the tables of CODA to ``reproduce``."""
    import click

    from alcore_modelselection.cli.reproduce import COMMANDS
    from alcore_modelselection.cli.select_model import command

    cli.add_command(command)
    commands = {one.name: one for one in COMMANDS if one.name}
    cli.add_command(click.Group("reproduce", commands, help="Repeat published results."))
