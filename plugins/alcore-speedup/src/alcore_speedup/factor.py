"""The speed-up factor S = b_qm / b_rand (Eq. 1) of every strategy of a setup."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats
from alcore_speedup import ceiling as ceilings
from alcore_speedup import resample
from alcore_speedup.approximation import FUNCTIONS, Function, check_function
from alcore_speedup.ceiling import Ceiling, Given
from alcore_speedup.fits import Fits, fitted, start
from alcore_speedup.guards import Limits, gain, gain_warning, shape_warning, start_warning
from alcore_speedup.resample import INTERVALS, Interval
from alcore_speedup.setup import Setup

COARSE = 61
"""Grid points for resamples, whose fits need not be exact."""


@dataclass(frozen=True)
class Factor:
    """The speed-up factor of one strategy.

    Parameters
    ----------
    speed_up : float
        The fraction of random's labels that the strategy needs for the same performance; NaN where it is refused.
    interval : (float, float) or None
        Its bootstrap interval over the seeds it shares with the baseline; None for one seed, or where it is refused.
    function : the approximation function of the whole setup; None where no curve could be fitted
    reason : str or None
        Why it is refused, or not to be trusted.
    refused : bool
        Whether a guard rail is broken; the factor is NaN then, unless it was forced.
    b : float
        The fitted scale, in labels.
    by_function : S by either function
    rmse : RMSE of either fit to the scatter of all seeds
    gain : float
        The normalised gain of the strategy.
    per_seed : S of each seed's own curves, with the setup's function, a_0 and a_inf; NaN where there is none
    """

    strategy: str
    speed_up: float
    interval: tuple[float, float] | None
    function: Function | None
    reason: str | None
    refused: bool
    b: float = float("nan")
    by_function: Mapping[str, float] = field(default_factory=dict)
    rmse: Mapping[str, float] = field(default_factory=dict)
    gain: float = float("nan")
    per_seed: Mapping[Hashable, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the row that ``alcore speed-up --json`` prints; what is not known is None."""
        return {
            "strategy": self.strategy,
            "speed_up": _known(self.speed_up),
            "interval": None if self.interval is None else list(self.interval),
            "function": self.function,
            "reason": self.reason,
            "b": _known(self.b),
            "by_function": {name: _known(value) for name, value in self.by_function.items()},
            "delta_rel": _known(delta_rel(*self.by_function.values())) if self.by_function else None,
            "delta_log": _known(delta_log(*self.by_function.values())) if self.by_function else None,
            "rmse": {name: _known(value) for name, value in self.rmse.items()},
            "gain": _known(self.gain),
            "per_seed": {str(seed): _known(value) for seed, value in self.per_seed.items()},
        }


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def delta_rel(S_1: float, S_2: float) -> float:
    """Return the relative difference 2 |S1 - S2| / (S1 + S2) of the factors by the two functions (appendix C)."""
    return 2 * abs(S_1 - S_2) / (S_1 + S_2)


def delta_log(S_1: float, S_2: float) -> float:
    """Return the logarithmic difference |ln S1 - ln S2| (appendix C, the logarithm being the natural one)."""
    return float(abs(np.log(S_1) - np.log(S_2)))


@dataclass(frozen=True)
class Factors:
    """The speed-up factors of a setup: of every strategy, the baseline included (S = 1), sorted by name."""

    setup: Setup
    baseline: str
    function: Function | None
    ceiling: Ceiling | None
    p_0: float
    factors: tuple[Factor, ...]

    def __getitem__(self, strategy: str) -> Factor:
        return self.factors[self.setup.strategies.index(strategy)]

    @property
    def others(self) -> tuple[Factor, ...]:
        """All but the baseline's."""
        return tuple(one for one in self.factors if one.strategy != self.baseline)


def speed_up(
    setup: Setup,
    baseline: str = "random",
    *,
    ceiling: Given = None,
    function: Function | None = None,
    draws: int = 1000,
    level: float = 0.95,
    interval: Interval = "t",
    seed: int = 0,
    force: bool = False,
    limits: Limits | None = None,
) -> Factors:
    """Return the speed-up factor of every strategy of a setup.

    a_inf and a_0 are common to all strategies, b is fitted to the scatter of each strategy's curves, and the function
    with the smaller mean RMSE over the strategies serves all of them (section 3).

    Parameters
    ----------
    setup : Setup
    baseline : str
        The strategy that the others are compared with.
    ceiling : float, mapping of seed to float, "final", "estimate" or None
        a_inf: a number, one per seed (their mean is taken), the mean of the last values, or the one that fits best.
        None takes the last values of the curves that exhausted their pool.
    function : "p1", "p2" or None to choose
    draws : int
        Bootstrap draws of the seeds, the same ones for all strategies; all is fitted and chosen anew in each (but an
        estimated ceiling stays). 0 for no intervals.
    level : float
        Of the intervals.
    interval : "t" or "percentile"
        See ``alcore_speedup.resample.interval``.
    seed : int
        Of the draws.
    force : bool
        Give the number even where it is refused. The reason stays.
    limits : Limits

    Raises
    ------
    InputError
        If the baseline is none of the strategies, or a parameter is wrong.
    """
    base = setup.position(baseline)
    _check(function, draws, level, interval)
    found, why = _ceiling(setup, ceiling, function)
    mean, number, _ = resample.weighted(setup, np.ones((1, len(setup.seeds))))
    p_0 = float(start(mean, number)[0])
    why = why or _unusable(setup, p_0, found)
    if why is not None or found is None:
        factors = [Factor(name, np.nan, None, None, why, refused=True) for name in setup.strategies]
        return Factors(setup, baseline, None, found, p_0, tuple(factors))
    fits = fitted(setup, np.ones((1, len(setup.seeds))), np.array([found.a_inf]), function=function)
    each = _by_seed(setup, fits)
    drawn = _draws(setup, found, base, function, draws, seed)
    made = []
    for q in range(len(setup.strategies)):
        reasons = _reasons(setup, fits, found, q, base, limits or Limits())
        own = None if drawn is None else (drawn[:, q], level, interval)
        made.append(_factor(setup, fits, each, q, base, reasons, force, own))
    return Factors(setup, baseline, FUNCTIONS[fits.chosen[0]], found, p_0, tuple(made))


def _check(function: Function | None, draws: int, level: float, interval: Interval) -> None:
    if function is not None:
        check_function(function)
    if draws < 0 or not 0 < level < 1:
        raise InputError(f"draws is {draws} and level {level}; give 0 draws or more, and a level between 0 and 1.")
    if interval not in INTERVALS:
        raise InputError(f"interval is {interval!r}; use one of {', '.join(INTERVALS)}.")


def _by_seed(setup: Setup, fits: Fits) -> Fits:
    """Return the fits of each seed by itself, with the function, p_0 and a_inf of all of them."""
    each = np.eye(len(setup.seeds))
    p_0, a_inf = np.full(len(each), fits.p_0[0]), np.full(len(each), fits.a_inf[0])
    return fitted(setup, each, a_inf, p_0=p_0, function=FUNCTIONS[fits.chosen[0]])


def _ceiling(setup: Setup, given: Given, function: Function | None) -> tuple[Ceiling | None, str | None]:
    """Return the ceiling, or why there is none."""
    if given == "estimate" and len(setup.x) > 2:
        mean, number, _ = resample.weighted(setup, np.ones((1, len(setup.seeds))))
        p_0 = float(start(mean, number)[0])
        found = ceilings.estimated(setup.x, mean, number, p_0, function)
        return found, None if found else "no ceiling fits best: the end of the curves is not in sight; give the ceiling"
    found = ceilings.find(setup, given)
    return found, None if found else ceilings.MISSING


def _unusable(setup: Setup, p_0: float, found: Ceiling | None) -> str | None:
    """Return why no strategy of the setup has a factor, or None."""
    if len(setup.x) < 2:
        return "no curve has a point after the start set's"
    if np.nanmin(setup.values) < 0:
        return f"the performance is {np.nanmin(setup.values):g} somewhere; the functions are for values of 0 or more"
    if found is not None and not p_0 < found.a_inf:
        return f"the performance at the start, {p_0:.4g}, is not below the ceiling, {found.a_inf:.4g}"
    return None


def _reasons(
    setup: Setup, fits: Fits, found: Ceiling, q: int, base: int, limits: Limits
) -> tuple[list[str], list[str], float]:
    """Return why the factor of a strategy is refused, why it is doubtful, and the strategy's gain."""
    refused: list[str] = []
    doubtful: list[str] = []
    gains: dict[int, float] = {}
    p_0, a_inf, chosen = float(fits.p_0[0]), found.a_inf, int(fits.chosen[0])
    starts = setup.starts()
    for one in dict.fromkeys((q, base)):
        name = setup.strategies[one]
        x, curve = setup.points(one)
        if len(x) < limits.points:
            refused.append(f"the curve of {name} has {len(x)} points; a factor needs {limits.points}")
            continue
        gains[one] = gain(p_0, float(curve[-1]), a_inf)
        if (why := gain_warning(name, gains[one], limits)) is not None:
            (refused if gains[one] < limits.refused else doubtful).append(why)
        elif gains[one] > 1 + limits.start:
            doubtful.append(f"{name} ends at {curve[-1]:.4g}, above the ceiling of {a_inf:.4g}")
        if (why := shape_warning(name, curve, limits)) is not None:
            doubtful.append(why)
        b, step = float(fits.b[chosen, 0, one]), float(np.median(np.diff(x)))
        if fits.border[chosen, 0, one]:
            refused.append(f"no scale b fits {name}: its curve does not rise, or is at the ceiling after one query")
        elif b < limits.steps * step:
            doubtful.append(f"the scale b of {name} is {b:.3g} labels, fewer than {limits.steps:g} queries")
        if (why := start_warning(name, setup.values[one, :, 0] - starts, limits)) is not None:
            doubtful.append(why)
    if found.source == "estimated":
        doubtful.append(f"the ceiling of {a_inf:.4g} is estimated from the curves")
    return refused, doubtful, gains.get(q, float("nan"))


def _draws(setup: Setup, found: Ceiling, base: int, function: Function | None, draws: int, seed: int) -> Floats | None:
    """Return S of every strategy in every draw of the seeds, (draws, Q)."""
    if draws == 0 or len(setup.seeds) < 2:
        return None
    counts, which = resample.counts(len(setup.seeds), draws, seed)
    fits = fitted(setup, counts, found.resampled(counts), function=function, grid=COARSE, steps=2)
    drawn: Floats = fits.speed_ups(base)[which]
    return drawn


def _factor(
    setup: Setup, fits: Fits, each: Fits, q: int, base: int,
    reasons: tuple[list[str], list[str], float], force: bool, drawn: tuple[Floats, float, Interval] | None,
) -> Factor:  # fmt: skip
    refused, doubtful, own_gain = reasons
    chosen = int(fits.chosen[0])
    S, seeds = fits.ratios(base)[:, 0, q], each.ratios(base)[chosen, :, q]
    lost = each.border[chosen, :, q] | each.border[chosen, :, base]
    given = force or not refused
    both = int((np.isfinite(setup.start[q]) & np.isfinite(setup.start[base])).sum())
    spread = None
    if given and drawn is not None and both > 1 and np.isfinite(drawn[0]).any():
        spread = resample.interval(float(S[chosen]), drawn[0], both, *drawn[1:])
    return Factor(
        strategy=setup.strategies[q],
        speed_up=float(S[chosen]) if given else float("nan"),
        interval=spread,
        function=FUNCTIONS[chosen],
        reason="; ".join(dict.fromkeys(refused + doubtful)) or None,
        refused=bool(refused),
        b=float(fits.b[chosen, 0, q]),
        by_function=dict(zip(FUNCTIONS, S.tolist(), strict=True)),
        rmse=dict(zip(FUNCTIONS, fits.rmse[:, 0, q].tolist(), strict=True)),
        gain=own_gain,
        per_seed=dict(zip(setup.seeds, np.where(lost, np.nan, seeds).tolist(), strict=True)),
    )
