"""Uncertainty beyond the core's margin, entropy and least-confident."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
