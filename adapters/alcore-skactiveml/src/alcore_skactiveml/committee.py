"""Strategies that ask where the members of a committee disagree."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.random import Generator
from skactiveml.pool import BatchBALD, GreedyBALD, QueryByCommittee  # type: ignore[import-untyped]

from alcore import InputError, Labels, Model, Rows, Task, View
from alcore.interop import silenced
from alcore_skactiveml.ask import Ask, Native, Scored, Wrapped, labels, seeded
from alcore_skactiveml.bridge import RowClassifier, RowRegressor, row_numbers

MEMBERS = 10
REDRAWS = 10
"""How often a bootstrap sample that lacks a class is drawn anew before it is drawn class by class."""


def draw(y: Labels, rng: Generator, *, classes: bool) -> Rows:
    """Return positions in y of a bootstrap sample that, of class codes, has every class that y has."""
    n = len(y)
    sample: Rows = rng.integers(n, size=n)
    if not classes:
        return sample
    known = np.unique(y)
    for _ in range(REDRAWS):
        if len(np.unique(y[sample])) == len(known):
            return sample
        sample = rng.integers(n, size=n)
    return np.concatenate([rng.choice(np.flatnonzero(y == code), size=int((y == code).sum())) for code in known])


def committee(view: View, members: int) -> list[Model]:
    """Return twins of the query learner, each fitted to a bootstrap sample of the labelled rows."""
    classes = view.pool.task is Task.CLASSIFICATION
    fitted = []
    with silenced():
        for _ in range(members):
            sample = draw(view.y, view.rng, classes=classes)
            fitted.append(view.new_learner().fit(view.pool.take(view.labeled[sample]), view.y[sample]))
    return fitted


class _Committee(Wrapped):
    """A strategy with a committee.

    Parameters
    ----------
    members : int
        How many twins of the query learner; each costs a fit per query.
    """

    parts = True

    def __init__(self, members: int = MEMBERS) -> None:
        if members < 2:
            raise InputError(f"members is {members}; one member agrees with itself, so use 2 or more.")
        self.members = members

    @abstractmethod
    def make(self, seed: int) -> Any:
        """Return the library's strategy."""

    def ask(self, view: View) -> Ask:
        """Return the strategy with its committee."""
        bridge = RowRegressor if view.pool.task is Task.REGRESSION else RowClassifier
        ensemble = [bridge(view, model) for model in committee(view, self.members)]
        kwargs = {"ensemble": ensemble, "fit_ensemble": False}
        return seeded(view, self.make, row_numbers(view.pool), labels(view), kwargs=kwargs)


class KullbackLeibler(_Committee, Scored):
    """QueryByCommittee, method "KL_divergence"."""

    name = "skactiveml.qbc-kl"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return QueryByCommittee(method="KL_divergence", random_state=seed)


class VoteEntropy(_Committee, Scored):
    """QueryByCommittee, method "vote_entropy"."""

    name = "skactiveml.qbc-vote"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return QueryByCommittee(method="vote_entropy", random_state=seed)


class VariationRatios(_Committee, Scored):
    """QueryByCommittee, method "variation_ratios"."""

    name = "skactiveml.qbc-variation-ratios"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return QueryByCommittee(method="variation_ratios", random_state=seed)


class StandardDeviation(_Committee, Scored):
    """QueryByCommittee on regressors: the standard deviation of the members' predictions."""

    name = "skactiveml.qbc-std"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return QueryByCommittee(random_state=seed)


class Bald(_Committee, Scored):
    """GreedyBALD: mutual information between a row's class and the member."""

    name = "skactiveml.bald"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return GreedyBALD(random_state=seed)


class Batch(_Committee, Native):
    """BatchBALD: mutual information between the classes of a whole batch and the member.

    Parameters
    ----------
    members : int
    n_mc_samples : int or None
        How many joint outcomes of the batch are kept, at least ``members``; None keeps as many as there are members.
    """

    name = "skactiveml.batch-bald"

    def __init__(self, members: int = MEMBERS, n_mc_samples: int | None = None) -> None:
        super().__init__(members)
        if n_mc_samples is not None and n_mc_samples < members:
            raise InputError(f"n_mc_samples is {n_mc_samples}; use {members}, one per member, or more.")
        self.n_mc_samples = n_mc_samples

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return BatchBALD(n_MC_samples=self.n_mc_samples, random_state=seed)
