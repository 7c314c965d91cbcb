"""From an experiment to runs: every combination, fully specified, with an id that is a hash of all that matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from alcore.dataset import Dataset
from alcore.errors import AlcoreError, PairingError
from alcore.experiment import Experiment, ExperimentError
from alcore.pairing import Facts, metric_mismatch, mismatch
from alcore.parts import Parts, made_of, revisions, versions, warn_of_unseen
from alcore.references import DatasetRef, LearnerRef, Pair, Reference, RoundMetricRef, StrategyRef
from alcore.registry import Entry, Registry
from alcore.results import PROTOCOL, Run, canonical
from alcore.spec import WHERE
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
                found += metric_mismatch(registry, facts, metric.name, task, metric.params)
            problems += [one.told(dataset=dataset.label, strategy=strategy.label, learner=pair.label) for one in found]
    if problems:
        raise ExperimentError(f"experiment {experiment.name!r}", list(dict.fromkeys(problems)))
    shared = _shared(experiment)
    metrics = {label: _metrics(experiment, one) for label, one in data.items()}
    described = {ref.label: _dataset(ref, data[ref.label]) for ref in experiment.datasets}
    known = _Known(registry)
    combined = [
        shared
        | {
            "dataset": described[dataset.label],
            "strategy": _strategy(registry, strategy),
            "learner": {"label": pair.label, "query": learner_config(pair.query), "task": learner_config(pair.task)},
            "metrics": [reference_config(metric) for metric in metrics[dataset.label]],
        }
        | known.of(_roles(experiment, strategy, pair, metrics[dataset.label]))
        for dataset, strategy, pair in experiment.combinations()
    ]
    warn_of_unseen(known.entries())
    configs = [config | {"seed": seed} for seed in experiment.seeds for config in combined]
    return [Run(config, position) for position, config in enumerate(configs)]


class _Known:
    """Parts that were looked up before; each is looked up once."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.parts: dict[str, Parts] = {}

    def of(self, roles: Mapping[str, Sequence[Reference]]) -> dict[str, Any]:
        """Return what a run's configuration says of its parts: ``revisions`` by role, and ``versions``."""
        found = {role: [self._one(ref) for ref in refs] for role, refs in roles.items() if refs}
        stated = {role: {k: v for parts in some for k, v in revisions(parts).items()} for role, some in found.items()}
        everything = [entry for some in found.values() for parts in some for entry in parts.values()]
        return {"revisions": stated, "versions": versions(everything)}

    def _one(self, ref: Reference) -> Parts:
        key = canonical({"kind": ref.kind, "name": ref.name, "params": ref.params})
        if key not in self.parts:
            self.parts[key] = made_of(self.registry, ref.kind, ref.name, ref.params)
        return self.parts[key]

    def entries(self) -> list[Entry]:
        """Return all entries that were found."""
        return [entry for parts in self.parts.values() for entry in parts.values()]


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


def _roles(
    experiment: Experiment, strategy: StrategyRef, pair: Pair, metrics: Sequence[Reference]
) -> dict[str, Sequence[Reference]]:
    """Return what takes part in a run, by what it does there."""
    cold = experiment.start.cold_start
    return {
        "strategy": [strategy], "cold_start": [cold] if cold else [], "query": [pair.query], "task": [pair.task],
        "stop": experiment.stop, "metrics": metrics,
    }  # fmt: skip


def _shared(experiment: Experiment) -> dict[str, Any]:
    start = experiment.start.model_dump(exclude={"cold_start"})
    cold = experiment.start.cold_start
    exact = {"reuse": experiment.reuse} if experiment.reuse == "exact" else {}
    return exact | {
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
