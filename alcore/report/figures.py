"""Figures for papers, one file each: what the page shows, drawn by matplotlib as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alcore import stats
from alcore.errors import InputError
from alcore.report.asked import Asked
from alcore.report.curves import COLORS, draw_curves, legend, line_style
from alcore.report.page import grids
from alcore.report.page.charts import difference_line
from alcore.report.page.content import Content, check_scores

FORMATS = ("svg", "pdf", "png")
FONT: Any = {"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "alcore", "pdf.fonttype": 42}


def draw_figures(asked: Asked, folder: Path, how: str = "svg") -> list[Path]:
    """Draw all figures of a store, and return their files. The same records make the same bytes of SVG and PDF.

    Parameters
    ----------
    asked : the store and the question
    folder : made if it is not there
    how : "svg", "pdf" or "png" (300 dots per inch)

    Raises
    ------
    InputError
        If the format is unknown, no run has completed, or a file is in the folder's way.
    """
    if how not in FORMATS:
        raise InputError(f"the format is {how!r}; use {', '.join(FORMATS)}.")
    check_scores(asked)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder} cannot be a folder of figures: a file is in the way.") from error
    content = Content(asked)
    drawer = _Drawer(content, folder, how)
    written = [draw_curves(asked.records, asked.question.of, folder / f"curves.{how}")]
    if content.has_baseline:
        written.append(drawer.differences())
    for learner in content.learners:
        found = content.rankings[learner].posthoc if learner in content.rankings else ()
        written += [drawer.ranks(learner, posthoc) for posthoc in found]
        written.append(drawer.scores(learner))
        written += drawer.times(learner)
    return written


@dataclass(frozen=True)
class _Drawer:
    content: Content
    folder: Path
    how: str

    def _save(self, name: str, width: float, height: float, draw: Callable[[Any], None]) -> Path:
        import matplotlib as mpl
        from matplotlib.figure import Figure

        path = self.folder / f"{name}.{self.how}"
        with mpl.rc_context(FONT):
            figure = Figure(figsize=(width, height), layout="constrained")
            draw(figure)
            undated: Mapping[str, Mapping[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
            figure.savefig(path, metadata=undated.get(self.how), dpi=300)
        return path

    def differences(self) -> Path:
        """Draw the curves' differences to the baseline, one panel per data set and learner."""
        content, baseline = self.content, self.content.asked.baseline
        sign = 1.0 if content.asked.up else -1.0

        def draw(figure: Any) -> None:
            shape = (len(content.datasets), len(content.learners))
            grid = figure.subplots(*shape, squeeze=False, sharex="row")
            handles: dict[str, Any] = {}
            for i, dataset in enumerate(content.datasets):
                for j, learner in enumerate(content.learners):
                    axis = grid[i, j]
                    handles |= self._differences(axis, dataset, learner, baseline, sign)
                    _bare(axis)
                    axis.set_ylabel(dataset if j == 0 else "")
                    axis.set_title(learner if i == 0 else "", fontsize=9)
                    axis.set_xlabel("labelled rows" if i == len(content.datasets) - 1 else "")
            figure.supylabel(f"{content.asked.question.of} less {baseline}'s", fontsize=9)
            legend(figure, handles)

        size = (3.1 * len(content.learners), 2.2 * len(content.datasets) + 0.6)
        return self._save("differences", *size, draw)

    def _differences(self, axis: Any, dataset: str, learner: str, baseline: str, sign: float) -> dict[str, Any]:
        by_seed = self.content.by_seed(dataset, learner)
        handles = {}
        axis.axhline(0, color="0.3", linewidth=0.8)
        for name, at in self.content.positions.items():
            line = None
            if name != baseline:
                line = difference_line(at, name, by_seed[name], by_seed[baseline], sign)
            if line is None:
                continue
            color = COLORS[at % len(COLORS)]
            handles[name] = axis.plot(line.labeled, line.mean, color=color, linewidth=1.4, linestyle=line_style(at))[0]
            axis.fill_between(line.labeled, line.low, line.high, color=color, alpha=0.1, linewidth=0)
        return handles

    def ranks(self, learner: str, posthoc: stats.PostHoc) -> Path:
        """Draw average ranks with bars over strategies that are not shown to differ."""
        places = self.content.rankings[learner].places
        k = len(places)
        half = (k + 1) // 2
        top = 0.55 + 0.16 * len(posthoc.groups)

        def draw(figure: Any) -> None:
            axis = figure.subplots()
            axis.set_xlim(1 - 0.55 * (k - 1), k + 0.55 * (k - 1))
            axis.set_ylim(top + 0.3 * half, -0.75)
            axis.set_axis_off()
            axis.plot([1, k], [0, 0], color="black", linewidth=0.8)
            for rank in range(1, k + 1):
                axis.plot([rank, rank], [0, -0.1], color="black", linewidth=0.8)
                axis.text(rank, -0.16, str(rank), ha="center", va="bottom")
            if posthoc.critical_difference is not None:
                length = min(posthoc.critical_difference, k - 1)
                axis.plot([1, 1 + length], [-0.6, -0.6], color="black", linewidth=1, marker="|", markersize=4)
                axis.text(1 + length + 0.05, -0.6, f" CD = {posthoc.critical_difference:.2f}", va="center")
            rank_of = {place.strategy: place.rank for place in places}
            for i, group in enumerate(posthoc.groups):
                y = 0.22 + 0.16 * i
                axis.plot([rank_of[group[0]] - 0.03, rank_of[group[-1]] + 0.03], [y, y], color="black", linewidth=3)
            for i, place in enumerate(places):
                first = i < half
                y = top + 0.3 * (i if first else k - 1 - i)
                end = 1 - 0.08 * (k - 1) if first else k + 0.08 * (k - 1)
                axis.plot([place.rank, place.rank, end], [0, y, y], color="black", linewidth=0.7)
                words = f"{place.strategy} {place.rank:.2f} " if first else f" {place.strategy} {place.rank:.2f}"
                axis.text(end, y, words, ha="right" if first else "left", va="center")

        name = self.content.slug("ranks", learner, posthoc.name)
        return self._save(name, 5.5, 0.5 + 0.42 * (top + 0.3 * half + 0.75) * 1.6, draw)

    def scores(self, learner: str) -> Path:
        """Draw mean scores by data set and strategy, shaded from the worst to the best of each row."""
        content = self.content
        scored = content.asked.scored
        cells = stats.table(scored[scored["learner"] == learner], ["dataset"], ["strategy"])
        datasets = [dataset for (dataset,) in cells]
        none = stats.Cell(np.nan, np.nan, 0, 0, {})
        table = [[row.get((name,), none) for name in content.strategies] for row in cells.values()]
        return self._save(
            content.slug("scores", learner),
            1.6 + 0.62 * len(content.strategies),
            0.9 + 0.24 * len(datasets),
            lambda figure: _heat(figure, table, datasets, content.strategies, content.asked.question.greater_is_better),
        )

    def times(self, learner: str) -> list[Path]:
        """Draw mean seconds per round, by clock; nothing where no run asked a strategy."""
        found = stats.round_times(self.content.asked.records)
        found = found[found["learner"] == learner]
        if not len(found):
            return []
        means = found.groupby("strategy", sort=False)[list(stats.CLOCKS)].mean()
        names = [name for name in self.content.strategies if name in means.index]

        def draw(figure: Any) -> None:
            axis = figure.subplots()
            left = np.zeros(len(names))
            for clock, color in zip(stats.CLOCKS, ("0.6", COLORS[1], COLORS[4], "0.85"), strict=True):
                seconds = means.loc[names, clock].to_numpy(dtype=float)
                axis.barh(names, seconds, left=left, color=color, label=clock.removesuffix("_time"), height=0.7)
                left += seconds
            axis.invert_yaxis()
            axis.set_xlabel("seconds per round")
            _bare(axis)
            figure.legend(loc="outside upper right", ncols=4, frameon=False)

        return [self._save(self.content.slug("times", learner), 5.5, 0.9 + 0.22 * len(names), draw)]


def _heat(
    figure: Any, table: Sequence[Sequence[stats.Cell]], rows: Sequence[str], columns: Sequence[str], up: bool
) -> None:
    axis = figure.subplots()
    shades = np.array([grids.shades(row, up) for row in table])
    axis.imshow(shades, cmap="Blues", vmin=0, vmax=1.6, aspect="auto")
    for (i, j), shade in np.ndenumerate(shades):
        cell, weight = table[i][j], "bold" if shade == 1 else "normal"
        mean = f"{cell.mean:.3f}" if np.isfinite(cell.mean) else "beyond" if cell.beyond else "-"
        star = "" if cell.whole else "*"
        axis.text(j, i, mean + star, ha="center", va="center", weight=weight)
    axis.set_xticks(range(len(columns)), columns, rotation=35, ha="left", rotation_mode="anchor")
    axis.xaxis.tick_top()
    axis.set_yticks(range(len(rows)), rows)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def _bare(axis: Any) -> None:
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
