"""Where a strategy is good: scores by views of data sets, and improvement against their properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.dataset import Dataset
from alcore.errors import InputError
from alcore.stats.blocks import Blocks
from alcore.stats.equal import settled
from alcore.stats.significance import holm_known
from alcore.types import Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Properties:
    """Of a data set: ``n`` rows, ``d`` features, and ``imbalance``, the largest class over the smallest.

    ``imbalance`` is NaN for tasks without classes.
    """

    n: int
    d: int
    imbalance: float = float("nan")

    @classmethod
    def of(cls, dataset: Dataset) -> Properties:
        """Return those of a loaded data set; its own test part counts as rows."""
        n = len(dataset) + (len(dataset.test[1]) if dataset.test is not None else 0)
        imbalance = float("nan")
        if dataset.task is Task.CLASSIFICATION:
            counts = np.bincount(dataset.codes)
            counts = counts[counts > 0]
            imbalance = float(counts.max() / counts.min())
        return cls(n, int(np.prod(dataset.X.shape[1:], dtype=int)), imbalance)


VIEWS: Mapping[str, Callable[[Properties], bool]] = {
    "all": lambda _: True,
    "LD": lambda p: p.d < 50,
    "HD": lambda p: p.d >= 50,
    "SS": lambda p: p.n < 1000,
    "LS": lambda p: p.n >= 1000,
    "BAL": lambda p: p.imbalance < 1.5,
    "IMB": lambda p: p.imbalance >= 1.5,
}
"""Low and high dimension, small and large scale, balanced and imbalanced (Zhan et al. 2021)."""


def view_scores(by_problem: Blocks, properties: Mapping[str, Properties]) -> pd.DataFrame:
    """Return how far each strategy is behind the best one, as the mean over the data sets of each view.

    delta(q, s) = max over strategies of the mean score on s, less that of q (the other way round for a loss); the
    score of q in view v is the mean of delta(q, s) over the data sets s in v. 0 is best.

    Parameters
    ----------
    by_problem : mean scores, as ``problem_blocks`` returns them
    properties : by data set

    Returns
    -------
    DataFrame
        Index: strategies; columns: ``VIEWS``, NaN for a view without a data set. ``attrs["counts"]`` holds the number
        of problems of each view.

    Raises
    ------
    InputError
        If a data set has no properties.
    """
    import pandas as pd

    values = by_problem.values
    datasets = [str(dataset) for dataset in values.index.get_level_values("dataset")]
    _check_known(datasets, properties)
    best = values.max(axis=1) if by_problem.greater_is_better else values.min(axis=1)
    delta = values.rsub(best, axis=0).abs().mask(values.eq(best, axis=0), 0.0)  # also where all are beyond
    inside = {view: np.array([of(properties[name]) for name in datasets], dtype=bool) for view, of in VIEWS.items()}
    found = pd.DataFrame({view: delta[mask].mean() for view, mask in inside.items()}, index=values.columns)
    found.attrs["counts"] = {view: int(mask.sum()) for view, mask in inside.items()}
    return found


def _check_known(datasets: list[str], properties: Mapping[str, Properties]) -> None:
    if unknown := [name for name in dict.fromkeys(datasets) if name not in properties]:
        raise InputError(
            f"the properties of {', '.join(unknown)} are not known; give them in a CSV file with the columns "
            "dataset, n, d, imbalance: --properties FILE."
        )


def against_properties(found: pd.DataFrame, properties: Mapping[str, Properties]) -> pd.DataFrame:
    """Return improvements with the properties of their data sets, one row each, for a scatter.

    Parameters
    ----------
    found : as ``improvement`` returns it
    properties : by data set

    Raises
    ------
    InputError
        If a data set has no properties.
    """
    _check_known([str(name) for name in found["dataset"]], properties)
    columns = {
        name: [getattr(properties[str(dataset)], name) for dataset in found["dataset"]]
        for name in ("n", "d", "imbalance")
    }
    return found[["dataset", "learner", "strategy", "mean"]].assign(**columns)


def correlations(points: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of improvement with each property, by learner and strategy.

    Parameters
    ----------
    points : as ``against_properties`` returns them

    Returns
    -------
    DataFrame
        Names, ``property``, ``datasets``, ``rho``, ``p`` and ``p_holm``, adjusted for all rows (None without a
        correlation), ``reason``.
    """
    import pandas as pd
    from scipy.stats import spearmanr

    rows: list[dict[str, Any]] = []
    for (learner, strategy), part in points.groupby(["learner", "strategy"], sort=False):
        for name in ("n", "d", "imbalance"):
            both = part[["mean", name]].dropna()
            both["mean"] = np.sign(both["mean"]) * settled(both["mean"].abs())
            row: dict[str, Any] = {"learner": learner, "strategy": strategy, "property": name, "datasets": len(both)}
            reason = ""
            if len(both) < 3:
                reason = f"{len(both)} data set{'' if len(both) == 1 else 's'}; a correlation needs 3"
            elif (both.nunique() < 2).any():
                reason = "one value only"
            tested = None if reason else spearmanr(both[name], both["mean"])
            row |= {"rho": float(tested.statistic) if tested else None, "p": float(tested.pvalue) if tested else None}
            rows.append(row | {"reason": reason})
    for row, p in zip(rows, holm_known([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    columns = ["learner", "strategy", "property", "datasets", "rho", "p", "p_holm", "reason"]
    return pd.DataFrame(rows, columns=columns)
