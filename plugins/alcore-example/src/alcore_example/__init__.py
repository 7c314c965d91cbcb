"""An alcore plugin: the module that the entry point names.

It states the version of the hooks it was written for, and returns what it adds. Nothing heavy is imported here:
``alcore list`` loads every plugin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import alcore
from alcore.types import Level
from alcore_example.metrics import kappa
from alcore_example.strategies import KCenter, ratio

alcore_api = 1


@alcore.hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return a strategy that scores rows, and one that keeps state between rounds."""
    return [ratio, KCenter]


@alcore.hookimpl
def alcore_learners() -> Iterable[Any]:
    """Return a learner; scikit-learn is imported when it is first used."""
    return [
        alcore.LearnerSpec(
            name="example.centroids",
            summary="Nearest class mean, with probabilities from the distances",
            make="alcore_example.learners:Centroids",
            levels=frozenset({Level.PROBA}),
            sparse=False,
        )
    ]


@alcore.hookimpl
def alcore_metrics() -> Iterable[Any]:
    """Return a metric of each round."""
    return [kappa]
