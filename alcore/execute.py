"""Executes one run from its configuration, wherever that is: in this process, a worker, or on a cluster."""

from __future__ import annotations

import math
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, TypeVar

import numpy as np

from alcore import plugins
from alcore.dataset import Dataset, encode
from alcore.doubts import doubts, warn
from alcore.engine import ArrayOracle, Simulation, Test, simulate
from alcore.errors import InputError, SkippedError, StorageError, described
from alcore.pool import Pool, alike, has_gaps, take
from alcore.protocols import Record, Strategy, Truth
from alcore.reasons import trimmed
from alcore.registry import Registry, asked
from alcore.results import PROTOCOL, Result, Run, canonical
from alcore.splits import split, start_set
from alcore.store import Store
from alcore.surroundings import undisturbed
from alcore.threads import limited
from alcore.types import Labels, Rows, Status, Task
from alcore.view import View

T = TypeVar("T")


@dataclass(frozen=True)
class Prepared:
    """The pool of a run, its labels, the rows of the data set it is made of, and the test set."""

    pool: Pool
    y: Labels
    rows: Rows
    test: Test


@dataclass(frozen=True)
class Source:
    """A finished run whose rows another one follows: the folder of its store, and its id."""

    store: Path
    run: str

    def rows(self) -> list[Rows]:
        """Return the rows of each of its rounds, the start set first."""
        return [np.asarray(rows, dtype=np.intp) for rows in Store(self.store).records([self.run])["rows"]]


class Follow:
    """A strategy that asks for the rows that a run has recorded, round by round."""

    name = "rescore"

    def __init__(self, rows: Sequence[Rows]) -> None:
        self.rows = rows

    def query(self, view: View, n: int) -> Rows:
        """Return the recorded rows of this round.

        Raises
        ------
        SkippedError
            If the run that is followed ended before.
        """
        if view.t >= len(self.rows):
            raise SkippedError(
                f"the recorded rows end after round {len(self.rows) - 1}, where a stop rule ended that run; with this "
                "task learner it goes on, which only a run of its own can: alcore run."
            )
        return self.rows[view.t]


def execute(
    run: Run,
    files: Sequence[Path] = (),
    *,
    time_limit: float | None = None,
    replay: Sequence[Record] = (),
    keep: Callable[[Record], None] | None = None,
    follow: Source | None = None,
) -> Result:
    """Execute a run; what goes wrong in it becomes its status, with the rounds before it.

    Parameters
    ----------
    run : Run
    files : paths of plugin files
    time_limit : float or None
        Seconds, checked between rounds.
    replay : sequence of Record
        The rounds of an earlier, interrupted part; not used where the strategy's spec says it cannot be resumed.
    keep : function of a record, or None
        Called with each round, replayed ones included, as soon as it is there.
    follow : Source or None
        A run whose rows are labelled instead of asking the strategy, whose times are then NaN: they are not those of
        a query.

    Raises
    ------
    StorageError
        If ``keep`` cannot write.
    """
    began = perf_counter()
    records: list[Record] = []
    users = _can_be_interrupted()
    with limited() as threads, undisturbed(str(run)), _warnings() as caught:
        try:
            registry = plugins.with_files(plugins.loaded(), files)
            _check_code(run.config, registry, ("task", "metrics") if follow else None)
            strategy = Follow(follow.rows()) if follow else None
            asks = run.config["strategy"]
            if not strategy and not registry.entry("strategy", asks["name"]).spec.given(asks["params"]).resumable:
                replay = ()
            for record in replay:
                _take(record, records, keep)
            with asked() as parts:
                simulation = assemble(run.config, registry, time_limit=time_limit, replay=replay, strategy=strategy)
                threads.renew()
                for record in simulation:
                    own = record if not follow else replace(record, query_time=math.nan, update_time=math.nan)
                    _take(own, records, keep)
                    threads.renew()
            _warn_of_undeclared(run.config, parts)
            outcome = simulation.outcome
            assert outcome is not None  # noqa: S101 - the iteration is over
            status, reason, trace = outcome.status, outcome.reason, ""
        except StorageError:  # what the disk refuses is no run's failure: it ends the experiment, and nothing is kept
            raise
        except SkippedError as error:
            status, reason, trace = Status.SKIPPED, str(error), ""
        except BaseException as error:
            # A failure is a result, kept with its reason and counted in every table: a SystemExit too, or whatever a
            # strategy may raise. Only the user's own Ctrl-C is for all runs.
            if users and isinstance(error, KeyboardInterrupt):
                raise
            status, reason, trace = Status.FAILED, described(error), traceback.format_exc()
    told = [f"{w.category.__name__}: {w.message}" for w in caught]
    return trimmed(Result(status, reason, records, told, trace, perf_counter() - began))


def _can_be_interrupted() -> bool:
    """Return whether Ctrl-C can raise a KeyboardInterrupt here: in a main thread that does not ignore it."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def _check_code(config: Mapping[str, Any], registry: Registry, roles: Collection[str] | None) -> None:
    """Raise InputError if a part of the run, of these roles or of all, is not in the revision it was planned with.

    A worker imports code anew, which may have been edited since.
    """
    for role, stated in config.get("revisions", {}).items():
        for part, revision in stated.items() if roles is None or role in roles else ():
            kind, _, name = part.partition(" ")
            entry = registry.get(kind, name)
            if entry is not None and entry.revision != revision:
                raise InputError(
                    f"{part} has changed since the run was planned: its revision was {revision} and is "
                    f"{entry.revision}. Plan again: alcore run EXPERIMENT.toml."
                )


def _warn_of_undeclared(config: Mapping[str, Any], parts: Iterable[tuple[str, str]]) -> None:
    """Warn of what was made by name while the run went on, and is no part of its id."""
    known = {part for stated in config.get("revisions", {}).values() for part in stated}
    unknown = [f"{kind} {name}" for kind, name in parts if kind != "dataset" and f"{kind} {name}" not in known]
    if config.get("revisions") and unknown:
        warnings.warn(
            f"{' and '.join(unknown)} took part without being declared: a change of it is not noticed, and the run not "
            "made anew. Name it in the spec's parts, or make it where the strategy is made.",
            stacklevel=2,
        )


def _take(record: Record, records: list[Record], keep: Callable[[Record], None] | None) -> None:
    records.append(record)
    if keep is not None:
        keep(record)


@contextmanager
def _warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect warnings, for the store. Only in a main thread: other threads share the list that this swaps."""
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def assemble(
    config: Mapping[str, Any],
    registry: Registry,
    *,
    time_limit: float | None = None,
    replay: Sequence[Record] = (),
    strategy: Strategy | None = None,
) -> Simulation:
    """Make the simulation that a run's configuration describes; ``strategy`` is asked in place of its own.

    Raises
    ------
    SkippedError
        If its start set must not be used.
    InputError
        If the data are not those it was planned with, or a part refuses its parameters.
    """
    prepared = prepare(config, registry)
    task = prepared.pool.task
    recipes = {
        role: registry.learner(one["name"], task, refit=one["refit"], **one["params"])
        for role, one in config["learner"].items()
        if role != "label"
    }
    if config["learner"]["query"] == config["learner"]["task"]:
        recipes["task"] = recipes["query"]
    start, budget = _start(config, prepared), _budget(config["budget"], len(prepared.pool))
    warn(doubts(task, prepared.pool.n_classes, prepared.y, prepared.test.y, len(start), budget))
    return simulate(
        prepared.pool,
        ArrayOracle(prepared.y),
        strategy or _build(registry, "strategy", config["strategy"]),
        recipes["query"],
        task_learner=recipes["task"],
        start=start,
        seed=config["seed"],
        budget=budget,
        batch=config["batch"],
        test=prepared.test,
        metrics={
            one["label"]: registry.round_metric(one["name"], prepared.pool.classes, **one["params"])
            for one in config["metrics"]
        },
        ties=config["ties"],
        stop=[_build(registry, "stop-rule", one) for one in config["stop"]],
        cold_start=_build(registry, "strategy", config["start"]["cold_start"])
        if config["start"]["cold_start"] and not strategy
        else None,
        truth=Truth(prepared.y, prepared.test.X, prepared.test.y),
        time_limit=time_limit,
        replay=replay,
    )


def _build(registry: Registry, kind: Any, one: Mapping[str, Any]) -> Any:
    return registry.build(kind, one["name"], **one["params"])


def _start(config: Mapping[str, Any], prepared: Prepared) -> Rows:
    start = config["start"]
    return start_set(
        prepared.y,
        prepared.pool.n_classes,
        prepared.pool.task,
        method=start["method"],
        size=start["size"],
        need_all=start["classes"] == "all",
        seed=_seed(start, config),
    )


def _seed(table: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    """Return the seed that a table of the protocol sets, else the run's."""
    return int(config["seed"] if table["seed"] is None else table["seed"])


def _budget(budget: int | float | str, pool: int) -> int | None:
    if budget == "all":
        return None
    return round(budget * pool) if isinstance(budget, float) else int(budget)


def prepare(config: Mapping[str, Any], registry: Registry) -> Prepared:
    """Load the data set of a run and split it as its configuration says.

    Raises
    ------
    InputError
        If the run was planned with another protocol, or the data are not those it was planned with.
    """
    if config["protocol"] != PROTOCOL:
        raise InputError(
            f"this run was planned with protocol {config['protocol']}; this alcore has {PROTOCOL}, and would not give "
            "the same records. Plan it again: alcore run EXPERIMENT.toml."
        )
    data, seed, parts = config["dataset"], config["seed"], config["split"]
    key = canonical({"data": data, "seed": seed, "split": parts, "features": config["features"]})
    return _PREPARED.get(key, lambda: _prepare(config, registry))


class _Recent(Generic[T]):
    """Keeps what was made last: runs that differ in strategy and learner only follow each other and share a pool."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.kept: dict[str, T] = {}

    def get(self, key: str, make: Callable[[], T]) -> T:
        if key not in self.kept:
            made = make()
            while len(self.kept) >= self.size:
                self.kept.pop(next(iter(self.kept)), None)
            self.kept[key] = made
        return self.kept[key]


_LOADED: _Recent[Dataset] = _Recent(4)
_PREPARED: _Recent[Prepared] = _Recent(2)


def _load(data: Mapping[str, Any], registry: Registry) -> Dataset:
    dataset: Dataset = registry.build("dataset", data["name"], **data["params"], **data.get("where", {}))
    found = dataset.fingerprint()
    if found != data["fingerprint"]:
        raise InputError(
            f"data set {data['label']!r} has changed since the run was planned: its fingerprint was "
            f"{data['fingerprint']} and is {found}. Plan again: alcore run EXPERIMENT.toml."
        )
    return dataset


def _prepare(config: Mapping[str, Any], registry: Registry) -> Prepared:
    data, parts = config["dataset"], config["split"]
    dataset = _LOADED.get(canonical(data), lambda: _load(data, registry))
    train, test = split(dataset, parts["method"], parts["test_size"], _seed(parts, config))
    task, classes = Task(dataset.task or Task.CLASSIFICATION), tuple(dataset.classes or ())
    X = take(dataset.X, train)
    if dataset.test is not None and len(test) == 0:
        X_test, y_test = (
            alike(X, dataset.test[0], f"{dataset.name}: test"),
            encode(dataset.test[1], task, classes or None).codes,
        )
    else:
        X_test, y_test = take(dataset.X, test), dataset.codes[test]
    if parts["standardize"]:
        X, X_test = _standardized(X, X_test, dataset.name)
    pool = Pool(X, task, classes, features=config["features"])
    return Prepared(pool, dataset.codes[train], train, Test(X_test, y_test))


def _standardized(X: Any, X_test: Any, name: str) -> tuple[Any, Any]:
    """Return both with the pool's means at 0 and its deviations at 1; a constant column is only centred."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub" or has_gaps(X):
        raise InputError(
            f"{name}: split.standardize needs an array (n, d) of numbers without gaps. Leave it out, and use learners "
            "that scale, such as logistic-regression."
        )
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test)
