"""Every metric as a function of the stop budget (Figures 4F, 4I and 5): what it would say had the labelling stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from alcore.types import Floats, Mask
from alcore_speedup.approximation import Function
from alcore_speedup.ceiling import Ceiling
from alcore_speedup.companions import cut_points, fixed_scales
from alcore_speedup.fits import fitted
from alcore_speedup.guards import Limits
from alcore_speedup.setup import Setup

METRICS = ("speed-up", "speed-up-fixed", "lc-mean", "aulc-ratio", "cut-points", "stop-budget")


@dataclass(frozen=True)
class Stability:
    """Metrics of one strategy at each stop budget.

    Parameters
    ----------
    budgets : array (n,)
        Labels added.
    values : mapping of metric to array (n,)
        ``cut-points`` is 1 where the strategy is found superior, else 0; ``stop-budget`` is the difference to the
        baseline at the budget. NaN where a metric is undefined.
    gain : array (n,)
        The smaller normalised gain of the strategy and the baseline.
    trusted : array (n,)
        Whether that gain is enough for a speed-up factor.
    """

    strategy: str
    budgets: Floats
    values: Mapping[str, Floats]
    gain: Floats
    trusted: Mask

    def variation(self) -> dict[str, float]:
        """Return how much each metric changes with the budget where the factor is trusted.

        The standard deviation over the mean for ratios and means; for the two decisions, the share of budgets at which
        the decision (superior or not) differs from that at the last.
        """
        found = {}
        for name, values in self.values.items():
            known = values[self.trusted & np.isfinite(values)]
            if len(known) < 2:
                found[name] = float("nan")
            elif name in ("cut-points", "stop-budget"):
                found[name] = float(((known > 0) != (known[-1] > 0)).mean())
            else:
                found[name] = float(known.std() / known.mean())
        return found


def stability(
    setup: Setup, strategy: str, baseline: str, ceiling: Ceiling, *, alpha: float = 0.05,
    function: Function | None = None, limits: Limits | None = None,
) -> Stability:  # fmt: skip
    """Return all metrics at all stop budgets from the third point on.

    At each budget b is fitted and the function chosen anew, on the points up to it of all strategies; the ceiling is
    the same for all.

    Raises
    ------
    InputError
        If a strategy is none of the setup's.
    """
    q, base = setup.position(strategy), setup.position(baseline)
    mean = setup.mean()
    shared = np.isfinite(mean[[q, base]]).all(axis=0)
    budgets = setup.x[shared][2:]
    if not len(budgets):
        return Stability(strategy, budgets, dict.fromkeys(METRICS, budgets), budgets, budgets > 0)
    n = len(budgets)
    within = setup.x <= budgets[:, None]
    fits = fitted(setup, np.ones((n, len(setup.seeds))), np.full(n, ceiling.a_inf), within=within, function=function)
    lost = fits.border[fits.chosen, np.arange(n)][:, [q, base]].any(axis=1)
    total, most = setup.total(), np.nanmax(setup.start[[q, base]])
    scales = fixed_scales(setup, ceiling, total.x <= (budgets + most)[:, None])
    x, qm, rand = setup.x[shared], mean[q, shared], mean[base, shared]
    p_0 = float(fits.p_0[0])
    gain = (np.minimum(qm, rand)[2:] - p_0) / (ceiling.a_inf - p_0)
    count = np.arange(3, len(x) + 1)
    values = {
        "speed-up": np.where(lost, np.nan, fits.speed_ups(base)[:, q]),
        "speed-up-fixed": scales[:, q] / scales[:, base],
        "lc-mean": qm.cumsum()[2:] / count,
        "aulc-ratio": _areas(x, qm)[1:] / _areas(x, rand)[1:],
        "cut-points": np.array([_superior(setup, strategy, baseline, alpha, budget) for budget in budgets]),
        "stop-budget": (qm - rand)[2:],
    }
    return Stability(strategy, budgets, values, gain, gain >= (limits or Limits()).refused)


def _areas(x: Floats, curve: Floats) -> Floats:
    areas: Floats = (np.diff(x) * (curve[1:] + curve[:-1]) / 2).cumsum()
    return areas


def _superior(setup: Setup, strategy: str, baseline: str, alpha: float, budget: float) -> float:
    return float(cut_points(setup.until(budget), strategy, baseline, alpha=alpha).superior)
