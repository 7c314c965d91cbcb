"""Curves that are made from known scales, and a store."""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from alcore import experiment, plugins
from alcore.execute import execute
from alcore.plan import plan
from alcore.protocols import Curve
from alcore.store import Store
from alcore_speedup import Setup, approximate

ROOT = Path(__file__).parents[3]
SCALES = {"random": 600.0, "fast": 150.0, "slow": 700.0}
P_0 = {"p1": 0.9 * (1 - np.exp(-0.2)), "p2": 0.9 / (1 + np.exp(1.5))}
"""The starts of Figure 2, a_0 = -0.2, and of a_0 = 1.5; a_inf is 0.9."""


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the optional reference data, from ALCORE_SHARED; its absence skips, except in CI."""
    path = Path(os.environ.get("ALCORE_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the reference data are not at {path}; set ALCORE_SHARED")
        pytest.skip(f"the reference data are not at {path}; set ALCORE_SHARED")
    return path


def make_curves(
    function: str = "p1", *, scales: dict[str, float] = SCALES, noise: float = 0.0, seeds: int = 1, points: int = 70,
    step: float = 20.0, start: float = 20.0, chance: int = 0,
) -> dict[str, list[Curve]]:  # fmt: skip
    """The known curves plus normal noise, equal at x = 0 for all strategies of a seed."""
    rng = np.random.default_rng(chance)
    x = step * np.arange(points)
    at_start = noise * rng.normal(size=seeds)
    found: dict[str, list[Curve]] = {}
    for name, b in scales.items():
        found[name] = []
        for seed in range(seeds):
            values = approximate(x, b, P_0[function], 0.9, function) + noise * rng.normal(size=points)
            values[0] = P_0[function] + at_start[seed]
            found[name].append(Curve(x + start, values, seed))
    return found


@pytest.fixture
def known() -> Callable[..., dict[str, list[Curve]]]:
    return make_curves


@pytest.fixture
def setup(known: Callable[..., dict[str, list[Curve]]]) -> Callable[..., Setup]:
    return lambda *args, **how: Setup.of(known(*args, **how))


@pytest.fixture
def table(known: Callable[..., dict[str, list[Curve]]]) -> Callable[..., pd.DataFrame]:
    """The known curves as a table with a row per point."""

    def make(*args: object, **how: object) -> pd.DataFrame:
        rows = [
            (name, curve.seed, labels, value)
            for name, several in known(*args, **how).items()
            for curve in several
            for labels, value in zip(curve.labeled, curve.values, strict=True)
        ]
        return pd.DataFrame(rows, columns=["strategy", "seed", "labels", "value"])

    return make


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of runs that label their whole pool, 48 rows of two clouds that overlap."""
    raw = {
        "name": "small",
        "datasets": [{"name": "synthetic.clouds", "n": 80, "classes": 2, "separation": 0.6, "seed": 1, "label": "two"}],
        "strategies": ["random", "margin"],
        "learners": ["gaussian-nb"],
        "seeds": 3,
        "batch": 4,
        "start": {"size": 4},
        "metrics": {"round": ["accuracy", "log-loss"]},
    }
    registry = plugins.loaded().registry
    store = Store(tmp_path_factory.mktemp("stores") / "small", create=True)
    for run in plan(experiment.parse(raw, registry), registry):
        store.write(run, execute(run))
    return store
