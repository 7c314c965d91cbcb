"""Uniform sampling as the published runs had it."""

from __future__ import annotations

from alcore import Floats, View, scores
from alcore.types import Task


@scores(
    "uniform-published",
    summary="The next row of the pool; uniform only where the split has shuffled it",
    tasks=frozenset(Task),
    learner=False,
    group="baseline",
    source="Lu et al. 2023, section B.3; google/active-learning, uniform_sampling.py",
)
def uniform_published(view: View) -> Floats:
    """Earlier rows first: with ``split.method = "published"`` and ``ties = "first"`` this is the published Uniform."""
    order: Floats = -view.unlabeled.astype(float)
    return order
