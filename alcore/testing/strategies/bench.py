"""Where a strategy is tried: toy pools that its spec allows, learners that it can use, and runs step by step."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import SkipTest

from numpy.random import Generator

from alcore.engine import ArrayOracle, Outcome, simulate
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.protocols import NeedsSetup, NeedsTruth, NeedsUpdate, Record, Strategy, Truth
from alcore.rng import seeded_globals
from alcore.select import Ties
from alcore.spec import StrategySpec
from alcore.state import State
from alcore.testing import toys
from alcore.testing.suite import Suite, require
from alcore.testing.toys import ROWS, Toy
from alcore.types import Labels, Level, Rows, Task
from alcore.view import View

ROUNDS = 3
SAME = "same-seed-same-rows"
"""The rule without which no two runs can be compared."""


@dataclass(frozen=True)
class StrategyBench:
    """A strategy on the bench.

    Every step runs with NumPy's and Python's global random state seeded, so that a strategy that draws from it breaks
    the one rule against that, and no other.

    Parameters
    ----------
    spec : StrategySpec
    params : mapping
        The strategy's parameters.
    learner : estimator, factory or Recipe, or None
        The query learner; None takes toy learners with every level.
    """

    spec: StrategySpec
    params: Mapping[str, Any] = field(default_factory=dict)
    learner: Any = None

    def make(self) -> Strategy:
        """Return a new strategy."""
        strategy: Strategy = self.spec.build(**self.params)
        return strategy

    @property
    def few(self) -> int:
        """How many rows are asked for when it is more than one: 1 for a strategy that answers one at a time."""
        return 1 if self.spec.batch == "single" else 4

    @property
    def classes(self) -> int:
        """The most classes that are tried on a pool of few."""
        return min(3, self.spec.max_classes or 3)

    def toys(self, seed: int = 0) -> list[Toy]:
        """Return a toy for each task and number of classes."""
        made = [toys.classification(k, seed=seed) for k in range(2, self.classes + 1)]
        return [*(made if Task.CLASSIFICATION in self.spec.tasks else ()), *self._others(seed)]

    def toys_by_task(self, seed: int = 0, rows: int = ROWS) -> list[Toy]:
        """Return a toy for each task: with three classes, if it may have them."""
        classified = Task.CLASSIFICATION in self.spec.tasks
        made = [toys.classification(self.classes, seed=seed, rows=rows)] if classified else []
        return [*made, *self._others(seed, rows)]

    def _others(self, seed: int, rows: int = ROWS) -> list[Toy]:
        made = {Task.REGRESSION: toys.regression, Task.MULTILABEL: toys.multilabel}
        return [make(seed=seed, rows=rows) for task, make in made.items() if task in self.spec.tasks]

    def recipe(self, task: Task) -> Recipe:
        """Return the query learner.

        Raises
        ------
        unittest.SkipTest
            If no toy learner has what the strategy needs, and none was given.
        """
        from alcore.testing.toylearner import LEVELS, toy_learner

        if self.learner is not None:
            return Recipe.of(self.learner)
        lacking = self.spec.lacks(LEVELS[task])
        if lacking:
            raise SkipTest(f"no toy learner for {task} has {lacking}: give learner=")
        return toy_learner(task, LEVELS[task])

    def minimal_levels(self, task: Task) -> list[frozenset[Level]]:
        """Return the least sets of levels that meet the strategy's needs: one for each choice of alternatives."""
        from alcore.testing.toylearner import LEVELS

        choices = itertools.product(*(need.split("|") for need in self.spec.needs))
        sets = {frozenset(Level(level) for level in choice) for choice in choices}
        return sorted((s for s in sets if s <= LEVELS[task]), key=sorted)

    def begin(
        self,
        toy: Toy,
        *,
        seed: int = 0,
        ties: Ties = "random",
        strategy: Strategy | None = None,
        learner: Recipe | None = None,
        pool: Pool | None = None,
    ) -> State:
        """Return a run after round 0: set up, shown the truth if it is an upper bound, and with the start set."""
        strategy = self.make() if strategy is None else strategy
        recipe = self.recipe(toy.task) if learner is None else learner
        with seeded_globals(0):
            state = State(toy.pool() if pool is None else pool, strategy, recipe, seed=seed, ties=ties)
            if isinstance(strategy, NeedsTruth):
                strategy.reveal(toy.truth())
            state.add(toy.start, toy.y[toy.start], start=True)
        return state

    def ask(self, state: State, n: int) -> Rows:
        """Return the rows that the strategy asks for, checked by the core."""
        with seeded_globals(1000 * state.seed + state.t):
            return state.query(n)

    def answer(self, state: State, toy: Toy, rows: Rows) -> None:
        """Give the labels of these rows."""
        with seeded_globals(1000 * state.seed + state.t):
            state.add(rows, toy.y[rows])

    def go_on(self, state: State, toy: Toy, *, rounds: int = ROUNDS, batch: int | None = None) -> Iterator[list[int]]:
        """Go on for some rounds, and yield the rows of each."""
        for _ in range(rounds):
            rows = self.ask(state, self.few if batch is None else batch)
            self.answer(state, toy, rows)
            yield rows.tolist()

    def drive(self, toy: Toy, *, rounds: int = ROUNDS, batch: int | None = None, **how: Any) -> list[list[int]]:
        """Return the rows asked for in each round of a new run; ``how`` is what ``begin`` takes."""
        return list(self.go_on(self.begin(toy, **how), toy, rounds=rounds, batch=batch))

    def simulate(
        self, toy: Toy, *, y: Labels | None = None, budget: int | None = None, replay: Sequence[Record] = ()
    ) -> tuple[list[Record], Outcome]:
        """Return the records of a run by the engine (those after ``replay``), and how it ended."""
        strategy = self.make()
        with seeded_globals(0):
            run = simulate(
                toy.pool(),
                ArrayOracle(toy.y if y is None else y),
                strategy,
                self.recipe(toy.task),
                start=toy.start,
                budget=budget,
                batch=self.few,
                truth=toy.truth() if isinstance(strategy, NeedsTruth) else None,
                replay=replay,
            )
        records: list[Record] = []
        while run.outcome is None:
            with seeded_globals(len(replay) + len(records)):
                records.extend(itertools.islice(run, 1))
        return records, run.outcome


class Relay:
    """Stands before a strategy, so that it can be exchanged in the middle of a run."""

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Pass on."""
        if isinstance(self.inner, NeedsSetup):
            self.inner.setup(pool, rng)

    def reveal(self, truth: Truth) -> None:
        """Pass on."""
        if isinstance(self.inner, NeedsTruth):
            self.inner.reveal(truth)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Pass on."""
        if isinstance(self.inner, NeedsUpdate):
            self.inner.update(rows, labels)

    def query(self, view: View, n: int) -> Rows:
        """Pass on."""
        return self.inner.query(view, n)


RULES: Suite[StrategyBench] = Suite()
"""What every strategy must keep."""


def require_same(found: Sequence[list[int]], wanted: Sequence[list[int]], why: str) -> None:
    """Raise AssertionError at the first round whose rows differ."""
    for number, (a, b) in enumerate(zip(found, wanted, strict=True), start=1):
        require(a == b, f"{why}: round {number} asked for rows {a}, and for {b} otherwise")


def rows_of(records: Iterable[Record]) -> list[list[int]]:
    """Return the rows of each record."""
    return [record.rows.tolist() for record in records]
