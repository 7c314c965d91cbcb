"""The metrics by name, for ``alcore table STORE --metric NAME`` and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from alcore.decorators import comparison_metric, curve_metric
from alcore.errors import InputError
from alcore.protocols import Curve, Curves, Told
from alcore_speedup import ceiling as ceilings
from alcore_speedup import companions
from alcore_speedup.approximation import Function
from alcore_speedup.companions import Trend
from alcore_speedup.factor import speed_up
from alcore_speedup.setup import Setup

SOURCE = "The Speed-up Factor: A Quantitative Multi-Iteration Active Learning Performance Metric (2026)"
Ending = float | Literal["final", "estimate"] | None


@comparison_metric(
    "speed-up",
    summary="Speed-up factor: the fraction of random's labels for the same performance",
    greater_is_better=False,
    source=SOURCE,
)
def speed_up_metric(
    curves: Mapping[str, Curves],
    baseline: str,
    *,
    ceiling: Ending = None,
    function: Function | None = None,
    force: bool = False,
) -> Told:
    """Return S by strategy, with the reason of every one that is refused (NaN) or doubtful.

    Parameters
    ----------
    ceiling : float, "final", "estimate" or None
        The performance with all labels; None takes that of the exhausted pools. One number serves one data set.
    function : "p1", "p2" or None to choose
    force : bool
        Give numbers that are refused.
    """
    found = speed_up(Setup.of(curves), baseline, ceiling=ceiling, function=function, draws=0, force=force)
    reasons = {one.strategy: one.reason for one in found.factors if one.reason is not None}
    return Told({one.strategy: one.speed_up for one in found.factors}, reasons)


@comparison_metric(
    "speed-up-connected",
    summary="Mean ratio of labels of the inverted curves",
    greater_is_better=False,
    source=SOURCE,
)
def connected_metric(
    curves: Mapping[str, Curves], baseline: str, *, count: Literal["added", "total"] = "added"
) -> Told:
    """Return the mean connected speed-up factor by strategy (``companions.connected``)."""
    setup = _known(curves, baseline)
    found = {name: companions.connected(setup, name, baseline, count=count) for name in setup.strategies}
    reasons = {name: one.reason for name, one in found.items() if one.reason is not None}
    return Told({name: one.mean for name, one in found.items()}, reasons)


@comparison_metric(
    "speed-up-fixed",
    summary="Speed-up factor with p = a (1 - e^(-x/b)) of all labels",
    greater_is_better=False,
    source="Kath et al. (2024b), as cited in " + SOURCE,
)
def fixed_metric(
    curves: Mapping[str, Curves], baseline: str, *, ceiling: float | Literal["final"] | None = None
) -> Told:
    """Return the fixed version of S by strategy (``companions.fixed``)."""
    setup = _known(curves, baseline)
    found = ceilings.find(setup, ceiling)
    if found is None or len(setup.x) < 2:
        why = ceilings.MISSING if found is None else "no curve has a point after the start set's"
        return Told(dict.fromkeys(setup.strategies, float("nan")), dict.fromkeys(setup.strategies, why))
    return Told(companions.fixed(setup, baseline, found), {})


@comparison_metric("aulc-ratio", summary="Area under the learning curve, divided by the baseline's", source=SOURCE)
def aulc_metric(curves: Mapping[str, Curves], baseline: str) -> dict[str, float]:
    """Return the normalised area by strategy (``companions.aulc``)."""
    return companions.aulc(_known(curves, baseline), baseline)


@comparison_metric(
    "cut-points",
    summary="P value that the lead over the baseline grows (reconstruction)",
    greater_is_better=False,
    source="Pupo et al. (2018a), as cited in " + SOURCE,
)
def cut_points_metric(curves: Mapping[str, Curves], baseline: str, *, test: Trend = "kendall") -> Told:
    """Return the one-sided p value by strategy (``companions.cut_points``); a strategy below 0.05 is superior."""
    setup = _known(curves, baseline)
    found = {
        name: companions.cut_points(setup, name, baseline, test=test) for name in setup.strategies if name != baseline
    }
    reasons = {name: one.reason for name, one in found.items() if one.reason is not None}
    return Told({name: one.p_value for name, one in found.items()}, reasons)


@curve_metric("lc-mean", summary="Mean of the learning curve's points", source=SOURCE, spacing=True)
def lc_mean_metric(curve: Curve) -> float:
    """Return the mean of the values, every round counting the same."""
    if not len(curve.values):
        raise InputError("the curve has no point; a run that is scored has one for its start set at least.")
    return float(curve.values[0] + (curve.values - curve.values[0]).mean())  # exact for a constant curve


def _known(curves: Mapping[str, Curves], baseline: str) -> Setup:
    setup = Setup.of(curves)
    setup.position(baseline)
    return setup


METRICS: list[Callable[..., object]] = [
    speed_up_metric, connected_metric, fixed_metric, aulc_metric, cut_points_metric, lc_mean_metric,
]  # fmt: skip
