"""The performance a_inf with all labels: given, that of the exhausted pool, or estimated."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats
from alcore_speedup.approximation import FUNCTIONS, Function
from alcore_speedup.fit import fit
from alcore_speedup.setup import Setup

Given: TypeAlias = float | Mapping[Hashable, float] | Literal["final", "estimate"] | None
MISSING = (
    "the performance with all labels is not known: no curve says that its pool was exhausted; give the ceiling, or "
    "have it estimated (ceiling = 'estimate')"
)
CANDIDATES = 81


@dataclass(frozen=True)
class Ceiling:
    """One a_inf, from values (Q, S) that are resampled with the seeds; ``values`` is None where it is one number."""

    a_inf: float
    source: str
    values: Floats | None = None

    def resampled(self, counts: Floats) -> Floats:
        """Return a_inf for every row of counts (n, S) of the seeds."""
        if self.values is None:
            return np.full(len(counts), self.a_inf)
        has = np.isfinite(self.values)
        number = counts @ has.T
        mean = counts @ np.where(has, self.values, 0.0).T / np.maximum(number, 1)
        strategies = (number > 0).sum(axis=1)
        total: Floats = np.where(number > 0, mean, 0.0).sum(axis=1)
        return np.where(strategies > 0, total / np.maximum(strategies, 1), self.a_inf)


def find(setup: Setup, given: Given) -> Ceiling | None:
    """Return the ceiling of a setup, or None if it is not known.

    Parameters
    ----------
    given : float, mapping of seed to float, "final", "estimate" or None
        "final" takes the mean over strategies of the last values; None the same of the curves that exhausted their
        pool; "estimate" is for ``estimated`` and is not known here.

    Raises
    ------
    InputError
        If it is none of these, no positive number, or lacks a seed.
    """
    if given is None or given == "final":
        values = np.where(setup.exhausted | (given == "final"), setup.finals(), np.nan)
        return _averaged(values, "final") if np.isfinite(values).any() else None
    if given == "estimate":
        return None
    if isinstance(given, Mapping):
        lacking = [seed for seed in setup.seeds if seed not in given]
        if lacking:
            raise InputError(f"the ceiling lacks seed {lacking[0]}; give one for each of the seeds {setup.seeds}.")
        return _averaged(np.array([[_number(given[seed]) for seed in setup.seeds]]), "given")
    return Ceiling(_number(given), "given")


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise InputError(
            f"the ceiling is {value!r}; give the performance with all labels, a number above 0, or 'final' or "
            "'estimate'."
        )
    return float(value)


def _averaged(values: Floats, source: str) -> Ceiling:
    one = np.ones((1, values.shape[1]))
    return Ceiling(float(Ceiling(np.nan, source, values).resampled(one)[0]), source, values)


def estimated(x: Floats, mean: Floats, weight: Floats, p_0: float, function: Function | None) -> Ceiling | None:
    """Return the a_inf that fits all curves best, each with its own b; None if there is no best one.

    It is looked for between the best performance and 1 (twice the best performance, if that is more), for both
    functions: a curve whose end is not in sight has none.

    Parameters
    ----------
    mean, weight : arrays (1, Q, T)
    """
    best = float(mean[weight > 0].max())
    top = 1.0 if best < 1.0 else 2.0 * best
    low = max(best * 0.98, p_0 * (1 + 1e-6))
    if not low < top:
        return None
    found = []
    for name in FUNCTIONS if function is None else (function,):
        a, error = _least(x, mean, weight, p_0, name, low, top)
        found.append((error, a))
    error, a = min(found)
    inside = low + 1e-3 * (top - low) < a < top - 1e-3 * (top - low)
    return Ceiling(a, "estimated") if inside else None


def _least(
    x: Floats, mean: Floats, weight: Floats, p_0: float, function: Function, low: float, top: float
) -> tuple[float, float]:
    """Return the best a_inf of one function and its squares, by a grid that is refined thrice."""
    for _ in range(4):
        a = np.linspace(low, top, CANDIDATES)
        many = np.broadcast_to(mean, (CANDIDATES, *mean.shape[1:]))
        squares = fit(x, many, weight, np.full(CANDIDATES, p_0), a, function, steps=3).squares.sum(axis=1)
        at = int(squares.argmin())
        step = a[1] - a[0]
        best, least = float(a[at]), float(squares[at])
        low, top = max(low, best - 2 * step), min(top, best + 2 * step)
    return best, least
