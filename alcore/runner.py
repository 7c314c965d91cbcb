"""Runs an experiment: what is not in the store yet goes to worker processes, or to any executor.

By default each run has a worker process to itself, with one BLAS/OpenMP thread and, if the experiment sets limits, hard
ones: a run that is stuck in native code is stopped with its process, and its curve so far is kept. A worker that a run
has changed for the next one is replaced.
"""

from __future__ import annotations

import concurrent.futures
import os
import warnings
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from alcore import plugins
from alcore.errors import StorageError, described
from alcore.execute import Source, execute
from alcore.experiment import Experiment, size_text
from alcore.output import warn_of
from alcore.plan import plan
from alcore.protocols import Record
from alcore.reasons import in_words, settled
from alcore.results import Result, Run
from alcore.selection import note_plan
from alcore.store import Store
from alcore.types import Status
from alcore.workers import Answer, Died, End, Outgrew, Overstayed, Task, Workers, refuse_daemon

GRACE = 1.0
"""Seconds beyond its limit after which a run's process is stopped; before that the run can end by itself."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass
class Progress:
    """How far an experiment is. ``total`` counts all its runs; ``reused`` were in the store before."""

    total: int
    reused: int = 0
    ended: dict[Status, int] = field(default_factory=lambda: dict.fromkeys(Status, 0))

    @property
    def done(self) -> int:
        """Runs that have ended, reused ones included."""
        return self.reused + sum(self.ended.values())

    @property
    def left(self) -> int:
        """Runs still to come."""
        return self.total - self.done


class Watcher(Protocol):
    """Told after each run."""

    def __call__(self, progress: Progress, run: Run | None, result: Result | None, /) -> None:
        """Take note; run and result are None for the first call, before any run."""
        ...


def run_experiment(
    experiment: Experiment,
    store: Store,
    *,
    runs: Sequence[Run] | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    retry: Collection[Status] = (),
    watch: Watcher | None = None,
) -> Progress:
    """Run what is not in the store yet.

    Parameters
    ----------
    experiment, store
        The results of a run do not depend on what else is in the experiment, nor on workers and their order.
    runs : sequence of Run or None
        What the experiment was planned to be, if it has been planned already.
    jobs : int or None
        Worker processes; None takes one per core.
    executor : concurrent.futures.Executor or None
        Used instead of worker processes: threads, a cluster. It cannot stop a run, so that the time limit holds
        between rounds only, and an interrupted run begins anew.
    retry : statuses
        Runs that ended so are run again.
    watch : Watcher or None

    Raises
    ------
    ExperimentError
        If the experiment cannot be planned.
    InputError
        If another process writes to the store.
    """
    if executor is None:
        refuse_daemon("run_experiment")
    limits = experiment.limits
    if executor is not None and limits.memory is not None:
        warnings.warn("limits.memory holds in worker processes of alcore's own, not on an executor.", stacklevel=2)
    with store.locked():
        runs = runs or plan(experiment, plugins.with_files(plugins.loaded(), experiment.plugins))
        note_plan(store, runs)
        work = Work(store, experiment.plugins, limits.seconds, limits.retries, memory=limits.memory)
        return work.run(runs, jobs=jobs, executor=executor, retry=retry, watch=watch)


def _nobody(_progress: Progress, _run: Run | None, _result: Result | None) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Work:
    """Runs to do into a store that the caller holds, and how.

    Parameters
    ----------
    store, files : where results go; paths of plugin files
    limit, retries : seconds per run; how often a run is tried again when its process dies
    follow : by run id, the run whose rows it follows instead of asking its strategy
    memory : bytes of memory per run
    """

    store: Store
    files: Sequence[Path]
    limit: float | None
    retries: int
    follow: Mapping[str, Source] = field(default_factory=dict)
    memory: int | None = None

    def __post_init__(self) -> None:
        # A run may change its working directory; what it does there must not move the experiment.
        object.__setattr__(self, "store", Store(self.store.path.absolute()))
        object.__setattr__(self, "files", [Path(file).absolute() for file in self.files])

    def run(
        self,
        runs: Sequence[Run],
        *,
        jobs: int | None,
        executor: Executor | None,
        retry: Collection[Status],
        watch: Watcher | None,
    ) -> Progress:
        """Run what is not in the store yet, as ``run_experiment`` describes it."""
        store, watch = self.store, watch or _nobody
        have = store.ids()
        again = {run.id for run in runs if retry and run.id in have and store.about(run.id)["status"] in retry}
        missing = [run for run in runs if run.id not in have or run.id in again]
        metrics = list(dict.fromkeys(metric["label"] for run in runs for metric in run.config["metrics"]))
        progress = Progress(len(runs), reused=len(runs) - len(missing))
        watch(progress, None, None)
        if missing:
            # Closed at once, whatever ends it here: a generator that waits to be collected keeps its workers.
            with closing(
                self.on_executor(missing, executor) if executor else self.on_processes(missing, jobs)
            ) as ended:
                for run, result in ended:
                    # One that could not be followed to its end is not what a run of its own would be: it is not kept.
                    if run.id not in self.follow or result.status is not Status.SKIPPED:
                        store.write(run, settled(store.path, run.id, result), metrics)
                    progress.ended[result.status] += 1
                    watch(progress, run, result)
        return progress

    def on_executor(self, runs: Sequence[Run], executor: Executor) -> Generator[tuple[Run, Result], None, None]:
        """Yield each run with its result as it ends."""

        def submit(run: Run) -> Future[Result]:
            return executor.submit(execute, run, self.files, time_limit=self.limit, follow=self.follow.get(run.id))

        futures = {submit(run): run for run in runs}
        try:
            yield from self._collected(futures, submit)
        finally:
            for future in futures:
                future.cancel()

    def on_processes(self, runs: Sequence[Run], jobs: int | None) -> Generator[tuple[Run, Result], None, None]:
        """Yield each run with its result as it ends; one that passes a limit is stopped with its process."""
        by_id, tries = {run.id: run for run in runs}, dict.fromkeys((run.id for run in runs), 0)
        hard = None if self.limit is None else self.limit + GRACE
        workers = Workers(
            min(jobs or _cores(), len(runs)), _ready, hard, self.memory, deque(self._task(run) for run in runs)
        )
        with closing(workers.ended()) as ended:
            for task, end in ended:
                run = by_id[task.key]
                tries[run.id] += 1
                if isinstance(end, Died) and tries[run.id] <= self.retries:
                    workers.waiting.append(task)
                    continue
                for name in getattr(end, "printed", ()):
                    warn_of(name)
                yield run, self._ended(run, end)

    def _task(self, run: Run) -> Task:
        follow = self.follow.get(run.id)
        learners = [run.config["learner"][role] for role in (("task",) if follow else ("query", "task"))]
        return Task(
            run.id,
            partial(_import, self.files, learners),
            partial(_in_worker, run, self.files, self.store.path, self.limit, follow),
        )

    def _ended(self, run: Run, end: End) -> Result:
        if isinstance(end, Answer):
            if isinstance(end.value, StorageError):  # the disk's fault, which is no run's: it ends the experiment
                raise end.value
            result: Result = end.value
            if end.changed:
                text = f"{in_words(end.changed)} changed during this run; its worker process was replaced"
                result = replace(result, warnings=[*result.warnings, f"SurroundingsWarning: {text}"])
            return result
        records = self.store.progress(run)
        after = f"after round {records[-1].t}" if records else "before the first round"
        if isinstance(end, Overstayed):
            reason = f"limit of {self.limit:g} s passed {after}; the process was stopped"
            return Result(Status.TIMEOUT, reason, records, seconds=(self.limit or 0.0) + GRACE)
        if isinstance(end, Outgrew):
            sizes = f"{size_text(end.memory)} in use, over limits.memory = {size_text(self.memory or 0)},"
            return Result(Status.FAILED, f"memory: {sizes} {after}; the process was stopped", records)
        # Killed from outside for its memory, a crash in native code, or it ended itself.
        code = "" if end.code is None else f" (exit code {end.code})"
        return Result(Status.FAILED, f"the worker process died{code} {after}; {_cause(end.code)}", records)

    def _collected(
        self, futures: dict[Future[Result], Run], submit: Callable[[Run], Future[Result]]
    ) -> Iterator[tuple[Run, Result]]:
        tries = dict.fromkeys((run.id for run in futures.values()), 0)
        while futures:
            ready, _ = concurrent.futures.wait(futures, return_when=FIRST_COMPLETED)
            for future in ready:
                run = futures.pop(future)
                tries[run.id] += 1
                error = future.exception()  # a KeyboardInterrupt here is one that the run has raised
                if error is None:
                    yield run, future.result()
                elif isinstance(error, StorageError):
                    raise error
                elif not isinstance(error, concurrent.futures.BrokenExecutor):
                    yield run, Result(Status.FAILED, described(error))
                elif tries[run.id] <= self.retries:
                    futures[submit(run)] = run
                else:
                    yield run, Result(Status.FAILED, f"the worker process died; {_cause(None)}")


def _cause(code: int | None) -> str:
    return "something in the run ended it" if code == 0 else "out of memory, or a crash"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _ready() -> None:
    """Get a worker ready: one thread for libraries loaded from here on, no window, and the plugins loaded."""
    os.environ.update(dict.fromkeys(THREADS, "1") | {"MPLBACKEND": "agg"})
    import_module("sklearn")  # every run needs it, and its configuration is among what is compared
    plugins.loaded()


def _import(files: Sequence[Path], learners: Sequence[Mapping[str, Any]]) -> None:
    """Import the learners' libraries, which takes seconds that no run should pay for, least of all one with a limit."""
    registry = plugins.with_files(plugins.loaded(), files)
    for one in learners:
        registry.build("learner", one["name"], **one["params"])


def _in_worker(
    run: Run, files: Sequence[Path], path: Path, limit: float | None, follow: Source | None = None
) -> Result | StorageError:
    """Execute a run in a worker of this machine: with a journal, and from where an interrupted one stopped.

    What the disk refuses is returned: raised, it would end the worker, and pass for a death that is the run's.
    """
    store, here = Store(path), os.getpid()
    try:
        with store.journal(run) as journal:

            def keep(record: Record) -> None:
                if os.getpid() != here:
                    os._exit(0)  # a child that the run has forked, and that goes on with it
                journal.add(record)

            journal.begin(run)
            return execute(run, files, time_limit=limit, replay=store.progress(run), keep=keep, follow=follow)
    except StorageError as error:
        return error
