"""The speed-up factor of every strategy of a setup, with the metrics it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore_speedup.companions import (
    Connected,
    CutPoints,
    Trend,
    aulc,
    connected,
    cut_points,
    fixed,
    lc_mean,
)
from alcore_speedup.factor import Factor, Factors


@dataclass(frozen=True)
class Companions:
    """The other metrics of one strategy; NaN where one is undefined."""

    connected: Connected
    fixed: float
    lc_mean: float
    aulc_ratio: float
    cut_points: CutPoints

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON values."""
        one = self.connected
        undefined = [list(pair) for pair in one.undefined]
        return {
            "connected": {"mean": _known(one.mean), "undefined": undefined, "reason": one.reason},
            "fixed": _known(self.fixed),
            "lc_mean": _known(self.lc_mean),
            "aulc_ratio": _known(self.aulc_ratio),
            "cut_points": {
                "p_value": _known(self.cut_points.p_value),
                "superior": self.cut_points.superior,
                "reason": self.cut_points.reason,
            },
        }


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def companions(factors: Factors, *, test: Trend = "kendall") -> dict[str, Companions]:
    """Return the other metrics of every strategy.

    The fixed version needs the ceiling, and is NaN without one.
    """
    setup, baseline = factors.setup, factors.baseline
    known = factors.ceiling is not None and len(setup.x) > 1
    by_fixed = fixed(setup, baseline, factors.ceiling) if known and factors.ceiling else {}
    means, areas = lc_mean(setup), aulc(setup, baseline)
    return {
        name: Companions(
            connected=connected(setup, name, baseline),
            fixed=by_fixed.get(name, float("nan")),
            lc_mean=means[name],
            aulc_ratio=areas[name],
            cut_points=cut_points(setup, name, baseline, test=test),
        )
        for name in setup.strategies
    }


def row(factors: Factors, factor: Factor, others: Companions) -> dict[str, Any]:
    """Return what is known of one strategy as JSON values: the setup's names first, then the factor and the others."""
    return dict(factors.setup.names) | factor.to_json() | others.to_json()
