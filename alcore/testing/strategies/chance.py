"""Where chance may come from, and what it may decide."""

from __future__ import annotations

from dataclasses import replace
from unittest import SkipTest

import numpy as np

from alcore.learners import Recipe
from alcore.rng import seeded_globals
from alcore.testing import toys
from alcore.testing.guards import random_state
from alcore.testing.strategies.bench import ROUNDS, RULES, SAME, StrategyBench, require_same
from alcore.testing.suite import on, require
from alcore.testing.toylearner import noisy_learner
from alcore.testing.toys import Toy
from alcore.types import Growth, Task

DRAWS = 300
SEEDS = 6
MANY = 3000
UNLIKELY = 1e-6


@RULES.check()
def same_seed_same_rows(bench: StrategyBench) -> None:
    """Ask for the same rows in two runs with one seed."""
    for toy in bench.toys():
        with on(toy.name):
            require_same(bench.drive(toy, seed=5), bench.drive(toy, seed=5), "one seed, two answers")


@RULES.check(after=[SAME])
def stochastic_if_declared(bench: StrategyBench) -> None:
    """Ask for the same rows whatever the seed, apart from ties, where stochastic=False is declared."""
    if bench.spec.stochastic:
        raise SkipTest("declared stochastic")
    for toy in bench.toys():
        with on(toy.name):
            first = bench.drive(toy, ties="first", seed=0)
            for seed in (1, 2):
                require_same(bench.drive(toy, ties="first", seed=seed), first, f"seed {seed} instead of 0")


@RULES.check(after=[SAME])
def seed_decides(bench: StrategyBench) -> None:
    """Let the run's seed decide what chance decides, where stochastic=True is declared: no seed of its own."""
    if not bench.spec.stochastic:
        raise SkipTest("declared stochastic=False")
    for toy in bench.toys_by_task():
        drawn = bench.spec.learner and bench.learner is None  # what chance there is may be the learner's
        for learner in (None, *([noisy_learner(toy.task)] if drawn else ())):
            if _seeds_differ(bench, toy, learner):
                return
    for toy in bench.toys_by_task(rows=MANY) if bench.spec.growth is Growth.LINEAR else ():
        if _seeds_differ(bench, toy):  # some draw only where there are more rows than they look at
            return
    reason = f"{SEEDS} seeds gave the same rows on every pool; draw from view.rng, or in setup from its rng"
    require(False, f"{reason}. If nothing is drawn, declare stochastic=False")


def _seeds_differ(bench: StrategyBench, toy: Toy, learner: Recipe | None = None) -> bool:
    with on(f"{toy.name}, {len(toy.y)} rows"):
        answers = (bench.drive(toy, rounds=1, seed=seed, learner=learner) for seed in range(SEEDS))
        first = next(answers)
        return any(rows != first for rows in answers)


@RULES.check(after=[SAME])
def global_random_state(bench: StrategyBench) -> None:
    """Neither read nor change the global random state of NumPy and Python: draw from view.rng, or setup's rng."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            answers = []
            for world in (1, 2):
                with seeded_globals(world):
                    before = random_state()
                    answers.append(_bare_run(bench, toy))
                    require(random_state() == before, "the run changed the global random state")
            require_same(answers[1], answers[0], "another global random state")


def _bare_run(bench: StrategyBench, toy: Toy) -> list[list[int]]:
    """Run without the bench's own seeding."""
    state = bench.begin(toy)
    asked = []
    for _ in range(ROUNDS):
        rows = state.query(bench.few)
        state.add(rows, toy.y[rows])
        asked.append(rows.tolist())
    return asked


@RULES.check()
def uniform_if_declared(bench: StrategyBench) -> None:
    """Ask for each unlabelled row of a pool sorted by label equally often, where uniform=True is declared."""
    if not bench.spec.uniform:
        raise SkipTest("not declared uniform")
    from scipy.stats import chisquare

    for toy in map(toys.sorted_by_label, bench.toys_by_task()[:1]):
        pool = toy.pool()
        for batch in sorted({1, bench.few}):
            with on(f"{toy.name}, batches of {batch}"):
                counts = np.zeros(len(pool), dtype=np.int64)
                for seed in range(DRAWS):
                    state = bench.begin(toy, seed=seed, pool=pool)
                    counts[bench.ask(state, batch)] += 1
                # Rows of one batch exclude each other, which makes counts more even than the test expects, never less.
                p = float(chisquare(np.delete(counts, toy.start)).pvalue)
                most, least = counts.max(), np.delete(counts, toy.start).min()
                require(p > UNLIKELY, f"in {DRAWS} draws, rows came from {least} to {most} times (p = {p:.1e})")


@RULES.check(after=[SAME])
def class_names_do_not_matter(bench: StrategyBench) -> None:
    """Ask for the same rows whatever the classes are called."""
    found = [toy for toy in bench.toys_by_task() if toy.task is not Task.REGRESSION]
    if not found:
        raise SkipTest("its tasks have no classes")
    for toy in found:
        names = ("zebra", "ant", "mole")[: len(toy.classes)]
        with on(toy.name):
            renamed = replace(toy, classes=names)
            require_same(bench.drive(renamed), bench.drive(toy), f"classes called {', '.join(names)}")


@RULES.check(after=[SAME])
def class_codes_do_not_matter(bench: StrategyBench) -> None:
    """Ask for the same rows whatever the codes of the classes, where chance decides nothing."""
    found = [toy for toy in bench.toys_by_task() if toy.task is not Task.REGRESSION]
    if not found or bench.spec.stochastic:
        raise SkipTest("its tasks have no classes" if not found else "declared stochastic")
    for toy in found:
        other = toys.recoded(toy)
        with on(other.name):
            require_same(bench.drive(other), bench.drive(toy), "each class has the code of another")
