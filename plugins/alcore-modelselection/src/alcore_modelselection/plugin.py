"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable

from alcore.hooks import hookimpl
from alcore.spec import SelectorSpec, Spec

alcore_api = 1


@hookimpl
def alcore_selectors() -> Iterable[Spec]:
    """Return CODA and the selectors that it is compared with."""
    return []
