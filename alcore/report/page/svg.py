"""What the charts of the page are made of: scales, ticks, paths and text, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isfinite, log10
from typing import Any

import numpy as np

from alcore.types import Floats


@dataclass(frozen=True)
class Frame:
    """The plotting area of a chart: a rectangle in pixels, and the values at its sides."""

    width: float
    height: float
    x0: float
    x1: float
    y0: float
    y1: float
    left: float = 38
    right: float = 8
    top: float = 6
    bottom: float = 20

    def x(self, value: Any) -> Any:
        """Return where a value lies across."""
        inside = self.width - self.left - self.right
        return self.left + (np.asarray(value, dtype=float) - self.x0) / _span(self.x0, self.x1) * inside

    def y(self, value: Any) -> Any:
        """Return where a value lies down; values beyond the sides lie on them."""
        inside = self.height - self.top - self.bottom
        value = np.clip(np.asarray(value, dtype=float), min(self.y0, self.y1), max(self.y0, self.y1))
        return self.height - self.bottom - (value - self.y0) / _span(self.y0, self.y1) * inside

    def axes(self, *, zero: bool = False) -> str:
        """Return grid lines, tick labels and, on request, the line of zero."""
        parts = []
        for tick in ticks(self.y0, self.y1):
            y = short(float(self.y(tick)))
            parts.append(f'<path class="g" d="M{short(self.left)} {y}H{short(self.width - self.right)}"/>')
            parts.append(text(self.left - 5, float(self.y(tick)) + 3, label(tick), "e"))
        across = ticks(self.x0, self.x1, most=5)
        parts += [text(float(self.x(tick)), self.height - 5, label(tick), "m") for tick in across]
        if zero and self.y0 < 0 < self.y1:
            y = short(float(self.y(0)))
            parts.append(f'<path class="z" d="M{short(self.left)} {y}H{short(self.width - self.right)}"/>')
        return "".join(parts)


def _span(low: float, high: float) -> float:
    return high - low or 1.0


def svg(width: float, height: float, inside: str, name: str) -> str:
    """Return a picture; ``name`` is what a screen reader says of it."""
    size = f"0 0 {short(width)} {short(height)}"
    return f'<svg viewBox="{size}" role="img" aria-label="{escape(name)}">{inside}</svg>'


def text(x: float, y: float, words: str, anchor: str = "s", also: str = "") -> str:
    """Return text; ``anchor`` is s, m or e for the start, the middle or the end at x."""
    kind = f"{anchor} {also}".strip()
    return f'<text class="{kind}" x="{short(x)}" y="{short(y)}">{escape(words)}</text>'


def path(x: Floats, y: Floats) -> str:
    """Return the commands of a line through points, begun anew after each that is undefined; relative, to be short."""
    parts: list[str] = []
    last: tuple[float, float] | None = None
    for a, b in zip(np.round(x, 1), np.round(y, 1), strict=True):
        if not (isfinite(a) and isfinite(b)):
            last = None
            continue
        if last is None:
            parts.append(f"M{short(a)} {short(b)}l")
        else:
            parts.append(_step(a - last[0], b - last[1]))
        last = (float(a), float(b))
    # A point by itself is a dot: a line of no length with round ends.
    return ("".join(parts) + "M").replace("lM", "h0M").replace("l ", "l").removesuffix("M")


def _step(dx: float, dy: float) -> str:
    """Return one step of a relative line; a minus sign separates numbers as well as a space does."""
    first, second = short(dx), short(dy)
    return ("" if first.startswith("-") else " ") + first + ("" if second.startswith("-") else " ") + second


def area(x: Floats, low: Floats, high: Floats) -> str:
    """Return the commands of the area between two lines, where both are defined."""
    there = np.isfinite(low) & np.isfinite(high)
    if there.sum() < 2:
        return ""
    around = path(np.concatenate([x[there], x[there][::-1]]), np.concatenate([high[there], low[there][::-1]]))
    return f"{around}z"


def short(value: float) -> str:
    """Return a number with one digit after the point at most."""
    found = f"{value:.1f}".removesuffix(".0")
    return "0" if found == "-0" else found


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Return round values between two ends, ``most`` at most."""
    span = high - low
    if not (isfinite(span) and span > 0):
        return [low] if isfinite(low) else []
    rough = span / most
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough - 1e-12)
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [float(np.round(i * step, 12)) for i in np.arange(first, last + 1)]


def label(value: float) -> str:
    """Return a tick's value as text."""
    return f"{value + 0.0:.6g}"  # not -0


def thinned(count: int, most: int) -> Any:
    """Return which of ``count`` points to draw: ``most`` at most, evenly, with both ends."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def limits(values: Sequence[Floats], bands: Sequence[Floats]) -> tuple[float, float]:
    """Return the ends of an axis: those of the values, and of bands as far as these do not squeeze the values."""
    inside = np.concatenate([np.ravel(part) for part in values])
    inside = inside[np.isfinite(inside)]
    if not len(inside):
        return 0.0, 1.0
    low, high = float(inside.min()), float(inside.max())
    room = 0.35 * (high - low) or 0.05 * max(abs(high), 1e-3)
    around = np.concatenate([np.ravel(part) for part in bands]) if bands else inside
    around = around[np.isfinite(around)]
    if len(around):
        return max(low - room, min(low, float(around.min()))), min(high + room, max(high, float(around.max())))
    return low, high
