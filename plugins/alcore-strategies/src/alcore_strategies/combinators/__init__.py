"""Strategies made of other strategies."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
