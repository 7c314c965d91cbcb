"""What cannot work together, told before anything runs, with the fix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from alcore.dataset import Dataset
from alcore.decorators import ATTRIBUTE
from alcore.errors import InputError, PairingError
from alcore.learners import Recipe
from alcore.pool import Pool, is_sparse
from alcore.protocols import Strategy
from alcore.registry import Registry
from alcore.spec import DatasetSpec, Kind, LearnerSpec, StrategySpec
from alcore.types import Level, Task


@dataclass(frozen=True)
class Facts:
    """What is known of a data set: all of it once it is loaded, and what its spec says before."""

    name: str
    task: Task | None = None
    n_classes: int | None = None
    sparse: bool = False

    @classmethod
    def of_spec(cls, registry: Registry, name: str) -> Self:
        """Return what a data set's spec says; nothing for a name that is unknown."""
        spec: DatasetSpec | None = _find(registry, "dataset", name)
        return cls(name, spec.task, spec.classes) if spec else cls(name)

    @classmethod
    def of_data(cls, dataset: Dataset) -> Self:
        """Return what a loaded data set is."""
        return cls(dataset.name, dataset.task, len(dataset.classes or ()), is_sparse(dataset.X))


def _find(registry: Registry, kind: Kind, name: str) -> Any:
    """Return a spec, or None: an unknown name is told elsewhere."""
    entry = registry.get(kind, name)
    return entry.spec if entry else None


def mismatch(registry: Registry, facts: Facts, strategy: str, query: str, task: str, *, batch: int = 1) -> list[str]:
    """Return why a strategy, its query learner and the task learner, by name, cannot work on this data set.

    Each reason comes with the fix; the list is empty if they can.
    """
    s, q, t = _find(registry, "strategy", strategy), _find(registry, "learner", query), _find(registry, "learner", task)
    problems = []
    if s and q and (problem := _level_problem(registry, s, q.name, q.levels)):
        problems.append(f"{problem} {_exclude(strategies=s.name, learners=q.name)}")
    if s:
        problems += [
            f"{p} {_exclude(datasets=facts.name, strategies=s.name)}" for p in _data_problems(registry, s, facts)
        ]
        if s.batch == "single" and batch > 1:
            problems.append(f"{s.name} chooses one row at a time; batch is {batch}. Use batch = 1, or leave it out.")
    for learner in dict.fromkeys(one for one in (q, t) if one):
        fix = _exclude(datasets=facts.name, learners=learner.name)
        problems += [f"{problem} {fix}" for problem in _data_problems(registry, learner, facts)]
    return problems


def refuse(registry: Registry, spec: StrategySpec, recipe: Recipe, pool: Pool, *, batch: int = 1) -> None:
    """Raise if a strategy cannot work with this learner and pool.

    Raises
    ------
    PairingError
        With the first reason and the fix.
    """
    facts = Facts("this pool", pool.task, pool.n_classes, pool.sparse)
    problems = list(filter(None, [_level_problem(registry, spec, recipe.name, recipe.levels)]))
    problems += _data_problems(registry, spec, facts)
    if spec.batch == "single" and batch > 1:
        problems.append(f"{spec.name} chooses one row at a time; batch is {batch}. Use batch=1.")
    if problems:
        raise PairingError(problems[0])


def _level_problem(registry: Registry, spec: StrategySpec, learner: str, levels: frozenset[Level]) -> str | None:
    need = spec.lacks(levels)
    if not need:
        return None
    able = [
        e.spec.name for e in registry.entries("learner") if not spec.lacks(e.spec.levels) and e.spec.tasks & spec.tasks
    ]
    fine = [e.spec.name for e in registry.entries("strategy") if not e.spec.lacks(levels) and e.spec.tasks & spec.tasks]
    offers = " and ".join(["predict", *sorted(levels)])
    use = f"Use learner {_either(able)}, or strategy {_either(fine)}."
    return f"{spec.name} needs {need}; {learner} offers {offers}. {use}"


def _data_problems(registry: Registry, spec: StrategySpec | LearnerSpec, facts: Facts) -> list[str]:
    problems = []
    if facts.task and facts.task not in spec.tasks:
        able = [e.spec.name for e in registry.entries(spec.kind) if facts.task in e.spec.tasks]
        problems.append(
            f"{spec.kind} {spec.name} serves {' and '.join(sorted(spec.tasks))}; {facts.name} is {facts.task}. "
            f"Use {_either(able)}."
        )
    if facts.sparse and not spec.sparse:
        problems.append(f"{spec.kind} {spec.name} takes no sparse X, and {facts.name} is sparse. Make it dense.")
    most = getattr(spec, "max_classes", None)
    if most and facts.task is Task.CLASSIFICATION and facts.n_classes and facts.n_classes > most:
        able = [e.spec.name for e in registry.entries(spec.kind) if (e.spec.max_classes or 99) >= facts.n_classes]
        has = f"{facts.name} has {facts.n_classes}"
        problems.append(f"{spec.kind} {spec.name} takes {most} classes at most; {has}. Use {_either(able)}.")
    return problems


def as_recipe(registry: Registry, learner: Any, task: Task) -> Recipe:
    """Return the recipe for a learner given by name, as an estimator, a factory or a recipe."""
    return registry.learner(learner, task) if isinstance(learner, str) else Recipe.of(learner)


def as_strategy(registry: Registry, strategy: Any) -> tuple[StrategySpec | None, Strategy]:
    """Return a strategy object, and its spec where it has one, for a name, a decorated function or class, or an object.

    Raises
    ------
    InputError
        If it is none of these.
    """
    spec = (
        registry.entry("strategy", strategy).spec
        if isinstance(strategy, str)
        else getattr(strategy, ATTRIBUTE, strategy)
    )
    if hasattr(strategy, "query") and not isinstance(strategy, type):
        return (spec if isinstance(spec, StrategySpec) else None), strategy
    if not isinstance(spec, StrategySpec):
        raise InputError(
            f"{strategy!r} is no strategy: give a name, an object with query(view, n), or a function decorated with "
            "alcore.scores or alcore.selects."
        )
    return spec, spec.build()


def metric_mismatch(registry: Registry, facts: Facts, metrics: Iterable[str], learner: str) -> list[str]:
    """Return why these round metrics, by name, cannot score this learner on this data set; empty if they can."""
    q = _find(registry, "learner", learner)
    problems = []
    for m in filter(None, (_find(registry, "metric", name) for name in metrics)):
        if facts.task and facts.task not in m.tasks:
            able = [
                e.spec.name
                for e in registry.entries("metric")
                if e.spec.scope == "round" and facts.task in e.spec.tasks
            ]
            problems.append(
                f"metric {m.name} does not serve {facts.task}, the task of {facts.name}. Use {_either(able)}."
            )
        if m.max_classes and facts.n_classes and facts.n_classes > m.max_classes:
            problems.append(
                f"metric {m.name} takes {m.max_classes} classes; {facts.name} has {facts.n_classes}. Leave it out."
            )
        if q and (need := m.lacks(q.levels)):
            problems.append(f"metric {m.name} needs {need}; learner {q.name} has none. Leave out one of them.")
    return problems


def _exclude(**labels: str) -> str:
    inside = ", ".join(f'{key} = "{label}"' for key, label in labels.items())
    return f"Or leave the pair out: exclude = [{{{inside}}}]"


def _either(names: list[str]) -> str:
    shown = [repr(name) for name in names[:4]]
    return " or ".join(shown) if shown else "another one (none is loaded)"
