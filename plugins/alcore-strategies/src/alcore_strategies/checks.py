"""Rules of parameters, kept where a strategy is made and not when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from alcore import InputError

LARGEST = 1e100
"""The squares of larger numbers, and products of these, are soon infinite."""


def before(check: Callable[..., object]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return an ``adapt`` that raises what ``check`` does, given all parameters by name, and adapts nothing."""

    def adapt(params: Mapping[str, Any]) -> dict[str, Any]:
        check(**params)
        return {}

    return adapt


def positive(who: str, *, zero: bool = False, **values: float | None) -> None:
    """Raise InputError unless these are positive (or zero) and finite numbers, or None."""
    for name, value in values.items():
        if value is not None and not (0 < value <= LARGEST or (zero and value == 0)):
            what = f"{'0 or ' if zero else ''}a positive number, {LARGEST:.0e} at most"
            raise InputError(f"{who}: {name} is {value!r}; give {what}.")


def counts(who: str, least: int = 1, **values: int | None) -> None:
    """Raise InputError unless these are whole numbers of at least so many, or None."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{who}: {name} is {value!r}; give a whole number, {least} or more.")


def seeds(who: str, seed: int) -> None:
    """Raise InputError unless it is a seed that NumPy's and scikit-learn's generators take."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**32:
        raise InputError(f"{who}: seed is {seed!r}; give a whole number, 0 or more and below 2^32.")
