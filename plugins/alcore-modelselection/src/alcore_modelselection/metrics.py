"""How well a selection went, from the regret after each label."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from alcore.errors import InputError
from alcore.types import Floats

EXACT = 1e-12
"""A regret up to this is none: the model is a best one."""


def regret(best: ArrayLike, risks: Floats) -> Floats:
    """Return risk(selected) - risk(best), shape as ``best`` (Eq. 2); ``risks`` are the true ones, shape (H,)."""
    return np.asarray(risks[np.asarray(best, dtype=np.intp)] - risks.min())


def cumulative_regret(regrets: Floats) -> Floats:
    """Return the sums of the regrets after labels 1..t (Eq. 3).

    ``regrets`` has shape (..., T + 1), from the regret before any label; the answer has shape (..., T).
    """
    return np.asarray(np.cumsum(regrets[..., 1:], axis=-1))


def success(regrets: Floats) -> Floats:
    """Return where a best model was selected, as 0 and 1; its mean over runs is the success rate of section 9.1.3."""
    return np.asarray(np.asarray(regrets) <= EXACT, dtype=np.float64)


def labels_to_within(regrets: Floats, within: float = 0.01, *, stay: bool = True) -> int | None:
    """Return the number of labels after which the regret is at most ``within``, or None if it never is.

    Parameters
    ----------
    regrets : array of shape (T + 1,)
        From the regret before any label.
    within : float
        In units of the loss: 0.01 is one per cent of accuracy.
    stay : bool
        Count from the label after which the regret stays there to the end (Fig. 1: "to converge"), not from the first
        time.

    Raises
    ------
    InputError
        If ``regrets`` is not one-dimensional or empty.
    """
    values = np.asarray(regrets)
    if values.ndim != 1 or not len(values):
        raise InputError(f"regrets has shape {values.shape}; give one run's regrets, shape (T + 1,).")
    near = values <= within + EXACT
    if stay:
        far = np.flatnonzero(~near)
        first = int(far[-1]) + 1 if len(far) else 0
        return first if first < len(values) else None
    hits = np.flatnonzero(near)
    return int(hits[0]) if len(hits) else None
