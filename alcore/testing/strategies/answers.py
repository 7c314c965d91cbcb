"""What comes back from a query, and what must not change on the way."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from alcore.learners import SingleClassWarning
from alcore.pool import Pool
from alcore.protocols import NeedsTruth
from alcore.testing import toys
from alcore.testing.strategies.bench import RULES, StrategyBench
from alcore.testing.guards import captured, copied, equal, frozen
from alcore.testing.suite import on, require
from alcore.testing.toys import Toy
from alcore.types import Status


@RULES.check()
def answers(bench: StrategyBench) -> None:
    """A query returns distinct unlabelled rows of the pool (rows, not positions), as many as are asked for."""
    for toy in bench.toys():
        for variant in (toys.half_labeled(toy), toy):
            with on(variant.name):
                for batch in sorted({1, bench.few}):
                    bench.drive(variant, batch=batch)


@RULES.check()
def asks_for_all(bench: StrategyBench) -> None:
    """Asked for all rows or for more than are left, it returns all; a run without a budget ends as pool_exhausted."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            for more in (0, 7) if bench.few > 1 else ():
                state = bench.begin(toy)
                bench.ask(state, state.left + more)
            records, outcome = bench.simulate(toy)
            rows = np.concatenate([record.rows for record in records])
            require(
                outcome.status is Status.COMPLETED and outcome.reason == "pool_exhausted",
                f"the run ended as {outcome.status}, {outcome.reason}",
            )
            require(sorted(rows.tolist()) == list(range(len(toy.y))), "the run did not ask for every row once")


@RULES.check()
def nothing_left(bench: StrategyBench) -> None:
    """Asked for 0 rows, with rows left or none, it returns an empty array."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            state = bench.begin(toy)
            _empty(state.strategy.query(state.view(), 0), f"with {state.left} rows left")
            if bench.few > 1:
                bench.answer(state, toy, bench.ask(state, state.left))
            for _ in bench.go_on(state, toy, rounds=state.left):
                pass
            _empty(state.query(3), "through State.query with no row left")
            _empty(state.strategy.query(state.view(), 0), "with no row left")


def _empty(answer: Any, when: str) -> None:
    require(np.size(answer) == 0, f"asked for 0 rows {when}, it returned {np.asarray(answer).tolist()}")


@RULES.check()
def inputs_unchanged(bench: StrategyBench) -> None:
    """What the caller passed stays as it was, and a read-only X is enough."""
    for toy in bench.toys_by_task():
        variants = [toy, toys.as_frame(toy), *([toys.as_csr(toys.with_zeros(toy))] if bench.spec.sparse else [])]
        for variant in variants:
            with on(variant.name):
                _unchanged(bench, variant)


def _unchanged(bench: StrategyBench, toy: Toy) -> None:
    for X, how in ((copied(toy.X), "writable"), (frozen(toy.X), "read-only")):
        before = copied(X)
        pool, truth = Pool(X, toy.task, toy.classes), toy.truth()
        features = pool.features.copy()
        state = bench.begin(toy, pool=pool)
        if isinstance(state.strategy, NeedsTruth):
            state.strategy.reveal(truth)
        with on(f"X {how}"):
            asked = list(bench.go_on(state, toy))
            require(equal(X, before), "the run changed X")
            require(equal(pool.features, features), "the run changed pool.features")
            require(equal(truth.y, toy.y), "the run changed the labels of the truth")
            rows = [*toy.start.tolist(), *(row for rows in asked for row in rows)]
            require(
                state.labeled.tolist() == rows and equal(state.y, toy.y[rows]),
                "the run changed the labelled rows or their labels",
            )


@RULES.check()
def no_output(bench: StrategyBench) -> None:
    """It writes nothing to stdout or stderr, by print or by file descriptor: they belong to the program around it."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            with captured() as output:
                bench.drive(toy)
            require(not output.text, f"it wrote {output.text.strip()[:200]!r}")


@RULES.check()
def no_warnings(bench: StrategyBench) -> None:
    """It raises no warning (alcore's SingleClassWarning, in its place, is none of its own)."""
    for toy in bench.toys():
        for variant in (toy, toys.same_start_labels(toy)):
            with on(variant.name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                bench.drive(variant)
                found = [w for w in caught if not issubclass(w.category, SingleClassWarning)]
                if found:
                    where = f"{found[0].filename}, line {found[0].lineno}"
                    require(False, f"{found[0].category.__name__}: {found[0].message} ({where})")
