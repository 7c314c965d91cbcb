"""How many threads BLAS and OpenMP may use: one, unless told.

Runs are what is parallel: many small fits are slower on many threads, twenty times so on a busy machine, and threads
change the last digits of sums, which can change the rows that are asked for.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Self

from alcore.errors import InputError

_LOCK = threading.Lock()


class _Process:
    """The libraries that are loaded, and who limits their threads; BLAS libraries have one limit per process."""

    def __init__(self) -> None:
        self.modules = -1
        self.controller: Any = None
        self.users = 0
        self.threads: int | None = None
        self.before: list[Any] = []

    def current(self) -> Any:
        """Return the controller of the libraries loaded by now; looking for them takes longer than a fit."""
        if self.stale:
            from threadpoolctl import ThreadpoolController

            self.controller, self.modules = ThreadpoolController(), len(sys.modules)
        return self.controller

    @property
    def stale(self) -> bool:
        """Whether something has been imported since, which may have loaded a library."""
        return self.modules != len(sys.modules)


_PROCESS = _Process()


class limited:  # noqa: N801 - a context manager, used as a function
    """Use so many BLAS/OpenMP threads inside, and afterwards as many as before; None changes nothing.

    Where several Python threads are inside at once, BLAS libraries get their limit back when the last one leaves.
    """

    def __init__(self, threads: int | None = 1) -> None:
        self.threads = threads
        self.openmp: list[Any] = []

    def __enter__(self) -> Self:
        if self.threads is not None:
            with _LOCK:
                _PROCESS.users += 1
                if _PROCESS.users == 1:
                    _PROCESS.threads = self.threads
                self._limit(first=_PROCESS.users == 1 or _PROCESS.stale)
        return self

    def renew(self) -> None:
        """Limit libraries too that were loaded inside."""
        if self.threads is not None and _PROCESS.stale:
            with _LOCK:
                self._limit(first=True)

    def _limit(self, *, first: bool) -> None:
        controller = _PROCESS.current()
        self.openmp.append(controller.limit(limits=self.threads, user_api="openmp"))
        if first or self.threads != _PROCESS.threads:
            blas = controller.limit(limits=self.threads, user_api="blas")
            _PROCESS.before += [blas] if first else []

    def __exit__(self, *error: object) -> None:
        if self.threads is None:
            return
        with _LOCK:
            while self.openmp:
                self.openmp.pop().restore_original_limits()
            _PROCESS.users -= 1
            while _PROCESS.before and not _PROCESS.users:
                _PROCESS.before.pop().restore_original_limits()
            if _PROCESS.users and self.threads != _PROCESS.threads:
                _PROCESS.current().limit(limits=_PROCESS.threads, user_api="blas")


def checked(threads: Any) -> int | None:
    """Return an argument ``threads`` if it is None or a whole number of 1 or more; else raise InputError."""
    if threads is None or (isinstance(threads, int) and not isinstance(threads, bool) and threads >= 1):
        return threads
    raise InputError(f"threads is {threads!r}; give a whole number of 1 or more, or None to change nothing.")
