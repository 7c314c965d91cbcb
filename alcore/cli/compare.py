"""``alcore compare``: how often strategies agree, round by round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, print_json, print_table

if TYPE_CHECKING:
    from alcore.agreement import Agreement


@click.command("compare")
@click.argument("dataset")
@click.option("--strategies", required=True, help="Names, by commas; the first one's rows are labelled.")
@click.option("--learner", default="logistic-regression", show_default=True, help="The query learner.")
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True)
@click.option("--batch", type=click.IntRange(1), default=1, show_default=True)
@click.option("--start", type=click.IntRange(1), default=20, show_default=True, help="Rows labelled before.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--ties", type=click.Choice(["first", "random", "exact"]), default="first", show_default=True)
@as_json
def command(
    dataset: str,
    strategies: str,
    learner: str,
    rounds: int,
    batch: int,
    start: int,
    seed: int,
    ties: Any,
    as_json: bool,
) -> None:
    """Run strategies in lock step on one labelled set of DATASET, and say how often each two of them agree."""
    from alcore import agreement, plugins
    from alcore.engine import ArrayOracle
    from alcore.errors import InputError
    from alcore.pairing import refuse
    from alcore.pool import Pool
    from alcore.splits import start_set
    from alcore.types import Task

    registry = plugins.loaded().registry
    names = [name.strip() for name in strategies.split(",") if name.strip()]
    if len(set(names)) != len(names):
        raise InputError("--strategies has a name twice.")
    data = registry.build("dataset", dataset)
    task, classes = Task(data.task), tuple(data.classes or ())
    pool = Pool(data.X, task, classes)
    recipe = registry.learner(learner, task)
    for name in names:
        refuse(registry, registry.entry("strategy", name).spec.given({}), recipe, pool, batch=batch)
    rows = start_set(data.codes, len(classes), task, method="random", size=start, need_all=False, seed=seed)
    found = agreement.compare(
        pool,
        ArrayOracle(data.codes),
        {name: registry.build("strategy", name) for name in names},
        recipe,
        start=rows,
        rounds=rounds,
        batch=batch,
        seed=seed,
        ties=ties,
    )
    if as_json:
        print_json(_json(found, dataset=dataset, learner=learner, lead=names[0]))
    else:
        _print(found, f"{dataset}, {learner}, {len(found.asked[names[0]])} rounds of {batch}, labelled: {names[0]}")


def _json(found: Agreement, **about: Any) -> dict[str, Any]:
    pairs = [
        {
            "a": pair.a,
            "b": pair.b,
            "rounds": pair.rounds,
            "same": _number(pair.same),
            "overlap": _number(pair.overlap),
            "rank_correlation": _number(pair.rank_correlation),
        }
        for pair in found.pairs
    ]
    asked = {name: [rows.tolist() for rows in batches] for name, batches in found.asked.items()}
    return about | {"pairs": pairs, "asked": asked, "failed": dict(found.failed)}


def _print(found: Agreement, title: str) -> None:
    def text(value: float) -> str:
        return "-" if math.isnan(value) else f"{value:.3f}"

    rows = [[pair.a, pair.b, text(pair.same), text(pair.overlap), text(pair.rank_correlation)] for pair in found.pairs]
    click.echo(title)
    print_table("", ["strategy", "strategy", "same rows", "overlap", "rank correlation"], rows)
    for name, reason in found.failed.items():
        click.echo(f"{name} stopped after {len(found.asked[name])} rounds: {reason}")


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
