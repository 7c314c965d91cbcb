"""Strategies for several labels per row."""

from __future__ import annotations

from typing import Any

from alcore_strategies.multilabel.adaptive import adaptive
from alcore_strategies.multilabel.beal import beal
from alcore_strategies.multilabel.crw import crw
from alcore_strategies.multilabel.mmc import mmc

STRATEGIES: list[Any] = [adaptive, beal, crw, mmc]
