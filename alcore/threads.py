"""How many threads BLAS and OpenMP may use: one, unless told.

Runs are what is parallel: many small fits are slower on many threads, twenty times so on a busy machine, and threads
change the last digits of sums, which can change the rows that are asked for.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any, Self

from alcore.errors import InputError

_LOCK = threading.Lock()


class _Process:
    """The libraries that are loaded, and who limits their threads; BLAS libraries have one limit per process."""

    def __init__(self) -> None:
        self.modules = -1
        self.libraries: dict[str, Sequence[Any]] = {}
        self.users = 0
        self.before: dict[str, tuple[Any, int]] = {}

    @property
    def stale(self) -> bool:
        """Whether something has been imported since, which may have loaded a library."""
        return self.modules != len(sys.modules)

    def look(self) -> None:
        """Find the libraries that are loaded by now, which takes longer than a fit."""
        if self.stale:
            from threadpoolctl import ThreadpoolController

            found, self.modules = ThreadpoolController(), len(sys.modules)
            self.libraries = {api: found.select(user_api=api).lib_controllers for api in ("blas", "openmp")}

    def limit(self, threads: int | None) -> None:
        """Limit BLAS libraries, and note what was before the first limit."""
        for library in self.libraries["blas"]:
            self.before.setdefault(library.filepath, (library, library.get_num_threads()))
            library.set_num_threads(threads)

    def settle(self) -> None:
        """Set back what was, if nobody is inside any more."""
        if not self.users:
            for library, threads in self.before.values():
                library.set_num_threads(threads)
            self.before.clear()
        for library in self.libraries["blas"]:
            # Newer versions let only the first thread set limits; the last one to leave is to set them back.
            getattr(library, "clear_controlling_thread", _nothing)()


def _nothing() -> None:
    """Do nothing."""


_PROCESS = _Process()
_THREAD = threading.local()


class limited:  # noqa: N801 - a context manager, used as a function
    """Use so many BLAS/OpenMP threads inside, and afterwards as many as before; None changes nothing.

    Where several Python threads are inside at once, BLAS libraries get their limit back when the last one leaves.
    """

    def __init__(self, threads: int | None = 1) -> None:
        self.threads = threads
        self.openmp: dict[str, tuple[Any, int]] = {}
        self.outer: int | None = None
        self.idle = threads is None

    def __enter__(self) -> Self:
        self.outer = getattr(_THREAD, "threads", None)
        self.idle = self.threads is None or (self.outer == self.threads and not _PROCESS.stale)
        if not self.idle:
            with _LOCK:
                _PROCESS.users += 1
                self._limit()
            _THREAD.threads = self.threads
        return self

    def renew(self) -> None:
        """Limit libraries too that were loaded inside."""
        if not self.idle and _PROCESS.stale:
            with _LOCK:
                self._limit()

    def _limit(self) -> None:
        _PROCESS.look()
        _PROCESS.limit(self.threads)
        for library in _PROCESS.libraries["openmp"]:  # each Python thread has a limit of its own
            self.openmp.setdefault(library.filepath, (library, library.get_num_threads()))
            library.set_num_threads(self.threads)

    def __exit__(self, *error: object) -> None:
        if self.idle:
            return
        with _LOCK:
            _THREAD.threads = self.outer
            for library, threads in self.openmp.values():
                library.set_num_threads(threads)
            self.openmp.clear()
            _PROCESS.users -= 1
            if self.outer is not None and self.outer != self.threads:
                _PROCESS.limit(self.outer)
            _PROCESS.settle()


def checked(threads: Any) -> int | None:
    """Return an argument ``threads`` if it is None or a whole number of 1 or more; else raise InputError."""
    if threads is None or (isinstance(threads, int) and not isinstance(threads, bool) and threads >= 1):
        return threads
    raise InputError(f"threads is {threads!r}; give a whole number of 1 or more, or None to change nothing.")
