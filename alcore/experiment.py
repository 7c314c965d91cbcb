"""An experiment: a TOML file, checked as a whole, that becomes runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ByteSize, Field, Strict, ValidationError

from alcore.errors import AlcoreError, InputError, UnknownNameError, did_you_mean
from alcore.mistakes import Mistake, Place, of_pydantic, path_of, shown, told
from alcore.pairing import Facts, Misfit, metric_mismatch, mismatch
from alcore.plugins import Plugins, with_files
from alcore.references import (
    CurveMetricRef,
    DatasetRef,
    Pair,
    RoundMetricRef,
    StopRef,
    StrategyRef,
    Table,
    label_of,
    named,
    pair_label,
    paired,
)
from alcore.registry import Registry
from alcore.select import Ties
from alcore.spec import WHERE
from alcore.splits import SplitMethod, StartMethod
from alcore.stats import NOT_METRICS

T = TypeVar("T")
Whole = Annotated[int, Strict()]  # TOML tells numbers from texts and truth values, and so do we
Number = Annotated[float, Strict()]


class ExperimentError(InputError):
    """An experiment with mistakes; ``problems`` lists all of them."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.problems = problems
        count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        super().__init__(f"{source} has {count}:\n" + "\n".join(f"  - {problem}" for problem in problems))


def _in_order(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return value
    raise ValueError(
        "this is one table; for a list of them write its head with two brackets, [[...]]."
        if isinstance(value, Mapping)
        else f"give a list; it is {shown(value)}."
    )


def _some(value: Any) -> Any:
    if value in ([], ()):
        raise ValueError("give one at least; the list is empty.")
    return _in_order(value)


Listed: TypeAlias = Annotated[tuple[T, ...], BeforeValidator(_in_order)]
Some: TypeAlias = Annotated[tuple[T, ...], BeforeValidator(_some)]


class Split(Table):
    """How the test set is drawn.

    ``standardize`` gives every column of the pool mean 0 and deviation 1, and the test set the same shift and scale. It
    uses rows that nobody has labelled; ``scale`` of a learner does not. ``seed`` draws the same test set for all seeds.
    """

    method: SplitMethod = "random"
    test_size: Number = Field(0.4, gt=0, lt=1)
    standardize: bool = False
    seed: Whole | None = Field(None, ge=0)


class Start(Table):
    """How the start set is drawn: ``size`` rows, or ``size`` of each class for "per-class"; 0 starts without labels.

    ``classes = "all"`` skips a run whose start set lacks a class. ``cold_start`` is the strategy that is asked while
    nothing is labelled. ``seed`` draws by this seed and not by the run's.
    """

    method: StartMethod = "random"
    size: Whole = Field(20, ge=0)
    classes: Literal["any", "all"] = "any"
    seed: Whole | None = Field(None, ge=0)
    cold_start: Annotated[StrategyRef, BeforeValidator(named)] | None = None


def _memory(value: Any) -> Any:
    if value is None or (isinstance(value, str) and re.fullmatch(r"\s*\d+(\.\d*)?\s*[kKMGT]i?B\s*", value)):
        return value
    raise ValueError(f'give a size with its unit, such as "2 GB" or "500 MB"; it is {shown(value)}.')


def size_text(size: int) -> str:
    """Return a number of bytes as people write it."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size / 1000:g} kB"


class Limits(Table):
    """Seconds and memory per run, and how often a run is tried again when its process dies.

    ``memory`` is the resident size of the run's process and its children: "2 GB".
    """

    seconds: Number | None = Field(None, gt=0)
    memory: Annotated[ByteSize, Field(gt=0), BeforeValidator(_memory)] | None = None
    retries: Whole = Field(1, ge=0)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Labels = Annotated[tuple[str, ...], BeforeValidator(_listed)]
FIELDS = ("datasets", "strategies", "learners")
"""What is combined."""


class Exclude(Table):
    """Pairs that are left out: every combination of these labels; what is not named is everything."""

    datasets: Labels = ()
    strategies: Labels = ()
    learners: Labels = ()

    def covers(self, dataset: str, strategy: str, learner: str) -> bool:
        """Tell whether this combination is left out."""
        parts = ((self.datasets, dataset), (self.strategies, strategy), (self.learners, learner))
        return all(not given or label in given for given, label in parts)


class Metrics(Table):
    """Round metrics, recorded in each round, and curve metrics, shown at the end."""

    round: Listed[Annotated[RoundMetricRef, BeforeValidator(named)]] = ()
    curve: Listed[Annotated[CurveMetricRef, BeforeValidator(named)]] = ()


def _seeds(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return list(range(value))
    if isinstance(value, list | tuple) and value:
        return value
    raise ValueError(f"give how many seeds, or a list of seeds; it is {shown(value)}.")


def _budget(value: Any) -> Any:
    labels = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if labels or value == "all" or (isinstance(value, float) and 0 < value < 1):
        return value
    raise ValueError(
        f'give a number of labels, a share of the pool above 0 and below 1, or "all"; it is {shown(value)}.'
    )


class Experiment(Table):
    """Data sets x learners x strategies x seeds, and the protocol they share.

    ``preset`` names the keys that hold where the file does not say otherwise; see ``alcore list presets``.

    ``budget`` is the number of labels asked for after the start set, "all", or a share of the pool below 1.
    ``seeds`` is a list, or a number k for 0..k-1. With ``reuse = "exact"`` a result is reused only where all versions
    are those it was made with, not only the revisions of its parts.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$")
    datasets: Some[Annotated[DatasetRef, BeforeValidator(named)]]
    strategies: Some[Annotated[StrategyRef, BeforeValidator(named)]]
    learners: Some[Annotated[Pair, BeforeValidator(paired)]]
    seeds: Annotated[tuple[Annotated[Whole, Field(ge=0)], ...], BeforeValidator(_seeds)] = (0, 1, 2, 3, 4)
    batch: Whole = Field(1, ge=1)
    budget: Annotated[int | float | Literal["all"], BeforeValidator(_budget)] = "all"
    ties: Ties = "random"
    features: Literal["standard", "raw", "tfidf"] = "standard"
    reuse: Literal["revisions", "exact"] = "revisions"
    split: Split = Split()
    start: Start = Start()
    limits: Limits = Limits()
    metrics: Metrics = Metrics()
    stop: Listed[Annotated[StopRef, BeforeValidator(named)]] = ()
    exclude: Listed[Exclude] = ()
    plugins: Listed[Path] = ()

    def combinations(self) -> Iterator[tuple[DatasetRef, StrategyRef, Pair]]:
        """Yield every data set, strategy and learner pair that is not excluded."""
        for dataset in self.datasets:
            for pair in self.learners:
                for strategy in self.strategies:
                    if not any(one.covers(dataset.label, strategy.label, pair.label) for one in self.exclude):
                        yield dataset, strategy, pair


TABLES: dict[str, type[BaseModel]] = {
    "split": Split, "start": Start, "limits": Limits, "metrics": Metrics, "learners": Pair, "exclude": Exclude,
}  # fmt: skip


def load(path: Path, plugins: Plugins) -> Experiment:
    """Read an experiment file. Paths in it, of plugin files and of data, are relative to it.

    Raises
    ------
    InputError
        If the file cannot be read.
    ExperimentError
        With every mistake: TOML syntax, unknown keys, names and parameters, wrong values, wrong pairings.
    """
    try:
        text = path.read_text(encoding="utf8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read the experiment {path}: {getattr(error, 'strerror', error)}. Give UTF-8."
        ) from error
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = "lists in lists too deep" if isinstance(error, RecursionError) else error
        raise ExperimentError(str(path), [f"not TOML: {why}. Mend it: text is in quotes; key = value."]) from error
    registry, mistakes = plugins.registry, []
    if isinstance(raw.get("datasets"), list):
        raw["datasets"] = [_located(entry, path.parent) for entry in raw["datasets"]]
    if isinstance(raw.get("plugins"), list):
        raw["plugins"] = [str(path.parent / file) if isinstance(file, str) else file for file in raw["plugins"]]
        for position, file in enumerate(raw["plugins"]):
            try:
                registry = with_files(replace(plugins, registry=registry), [Path(file)])
            except InputError as error:
                mistakes.append(Mistake(str(error), (("plugins", position),)))
            except TypeError:  # no text: told with the other wrong values
                continue
    return _checked(raw, registry, mistakes, str(path), text)


def _located(entry: Any, folder: Path) -> Any:
    """Return a data set's entry with its relative paths starting from the experiment's folder."""
    if not isinstance(entry, Mapping):
        return entry
    paths = {key: value for key, value in entry.items() if key in WHERE and isinstance(value, str)}
    return dict(entry) | {key: str(folder / Path(value).expanduser()) for key, value in paths.items()}


def parse(raw: Mapping[str, Any], registry: Registry, *, source: str = "the experiment") -> Experiment:
    """Check an experiment given as a mapping, of the shape of the TOML file.

    Raises
    ------
    ExperimentError
        With every mistake.
    """
    return _checked(raw, registry, [], source, "")


def _checked(raw: Mapping[str, Any], registry: Registry, plugins: list[Mistake], source: str, text: str) -> Experiment:
    """Return the experiment; ``plugins`` are the mistakes in its plugin files."""
    mistakes = list(plugins)
    raw = _with_preset(raw, registry, mistakes)
    try:
        experiment = Experiment.model_validate(raw, context={"registry": registry})
    except ValidationError as error:
        for one in error.errors():
            unknown = isinstance(one.get("ctx", {}).get("error"), UnknownNameError)
            if unknown and plugins:
                continue  # a file that could not be loaded may have it
            place = _place(one["loc"], raw)
            table = TABLES.get(str(place[0]), Experiment) if len(place) > 1 else Experiment
            mistakes.append(of_pydantic(one, place, table.model_fields))
    mistakes += _together(raw, registry)
    if mistakes:
        raise ExperimentError(source, told(mistakes, text))
    return experiment


def _with_preset(raw: Mapping[str, Any], registry: Registry, mistakes: list[Mistake]) -> dict[str, Any]:
    """Return the keys of the preset under those of the file; in a table that both have, key by key."""
    keys = dict(raw)
    if "preset" not in keys:
        return keys
    given = keys.pop("preset")
    try:
        table = dict(named(given))
        below = dict(registry.build("preset", str(table.pop("name")), **table))
    except (ValueError, AlcoreError) as error:
        mistakes.append(Mistake(str(error), (("preset",),)))
        return keys
    for key, value in keys.items():
        both = isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        below[key] = {**below[key], **value} if both else value
    return below


def _place(location: Place, raw: Mapping[str, Any]) -> Place:
    """Return where a mistake stands as written: a learner that is named once has no query and task there."""
    if len(location) > 2 and location[0] == "learners" and location[2] in ("query", "task"):
        item = raw["learners"][location[1]]
        if isinstance(item, str) or "name" in item:
            return location[:2] + location[3:]
    return location


@dataclass(frozen=True)
class _Written:
    """An entry of a list, which may be wrong: its place, its label, what it names (query and task learner), and how."""

    place: Place
    label: str
    names: tuple[str, ...]
    params: Mapping[str, Any]


def _written(listed: Any, *at: str) -> list[_Written]:
    """Return the entries of a list of references, as far as they can be read."""
    found = []
    for position, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
        try:
            table = paired(item) if at == ("learners",) else named(item)
            pair = "query" in table or "task" in table
            tables = [named(table[role]) for role in ("query", "task")] if pair else [table]
        except (ValueError, KeyError):
            continue  # told as a wrong value
        own = table.get("label") if "query" in table else None
        label = own or pair_label(label_of(tables[0]), label_of(tables[-1]))
        params = {key: value for key, value in table.items() if key not in ("name", "label")}
        found.append(_Written((*at, position), str(label), tuple(str(one["name"]) for one in tables), params))
    return found


def _together(raw: Mapping[str, Any], registry: Registry) -> Iterator[Mistake]:
    """Yield what is wrong between entries, however wrong each may be by itself."""
    written = {field: _written(raw.get(field), field) for field in FIELDS}
    metrics = raw["metrics"] if isinstance(raw.get("metrics"), Mapping) else {}
    scored = _written(metrics.get("round"), "metrics", "round")
    for entry in scored:
        if entry.label in NOT_METRICS:
            text = f"{entry.label!r} is another column of every record; give the metric another label."
            yield Mistake(text, (entry.place,))
    for entries in (*written.values(), scored):
        first: dict[str, _Written] = {}
        for entry in entries:
            if first.setdefault(entry.label, entry) is not entry:
                there = path_of(first[entry.label].place)
                text = f'the label {entry.label!r} is that of {there} already; give another: label = "..."'
                yield Mistake(text, (entry.place,))
        entries[:] = first.values()
    seeds = raw["seeds"] if isinstance(raw.get("seeds"), list | tuple) else ()
    for position, seed in enumerate(seeds):
        if seed in seeds[:position] and type(seed) is int:
            yield Mistake(f"the seed {seed} occurs twice.", (("seeds", position),))
    excludes, strange = _excludes(raw.get("exclude", ()), written)
    yield from strange
    if excludes is not None and not strange:  # else it cannot be told which pairs are meant
        yield from _misfits(written, excludes, scored, raw.get("batch"), registry)


def _excludes(listed: Any, written: Mapping[str, Sequence[_Written]]) -> tuple[list[Exclude] | None, list[Mistake]]:
    """Return what is left out, None if it is written wrongly, and which labels in it are those of nothing."""
    items = listed if isinstance(listed, list | tuple) else ()
    strange = []
    for position, item in enumerate(items):
        if item == {}:
            text = "this names nothing, which leaves out everything; name datasets, strategies or learners."
            strange.append(Mistake(text, (("exclude", position),)))
        for field in FIELDS:
            labels = [entry.label for entry in written[field]]
            given = _listed(item.get(field, ())) if isinstance(item, Mapping) else ()
            for label in given if isinstance(given, list | tuple) and labels else ():
                if isinstance(label, str) and label not in labels:
                    text = f"{label!r} is none of the labels {', '.join(labels)}.{did_you_mean(label, labels)}"
                    strange.append(Mistake(text, (("exclude", position, field),)))
    try:
        return [Exclude.model_validate(item) for item in _in_order(listed)], strange
    except ValueError:  # told as a wrong value
        return None, strange


def _misfits(
    written: Mapping[str, Sequence[_Written]],
    excludes: Sequence[Exclude],
    scored: Sequence[_Written],
    batch: Any,
    registry: Registry,
) -> Iterator[Mistake]:
    """Yield what cannot work together, as far as specs tell before a data set is loaded."""
    batch = batch if isinstance(batch, int) else 1
    known = [entry for entry in written["datasets"] if registry.get("dataset", entry.names[0])] or [_NO_DATA]
    for data, pair, strategy in product(known, written["learners"], written["strategies"]):
        if any(one.covers(data.label, strategy.label, pair.label) for one in excludes):
            continue
        facts = replace(Facts.of_spec(registry, data.names[0]), name=data.label)
        query, task = pair.names[0], pair.names[-1]
        wrong = mismatch(registry, facts, strategy.names[0], query, task, params=strategy.params, batch=batch)
        found: list[tuple[Misfit, _Written | None]] = [(one, None) for one in wrong]
        found += [(one, m) for m in scored for one in metric_mismatch(registry, facts, m.names[0], task, m.params)]
        for misfit, metric in found:
            places = {
                "strategy": strategy.place,
                "query": pair.place if query == task else (*pair.place, "query"),
                "task": pair.place if query == task else (*pair.place, "task"),
                "dataset": data.place,
                "batch": ("batch",),
                "metric": metric.place if metric else (),
            }
            text = misfit.told(dataset=data.label, strategy=strategy.label, learner=pair.label)
            yield Mistake(text, tuple(places[part] for part in misfit.parts))
    combined = list(product(*written.values()))
    if combined and all(any(one.covers(d.label, s.label, p.label) for one in excludes) for d, s, p in combined):
        yield Mistake("this leaves out everything, so that nothing would be run.", (("exclude",),))


_NO_DATA = _Written(("datasets",), "", ("",), {})
