"""What scoring 10,000 learning curves costs, beside one scipy.optimize.curve_fit per curve.

100 setups of 10 strategies and 10 seeds, 70 points each, with noise: known scales, so that both can be checked. Times
are of one process and one thread, in processor time; curve_fit is timed on a share of the curves and scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from alcore_speedup import approximate, of_frame, speed_up
from alcore_speedup.evaluation import companions
from alcore_speedup.fit import fit

SETUPS, STRATEGIES, SEEDS, POINTS = 100, 10, 10, 70
SHARE = 300
"""Curves that curve_fit is timed on."""


def curves(noise: float = 0.01) -> pd.DataFrame:
    """Return the curves as a table, a row per point: 700,000 of them."""
    chance = np.random.default_rng(0)
    x = 20.0 * np.arange(POINTS)
    names = ["random", *(f"strategy-{k}" for k in range(1, STRATEGIES))]
    parts = []
    for setup in range(SETUPS):
        function, p_0, a_inf = ("p1", "p2")[setup % 2], chance.uniform(0.1, 0.4), chance.uniform(0.7, 0.95)
        for name in names:
            known = approximate(x, np.exp(chance.uniform(4.5, 6.5)), p_0, a_inf, function)  # type: ignore[arg-type]
            values = known + noise * chance.normal(size=(SEEDS, POINTS))
            parts.append((f"data-{setup}", name, a_inf, values))
    return pd.DataFrame(
        {
            "dataset": np.repeat([data for data, *_ in parts], SEEDS * POINTS),
            "strategy": np.repeat([name for _, name, *_ in parts], SEEDS * POINTS),
            "seed": np.tile(np.repeat(np.arange(SEEDS), POINTS), len(parts)),
            "labels": np.tile(x + 20, SEEDS * len(parts)),
            "value": np.concatenate([values.ravel() for *_, values in parts]),
            "ceiling": np.repeat([a_inf for _, _, a_inf, _ in parts], SEEDS * POINTS),
        }
    )


def took(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return processor seconds and the result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def peer(x: Any, values: Any, p_0: float, a_inf: float) -> Any:
    """Return b of either function for every curve, by curve_fit with its gradient found by differences."""
    from scipy.optimize import curve_fit

    def model(function: Any) -> Callable[[Any, float], Any]:
        return lambda at, b: approximate(at, b, p_0, a_inf, function)

    return np.array([[curve_fit(model(f), x, p, p0=[x[-1] / 4])[0][0] for p in values] for f in ("p1", "p2")])


def main() -> None:
    """Measure and print."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        table = curves()
        ceilings = table.drop_duplicates("dataset")["ceiling"].tolist()
        reading, setups = took(lambda: of_frame(table))
        pairs = list(zip(setups, ceilings, strict=True))
        warm = took(lambda: speed_up(setups[0], ceiling=ceilings[0]))[0]
        factors, found = took(lambda: [speed_up(one, ceiling=a, draws=0) for one, a in pairs])
        intervals, _ = took(lambda: [speed_up(one, ceiling=a, draws=1000) for one, a in pairs])
        others, _ = took(lambda: [companions(one) for one in found])
        one, a_inf, p_0 = setups[0], ceilings[0], found[0].p_0
        every = np.concatenate([setup.values.reshape(-1, POINTS) for setup in setups])
        ones, start, end = np.ones(1), np.full(1, p_0), np.full(1, a_inf)
        both = [lambda f=f: fit(one.x, every[None], ones, start, end, f).b[0] for f in ("p1", "p2")]  # type: ignore[misc]
        ours = [took(work) for work in both]
        theirs, b = took(lambda: peer(one.x, every[:SHARE], p_0, a_inf))
    n = len(every)
    scaled = theirs * n / SHARE
    apart = max(float(np.abs(ours[k][1][:SHARE] / b[k] - 1).max()) for k in (0, 1))
    print(f"{n:,} curves of {POINTS} points, {SETUPS} setups of {STRATEGIES} strategies and {SEEDS} seeds\n")
    print("| what | seconds |\n|---|--:|")
    print(f"| both functions fitted to every curve, ours | {ours[0][0] + ours[1][0]:.2f} |")
    print(f"| the same, one curve_fit per curve ({SHARE} timed, scaled) | {scaled:.1f} |")
    print(f"| table of {len(table):,} rows to setups | {reading:.2f} |")
    print(f"| factors of all setups, guard rails, per seed | {factors:.2f} |")
    print(f"| the same with 1,000 bootstrap draws per setup | {intervals:.2f} |")
    print(f"| the other metrics | {others:.2f} |")
    print(f"\ncurve_fit / ours: {scaled / (ours[0][0] + ours[1][0]):.0f}; largest difference of b: {apart:.1e}")
    print(f"(imports and the first setup: {warm:.2f})")


if __name__ == "__main__":
    main()
