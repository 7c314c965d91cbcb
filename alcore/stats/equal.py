"""When two scores are one number: a sum in another order has other last digits, and no test may rest on these."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore.types import TOLERANCE, Floats


def settled(values: Any, scale: Any = None) -> Floats:
    """Return numbers with those that are equal but for rounding made one number.

    Parameters
    ----------
    values : (..., n)
        Compared along the last axis; NaN and infinities stay what they are.
    scale : (..., n) or None
        The magnitude that each number's rounding is of; None takes the largest of the finite numbers beside it.
    """
    values = np.array(values, dtype=np.float64)
    found: Floats = values.copy()
    if not values.size:
        return found
    if scale is None:
        scale = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=-1, keepdims=True)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    around = np.take_along_axis(np.broadcast_to(scale, values.shape), order, axis=-1)
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = ~(np.diff(ordered, axis=-1) <= TOLERANCE * np.maximum(around[..., 1:], around[..., :-1]))
    position = np.arange(values.shape[-1])
    first = np.maximum.accumulate(np.where(apart, position[1:], 0), axis=-1)
    first = np.concatenate([np.zeros((*values.shape[:-1], 1), dtype=first.dtype), first], axis=-1)
    np.put_along_axis(found, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return found


def differences(own: Any, base: Any) -> Floats:
    """Return own - base, pair by pair: 0 where both are equal but for rounding, and equal ones one number.

    Two infinities, of targets that neither reached, are equal.

    Parameters
    ----------
    own, base : (n,)
    """
    own, base = np.asarray(own, dtype=np.float64), np.asarray(base, dtype=np.float64)
    sizes = np.maximum(np.abs(own), np.abs(base))
    scale = np.where(np.isfinite(sizes), sizes, 0.0)
    with np.errstate(invalid="ignore"):
        found = np.where(own == base, 0.0, own - base)
    found[np.abs(found) <= TOLERANCE * scale] = 0.0
    different: Floats = np.sign(found) * settled(np.abs(found), scale)
    return different
