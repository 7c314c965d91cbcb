"""Query by committee (``modAL.disagreement`` on ``modAL.models.Committee``), for classes and for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Rows, Task, View
from alcore_modal.face import Member, Scored, every
from alcore_modal.library import load

_disagreement = load("modAL.disagreement")
_models = load("modAL.models")


def qbc_vote(members: int = 10) -> Scored:
    """Make ``modal.qbc-vote``: the entropy of the members' votes, ``vote_entropy``.

    Parameters
    ----------
    members : int
        Learners in the committee, each a twin of the query learner fitted to a bootstrap draw of the labelled rows.
    """
    return Scored("modal.qbc-vote", _vote_entropy, members=_several(members))


def consensus_entropy(members: int = 10) -> Scored:
    """Make ``modal.consensus-entropy``: the entropy of the members' mean probabilities, ``consensus_entropy``.

    Parameters
    ----------
    members : int
        As in ``qbc_vote``.
    """
    return Scored("modal.consensus-entropy", _consensus_entropy, members=_several(members))


def max_disagreement(members: int = 10) -> Scored:
    """Make ``modal.max-disagreement``: the largest KL divergence of a member from the mean, ``KL_max_disagreement``.

    Parameters
    ----------
    members : int
        As in ``qbc_vote``.
    """
    return Scored("modal.max-disagreement", _max_disagreement, members=_several(members))


def committee_std(members: int = 10) -> Scored:
    """Make ``modal.committee-std``: the standard deviation of the members' predictions, ``max_std_sampling``.

    Parameters
    ----------
    members : int
        As in ``qbc_vote``.
    """
    return Scored("modal.committee-std", _committee_std, members=_several(members))


def bootstrap(y: Labels, rng: Generator, *, by_class: bool) -> Rows:
    """Return positions in ``y`` drawn with replacement, as many as there are; ``by_class`` keeps every class's count.

    modAL's own draw can lose a class, so that its members know different ones, and draws from global state.
    """
    if not by_class:
        return rng.integers(len(y), size=len(y))
    drawn = np.empty(len(y), dtype=np.intp)
    for code in np.unique(y):
        of_class = np.flatnonzero(y == code)
        drawn[of_class] = rng.choice(of_class, size=len(of_class))
    return drawn


def _several(members: int) -> int:
    if not isinstance(members, int) or members < 2:
        raise InputError(f"members is {members!r}; a committee has 2 or more.")
    return members


def _committee(view: View, members: int, kind: str = "Committee") -> Any:
    fitted = []
    for _ in range(members):
        drawn = bootstrap(view.y, view.rng, by_class=view.pool.task is Task.CLASSIFICATION)
        fitted.append(view.new_learner().fit(view.pool.take(view.labeled[drawn]), view.y[drawn]))
    member = [Member(model, view.X_unlabeled, view.pool.n_classes) for model in fitted]
    return getattr(_models, kind)(learner_list=[_models.ActiveLearner(estimator=one) for one in member])


def _vote_entropy(view: View, *, members: int) -> Floats:
    scores: Floats = _disagreement.vote_entropy(_committee(view, members), view.unlabeled)
    return scores


def _consensus_entropy(view: View, *, members: int) -> Floats:
    scores: Floats = _disagreement.consensus_entropy(_committee(view, members), view.unlabeled)
    return scores


def _max_disagreement(view: View, *, members: int) -> Floats:
    scores: Floats = _disagreement.KL_max_disagreement(_committee(view, members), view.unlabeled)
    return scores


def _committee_std(view: View, *, members: int) -> Floats:
    return every(_disagreement.max_std_sampling, _committee(view, members, "CommitteeRegressor"), view.unlabeled)
