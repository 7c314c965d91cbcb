"""Committees and ensembles: rows on which models disagree."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
