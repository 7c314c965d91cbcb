"""Entropies in nats."""

from __future__ import annotations

import numpy as np

from alcore import Floats

NOISE = 1e-12
"""Nats below which a difference of entropies is rounding."""


def entropy(p: Floats) -> Floats:
    """Return -sum_k p_k log p_k along the last axis, with 0 log 0 = 0."""
    nats: Floats = -np.einsum("...k,...k->...", p, np.log(np.where(p > 0, p, 1.0)))
    return nats


def label_entropy(p: Floats) -> Floats:
    """Return the entropy of each label that is 1 with probability p, summed along the last axis."""
    return entropy(p) + entropy(1.0 - p)


def without_noise(information: Floats) -> Floats:
    """Return information that is 0 where it is rounding: rows that say nothing tie."""
    return np.where(information > NOISE, information, 0.0)
