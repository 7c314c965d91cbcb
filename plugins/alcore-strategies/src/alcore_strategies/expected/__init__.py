"""Expected change: what the model would become if a row were labelled."""

from __future__ import annotations

from typing import Any

from alcore_strategies.expected.error_reduction import ExpectedErrorReduction
from alcore_strategies.expected.gradient_length import expected_gradient_length
from alcore_strategies.expected.variance_reduction import VarianceReduction, vr_published

STRATEGIES: list[Any] = [ExpectedErrorReduction, VarianceReduction, vr_published, expected_gradient_length]
