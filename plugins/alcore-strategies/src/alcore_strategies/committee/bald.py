"""BALD: rows about which the members of an ensemble are sure, and say different things."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from alcore import Floats, InputError, PairingError, Rows, Task, View, strategy
from alcore.types import Level
from alcore_strategies.committee.information import NOISE, entropy, label_entropy, without_noise
from alcore_strategies.committee.members import bagged, checked_members, sampler, stacked, trees

Ensemble: TypeAlias = Literal["bagged", "forest", "draws"]
BLOCK = 1 << 22
"""Numbers (of 8 bytes) of the members' probabilities that are held at a time."""


@strategy(
    "bald",
    summary="Largest mutual information between a row's label and the model",
    revision=2,
    tasks=frozenset({Task.CLASSIFICATION, Task.MULTILABEL}),
    needs=("proba",),
    batch="top",
    stochastic=True,
    group="committee",
    source="Houlsby et al., Bayesian Active Learning for Classification and Preference Learning (2011), equation 2",
)
class Bald:
    """Bayesian active learning by disagreement, over a real ensemble.

    Parameters
    ----------
    ensemble : "bagged", "forest" or "draws"
        Twins of the query learner on stratified bags; the members of a query learner that is a forest (or another
        ensemble of classifiers); its own posterior draws (``sample_proba``).
    members : int
        Bags, or draws; a forest has the members it has.

    Raises
    ------
    InputError
        If ``ensemble`` is none of these, or ``members`` is below 2.
    """

    def __init__(self, ensemble: Ensemble = "bagged", members: int = 20) -> None:
        self.ensemble = checked_ensemble("bald", ensemble)
        self.members = checked_members("bald", members)

    def scores(self, view: View) -> Floats:
        """Return H(mean_t p_t) - mean_t H(p_t) in nats; several labels: summed over them."""
        nats = label_entropy if view.pool.task is Task.MULTILABEL else entropy
        posterior = posterior_of(view, self.ensemble, self.members)
        information = np.zeros(len(view.unlabeled))
        for rows, p in in_blocks(view, posterior, self.members):
            information[rows] = nats(p.mean(axis=0)) - np.mean([nats(one) for one in p], axis=0)
        return without_noise(information)

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest information."""
        return view.top(self.scores(view), n, rounding=NOISE) if n else view.unlabeled[:0]


def checked_ensemble(name: str, ensemble: Ensemble) -> Ensemble:
    """Return the name of an ensemble; InputError if it is none."""
    if ensemble not in get_args(Ensemble):
        raise InputError(f"{name}: ensemble is {ensemble!r}; use one of {', '.join(get_args(Ensemble))}.")
    return ensemble


def posterior_of(view: View, ensemble: Ensemble, members: int) -> Callable[[Any], Floats]:
    """Return a function of rows X that gives the members' probabilities, (T, n, K), or (T, n, L) for several labels.

    Raises
    ------
    PairingError
        If the query learner has no probabilities, no members ("forest") or no ``sample_proba`` ("draws").
    """
    if "proba" not in view.model.levels:
        raise PairingError(
            f"{view.model.name} has no predict_proba; use a learner that has it, such as 'random-forest'."
        )
    if ensemble == "draws":
        if Level.DRAWS not in view.model.levels:
            raise PairingError(
                f"{view.model.name} has no sample_proba. Use a learner that has it, or ensemble='bagged'."
            )
        return sampler(view, members)
    models = trees(view) if ensemble == "forest" else bagged(view, members)
    return lambda X: stacked(models, X)


def in_blocks(view: View, posterior: Callable[[Any], Floats], members: int) -> Iterator[tuple[slice, Floats]]:
    """Yield positions in ``view.unlabeled`` and the members' probabilities there, in blocks of bounded memory."""
    step = max(1, BLOCK // (members * view.pool.n_classes))
    for first in range(0, len(view.unlabeled), step):
        rows = slice(first, first + step)
        yield rows, posterior(view.pool.take(view.unlabeled[rows]))
