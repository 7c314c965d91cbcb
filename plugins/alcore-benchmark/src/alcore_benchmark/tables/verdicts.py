"""What it means that a number is the printed one, or is not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from alcore.stats import Cell
from alcore_benchmark.tables.published import Value

ALPHA = 0.05
COMPARED = ("same", "within noise", "differs")


def verdict(published: Value | None, ours: Cell | None, seeds: int) -> str:
    """Return what a mean is worth beside the printed one.

    "same" is equal to the last printed digit. Else Student's t decides at the 5 % level whether two means differ that
    many seeds each: with the degrees of freedom of Welch and Satterthwaite where the deviation was printed, and with
    those of our deviation alone, n - 1, where it stands for both.

    Parameters
    ----------
    seeds : over which the printed mean is
    """
    known = _known(published, ours)
    if known or published is None or ours is None:
        return known
    if ours.n < 2 or math.isnan(ours.sd) or (ours.sd == 0 and published.sd is None):
        return "too few seeds"  # no spread to measure the difference by
    from scipy.stats import t

    both = (ours.sd**2 / ours.n, (ours.sd if published.sd is None else published.sd) ** 2 / seeds)
    freedom = float(ours.n - 1)
    if published.sd is not None:
        freedom = sum(both) ** 2 / (both[0] ** 2 / (ours.n - 1) + both[1] ** 2 / (seeds - 1)) if any(both) else 1.0
    away = abs(ours.mean - published.mean)
    return "within noise" if away <= t.ppf(1 - ALPHA / 2, freedom) * math.sqrt(sum(both)) else "differs"


def verdict_of_deviation(published: Value | None, ours: Cell | None, seeds: int) -> str:
    """Return what a standard deviation, the ``mean`` of ours, is worth beside the printed one: the F test decides."""
    known = _known(published, ours)
    if known or published is None or ours is None:
        return known
    if ours.n < 2 or published.mean == 0:
        return "too few seeds"
    from scipy.stats import f

    low, high = f.ppf([ALPHA / 2, 1 - ALPHA / 2], ours.n - 1, seeds - 1)
    return "within noise" if low <= (ours.mean / published.mean) ** 2 <= high else "differs"


def _known(published: Value | None, ours: Cell | None) -> str:
    """Return the verdict that needs no test, or ""."""
    if ours is None:
        return "not computed"
    if published is None:
        return "not published"
    return "same" if round(ours.mean, published.digits) == round(published.mean, published.digits) else ""


def summary(verdicts: Sequence[str]) -> str:
    """Return how many cells are what, and how many would differ by chance alone."""
    count = Counter(verdicts)
    compared = sum(count[word] for word in COMPARED)
    words = [f"{count[word]} {word}" for word in COMPARED] + [f"{len(verdicts) - compared} not compared"]
    chance = ALPHA * compared
    return f"{', '.join(words)}. By chance alone, 5 % of the {compared} compared differ: {chance:.1f}."
