"""Query by committee."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore import Floats, InputError, View
from alcore.interop import seed_of
from alcore_libact.asking import Scored, level_ties
from alcore_libact.library import Dataset, pool_based, quiet
from alcore_libact.models import Student
from alcore_libact.sheet import sheet

TRIES = 1000
"""Bags that libact may draw for one member until one has every class; with twenty classes it would draw for ever."""


def vote(members: int = 10) -> Scored:
    """Return ``QueryByCommittee(disagreement="vote")``; ``members`` twins of the learner are fitted to bags."""
    return _committee("libact.qbc-vote", "vote", members)


def kl(members: int = 10) -> Scored:
    """Return ``QueryByCommittee(disagreement="kl_divergence")``; ``members`` as for the vote."""
    return _committee("libact.qbc-kl", "kl_divergence", members)


def _committee(name: str, disagreement: str, members: int) -> Scored:
    if members < 1:
        raise InputError(f"members is {members}; a committee has one at least, and disagrees from two on.")
    return Scored(name, disagreements, disagreement=disagreement, members=members)


def disagreements(view: View, *, disagreement: str, members: int) -> Floats:
    """Return the vote entropy, or mean KL divergence to the consensus, of a bagged committee (Seung et al. 1992)."""
    state = np.random.RandomState(seed_of(view))
    students = [Student(view, view.new_learner) for _ in range(members)]
    with quiet():
        committee = _Committee(sheet(view).dataset, models=students, disagreement=disagreement, random_state=state)
        committee.make_query()
    return np.asarray(level_ties(committee.scores), dtype=np.float64)


class _Committee(pool_based.QueryByCommittee):  # type: ignore[misc]
    """libact's committee, which keeps the scores it computed and does not draw bags for ever."""

    _tries = 0

    def teach_students(self) -> None:
        """Fit each member to a bag of its own."""
        self._tries = 0
        super().teach_students()

    def _labeled_uniform_sample(self, sample_size: int) -> Any:
        """Draw a bag; when too many lacked a class, one that has a row of each class and others as before."""
        self._tries += 1
        bag = super()._labeled_uniform_sample(sample_size)
        if self._tries <= TRIES * self.n_students:
            return bag
        X, y = self.dataset.get_labeled_entries()
        codes = np.asarray(y)
        sure = [self.random_state_.choice(np.flatnonzero(codes == code)) for code in np.unique(codes)]
        rest = self.random_state_.randint(0, len(codes), sample_size - len(sure))
        rows = np.concatenate([sure, rest]).astype(np.intp)
        return Dataset(X[rows], codes[rows])

    def _vote_disagreement(self, votes: Any) -> Any:
        self.scores = super()._vote_disagreement(votes)
        return self.scores

    def _kl_divergence_disagreement(self, proba: Any) -> Any:
        self.scores = super()._kl_divergence_disagreement(proba)
        return self.scores
