"""Seeds resampled with replacement, the same ones for every strategy, and intervals from what they give."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from alcore.types import Floats
from alcore_speedup.setup import Setup

Interval: TypeAlias = Literal["t", "percentile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)


def counts(seeds: int, draws: int, seed: int) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Return how often each seed occurs in each distinct resample, (n, S), and the resample of each draw, (draws,)."""
    chance = np.random.default_rng(seed)
    drawn = chance.multinomial(seeds, np.full(seeds, 1 / seeds), size=draws)
    distinct, which = np.unique(drawn, axis=0, return_inverse=True)
    return distinct.astype(np.float64), which.reshape(-1)


def weighted(setup: Setup, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, number and sum of squares of the values at each x, each (n, Q, T), for weights (n, S) of the seeds.

    The mean is 0 where the number is.
    """
    has = np.isfinite(setup.values)
    values = np.where(has, setup.values, 0.0)
    number = _over_seeds(weights, has.astype(np.float64))
    mean = _over_seeds(weights, values) / np.where(number > 0, number, 1.0)
    return mean, number, _over_seeds(weights, values**2)


def _over_seeds(weights: Floats, values: Floats) -> Floats:
    Q, S, T = values.shape
    summed: Floats = (weights @ values.swapaxes(0, 1).reshape(S, Q * T)).reshape(len(weights), Q, T)
    return summed


def interval(value: float, draws: Floats, seeds: int, level: float, kind: Interval = "t") -> tuple[float, float]:
    """Return the interval of a positive value from its bootstrap draws, some of which may be NaN.

    Parameters
    ----------
    kind : "t" or "percentile"
        *t*: ln value +- t quantile x the standard deviation of ln draws x sqrt(n / (n - 1)), for n seeds.
        *percentile*: quantiles of the draws. Of few seeds they are too narrow: with 3, they hold the true factor in
        three quarters of all cases.
    """
    known = draws[np.isfinite(draws)]
    if kind == "percentile":
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)
    from scipy.stats import t

    width = t.ppf((1 + level) / 2, seeds - 1) * np.sqrt(seeds / (seeds - 1)) * np.log(known).std(ddof=1)
    return float(value * np.exp(-width)), float(value * np.exp(width))
