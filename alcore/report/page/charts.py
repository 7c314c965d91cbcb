"""The charts of the page, as SVG that follows the page's colours: curves, critical differences, scatters, bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from alcore import stats
from alcore.protocols import Curve
from alcore.report.page.svg import Frame, area, label, limits, path, short, svg, text, thinned, ticks
from alcore.types import Floats

WIDTH, HEIGHT = 300, 178


@dataclass(frozen=True)
class Line:
    """A mean curve with its interval (NaN for one seed), and the position of its strategy."""

    position: int
    strategy: str
    labeled: Floats
    mean: Floats
    low: Floats
    high: Floats
    runs: int


def mean_line(position: int, strategy: str, found: Sequence[Curve]) -> Line | None:
    """Return the mean of curves; None if they share no label count."""
    labeled, mean, low, high = stats.band(found)
    return Line(position, strategy, labeled, mean, low, high, len(found)) if len(labeled) else None


def difference_line(
    position: int, strategy: str, found: Mapping[int, Curve], baseline: Mapping[int, Curve], sign: float
) -> Line | None:
    """Return the mean of differences to the baseline's curves, seed by seed; None if there is no pair to compare."""
    pairs = []
    for seed in found.keys() & baseline.keys():
        own, other = found[seed], baseline[seed]
        grid = np.intersect1d(own.labeled, other.labeled)
        at, there = np.isin(own.labeled, grid), np.isin(other.labeled, grid)
        if len(grid):
            pairs.append(Curve(grid, sign * (own.values[at] - other.values[there])))
    return mean_line(position, strategy, pairs) if pairs else None


DASHES = ("", "7 2.5", "3 1.8", "9 2.5 2 2.5", "1.6 1.8", "13 3", "6 2 1.6 2 1.6 2")
"""Lengths of dashes and gaps in pixels. One fewer than there are colours, so that many strategies have a pair each."""


def dash(position: int) -> str:
    """Return the dashes of a strategy's line as an SVG attribute; nothing for a solid line."""
    pattern = DASHES[position % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def panel(lines: Sequence[Line], name: str, *, points: int, zero: bool = False) -> str:
    """Draw mean curves with their bands: one panel of small multiples."""
    if not lines:
        return svg(WIDTH, HEIGHT, text(WIDTH / 2, HEIGHT / 2, "no completed run", "m"), f"{name}: no completed run")
    low, high = limits([line.mean for line in lines], [part for line in lines for part in (line.low, line.high)])
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    left, right = min(line.labeled[0] for line in lines), max(line.labeled[-1] for line in lines)
    frame = Frame(WIDTH, HEIGHT, left, right, low, high)
    drawn = [frame.axes(zero=zero)]
    for line in sorted(lines, key=lambda line: line.position):
        at = thinned(len(line.labeled), points)
        x = frame.x(line.labeled[at])
        band = area(x, frame.y(line.low[at]), frame.y(line.high[at]))
        told = f"{line.strategy}: {label(float(line.mean[-1]))} at {label(float(line.labeled[-1]))}, {line.runs} runs"
        drawn.append(
            f'<g class="s s{line.position}"><title>{escape(told)}</title>'
            + (f'<path class="b" d="{band}"/>' if band else "")
            + f'<path class="l" d="{path(x, frame.y(line.mean[at]))}"{dash(line.position)}/></g>'
        )
    return svg(WIDTH, HEIGHT, "".join(drawn), name)


def sample(position: int) -> str:
    """Draw a piece of a strategy's line, for the legend."""
    line = f'<path class="l" d="M1 6H33"{dash(position)}/>'
    return f'<svg viewBox="0 0 34 12" class="sample s{position}" aria-hidden="true">{line}</svg>'


def critical_difference(ranking: stats.Ranking, posthoc: stats.PostHoc, positions: Mapping[str, int]) -> str:
    """Draw average ranks on a line, best at the left, with bars over strategies that are not shown to differ."""
    places, k = ranking.places, len(ranking.places)
    width, axis, step = 640.0, 44.0, 19.0
    left, right = 170.0, 470.0
    across = {place.strategy: left + (place.rank - 1) / max(k - 1, 1) * (right - left) for place in places}
    parts = [f'<path class="a" d="M{short(left)} {axis}H{short(right)}"/>']
    for tick in range(1, k + 1):
        x = left + (tick - 1) / max(k - 1, 1) * (right - left)
        parts.append(f'<path class="a" d="M{short(x)} {axis}v-5"/>' + text(x, axis - 9, str(tick), "m"))
    if posthoc.critical_difference is not None:
        length = min(posthoc.critical_difference / max(k - 1, 1), 1.0) * (right - left)
        parts.append(f'<path class="a" d="M{short(left)} 14v-5M{short(left)} 11.5h{short(length)}m0 -2.5v5"/>')
        parts.append(text(left + length + 6, 15, f"CD = {posthoc.critical_difference:.2f}"))
    bars = axis + 9.0
    for i, group in enumerate(posthoc.groups):
        y = bars + 6 * i
        ends = [across[name] for name in (group[0], group[-1])]
        told = f"<title>not shown to differ: {escape(', '.join(group))}</title>"
        parts.append(f'<path class="cd" d="M{short(min(ends) - 3)} {short(y)}H{short(max(ends) + 3)}">{told}</path>')
    names = bars + 6 * len(posthoc.groups) + 12
    half = (k + 1) // 2
    for i, place in enumerate(places):
        first = i < half
        y = names + step * (i if first else k - 1 - i)
        x, end = across[place.strategy], left - 12 if first else right + 12
        anchor, words = ("e", left - 17) if first else ("s", right + 17)
        number = positions[place.strategy]
        rank = f"{place.strategy} {place.rank:.2f}"
        parts.append(
            f'<g class="s s{number}"><path class="k" d="M{short(x)} {axis}V{short(y)}H{short(end)}"/>'
            + text(words, y + 4, rank, anchor)
            + "</g>"
        )
    height = names + step * (half - 1) + 14
    return svg(width, height, "".join(parts), f"Critical differences, {posthoc.name}: {', '.join(ranking.order)}")


def scatter(
    points: Sequence[tuple[int, str, float, float]], name: str, *, logarithmic: bool = True, across: str = ""
) -> str:
    """Draw points (position of the strategy, what it is, x, y) with a line at zero."""
    points = [point for point in points if np.isfinite(point[2]) and np.isfinite(point[3])]
    if not points:
        return svg(WIDTH, HEIGHT, text(WIDTH / 2, HEIGHT / 2, "nothing to show", "m"), f"{name}: nothing to show")
    x = np.array([point[2] for point in points])
    shown = np.log10(x) if logarithmic else x
    y = np.array([point[3] for point in points])
    room = (0.04 * (np.ptp(shown) or 1.0), 0.06 * (np.ptp(y) or abs(float(y[0])) or 1.0))
    ends = (float(shown.min()) - room[0], float(shown.max()) + room[0])
    frame = Frame(WIDTH, HEIGHT, *ends, min(float(y.min()) - room[1], 0.0), max(float(y.max()) + room[1], 0.0))
    drawn = [_down(frame)]
    drawn += [
        text(float(frame.x(value)), HEIGHT - 5, label(10**value if logarithmic else value), "m")
        for value in _round_values(ends, logarithmic)
    ]
    for (position, told, _, value), a in zip(points, shown, strict=True):
        where = f'cx="{short(float(frame.x(a)))}" cy="{short(float(frame.y(value)))}"'
        drawn.append(f'<circle class="s s{position} d" {where} r="3"><title>{escape(told)}</title></circle>')
    return svg(WIDTH, HEIGHT, "".join(drawn) + text(WIDTH - 8, 12, across, "e"), name)


def _down(frame: Frame) -> str:
    """Return the grid and the labels of the axis that goes down, without those across."""
    blank = Frame(frame.width, frame.height, np.nan, np.nan, frame.y0, frame.y1)
    return blank.axes(zero=True)


def _round_values(ends: tuple[float, float], logarithmic: bool) -> list[float]:
    if not logarithmic:
        return ticks(*ends)
    powers = range(int(np.floor(ends[0])), int(np.ceil(ends[1])) + 1)
    fine = [np.log10(factor * 10.0**power) for power in powers for factor in (1, 2, 5)]
    inside = [float(value) for value in fine if ends[0] <= value <= ends[1]]
    return inside if len(inside) <= 5 else [value for value in inside if abs(value - round(value)) < 1e-9]


def bars(rows: Sequence[tuple[int, str, Sequence[float]]], name: str) -> str:
    """Draw mean seconds per round as stacked bars: fit, query, update, score of each strategy."""
    width, step, left = 640.0, 22.0, 190.0
    most = max((sum(values) for _, _, values in rows), default=0.0) or 1.0
    parts = []
    for i, (position, strategy, values) in enumerate(rows):
        x, y = left, 4 + step * i
        inside = [text(left - 8, y + 12, strategy, "e")]
        for clock, value in zip(stats.CLOCKS, values, strict=True):
            length = value / most * (width - left - 90)
            told = f"<title>{escape(strategy)}, {clock.removesuffix('_time')}: {value:.2g} s</title>"
            inside.append(f'<rect class="{clock}" x="{short(x)}" y="{short(y)}" width="{length:.2f}" height="15">{told}</rect>')  # fmt: skip # noqa: E501
            x += length
        inside.append(text(x + 6, y + 12, f"{sum(values):.2g} s"))
        parts.append(f'<g class="s{position}">{"".join(inside)}</g>')
    return svg(width, 8 + step * len(rows), "".join(parts), name)
