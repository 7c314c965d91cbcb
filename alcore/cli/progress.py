"""Shows how far an experiment is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from alcore.results import Result, Run
from alcore.runner import Progress, Watcher
from alcore.types import Status

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


def describe(progress: Progress) -> str:
    """Return what else there is to say of the runs done: how many failed, timed out, were skipped."""
    ended = progress.ended
    parts = [f"{ended[status]} {status}" for status in (Status.FAILED, Status.TIMEOUT, Status.SKIPPED) if ended[status]]
    return ", ".join(parts) or "no failures"


class Clock:
    """Estimates the time left from the runs that have ended in this call."""

    def __init__(self) -> None:
        self.began = monotonic()

    def left(self, progress: Progress) -> float | None:
        """Return the seconds left, or None before the first run has ended."""
        computed = progress.done - progress.reused
        return (monotonic() - self.began) / computed * progress.left if computed else None


def clock_text(seconds: float | None) -> str:
    """Return a duration as people read it."""
    if seconds is None:
        return "time left unknown"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min left" if hours else f"{minutes}:{rest:02d} left"


@contextmanager
def shown(quiet: bool) -> Iterator[Watcher | None]:
    """Yield what the runner tells after each run."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield None
    elif console.is_terminal:
        with _bar(console) as watcher:
            yield watcher
    else:
        yield _Lines()


class _Lines:
    def __init__(self) -> None:
        self.clock, self.last = Clock(), monotonic()

    def __call__(self, progress: Progress, run: Run | None, result: Result | None) -> None:
        if progress.left and monotonic() - self.last < EVERY:
            return
        self.last = monotonic()
        text = f"{progress.done} of {progress.total} runs done, {clock_text(self.clock.left(progress))}"
        if progress.done > progress.reused:
            print(f"{text}, {describe(progress)}", file=sys.stderr, flush=True)


@contextmanager
def _bar(console: object) -> Iterator[Watcher]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    clock = Clock()
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("runs, {task.fields[left]}, {task.fields[ended]}"))
    with Bar(*columns, console=console, transient=True) as bar:  # type: ignore[arg-type]
        task = bar.add_task("runs", total=None, left=clock_text(None), ended="no failures")

        def watch(progress: Progress, _run: Run | None, _result: Result | None) -> None:
            left, ended = clock_text(clock.left(progress)), describe(progress)
            bar.update(task, total=progress.total, completed=progress.done, left=left, ended=ended)

        yield watch
