"""The strategies of scikit-activeml behind alcore's interface.

scikit-activeml is imported when one of them is first made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import alcore
from alcore_skactiveml.specs import STRATEGIES

alcore_api = 1


@alcore.hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return every strategy that ``skactiveml.pool`` exports."""
    return STRATEGIES
