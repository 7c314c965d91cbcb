"""The speed-up factor of learning curves, and every metric it is compared with."""

from __future__ import annotations

from alcore_speedup.approximation import approximate
from alcore_speedup.companions import aulc, connected, cut_points, fixed, lc_mean
from alcore_speedup.factor import Factor, Factors, delta_log, delta_rel, speed_up
from alcore_speedup.files import of_frame, of_store, read
from alcore_speedup.guards import Limits
from alcore_speedup.setup import Setup
from alcore_speedup.stability import stability

__all__ = [
    "Factor", "Factors", "Limits", "Setup", "approximate", "aulc", "connected", "cut_points", "delta_log", "delta_rel",
    "fixed", "lc_mean", "of_frame", "of_store", "read", "speed_up", "stability",
]  # fmt: skip
