"""The strategies of modAL behind alcore's interface: the module that the entry point names."""

from __future__ import annotations

from collections.abc import Iterable

import alcore
from alcore_modal.specs import SPECS

alcore_api = 1


@alcore.hookimpl
def alcore_strategies() -> Iterable[alcore.StrategySpec]:
    """Return modAL's strategies; modAL is imported when one of them is first used."""
    return SPECS
