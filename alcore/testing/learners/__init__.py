"""The rules for learners; importing this package fills ``RULES``."""

from alcore.testing.learners import rules
from alcore.testing.learners.bench import RULES, LearnerBench

__all__ = ["RULES", "LearnerBench", "rules"]
