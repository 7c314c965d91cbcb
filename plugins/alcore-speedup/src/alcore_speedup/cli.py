"""``alcore speed-up``: how many labels a strategy saves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, print_json, print_table
from alcore.errors import InputError

if TYPE_CHECKING:
    from alcore.selection import Selected
    from alcore_speedup.evaluation import Companions
    from alcore_speedup.factor import Factors
    from alcore_speedup.setup import Setup


@click.command("speed-up")
@click.argument("curves", type=click.Path(path_type=Path))
@click.option("--baseline", default="random", show_default=True, help="What strategies are compared with.")
@click.option(
    "--ceiling",
    help="Performance with all labels: a number, 'final' (the last values), 'estimate', or 'train' (fit a store's "
    "learner to the whole pool). By default that of the curves which exhausted their pool.",
)
@click.option("--of", help="A store's round metric; by default the first recorded.")
@click.option("--function", type=click.Choice(["p1", "p2"]), help="The approximation; by default the better one.")
@click.option("--draws", type=click.IntRange(0), default=1000, show_default=True, help="Bootstrap draws of the seeds.")
@click.option("--level", type=click.FloatRange(0, 1, True, True), default=0.95, show_default=True, help="Of intervals.")
@click.option("--interval", type=click.Choice(["t", "percentile"]), default="t", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option("--force", is_flag=True, help="Give factors that are refused, too; the reason stays.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw fits, and all metrics over the stop budget.")
@click.option("--times", type=click.Path(path_type=Path), help="Draw a store's processing times per strategy.")
@click.option("--protocol", metavar="N|ID", help="Which protocol of a store; by default the latest.")
@as_json
def command(
    curves: Path, baseline: str, ceiling: str | None, of: str | None, function: Any, draws: int, level: float,
    interval: Any, seed: int, force: bool, figure: Path | None, times: Path | None, protocol: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show which fraction of the baseline's labels each strategy needs for the same performance.

    CURVES is a CSV or Parquet file with columns strategy, seed, labels and value (and dataset, learner), a store, or
    an experiment that has been run.
    """
    from alcore_speedup import files
    from alcore_speedup.evaluation import companions
    from alcore_speedup.factor import speed_up

    store = files.open_store(curves, protocol) if files.is_store(curves) else None
    if store is None and protocol is not None:
        raise InputError(f"--protocol is for stores; {curves} is a table of curves.")
    setups = files.read(curves, of) if store is None else files.of_store(store, of)
    for note in store.notes if store is not None else ():
        click.echo(note, err=True)
    given = _ceilings(ceiling, curves, store, setups)
    settings = {"function": function, "draws": draws, "level": level, "interval": interval, "seed": seed}
    found = [
        speed_up(setup, baseline, ceiling=one, force=force, **settings)
        for setup, one in zip(setups, given, strict=True)
    ]
    others = [companions(one) for one in found]
    drawn = [] if figure is None else _draw(found, figure)
    drawn += [] if times is None else [_draw_times(curves, store, times)]
    if as_json:
        print_json(_to_json(found, others, baseline))
        return
    for number, (one, companion) in enumerate(zip(found, others, strict=True)):
        click.echo("\n" if number else "", nl=False)
        _print(one, companion, level)
    for path in drawn:
        click.echo(f"Drawn: {path}")


def _ceilings(text: str | None, curves: Path, store: Selected | None, setups: Sequence[Setup]) -> list[Any]:
    """Return the ceiling of every setup."""
    from alcore_speedup import files

    if text == "train":
        if store is None:
            raise InputError(f"--ceiling train needs a store, which knows its learners and data; {curves} is a table.")
        trained = files.trained_ceilings(store, setups[0].names["metric"])
        return [trained[setup.names["setup"]] for setup in setups]
    if text in (None, "final", "estimate"):
        return [text] * len(setups)
    try:
        number = float(str(text))
    except ValueError:
        raise InputError(f"--ceiling is {text!r}; give a number, 'final', 'estimate' or 'train'.") from None
    return [number] * len(setups)


def _to_json(found: Sequence[Factors], others: Sequence[dict[str, Companions]], baseline: str) -> dict[str, Any]:
    from alcore_speedup.evaluation import row

    rows = [
        row(one, factor, by_name[factor.strategy])
        for one, by_name in zip(found, others, strict=True)
        for factor in one.others
    ]
    setups = [
        dict(one.setup.names)
        | {
            "function": one.function,
            "ceiling": one.ceiling.a_inf if one.ceiling else None,
            "ceiling_source": one.ceiling.source if one.ceiling else None,
            "p_0": one.p_0,
            "baseline": one[baseline].to_json(),
        }
        for one in found
    ]
    return {"baseline": baseline, "rows": rows, "setups": setups}


def _print(found: Factors, others: dict[str, Companions], level: float) -> None:
    names = [str(value) for key, value in found.setup.names.items() if key != "setup"]
    head = ", ".join([*names, f"{len(found.setup.seeds)} seeds"])
    how = "no fit" if found.function is None or found.ceiling is None else (
        f"{found.function}, ceiling {found.ceiling.a_inf:.4g} ({found.ceiling.source})"
    )  # fmt: skip
    columns = ["strategy", "S", f"{100 * level:g} % interval", "gain", "connected", "S fixed", "AULC ratio", "LC mean",
               "cut-points p"]  # fmt: skip
    rows = []
    for one in found.factors:
        mine, cut = others[one.strategy], others[one.strategy].cut_points
        spread = "" if one.interval is None or one.strategy == found.baseline else (
            f"{one.interval[0]:.3f} to {one.interval[1]:.3f}"
        )  # fmt: skip
        p_value = "" if one.strategy == found.baseline else _shown(cut.p_value)
        rows.append(
            [one.strategy, _shown(one.speed_up) + ("*" if one.reason else ""), spread, _shown(one.gain),
             _shown(mine.connected.mean), _shown(mine.fixed), _shown(mine.aulc_ratio), _shown(mine.lc_mean), p_value]
        )  # fmt: skip
    click.echo(f"Speed-up over {found.baseline}: {head}; {how}")
    print_table("", columns, rows)
    why = {
        one.reason: [other.strategy for other in found.factors if other.reason == one.reason] for one in found.factors
    }
    for reason, strategies in why.items():
        if reason is not None:
            click.echo(f"* {', '.join(strategies)}: {reason}")


def _shown(value: float) -> str:
    return f"{value:.3f}" if value == value else "-"


def _draw(found: Sequence[Factors], figure: Path) -> list[Path]:
    from alcore_speedup.figures import draw

    several = len(found) > 1
    paths = []
    for number, one in enumerate(found, start=1):
        path = figure.with_name(f"{figure.stem}-{number}{figure.suffix}") if several else figure
        paths.append(draw(one, path))
    return paths


def _draw_times(curves: Path, store: Selected | None, path: Path) -> Path:
    from alcore_speedup.times import draw_times

    if store is None:
        raise InputError(f"--times needs a store, which knows how long queries took; {curves} is a table.")
    return draw_times(store, path)
