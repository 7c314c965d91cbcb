"""Learned: strategies that choose among strategies, learn what helps, or see the truth."""

from __future__ import annotations

from typing import Any

STRATEGIES: list[Any] = []
