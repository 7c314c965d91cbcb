"""Strategies for several labels per row."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
