"""An experiment: a TOML file, checked as a whole, that becomes runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from alcore.errors import InputError, did_you_mean
from alcore.pairing import Facts, metric_mismatch, mismatch
from alcore.plugins import Plugins, with_files
from alcore.registry import Registry
from alcore.select import Ties
from alcore.spec import Kind, MetricSpec
from alcore.splits import SplitMethod, StartMethod


class ExperimentError(InputError):
    """An experiment with mistakes; ``problems`` lists all of them."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.problems = problems
        count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        super().__init__(f"{source} has {count}:\n" + "\n".join(f"  - {problem}" for problem in problems))


class Strict(BaseModel):
    """A table that knows all its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class Reference(BaseModel):
    """Something by name: ``"margin"`` or ``{name = "qbc", members = 10, label = "Q"}``; other keys are parameters."""

    model_config = ConfigDict(extra="allow", frozen=True)
    kind: ClassVar[Kind]

    name: str
    label: str = ""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters."""
        return dict(self.model_extra or {})

    @model_validator(mode="after")
    def _known(self, info: ValidationInfo[dict[str, Registry]]) -> Self:
        registry = info.context["registry"]
        spec = registry.entry(self.kind, self.name).spec
        reason = spec.missing()
        if reason:
            raise ValueError(f"{self.kind} {self.name!r} {reason}")
        spec.check_params(self.params)
        if not self.label:
            inside = ",".join(f"{key}={value}" for key, value in sorted(self.params.items()))
            object.__setattr__(self, "label", f"{self.name}({inside})" if inside else self.name)
        return self


class StrategyRef(Reference):
    """A strategy by name."""

    kind = "strategy"


class LearnerRef(Reference):
    """A learner by name."""

    kind = "learner"
    refit: Literal["scratch", "continue"] = "scratch"


class DatasetRef(Reference):
    """A data set by name."""

    kind = "dataset"


class MetricRef(Reference):
    """A metric by name."""

    kind = "metric"


class StopRef(Reference):
    """A stop rule by name."""

    kind = "stop-rule"


class Pair(Strict):
    """The learner that guides the strategy and the one that is scored; the same one where only one is named."""

    query: Annotated[LearnerRef, BeforeValidator(_named)]
    task: Annotated[LearnerRef, BeforeValidator(_named)]
    label: str = ""

    @model_validator(mode="after")
    def _labelled(self) -> Self:
        if not self.label:
            same = self.query == self.task
            object.__setattr__(self, "label", self.task.label if same else f"{self.query.label}->{self.task.label}")
        return self


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return {"query": value, "task": value}
    if isinstance(value, Mapping) and "name" in value:
        one = {key: item for key, item in value.items() if key != "label"}
        return {"query": one, "task": one} | {key: value[key] for key in ("label",) if key in value}
    return value


class Split(Strict):
    """How the test set is drawn."""

    method: SplitMethod = "random"
    test_size: float = Field(0.4, gt=0, lt=1)


class Start(Strict):
    """How the start set is drawn: ``size`` rows, or ``size`` of each class for "per-class"; 0 starts without labels.

    ``classes = "all"`` skips a run whose start set lacks a class. ``cold_start`` is the strategy that is asked while
    nothing is labelled.
    """

    method: StartMethod = "random"
    size: int = Field(20, ge=0)
    classes: Literal["any", "all"] = "any"
    cold_start: Annotated[StrategyRef, BeforeValidator(_named)] | None = None


class Limits(Strict):
    """Seconds per run, and how often a run is tried again when its process dies."""

    seconds: float | None = Field(None, gt=0)
    retries: int = Field(1, ge=0)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Labels = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Exclude(Strict):
    """Pairs that are left out: every combination of these labels; what is not named is everything."""

    datasets: Labels = ()
    strategies: Labels = ()
    learners: Labels = ()

    def covers(self, dataset: str, strategy: str, learner: str) -> bool:
        """Tell whether this combination is left out."""
        parts = ((self.datasets, dataset), (self.strategies, strategy), (self.learners, learner))
        return all(not given or label in given for given, label in parts)


class Metrics(Strict):
    """Round metrics, recorded in each round, and curve metrics, shown at the end."""

    round: tuple[Annotated[MetricRef, BeforeValidator(_named)], ...] = ()
    curve: tuple[Annotated[MetricRef, BeforeValidator(_named)], ...] = ()

    @model_validator(mode="after")
    def _scoped(self, info: ValidationInfo[dict[str, Registry]]) -> Self:
        for scope, refs in (("round", self.round), ("curve", self.curve)):
            for ref in refs:
                spec: MetricSpec = info.context["registry"].entry("metric", ref.name).spec
                if spec.scope != scope:
                    raise ValueError(f"{ref.name!r} is a {spec.scope} metric; list it under metrics.{spec.scope}")
        return self


def _seeds(value: Any) -> Any:
    return list(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value


class Experiment(Strict):
    """Data sets x learners x strategies x seeds, and the protocol they share.

    ``budget`` is the number of labels asked for after the start set, "all", or a share of the pool below 1.
    ``seeds`` is a list, or a number k for 0..k-1.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$")
    datasets: tuple[Annotated[DatasetRef, BeforeValidator(_named)], ...] = Field(min_length=1)
    strategies: tuple[Annotated[StrategyRef, BeforeValidator(_named)], ...] = Field(min_length=1)
    learners: tuple[Annotated[Pair, BeforeValidator(_paired)], ...] = Field(min_length=1)
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(_seeds)] = Field(
        (0, 1, 2, 3, 4), min_length=1
    )
    batch: int = Field(1, ge=1)
    budget: Annotated[int, Field(ge=0)] | Annotated[float, Field(gt=0, lt=1)] | Literal["all"] = "all"
    ties: Ties = "random"
    features: Literal["standard", "raw"] = "standard"
    split: Split = Split()
    start: Start = Start()
    limits: Limits = Limits()
    metrics: Metrics = Metrics()
    stop: tuple[Annotated[StopRef, BeforeValidator(_named)], ...] = ()
    exclude: tuple[Exclude, ...] = ()
    plugins: tuple[Path, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for field, refs in (("datasets", self.datasets), ("strategies", self.strategies), ("learners", self.learners)):
            labels = [ref.label for ref in refs]
            twice = sorted({label for label in labels if labels.count(label) > 1})
            if twice:
                raise ValueError(f"{field}: {twice[0]!r} occurs twice; give one of them another label")
            for position, exclude in enumerate(self.exclude):
                for label in getattr(exclude, field):
                    if label not in labels:
                        raise ValueError(
                            f"exclude[{position}].{field}: {label!r} is none of the labels {', '.join(labels)}."
                            f"{did_you_mean(label, labels)}"
                        )
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("seeds: a seed occurs twice")
        return self

    def combinations(self) -> Iterator[tuple[DatasetRef, StrategyRef, Pair]]:
        """Yield every data set, strategy and learner pair that is not excluded."""
        for dataset in self.datasets:
            for pair in self.learners:
                for strategy in self.strategies:
                    if not any(one.covers(dataset.label, strategy.label, pair.label) for one in self.exclude):
                        yield dataset, strategy, pair


def load(path: Path, plugins: Plugins) -> Experiment:
    """Read an experiment file. Paths of plugin files in it are relative to it.

    Raises
    ------
    ExperimentError
        With every mistake: TOML syntax, unknown keys, names and parameters, wrong values, wrong pairings.
    """
    try:
        text = path.read_text(encoding="utf8")
    except OSError as error:
        raise InputError(f"cannot read the experiment {path}: {error.strerror or error}.") from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(str(path), [f"not TOML: {error}"]) from error
    listed = raw.get("plugins", [])
    files = [path.parent / file for file in listed if isinstance(file, str)] if isinstance(listed, list) else []
    if files:
        raw = raw | {"plugins": [str(file) for file in files]}
    return parse(raw, with_files(plugins, files), source=str(path), text=text)


def parse(raw: Mapping[str, Any], registry: Registry, *, source: str = "the experiment", text: str = "") -> Experiment:
    """Check an experiment given as a mapping, of the shape of the TOML file.

    Raises
    ------
    ExperimentError
        With every mistake.
    """
    problems: list[str] = []
    experiment: Experiment | None = None
    try:
        experiment = Experiment.model_validate(raw, context={"registry": registry})
    except ValidationError as error:
        problems += [_problem(one, text) for one in error.errors()]
    problems += _pairings(raw, experiment, registry)
    if problems or experiment is None:
        raise ExperimentError(source, list(dict.fromkeys(problems)))
    return experiment


def _problem(error: Any, text: str) -> str:
    """One mistake of pydantic's, as path (line): message."""
    location = [
        part for part in error["loc"] if not (isinstance(part, str) and part.startswith(("function-", "const")))
    ]
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        model = Experiment if len(location) == 1 else _TABLES.get(str(location[0]), Experiment)
        message = f"no such key.{did_you_mean(str(location[-1]), model.model_fields)}"
    elif "Value error" not in error["msg"] and error["type"] != "missing":
        message += f" (given: {error['input']!r})"
    line = _line(text, [part for part in location if isinstance(part, str)])
    return f"{path}{f' (line {line})' if line else ''}: {message}" if path else message


_TABLES: dict[str, type[BaseModel]] = {"split": Split, "start": Start, "limits": Limits, "metrics": Metrics}


def _line(text: str, keys: list[str]) -> int | None:
    """Return the line on which the deepest of these keys is set, as far as the text shows it."""
    found, after = None, 0
    lines = text.splitlines()
    for key in keys:
        pattern = re.compile(rf"^\s*(\[+\s*)?[\"']?{re.escape(key)}[\"']?\s*(=|\])")
        hit = next((i for i in range(after, len(lines)) if pattern.match(lines[i])), None)
        if hit is None:
            break
        found = after = hit
    return None if found is None else found + 1


def _names(value: Any, key: str) -> list[str]:
    """Return the names in a list of references as written, however wrong the rest is."""
    return list(_each_name(value, key))


def _each_name(value: Any, key: str) -> Iterator[str]:
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            name = item.get("name", item.get(key))
            name = name.get("name") if isinstance(name, Mapping) else name
            if isinstance(name, str):
                yield name


def _pairings(raw: Mapping[str, Any], experiment: Experiment | None, registry: Registry) -> list[str]:
    """Return what cannot work together, from the mapping as written where other things in it are wrong too."""
    if experiment is not None:
        combinations = [(d.name, s.name, p.query.name, p.task.name) for d, s, p in experiment.combinations()]
        metrics = [ref.name for ref in experiment.metrics.round]
        batch = experiment.batch
    elif raw.get("exclude"):
        return []  # which pairs are meant can only be told once the rest is right
    else:
        learners = raw.get("learners")
        combinations = [
            (dataset, strategy, query, task)
            for dataset in _names(raw.get("datasets"), "") or [""]
            for strategy in _names(raw.get("strategies"), "")
            for query, task in zip(_names(learners, "query"), _names(learners, "task"), strict=False)
        ]
        listed = raw.get("metrics")
        metrics = _names(listed.get("round") if isinstance(listed, Mapping) else None, "")
        batch = 1
    problems: list[str] = []
    for dataset, strategy, query, task in combinations:
        facts = Facts.of_spec(registry, dataset)
        problems += mismatch(registry, facts, strategy, query, task, batch=batch)
        problems += metric_mismatch(registry, facts, metrics, task)
    return problems
