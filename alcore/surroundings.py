"""What a run finds around it in its process, as far as a cheap look shows, so that no run changes it for another one.

What is looked at is what strategies are likely to change: directory, environment, error state, filters, random state,
signals, threads, limits of the interpreter, and the functions and classes of NumPy, scikit-learn and alcore. What is
not looked at: functions that are changed in place, the contents of other modules, files, and other processes.
"""

from __future__ import annotations

import faulthandler
import gc
import locale
import multiprocessing
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from operator import is_
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

MODULES = frozenset((
    "builtins", "math", "os", "random", "time", "numpy", "numpy.linalg", "numpy.random", "scipy.linalg", "scipy.sparse",
    "scipy.spatial.distance", "scipy.special", "scipy.stats", "sklearn.base", "sklearn.calibration", "sklearn.cluster",
    "sklearn.ensemble", "sklearn.gaussian_process", "sklearn.linear_model", "sklearn.metrics",
    "sklearn.metrics.pairwise", "sklearn.model_selection", "sklearn.naive_bayes", "sklearn.neighbors",
    "sklearn.neural_network", "sklearn.pipeline", "sklearn.preprocessing", "sklearn.svm", "sklearn.tree",
    "sklearn.utils", "sklearn.utils.validation",
))  # fmt: skip
"""Modules whose functions and classes are compared, besides those of alcore itself."""
LIBRARY_THREADS = ("joblib.", "concurrent.futures.")
"""Libraries keep threads of their own for the next call; these do nothing meanwhile."""


class Attributes:
    """What a module or a class has, and which of it is compared: what can be called, or is a method or property."""

    def __init__(self, owner: Any) -> None:
        here = vars(owner)
        self.names, self.values = list(here), list(here.values())
        methods = isinstance(owner, type)
        self.functions = {
            name: value
            for name, value in here.items()
            if (isinstance(value, FunctionType | property) if methods else callable(value))
        }
        values = () if methods else self.functions.values()
        self.classes = {value: None for value in values if isinstance(value, type) and _ours(value)}

    def same(self, owner: Any) -> bool:
        """Return whether each attribute is the very object that it was: no loop in Python, for there are thousands."""
        now = vars(owner)
        return list(now) == self.names and all(map(is_, now.values(), self.values))

    def changes(self, owner: Any) -> list[str]:
        """Return the names of what is another function now; what cannot be called, such as a cache, may change."""
        now = vars(owner)
        changed = [name for name, value in self.functions.items() if now.get(name) is not value]
        if isinstance(owner, type):  # a method that is added hides the one that was inherited
            changed += [
                name for name, value in now.items() if name not in self.functions and isinstance(value, FunctionType)
            ]
        return changed


_LAST: dict[Any, Attributes] = {}
"""The last look at modules and classes: nearly all of them are as they were, and need no second one."""


@dataclass(frozen=True)
class Surroundings:
    """A look at the process: values by name, and what modules and classes have."""

    values: Mapping[str, Any]
    functions: Mapping[Any, Attributes]

    @classmethod
    def now(cls) -> Surroundings:
        """Take a look."""
        return cls({name: look() for name, look in LOOKS.items()}, _functions())

    def changes(self) -> list[str]:
        """Return what has changed since, in words."""
        changed = [name for name, before in self.values.items() if not _unchanged(name, before)]
        for owner, before in self.functions.items():
            if not before.same(owner):
                changed += [f"{_name_of(owner)}.{name}" for name in before.changes(owner)]
            if isinstance(owner, ModuleType) and sys.modules.get(owner.__name__) is not owner:
                changed.append(f"sys.modules[{owner.__name__!r}]")
        return changed

    def after_imports(self) -> list[str]:
        """Return what has changed since, besides what importing a library may do."""
        changed, added = self.settle(), "the environment"
        if added in changed and self.values[added].items() <= LOOKS[added]().items():
            changed.remove(added)
        return [name for name in changed if name not in IMPORTS]

    def settle(self) -> list[str]:
        """Return what has changed since, less the random state, which is set back: nothing else follows from it."""
        changed = self.changes()
        drawn = [name for name in changed if name in RANDOM]
        self.restore(drawn)
        return [name for name in changed if name not in drawn]

    def restore(self, changed: list[str]) -> list[str]:
        """Set back what can be, of these changes; return what cannot."""
        left: list[str] = []
        owners = {} if not changed else {_name_of(owner): owner for owner in self.functions}
        for name in changed:
            owner, _, attribute = name.rpartition(".")
            if name in RESTORES:
                RESTORES[name](self.values[name])
            elif owner in owners and attribute in self.functions[owners[owner]].functions:
                setattr(owners[owner], attribute, self.functions[owners[owner]].functions[attribute])
            elif owner in owners:
                delattr(owners[owner], attribute)
            else:
                left.append(name)
        return left


class SurroundingsWarning(RuntimeWarning):
    """A run has changed something in its process."""


@contextmanager
def undisturbed(who: str) -> Iterator[None]:
    """Set back what changes inside, and warn of it by name.

    Not in a worker, which is replaced, and only in a main thread: what another thread finds changed may be the doing of
    a third.
    """
    if multiprocessing.parent_process() is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = Surroundings.now()
    try:
        yield
    finally:
        changed = before.after_imports()
        if changed:
            left = before.restore(changed)
            end = f"; {', '.join(left)} cannot be" if left else ""
            warnings.warn(
                f"{who}: {', '.join(changed)} changed inside, and was set back{end}", SurroundingsWarning, stacklevel=3
            )


def _unchanged(name: str, before: Any) -> bool:
    if before is None and name in LAZY:
        return True
    try:
        return _equal(before, LOOKS[name]())
    except Exception:  # noqa: BLE001 - where even looking fails, something has been changed
        return False


def _equal(before: Any, now: Any) -> bool:
    if isinstance(before, tuple) and isinstance(now, tuple):
        try:
            return before == now
        except ValueError:  # an array among them
            return len(before) == len(now) and all(_equal(a, b) for a, b in zip(before, now, strict=True))
    if isinstance(before, np.ndarray):
        return isinstance(now, np.ndarray) and np.array_equal(before, now)
    return before is now or bool(before == now)


def _functions() -> dict[Any, Attributes]:
    """Return modules, and the classes in them, with what they have."""
    looked: dict[Any, Attributes] = {}
    for name in _looked_at(tuple(sys.modules)):
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            looked[module] = _look(module)
            for kind in looked[module].classes:
                if kind not in looked:
                    looked[kind] = _look(kind)
    _LAST.clear()
    _LAST.update(looked)
    return looked


@lru_cache(maxsize=1)
def _looked_at(imported: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the imported modules are looked at."""
    return tuple(name for name in imported if name in MODULES or name.startswith("alcore."))


def _look(owner: Any) -> Attributes:
    last = _LAST.get(owner)
    return last if last is not None and last.same(owner) else Attributes(owner)


def _ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("alcore", "sklearn")


def _name_of(owner: Any) -> str:
    return owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"


def _directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - a path object has no use here
    except OSError:  # it has been removed
        return None


def _threads() -> tuple[int | None, ...]:
    return tuple(
        thread.ident
        for thread in threading.enumerate()
        if not type(thread).__module__.startswith(LIBRARY_THREADS)
        and not getattr(getattr(thread, "_target", None), "__module__", "").startswith(LIBRARY_THREADS)
    )


def _signals() -> tuple[Any, ...]:
    names = ("SIGINT", "SIGTERM", "SIGALRM", "SIGUSR1", "SIGCHLD", "SIGPIPE", "SIGSEGV")
    return tuple(signal.getsignal(getattr(signal, name)) for name in names if hasattr(signal, name))


def _alarm() -> bool:
    return hasattr(signal, "getitimer") and any(
        signal.getitimer(one)[0] > 0 for one in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    )


def _descriptors() -> tuple[Any, ...]:
    found: list[Any] = []
    for number in (0, 1, 2):
        try:
            about = os.fstat(number)
            found.append((about.st_dev, about.st_ino))
        except OSError:
            found.append(None)
    return tuple(found)


def _limits() -> tuple[Any, ...]:
    try:
        import resource
    except ImportError:  # Windows has none
        return ()
    return tuple(resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in ("AS", "CPU", "DATA", "NOFILE"))


def _sklearn() -> Any:
    sklearn = sys.modules.get("sklearn")
    return None if sklearn is None else sklearn.get_config()


def _start_method() -> Any:
    module = sys.modules.get("multiprocessing")
    return None if module is None else module.get_start_method(allow_none=True)


def _processors() -> Any:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


LOOKS: dict[str, Callable[[], Any]] = {
    "the working directory": _directory,
    "the environment": lambda: {key: value for key, value in os.environ.items() if not key.startswith("KMP_")},
    "NumPy's error state": lambda: (np.geterr(), np.geterrcall()),
    "warning filters": lambda: (list(warnings.filters), warnings.showwarning),
    "NumPy's random state": np.random.get_state,
    "Python's random state": random.getstate,
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "the recursion limit": sys.getrecursionlimit,
    "garbage collection": lambda: (gc.isenabled(), gc.get_threshold()),
    "the trace functions": lambda: (
        sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile(), sys.getswitchinterval(),
    ),
    "the interpreter's hooks": lambda: (
        sys.excepthook, sys.displayhook, threading.excepthook, sys.unraisablehook, faulthandler.is_enabled(),
    ),
    "the standard streams": lambda: (id(sys.stdin), id(sys.stdout), id(sys.stderr)),
    "the standard descriptors": _descriptors,
    "sys.path": lambda: list(sys.path),
    "signal handlers": _signals,
    "a timer's signal": _alarm,
    "threads": _threads,
    "resource limits": _limits,
    "processors": _processors,
    "scikit-learn's configuration": _sklearn,
    "the start method of processes": _start_method,
}  # fmt: skip
"""What is looked at, by name."""
LAZY = ("scikit-learn's configuration", "the start method of processes")
"""What is there from its first use on only."""


def _set_environment(before: Mapping[str, str]) -> None:
    for key in set(os.environ) - set(before):
        if not key.startswith("KMP_"):
            del os.environ[key]
    os.environ.update(before)


def _set_filters(before: tuple[list[Any], Any]) -> None:
    warnings.filters[:], warnings.showwarning = before  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]


def _set_random(before: Any) -> None:
    np.random.set_state(before)  # noqa: NPY002


def _set_collection(before: tuple[bool, tuple[int, int, int]]) -> None:
    (gc.enable if before[0] else gc.disable)()
    gc.set_threshold(*before[1])


def _set_error_state(before: tuple[Any, Any]) -> None:
    np.seterr(**before[0])
    np.seterrcall(before[1])


RESTORES: dict[str, Callable[[Any], Any]] = {
    "the working directory": lambda before: None if before is None else os.chdir(before),
    "the environment": _set_environment,
    "NumPy's error state": _set_error_state,
    "warning filters": _set_filters,
    "NumPy's random state": _set_random,
    "Python's random state": random.setstate,
    "the locale": lambda before: locale.setlocale(locale.LC_ALL, before),
    "the recursion limit": sys.setrecursionlimit,
    "garbage collection": _set_collection,
    "scikit-learn's configuration": lambda before: sys.modules["sklearn"].set_config(**before),
}
"""What can be set back."""
RANDOM = ("NumPy's random state", "Python's random state")
"""What is set back without a word: drawing from global state changes nothing else."""
IMPORTS = ("warning filters", "threads", "sys.path")
"""What libraries change when they are imported."""
