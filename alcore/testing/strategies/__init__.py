"""The rules for strategies, by what they are about; importing this package fills ``RULES`` in the order below."""

from alcore.testing.strategies import answers, chance, memory, data, ties, claims  # noqa: I001 - the report's order
from alcore.testing.strategies.bench import RULES, StrategyBench

__all__ = ["RULES", "StrategyBench", "answers", "chance", "claims", "data", "memory", "ties"]
