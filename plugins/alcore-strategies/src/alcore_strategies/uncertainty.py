"""Uncertainty beyond the core's margin, entropy and least-confident."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from alcore import Floats, InputError, Rows, Task, View, scores, strategy
from alcore.builtin.strategies import SETTLES, entropy, least_confident, margin

Uncertainty: TypeAlias = Literal["margin", "entropy", "least-confident", "ratio-max"]


@scores(
    "ratio-max",
    summary="Largest ratio of the two likeliest classes, or of a label and its opposite",
    tasks=frozenset({Task.CLASSIFICATION, Task.MULTILABEL}),
    needs=("proba",),
    group="uncertainty",
    source="Monarch, Human-in-the-Loop Machine Learning (2021), chapter 3; Kath et al., The speed-up factor (2024)",
)
def ratio_max(view: View) -> Floats:
    """p_(2) / p_(1), with p_(1) >= p_(2) the two largest probabilities; several labels: max_c min(P_c, 1-P_c) / max().

    Between 0 and 1 = the two are equally likely.
    """
    p = view.proba
    if view.pool.task is Task.MULTILABEL:
        nearest: Floats = (np.minimum(p, 1.0 - p) / np.maximum(p, 1.0 - p)).max(axis=1)
        return nearest
    if p.shape[1] < 2:
        return np.zeros(len(p))
    two = np.partition(p, -2, axis=1)[:, -2:]
    doubt: Floats = two[:, 0] / two[:, 1]
    return doubt


MEASURES: dict[str, Any] = {
    "margin": margin,
    "entropy": entropy,
    "least-confident": least_confident,
    "ratio-max": ratio_max,
}


@strategy(
    "epsilon-greedy",
    summary="Mostly the most uncertain row, now and then a random one",
    needs=("proba|decision",),
    batch="native",
    stochastic=True,
    group="uncertainty",
    source="Sutton and Barto, Reinforcement Learning (1998), section 2.2; " + SETTLES,
)
class EpsilonGreedy:
    """Each row of the batch is, with probability epsilon, a random one, and else the most uncertain of those left.

    Parameters
    ----------
    epsilon : float
        Between 0 (never random) and 1 (always).
    uncertainty : "margin", "entropy", "least-confident" or "ratio-max"

    Raises
    ------
    InputError
        If a parameter is none of these.
    """

    def __init__(self, epsilon: float = 0.1, uncertainty: Uncertainty = "margin") -> None:
        if not 0 <= epsilon <= 1:
            raise InputError(f"epsilon-greedy: epsilon is {epsilon!r}; give a probability, 0 to 1.")
        if uncertainty not in MEASURES:
            raise InputError(
                f"epsilon-greedy: uncertainty is {uncertainty!r}; use one of {', '.join(get_args(Uncertainty))}."
            )
        self.epsilon = epsilon
        self.uncertainty = uncertainty

    def scores(self, view: View) -> Floats:
        """Return the uncertainty, which decides where chance does not."""
        values: Floats = MEASURES[self.uncertainty](view)
        return values

    def query(self, view: View, n: int) -> Rows:
        """Return as many of the most uncertain rows as chance leaves, and random ones of the others."""
        if n == 0:
            return view.unlabeled[:0]
        explore = int((view.rng.random(n) < self.epsilon).sum())
        best = view.top(self.scores(view), n - explore)
        left = np.setdiff1d(view.unlabeled, best, assume_unique=True)
        return np.concatenate([best, view.rng.choice(left, size=explore, replace=False)])


STRATEGIES: list[Any] = [ratio_max, EpsilonGreedy]
