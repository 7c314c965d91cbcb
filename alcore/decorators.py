"""Three ways to write a strategy, and one each for metrics: functions stay functions, and carry their spec."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from alcore.errors import InputError, StrategyError
from alcore.spec import MetricSpec, Spec, StrategySpec
from alcore.types import Rows
from alcore.view import View

F = TypeVar("F", bound=Callable[..., Any])
ATTRIBUTE = "__alcore_spec__"
GIVEN = {"round": ("scored",), "curve": ("curve",), "comparison": ("curves", "baseline")}


class FunctionStrategy:
    """A strategy made of a function of the view (``scores``) or of the view and n (``selects``)."""

    def __init__(self, function: Callable[..., Any], scored: bool, /, **params: Any) -> None:
        self.function = function
        self.scored = scored
        self.params = params

    def __repr__(self) -> str:
        return f"{self.function.__name__}({', '.join(f'{k}={v!r}' for k, v in self.params.items())})"

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest scores, or what the function selects."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        if self.scored:
            return view.top(self.scores(view), n)
        rows: Rows = self.function(view, n, **self.params)
        return rows

    def scores(self, view: View) -> Any:
        """Return the scores, aligned with ``view.unlabeled``; only for a ``scores`` strategy."""
        if not self.scored:
            raise StrategyError(f"{self.function.__name__} selects rows and has no scores.")
        return self.function(view, **self.params)


class _FunctionMaker:
    """Makes a FunctionStrategy; its signature is that of the function less the arguments the engine gives."""

    def __init__(self, function: Callable[..., Any], scored: bool) -> None:
        self.function, self.scored = function, scored
        self.__signature__ = _own_signature(function, ("view",) if scored else ("view", "n"))

    def __call__(self, **params: Any) -> FunctionStrategy:
        return FunctionStrategy(self.function, self.scored, **params)


def _own_signature(function: Callable[..., Any], given: tuple[str, ...]) -> inspect.Signature:
    """Return the signature less the arguments that alcore gives by position."""
    parameters = list(inspect.signature(function).parameters.values())
    if len([p for p in parameters if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]) < len(given):
        raise InputError(
            f"{function.__name__} must take ({', '.join(given)}) and its own parameters after that, by keyword."
        )
    return inspect.Signature(parameters[len(given) :])


def scores(name: str, *, summary: str, **capabilities: Any) -> Callable[[F], F]:
    """Make a function of the view a strategy: it returns one score per unlabelled row, larger = ask first.

    The function's other parameters, by keyword, are the strategy's. ``capabilities`` are the fields of
    ``StrategySpec``. Ties are broken as the experiment says, and a batch is the n best.
    """

    def decorate(function: F) -> F:
        make = _FunctionMaker(function, scored=True)
        return _attach(function, StrategySpec(name=name, summary=summary, make=make, **{"batch": "top"} | capabilities))

    return decorate


def selects(name: str, *, summary: str, **capabilities: Any) -> Callable[[F], F]:
    """Make a function of the view and n a strategy: it returns n distinct rows of ``view.unlabeled``."""

    def decorate(function: F) -> F:
        make = _FunctionMaker(function, scored=False)
        return _attach(function, StrategySpec(name=name, summary=summary, make=make, **capabilities))

    return decorate


def strategy(name: str, *, summary: str, **capabilities: Any) -> Callable[[F], F]:
    """Make a class with ``query``, and ``setup`` and ``update`` if it keeps state, a strategy."""

    def decorate(cls: F) -> F:
        if not callable(getattr(cls, "query", None)):
            raise InputError(f"{getattr(cls, '__name__', cls)} has no query(self, view, n); a strategy has one.")
        stateful = hasattr(cls, "update")
        spec = StrategySpec(name=name, summary=summary, make=cls, **{"stateful": stateful} | capabilities)
        return _attach(cls, spec)

    return decorate


def round_metric(name: str, *, summary: str, **fields: Any) -> Callable[[F], F]:
    """Make a function of ``Scored`` a round metric; ``fields`` are those of ``MetricSpec``."""
    return _metric(name, summary, "round", fields)


def curve_metric(name: str, *, summary: str, **fields: Any) -> Callable[[F], F]:
    """Make a function of ``Curve`` a curve metric; its keyword parameters are the metric's."""
    return _metric(name, summary, "curve", fields)


def comparison_metric(name: str, *, summary: str, **fields: Any) -> Callable[[F], F]:
    """Make a function of (curves by strategy, baseline) a comparison metric."""
    return _metric(name, summary, "comparison", fields)


class _MetricMaker:
    def __init__(self, function: Callable[..., Any], given: tuple[str, ...]) -> None:
        self.function = function
        self.__signature__ = _own_signature(function, given)

    def __call__(self, **params: Any) -> Callable[..., Any]:
        return partial(self.function, **params) if params else self.function


def _metric(name: str, summary: str, scope: Any, fields: dict[str, Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        make = _MetricMaker(function, given=GIVEN[scope])
        return _attach(function, MetricSpec(name=name, summary=summary, make=make, scope=scope, **fields))

    return decorate


def _attach(target: F, spec: Spec) -> F:
    setattr(target, ATTRIBUTE, spec)
    return target


def spec_of(thing: Any) -> Spec:
    """Return the spec of a decorated function or class, or the spec itself.

    Raises
    ------
    InputError
        If it is neither.
    """
    # A subclass inherits the attribute, but its spec would make the parent.
    found = thing if isinstance(thing, Spec) else getattr(thing, "__dict__", {}).get(ATTRIBUTE)
    if not isinstance(found, Spec):
        raise InputError(f"{thing!r} is no Spec, nor decorated as one (alcore.scores, selects, strategy, ...).")
    return found
