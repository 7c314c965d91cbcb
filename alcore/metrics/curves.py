"""Curve metrics: one learning curve -> one number.

A curve's points are (number of labelled rows, value of a round metric), the start set first. Its *span* is the last
label count less the first: the budget that was spent. A metric whose parameter is wrong raises when it is called.
"""

from __future__ import annotations

from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from alcore.decorators import curve_metric
from alcore.errors import InputError
from alcore.protocols import Curve
from alcore.types import TOLERANCE, Floats, Mask

AubcKind: TypeAlias = Literal["standard", "ariapoy2023", "ariapoy2025"]

SLACK = 1e-9  # a point that is at 10 % of the span but for rounding is within the first 10 %
OCAL = "Trittenbach, Englhardt, Böhm: Active learning for outlier detection with one-class classifiers (2021)"
ZHAN = "Zhan et al.: A comparative survey, benchmarking for pool-based active learning (2021)"


@curve_metric("aubc", summary="Area under the budget curve, divided by the budget", source=ZHAN)
def aubc(curve: Curve, *, kind: AubcKind = "standard") -> float:
    """Return the area under the budget curve: the mean of the metric over the labels that were bought.

    Parameters
    ----------
    curve : Curve
    kind : "standard", "ariapoy2023" or "ariapoy2025"
        *standard*: trapezoids over the label counts, the start set included, divided by the span. A constant curve c
        scores c, whatever the batch sizes, the last and smaller one included; one point scores its value.

        *ariapoy2023*: ``trapezoid(values[1:], dx=1) / T`` with T the number of queries, as in the published tables of
        the re-benchmark. It leaves out the start set and divides T - 1 intervals by T, so that a constant curve c
        scores c (T - 1) / T: compare it with published values only.

        *ariapoy2025*: ``trapezoid(values[1:], dx=B) / (span + 1)``, B the first batch, as in the same code since
        February 2025. A constant curve c scores c (T - 1) / (T + 1) for batches of one.

    Returns
    -------
    float
        NaN if a value is NaN, or if a published kind is asked of a curve without a query (0/0).

    Raises
    ------
    InputError
        If the kind is unknown, or the curve has no point or label counts that do not increase.
    """
    labeled, values = _points(curve)
    if kind == "standard":
        return _area(labeled, values)
    if kind not in ("ariapoy2023", "ariapoy2025"):
        raise InputError(f'kind is {kind!r}; use "standard", "ariapoy2023" or "ariapoy2025".')
    queries = len(values) - 1
    if queries == 0:
        return float("nan")
    area = float(((values[1:-1] + values[2:]) / 2).sum())
    if kind == "ariapoy2023":
        return area / queries
    batch, span = labeled[1] - labeled[0], labeled[-1] - labeled[0]
    return float(area * batch / (span + 1))


@curve_metric(
    "start-quality", summary="Mean value of the records in the first part of the budget", source=OCAL, spacing=True
)
def start_quality(curve: Curve, *, share: float = 0.1) -> float:
    """Return the mean of the values at the points within the first ``share`` of the span.

    The start set is always among them; ``share=0`` takes its value alone, which is the definition of the source.

    Raises
    ------
    InputError
        If the share is not in [0, 1], or as ``aubc``.
    """
    labeled, values = _points(curve)
    return _mean(values[_near(labeled, labeled[0], share)])


@curve_metric(
    "average-end-quality", summary="Mean value of the records in the last part of the budget", source=OCAL, spacing=True
)
def average_end_quality(curve: Curve, *, share: float = 0.1) -> float:
    """Return the mean of the values at the points within the last ``share`` of the span.

    The last point is always among them; ``share=0`` takes its value alone. The source takes the last k rounds instead,
    whose meaning changes with the batch size.

    Raises
    ------
    InputError
        If the share is not in [0, 1], or as ``aubc``.
    """
    labeled, values = _points(curve)
    return _mean(values[_near(labeled, labeled[-1], share)])


@curve_metric("final", summary="Value at the end of the budget")
def final(curve: Curve) -> float:
    """Return the last value.

    Raises
    ------
    InputError
        As ``aubc``.
    """
    return float(_points(curve)[1][-1])


@curve_metric(
    "labels-to",
    summary="Number of labelled rows at which a target is first reached",
    greater_is_better=False,
    spacing=True,
    censored=True,
)
def labels_to(curve: Curve, *, target: float, greater_is_better: bool = True) -> float:
    """Return the number of labelled rows, start set included, at which the curve first reaches the target.

    It is the label count of a point of the curve: nothing is interpolated between rounds.

    Parameters
    ----------
    curve : Curve
    target : float
        Reached where value >= target, but for rounding.
    greater_is_better : bool
        False for a loss: reached where value <= target.

    Returns
    -------
    float
        NaN if the target is never reached. That is a *censored* value, known only to lie beyond the budget: count it,
        or use a method for censored data; a mean over the curves that got there flatters a strategy that often fails.

    Raises
    ------
    InputError
        If the target is no finite number, or as ``aubc``.
    """
    labeled, values = _points(curve)
    if not isinstance(target, Real) or not np.isfinite(target):
        raise InputError(f"target is {target!r}; give the finite number to reach, such as 0.9.")
    near = TOLERANCE * abs(target)
    reached = np.flatnonzero(values >= target - near if greater_is_better else values <= target + near)
    return float(labeled[reached[0]]) if len(reached) else float("nan")


def _points(curve: Curve) -> tuple[Floats, Floats]:
    labeled = np.asarray(curve.labeled, dtype=np.float64)
    values = np.asarray(curve.values, dtype=np.float64)
    if len(labeled) == 0:
        raise InputError("the curve has no point; a run that is scored has one for its start set at least.")
    steps = np.diff(labeled)
    if not (steps > 0).all():
        at = int(np.flatnonzero(~(steps > 0))[0])
        raise InputError(
            f"the curve goes from {labeled[at]:g} to {labeled[at + 1]:g} labelled rows at point {at + 1}; "
            "label counts increase from point to point: sort them, and give each seed a curve of its own."
        )
    return labeled, values


def _area(labeled: Floats, values: Floats) -> float:
    if len(values) == 1:
        return float(values[0])
    # Taking the first value out leaves exact zeros of a constant curve, which is why such a curve scores exactly c.
    above = values - values[0]
    area = (np.diff(labeled) * (above[:-1] + above[1:])).sum() / 2
    return float(values[0] + area / (labeled[-1] - labeled[0]))


def _mean(values: Floats) -> float:
    return float(values[0] + (values - values[0]).mean())  # exact for a constant, as in _area


def _near(labeled: Floats, end: float, share: float) -> Mask:
    """Tell which points lie within this share of the span from one end of it, that end included."""
    if not isinstance(share, Real) or not 0 <= share <= 1:
        raise InputError(f"share is {share!r}; give a share of the budget from 0 to 1, such as 0.1.")
    near: Mask = np.abs(labeled - end) <= (share + SLACK) * (labeled[-1] - labeled[0])
    return near
