"""What a strategy leaves alone: the caller's data, and the program around it."""

from __future__ import annotations

import warnings

import numpy as np

from alcore.committees import EqualMembersWarning
from alcore.learners import SingleClassWarning
from alcore.testing import toys
from alcore.testing.guards import captured
from alcore.testing.learners.bench import said
from alcore.testing.strategies.bench import RULES, StrategyBench
from alcore.testing.suite import on, require


@RULES.check()
def model_unchanged(bench: StrategyBench) -> None:
    """Leave view.model as it is: it may be the one that is scored. view.new_learner() is there to be fitted."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            state = bench.begin(toy)
            before = said(state.model(), toy.X_test)
            bench.ask(state, bench.few)
            after = said(state.model(), toy.X_test)
            other = [method for method in before if not np.array_equal(before[method], after[method])]
            require(not other, f"after the query, {' and '.join(other)} of the learner gives other values")


@RULES.check()
def no_output(bench: StrategyBench) -> None:
    """Write nothing to stdout or stderr, by print or by file descriptor: they belong to the program around."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            with captured() as output:
                bench.drive(toy)
            require(not output.text, f"it wrote {output.text.strip()[:200]!r}")


@RULES.check(after=["one-label-in-start"])
def no_warnings(bench: StrategyBench) -> None:
    """Raise no warning (alcore's own warnings of one class and of equal members do not count)."""
    for toy in bench.toys():
        for variant in (toy, toys.same_start_labels(toy)):
            with on(variant.name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                bench.drive(variant)
                found = [w for w in caught if not issubclass(w.category, SingleClassWarning | EqualMembersWarning)]
                if found:
                    where = f"{found[0].filename}, line {found[0].lineno}"
                    require(False, f"{found[0].category.__name__}: {found[0].message} ({where})")
