"""When a speed-up factor is not to be trusted: the paper's recommendations (section 6) as rules with limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alcore.types import Floats


@dataclass(frozen=True)
class Limits:
    """Where a speed-up factor is refused, and where it is given with a warning.

    Parameters
    ----------
    refused : float
        The least normalised gain (P_final - P_initial) / (P_ceiling - P_initial), of the strategy and of the baseline.
    doubtful : float
        A gain below this is warned of. The paper says 20 to 30 %.
    points : int
        The least points of a curve, the start set's included.
    drop : float
        The largest fall of the mean curve below what it had reached, as a share of its range, beyond its noise.
    wave : float
        The largest RMSE of the mean curve to the nearest curve that never falls, as a share of its range.
    steps : float
        A scale b below so many queries is warned of: the ratio then rests on one or two points.
    start : float
        How far a strategy's performance at the start may be from the mean of all; with three seeds or more it must
        also be three standard errors away.
    """

    refused: float = 0.2
    doubtful: float = 0.3
    points: int = 3
    drop: float = 0.10
    wave: float = 0.05
    steps: float = 2.0
    start: float = 0.02


def gain(initial: float, final: float, ceiling: float) -> float:
    """Return the normalised gain: the part of what labels can bring that these labels brought."""
    return (final - initial) / (ceiling - initial) if ceiling > initial else float("nan")


def drop(curve: Floats) -> float:
    """Return the largest fall below the running maximum, beyond noise, as a share of the range; 0 if it never falls.

    Noise of standard deviation sigma makes falls of 4 to 5 sigma, which are taken off; sigma^2 is a sixth of the mean
    squared second difference, which the curve itself hardly adds to. The sum of all falls, in contrast, grows with the
    number of points of a noisy curve.
    """
    spread = float(np.ptp(curve))
    if spread == 0:
        return 0.0
    bends = np.diff(curve, 2)
    sigma = np.sqrt((bends**2).mean() / 6) if len(bends) > 2 else 0.0
    return max(float((np.maximum.accumulate(curve) - curve).max() - 5 * sigma), 0.0) / spread


def wave(curve: Floats) -> float:
    """Return the RMSE to the nearest curve that never falls (isotonic regression), as a share of the range."""
    spread = float(np.ptp(curve))
    if spread == 0:
        return 0.0
    from scipy.optimize import isotonic_regression

    nearest = isotonic_regression(curve).x
    return float(np.sqrt(((curve - nearest) ** 2).mean())) / spread


def shape_warning(name: str, curve: Floats, limits: Limits) -> str | None:
    """Return what is wrong with the shape of a mean curve, or None."""
    fall, away = drop(curve), wave(curve)
    if fall > limits.drop or away > limits.wave:
        return (
            f"the curve of {name} is not monotonic: it falls by {fall:.0%} of its range beyond noise, and its RMSE to "
            f"a curve that does not is {away:.0%} of it"
        )
    return None


def gain_warning(name: str, value: float, limits: Limits) -> str | None:
    """Return what is wrong with a normalised gain, or None."""
    if value < limits.refused:
        return f"the gain of {name} is {value:.2f}, below {limits.refused:g}: too little of the curve is known"
    if value < limits.doubtful:
        return f"the gain of {name} is {value:.2f}, below {limits.doubtful:g}: the factor is uncertain"
    return None


def start_warning(name: str, apart: Floats, limits: Limits) -> str | None:
    """Return what is wrong with a strategy's performances at the start, less the means of all, by seed; or None."""
    known = apart[np.isfinite(apart)]
    off, n = float(known.mean()), len(known)
    error = float(known.std(ddof=1)) / np.sqrt(n) if n > 2 else 0.0
    if abs(off) > max(limits.start, 3 * error):
        return f"{name} starts {abs(off):.3f} {'above' if off > 0 else 'below'} the mean of all strategies"
    return None
