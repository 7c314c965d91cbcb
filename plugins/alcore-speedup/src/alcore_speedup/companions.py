"""The metrics that the speed-up factor is compared with, all of them from the mean curves of a setup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats, Mask
from alcore_speedup.ceiling import Ceiling
from alcore_speedup.fit import fit
from alcore_speedup.resample import weighted
from alcore_speedup.setup import Setup

Trend: TypeAlias = Literal["kendall", "page"]


@dataclass(frozen=True)
class Connected:
    """The ratio x_qm(p) / x_rand(p) of two inverted curves, where both reach the performance p.

    ``undefined`` are the ranges of p that only one of them reaches; ``reason`` says why there is no ratio at all.
    """

    p: Floats
    ratio: Floats
    undefined: tuple[tuple[float, float], ...]
    reason: str | None = None

    @property
    def mean(self) -> float:
        """The mean ratio over p; NaN where there is none."""
        known = self.ratio[np.isfinite(self.ratio)]
        return float(known.mean()) if len(known) else float("nan")


def inverse(x: Floats, curve: Floats, p: Floats) -> Floats:
    """Return the labels at which the connected curve first reaches each p; NaN where it does not.

    That is the inverse of the running maximum, which a curve that falls does not have itself.
    """
    best = np.maximum.accumulate(curve)
    at = np.searchsorted(best, p, side="left")
    inside = np.clip(at, 1, len(x) - 1)
    rise = best[inside] - best[inside - 1]
    share = (p - best[inside - 1]) / np.where(rise > 0, rise, 1.0)
    reached = np.where(at == 0, x[0], x[inside - 1] + share * (x[inside] - x[inside - 1]))
    return np.where(at < len(x), reached, np.nan)


def connected(
    setup: Setup, strategy: str, baseline: str, *, count: Literal["added", "total"] = "added",
    inner: tuple[float, float] = (0.1, 0.9), points: int = 101,
) -> Connected:  # fmt: skip
    """Return the speed-up factor of the connected curves.

    Parameters
    ----------
    count : "added" or "total"
        Labels added to the start set, as for S; or all labels, with which the ratio is 1 where nothing was added
        (Figure 3).
    inner : (float, float)
        The part of the common range of performance that is looked at: near its ends the ratio rests on noise.
    points : int
        Equidistant p in that part.

    Raises
    ------
    InputError
        If a strategy is none of the setup's, or a parameter is wrong.
    """
    if count not in ("added", "total") or not 0 <= inner[0] < inner[1] <= 1:
        raise InputError(
            f"count is {count!r} and inner {inner}; use 'added' or 'total', and shares 0 <= low < high <= 1."
        )
    used = setup if count == "added" else setup.total()
    found = [used.points(used.position(name)) for name in (strategy, baseline)]
    if any(len(x) < 2 for x, _ in found):
        return Connected(np.empty(0), np.empty(0), (), "a curve has fewer than two points")
    starts, ends = [curve[0] for _, curve in found], [float(curve.max()) for _, curve in found]
    low, high = max(starts), min(ends)
    undefined = tuple(pair for pair in ((min(starts), low), (high, max(ends))) if pair[0] < pair[1])
    if not low < high:
        return Connected(np.empty(0), np.empty(0), undefined, "the curves share no range of performance")
    p = np.linspace(low + inner[0] * (high - low), low + inner[1] * (high - low), points)
    x_qm, x_rand = (inverse(x, curve, p) for x, curve in found)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(x_rand > 0, x_qm / x_rand, np.nan)
    return Connected(p, ratio, undefined)


def fixed_scales(setup: Setup, ceiling: Ceiling, within: Mask | None = None) -> Floats:
    """Return b of every strategy with p = a (1 - e^(-x/b)), x being all labels (Kath et al. 2024b), (n, Q).

    ``within`` (n, T) are the x of ``setup.total()`` that count; without it n is 1. NaN where b is at the border.
    """
    total = setup.total()
    mean, number, _ = weighted(total, np.ones((1, len(setup.seeds))))
    n = 1 if within is None else len(within)
    number = np.broadcast_to(number, (n, *number.shape[1:])) * (1.0 if within is None else within[:, None])
    mean = np.ascontiguousarray(np.broadcast_to(mean, number.shape))
    found = fit(total.x, mean, number, np.zeros(n), np.full(n, ceiling.a_inf), "p1")
    return np.where(found.border | (number.sum(axis=-1) == 0), np.nan, found.b)


def fixed(setup: Setup, baseline: str, ceiling: Ceiling) -> dict[str, float]:
    """Return the fixed version of the speed-up factor (Kath et al. 2024b), by strategy."""
    b = fixed_scales(setup, ceiling)[0]
    return dict(zip(setup.strategies, (b / b[setup.position(baseline)]).tolist(), strict=True))


def lc_mean(setup: Setup) -> dict[str, float]:
    """Return the mean of the mean curve over its points, by strategy."""
    return {name: _mean(setup.points(q)[1]) for q, name in enumerate(setup.strategies)}


def _mean(curve: Floats) -> float:
    return float(curve.mean()) if len(curve) else float("nan")


def aulc(setup: Setup, baseline: str) -> dict[str, float]:
    """Return the area under the curve divided by that of the baseline, over the labels that both curves have.

    Trapezoids; the shorter curve says where both end.
    """
    reference = setup.points(setup.position(baseline))
    return {name: _area_ratio(setup.points(q), reference) for q, name in enumerate(setup.strategies)}


def _area_ratio(one: tuple[Floats, Floats], reference: tuple[Floats, Floats]) -> float:
    if min(len(one[0]), len(reference[0])) < 2:
        return float("nan")
    end = min(one[0][-1], reference[0][-1])
    areas = [_area(x, curve, end) for x, curve in (one, reference)]
    return areas[0] / areas[1] if areas[1] > 0 else float("nan")


def _area(x: Floats, curve: Floats, end: float) -> float:
    inside = x < end
    x, curve = np.append(x[inside], end), np.append(curve[inside], np.interp(end, x, curve))
    return float((np.diff(x) * (curve[1:] + curve[:-1])).sum() / 2)


@dataclass(frozen=True)
class CutPoints:
    """The differences d_t to the baseline at each x, and the one-sided p value that they increase.

    ``superior`` is the decision of the method.
    """

    x: Floats
    d: Floats
    p_value: float
    superior: bool
    reason: str | None = None


def cut_points(
    setup: Setup, strategy: str, baseline: str, *, test: Trend = "kendall", alpha: float = 0.05
) -> CutPoints:
    """Return the cut-points method of Pupo et al. (2018a), a reconstruction from the paper's sentence about it.

    A strategy is superior if its lead over the baseline grows significantly with the iterations.

    Parameters
    ----------
    test : "kendall" or "page"
        Kendall's tau between t and d_t of the mean curve, or Page's trend test over the seeds' curves.
    alpha : float
        The decision's level.

    Raises
    ------
    InputError
        If a strategy is none of the setup's, or a parameter is wrong.
    """
    if test not in ("kendall", "page") or not 0 < alpha < 1:
        raise InputError(f"test is {test!r} and alpha {alpha}; use 'kendall' or 'page', and a level between 0 and 1.")
    q, base = setup.position(strategy), setup.position(baseline)
    if test == "kendall":
        mean = setup.mean()
        d = (mean[q] - mean[base])[None]
    else:
        d = setup.values[q] - setup.values[base]
        d = d[np.isfinite(d).any(axis=1)]
    shared = np.isfinite(d).all(axis=0)
    d = d[:, shared]
    if d.shape[1] < 3 or (test == "page" and len(d) < 2) or np.ptp(d) == 0:
        needed = "three common points that differ" + (" in two seeds" if test == "page" else "")
        return CutPoints(
            setup.x[shared], d.mean(axis=0) if len(d) else d.sum(axis=0), np.nan, False, f"the test needs {needed}"
        )
    p_value = _kendall(d[0]) if test == "kendall" else _page(d)
    return CutPoints(setup.x[shared], d.mean(axis=0), p_value, p_value < alpha)


def _kendall(d: Floats) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(np.arange(len(d)), d, alternative="greater").pvalue)


def _page(d: Floats) -> float:
    from scipy.stats import page_trend_test

    return float(page_trend_test(d, method="asymptotic").pvalue)
