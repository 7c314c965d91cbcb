"""Explore: any strategy, with a share of random rows in each batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import alcore
from alcore import InputError, Rows, View
from alcore_strategies.combinators.inner import Named, Outer, ask, merged, spec_of


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    spec, epsilon = spec_of(params["strategy"]), params["epsilon"]
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise InputError(
            f'explore: epsilon is {epsilon!r}; give a share from 0 to below 1 (1 would be strategy = "random").'
        )
    return merged([spec], stochastic=spec.stochastic or epsilon > 0)


@alcore.strategy(
    "explore",
    summary="Any strategy, with a share of random rows in each batch",
    needs=("proba|decision",),
    stateful=False,
    stochastic=True,
    source="epsilon-greedy, as in the query methods of the speed-up factor's paper: 5 % of each batch",
    group="combinator",
    parts=("margin",),
    adapt=_adapted,
)
class Explore(Outer):
    """n_r = floor(epsilon n) + Bernoulli(epsilon n - floor(epsilon n)) random rows, then n - n_r by the strategy.

    The random rows are drawn first, from all unlabelled ones, and the strategy chooses among the others.

    Parameters
    ----------
    strategy : the strategy that chooses the rest
    epsilon : float
        Expected share of random rows, from 0 to below 1.
    """

    def __init__(self, strategy: Named = "margin", epsilon: float = 0.05) -> None:
        super().__init__([strategy], {"strategy": strategy, "epsilon": epsilon})
        self.epsilon = epsilon

    def query(self, view: View, n: int) -> Rows:
        """Draw the random rows, and ask the strategy for the others."""
        sure = int(self.epsilon * n)
        n_r = sure + int(view.rng.random() < self.epsilon * n - sure)
        drawn = view.unlabeled[view.rng.choice(len(view.unlabeled), size=n_r, replace=False, shuffle=False)]
        if n_r == n:
            return drawn
        chosen = ask(self.inner[0], self.specs[0], view.without(drawn) if n_r else view.among(), n - n_r)
        return np.concatenate([chosen, drawn])
