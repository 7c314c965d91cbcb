"""Figures: the scatter with its fit, the connected factor, and every metric over the stop budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore_speedup.approximation import approximate
from alcore_speedup.companions import connected
from alcore_speedup.factor import Factors
from alcore_speedup.stability import Stability, stability

SUFFIXES = (".svg", ".pdf", ".png")
STYLE: Any = {"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "alcore"}
RANDOM, OWN = "0.55", "#0072B2"
LINES = (
    ("speed-up", "S", "#0072B2", "-"),
    ("speed-up-fixed", "S fixed", "#56B4E9", "--"),
    ("aulc-ratio", "AULC ratio", "#D55E00", "-."),
    ("lc-mean", "LC mean", "#009E73", ":"),
)


def canvas(rows: int, columns: int, path: Path) -> tuple[Any, Any]:
    """Return a figure and its grid of axes.

    Raises
    ------
    InputError
        If the path has another ending than .svg, .pdf or .png.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if path.suffix not in SUFFIXES:
        raise InputError(f"{path} ends in {path.suffix!r}; figures are drawn as {', '.join(SUFFIXES)}.")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.6 * columns, 2.4 * rows + 0.3), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
    for axis in grid.flat:
        axis.grid(alpha=0.25, linewidth=0.5)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, grid


def save(figure: Any, path: Path) -> Path:
    """Save a figure; the same figure makes the same bytes of SVG and PDF."""
    import matplotlib as mpl

    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context(STYLE):
        figure.savefig(path, metadata=undated.get(path.suffix), dpi=200)
    return path


def draw(factors: Factors, path: Path) -> Path:
    """Draw a row for every strategy but the baseline: curves and fits, the connected factor, metrics over the budget.

    Raises
    ------
    InputError
        If there is no other strategy, or the path has another ending than .svg, .pdf or .png.
    """
    others = [one.strategy for one in factors.others]
    if not others:
        raise InputError(f"there is no strategy besides the baseline {factors.baseline!r} to draw.")
    figure, grid = canvas(len(others), 3, path)
    for row, strategy in enumerate(others):
        _scatter(grid[row, 0], factors, strategy)
        _connected(grid[row, 1], factors, strategy)
        _stability(grid[row, 2], factors, strategy)
    for axis in grid[-1]:
        axis.set_xlabel(axis.get_xlabel() or "added labels")
    return save(figure, path)


def _scatter(axis: Any, factors: Factors, strategy: str) -> None:
    """Draw every seed's points, and the two fitted functions through them."""
    setup = factors.setup
    for name, color in ((factors.baseline, RANDOM), (strategy, OWN)):
        q, fit = setup.position(name), factors[name]
        values = setup.values[q]
        has = np.isfinite(values)
        axis.plot(np.broadcast_to(setup.x, values.shape)[has], values[has], ".", color=color, markersize=2, alpha=0.4)
        if fit.function is not None and factors.ceiling is not None and np.isfinite(fit.b):
            x = np.linspace(0, setup.x[-1], 200)
            p = approximate(x, fit.b, factors.p_0, factors.ceiling.a_inf, fit.function)
            axis.plot(x, p, color=color, linewidth=1.5, label=name)
    if factors.ceiling is not None:
        axis.axhline(factors.ceiling.a_inf, color="0.7", linewidth=0.7, linestyle=":")
    one = factors[strategy]
    spread = "" if one.interval is None else f" ({one.interval[0]:.2f} to {one.interval[1]:.2f})"
    told = f"S = {one.speed_up:.2f}{spread}" if np.isfinite(one.speed_up) else "S refused"
    axis.set_title(f"{strategy}: {told}", fontsize=9)
    axis.set_ylabel(str(setup.names.get("metric", "performance")))
    if axis.get_legend_handles_labels()[0]:
        axis.legend(frameon=False, fontsize=7, loc="lower right")


def _connected(axis: Any, factors: Factors, strategy: str) -> None:
    """Draw the ratio of the inverted curves over performance, with S as a dashed line."""
    one = connected(factors.setup, strategy, factors.baseline)
    axis.set_xlabel("performance")
    axis.set_ylabel("ratio of labels")
    if one.reason is not None:
        axis.text(0.5, 0.5, one.reason, transform=axis.transAxes, ha="center", va="center", color="0.4")
        return
    axis.plot(one.p, one.ratio, color=OWN, linewidth=1.2)
    axis.axhline(1.0, color=RANDOM, linewidth=0.7)
    if np.isfinite(factors[strategy].speed_up):
        axis.axhline(factors[strategy].speed_up, color=OWN, linewidth=1, linestyle="--")
    axis.set_title(f"connected, mean {one.mean:.2f}", fontsize=9)


def _stability(axis: Any, factors: Factors, strategy: str) -> None:
    """Draw all metrics over the stop budget; grey where the gain is too small for S."""
    axis.set_ylabel("metric")
    if factors.ceiling is None or factors.function is None:
        axis.text(0.5, 0.5, "no ceiling", transform=axis.transAxes, ha="center", va="center", color="0.4")
        return
    found = stability(factors.setup, strategy, factors.baseline, factors.ceiling)
    for metric, label, color, style in LINES:
        axis.plot(found.budgets, found.values[metric], style, color=color, linewidth=1.2, label=label)
    _decisions(axis, found)
    untrusted = found.budgets[~found.trusted]
    if len(untrusted):
        axis.axvspan(0, untrusted[-1], color="0.9", linewidth=0)
    known = np.concatenate([values[np.isfinite(values)] for values in found.values.values()])
    axis.set_ylim(0, min(max(float(np.quantile(known, 0.99)) * 1.2, 1.3), 3.0) if len(known) else 1.3)
    axis.set_title("over the stop budget", fontsize=9)
    axis.legend(frameon=False, fontsize=6, ncols=2)


def _decisions(axis: Any, found: Stability) -> None:
    """Mark, at the foot, the budgets at which the two methods that decide find the strategy superior."""
    for metric, label, height, color in (
        ("cut-points", "cut-points: superior", 0.03, "#CC79A7"),
        ("stop-budget", "better at the budget", 0.08, "#E69F00"),
    ):
        yes = found.budgets[found.values[metric] > 0]
        axis.plot(yes, np.full(len(yes), height), "|", color=color, markersize=4, label=label)
