"""``alcore run``: run an experiment, or what is left of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from alcore.cli.common import as_json, doubts_of, print_doubts, print_json

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from alcore.experiment import Experiment
    from alcore.results import Run
    from alcore.runner import Progress


@click.command("run")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--store", type=click.Path(path_type=Path), help="Where results go; by default results/NAME.")
@click.option("--jobs", type=click.IntRange(1), help="Worker processes; by default one per core.")
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler.")
@click.option("--dry-run", is_flag=True, help="Check the experiment and say what would be run.")
@click.option("--retry", type=click.Choice(["failed", "timeout", "skipped"]), multiple=True, help="Run these again.")
@click.option("--quiet", is_flag=True, help="No progress display.")
@as_json
def command(
    experiment: Path,
    store: Path | None,
    jobs: int | None,
    dask: str | None,
    dry_run: bool,
    retry: tuple[str, ...],
    quiet: bool,
    as_json: bool,
) -> None:
    """Run an EXPERIMENT.toml: whatever is not in the store yet. Call it again to go on after an interruption."""
    from alcore import experiment as experiments
    from alcore import plugins
    from alcore.cli.progress import shown
    from alcore.plan import plan
    from alcore.runner import run_experiment
    from alcore.store import Store
    from alcore.types import Status

    loaded = experiments.load(experiment, plugins.loaded())
    folder = store or Path("results") / loaded.name
    runs = plan(loaded, plugins.with_files(plugins.loaded(), loaded.plugins))
    if dry_run:
        _dry(loaded, runs, folder, as_json)
        return
    results = Store(folder, create=True)
    results.save_note("experiment.toml", experiment.read_text(encoding="utf8"))
    try:
        with _executor(dask) as executor, shown(quiet or as_json) as watch:
            again = [Status(status) for status in retry]
            done = run_experiment(loaded, results, runs=runs, jobs=jobs, executor=executor, retry=again, watch=watch)
    except KeyboardInterrupt:
        click.echo(f"Stopped. What has been done is in {folder}; the same command goes on from there.", err=True)
        raise SystemExit(130) from None
    _finish(loaded, results, runs, done, as_json)


def _dry(experiment: Experiment, runs: list[Run], folder: Path, as_json: bool) -> None:
    from alcore.store import Store

    have = Store.ids_at(folder)
    missing = [run for run in runs if run.id not in have]
    if as_json:
        listed = [{"run": run.id, "done": run.id in have} | run.names for run in runs]
        print_json({"store": str(folder), "runs": listed})
        return
    click.echo(
        f"{experiment.name}: {len(experiment.datasets)} data sets x {len(experiment.learners)} learners x "
        f"{len(experiment.strategies)} strategies x {len(experiment.seeds)} seeds, less what is excluded, are "
        f"{len(runs)} runs; {len(runs) - len(missing)} are in {folder}, {len(missing)} would be run."
    )


@contextmanager
def _executor(dask: str | None) -> Iterator[Executor | None]:
    if dask is None:
        yield None
        return
    from alcore.errors import InputError, UnavailableError

    try:
        from distributed import Client
    except ImportError as error:
        raise UnavailableError("--dask needs the package 'distributed': pip install 'alcore[dask]'") from error
    try:
        client = Client(dask, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot reach a Dask scheduler at {dask!r}: {error}. Start one with: dask scheduler"
        ) from error
    with client:
        yield client.get_executor(pure=False)


def _finish(experiment: Experiment, store: Any, runs: list[Run], done: Progress, as_json: bool) -> None:
    """Say where the results are, and show the table and the picture."""
    from alcore.cli.table import show_means
    from alcore.report.curves import draw_curves
    from alcore.stats import recorded

    records = store.records({run.id for run in runs})
    counts = {str(k): int(v) for k, v in records.drop_duplicates("run")["status"].value_counts().items()}
    picture = store.path.parent / f"{store.path.name}.svg"
    computed = done.total - done.reused
    complete = records[records["status"] == "completed"]
    if len(complete) and (computed or not picture.exists()):
        draw_curves(records, recorded(records)[0], picture)
    if as_json:
        about = {"computed": computed, "reused": done.reused, "counts": counts}
        print_json({"store": str(store.path), "picture": str(picture) if picture.exists() else None} | about)
    else:
        if computed:
            click.echo(f"{computed} runs computed, {done.reused} were there before.")
        else:
            click.echo(f"Everything is done: all {done.total} runs are in the store, nothing was computed.")
        for name, params in [(ref.name, ref.params) for ref in experiment.metrics.curve] or [("aubc", {})]:
            click.echo("")
            show_means(records, name, params=params)
        click.echo(f"\nResults: {store.path}  ({', '.join(f'{v} {k}' for k, v in counts.items())})")
        if picture.exists():
            click.echo(f"Curves:  {picture}")
    if not as_json:
        known = store.runs()
        print_doubts(doubts_of(store, known[known["run"].isin([run.id for run in runs])]))
    if counts.get("failed"):
        click.echo(f"{counts['failed']} runs failed; see why: alcore status {store.path}", err=True)
        raise SystemExit(1)
