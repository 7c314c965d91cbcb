"""What must not matter: which Python process it is that asks."""

from __future__ import annotations

from alcore.testing.elsewhere import drive_elsewhere
from alcore.testing.strategies.bench import RULES, SAME, StrategyBench, require_same
from alcore.testing.suite import on


@RULES.check(after=[SAME])
def hash_seed(bench: StrategyBench) -> None:
    """Ask for the same rows in another process, whose hashes of texts differ: sets of texts have no order."""
    for toy, found in zip(bench.toys_by_task(), drive_elsewhere(bench), strict=True):
        with on(toy.name):
            require_same(found, bench.drive(toy), "in a process with another PYTHONHASHSEED")
