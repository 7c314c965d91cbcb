"""Learning curves as a picture: one panel per data set and learner, one line per strategy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore.stats import band, curves

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours: told apart by most colour-blind readers, and in grey by the line styles.
COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
STYLES = ("-", "--", "-.", ":")


def draw_curves(records: pd.DataFrame, of: str, path: Path) -> Path:
    """Draw mean learning curves with 95 % t intervals over seeds, and save them.

    Parameters
    ----------
    records : as ``Store.records`` returns them
    of : a recorded round metric
    path : .svg, .pdf or .png

    Raises
    ------
    InputError
        If the metric was not recorded.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    records = records[records["status"] == "completed"]
    found = curves(records, of)
    runs = records.drop_duplicates("run")
    datasets, learners = (list(dict.fromkeys(runs[name])) for name in ("dataset", "learner"))
    strategies = list(dict.fromkeys(runs["strategy"]))
    figure = Figure(figsize=(3.1 * max(len(learners), 1), 2.4 * max(len(datasets), 1) + 0.5), layout="constrained")
    with mpl.rc_context({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "alcore"}):
        grid = figure.subplots(len(datasets), len(learners), squeeze=False, sharex="row", sharey="row")
        for i, dataset in enumerate(datasets):
            for j, learner in enumerate(learners):
                panel = runs[(runs["dataset"] == dataset) & (runs["learner"] == learner)]
                for position, strategy in enumerate(strategies):
                    own = [found[run] for run in panel.loc[panel["strategy"] == strategy, "run"] if run in found]
                    if own:
                        _line(grid[i, j], band(own), strategy, position)
                _label(grid[i, j], dataset if j == 0 else "", learner if i == 0 else "", last=i == len(datasets) - 1)
        grid[0, 0].figure.supylabel(of, fontsize=9)
        handles = {
            label: handle for axis in grid.flat for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=min(len(handles) or 1, 6), frameon=False
        )
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path


def _line(axis: Any, points: tuple[Any, Any, Any, Any], label: str, position: int) -> None:
    labeled, mean, low, high = points
    color, style = COLORS[position % len(COLORS)], STYLES[position // len(COLORS) % len(STYLES)]
    axis.plot(labeled, mean, style, color=color, label=label, linewidth=1.2)
    axis.fill_between(labeled, low, high, color=color, alpha=0.12, linewidth=0)


def _label(axis: Any, left: str, top: str, *, last: bool) -> None:
    axis.set_ylabel(left)
    axis.set_title(top, fontsize=9)
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    if last:
        axis.set_xlabel("labelled rows")
