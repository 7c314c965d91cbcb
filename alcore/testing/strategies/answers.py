"""What comes back from a query."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore.testing import toys
from alcore.testing.strategies.bench import RULES, StrategyBench
from alcore.testing.suite import on, require
from alcore.types import Status


@RULES.check()
def answers(bench: StrategyBench) -> None:
    """Return distinct unlabelled rows of the pool (rows, not positions), as many as are asked for."""
    for toy in bench.toys():
        for variant in (toys.half_labeled(toy), toy):
            with on(variant.name):
                for batch in sorted({1, bench.few}):
                    bench.drive(variant, batch=batch)


@RULES.check()
def asks_for_all(bench: StrategyBench) -> None:
    """Return all rows when all or more are asked for; a run without a budget ends as pool_exhausted."""
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


@RULES.check(after=["asks-for-all"])
def nothing_left(bench: StrategyBench) -> None:
    """Return an empty array when 0 rows are asked for, with rows left or none."""
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
def rows_being_labeled(bench: StrategyBench) -> None:
    """Ask for none of the rows that are out for labelling: neither labelled nor in view.unlabeled."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            state = bench.begin(toy)
            state.close(bench.drive(toy, rounds=1)[0])  # what it would have asked for
            while state.askable > bench.few:
                state.close(bench.ask(state, bench.few).tolist())
