"""What a strategy may remember, and from where: its state follows from the pool and the labelled rows alone."""

from __future__ import annotations

import pickle
from unittest import SkipTest

import numpy as np

from alcore import rng
from alcore.pool import Pool
from alcore.protocols import NeedsSetup, NeedsTruth, Strategy
from alcore.rng import seeded_globals
from alcore.testing import toys
from alcore.testing.strategies.bench import ROUNDS, RULES, SAME, Relay, StrategyBench, require_same, rows_of
from alcore.testing.suite import on, require
from alcore.types import Labels, Rows, Task


@RULES.check(after=[SAME])
def hidden_labels_unseen(bench: StrategyBench) -> None:
    """Ask for the same rows where the labels of rows not asked for are poisoned."""
    has_reveal = isinstance(bench.make(), NeedsTruth)
    require(
        has_reveal == bench.spec.truth, f"reveal is {'' if has_reveal else 'not '}there and truth is not so declared"
    )
    if bench.spec.truth:
        raise SkipTest("an upper bound is shown the hidden labels")
    for toy in bench.toys():
        with on(toy.name):
            budget = ROUNDS * bench.few
            records, _ = bench.simulate(toy, budget=budget)
            asked = np.concatenate([record.rows for record in records])
            poisoned, _ = bench.simulate(toy, budget=budget, y=_poisoned(toy.y, asked, toy.task, len(toy.classes)))
            require_same(rows_of(poisoned), rows_of(records), "other labels of rows never asked for")


def _poisoned(y: Labels, known: Rows, task: Task, k: int) -> Labels:
    other = {Task.CLASSIFICATION: (y + 1) % max(k, 1), Task.MULTILABEL: 1 - y, Task.REGRESSION: 1.0 - 3.0 * y}[task]
    other[known] = y[known]
    return other


@RULES.check(after=[SAME])
def replay(bench: StrategyBench) -> None:
    """Go on as before when a run is resumed by replaying its rows: setup and update make all the state."""
    if not bench.spec.resumable:
        raise SkipTest("declared resumable=False")
    for toy in bench.toys_by_task():
        with on(toy.name):
            records, _ = bench.simulate(toy, budget=5 * bench.few)
            for k in (1, 2, 3):
                resumed, _ = bench.simulate(toy, budget=5 * bench.few, replay=records[:k])
                require_same(rows_of(resumed), rows_of(records[k:]), f"resumed after round {k - 1}")


@RULES.check(after=[SAME])
def instances_independent(bench: StrategyBench) -> None:
    """Ask for the same rows in two runs that take turns as in each alone."""
    for one, other in zip(bench.toys_by_task(), bench.toys_by_task(seed=1), strict=True):
        with on(one.name):
            alone = bench.drive(one), bench.drive(other, seed=1)
            first, second = bench.begin(one), bench.begin(other, seed=1)
            turns = list(zip(bench.go_on(first, one), bench.go_on(second, other), strict=True))
            require_same([turn[0] for turn in turns], alone[0], "beside another run")
            require_same([turn[1] for turn in turns], alone[1], "beside another run")


@RULES.check(after=[SAME])
def setup_forgets(bench: StrategyBench) -> None:
    """Forget the earlier run when set up again."""
    for toy, earlier in zip(bench.toys_by_task(), bench.toys_by_task(seed=1), strict=True):
        with on(toy.name):
            used = bench.make()
            bench.drive(earlier, strategy=used, seed=1)
            require_same(bench.drive(toy, strategy=used), bench.drive(toy), "an instance that has served before")


@RULES.check(after=[SAME])
def picklable(bench: StrategyBench) -> None:
    """Be picklable before a run and between rounds, and go on the same: runs are sent to workers."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            relay = Relay(_copied(bench.make()))
            state = bench.begin(toy, strategy=relay)
            asked: list[list[int]] = []
            for _ in range(ROUNDS):
                relay.inner = _copied(relay.inner)
                asked += bench.go_on(state, toy, rounds=1)
            require_same(asked, bench.drive(toy), "pickled between rounds")


def _copied(strategy: Strategy) -> Strategy:
    try:
        copy: Strategy = pickle.loads(pickle.dumps(strategy))  # noqa: S301 - made here
    except Exception as error:
        raise AssertionError(f"it cannot be pickled: {type(error).__name__}: {error}") from error
    return copy


@RULES.check(after=[SAME, "replay"])
def stateful_if_declared(bench: StrategyBench) -> None:
    """Answer a round as a new instance would, without its updates, where stateful=False is declared."""
    if bench.spec.stateful:
        raise SkipTest("declared stateful")
    for toy in bench.toys_by_task():
        with on(toy.name):
            relay = Relay(bench.make())
            kept, fresh = bench.begin(toy), bench.begin(toy, strategy=relay)
            for number in range(1, ROUNDS + 1):
                rows = bench.ask(kept, bench.few)
                relay.inner = _set_up(bench, fresh.pool, fresh.seed, toy)
                found = bench.ask(fresh, bench.few).tolist()
                require(
                    found == rows.tolist(), f"round {number}: without updates it asks for {found}, not {rows.tolist()}"
                )
                for state in (kept, fresh):
                    bench.answer(state, toy, rows)


def _set_up(bench: StrategyBench, pool: Pool, seed: int, toy: toys.Toy) -> Strategy:
    strategy = bench.make()
    with seeded_globals(0):
        if isinstance(strategy, NeedsSetup):
            strategy.setup(pool, rng.stream(seed, "strategy"))
        if isinstance(strategy, NeedsTruth):
            strategy.reveal(toy.truth())
    return strategy
