"""The quantities of the tables, out of learning curves, with the paper's own arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alcore import Curve
from alcore.metrics.curves import aubc
from alcore_benchmark.datasets.catalogue import Entry

VIEWS: dict[str, Callable[[Entry], bool]] = {
    "B": lambda facts: facts.rows > 0,
    "LD": lambda facts: facts.features < 50,
    "HD": lambda facts: facts.features >= 50,
    "SS": lambda facts: facts.rows < 1000,
    "LS": lambda facts: facts.rows >= 1000,
    "BAL": lambda facts: facts.imbalance < 1.5,
    "IMB": lambda facts: facts.imbalance >= 1.5,
}
"""The paper's views of the data sets: all, low and high dimension, small and large, balanced and imbalanced."""

BySeed = Mapping[int, Curve]


@dataclass(frozen=True)
class Cell:
    """A number of ours: mean over seeds, its standard deviation and how many seeds there were."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Cell | None:
        """Return the mean of these, None where there is none."""
        if not len(values):
            return None
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
        return cls(float(np.mean(values)), sd, len(values))

    @property
    def half_width(self) -> float:
        """Half the 95 % confidence interval of the mean, by Student's t; NaN for one seed."""
        from scipy.stats import t

        return float(t.ppf(0.975, self.n - 1) * self.sd / np.sqrt(self.n)) if self.n > 1 else float("nan")


def areas(curves: BySeed) -> dict[int, float]:
    """Return AUBC by seed, with the published formula: round 0 is left out and T - 1 intervals are divided by T."""
    return {seed: aubc(curve, kind="ariapoy2023") for seed, curve in curves.items()}


def values_at(curves: BySeed, labels: int) -> list[float]:
    """Return the value of each curve that has exactly so many labels, or the last before."""
    found = []
    for curve in curves.values():
        at = int(np.searchsorted(curve.labeled, labels, side="right")) - 1
        if at >= 0 and labels <= curve.labeled[-1]:
            found.append(float(curve.values[at]))
    return found


def labels_to(curves: BySeed, full: Mapping[int, float], share: float) -> list[float]:
    """Return the labels each curve took to share * full[seed]; one that never got there is left out."""
    return [first for seed, curve in curves.items() if (first := _first(curve, share * full[seed])) is not None]


def utilisation(curves: BySeed, uniform: BySeed, full: Mapping[int, float], slack: float) -> list[float]:
    """Return, seed by seed, labels to full - slack over those that Uniform took."""
    found = []
    for seed, curve in curves.items():
        ours, theirs = (_first(one, full[seed] - slack) for one in (curve, uniform[seed]))
        if ours is not None and theirs:
            found.append(ours / theirs)
    return found


def _first(curve: Curve, target: float) -> float | None:
    reached = np.flatnonzero(curve.values >= target)
    return float(curve.labeled[reached[0]]) if len(reached) else None


def ranks(by_column: Mapping[str, Mapping[int, float]]) -> dict[str, list[float]]:
    """Return each column's rank by seed, 1 the largest, ties sharing their mean, over seeds that all columns have."""
    from scipy.stats import rankdata

    seeds = sorted(set.intersection(*(set(one) for one in by_column.values()))) if by_column else []
    table = np.array([[one[seed] for seed in seeds] for one in by_column.values()])
    ranked = rankdata(-table, axis=0) if len(seeds) else table
    return {name: ranked[row].tolist() for row, name in enumerate(by_column)}
