"""Learning curves as a picture: one panel per data set and learner, one line per strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore.errors import InputError
from alcore.protocols import Curve
from alcore.stats import band, curves

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours: told apart by most colour-blind readers, and in grey by the dashes.
COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
# Where in a period of 8 line widths each line is drawn. The first is solid, wide and below all others; the next three
# keep out of each other's way, so that lines which coincide show in turn. There is one fewer than there are colours, so
# that many strategies have a pair of both for themselves.
PERIOD = 8.0
DASHES = (
    ((0.0, 8.0),),
    ((0.0, 3.4),),
    ((3.6, 4.5), (5.2, 6.1)),
    ((6.3, 7.8),),
    ((0.0, 6.5),),
    ((0.0, 1.2), (2.0, 3.2), (4.0, 5.2)),
    ((1.0, 4.5), (5.5, 6.5)),
)
SUFFIXES = (".svg", ".pdf", ".png")
LINE = 0.16
"""Inches of a line of the legend."""


def draw_curves(records: pd.DataFrame, of: str, path: Path) -> Path:
    """Draw mean learning curves with 95 % t intervals over seeds, and save them.

    Runs that did not complete are counted above the panels and not drawn; a panel without a curve says why. The same
    records make the same bytes of SVG and PDF.

    Parameters
    ----------
    records : as ``Store.records`` returns them
    of : a recorded round metric
    path : .svg, .pdf or .png

    Raises
    ------
    InputError
        If the metric was not recorded, no run has completed, or the path has another ending.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if path.suffix not in SUFFIXES:
        raise InputError(f"{path} ends in {path.suffix!r}; curves are drawn as {', '.join(SUFFIXES)}.")
    runs = records.drop_duplicates("run")
    complete = runs["status"] == "completed"
    if not complete.any():
        raise InputError("no run has completed, so that there is no curve to draw; see: alcore status STORE")
    found = curves(records[records["status"] == "completed"], of)
    datasets, learners, strategies = (list(dict.fromkeys(runs[name])) for name in ("dataset", "learner", "strategy"))
    figure = Figure(figsize=(3.1 * len(learners), 2.4 * len(datasets) + 0.5), layout="constrained")
    with mpl.rc_context({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "alcore"}):
        grid = figure.subplots(len(datasets), len(learners), squeeze=False, sharex="row", sharey="row")
        handles: dict[str, Any] = {}
        for i, dataset in enumerate(datasets):
            for j, learner in enumerate(learners):
                panel = runs[(runs["dataset"] == dataset) & (runs["learner"] == learner)]
                handles |= _panel(grid[i, j], panel, found, strategies)
                _label(grid[i, j], dataset if j == 0 else "", learner if i == 0 else "", last=i == len(datasets) - 1)
        figure.supylabel(of, fontsize=9)
        if not complete.all():
            figure.suptitle(f"{(~complete).sum()} of {len(runs)} runs did not complete: not shown", fontsize=8)
        legend(figure, {strategy: handles[strategy] for strategy in strategies if strategy in handles})
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, metadata=undated.get(path.suffix), dpi=200)
    return path


def _panel(axis: Any, runs: pd.DataFrame, found: Mapping[str, Curve], strategies: Sequence[str]) -> dict[str, Any]:
    """Draw one data set and learner; return the lines by strategy."""
    lines, apart = {}, []
    for position, strategy in enumerate(strategies):
        own = [found[run] for run in runs.loc[runs["strategy"] == strategy, "run"] if run in found]
        labeled, mean, low, high = band(own) if own else ((), (), (), ())
        if len(labeled):
            color, style, width = COLORS[position % len(COLORS)], line_style(position), 2.6 if position == 0 else 1.5
            line = axis.plot(labeled, mean, color=color, linewidth=width, linestyle=style, dash_capstyle="butt")
            axis.fill_between(labeled, low, high, color=color, alpha=0.12, linewidth=0)
            lines[strategy] = line[0]
        elif own:
            apart.append(f"{strategy}: its runs share no label count")
    if apart:
        axis.text(0.98, 0.03, "\n".join(apart), transform=axis.transAxes, ha="right", va="bottom", color="0.4")
    elif not lines:
        done = (runs["status"] == "completed").any()
        why = "no value" if done else "no run completed" if len(runs) else "not run"
        axis.text(0.5, 0.5, why, transform=axis.transAxes, ha="center", va="center", color="0.4")
    return lines


def line_style(position: int) -> Any:
    """Return matplotlib's line style for a strategy: where its dashes begin, and the lengths of dashes and gaps."""
    dashes = DASHES[position % len(DASHES)]
    ends = [*(begin for begin, _ in dashes[1:]), dashes[0][0] + PERIOD]
    gaps = [following - end for (_, end), following in zip(dashes, ends, strict=True)]
    if not any(gaps):
        return "solid"
    lengths = [length for (begin, end), gap in zip(dashes, gaps, strict=True) for length in (end - begin, gap)]
    return (PERIOD - dashes[0][0]) % PERIOD, lengths


def _label(axis: Any, left: str, top: str, *, last: bool) -> None:
    axis.set_ylabel(left)
    axis.set_title(top, fontsize=9)
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    if last:
        axis.set_xlabel("labelled rows")


def legend(figure: Any, handles: Mapping[str, Any]) -> None:
    """Put the strategies under the panels, in as many columns as the longest name lets fit.

    Many lines make the figure higher, so that panels keep their size.
    """
    inches = 0.8 + 0.065 * max(map(len, handles), default=0)
    columns = min(max(int(figure.get_figwidth() / inches), 1), max(len(handles), 1))
    lines = -(-len(handles) // columns)
    figure.set_figheight(figure.get_figheight() + LINE * max(lines - 2, 0))
    place = "outside lower center"
    figure.legend(handles.values(), handles.keys(), loc=place, ncols=columns, frameon=False, handlelength=4.5)
