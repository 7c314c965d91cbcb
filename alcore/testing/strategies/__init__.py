"""The rules for strategies, by what they are about; importing this package fills ``RULES`` in the order below."""

from alcore.testing.strategies import answers, chance, memory, data, ties, manners, claims, growth, process  # noqa: I001 - in order
from alcore.testing.strategies.bench import RULES, StrategyBench as Bench

SUITES = {"all": RULES}

__all__ = [
    "RULES", "SUITES", "Bench", "answers", "chance", "claims", "data", "growth", "manners", "memory", "process", "ties",
]  # fmt: skip
