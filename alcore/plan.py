"""From an experiment to runs: every combination, fully specified, with an id that is a hash of all that matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from alcore.dataset import Dataset
from alcore.errors import AlcoreError, PairingError
from alcore.experiment import Experiment, ExperimentError
from alcore.pairing import Facts, metric_mismatch, mismatch
from alcore.references import DatasetRef, LearnerRef, Pair, Reference, RoundMetricRef, StrategyRef
from alcore.registry import Registry
from alcore.results import PROTOCOL, Run
from alcore.spec import WHERE, Kind, Spec
from alcore.types import Task

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
    problems += _protocol_problems(experiment, registry, data)
    for dataset, strategy, pair in experiment.combinations():
        if dataset.label in data:
            facts = replace(Facts.of_data(data[dataset.label]), name=dataset.label)
            query, task = pair.query.name, pair.task.name
            found = mismatch(
                registry, facts, strategy.name, query, task, params=strategy.params, batch=experiment.batch
            )
            for metric in experiment.metrics.round:
                found += metric_mismatch(registry, facts, metric.name, task)
            problems += [one.told(dataset=dataset.label, strategy=strategy.label, learner=pair.label) for one in found]
    if problems:
        raise ExperimentError(f"experiment {experiment.name!r}", list(dict.fromkeys(problems)))
    shared = _shared(experiment)
    metrics = {label: _metrics(experiment, one) for label, one in data.items()}
    described = {ref.label: _dataset(ref, data[ref.label]) for ref in experiment.datasets}
    configs = [
        shared
        | {
            "dataset": described[dataset.label],
            "strategy": _strategy(registry, strategy),
            "learner": {"label": pair.label, "query": learner_config(pair.query), "task": learner_config(pair.task)},
            "seed": seed,
            "metrics": [reference_config(metric) for metric in metrics[dataset.label]],
            "versions": versions(
                registry,
                [
                    part
                    for ref in (*_parts(experiment, strategy, pair), *metrics[dataset.label])
                    for part in with_inner(registry, ref.kind, ref.name, ref.params)
                ],
            ),
        }
        for seed in experiment.seeds
        for dataset, strategy, pair in experiment.combinations()
    ]
    return [Run(config, position) for position, config in enumerate(configs)]


def _protocol_problems(experiment: Experiment, registry: Registry, data: Mapping[str, Dataset]) -> list[str]:
    """Return what of the split and the start cannot be had, once the data are known."""
    problems = []
    start, method = experiment.start, experiment.split.method
    for label, one in data.items():
        classes = one.task is Task.CLASSIFICATION
        if method == "given" and one.test is None:
            problems.append(f'split.method: {label} has no test part of its own; use "random" or "stratified".')
        if method == "stratified" and not classes:
            problems.append(f'split.method: {label} is {one.task} and has no classes to stratify by; use "random".')
        if (start.method in ("stratified", "per-class") or start.classes == "all") and not classes:
            problems.append(f'start: {label} is {one.task} and has no classes; use method = "random", classes = "any".')
    for ref in {one.label: one for pair in experiment.learners for one in (pair.query, pair.task)}.values():
        if ref.refit == "continue":
            try:
                registry.learner(ref.name, Task.CLASSIFICATION, refit=ref.refit, **ref.params)
            except PairingError as error:
                problems.append(f"learners: {error}")
    if start.size == 0 and start.cold_start is None:
        guided = [
            ref for ref in experiment.strategies if registry.entry("strategy", ref.name).spec.given(ref.params).learner
        ]
        problems += [
            f'start.size: {ref.label} needs a learner, and nothing is labelled; set start.cold_start = "random".'
            for ref in guided
        ]
    return problems


def _parts(experiment: Experiment, strategy: StrategyRef, pair: Pair) -> list[Reference]:
    cold = experiment.start.cold_start
    return [strategy, pair.query, pair.task, *experiment.stop, *([cold] if cold else [])]


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
        "start": start | {"cold_start": reference_config(cold) if cold else None},
        "stop": [reference_config(rule) for rule in experiment.stop],
    }


def reference_config(ref: Reference) -> dict[str, Any]:
    """Return what is named as a run's configuration has it."""
    return {"name": ref.name, "label": ref.label, "params": ref.params}


def _strategy(registry: Registry, ref: StrategyRef) -> dict[str, Any]:
    upper = registry.entry("strategy", ref.name).spec.given(ref.params).truth
    return reference_config(ref) | ({"truth": True} if upper else {})


def learner_config(ref: LearnerRef) -> dict[str, Any]:
    """Return a learner as a run's configuration has it."""
    return reference_config(ref) | {"refit": ref.refit}


def _dataset(ref: DatasetRef, data: Dataset) -> dict[str, Any]:
    what = {key: value for key, value in ref.params.items() if key not in WHERE}
    # Absolute: what a run does to the working directory is not to move the data of others.
    where = {key: _absolute(value, ref.params.get("base")) for key, value in ref.params.items() if key in WHERE}
    about = {"params": what, "where": where, "task": str(data.task), "fingerprint": data.fingerprint()}
    return reference_config(ref) | about


def _absolute(path: Any, base: Any) -> Any:
    return str(Path(base or "", Path(path).expanduser()).absolute()) if isinstance(path, str | Path) else path


def _metrics(experiment: Experiment, data: Dataset) -> Sequence[Reference]:
    if experiment.metrics.round:
        return experiment.metrics.round
    name = DEFAULT_METRIC[Task(data.task or Task.CLASSIFICATION)]
    return [RoundMetricRef.model_construct(name=name, label=name)]


def with_inner(registry: Registry, kind: Kind, name: str, params: Mapping[str, Any]) -> list[tuple[Kind, str]]:
    """Return kind and name of a part of a run, and of the strategies that it is made of."""
    inner = getattr(registry.entry(kind, name).spec.given(params), "parts", ())
    return [(kind, name), *((kind, part) for part in inner)]


def versions(registry: Registry, parts: Iterable[tuple[Kind, str]]) -> dict[str, str]:
    """Return versions of whatever takes part in a run: those who provide its parts, and what these compute with."""
    found = {name: _installed(name) for name in ("numpy", "scikit-learn")}
    for kind, name in parts:
        entry = registry.entry(kind, name)
        spec: Spec = entry.spec
        found[entry.distribution] = entry.version
        found |= {module: _installed(module) for module in spec.requires}
    return dict(sorted(found.items()))


@cache
def _installed(module: str) -> str:
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        # A module can have another name than its distribution, as skactiveml of scikit-activeml has.
        names = packages_distributions().get(module.partition(".")[0], ())
        return "+".join(version(name) for name in sorted(names)) or "unknown"
