"""ALBL: a bandit that finds out which strategy suits the data while it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Pool, Rows, Task, View
from alcore_strategies.combinators.inner import Named, Outer, ask, merged, spec_of

DEFAULT = ("margin", "core-set")


def listed(who: str, arms: Any) -> Sequence[Named]:
    """Return the arms, or raise InputError where they are no list of one or more."""
    if isinstance(arms, str) or not isinstance(arms, Sequence) or not arms:
        raise InputError(f"{who}: arms is {arms!r}; give a list of one strategy or more.")
    return arms


def composed(who: str, arms: Any) -> dict[str, Any]:
    """Return the fields of a bandit's spec that follow from its arms.

    Its weights follow from what its arms advised with the learners of each round: a run cannot be resumed from rows.
    """
    fields = merged([spec_of(one) for one in listed(who, arms)])
    tasks = fields["tasks"] & {Task.CLASSIFICATION}
    if not tasks:
        raise InputError(f"{who} is rewarded by accuracy, and no arm of {list(arms)} serves classification.")
    return fields | {"tasks": tasks, "learner": True, "stateful": True, "stochastic": True, "resumable": False}


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    return composed("albl", params["arms"])


@alcore.strategy(
    "albl",
    summary="Rows advised by one of several strategies or by chance, in which a bandit learns to trust",
    needs=("proba|decision",),
    stochastic=True,
    resumable=False,
    source="Hsu and Lin, Active Learning by Learning (AAAI 2015), algorithm 1",
    group="learned",
    parts=DEFAULT,
    adapt=_adapted,
)
class Albl(Outer):
    """Exp4.P over strategies and a uniform arm, rewarded by importance-weighted accuracy.

    With K arms, arm k advises the distribution phi_k over rows; a row is drawn from q ::

        p_k = (1 - K p_min) w_k / sum_j w_j + p_min,    q(x) = sum_k p_k phi_k(x)
        r = 1/(n T) sum_i [f(x_i) = y_i] / q_i(x_i)     over all rows x_i drawn so far, f fitted to all labels
        w_k <- w_k exp(p_min/2 (r phi_k(x) / q(x) + sqrt(ln(K/delta) / (K T)) / p_k))

    The uniform arm advises all rows that were unlabelled at first: one that has its label by now is a free draw, which
    moves the weights, and another is drawn. In a batch each arm advises its own batch with equal parts, and distinct
    rows are drawn from one q. State: w, and the sum of 1/q over the draws of each row.

    Parameters
    ----------
    arms : list of strategies
        Besides chance. They use the run's query learner.
    T : int or None
        How many rows will be asked for; None takes the number that is unlabelled at the first query.
    delta : float
        The regret bound holds with probability 1 - delta.
    p_min : float or None
        The least probability of an arm; None takes sqrt(ln K / (K T)), the paper's, or 1/K where that is less.
    """

    def __init__(
        self, arms: Sequence[Named] = DEFAULT, T: int | None = None, delta: float = 0.1, p_min: float | None = None
    ) -> None:
        super().__init__(listed("albl", arms), {"arms": arms, "T": T, "delta": delta, "p_min": p_min})
        self.K = len(self.inner) + 1
        if T is not None and T < 1:
            raise InputError(f"albl: T is {T!r}; give the number of rows that will be asked for, or None.")
        if not 0 < delta < 1:
            raise InputError(f"albl: delta is {delta!r}; give a number between 0 and 1.")
        if p_min is not None and not 0 < p_min <= 1 / self.K:
            raise InputError(f"albl: p_min is {p_min!r}; give a number above 0, and at most 1/{self.K} for its arms.")
        self.T, self.delta, self.p_min = T, delta, p_min

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Trust all arms alike."""
        super().setup(pool, rng)
        self.log_w = np.zeros(self.K)
        self.drawn = np.zeros(len(pool))  # the sum of 1/q of each row's draws
        self.first: Rows | None = None
        self.waiting: list[tuple[int, Floats, Floats]] = []

    def query(self, view: View, n: int) -> Rows:
        """Learn from the labels since the last query, and draw n rows."""
        if n == 0:
            return view.unlabeled[:0]
        if self.first is None:
            self.first = view.unlabeled.copy()
            self.budget = len(self.first) if self.T is None else self.T
            self.least = min(np.sqrt(np.log(self.K) / (self.K * self.budget)), 1 / self.K)
            self.least = self.least if self.p_min is None else self.p_min
        right = np.zeros(len(view.pool), dtype=np.bool_)
        if len(view.labeled):
            right[view.labeled] = view.model.predict(view.X_labeled) == view.y
        known = np.isin(np.arange(len(view.pool)), view.labeled)
        for row, phi, p in self.waiting:
            if known[row]:
                self._learn(row, phi, p, right)
        self.waiting = []
        advice = self._advice(view, n)
        rows: list[int] = []
        while len(rows) < n:
            p = (1 - self.K * self.least) * np.exp(self.log_w - _log_sum(self.log_w)) + self.least
            q = p @ advice
            q[rows] = 0.0
            row = int(view.rng.choice(len(q), p=q / q.sum()))
            if known[row]:
                self._learn(row, advice[:, row], p, right)
            else:
                rows.append(row)
                self.waiting.append((row, advice[:, row].copy(), p))
        return np.array(rows, dtype=np.intp)

    def _advice(self, view: View, n: int) -> Floats:
        """Return phi, shape (K, rows of the pool); the last arm is chance."""
        advice = np.zeros((self.K, len(view.pool)))
        for k, (strategy, spec) in enumerate(zip(self.inner, self.specs, strict=True)):
            advice[k, ask(strategy, spec, view.among(), n)] = 1 / n
        first = view.unlabeled if self.first is None else np.union1d(self.first, view.unlabeled)
        anyone = np.setdiff1d(first, view.pending)
        advice[-1, anyone] = 1 / len(anyone)
        return advice

    def _learn(self, row: int, phi: Floats, p: Floats, right: Any) -> None:
        """Take in a draw whose label is known; ``right`` tells where the present model is."""
        q = p @ phi
        self.drawn[row] += 1 / q
        reward = self.drawn[right].sum() / (len(right) * self.budget)
        bonus = np.sqrt(np.log(self.K / self.delta) / (self.K * self.budget)) / p
        self.log_w = self.log_w + self.least / 2 * (reward * phi / q + bonus)


def _log_sum(a: Floats) -> float:
    return float(a.max() + np.log(np.exp(a - a.max()).sum()))
