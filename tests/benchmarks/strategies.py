"""What a query costs: alcore's strategies beside every wrapped implementation, on the same data and labelled rows.

``ALCORE_PLAYGROUND_PATH=... uv run --group adapters python -m tests.benchmarks strategies [NAME ...]``. All run in one
process of one thread, in processor time. Both sides get the fitted query learner, so that its fit is in neither figure;
fits that a strategy makes of its own are. ``run`` is set-up and all updates and queries, at as many rounds as stated.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore import plugins
from alcore.dataset import Dataset
from alcore.errors import AlcoreError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Rows, Task

PATIENCE = 40.0
"""Seconds after which one side's run is cut short; the rounds it did are shown."""


@dataclass(frozen=True)
class Duel:
    """One strategy of ours and those of the libraries that it is timed against."""

    ours: str
    peers: tuple[str, ...]
    learner: str = "logistic-regression"
    batch: int = 1
    rounds: int = 20
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    multilabel: bool = False
    large: bool = True
    """Whether the 10,000-row pool is tried too."""


DUELS = (
    Duel("margin", ("skactiveml.margin", "modal.margin", "libact.margin", "alipy.margin", "playground.margin")),
    Duel("entropy", ("skactiveml.entropy", "modal.entropy", "libact.entropy", "alipy.entropy")),
    Duel("qbc", ("libact.qbc-vote", "modal.qbc-vote", "alipy.qbc-vote", "skactiveml.qbc-vote")),
    Duel("bald", ("skactiveml.bald",), rounds=10, params={"bald": {"members": 10}}),
    Duel(
        "batch-bald", ("skactiveml.batch-bald",), rounds=3, batch=5, params={"batch-bald": {"members": 10}}, large=False
    ),
    Duel("eer", ("modal.eer", "skactiveml.eer", "libact.eer", "alipy.eer"), rounds=3, large=False),
    Duel("core-set", ("skactiveml.core-set", "alipy.core-set", "playground.core-set"), rounds=200),
    Duel("graph-density", ("alipy.graph-density", "playground.graph-density"), rounds=100),
    Duel("hierarchical", ("libact.hierarchical", "playground.hierarchical"), rounds=200),
    Duel("typiclust", ("skactiveml.typiclust",), rounds=10),
    Duel("prob-cover", ("skactiveml.prob-cover",), rounds=10),
    Duel("max-herding", ("skactiveml.max-herding",), rounds=10),
    Duel("quire", ("libact.quire", "alipy.quire", "skactiveml.quire"), rounds=3, large=False),
    Duel("dwus", ("libact.dwus",), rounds=20),
    Duel("hint-svm", ("libact.hint-svm",), rounds=10, large=False),
    Duel("mcm", ("playground.mcm",), learner="rbf-svm", batch=5),
    Duel("info-diverse", ("playground.informative-cluster-diverse",), batch=5),
    Duel("information-density", ("modal.information-density",), rounds=5),
    Duel("bmdr", ("alipy.bmdr",), rounds=2, large=False),
    Duel("spal", ("alipy.spal",), rounds=2, large=False),
    Duel("badge", ("skactiveml.badge",), batch=10, rounds=10),
    Duel("clue", ("skactiveml.clue",), batch=10, rounds=5),
    Duel("lal", ("alipy.lal",), rounds=3, large=False),
    Duel("albl", ("libact.albl",), rounds=20, large=False),
    Duel("bandit", ("playground.bandit",), rounds=10, large=False),
    Duel("mmc", ("libact.mmc", "alipy.mmc"), rounds=3, multilabel=True, large=False),
    Duel("adaptive", ("libact.adaptive", "alipy.adaptive"), rounds=3, multilabel=True, large=False),
)


@dataclass(frozen=True)
class Lap:
    """What one side cost, in seconds of processor time."""

    init: float
    query: float
    run: float
    rounds: int
    asked: list[Rows]


def pools(duel: Duel) -> Iterator[tuple[str, Pool, Any]]:
    """Yield the data sets of a duel: name, pool, labels."""
    registry = plugins.loaded().registry
    if duel.multilabel:
        from sklearn.datasets import make_multilabel_classification

        X, y = make_multilabel_classification(700, 20, n_classes=5, random_state=0)
        yield "multi-label, 700 x 20", Pool(X, Task.MULTILABEL, tuple(range(5))), y
        return
    data: Dataset = registry.build("dataset", "keel.australian")
    X = np.asarray(data.X, dtype=np.float64)
    codes = np.unique(np.asarray(data.y), return_inverse=True)[1]
    yield "australian, 690 x 14", Pool((X - X.mean(0)) / X.std(0), Task.CLASSIFICATION, (0, 1)), codes
    if duel.large:
        chance = np.random.default_rng(0)
        X = chance.normal(size=(10_000, 20))
        y = (X @ chance.normal(size=20) + chance.normal(size=10_000) > 0).astype(np.intp)
        yield "10,000 x 20", Pool(X, Task.CLASSIFICATION, (0, 1)), y


def side(name: str, duel: Duel, pool: Pool, y: Any, start: Rows, lead: list[Rows] | None) -> Lap:
    """Run one strategy; it labels the rows that ``lead`` asked, or its own where there is none."""
    registry = plugins.loaded().registry
    strategy = registry.build("strategy", name, **duel.params.get(name, {}))
    recipe: Recipe = registry.learner(duel.learner, task=pool.task)
    small = State(Pool(pool.take(start), pool.task, pool.classes), copy.deepcopy(strategy), recipe, seed=0)
    small.add(np.arange(60), y[start[:60]], start=True)
    small.query(duel.batch)  # what is imported and compiled on first use is nobody's cost
    fresh = Pool(pool.X, pool.task, pool.classes)  # nothing memoised by the other side
    np.sum(fresh.features)
    began = time.process_time()
    state = State(fresh, strategy, recipe, seed=0, ties="first")
    state.add(start, y[start], start=True)
    init = time.process_time() - began
    laps: list[float] = []
    asked: list[Rows] = []
    total = init
    for t in range(duel.rounds):
        if uses_learner(duel):
            state.model()
        began = time.process_time()
        asked.append(state.query(duel.batch))
        laps.append(time.process_time() - began)
        rows = asked[-1] if lead is None else lead[t] if t < len(lead) else asked[-1]
        began = time.process_time()
        state.add(rows, y[rows])
        laps[-1] += time.process_time() - began
        total += laps[-1]
        if total > PATIENCE:
            break
    return Lap(init, statistics.median(laps), total, len(laps), asked)


def uses_learner(duel: Duel) -> bool:
    """Tell whether the query learner is fitted before the clock starts: where the strategy of ours uses one."""
    return bool(plugins.loaded().registry.entry("strategy", duel.ours).spec.learner)


def fight(duel: Duel) -> Iterator[str]:
    """Yield the lines of the table for one duel."""
    known = plugins.loaded().registry
    for title, pool, y in pools(duel):
        start = np.random.default_rng(1).choice(len(pool), size=100, replace=False)
        ours = side(duel.ours, duel, pool, y, start, None)
        yield line(title, duel.ours, ours, None, "")
        for peer in duel.peers:
            entry = known.get("strategy", peer)
            if entry is None or entry.spec.missing():
                yield f"| {title} | {peer} | not available here | | | | | | |"
                continue
            try:
                theirs = side(peer, duel, pool, y, start, ours.asked)
            except (AlcoreError, MemoryError) as error:
                yield f"| {title} | {peer} | {type(error).__name__}: {str(error)[:60]} | | | | | | |"
                continue
            same = np.mean([set(a.tolist()) == set(b.tolist()) for a, b in zip(ours.asked, theirs.asked, strict=False)])
            yield line(title, peer, theirs, ours, f"{100 * same:.0f} %")


def line(title: str, name: str, lap: Lap, ours: Lap | None, same: str) -> str:
    """Return one line of the table; ratios are theirs to ours, the run's over the same number of rounds."""
    per_query = f"{lap.query / ours.query:.1f}" if ours else ""
    run = f"{lap.run / (ours.init + ours.query * lap.rounds):.1f}" if ours else ""
    return (
        f"| {title} | {name} | {1e3 * lap.init:.1f} | {1e3 * lap.query:.2f} | {lap.rounds} | {lap.run:.2f} "
        f"| {per_query} | {run} | {same} |"
    )


def main() -> None:
    """Measure and print; names after the suite's name choose strategies."""
    from threadpoolctl import threadpool_limits

    warnings.simplefilter("ignore")
    chosen = sys.argv[2:]
    print(
        "| data | strategy | set-up ms | query ms | rounds | run s | ratio per query | ratio of the run | same rows |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    with threadpool_limits(1):
        for duel in DUELS:
            if not chosen or duel.ours in chosen:
                for text in fight(duel):
                    print(text, flush=True)
