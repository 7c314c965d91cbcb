"""Worker processes: each has one task at a time, a pipe of its own, and limits that the coordinator enforces.

Nothing is shared between workers, neither a queue nor a lock, so that one that dies, whatever its exit code, is stopped
or answers nonsense ends its own task alone. A worker that a task has changed for the next one is replaced.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from time import monotonic
from types import ModuleType
from typing import Any

from alcore.errors import AlcoreError, InputError

POLL = 0.1
"""Seconds between two looks at the workers; one that dies is noticed that late at most."""
FAMILY_EVERY = 10
"""Looks at a worker's memory per look at that of its own child processes, which takes longer."""
PATIENCE = 5.0
"""Seconds that a worker has to end by itself when it is not needed any more."""
STARTS = 3
"""Workers in a row that may die while they start."""
PREPARING = 120.0
"""Seconds in which libraries are to be imported where runs have a limit, which begins after that."""


@dataclass(frozen=True)
class Task:
    """What a worker does: ``prepare`` imports what ``run`` needs, outside of its time; both can be pickled."""

    key: str
    prepare: Callable[[], object]
    run: Callable[[], Any]


@dataclass(frozen=True)
class Answer:
    """What a task returned, who printed to standard output meanwhile, and what it changed in its process."""

    value: Any
    printed: Sequence[str] = ()
    changed: Sequence[str] = ()


@dataclass(frozen=True)
class Died:
    """The process of a task is gone: its exit code, if there is one."""

    code: int | None


@dataclass(frozen=True)
class Overstayed:
    """A task was stopped for its time."""


@dataclass(frozen=True)
class Outgrew:
    """A task was stopped for its memory, in bytes."""

    memory: int


End = Answer | Died | Overstayed | Outgrew


@dataclass
class _Worker:
    process: Any
    connection: Connection
    ready: bool = False
    task: Task | None = None
    done: int = 0
    deadline: float | None = None
    watched: Any = None


@dataclass
class Workers:
    """A number of worker processes.

    Parameters
    ----------
    jobs : how many at most
    start : called once in each
    seconds, memory : limits of one task; memory is the resident size of the process and its children, in bytes
    """

    jobs: int
    start: Callable[[], object]
    seconds: float | None = None
    memory: int | None = None
    waiting: deque[Task] = field(default_factory=deque)
    _workers: list[_Worker] = field(default_factory=list)
    _leaving: list[tuple[_Worker, float]] = field(default_factory=list)
    _failed_starts: int = 0
    _looks: int = 0

    def ended(self) -> Generator[tuple[Task, End], None, None]:
        """Yield tasks as they end, until none is waiting; more can be added meanwhile.

        Raises
        ------
        AlcoreError
            If workers die while they start.
        """
        try:
            while self.waiting or any(worker.task for worker in self._workers):
                self._hand_out()
                yield from self._looked()
            for worker in list(self._workers):
                self._dismiss(worker)
            self._see_off(PATIENCE)
        finally:
            for worker in [*self._workers, *(worker for worker, _ in self._leaving)]:
                _stop(worker)

    def _hand_out(self) -> None:
        busy = sum(worker.task is not None for worker in self._workers)
        while len(self._workers) < min(self.jobs, busy + len(self.waiting)):
            self._workers.append(_started(self.start))
        for worker in self._workers:
            if worker.ready and worker.task is None and self.waiting:
                task = self.waiting.popleft()
                worker.task = task
                worker.deadline = None if self.seconds is None else monotonic() + max(PREPARING, self.seconds)
                with suppress(OSError):  # it has died since: noticed at the next look
                    worker.connection.send(task)

    def _looked(self) -> Iterator[tuple[Task, End]]:
        """Yield what has ended by now, or nothing after a short while."""
        self._looks += 1
        talking = wait([worker.connection for worker in self._workers], timeout=POLL)
        for worker in list(self._workers):
            end: End | None = None
            if worker.connection in talking:
                end = self._heard(worker)
            if end is None:
                end = self._stopped(worker)
            if end is None:
                continue
            task, worker.task = worker.task, None
            worker.done += 1
            if not isinstance(end, Answer):
                self._workers.remove(worker)
                _stop(worker)
            elif end.changed:
                self._dismiss(worker)
            if task is None:
                self._failed_start(end)
            elif worker.done > 1 and isinstance(end, Died | Outgrew):
                self.waiting.appendleft(task)  # what an earlier task left behind may have done it: a worker of its own
            else:
                yield task, end
        self._see_off(0.0)

    def _heard(self, worker: _Worker) -> End | None:
        try:
            message = worker.connection.recv()
        except EOFError:
            worker.process.join(POLL)
            return Died(worker.process.exitcode)
        except Exception:  # noqa: BLE001 - what is no message can be anything
            return Died(None)
        if message == "ready":
            worker.ready, self._failed_starts = True, 0
        elif message == "begun":
            worker.deadline = None if self.seconds is None else monotonic() + self.seconds
        elif isinstance(message, Answer):
            worker.deadline = None
            return message
        return None

    def _stopped(self, worker: _Worker) -> End | None:
        """Return why a worker's task is over without an answer, if it is."""
        if not worker.process.is_alive():
            # The answer may have come between the two looks; a child of its own may hold the pipe open.
            if worker.task is not None and worker.connection.poll(0):
                return None
            return Died(worker.process.exitcode)
        if worker.task is None:
            return None
        if worker.deadline is not None and monotonic() > worker.deadline:
            return Overstayed()
        if self.memory is not None:
            size = _resident(worker, family=self._looks % FAMILY_EVERY == 0)
            if size > self.memory:
                return Outgrew(size)
        return None

    def _failed_start(self, end: End) -> None:
        self._failed_starts += 1
        if self._failed_starts >= STARTS:
            code = end.code if isinstance(end, Died) else None
            raise AlcoreError(
                f"{STARTS} worker processes in a row died while they started (exit code {code}): what they wrote is "
                "above. Try `alcore plugins`, which loads what they load, or give executor=."
            )

    def _dismiss(self, worker: _Worker) -> None:
        """Let an idle worker end by itself."""
        self._workers.remove(worker)
        self._leaving.append((worker, monotonic() + PATIENCE))
        with suppress(OSError):
            worker.connection.send(None)

    def _see_off(self, patience: float) -> None:
        """Stop those that had to end by now; wait for them so long."""
        until = monotonic() + patience
        for worker, deadline in list(self._leaving):
            worker.process.join(max(0.0, until - monotonic()))
            if not worker.process.is_alive() or monotonic() > deadline or patience:
                self._leaving.remove((worker, deadline))
                _stop(worker)


def refuse_daemon(what: str) -> None:
    """Raise InputError where no process can be started."""
    if multiprocessing.current_process().daemon:
        raise InputError(
            f"{what} was called in a daemonic process of multiprocessing, which may not start others; give executor=."
        )


def _started(start: Callable[[], object]) -> _Worker:
    # A fresh interpreter per worker: one that is forked inherits the locks of threads it does not have.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, start), name="alcore worker")
    with _without_main():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not import the caller's script: they need nothing of it, and running it again does harm.

    It may be a notebook, standard input, or a script that would start the experiment again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _family(worker: _Worker) -> list[Any]:
    import psutil

    with suppress(psutil.Error):
        found: list[Any] = psutil.Process(worker.process.pid).children(recursive=True)
        return found
    return []


def _resident(worker: _Worker, *, family: bool) -> int:
    import psutil

    size = 0
    with suppress(psutil.Error):
        worker.watched = worker.watched or psutil.Process(worker.process.pid)
        size = worker.watched.memory_info().rss
    for child in _family(worker) if family else ():
        with suppress(psutil.Error):
            size += child.memory_info().rss
    return size


def _stop(worker: _Worker) -> None:
    """End a process and those that it has started, whatever it does."""
    import psutil

    children = _family(worker)
    worker.process.kill()
    for child in children:
        with suppress(psutil.Error):
            child.kill()
    worker.process.join()
    worker.connection.close()


def _serve(connection: Connection, start: Callable[[], Any]) -> None:
    """Do tasks until there is none: what a worker process runs."""
    from alcore import output
    from alcore.surroundings import Surroundings

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's: it stops the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    printed: list[str] = []
    output.descriptor_to_stderr()
    sys.stdout = output.Told(printed.append)
    start()
    here, before, modules = os.getpid(), Surroundings.now(), len(sys.modules)
    connection.send("ready")
    while isinstance(task := connection.recv(), Task):
        changed: list[str] = []
        with suppress(BaseException):  # the run itself meets what is wrong, and tells it
            task.prepare()
        if len(sys.modules) != modules:
            changed = before.after_imports()
            before, modules = Surroundings.now(), len(sys.modules)
        connection.send("begun")
        value = task.run()
        if os.getpid() != here:
            os._exit(0)  # a child that the task has forked, and that came back
        changed += before.settle()
        connection.send(Answer(value, tuple(printed), tuple(changed)))
        printed.clear()
        if changed:
            return


def _end_with_parent() -> None:
    """End when the coordinator is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
