"""ModelSelector's choice of epsilon without labels: which value finds the best model fastest on pseudo-labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from alcore.errors import InputError
from alcore.types import Floats
from alcore_modelselection.predictions import Predictions

Metric: TypeAlias = Literal["fastest", "success_avg"]
GRID = tuple(round(0.35 + 0.01 * i, 2) for i in range(15))
"""The values that are compared: 0.35 to 0.49."""
GOAL, WINDOW = 0.9, 5


@dataclass(frozen=True)
class Choice:
    """The chosen epsilon, the metric that chose it, and the metric's value for each one compared."""

    epsilon: float
    metric: Metric
    values: dict[float, float]


def choose_epsilon(
    predictions: Predictions,
    rng: Generator,
    *,
    metric: Metric = "fastest",
    realisations: int = 50,
    size: int = 1000,
    grid: tuple[float, ...] = GRID,
) -> Choice:
    """Return the epsilon that is best on pseudo-labels (the majority vote) of random sub-pools.

    Parameters
    ----------
    predictions : Predictions
    rng : Generator
    metric : "fastest" or "success_avg"
        The number of labels after which the success rate over the sub-pools, smoothed over five labels, exceeds 0.9
        (which the published values follow), or the mean success rate over all labels. ``fastest`` gives way to
        ``success_avg`` if no epsilon ever exceeds 0.9; ``Choice.metric`` says which one decided. Of several that are
        equally fast, the middle one is chosen.
    realisations : int
        Sub-pools, 1,000 in the published configurations.
    size : int
        Rows of a sub-pool; all rows if there are fewer.
    grid : the values to compare

    Raises
    ------
    InputError
        If an argument is out of range.
    """
    if metric not in get_args(Metric) or realisations < 1 or size < 1 or not grid:
        raise InputError(
            f"metric={metric!r}, realisations={realisations}, size={size}: use 'fastest' or 'success_avg', "
            "and one sub-pool of one row or more."
        )
    size = min(size, predictions.n_rows)
    pools = [rng.choice(predictions.n_rows, size=size, replace=False) for _ in range(realisations)]
    seeds = rng.integers(2**63, size=(len(grid), realisations))
    if metric == "fastest":
        first: dict[float, float] = {}
        for epsilon, row in zip(grid, seeds, strict=True):
            limit = min(first.values(), default=math.inf)
            first[epsilon] = _fastest(_runs(predictions, pools, row, epsilon), size, limit)
        least = min(first.values())
        if least < math.inf:
            tied = [epsilon for epsilon, labels in first.items() if labels == least]
            return Choice(tied[len(tied) // 2], "fastest", first)
    mean = {
        epsilon: _success_avg(_runs(predictions, pools, row, epsilon), size)
        for epsilon, row in zip(grid, seeds, strict=True)
    }
    return Choice(max(mean, key=lambda e: mean[e]), "success_avg", mean)


def _runs(
    predictions: Predictions, pools: list[NDArray[np.intp]], seeds: NDArray[np.integer], epsilon: float
) -> list[_Run]:
    return [_Run(predictions, rows, epsilon, int(seed)) for rows, seed in zip(pools, seeds, strict=True)]


class _Run:
    """ModelSelector on one sub-pool with pseudo-labels, one label at a time, on compact tables."""

    def __init__(self, predictions: Predictions, rows: NDArray[np.intp], epsilon: float, seed: int) -> None:
        hard = predictions.hard[:, rows].astype(np.intp)
        n_classes = predictions.n_classes
        counts = np.stack([(hard == c).sum(axis=0) for c in range(n_classes)], axis=1)
        truth = counts.argmax(axis=1)
        right = hard == truth
        total = right.sum(axis=1)
        self.good = total == total.max()
        keep = np.flatnonzero((hard != hard[0]).any(axis=0))  # the others move no model past another
        self.masks = np.concatenate([(hard[:, keep] == c).T for c in range(n_classes)]).astype(np.float32)
        self.right = right[:, keep].T.astype(np.float64)
        self.n_classes, self.gamma = n_classes, (1 - epsilon) / epsilon
        self.open = np.ones(len(keep), dtype=np.bool_)
        self.score = np.zeros(len(hard))
        self.rng = np.random.default_rng(seed)
        self.left = len(keep)

    def step(self) -> float:
        """Label one more row, if one is left that says anything, and return whether a best model is returned."""
        if self.left:
            chosen = self._next()
            self.score += self.right[chosen]
            self.open[chosen] = False
            self.left -= 1
        # The model returned is drawn among those that tie: its mean success, rather than one draw of it.
        return float(self.good[self.score == self.score.max()].mean())

    def _next(self) -> int:
        p = self.gamma ** (self.score - self.score.max())
        p /= p.sum()
        p_log_p = p * np.log2(np.maximum(p, 1e-300))
        ab = self.masks @ np.stack([p, p_log_p], axis=1).astype(np.float32)
        a, b = ab.reshape(self.n_classes, -1, 2).transpose(2, 0, 1)
        z = 1.0 + (self.gamma - 1.0) * a
        h = np.log2(z) - (p_log_p.sum() + (self.gamma - 1.0) * b + self.gamma * math.log2(self.gamma) * a) / z
        mean = np.where(self.open, h.mean(axis=0), np.inf)
        # float32 sums differ in their last bits for rows that tie exactly
        best = np.flatnonzero(mean <= mean.min() + 1e-6)
        return int(best[self.rng.integers(len(best))])


def _fastest(runs: list[_Run], steps: int, limit: float) -> float:
    """Return the first label count at which the smoothed success exceeds the goal, or inf; not looked for past limit.

    The window is centred and padded with the edge values; a first point at the very start counts as never.
    """
    half = WINDOW // 2
    curve: list[float] = []
    for _ in range(steps):
        curve.append(float(np.mean([run.step() for run in runs])))
        t = len(curve) - 1 - half  # the last point with a full window
        if t >= 1 and _smooth(curve, t) > GOAL:
            return float(t)
        if t >= limit or (len(curve) > WINDOW and not any(run.left for run in runs)):
            break
    return math.inf


def _smooth(curve: list[float], t: int) -> float:
    half = WINDOW // 2
    return float(np.mean([curve[min(max(i, 0), len(curve) - 1)] for i in range(t - half, t + half + 1)]))


def _success_avg(runs: list[_Run], steps: int) -> float:
    total: Floats = np.zeros(len(runs))
    for r, run in enumerate(runs):
        asked = run.left
        curve = [run.step() for _ in range(asked)]
        last = curve[-1] if curve else run.step()
        total[r] = (sum(curve) + (steps - asked) * last) / steps  # the rest changes nothing
    return float(total.mean())
