"""The strategies of libact behind alcore's interface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import alcore

alcore_api = 1


@alcore.hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return the specs; libact itself is imported when a strategy is first used."""
    from alcore_libact.specs import SPECS

    return SPECS
