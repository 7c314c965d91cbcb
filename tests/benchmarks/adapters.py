"""What an adapter costs: per query, beside the library called directly on the same rows, labels and fitted model.

The two take turns within one process of one thread, in processor time, and the figures are medians: what else the
machine does hits both alike. The limit is 1 ms or 5 % of the direct call, whichever is larger.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from alcore import Pool, Recipe, StrategySpec, Task, rng
from alcore.interop import patched, seeded_globals, silenced
from alcore.plugins import loaded
from alcore.state import State
from tests.benchmarks.by_hand.now import Now

LIBRARIES = ("alipy", "libact", "modal", "playground", "skactiveml")
START, ROWS, FEW = 40, 2_000, 200
SECONDS, MOST, LEAST, AGAIN = 2.0, 25, 3, 9
COSTLY = {
    "alipy.quire", "alipy.bmdr", "alipy.spal", "alipy.multilabel-quire", "alipy.eer", "alipy.adaptive",
    "libact.quire", "libact.eer", "libact.adaptive", "modal.eer", "modal.log-loss-reduction",
    "skactiveml.expected-average-precision", "skactiveml.eer", "skactiveml.value-of-information-eer",
    "skactiveml.expected-model-output-change", "skactiveml.expected-model-variance-reduction",
    "skactiveml.kl-divergence-maximization", "skactiveml.quire", "skactiveml.typiclust",
}  # fmt: skip
"""Strategies that take many seconds for 2,000 rows: measured on 200, where an overhead is a larger share."""
PARAMS: dict[str, dict[str, Any]] = {
    "alipy.lal": {"tasks": 2, "candidates": 2, "largest": 5, "points": 30, "trees": 10, "regressor_trees": 200},
    "libact.dwus": {"sigma": 10.0},
    "skactiveml.sub-sampling-wrapper": {"base": "skactiveml.margin", "max_candidates": 0.5},
    "skactiveml.parallel-utility-estimation-wrapper": {"base": "skactiveml.contrastive-al"},
}


def problem(spec: StrategySpec, n: int) -> tuple[Any, Any, Task, tuple[int, ...], Any]:
    """Return X (n, 10), labels, task, classes, and what makes an estimator."""
    from sklearn.linear_model import BayesianRidge, LogisticRegression

    from alcore.estimators import PerLabel

    chance = np.random.default_rng(0)
    X = chance.normal(size=(n, 10))
    target = X @ chance.normal(size=(10, 3)) + chance.normal(size=(n, 3))
    if Task.CLASSIFICATION in spec.tasks:
        return X, (target[:, 0] > 0).astype(int), Task.CLASSIFICATION, (0, 1), LogisticRegression
    if Task.MULTILABEL in spec.tasks:
        return (
            X,
            (target > 0).astype(int),
            Task.MULTILABEL,
            (0, 1, 2),
            lambda: PerLabel(LogisticRegression()),
        )
    return X, target[:, 0], Task.REGRESSION, (), BayesianRidge


def race(spec: StrategySpec, direct: Any, least: int) -> tuple[int, float, float]:
    """Return the pool's size, the median seconds of a query by hand, and the median of what the adapter adds."""
    n = FEW if spec.name in COSTLY else ROWS
    X, y, task, classes, fresh = problem(spec, n)
    state = State(
        Pool(X, task, classes, features="raw"), spec.build(**PARAMS.get(spec.name, {})), Recipe(fresh()), seed=0,
        ties="first",
    )  # fmt: skip
    state.add(np.arange(START), y[:START], start=True)
    now = Now(X, y, list(range(START)), None, fresh, state.strategy)
    laps: dict[str, list[float]] = {"adapter": [], "by hand": []}
    began = time.process_time()
    while len(laps["adapter"]) < least + 1 or (time.process_time() - began < SECONDS and len(laps["adapter"]) < MOST):
        model = state.model()
        now.model, now.chance = model.estimator, rng.stream(0, "strategy", state.t + 1)
        rows: Any = None
        for who in ("adapter", "by hand")[:: 1 if len(laps["adapter"]) % 2 else -1]:
            gc.collect()
            since = time.process_time()
            if who == "adapter":
                rows = state.query(1)
            else:
                direct(now)
            laps[who].append(time.process_time() - since)
        since = time.process_time()
        state.add(rows, y[rows])
        laps["adapter"][-1] += time.process_time() - since
        now.labeled += rows.tolist()
    by_hand = np.array(laps["by hand"][1:])
    return n, statistics.median(by_hand), statistics.median(np.array(laps["adapter"][1:]) - by_hand)


def main() -> None:
    """Measure and print; names of strategies after the suite's measure these only."""
    from threadpoolctl import threadpool_limits

    only = sys.argv[2:]
    print("| strategy | rows | by hand, ms | adapter adds, ms | share | |\n|---|--:|--:|--:|--:|---|")
    over = 0
    for spec in [entry.spec for entry in loaded().registry.entries("strategy")]:
        library = spec.name.partition(".")[0]
        if library not in LIBRARIES or (only and spec.name not in only):
            continue
        if (reason := spec.missing()) is not None:
            print(f"| {spec.name} | | | | | {reason.partition(':')[0]} |", flush=True)
            continue
        direct = import_module(f"tests.benchmarks.by_hand.{library}").CALLS[spec.name.partition(".")[2]]
        with threadpool_limits(1), warnings.catch_warnings(), seeded_globals(0), silenced(), patched(lent(library)):
            n, theirs, added = race(spec, direct, LEAST)
            if beyond(theirs, added):  # by chance? More rounds tell.
                n, theirs, added = race(spec, direct, AGAIN)
        over += beyond(theirs, added)
        print(
            f"| {spec.name} | {n} | {1e3 * theirs:.2f} | {1e3 * added:+.2f} | {added / theirs:+.1%} | "
            f"{'over the limit' if beyond(theirs, added) else ''} |",
            flush=True,
        )
    print(f"\n{over} over the limit of 1 ms or 5 %")


def lent(library: str) -> Any:
    """Return the names that a library misses when it is called by hand."""
    return import_module("alcore_alipy.library").SHIMS if library == "alipy" else {}


def beyond(theirs: float, added: float) -> bool:
    """Tell whether an adapter adds more than 1 ms and 5 %."""
    return added > max(1e-3, 0.05 * theirs)
