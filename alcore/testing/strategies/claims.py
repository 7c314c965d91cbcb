"""What a strategy's spec says of it: learners are refused, and batches taken, on the strength of these claims."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from unittest import SkipTest

import numpy as np

from alcore.decorators import FunctionStrategy
from alcore.errors import PairingError
from alcore.learners import Recipe
from alcore.testing.strategies.bench import RULES, SAME, StrategyBench
from alcore.testing.suite import on, require
from alcore.types import Level


@RULES.check()
def needs_are_enough(bench: StrategyBench) -> None:
    """Do with a learner that has what ``needs`` names, and nothing else."""
    from alcore.testing.toylearner import toy_learner

    if not bench.spec.learner or bench.learner is not None:
        raise SkipTest("it uses no learner" if not bench.spec.learner else "judged with toy learners only")
    for toy in bench.toys():
        bench.recipe(toy.task)
        for levels in bench.minimal_levels(toy.task):
            with on(f"{toy.name}, a learner with {' and '.join(sorted(levels)) or 'nothing but predict'}"):
                bench.drive(toy, learner=toy_learner(toy.task, levels))


@RULES.check()
def needs_are_needed(bench: StrategyBench) -> None:
    """Raise PairingError, rather than answer, without a level that ``needs`` names."""
    from alcore.testing.toylearner import LEVELS, toy_learner

    if not bench.spec.needs or bench.learner is not None:
        raise SkipTest("it needs no level" if not bench.spec.needs else "judged with toy learners only")
    for toy in bench.toys_by_task():
        bench.recipe(toy.task)
        for need in bench.spec.needs:
            without = LEVELS[toy.task] - {Level(level) for level in need.split("|")}
            with on(f"{toy.name}, a learner without {need.replace('|', ' or ')}"):
                state = bench.begin(toy, learner=toy_learner(toy.task, without))
                try:
                    rows = bench.ask(state, bench.few).tolist()
                except PairingError:
                    continue
                require(False, f"it answered {rows}; use view.proba, view.decision or raise PairingError")


class _Watched:
    """A learner that counts how often it is fitted."""

    def __init__(self, fits: list[Any]) -> None:
        self.fits = fits

    def fit(self, X: Any, y: Any) -> _Watched:
        self.fits.append(len(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(X.shape[0], dtype=np.intp)


@RULES.check()
def learner_unused_if_declared(bench: StrategyBench) -> None:
    """Never fit the query learner, nor have needs, where learner=False is declared."""
    if bench.spec.learner:
        raise SkipTest("declared to use the learner")
    require(not bench.spec.needs, f"learner=False and needs {', '.join(bench.spec.needs)}")
    for toy in bench.toys_by_task():
        with on(toy.name):
            fits: list[Any] = []
            bench.drive(toy, learner=Recipe(lambda fits=fits: _Watched(fits)))
            require(not fits, f"the query learner was fitted {len(fits)} times in three rounds")


@RULES.check(after=[SAME])
def batch_is_the_top(bench: StrategyBench) -> None:
    """Answer a batch with the n best rows, where batch="top" is declared: n grows, and the rows before stay."""
    if bench.spec.batch != "top" or bench.spec.stochastic:
        raise SkipTest('only for batch="top", and where chance decides nothing else')
    for toy in bench.toys():
        with on(toy.name):
            states = [bench.begin(toy, ties="first") for _ in range(3)]
            asked = [set(bench.ask(state, n).tolist()) for state, n in zip(states, (1, 3, 8), strict=True)]
            for fewer, more in pairwise(asked):
                n, m = len(fewer), len(more)
                require(fewer <= more, f"the best {n}, {sorted(fewer)}, are not among the best {m}, {sorted(more)}")
            strategy, view = states[-1].strategy, states[-1].view()
            if isinstance(strategy, FunctionStrategy) and strategy.scored:
                score = dict(zip(view.unlabeled.tolist(), np.asarray(strategy.scores(view)), strict=True))
                worst = min(score[row] for row in asked[-1])
                missed = [row for row, value in score.items() if value > worst and row not in asked[-1]]
                require(not missed, f"rows {missed} score above rows that were asked for")
