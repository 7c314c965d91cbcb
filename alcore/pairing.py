"""What cannot work together, told before anything runs, with the fix."""

from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

from alcore.dataset import Dataset
from alcore.decorators import ATTRIBUTE, FunctionStrategy
from alcore.errors import InputError, PairingError, UnavailableError
from alcore.learners import Recipe
from alcore.pool import Pool, has_gaps, is_documents, is_sparse
from alcore.positive import bound
from alcore.protocols import Strategy
from alcore.registry import Entry, Registry
from alcore.spec import DatasetSpec, Kind, LearnerSpec, MetricSpec, StrategySpec
from alcore.types import Level, Task

Part: TypeAlias = Literal["dataset", "strategy", "query", "task", "metric", "batch"]
"""What can be wrong with each other; ``query`` and ``task`` are the two learners."""


@dataclass(frozen=True)
class Misfit:
    """Why some parts of a run cannot work together, and the fix; one of these ``parts`` has to change."""

    why: str
    parts: tuple[Part, ...]

    def told(self, *, dataset: str, strategy: str, learner: str) -> str:
        """Return the text, with how to leave the pair out of the experiment that has these labels for it."""
        labels = {
            "datasets": dataset if "dataset" in self.parts else "",
            "strategies": strategy if "strategy" in self.parts else "",
            "learners": learner if {"query", "task"} & {*self.parts} else "",
        }
        inside = ", ".join(f'{key} = "{label}"' for key, label in labels.items() if label)
        leave_out = f" Or leave the pair out: exclude = [{{{inside}}}]"
        return self.why if {"metric", "batch"} & {*self.parts} else self.why + leave_out


@dataclass(frozen=True)
class Facts:
    """What is known of a data set: all of it once it is loaded, and what its spec says before."""

    name: str
    task: Task | None = None
    n_classes: int | None = None
    sparse: bool = False
    nan: bool = False
    text: bool = False
    classes: tuple[Any, ...] = field(default=(), compare=False)

    @classmethod
    def of_spec(cls, registry: Registry, name: str) -> Self:
        """Return what a data set's spec says; nothing for a name that is unknown."""
        spec: DatasetSpec | None = _find(registry, "dataset", name)
        return cls(name, spec.task, spec.classes) if spec else cls(name)

    @classmethod
    def of_data(cls, dataset: Dataset) -> Self:
        """Return what a loaded data set is."""
        X, classes = dataset.X, tuple(dataset.classes or ())
        documents = is_documents(X)
        return cls(dataset.name, dataset.task, len(classes), is_sparse(X), has_gaps(X), documents, classes)


def _find(registry: Registry, kind: Kind, name: str) -> Any:
    """Return a spec, or None: an unknown name is told elsewhere."""
    entry = registry.get(kind, name)
    return entry.spec if entry else None


def _find_given(registry: Registry, strategy: str, params: Mapping[str, Any]) -> StrategySpec | None:
    """Return the spec of a strategy with its parameters, or None: what is wrong with these is told elsewhere."""
    spec: StrategySpec | None = _find(registry, "strategy", strategy)
    try:
        return spec and spec.given(params)
    except (InputError, UnavailableError):
        return None


def mismatch(
    registry: Registry,
    facts: Facts,
    strategy: str,
    query: str,
    task: str,
    *,
    params: Mapping[str, Any] | None = None,
    batch: int = 1,
) -> list[Misfit]:
    """Return why a strategy, its query learner and the task learner, by name, cannot work on this data set.

    ``params`` are the strategy's parameters. The list is empty if they can.
    """
    s = _find_given(registry, strategy, params or {})
    q, t = _find(registry, "learner", query), _find(registry, "learner", task)
    problems = []
    served = facts.task is None or all(facts.task in one.tasks for one in (s, q) if one)
    if s and q and served and (why := _level_problem(registry, s, q.name, q.levels)):
        problems.append(Misfit(why, ("strategy", "query")))
    if s:
        problems += [Misfit(why, ("strategy", "dataset")) for why in _data_problems(registry, s, facts)]
        if s.batch == "single" and batch > 1:
            why = f"{_called(s)} chooses one row at a time; batch is {batch}. Use batch = 1, or leave {s.name} out."
            problems.append(Misfit(why, ("strategy", "batch")))
    for learner in dict.fromkeys(one for one in (q, t) if one):
        part: Part = "query" if learner is q else "task"
        problems += [Misfit(why, (part, "dataset")) for why in _data_problems(registry, learner, facts)]
    return problems


def refuse(
    registry: Registry,
    spec: StrategySpec | None,
    learner: Recipe,
    pool: Pool,
    *,
    batch: int = 1,
    cold_start: StrategySpec | None = None,
    task_learner: Recipe | None = None,
    metrics: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> None:
    """Raise if a strategy, learners and round metrics (names, parameters) cannot work together and with this pool.

    Nothing is known, and nothing refused, of a strategy without a spec.

    Raises
    ------
    PairingError
        With the first reason and the fix.
    InputError
        If class weights or priors of a learner are for other classes.
    """
    texts, classes = is_documents(pool.X), pool.classes
    facts = Facts("this pool", pool.task, pool.n_classes, pool.sparse, text=texts, classes=classes)
    scored = task_learner or learner
    for one in (learner, scored):
        one.of_classes(pool.task, pool.classes, pool.n_classes)
    specs = [spec, cold_start, *(_find(registry, "learner", one.name) for one in (learner, scored))]
    problems = [why for one in specs if one for why in _data_problems(registry, one, facts)]
    problems += [why for one in (learner, scored) if (why := _kind_problem(registry, one, pool.task))]
    if spec and (why := _level_problem(registry, spec, learner.name, learner.levels)):
        problems.append(why)
    if spec and spec.batch == "single" and batch > 1:
        problems.append(f"{_called(spec)} chooses one row at a time; batch is {batch}. Use batch=1.")
    for name, params in metrics:
        problems += [misfit.why for misfit in metric_mismatch(registry, facts, name, "", params)]
        if need := registry.entry("metric", name).spec.lacks(scored.levels):
            problems.append(f"metric {name} needs {need}; {scored.name} has none. Use another metric or learner.")
    if problems:
        raise PairingError(problems[0])


def _kind_problem(registry: Registry, learner: Recipe, task: Task) -> str | None:
    """Tell a scikit-learn estimator that is made for the other kind of target."""
    base = sys.modules.get("sklearn.base")  # not loaded: then no estimator of scikit-learn's can have been given
    estimator = learner.prototype if learner.is_factory else learner.source
    if base is None or not isinstance(estimator, base.BaseEstimator):
        return None
    wrong, word = (base.is_classifier, "classifier") if task is Task.REGRESSION else (base.is_regressor, "regressor")
    if not wrong(estimator):
        return None
    able = [e for e in registry.entries("learner") if task in e.spec.tasks]
    return f"{learner.name} is a {word}; the task is {task}. Use learner {_either(able)}, or say task=."


def _level_problem(registry: Registry, spec: StrategySpec, learner: str, levels: frozenset[Level]) -> str | None:
    need = spec.lacks(levels)
    if not need:
        return None
    able = [e for e in registry.entries("learner") if not spec.lacks(e.spec.levels) and e.spec.tasks & spec.tasks]
    fine = [e for e in registry.entries("strategy") if not e.spec.lacks(levels) and e.spec.tasks & spec.tasks]
    offers = " and ".join(["predict", *sorted(levels)])
    use = f"Use {spec.advice and f'{spec.advice}, '}learner {_either(able)}, or strategy {_either(fine)}."
    return f"{_called(spec)} needs {need}; {learner} offers {offers}. {use}"


def _data_problems(registry: Registry, spec: StrategySpec | LearnerSpec, facts: Facts) -> list[str]:
    problems = []
    if facts.task and facts.task not in spec.tasks:
        able = [e for e in registry.entries(spec.kind) if facts.task in e.spec.tasks]
        problems.append(
            f"{spec.kind} {_called(spec)} serves {' and '.join(sorted(spec.tasks))}; {facts.name} is {facts.task}. "
            f"Use {_either(able)}."
        )
    if facts.sparse and not spec.sparse:
        problems.append(f"{spec.kind} {_called(spec)} takes no sparse X, and {facts.name} is sparse. Make it dense.")
    if facts.text and isinstance(spec, LearnerSpec) and not spec.text:
        able = [e for e in registry.entries("learner") if e.spec.text and spec.tasks & e.spec.tasks]
        problems.append(
            f"learner {spec.name} takes columns of numbers, and {facts.name} has documents. Use {_either(able)}, or an "
            "estimator of yours such as make_pipeline(TfidfVectorizer(), LogisticRegression())."
        )
    if facts.nan and isinstance(spec, LearnerSpec) and not spec.nan:
        able = [e for e in registry.entries("learner") if e.spec.nan and spec.tasks & e.spec.tasks]
        problems.append(f"learner {spec.name} takes no missing values, and {facts.name} has some. Use {_either(able)}.")
    most = getattr(spec, "max_classes", None)
    if most and facts.task is Task.CLASSIFICATION and facts.n_classes and facts.n_classes > most:
        able = [
            e
            for e in registry.entries(spec.kind)
            if facts.task in e.spec.tasks and not 0 < (e.spec.max_classes or 0) < facts.n_classes
        ]
        has = f"{facts.name} has {facts.n_classes}"
        problems.append(f"{spec.kind} {_called(spec)} takes {most} classes at most; {has}. Use {_either(able)}.")
    return problems


def _called(spec: StrategySpec | LearnerSpec) -> str:
    """Return the name, with those of the strategies it is made of: the reason lies with one of these."""
    parts = getattr(spec, "parts", ())
    return f"{spec.name} of {' and '.join(parts)}" if parts else spec.name


def as_task(task: Task | str) -> Task:
    """Return the task of that name; InputError if there is none."""
    try:
        return Task(task)
    except ValueError:
        raise InputError(f"task is {task!r}; use one of {', '.join(Task)}.") from None


def as_count(name: str, value: Any) -> int:
    """Return a whole number of 0 or more; InputError, which names the argument, if it is none."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise InputError(f"{name} is {value!r}; give a whole number, 0 or more.")
    return number


def as_recipe(registry: Registry, learner: Any, task: Task) -> Recipe:
    """Return the recipe for a learner given by name, as an estimator, a factory or a recipe."""
    return registry.learner(learner, task) if isinstance(learner, str) else Recipe.of(learner)


def as_strategy(
    registry: Registry, strategy: Any, params: Mapping[str, Any] | None = None
) -> tuple[StrategySpec | None, Strategy]:
    """Return a strategy object, and its spec where it has one, for a name, a decorated function or class, or an object.

    The spec is that of the strategy with its parameters, ``params``; an object has its own. It is copied: a run
    changes what a strategy keeps, and the caller's own stays as it is.

    Raises
    ------
    InputError
        If it is none of these, an object that cannot be copied, or one that is given parameters.
    """
    if params is not None and not isinstance(params, Mapping):
        raise InputError(f"strategy_params is {params!r}; give a mapping of names to values, such as {{'members': 5}}.")
    if isinstance(strategy, str):
        strategy = registry.entry("strategy", strategy).spec
    # What was built of a decorated function carries the spec on the function.
    bearer = strategy.function if isinstance(strategy, FunctionStrategy) else strategy
    spec = getattr(bearer, ATTRIBUTE, strategy)
    if hasattr(strategy, "query") and not isinstance(strategy, type):
        if params:
            raise InputError(f"{strategy!r} is an object and has its parameters; give them where it is made.")
        spec = spec if isinstance(spec, StrategySpec) else None
        if spec and isinstance(strategy, FunctionStrategy):
            spec = spec.given(strategy.params)
        return spec, copied(strategy)
    if isinstance(spec, StrategySpec):
        params = params or {}
        return spec.given(params), spec.build(**params)
    use = "a name, an object with query(view, n), or a function decorated with alcore.scores or alcore.selects"
    if hasattr(strategy, "query"):
        use = f"an object of it: {strategy.__name__}()"
    raise InputError(f"{strategy!r} is no strategy: give {use}.")


def copied(strategy: Strategy) -> Strategy:
    """Return a deep copy of a strategy.

    Raises
    ------
    InputError
        If it cannot be copied.
    """
    try:
        return copy.deepcopy(strategy)
    except Exception as error:
        raise InputError(
            f"{type(strategy).__name__} cannot be copied ({type(error).__name__}: {error}); a run works on a copy. "
            "Open files, locks and the like in its setup(pool, rng)."
        ) from error


def metric_mismatch(
    registry: Registry, facts: Facts, metric: str, learner: str, params: Mapping[str, Any] | None = None
) -> list[Misfit]:
    """Return why a round metric, by name, cannot score this learner on this data set; the list is empty if it can.

    ``params`` are the metric's parameters.
    """
    m, q = _find(registry, "metric", metric), _find(registry, "learner", learner)
    if m is None:
        return []
    m = m.given(params or {})
    problems = []
    if facts.task and facts.task not in m.tasks:
        able = [e for e in registry.entries("metric") if e.spec.scope == "round" and facts.task in e.spec.tasks]
        why = f"metric {m.name} does not serve {facts.task}, the task of {facts.name}. Use {_either(able)}."
        problems.append(Misfit(why, ("metric", "dataset")))
    elif m.max_classes and facts.n_classes and facts.n_classes > m.max_classes:
        do = 'Say which one counts, as in positive = "yes", or leave it out.' if m.one_class else "Leave it out."
        why = f"metric {m.name} takes {m.max_classes} classes; {facts.name} has {facts.n_classes}. {do}"
        problems.append(Misfit(why, ("metric", "dataset")))
    elif facts.classes and (why := _unbound(m, params or {}, facts)):
        problems.append(Misfit(why, ("metric", "dataset")))
    if q and (facts.task is None or facts.task in q.tasks) and (need := m.lacks(q.levels)):
        why = f"metric {m.name} needs {need}; learner {q.name} has none. Leave out one of them."
        problems.append(Misfit(why, ("metric", "task")))
    return problems


def _unbound(metric: MetricSpec, params: Mapping[str, Any], facts: Facts) -> str:
    """Return why a metric's class is none of the data set's; empty if it is one."""
    try:
        bound(metric, params, facts.classes)
    except InputError as error:
        return f"{facts.name}: {error}"
    return ""


def _either(entries: list[Entry]) -> str:
    """Return some of their names as alternatives: alcore's own first, and last those with a prefix."""
    known_first = sorted(entries, key=lambda e: (e.distribution != "alcore", "." in e.spec.name))
    shown = [repr(e.spec.name) for e in known_first[:4]]
    if len(shown) > 1:
        return f"{', '.join(shown[:-1])} or {shown[-1]}"
    return shown[0] if shown else "another one (none is loaded)"
