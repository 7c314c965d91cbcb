"""ALiPy at arm's length: imported on first use, called with its shims in place, and its scores overheard.

Most of ALiPy's ``select`` methods work out a score per row and hand it to a helper that takes the n best in the order
of the file. ``rebound`` runs such a method with that helper exchanged for a ``Heard``, so that ``view.top`` chooses.
The library's own modules are never changed.
"""

from __future__ import annotations

import collections
import collections.abc
import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from alcore import Floats, InputError, Labels, Rows, StrategyError, View
from alcore.interop import patched, silenced

SHIMS: dict[tuple[Any, str], Any] = {
    (collections, "Iterable"): collections.abc.Iterable,  # gone since Python 3.10
    (np, "NINF"): -np.inf,  # gone since NumPy 2.0
}


@contextmanager
def calling() -> Iterator[None]:
    """Put the names back that ALiPy misses, and silence it, while it is imported or called."""
    with silenced(), patched(SHIMS):
        yield


def load(module: str) -> Any:
    """Import a module of ALiPy."""
    with calling():
        return import_module(f"alipy.{module}")


def rebound(function: Any, **names: Any) -> Callable[..., Any]:
    """Return a function of the library that finds other things under these global names; the original is untouched."""
    made = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


class Instead:
    """A module with some of its names exchanged."""

    def __init__(self, module: Any, **names: Any) -> None:
        self.__dict__.update(vars(module), _module=module, **names)  # found at once: loops look names up all the time

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class Heard:
    """Takes the place of the library's helpers that choose by score, and keeps the first scores it is given.

    Each method is such a helper; scores are kept with larger = ask first.
    """

    def __init__(self) -> None:
        self.given: Floats | None = None

    def nlargestarg(self, a: Any, n: int) -> Rows:
        """Stand in for the n largest."""
        self._keep(a)
        return np.arange(n)

    def nsmallestarg(self, a: Any, n: int) -> Rows:
        """Stand in for the n smallest."""
        self._keep(-np.asarray(a, dtype=np.float64))
        return np.arange(n)

    def argmin(self, a: Any) -> Any:
        """Stand in for ``numpy.argmin``."""
        self._keep(-np.asarray(a, dtype=np.float64))
        return np.argmin(a)

    def max(self, a: Any, **how: Any) -> Any:
        """Stand in for ``numpy.max``."""
        self._keep(a)
        return np.max(a, **how)

    def scores(self, size: int, who: str) -> Floats:
        """Return what was heard; equal scores where the library answers a single row without looking.

        Raises
        ------
        StrategyError
            If nothing, or something of another size, was heard.
        """
        if self.given is None and size <= 1:
            return np.zeros(size)
        if self.given is None or self.given.shape != (size,):
            found = "none" if self.given is None else f"shape {self.given.shape}"
            raise StrategyError(f"{who}: ALiPy gave scores of {found} for {size}; this adapter is for ALiPy 1.2.5.")
        return self.given

    def _keep(self, a: Any) -> None:
        if self.given is None:
            self.given = np.array(a, dtype=np.float64)


class Scored(ABC):
    """A strategy of which ALiPy gives the scores and ``view.top`` takes the best."""

    name: str

    @abstractmethod
    def scores(self, view: View) -> Floats:
        """Return one score per row of ``view.unlabeled``; larger = ask first."""

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest scores."""
        return view.top(self.scores(view), n) if n else view.unlabeled[:0]


class Kernel(Scored):
    """A strategy with a kernel on ``pool.features``, by the library's parameters.

    Parameters
    ----------
    lmbda : float
        The weight of the regularisation, lambda in the paper.
    kernel : "rbf", "poly" or "linear"
    gamma, degree, coef0 : of the kernel
    """

    def __init__(
        self, lmbda: float = 1.0, kernel: str = "rbf", gamma: float = 1.0, degree: int = 3, coef0: float = 1.0
    ) -> None:
        self.options = {"lambda": lmbda, "kernel": kernel, "gamma": gamma, "degree": degree, "coef0": coef0}


def filled(view: View, who: str) -> Labels:
    """Return labels for the whole pool: a hidden row has the label of the first labelled one.

    What the library reads off the whole of y, such as its classes, then follows from the labelled rows alone.

    Raises
    ------
    InputError
        If no row is labelled.
    """
    if len(view.y) == 0:
        raise InputError(f'{who} needs a labelled row. Give a start set, or cold_start="random".')
    full = np.repeat(view.y[:1], len(view.pool), axis=0)
    full[view.labeled] = view.y
    return full


def prepared(view: View, key: Hashable, make: Callable[[], Any]) -> Any:
    """Return a shallow copy of an object of the library that depends on the pool and the key alone."""
    return copy.copy(view.pool.memo(("alcore-alipy", key), make))


def shared(view: View, values: Floats) -> Floats:
    """Return the values of the unlabelled rows, with one value, the largest, for rows that are the same.

    What comes out of inverses and solvers differs by rounding between such rows, which must not choose among them.
    """
    kind = view.pool.memo(("alcore-alipy", "kinds"), lambda: _kinds(view.pool.features))[view.unlabeled]
    best = np.full(len(view.pool), -np.inf)
    np.maximum.at(best, kind, values)
    return best[kind]


def _kinds(features: Floats) -> Rows:
    """Return a number for each row, which rows that are the same have in common."""
    return np.unique(features, axis=0, return_inverse=True)[1].reshape(-1)


def row_numbers(view: View) -> Labels:
    """Return the pool's row numbers as a matrix (n, 1): what is handed over as X where only learners look at it."""
    return np.arange(len(view.pool)).reshape(-1, 1)
