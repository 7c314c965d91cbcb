"""Bandit: each batch by one of several strategies, chosen by what its batches did for the accuracy so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

import alcore
from alcore import InputError, PairingError, Pool, Rows, View
from alcore_strategies.combinators.inner import Named, Outer, ask
from alcore_strategies.learned.albl import composed, listed

DEFAULT = ("margin", "random")


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    return composed("bandit", params["arms"])


@alcore.strategy(
    "bandit",
    summary="Each batch by one of several strategies, chosen by what it did for the cross-validated accuracy",
    needs=("proba|decision",),
    stochastic=True,
    resumable=False,
    source=(
        "Auer, Cesa-Bianchi, Freund and Schapire, The Nonstochastic Multiarmed Bandit Problem (SIAM J. Comput. 32, "
        "2002), Exp3; bandit sampler, Google active-learning playground (2017)"
    ),
    group="learned",
    parts=DEFAULT,
    adapt=_adapted,
)
class Bandit(Outer):
    """Exp3 over strategies: p_i = (1 - gamma) w_i / sum_j w_j + gamma / K, and w_i <- w_i exp(gamma x / (p_i K)).

    x is how much the accuracy on the labelled rows, each predicted by a twin of the query learner fitted without it,
    has changed since arm i chose: no label is spent on a validation set. It may be negative. An arm may itself be a
    ``mixture``.

    Parameters
    ----------
    arms : list of strategies
    gamma : float
        The share of chance in the choice of an arm.
    folds : int
        Fits per round for the accuracy.
    """

    def __init__(self, arms: Sequence[Named] = DEFAULT, gamma: float = 0.5, folds: int = 3) -> None:
        super().__init__(listed("bandit", arms), {"arms": arms, "gamma": gamma, "folds": folds})
        if not 0 < gamma <= 1:
            raise InputError(f"bandit: gamma is {gamma!r}; give a share above 0 and at most 1.")
        if folds < 2:
            raise InputError(f"bandit: folds is {folds!r}; 2 or more are needed to predict rows that were left out.")
        self.gamma, self.folds = gamma, folds

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Trust all arms alike."""
        super().setup(pool, rng)
        self.log_w = np.zeros(len(self.inner))
        self.pulled: tuple[int, float, float, int] | None = None

    def query(self, view: View, n: int) -> Rows:
        """Reward the arm that chose last, draw another, and ask it."""
        if n == 0:
            return view.unlabeled[:0]
        for spec in self.specs:  # told whoever is drawn
            need = spec.lacks(view.model.levels) if spec.needs and view.model.constant is None else None
            if need:
                raise PairingError(f"{spec.name} needs {need}; {view.model.name} has none.")
        K, accuracy = len(self.inner), left_out_accuracy(view, self.folds)
        if self.pulled is not None:
            arm, p_arm, before, labeled = self.pulled
            if len(view.labeled) > labeled:
                self.log_w[arm] += self.gamma * (accuracy - before) / (p_arm * K)
        w = np.exp(self.log_w - self.log_w.max())
        p = (1 - self.gamma) * w / w.sum() + self.gamma / K
        arm = int(view.rng.choice(K, p=p))
        self.pulled = arm, float(p[arm]), accuracy, len(view.labeled)
        return ask(self.inner[arm], self.specs[arm], view.among(), n)


def left_out_accuracy(view: View, folds: int) -> float:
    """Return the share of the labelled rows that twins fitted without them predict; 0 for a single row."""
    l = len(view.labeled)  # noqa: E741 - the paper's
    if l < 2:
        return 0.0
    hits = 0
    for part in np.array_split(view.rng.permutation(l), min(folds, l)):
        rest = np.delete(np.arange(l), part)
        twin = view.new_learner().fit(view.pool.take(view.labeled[rest]), view.y[rest])
        hits += int((twin.predict(view.pool.take(view.labeled[part])) == view.y[part]).sum())
    return hits / l
