"""Runs an experiment: what is not in the store yet goes to worker processes, or to any executor.

By default each run has a process of a pool to itself, with one BLAS/OpenMP thread and, if the experiment sets a limit,
a hard one: a run that is stuck in native code is stopped with its process, and its curve so far is kept.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from alcore import plugins
from alcore.errors import InputError
from alcore.execute import Source, execute
from alcore.experiment import Experiment
from alcore.plan import plan
from alcore.results import Result, Run, canonical
from alcore.selection import note_plan
from alcore.store import Store
from alcore.types import Status

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
    refuse_worker(executor, "run_experiment")
    with store.locked():
        files = experiment.plugins
        runs = runs or plan(experiment, plugins.with_files(plugins.loaded(), files))
        note_plan(store, runs)
        work = Work(store, files, experiment.limits.seconds, experiment.limits.retries)
        return work.run(runs, jobs=jobs, executor=executor, retry=retry, watch=watch)


def refuse_worker(executor: Executor | None, what: str) -> None:
    """Raise InputError where worker processes would be started by a worker process."""
    if executor is None and multiprocessing.parent_process() is not None:
        raise InputError(
            f"{what} was called in a worker process, which imports the script that started it. Call it under "
            'if __name__ == "__main__": in that script.'
        )


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
    """

    store: Store
    files: Sequence[Path]
    limit: float | None
    retries: int
    follow: Mapping[str, Source] = field(default_factory=dict)

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
            ended = self.on_executor(missing, executor) if executor else self.on_processes(missing, jobs)
            for run, result in ended:
                # One that could not be followed to its end is not what a run of its own would be: it is not kept.
                if run.id not in self.follow or result.status is not Status.SKIPPED:
                    store.write(run, result, metrics)
                progress.ended[result.status] += 1
                watch(progress, run, result)
        return progress

    def on_executor(self, runs: Sequence[Run], executor: Executor) -> Iterator[tuple[Run, Result]]:
        """Yield each run with its result as it ends."""

        def submit(run: Run) -> Future[Result]:
            return executor.submit(execute, run, self.files, time_limit=self.limit, follow=self.follow.get(run.id))

        futures = {submit(run): run for run in runs}
        try:
            yield from self._collected(futures, submit)
        finally:
            for future in futures:
                future.cancel()

    def on_processes(self, runs: Sequence[Run], jobs: int | None) -> Iterator[tuple[Run, Result]]:
        """Yield each run with its result as it ends; a run that overstays its limit is stopped with its process."""
        from pebble import ProcessPool

        jobs = min(jobs or _cores(), len(runs))
        hard = None if self.limit is None else self.limit + GRACE
        # A fresh interpreter per worker: one that is forked inherits the locks of threads it does not have.
        context = multiprocessing.get_context("spawn")
        roles = {run.id: ("task",) if run.id in self.follow else ("query", "task") for run in runs}
        learners = {canonical(one): one for run in runs for one in _learners(run, roles[run.id])}
        ready = partial(_initialize, self.files, list(learners.values()))
        with _interruptible(ProcessPool(max_workers=jobs, context=context, initializer=ready)) as pool:

            def submit(run: Run) -> Future[Result]:
                task = partial(_in_worker, run, self.files, self.store.path, self.limit, self.follow.get(run.id))
                future: Future[Result] = pool.schedule(task, timeout=hard)
                return future

            yield from self._collected({submit(run): run for run in runs}, submit)

    def _collected(
        self, futures: dict[Future[Result], Run], submit: Callable[[Run], Future[Result]]
    ) -> Iterator[tuple[Run, Result]]:
        tries = dict.fromkeys((run.id for run in futures.values()), 0)
        while futures:
            ready, _ = concurrent.futures.wait(futures, return_when=FIRST_COMPLETED)
            for future in ready:
                run = futures.pop(future)
                tries[run.id] += 1
                result = self._result(run, future, last=tries[run.id] > self.retries)
                if result is None:
                    futures[submit(run)] = run
                else:
                    yield run, result

    def _result(self, run: Run, future: Future[Result], *, last: bool) -> Result | None:
        """Return how a run ended, or None if it is worth another try."""
        from pebble import ProcessExpired

        try:
            return future.result()
        except TimeoutError:
            records = self.store.progress(run)
            after = f"after round {records[-1].t}" if records else "before the first round"
            reason = f"limit of {self.limit:g} s passed {after}; the process was stopped"
            return Result(Status.TIMEOUT, reason, records, seconds=(self.limit or 0.0) + GRACE)
        except (ProcessExpired, concurrent.futures.BrokenExecutor) as error:
            # The process died under the run: killed for its memory, or a crash in native code.
            if not last:
                return None
            code = getattr(error, "exitcode", None)
            reason = (
                f"the worker process died{'' if code is None else f' (exit code {code})'}; out of memory, or a crash"
            )
            return Result(Status.FAILED, reason, self.store.progress(run))


@contextmanager
def _interruptible(pool: Any) -> Iterator[Any]:
    """Close the pool when all is done, and stop its workers at once when not."""
    try:
        yield pool
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _learners(run: Run, roles: Sequence[str]) -> list[Mapping[str, Any]]:
    return [run.config["learner"][role] for role in roles]


def _initialize(files: Sequence[Path], learners: Sequence[Mapping[str, Any]]) -> None:
    """Get a worker ready: one thread for libraries loaded from here on, and the learners' libraries imported.

    Importing them takes seconds that no run should pay for, least of all one with a limit.
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))
    registry = plugins.with_files(plugins.loaded(), files)
    for one in learners:
        registry.build("learner", one["name"], **one["params"])


def _in_worker(
    run: Run, files: Sequence[Path], path: Path, limit: float | None, follow: Source | None = None
) -> Result:
    """Execute a run in a worker of this machine: with a journal, and from where an interrupted one stopped."""
    store = Store(path)
    with store.journal(run) as journal:
        journal.begin(run)
        return execute(run, files, time_limit=limit, replay=store.progress(run), keep=journal.add, follow=follow)
