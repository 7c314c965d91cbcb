"""A metric of each round, from the one prediction that all metrics share."""

from __future__ import annotations

import alcore
from alcore import Scored


@alcore.round_metric("example.kappa", summary="Cohen's kappa: agreement beyond chance", tasks={"classification"})
def kappa(scored: Scored) -> float:
    """(p_o - p_e) / (1 - p_e) (Cohen 1960); NaN where chance alone agrees on every row."""
    counts = scored.confusion / scored.confusion.sum()
    observed = counts.trace()
    chance = counts.sum(axis=0) @ counts.sum(axis=1)
    return float((observed - chance) / (1 - chance)) if chance < 1 else float("nan")
