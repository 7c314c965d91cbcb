"""``alcore rescore``: other task learners along recorded rows."""

from __future__ import annotations

import re
from pathlib import Path

import click

from alcore.cli.common import as_json, open_selected, print_json, protocol_option, store_argument


@click.command("rescore")
@store_argument
@click.option("--learners", default="", help='Task learners by commas: labels in the store, or "knn(n_neighbors=3)".')
@click.option("--metrics", default="", help="Round metrics by commas, in place of those recorded; needs -o.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Store for the results; by default the same.")
@click.option("--plugin", "files", type=click.Path(path_type=Path), multiple=True, help="A plugin file of the runs.")
@click.option("--jobs", type=click.IntRange(1), help="Worker processes; by default one per core.")
@click.option("--dry-run", is_flag=True, help="Say what would be scored.")
@click.option("--retry", type=click.Choice(["failed"]), multiple=True, help="Score these again.")
@click.option("--quiet", is_flag=True, help="No progress display.")
@protocol_option
@as_json
def command(
    store: Path,
    learners: str,
    metrics: str,
    output: Path | None,
    files: tuple[Path, ...],
    jobs: int | None,
    dry_run: bool,
    retry: tuple[str, ...],
    quiet: bool,
    protocol: str | None,
    as_json: bool,
) -> None:
    """Fit and score task learners along the rows that the runs of a STORE recorded, without asking a strategy again."""
    from alcore import plugins
    from alcore.cli.progress import shown
    from alcore.errors import InputError
    from alcore.rescore import plan_rescore, rescore
    from alcore.store import Store
    from alcore.types import Status

    source = open_selected(store, protocol)
    if metrics and (output is None or output.resolve() == store.resolve()):
        raise InputError("runs with other metrics are other runs of the same names; give them a store: -o NEW.")
    registry = plugins.with_files(plugins.loaded(), files)
    plan = plan_rescore(source, registry, _split(learners), _split(metrics))
    folder = output or store
    if dry_run:
        have = Store.ids_at(folder)
        there = sum(run.id in have for run in plan.runs)
        _say(as_json, folder, len(plan.runs) - there, there, plan.left_out, "would be scored")
        return
    target = Store(folder, create=True)
    try:
        with shown(quiet or as_json) as watch:
            again = [Status(status) for status in retry]
            done = rescore(plan, target, files=files, jobs=jobs, retry=again, watch=watch)
    except KeyboardInterrupt:
        click.echo(f"Stopped. What has been done is in {folder}; the same command goes on from there.", err=True)
        raise SystemExit(130) from None
    left_out = dict(plan.left_out)
    if done.ended[Status.SKIPPED]:
        left_out["a stop rule ended the recorded run before this task learner would end"] = done.ended[Status.SKIPPED]
    scored = done.total - done.reused - done.ended[Status.SKIPPED]
    _say(as_json, folder, scored, done.reused, left_out, "scored")
    if done.ended[Status.FAILED]:
        click.echo(f"{done.ended[Status.FAILED]} failed; see why: alcore status {folder}", err=True)
        raise SystemExit(1)


def _split(text: str) -> list[str]:
    """Return names by commas; those inside parentheses separate parameters."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


def _say(as_json: bool, folder: Path, scored: int, there: int, left_out: dict[str, int] | object, word: str) -> None:
    told = dict(left_out) if isinstance(left_out, dict) else {}
    if as_json:
        print_json({"store": str(folder), "scored": scored, "reused": there, "left_out": told})
        return
    click.echo(f"{scored} runs {word}, {there} were in {folder} before.")
    for reason, count in told.items():
        click.echo(f"{count} left out: {reason}")
