"""The strategies inside a strategy: made by name, set up, updated, and asked with a generator of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from alcore import plugins
from alcore.decorators import ATTRIBUTE, FunctionStrategy
from alcore.errors import InputError, StrategyError, UnknownNameError
from alcore.pairing import as_strategy
from alcore.pool import Pool
from alcore.protocols import NeedsSetup, NeedsTruth, NeedsUpdate, Strategy, Truth
from alcore.select import check
from alcore.spec import StrategySpec
from alcore.types import Floats, Growth, Labels, Rows
from alcore.view import View

Named: TypeAlias = Any
"""A strategy: its name, ``{"name": ..., parameter: ...}``, or what ``alcore.simulate`` takes (decorated, an object)."""


def make(strategy: Named) -> tuple[StrategySpec, Strategy]:
    """Return a new strategy and its spec, with these parameters.

    Names are those of the plugins of this environment; what only an experiment's own file defines is not among them.

    Raises
    ------
    InputError
        If the name or a parameter is unknown or wrong, or an object has no spec.
    UnavailableError
        If it needs a package that is not installed.
    """
    params: Mapping[str, Any] = {}
    if isinstance(strategy, Mapping):
        if not isinstance(strategy.get("name"), str):
            raise InputError(f'a strategy inside a strategy is {strategy!r}; give its name, or {{name = "...", ...}}.')
        params = {key: value for key, value in strategy.items() if key != "name"}
        strategy = strategy["name"]
    try:
        spec, made = as_strategy(plugins.loaded().registry, strategy, params)
    except UnknownNameError as error:
        raise UnknownNameError(
            f"{error} What an experiment's own file defines is not known inside a strategy: make it a plugin."
        ) from error
    if spec is None:
        raise InputError(
            f"{strategy!r} inside a strategy says nothing of what it needs; give a name, or decorate its class with "
            "alcore.strategy."
        )
    return spec, made


def spec_of(strategy: Named) -> StrategySpec:
    """Return the spec of a strategy with its parameters; raises as ``make``."""
    return make(strategy)[0]


def merged(specs: Sequence[StrategySpec], **more: Any) -> dict[str, Any]:
    """Return what a strategy made of these needs and can do: the fields of its spec that follow from theirs.

    Raises
    ------
    InputError
        If no task is served by all of them.
    """
    tasks = frozenset.intersection(*(spec.tasks for spec in specs))
    if not tasks:
        served = "; ".join(f"{spec.name} serves {' and '.join(sorted(spec.tasks))}" for spec in specs)
        raise InputError(f"strategies inside one strategy must have a task in common: {served}.")
    few = [spec.max_classes for spec in specs if spec.max_classes]
    parts = (part for spec in specs for part in (spec.name, *spec.parts))
    return {
        "tasks": tasks,
        "needs": tuple(dict.fromkeys(need for spec in specs for need in spec.needs)),
        "learner": any(spec.learner for spec in specs),
        "max_classes": min(few) if few else None,
        "batch": "single" if any(spec.batch == "single" for spec in specs) else "native",
        "sparse": all(spec.sparse for spec in specs),
        "stateful": any(spec.stateful for spec in specs),
        "stochastic": any(spec.stochastic for spec in specs),
        "growth": max((spec.growth for spec in specs), key=list(Growth).index),
        "resumable": all(spec.resumable for spec in specs),
        "truth": any(spec.truth for spec in specs),
        "advice": ", ".join(dict.fromkeys(f"{spec.advice} of {spec.name}" for spec in specs if spec.advice)),
        "parts": tuple(dict.fromkeys(parts)),
    } | more


class Outer:
    """A strategy made of others: passes on what these need, each with a generator of its own.

    Attributes
    ----------
    specs : list of StrategySpec
    inner : list of Strategy
    """

    def __init__(self, strategies: Iterable[Named], params: Mapping[str, Any]) -> None:
        made = [make(one) for one in strategies]
        self.specs = [spec for spec, _ in made]
        self.inner = [strategy for _, strategy in made]
        own: StrategySpec = getattr(type(self), ATTRIBUTE)
        setattr(self, ATTRIBUTE, own.given(params))  # an object is paired by what it is made of, too
        if any(isinstance(one, NeedsTruth) for one in self.inner):
            self.reveal = self._reveal  # only then: an upper bound is known by having it

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Set up those that need it."""
        # Grandchildren: the first children of the run's stream are the generators of its rounds.
        for one, own in zip(self.inner, rng.spawn(1)[0].spawn(len(self.inner)), strict=True):
            if isinstance(one, NeedsSetup):
                one.setup(pool, own)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Update those that keep state."""
        for one in self.inner:
            if isinstance(one, NeedsUpdate):
                one.update(rows, labels)

    def _reveal(self, truth: Truth) -> None:
        for one in self.inner:
            if isinstance(one, NeedsTruth):
                one.reveal(truth)


def ask(strategy: Strategy, spec: StrategySpec, view: View, n: int) -> Rows:
    """Return n distinct rows of ``view.unlabeled`` that a strategy asks for, checked as the core checks them.

    Raises
    ------
    StrategyError
        If it breaks the contract.
    """
    allowed = np.zeros(len(view.pool), dtype=np.bool_)
    allowed[view.unlabeled] = True
    return check(strategy.query(view, n), allowed, n, who=spec.name)


def scored(strategy: Strategy) -> bool:
    """Tell whether a strategy gives scores."""
    if isinstance(strategy, FunctionStrategy):
        return strategy.scored
    return callable(getattr(strategy, "scores", None))


def scores(strategy: Strategy, spec: StrategySpec, view: View) -> Floats:
    """Return a strategy's scores, aligned with ``view.unlabeled``, larger = ask first; some may be infinite.

    Raises
    ------
    StrategyError
        If they are not one number per row.
    """
    found = np.asarray(strategy.scores(view), dtype=np.float64)  # type: ignore[attr-defined]
    if found.shape != view.unlabeled.shape or np.isnan(found).any():
        raise StrategyError(f"{spec.name} gave {found.shape} scores, NaN among them or not one per unlabelled row.")
    return found
