"""Specs: what a strategy, learner, metric, data set and the like is called, needs and can do, before it is imported."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from alcore.errors import InputError, UnavailableError, did_you_mean
from alcore.params import check_types
from alcore.types import Growth, Level, Task

Kind: TypeAlias = Literal["strategy", "learner", "metric", "dataset", "stop-rule", "selector", "preset"]
BatchMode: TypeAlias = Literal["native", "top", "single"]
E = TypeVar("E", bound=StrEnum)
WHERE = ("path", "test_path", "base", "cache_dir")
"""Parameters of data sets that say where the data lie, not what they are: no part of labels and of runs' ids.

In an experiment file, relative ones start from the file."""

GROUPS = (
    "baseline", "uncertainty", "committee", "expected change", "representation", "hybrid", "learned", "multi-label",
    "combinator", "upper bound",
)  # fmt: skip
"""The families of strategies that lists show first, in this order; a plugin may have others."""

NAME = re.compile(r"[a-z0-9]+(?:[-._][a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True, eq=False)
class Spec:
    """What every plugin entry says of itself.

    Parameters
    ----------
    name : str
        Lower case, words joined by ``-``; third parties write ``prefix.name``.
    summary : str
        One line, without a full stop.
    make : callable or "module:attribute"
        Makes the thing from its parameters. A string is imported on first use, so that listing imports nothing heavy.
    requires : mapping of module to text
        Modules that must be importable, and what to type where they are not.
    unavailable : callable or None
        Returns the reason why it cannot be used here, or None; for what ``requires`` cannot express.
    source : str
        Where it comes from: a paper, a collection.
    revision : int
        Part of the id of every run that uses it: raised only when the numbers that it gives may change, so that
        recorded runs are kept over releases and are not mixed with those of another behaviour.
    """

    kind: ClassVar[Kind]

    name: str
    summary: str
    make: str | Callable[..., Any]
    requires: Mapping[str, str] = field(default_factory=dict)
    unavailable: Callable[[], str | None] | None = None
    source: str = ""
    revision: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.revision, bool) or not isinstance(self.revision, int) or self.revision < 1:
            raise InputError(
                f"{self.name}: revision is {self.revision!r}; it is a whole number from 1 on, raised when the numbers "
                "may change."
            )
        if not NAME.fullmatch(self.name):
            raise InputError(
                f"{self.name!r} is no name for a {self.kind}: use lower-case words joined by '-', and 'prefix.name' "
                "in a plugin."
            )
        if not self.summary or "\n" in self.summary:
            raise InputError(f"{self.name}: the summary is one line of text.")
        if isinstance(self.make, str) and not re.fullmatch(r"[\w.]+:\w+", self.make):
            raise InputError(f"{self.name}: make is {self.make!r}; use a callable or 'module:attribute'.")

    def missing(self) -> str | None:
        """Return why this cannot be used here and what to type, or None. Imports nothing."""
        for module, install in self.requires.items():
            if not _importable(module):
                return f"needs the package {module!r}, which is not installed: {install}"
        return self.unavailable() if self.unavailable else None

    def target(self) -> Callable[..., Any]:
        """Return the callable behind ``make``, importing it if need be.

        Raises
        ------
        UnavailableError
            If what it requires is missing or its import fails.
        """
        reason = self.missing()
        if reason:
            raise UnavailableError(f"{self.kind} {self.name!r} {reason}")
        if not isinstance(self.make, str):
            return self.make
        module, _, attribute = self.make.partition(":")
        try:
            found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
        except Exception as error:  # a module that does not fit this NumPy fails with a ValueError
            raise UnavailableError(f"{self.kind} {self.name!r} cannot be imported from {self.make}: {error}") from error
        return found

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that ``build`` takes, with their defaults (``inspect.Parameter.empty`` for none)."""
        signature = inspect.signature(self.target())
        named = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        return {p.name: p.default for p in named}

    def build(self, **params: Any) -> Any:
        """Make the thing.

        Raises
        ------
        InputError
            If a parameter is unknown or missing, or the maker refuses its value.
        UnavailableError
            As ``target``.
        """
        self.check_params(params)
        return self.target()(**params)

    def check_params(self, params: Mapping[str, Any]) -> None:
        """Raise InputError if a parameter is unknown or one without a default is not given."""
        signature = inspect.signature(self.target())
        if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            return
        known = self.parameters()
        for name in params:
            if name not in known:
                has = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
                raise InputError(f"{self.name} has no parameter {name!r}; {has}.{did_you_mean(name, known)}")
        lacking = [n for n, default in known.items() if default is inspect.Parameter.empty and n not in params]
        if lacking:
            raise InputError(f"{self.name} needs the parameter {lacking[0]!r}.")

    def given(self, params: Mapping[str, Any]) -> Self:
        """Return the spec of the thing with these parameters: this one, unless a kind says otherwise."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the fields that describe it, as JSON values."""
        skip = {"make", "requires", "unavailable", "adapt", "advice"}
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name not in skip}


@dataclass(frozen=True, kw_only=True, eq=False)
class StrategySpec(Spec):
    """A strategy and what it needs.

    Parameters
    ----------
    tasks : the tasks it serves
    needs : levels that the query learner must have
        Each entry is a level or alternatives joined by ``|``, such as ``("proba|decision",)``.
    learner : bool
        Whether it uses the query learner at all.
    max_classes : int or None
        2 for a binary strategy.
    batch : "native", "top" or "single"
        It composes a batch itself, takes the n best scores, or answers one row at a time.
    sparse : whether it takes sparse X
    stateful : whether it keeps state between rounds
    stochastic : whether two seeds can give two answers (apart from ties)
    growth : cost of one query in the number of rows
    resumable : whether replaying its rows through ``update`` rebuilds its state, so that a run can be continued
    truth : whether it is an upper bound that sees hidden labels
    uniform : whether each unlabelled row is equally likely
    group : the family it is listed under
    advice : str
        What else to do where a learner does not meet its needs, as a value of a parameter: ``layer='features'``.
    parts : names of the strategies it is made of
        Their versions are part of a run's id.
    adapt : function of the parameters, or None
        Given all of them, defaults included, it returns the fields that depend on them, by name.
    """

    kind: ClassVar[Kind] = "strategy"

    tasks: frozenset[Task] = frozenset({Task.CLASSIFICATION})
    needs: tuple[str, ...] = ()
    learner: bool = True
    max_classes: int | None = None
    batch: BatchMode = "native"
    sparse: bool = True
    stateful: bool = False
    stochastic: bool = False
    growth: Growth = Growth.LINEAR
    resumable: bool = True
    truth: bool = False
    uniform: bool = False
    group: str = ""
    advice: str = ""
    parts: tuple[str, ...] = ()
    adapt: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tasks", _tasks(self.tasks, self.name))
        object.__setattr__(self, "growth", _one_of(Growth, self.growth, self.name))
        _check_needs(self.needs, self.name)

    def check_params(self, params: Mapping[str, Any]) -> None:
        """Raise InputError as every spec does, or if a value is not of the type that the maker's signature states."""
        super().check_params(params)
        check_types(self.name, self.target(), params)

    def build(self, **params: Any) -> Any:
        """Make the strategy; raises as every spec does, and always with its name."""
        try:
            return super().build(**params)
        except InputError as error:
            if type(error) is not InputError or self.name in str(error):
                raise
            raise InputError(f"{self.name}: {error}") from error

    def given(self, params: Mapping[str, Any]) -> Self:
        """Return the spec of the strategy with these parameters, with what ``adapt`` says of them.

        Raises
        ------
        InputError, UnavailableError
            If ``adapt`` is there and a parameter is unknown or wrong, or names a strategy that cannot be used here.
        """
        if self.adapt is None:
            return self
        self.check_params(params)
        return replace(self, adapt=None, **self.adapt(self.parameters() | dict(params)))

    def lacks(self, levels: Iterable[Level]) -> str | None:
        """Return the first need that a learner with these levels does not meet, as text, or None."""
        have = set(levels)
        for need in self.needs:
            if not have & {Level(level) for level in need.split("|")}:
                return need.replace("|", " or ")
        return None


@dataclass(frozen=True, kw_only=True, eq=False)
class LearnerSpec(Spec):
    """A learner: the tasks it serves and its levels (``proba``, ``decision``, ...). ``make`` returns an estimator.

    A classifier serves a multi-label task by one copy per label, which has probabilities and decision values at most.
    One with ``per_label=False`` is given the 0/1 matrix, and keeps its other levels. ``classes="all"`` is for one that
    has a column for every class from the start (see ``Recipe``). A parameter ``n_classes`` of ``make``, which needs a
    default, is given K, or the number of labels.
    ``text``: X is one text per row.
    """

    kind: ClassVar[Kind] = "learner"

    tasks: frozenset[Task] = frozenset({Task.CLASSIFICATION})
    levels: frozenset[Level] = frozenset()
    sparse: bool = True
    nan: bool = False
    per_label: bool = True
    text: bool = False
    classes: Literal["seen", "all"] = "seen"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tasks", _tasks(self.tasks, self.name))
        object.__setattr__(self, "levels", frozenset(_one_of(Level, level, self.name) for level in self.levels))


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricSpec(Spec):
    """A metric.

    Parameters
    ----------
    scope : "round" (Scored -> number), "curve" (Curve -> number) or "comparison" (curves of all strategies -> numbers)
    tasks : the tasks a round metric serves
    needs : levels of the task learner, as in StrategySpec
    max_classes : int or None
        2 for a metric of two classes.
    one_class : bool
        Whether it is of one class, the positive one: it has a parameter ``positive``, a label for users and a code for
        the function (``alcore.positive``), the second of two classes by default; or ``average="macro"`` instead.
    greater_is_better : bool
    spacing : bool
        Whether the value of a curve metric depends on how far apart the curve's points are, as a mean over points does:
        strategies that are compared by it must have been run with the same batches.
    censored : bool
        Whether NaN says that the number lies beyond what was observed, as labels do that reach no target: it ranks
        last then, and there is no mean over those that have one.
    """

    kind: ClassVar[Kind] = "metric"

    scope: Literal["round", "curve", "comparison"]
    tasks: frozenset[Task] = frozenset(Task)
    needs: tuple[str, ...] = ()
    max_classes: int | None = None
    one_class: bool = False
    greater_is_better: bool = True
    spacing: bool = False
    censored: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tasks", _tasks(self.tasks, self.name))
        _check_needs(self.needs, self.name)

    lacks = StrategySpec.lacks

    def given(self, params: Mapping[str, Any]) -> Self:
        """Return the spec with these parameters: what is told its class, or averages over all, takes any number."""
        told = self.one_class and (params.get("positive") is not None or params.get("average") is not None)
        return replace(self, max_classes=None) if told else self


@dataclass(frozen=True, kw_only=True, eq=False)
class DatasetSpec(Spec):
    """A data set, or a family of them where ``make`` takes parameters. ``make`` returns a ``Dataset``.

    ``rows``, ``features`` and ``classes`` are None where they depend on parameters.
    """

    kind: ClassVar[Kind] = "dataset"

    task: Task | None = Task.CLASSIFICATION
    rows: int | None = None
    features: int | None = None
    classes: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class StopRuleSpec(Spec):
    """A stop rule: ``make`` returns a function of the history that gives a reason to stop, or None."""

    kind: ClassVar[Kind] = "stop-rule"


@dataclass(frozen=True, kw_only=True, eq=False)
class PresetSpec(Spec):
    """A preset: ``make`` returns keys of an experiment, which hold where the experiment does not say otherwise."""

    kind: ClassVar[Kind] = "preset"


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectorSpec(Spec):
    """A selector: given the predictions of many models, it asks for the labels that tell which model is best.

    Parameters
    ----------
    losses : names of the losses it can minimise
    posterior : whether it says how probable it is that each model is the best one
    stochastic : whether two seeds can give two answers (apart from ties)
    """

    kind: ClassVar[Kind] = "selector"

    losses: frozenset[str] = frozenset({"accuracy"})
    posterior: bool = False
    stochastic: bool = False


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package of a dotted name
        return False


def _check_needs(needs: Iterable[str], name: str) -> None:
    for need in needs:
        for level in need.split("|"):
            if level not in set(Level):
                raise InputError(f"{name}: needs {level!r}, which is none of {', '.join(Level)}.")


def _tasks(tasks: Iterable[Task | str] | str, name: str) -> frozenset[Task]:
    return frozenset(_one_of(Task, task, name) for task in ([tasks] if isinstance(tasks, str) else tasks))


def _one_of(words: type[E], word: str, name: str) -> E:
    try:
        return words(word)
    except ValueError:
        raise InputError(f"{name}: {word!r} is no {words.__name__.lower()}; use one of {', '.join(words)}.") from None


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(str(item) for item in value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Task | Level | Growth) else value
