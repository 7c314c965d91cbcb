"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from alcore.hooks import hookimpl
from alcore_strategies import combinators, committee, expected, hybrid, learned, multilabel, representation, uncertainty

alcore_api = 1
FAMILIES = (uncertainty, committee, expected, representation, hybrid, learned, multilabel, combinators)


@hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return every strategy, family by family."""
    return [strategy for family in FAMILIES for strategy in family.STRATEGIES]
