"""How the cost of a query grows with the pool: what a spec says decides which pools a strategy is given."""

from __future__ import annotations

import tracemalloc
from math import log
from time import process_time
from unittest import SkipTest

from alcore.testing.strategies.bench import RULES, StrategyBench
from alcore.testing.suite import require
from alcore.testing.toys import Toy
from alcore.types import Growth

LADDERS = {Growth.LINEAR: (125, 500, 2000, 8000), Growth.QUADRATIC: (50, 200, 800)}
"""Rows of the pools, by what is declared. Long enough that working in blocks shows as what it is."""

POWER = {Growth.LINEAR: 1, Growth.QUADRATIC: 2}
MARGIN = 0.6
"""How far a measured power may lie above the declared one: caches and logarithms cost some of it."""

ENOUGH_SECONDS, ENOUGH_BYTES = 0.3, 64_000_000
"""Costs of a query after which no larger pool is tried."""

LEAST_SECONDS, LEAST_BYTES = 0.05, 4_000_000
"""Below these, fixed costs, blocks and the clock decide."""

TRIES = 3


@RULES.check()
def growth_as_declared(bench: StrategyBench) -> None:
    """Grow with the pool, in time and memory, no faster than ``growth`` says."""
    declared = bench.spec.growth
    if declared not in LADDERS:
        raise SkipTest(f"declared {declared}, beyond which nothing is")
    rows, seconds, memory = zip(*_affordable(bench, LADDERS[declared]), strict=True)
    for what, unit, (few, many), least in (
        ("memory", "bytes", memory, LEAST_BYTES),
        ("time", "s", seconds, LEAST_SECONDS),
    ):
        power = log(many / few) / log(rows[1] / rows[0]) if many >= least else 0.0
        require(
            power <= POWER[declared] + MARGIN,
            f"from {rows[0]} to {rows[1]} rows its {what} grew from {few:.3g} to {many:.3g} {unit}, with the power "
            f"{power:.1f} of the rows; growth={str(declared)!r} is declared",
        )


def _affordable(bench: StrategyBench, ladder: tuple[int, ...]) -> list[tuple[int, float, float]]:
    """Return rows, seconds and bytes of a query for the two largest pools of the ladder that are affordable."""
    found: list[tuple[int, float, float]] = []
    for rows in ladder:
        if len(found) > 1 and (found[-1][1] > ENOUGH_SECONDS or found[-1][2] > ENOUGH_BYTES):
            break
        toy = bench.toys_by_task(rows=rows)[0]
        found.append((rows, _seconds(bench, toy), _bytes(bench, toy)))
    return found[-2:]


def _seconds(bench: StrategyBench, toy: Toy) -> float:
    """Return the processor time of a query, the shortest of a few: whatever else runs here makes it longer only."""
    least = float("inf")
    for _ in range(TRIES):
        state = bench.begin(toy)
        began = process_time()
        bench.ask(state, bench.few)
        least = min(least, max(process_time() - began, 1e-6))
        if least > ENOUGH_SECONDS:
            break
    return least


def _bytes(bench: StrategyBench, toy: Toy) -> float:
    """Return the most memory that a run holds at once, its setup included, above what was there."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        bench.ask(bench.begin(toy), bench.few)
        return max(float(tracemalloc.get_traced_memory()[1] - before), 1.0)
    finally:
        if not tracing:
            tracemalloc.stop()
