"""From an experiment to runs: every combination, fully specified, with an id that is a hash of all that matters."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from alcore.dataset import Dataset
from alcore.errors import AlcoreError
from alcore.experiment import DatasetRef, Experiment, ExperimentError, LearnerRef, Pair, Reference, StrategyRef
from alcore.pairing import Facts, metric_mismatch, mismatch
from alcore.registry import Registry
from alcore.results import Run
from alcore.spec import Spec
from alcore.types import Task

PROTOCOL = 1
"""Raised whenever the same configuration would give other records than before: old results are then not reused."""

DEFAULT_METRIC = {Task.CLASSIFICATION: "accuracy", Task.REGRESSION: "r2", Task.MULTILABEL: "multilabel-f1-macro"}


def plan(experiment: Experiment, registry: Registry) -> list[Run]:
    """Return the runs of an experiment, seeds outermost, so that what is there early compares all of it.

    Loads every data set once, to know what it is.

    Raises
    ------
    ExperimentError
        If a data set cannot be loaded, or does not fit what is paired with it.
    """
    problems: list[str] = []
    data: dict[str, Dataset] = {}
    for ref in experiment.datasets:
        try:
            data[ref.label] = registry.build("dataset", ref.name, **ref.params)
        except AlcoreError as error:
            problems.append(f"datasets: {ref.label}: {error}")
    for dataset, strategy, pair in experiment.combinations():
        if dataset.label in data:
            facts = Facts.of_data(data[dataset.label])
            query, task, metrics = pair.query.name, pair.task.name, [ref.name for ref in experiment.metrics.round]
            problems += mismatch(registry, facts, strategy.name, query, task, batch=experiment.batch)
            problems += metric_mismatch(registry, facts, metrics, task)
    if problems:
        raise ExperimentError(f"experiment {experiment.name!r}", list(dict.fromkeys(problems)))
    shared = _shared(experiment)
    described = {ref.label: _dataset(ref, data[ref.label]) for ref in experiment.datasets}
    configs = [
        shared
        | {
            "dataset": described[dataset.label],
            "strategy": _reference(strategy),
            "learner": {"label": pair.label, "query": _learner(pair.query), "task": _learner(pair.task)},
            "seed": seed,
            "metrics": _metrics(experiment, data[dataset.label]),
            "versions": _versions(registry, _parts(experiment, strategy, pair)),
        }
        for seed in experiment.seeds
        for dataset, strategy, pair in experiment.combinations()
    ]
    return [Run(config, position) for position, config in enumerate(configs)]


def _parts(experiment: Experiment, strategy: StrategyRef, pair: Pair) -> list[Reference]:
    cold = experiment.start.cold_start
    return [strategy, pair.query, pair.task, *experiment.stop, *experiment.metrics.round, *([cold] if cold else [])]


def _shared(experiment: Experiment) -> dict[str, Any]:
    start = experiment.start.model_dump(exclude={"cold_start"})
    cold = experiment.start.cold_start
    return {
        "protocol": PROTOCOL,
        "batch": experiment.batch,
        "budget": experiment.budget,
        "ties": experiment.ties,
        "features": experiment.features,
        "split": experiment.split.model_dump(),
        "start": start | {"cold_start": _reference(cold) if cold else None},
        "stop": [_reference(rule) for rule in experiment.stop],
    }


def _reference(ref: Reference) -> dict[str, Any]:
    return {"name": ref.name, "label": ref.label, "params": ref.params}


def _learner(ref: LearnerRef) -> dict[str, Any]:
    return _reference(ref) | {"refit": ref.refit}


def _dataset(ref: DatasetRef, data: Dataset) -> dict[str, Any]:
    return _reference(ref) | {"task": str(data.task), "fingerprint": data.fingerprint()}


def _metrics(experiment: Experiment, data: Dataset) -> list[dict[str, Any]]:
    if experiment.metrics.round:
        return [_reference(ref) for ref in experiment.metrics.round]
    name = DEFAULT_METRIC[Task(data.task or Task.CLASSIFICATION)]
    return [{"name": name, "label": name, "params": {}}]


def _versions(registry: Registry, refs: Iterable[Reference]) -> dict[str, str]:
    """Versions of whatever takes part in the run: those who provide its parts, and what these compute with."""
    versions = {name: _installed(name) for name in ("numpy", "scikit-learn")}
    for ref in refs:
        entry = registry.entry(ref.kind, ref.name)
        spec: Spec = entry.spec
        versions[entry.distribution] = entry.version
        versions |= {module: _installed(module) for module in spec.requires}
    return dict(sorted(versions.items()))


@cache
def _installed(module: str) -> str:
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"
