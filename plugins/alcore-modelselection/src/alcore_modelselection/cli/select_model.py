"""``alcore select-model``: find the best of many models, with a person who labels or in simulation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from alcore.errors import InputError

if TYPE_CHECKING:
    from alcore_modelselection.losses import LossLike
    from alcore_modelselection.predictions import Predictions


@click.command("select-model")
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--method", default="coda", show_default=True, help="A selector; see: alcore list selectors.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the method; repeatable.")
@click.option("--loss", default="accuracy", show_default=True, help="accuracy, balanced-accuracy, or a CSV of costs.")
@click.option("--labels", help="The column of true labels in a table, or an .npy file of them.")
@click.option("--ignore", multiple=True, metavar="COLUMN", help="A column of a table that is no model; repeatable.")
@click.option("--model", "models", multiple=True, metavar="COLUMN", help="A model; without, all other columns are.")
@click.option("--separator", default=",", show_default=True, help="What divides the fields of a CSV.")
@click.option("--normalise", is_flag=True, help="Divide rows of probabilities by their sum.")
@click.option("--seed", default=0, show_default=True, help="The seed of all that is random.")
@click.option("--simulate", is_flag=True, help="Take the labels from the file instead of asking.")
@click.option("--unsupervised", is_flag=True, help="Ask nothing: select by each method that needs no label.")
@click.option("--steps", default=100, show_default=True, type=click.IntRange(min=0), help="Labels to ask for.")
@click.option("--state", type=click.Path(path_type=Path), help="Where labels are kept; beside PREDICTIONS by default.")
@click.option("--restart", is_flag=True, help="Begin anew where a state is kept already.")
@click.option("--show", type=click.Path(path_type=Path), help="A CSV or text file whose row i says what row i is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    predictions: Path,
    method: str,
    settings: tuple[str, ...],
    loss: str,
    labels: str | None,
    ignore: tuple[str, ...],
    models: tuple[str, ...],
    separator: str,
    normalise: bool,
    seed: int,
    simulate: bool,
    unsupervised: bool,
    steps: int,
    state: Path | None,
    restart: bool,
    show: Path | None,
    as_json: bool,
) -> None:
    """Find the best of many models from their PREDICTIONS, with as few labels as possible.

    PREDICTIONS is an npz, npy, CSV or Parquet file. Without --simulate, you are asked for the label of one row at a
    time; what you say is kept after each answer, and the same command goes on where you stopped.
    """
    from alcore_modelselection.cli.interactive import Dialogue
    from alcore_modelselection.files import read_predictions
    from alcore_modelselection.simulation import simulate as run

    params = _params(settings)
    given = read_predictions(
        predictions, labels=labels, ignore=ignore, models=models, separator=separator, normalise=normalise
    )
    target = _loss(loss)
    if unsupervised:
        _print_unsupervised(given, as_json)
        return
    if simulate:
        _print_trace(given, run(given, method, steps=steps, seed=seed, loss=target, params=params), as_json)
        return
    kept = state or predictions.with_name(f"{predictions.stem}.{method}.json")
    one = _selection(given, method, params, target, seed, kept, restart)
    Dialogue(one, kept, _lines(show), as_json).run(steps)


def _selection(
    given: Predictions, method: str, params: dict[str, Any], loss: LossLike, seed: int, kept: Path, restart: bool
) -> Any:
    from alcore_modelselection.selection import Selection

    fresh = Selection(given, method, seed=seed, loss=loss, params=params)
    if restart or not kept.exists():
        return fresh
    resumed = Selection.resume(kept, given)
    asked = (fresh.method, fresh.params, fresh.seed, fresh.loss.name, fresh.loss.costs.tolist())
    if asked != (resumed.method, resumed.params, resumed.seed, resumed.loss.name, resumed.loss.costs.tolist()):
        raise InputError(
            f"{kept} keeps a selection with other settings: method {resumed.method}, parameters {resumed.params}, "
            f"seed {resumed.seed}, loss {resumed.loss.name}. Repeat those, give another --state, or --restart."
        )
    click.echo(f"Resumed {kept}: {len(resumed.labeled)} rows are labelled.", err=True)
    return resumed


def _params(settings: tuple[str, ...]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set {text!r} is no setting; write NAME=VALUE.")
        try:
            params[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            params[name.replace("-", "_")] = value  # a word
    return params


def _loss(loss: str) -> LossLike:
    if not loss.endswith(".csv"):
        return loss
    try:
        costs: LossLike = np.loadtxt(loss, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise InputError(f"--loss {loss}: {error}; give a CSV of C rows and C numbers, without a header.") from None
    return costs


def _lines(show: Path | None) -> list[str]:
    if show is None:
        return []
    if not show.is_file():
        raise InputError(f"there is no file {show}.")
    if show.suffix != ".csv":
        return show.read_text(encoding="utf-8").splitlines()
    import pandas as pd

    frame = pd.read_csv(show)
    return [", ".join(f"{c}: {v}" for c, v in zip(frame.columns, row, strict=True)) for row in frame.to_numpy()]


def _print_trace(given: Predictions, trace: Any, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(trace.to_json() | {"models": list(given.models)}))
        return
    from alcore.cli.common import print_table

    for notice in trace.notices:
        click.echo(notice, err=True)
    total = trace.cumulative_regret
    shown = sorted({t for t in (1, 2, 5, 10, 20, 30, 50, 70, 100, len(trace.chosen)) if 1 <= t <= len(trace.chosen)})
    rows = [["0", given.models[trace.best[0]], f"{100 * trace.regret[0]:.2f}", ""]]
    rows += [
        [str(t), given.models[trace.best[t]], f"{100 * trace.regret[t]:.2f}", f"{100 * total[t - 1]:.2f}"]
        for t in shown
    ]
    print_table("Selected model by number of labels", ["labels", "model", "regret x 100", "cumulative x 100"], rows)


def _print_unsupervised(given: Predictions, as_json: bool) -> None:
    """Print which model each method selects, and its regret where the labels are known."""
    from alcore.cli.common import print_table
    from alcore_modelselection.unsupervised import select, step0_regret

    known = given.labels is not None and bool((given.labels >= 0).all())
    regrets = step0_regret(given) if known else {}
    rows: list[dict[str, Any]] = [
        {"method": name, "best": k, "regret": regrets.get(name)} for name, k in select(given).items()
    ]
    if as_json:
        click.echo(json.dumps({"rows": rows, "models": list(given.models)}))
        return
    shown = [
        [
            str(row["method"]),
            "needs probabilities" if row["best"] is None else given.models[row["best"]],
            "" if row["regret"] is None else f"{100 * row['regret']:.2f}",
        ]
        for row in rows
    ]
    print_table("Selected model without labels", ["method", "model", "regret x 100"], shown)
