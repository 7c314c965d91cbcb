"""Strategies made of other strategies."""

from __future__ import annotations

from typing import Any

from alcore_strategies.combinators.diverse import Diverse
from alcore_strategies.combinators.explore import Explore
from alcore_strategies.combinators.mixture import Mixture
from alcore_strategies.combinators.subsample import Subsample

STRATEGIES: list[Any] = [Diverse, Explore, Mixture, Subsample]
