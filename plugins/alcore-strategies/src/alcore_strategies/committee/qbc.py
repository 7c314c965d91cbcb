"""Query by committee: rows on which models that agree with the labels disagree with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from alcore import Floats, InputError, Labels, Model, Rows, View, strategy
from alcore_strategies.committee.information import NOISE, entropy, without_noise
from alcore_strategies.committee.members import bagged, checked_members, heterogeneous, stacked

Disagreement: TypeAlias = Literal["vote-entropy", "consensus-entropy", "kl"]
Committee: TypeAlias = Literal["bagged", "heterogeneous"]


@strategy(
    "qbc",
    summary="Rows on which a committee disagrees",
    revision=2,
    batch="top",
    stochastic=True,
    group="committee",
    source="Seung, Opper and Sompolinsky, Query by Committee (1992); McCallum and Nigam (1998); Settles (2009), "
    "section 3.2",
)
class QueryByCommittee:
    """Query by committee.

    Parameters
    ----------
    disagreement : "vote-entropy", "consensus-entropy" or "kl"
        The first asks the members for classes only, the others for probabilities.
    committee : "bagged" or "heterogeneous"
        Twins of the query learner on stratified bags, or LR, RBF-SVM, random forest and LDA on ``pool.features``.
    members : int
        Bags; the heterogeneous committee has four.

    Raises
    ------
    InputError
        If a parameter is none of these, or ``members`` is below 2: one member agrees with itself.
    """

    def __init__(
        self, disagreement: Disagreement = "vote-entropy", committee: Committee = "bagged", members: int = 10
    ) -> None:
        for name, value, known in (("disagreement", disagreement, Disagreement), ("committee", committee, Committee)):
            if value not in get_args(known):
                raise InputError(f"qbc: {name} is {value!r}; use one of {', '.join(get_args(known))}.")
        self.disagreement = disagreement
        self.committee = committee
        self.members = checked_members("qbc", members)

    def scores(self, view: View) -> Floats:
        """Return the disagreement in nats, 0 where all members agree."""
        if self.committee == "bagged":
            members, X = bagged(view, self.members), view.X_unlabeled
        else:
            members, X = heterogeneous(view), view.pool.features[view.unlabeled]
        if self.disagreement == "vote-entropy":
            return vote_entropy(members, X, view.pool.n_classes)
        p = stacked(members, X)
        consensus = entropy(p.mean(axis=0))
        # mean_m KL(p_m || P) = H(P) - mean_m H(p_m): members that are certain cost no 0 log 0
        return consensus if self.disagreement == "consensus-entropy" else without_noise(consensus - mean_entropy(p))

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest disagreement."""
        return view.top(self.scores(view), n, rounding=NOISE) if n else view.unlabeled[:0]


def mean_entropy(p: Floats) -> Floats:
    """Return mean_m H(p_m), (n,), of probabilities (members, n, K)."""
    nats: Floats = np.mean([entropy(one) for one in p], axis=0)
    return nats


def vote_entropy(members: Sequence[Model], X: Any, n_classes: int) -> Floats:
    """Return -sum_k V_k/M log V_k/M, (n,), with V_k of M members voting for class k (Engelson and Dagan 1996)."""
    votes = counted([member.predict(X) for member in members], n_classes)
    # Sorted, so that one division of the votes is one number, whichever classes it falls on.
    return entropy(np.sort(votes, axis=1) / len(members))


def counted(predicted: Sequence[Labels], n_classes: int) -> Floats:
    """Return how many of some predictions (n,) are each class, (n, K)."""
    votes = np.zeros((len(predicted[0]), n_classes))
    for codes in predicted:
        votes[np.arange(len(codes)), codes] += 1.0
    return votes
