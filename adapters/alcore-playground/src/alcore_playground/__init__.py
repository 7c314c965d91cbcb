"""The strategies of Google's active-learning playground behind alcore's interface: the entry point's module."""

from __future__ import annotations

from collections.abc import Iterable

import alcore
from alcore_playground.specs import SPECS

alcore_api = 1


@alcore.hookimpl
def alcore_strategies() -> Iterable[alcore.StrategySpec]:
    """Return the playground's strategies; a checkout of it is read when one of them is first used."""
    return SPECS
