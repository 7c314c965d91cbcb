"""The strategies every comparison needs: chance, and the three classical measures of uncertainty."""

from __future__ import annotations

import numpy as np

from alcore.decorators import scores, selects, spec_of
from alcore.spec import Spec
from alcore.types import Floats, Rows, Task
from alcore.view import View

SETTLES = "Settles, Active Learning Literature Survey (2009), section 3.1"


@selects(
    "random",
    summary="Every unlabelled row is equally likely",
    tasks=frozenset(Task),
    learner=False,
    stochastic=True,
    uniform=True,
    group="baseline",
)
def random(view: View, n: int) -> Rows:
    """Draw n rows without replacement."""
    return view.rng.choice(view.unlabeled, size=n, replace=False, shuffle=False)


@scores(
    "margin",
    summary="Smallest gap between the two likeliest classes",
    needs=("proba|decision",),
    source=SETTLES,
    group="uncertainty",
)
def margin(view: View) -> Floats:
    """-(p_1 - p_2), with p_1 and p_2 the two largest probabilities; decision values serve where there are none.

    For decision values of two classes it is -|f|, for more classes minus the gap of the two largest.
    """
    values = view.proba if "proba" in view.model.levels else view.decision
    if values.ndim == 1:
        return -np.abs(values)
    if values.shape[1] == 1:
        return np.zeros(len(values))
    if values.shape[1] == 2:  # by far the most common case, and ten times cheaper so
        return -np.abs(values[:, 0] - values[:, 1])
    two = np.partition(values, -2, axis=1)[:, -2:]
    gap: Floats = two[:, 0] - two[:, 1]
    return gap


@scores(
    "entropy",
    summary="Largest entropy of the predicted class",
    needs=("proba",),
    source=SETTLES,
    group="uncertainty",
)
def entropy(view: View) -> Floats:
    """-sum_k p_k log p_k, in nats, with 0 log 0 = 0."""
    p = view.proba
    nats: Floats = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)
    return nats


@scores(
    "least-confident",
    summary="Smallest probability of the likeliest class",
    needs=("proba",),
    source=SETTLES,
    group="uncertainty",
)
def least_confident(view: View) -> Floats:
    """1 - max_k p_k."""
    doubt: Floats = 1.0 - view.proba.max(axis=1)
    return doubt


def specs() -> list[Spec]:
    """Return the built-in strategies."""
    return [spec_of(strategy) for strategy in (random, margin, entropy, least_confident)]
