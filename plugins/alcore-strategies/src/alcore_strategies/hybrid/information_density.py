"""Information density: uncertainty, weighted by the likeness of a row to the whole pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

import alcore
from alcore import Floats, InputError, Pool, View
from alcore.builtin.strategies import entropy, least_confident, margin
from alcore_strategies.checks import before, positive
from alcore_strategies.geometry import blocks, squared_distances

UNCERTAINTY: dict[str, Callable[[View], Floats]] = {
    "entropy": entropy,
    "least-confident": least_confident,
    "margin": lambda view: 1.0 + margin(view),
}


def check_parameters(beta: float, uncertainty: str, similarity: str, gamma: float | None) -> None:
    """Raise InputError where a parameter is out of range."""
    who = "information-density"
    if uncertainty not in UNCERTAINTY:
        raise InputError(f"{who}: uncertainty is {uncertainty!r}; use one of {', '.join(UNCERTAINTY)}.")
    if similarity not in ("cosine", "rbf"):
        raise InputError(f'{who}: similarity is {similarity!r}; use "cosine" or "rbf".')
    positive(who, zero=True, beta=beta)
    positive(who, gamma=gamma)


@alcore.scores(
    "information-density",
    summary="Uncertainty times the mean similarity to all rows of the pool",
    needs=("proba",),
    growth="linear",
    source="Settles and Craven, An Analysis of Active Learning Strategies for Sequence Labeling Tasks (EMNLP 2008)",
    group="hybrid",
    adapt=before(check_parameters),
)
def information_density(
    view: View,
    *,
    beta: float = 1.0,
    uncertainty: Literal["entropy", "least-confident", "margin"] = "entropy",
    similarity: Literal["cosine", "rbf"] = "cosine",
    gamma: float | None = None,
) -> Floats:
    """phi(x) (1/U sum_u sim(x, x_u))^beta (section 3.4), U the rows of the pool, labelled ones too.

    Parameters
    ----------
    beta : float
        The weight of the density; 0 is plain uncertainty.
    uncertainty : "entropy", "least-confident" or "margin"
        phi: H(p), 1 - p_(1) or 1 - (p_(1) - p_(2)).
    similarity : "cosine" or "rbf"
        (1 + cos) / 2, because the cosine of centred features, unlike that of counts of words, may be negative; or
        exp(-gamma |x - x'|^2), which takes n^2 distances once per pool, in blocks.
    gamma : float or None
        Of "rbf"; None takes 1 / d.
    """
    check_parameters(beta, uncertainty, similarity, gamma)
    make = (lambda: _cosine(view.pool)) if similarity == "cosine" else (lambda: _rbf(view.pool, gamma))
    density = view.pool.memo(("information-density", similarity, gamma), make)
    weighted: Floats = UNCERTAINTY[uncertainty](view) * density[view.unlabeled] ** beta
    return weighted


def _cosine(pool: Pool) -> Floats:
    """Return the mean of (1 + cos) / 2 of each row with all: with the sum of all directions it is one product."""
    X = pool.features
    length = np.linalg.norm(X, axis=1)
    total = np.zeros(X.shape[1])
    means = np.empty(len(X))
    inverse = np.divide(1.0, length, out=np.zeros(len(X)), where=length > 0)  # a row of zeros has no direction: cos 0
    for part in blocks(len(X), width=2 * X.shape[1]):
        total += inverse[part] @ X[part]
    for part in blocks(len(X), width=2 * X.shape[1]):
        means[part] = (X[part] @ total) * inverse[part] / len(X)
    return np.maximum(0.5 * (1.0 + means), 0.0)


def _rbf(pool: Pool, gamma: float | None) -> Floats:
    X = pool.features
    rate = 1.0 / X.shape[1] if gamma is None else gamma
    means = np.empty(len(X))
    for part in blocks(len(X), width=3 * len(X)):
        means[part] = np.exp(-rate * squared_distances(X[part], X)).mean(axis=1)
    return means
