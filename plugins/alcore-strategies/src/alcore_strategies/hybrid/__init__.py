"""Hybrids: rows that are informative and stand for others."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
