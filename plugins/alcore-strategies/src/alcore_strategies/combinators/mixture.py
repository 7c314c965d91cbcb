"""Mixture: each row of a batch comes from one of several strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import alcore
from alcore import Floats, InputError, PairingError, Rows, View
from alcore_strategies.combinators.inner import Named, Outer, ask, merged, spec_of

DEFAULT = ("margin", "random")


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    strategies = _listed(params["strategies"])
    _shares(params["weights"], len(strategies))
    return merged([spec_of(one) for one in strategies], stochastic=True)


def _listed(strategies: Any) -> Sequence[Named]:
    if isinstance(strategies, str) or not isinstance(strategies, Sequence) or not strategies:
        raise InputError(f"mixture: strategies is {strategies!r}; give a list of one or more.")
    return strategies


def _shares(weights: Any, k: int) -> Floats:
    """Return weights that sum to 1."""
    try:
        w = np.ones(k) if weights is None else np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        w = np.empty(0)
    if w.shape != (k,) or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        raise InputError(
            f"mixture: weights is {weights!r}; give one number of 0 or more for each of {k} strategies, not all 0."
        )
    shares: Floats = w / w.sum()
    return shares


@alcore.strategy(
    "mixture",
    summary="Each row of a batch by one of several strategies, drawn by weight",
    needs=("proba|decision",),
    stateful=False,
    stochastic=True,
    source="mixture of samplers, Google active-learning playground (2017)",
    group="combinator",
    parts=DEFAULT,
    adapt=_adapted,
)
class Mixture(Outer):
    """a_1, ..., a_n drawn from the weights; strategy a is asked for as many rows as it was drawn, none of them twice.

    They are asked in the order in which they were first drawn; to each, the rows of those before are out for labelling.

    Parameters
    ----------
    strategies : list of strategies
    weights : list of numbers, or None
        In proportion to which they are drawn; None takes equal ones.
    """

    def __init__(self, strategies: Sequence[Named] = DEFAULT, weights: Sequence[float] | None = None) -> None:
        _listed(strategies)
        super().__init__(strategies, {"strategies": strategies, "weights": weights})
        self.weights = _shares(weights, len(self.inner))

    def query(self, view: View, n: int) -> Rows:
        """Draw who chooses how many rows, and ask them one after the other."""
        for spec in self.specs:  # told whoever is drawn
            need = spec.lacks(view.model.levels) if spec.needs and view.model.constant is None else None
            if need:
                raise PairingError(f"{spec.name} needs {need}; {view.model.name} has none.")
        drawn = view.rng.choice(len(self.inner), size=n, p=self.weights)
        rows = view.unlabeled[:0]
        for a in dict.fromkeys(drawn.tolist()):
            seen = view.without(rows) if len(rows) else view.among()
            rows = np.concatenate([rows, ask(self.inner[a], self.specs[a], seen, int((drawn == a).sum()))])
        return rows
