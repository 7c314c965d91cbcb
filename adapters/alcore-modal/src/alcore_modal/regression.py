"""Sampling by a regressor's own standard deviation (``modAL.disagreement.max_std_sampling``)."""

from __future__ import annotations

from alcore import Floats, View
from alcore_modal.face import Answers, Scored, every
from alcore_modal.library import load

_disagreement = load("modAL.disagreement")


def gp_std() -> Scored:
    """Make ``modal.gp-std``: the standard deviation of the prediction."""
    return Scored("modal.gp-std", _std)


def _std(view: View) -> Floats:
    learner = Answers(view)
    return every(_disagreement.max_std_sampling, learner, learner.rows)
