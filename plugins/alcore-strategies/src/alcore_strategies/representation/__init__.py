"""Representation: rows that stand for many others."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
