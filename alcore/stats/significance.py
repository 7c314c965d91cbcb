"""Paired tests that give a reason where they can say nothing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore.stats.equal import settled
from alcore.types import TOLERANCE, Floats


@dataclass(frozen=True)
class Tested:
    """The outcome of a test: a statistic and a p-value, or the reason why there is none."""

    statistic: float | None = None
    p: float | None = None
    reason: str = ""


EQUAL = "all pairs are equal"
BEYOND = "a target was not reached, and no mean is known; signed ranks have one: --test wilcoxon"


def t_test(difference: Floats) -> Tested:
    """Test whether the mean of paired differences is 0 (Student, two-sided).

    Parameters
    ----------
    difference : (n,)
    """
    from scipy.stats import ttest_1samp

    if len(difference) < 2:
        return Tested(reason=f"{len(difference)} pair; a test needs 2")
    if np.isinf(difference).any():
        return Tested(reason=BEYOND)
    if _constant(difference):
        return Tested(reason=EQUAL if difference[0] == 0 else "all differences are equal: there is no spread")
    return _tested(ttest_1samp, difference, 0.0)


def wilcoxon_test(difference: Floats) -> Tested:
    """Test whether paired differences are symmetric about 0 (Wilcoxon signed ranks, two-sided; zeros left out).

    Differences of one size but for rounding share their rank; an infinite one is the largest.

    Parameters
    ----------
    difference : (n,)
    """
    from scipy.stats import wilcoxon

    if len(difference) < 2:
        return Tested(reason=f"{len(difference)} pair; a test needs 2")
    if not np.any(difference):
        return Tested(reason=EQUAL)
    sizes = settled(np.abs(difference))
    known = sizes[np.isfinite(sizes)]
    sizes = np.where(np.isinf(sizes), known.max(initial=0.0) + 1, sizes)
    return _tested(wilcoxon, np.sign(difference) * sizes)


def friedman_test(values: Floats) -> Tested:
    """Test whether strategies differ at all (Friedman's chi-squared, corrected for ties).

    Parameters
    ----------
    values : (blocks, strategies)
    """
    from scipy.stats import friedmanchisquare

    blocks, strategies = values.shape
    if strategies < 3:
        return Tested(reason=f"{strategies} strategies; Friedman's test needs 3. See the paired tests")
    if blocks < 2:
        return Tested(reason=f"{blocks} complete block{'' if blocks == 1 else 's'}; Friedman's test needs 2")
    if (values == values[:, :1]).all():
        return Tested(reason="all strategies tie in every block")
    return _tested(friedmanchisquare, *values.T)


def holm(p: Floats) -> Floats:
    """Return p-values adjusted by Holm's step-down method: p_(i) (m - i + 1), made monotone, 1 at most."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_known(p: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method among those that there are; None, for no test, stays None."""
    known = iter(holm(np.array([value for value in p if value is not None], dtype=np.float64)).tolist())
    return [None if value is None else float(next(known)) for value in p]


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= TOLERANCE * float(np.abs(values).max()))


def _tested(test: Any, *args: Any) -> Tested:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small samples: that their p-values are approximate or exact
        found = test(*args)
    statistic, p = float(found.statistic), float(found.pvalue)
    if np.isnan(p):
        return Tested(reason="undefined for these values")
    return Tested(statistic, p)
