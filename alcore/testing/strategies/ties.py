"""Who decides between rows that are equally good."""

from __future__ import annotations

from unittest import SkipTest

from alcore.testing import toys
from alcore.testing.strategies.bench import RULES, StrategyBench
from alcore.testing.suite import on, require

SEEDS = 12


@RULES.check(after=["identical-rows", "seed-decides"])
def ties_are_not_file_order(bench: StrategyBench) -> None:
    """Let the seed decide between rows that are alike, and not the order of the file."""
    for toy in bench.toys_by_task():
        alike = toys.identical_rows(toys.sorted_by_label(toy))
        pool = alike.pool()
        for batch in sorted({1, bench.few}):
            with on(f"{alike.name}, batches of {batch}"):
                answers = set()
                for seed in range(SEEDS):
                    state = bench.begin(alike, seed=seed, pool=pool)
                    answers.add(tuple(sorted(bench.ask(state, batch).tolist())))
                if len(answers) > 1:
                    continue
                rows, left = list(answers.pop()), state.view().unlabeled.tolist()
                fixed = "" if rows in (left[:batch], left[-batch:]) else ", and no seed of your own"
                require(False, f"{SEEDS} seeds gave rows {rows} each time; break ties with view.top{fixed}")


@RULES.check(after=["identical-rows"])
def ties_first_is_file_order(bench: StrategyBench) -> None:
    """Ask for the first of equal rows in a run with ties="first", where batch="top" is declared."""
    if bench.spec.batch != "top" or bench.spec.stochastic:
        raise SkipTest('only for batch="top", and where chance decides nothing else')
    for toy in bench.toys_by_task():
        alike = toys.identical_rows(toys.sorted_by_label(toy))
        with on(alike.name):
            state = bench.begin(alike, ties="first")
            first = state.view().unlabeled[: bench.few].tolist()
            found = sorted(bench.ask(state, bench.few).tolist())
            require(found == first, f"the first equal rows are {first}, and it asked for {found}")
