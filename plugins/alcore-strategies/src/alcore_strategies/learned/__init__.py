"""Learned: strategies that choose among strategies, learn what helps, or see the truth."""

from __future__ import annotations

from typing import Any

from alcore_strategies.learned.albl import Albl
from alcore_strategies.learned.bandit import Bandit
from alcore_strategies.learned.bso import Bso
from alcore_strategies.learned.lal import lal

STRATEGIES: list[Any] = [lal, Albl, Bandit, Bso]
