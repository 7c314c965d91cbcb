"""Both functions fitted to all strategies of a setup, for many weightings of the seeds or stop budgets at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alcore.types import Floats, Mask
from alcore_speedup.approximation import FUNCTIONS, Function
from alcore_speedup.fit import EXACT, GRID, fit
from alcore_speedup.resample import weighted
from alcore_speedup.setup import Setup

TIE = 1e-9
"""p1 is chosen unless the RMSE of p2 is less by more than this share."""


@dataclass(frozen=True)
class Fits:
    """Scales ``b``, ``rmse`` and whether b is at a ``border``, each (2, n, Q): by function, weighting and strategy.

    ``chosen`` (n,) is the function with the least mean RMSE over the strategies.
    """

    p_0: Floats
    a_inf: Floats
    b: Floats
    rmse: Floats
    border: Mask
    chosen: np.ndarray[tuple[int], np.dtype[np.intp]]

    def ratios(self, base: int) -> Floats:
        """Return S by both functions, (2, n, Q)."""
        return self.b / self.b[..., [base]]

    def speed_ups(self, base: int) -> Floats:
        """Return S by the function chosen, (n, Q)."""
        S: Floats = self.ratios(base)[self.chosen, np.arange(len(self.chosen))]
        return S


def start(mean: Floats, number: Floats) -> Floats:
    """Return p_0 (n,): the mean over the strategies of their performance at x = 0."""
    has = number[..., 0] > 0
    p_0: Floats = np.where(has, mean[..., 0], 0.0).sum(axis=-1) / np.maximum(has.sum(axis=-1), 1)
    return p_0


def fitted(
    setup: Setup,
    weights: Floats,
    a_inf: Floats,
    *,
    p_0: Floats | None = None,
    within: Mask | None = None,
    function: Function | None = None,
    grid: int = GRID,
    steps: int = EXACT,
) -> Fits:
    """Fit p1 and p2 to every strategy, to the scatter of its curves.

    Parameters
    ----------
    weights : array (n, S), of the seeds
    a_inf : array (n,)
    p_0 : array (n,), or None for the mean at x = 0 under these weights
    within : array (n, T), or None: the x that count
    function : the function to choose, or None for the better one
    """
    mean, number, squared = weighted(setup, weights)
    p_0 = start(mean, number) if p_0 is None else p_0
    if within is not None:
        number = number * within[:, None]
        squared = squared * within[:, None]
    count = number.sum(axis=-1)
    # What the seeds differ among themselves belongs to the scatter, and does not depend on b.
    scatter = np.maximum(squared.sum(axis=-1) - (number * mean**2).sum(axis=-1), 0.0)
    b, rmse, border = [], [], []
    for name in FUNCTIONS:
        one = fit(setup.x, mean, number, p_0, a_inf, name, grid=grid, steps=steps)
        known = (count > 0) & (p_0 < a_inf)[:, None]
        b.append(np.where(known, one.b, np.nan))
        rmse.append(np.where(known, np.sqrt((one.squares + scatter) / np.maximum(count, 1.0)), np.nan))
        border.append(one.border)
    return Fits(p_0, a_inf, np.stack(b), np.stack(rmse), np.stack(border), _chosen(np.stack(rmse), function))


def _chosen(rmse: Floats, function: Function | None) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    if function is not None:
        return np.full(rmse.shape[1], FUNCTIONS.index(function), dtype=np.intp)
    total = np.nansum(rmse, axis=-1)
    return np.asarray(total[1] < total[0] * (1 - TIE), dtype=np.intp)
