"""Expected error reduction (``modAL.expected_error``)."""

from __future__ import annotations

import copy
import sys
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from alcore import Floats, InputError, Labels, Model, Rows, View
from alcore.interop import seed_of, seeded_globals
from alcore_modal.face import Scored, every
from alcore_modal.library import load

_expected_error = load("modAL.expected_error")


def eer(p_subsample: float = 1.0) -> Scored:
    """Make ``modal.eer``: the least expected sum of 1 - max_k p_k over the other rows, ``loss="binary"``.

    Parameters
    ----------
    p_subsample : float
        The chance of each unlabelled row to be a candidate; the others come last.
    """
    return Scored("modal.eer", _reduction, loss="binary", p_subsample=_share(p_subsample))


def log_loss_reduction(p_subsample: float = 1.0) -> Scored:
    """Make ``modal.log-loss-reduction``: the least expected sum of entropies over the other rows, ``loss="log"``.

    Parameters
    ----------
    p_subsample : float
        As in ``eer``.
    """
    return Scored("modal.log-loss-reduction", _reduction, loss="log", p_subsample=_share(p_subsample))


def _share(p_subsample: float) -> float:
    if not 0 < p_subsample <= 1:
        raise InputError(f"p_subsample is {p_subsample!r}; give the share of candidates, above 0 and at most 1.")
    return float(p_subsample)


class _Refitted:
    """The estimator that modAL clones and refits for each candidate and label, with row numbers in place of rows.

    All fits of one query start from one unfitted twin, so that candidates differ by their rows and not by a seed.
    """

    def __init__(self, view: View, twin: Model) -> None:
        self.view, self.twin = view, twin

    def __sklearn_clone__(self) -> Self:
        return type(self)(self.view, self.twin)

    def fit(self, numbers: Rows, y: Labels) -> Self:
        """Fit to these rows."""
        self.model = copy.deepcopy(self.twin).fit(self.view.pool.take(numbers[:, 0]), y)
        return self

    def predict_proba(self, numbers: Rows) -> Floats:
        """Return probabilities; of no rows too, which are what is left beside the last candidate."""
        if len(numbers) == 0:
            return np.empty((0, self.view.pool.n_classes))
        return self.model.predict_proba(self.view.pool.take(numbers[:, 0]))


def _reduction(view: View, *, loss: str, p_subsample: float) -> Floats:
    # modAL pairs the labels seen with the columns of the learner's probabilities: it gets those columns alone.
    seen = np.unique(view.y)
    proba = view.proba[:, seen]
    learner = SimpleNamespace(
        X_training=view.labeled.reshape(-1, 1),
        y_training=view.y,
        predict_proba=lambda _numbers: proba,
        estimator=_Refitted(view, view.new_learner()),
    )
    # modAL compares the loss by ``is``: a string that has been pickled would be none of the two it knows.
    given: dict[str, Any] = {"loss": sys.intern(loss), "p_subsample": p_subsample}
    with seeded_globals(seed_of(view)):
        error = every(_expected_error.expected_error_reduction, learner, view.unlabeled.reshape(-1, 1), **given)
    return -error
