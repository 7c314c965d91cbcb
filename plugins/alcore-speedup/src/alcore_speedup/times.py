"""Processing time per strategy: measured, normalised, and how it grows beside what the Spec says (appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats

if TYPE_CHECKING:
    import pandas as pd

    from alcore.registry import Registry
    from alcore.store import Store

EXPONENTS = {"linear": 1.0, "quadratic": 2.0, "cubic": 3.0}


@dataclass(frozen=True)
class Times:
    """Processing times of one strategy on one data set with one learner.

    Parameters
    ----------
    unlabeled, seconds : arrays (n,)
        Rows to choose from, ascending, and the median seconds over the seeds of a query and its update.
    mean : float
        Mean of these seconds over the rounds.
    normalised : float
        That, divided by the slowest strategy's of the same data set and learner.
    exponent : float
        The slope of ln seconds over ln rows (least squares); NaN where the rows vary by less than a factor of two.
    growth : str
        What the strategy's Spec says of one query, in the rows of the pool; empty if it is not here.
    """

    dataset: str
    learner: str
    strategy: str
    unlabeled: Floats
    seconds: Floats
    mean: float
    normalised: float
    exponent: float
    growth: str


def processing_times(store: Store, registry: Registry | None = None) -> list[Times]:
    """Return the processing times of a store's completed runs, by data set, learner and strategy.

    Fits are not counted: every strategy needs one per round. Rounds without a query are left out.

    Raises
    ------
    InputError
        If no run has completed, or a pool cannot be loaded to count its rows.
    """
    from alcore import plugins, selected

    store = selected(store)
    known = registry or plugins.loaded().registry
    records = store.records()
    records = records[(records["status"] == "completed") & (records["t"] >= 0)]
    if not len(records):
        raise InputError(f"{store.path}: no run has completed; see: alcore status {store.path}")
    records = records.assign(seconds=records["query_time"] + records["update_time"])
    before = records.sort_values(["run", "t"]).groupby("run")["n_labeled"].shift()
    records = records.assign(unlabeled=_pool_sizes(store, records, known) - before).dropna(subset="unlabeled")
    found = []
    for (dataset, learner), part in records.groupby(["dataset", "learner"], sort=False):
        medians = part.groupby(["strategy", "unlabeled"], sort=True)["seconds"].median()
        slow = float(medians.groupby("strategy").mean().max())
        for strategy, own in part.groupby("strategy", sort=False):
            entry = known.get("strategy", _name(store, own))
            n = medians[strategy].index.to_numpy(np.float64)
            seconds = medians[strategy].to_numpy(np.float64)
            mean, growth = float(seconds.mean()), str(entry.spec.growth) if entry else ""
            found.append(
                Times(
                    str(dataset), str(learner), str(strategy), n, seconds, mean,
                    mean / slow if slow > 0 else float("nan"), exponent(n, seconds), growth,
                )
            )  # fmt: skip
    return found


def _name(store: Store, own: pd.DataFrame) -> str:
    return str(store.about(own["run"].iloc[0])["config"]["strategy"]["name"])


def _pool_sizes(store: Store, records: pd.DataFrame, registry: Registry) -> Any:
    """Return the size of the pool for every record: what an exhausted run labelled, else that of the data."""
    from alcore.execute import prepare
    from alcore.stats import EXHAUSTED

    sizes: dict[str, int] = {}
    by_setup: dict[tuple[str, str], int] = {}
    for run, own in records.groupby("run", sort=False):
        if own["reason"].iloc[0] == EXHAUSTED:
            sizes[str(run)] = int(own["n_labeled"].max())
            continue
        config = store.about(str(run))["config"]
        key = (config["dataset"]["label"], str(config["split"]))
        if key not in by_setup:
            by_setup[key] = len(prepare(config, registry).pool)
        sizes[str(run)] = by_setup[key]
    return records["run"].map(sizes)


def exponent(rows: Floats, seconds: Floats) -> float:
    """Return the slope of ln seconds over ln rows; NaN if there are fewer than three, or within a factor of two."""
    use = (rows > 0) & (seconds > 0)
    rows, seconds = rows[use], seconds[use]
    if len(rows) < 3 or rows.max() < 2 * rows.min():
        return float("nan")
    return float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])


def draw_times(store: Store, path: Path) -> Path:
    """Draw the normalised processing time per strategy, and how it grew with the rows to choose from.

    Raises
    ------
    InputError
        As ``processing_times``, or if the path has another ending than .svg, .pdf or .png.
    """
    from alcore_speedup.figures import canvas, save

    found = processing_times(store)
    groups = list(dict.fromkeys((one.dataset, one.learner) for one in found))
    figure, grid = canvas(len(groups), 2, path)
    for row, (dataset, learner) in enumerate(groups):
        own = [one for one in found if (one.dataset, one.learner) == (dataset, learner)]
        _bars(grid[row, 0], own, f"{dataset}, {learner}")
        _growth(grid[row, 1], own)
    return save(figure, path)


def _bars(axis: Any, own: list[Times], title: str) -> None:
    axis.barh([one.strategy for one in own], [one.normalised for one in own], color="0.6")
    axis.invert_yaxis()
    for place, one in enumerate(own):
        axis.text(one.normalised, place, f" {1e3 * one.mean:.2g} ms", va="center", fontsize=7)
    axis.set_xlim(0, 1.25)
    axis.set_xlabel("processing time, normalised")
    axis.set_title(title, fontsize=9)


def _growth(axis: Any, own: list[Times]) -> None:
    """Draw seconds over rows; a thin line has the slope that the Spec states."""
    from alcore.report.curves import COLORS

    for place, one in enumerate(own):
        color = COLORS[place % len(COLORS)]
        use = (one.unlabeled > 0) & (one.seconds > 0)
        if not use.any():
            continue
        measured = "" if np.isnan(one.exponent) else f": measured {one.exponent:.2f}"
        label = f"{one.strategy}{measured}" + (f", stated {one.growth}" if one.growth else "")
        axis.loglog(one.unlabeled[use], one.seconds[use], ".", color=color, markersize=2, label=label)
        if one.growth:
            n, at = one.unlabeled[use], int(use.sum()) // 2
            axis.loglog(n, one.seconds[use][at] * (n / n[at]) ** EXPONENTS[one.growth], color=color, linewidth=0.7)
    axis.set_xlabel("unlabelled rows")
    axis.set_ylabel("seconds per query")
    axis.legend(frameon=False, fontsize=6)
