"""Expected change: what the model would become if a row were labelled."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
