"""The rules for learners; importing this package fills ``RULES``."""

from alcore.testing.learners import rules
from alcore.testing.learners.bench import RULES
from alcore.testing.learners.bench import LearnerBench as Bench

SUITES = {"all": RULES}

__all__ = ["RULES", "SUITES", "Bench", "rules"]
