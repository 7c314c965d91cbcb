"""The two approximation functions of a learning curve, and their derivatives in u = ln b.

    p1(x) = a_inf (1 - e^(a_0 - x/b))        p2(x) = a_inf / (1 + e^(a_0 - x/b))

``a_0`` follows from the performance p_0 at x = 0. In place of a_0 the code has k = e^(a_0), which is finite for every
p_0: k = 1 - p_0/a_inf for p1 and k = a_inf/p_0 - 1 for p2. With E = e^(-x/b) both need one exponential.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats

Function: TypeAlias = Literal["p1", "p2"]
FUNCTIONS: tuple[Function, ...] = get_args(Function)
NEAREST = {"p1": (0.0, 1.0 - 1e-9), "p2": (1e-3, 1.0 - 1e-3)}
"""The share p_0 / a_inf is kept within these: a_0 is infinite at 1 for both, and at 0 for p2."""


def check_function(function: str) -> None:
    """Raise InputError if there is no such function."""
    if function not in FUNCTIONS:
        raise InputError(f"function is {function!r}; use one of {', '.join(FUNCTIONS)}.")


def origin(function: Function, p_0: Floats, a_inf: Floats) -> Floats:
    """Return k = e^(a_0), from the performance at x = 0."""
    share = np.clip(p_0 / a_inf, *NEAREST[function])
    k: Floats = 1.0 - share if function == "p1" else 1.0 / share - 1.0
    return k


def curve(function: Function, E: Floats, a_inf: Floats, k: Floats) -> Floats:
    """Return the function's values where e^(-x/b) is E."""
    p: Floats = a_inf * (1.0 - k * E) if function == "p1" else a_inf / (1.0 + k * E)
    return p


def derivatives(function: Function, z: Floats, a_inf: Floats, k: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the values and the first and second derivatives in u = ln b, where x/b is z.

    dz/du = -z, so that dE/du = z E.
    """
    E = np.exp(-z)
    if function == "p1":
        fall = a_inf * k * z * E
        return a_inf * (1.0 - k * E), -fall, -fall * (z - 1.0)
    s = 1.0 / (1.0 + k * E)
    fall = a_inf * z * s * (1.0 - s)
    return a_inf * s, -fall, fall * (1.0 + z * (1.0 - 2.0 * s))


def approximate(x: Floats, b: float, p_0: float, a_inf: float, function: Function = "p1") -> Floats:
    """Return the approximated learning curve at ``x`` added labels.

    Parameters
    ----------
    x : array
        Labels added to the start set.
    b : float
        The curve's scale, in labels.
    p_0, a_inf : float
        The performance at x = 0 and with all labels.
    function : "p1" or "p2"

    Raises
    ------
    InputError
        If the function is unknown.
    """
    check_function(function)
    start, end = np.asarray(p_0, dtype=np.float64), np.asarray(a_inf, dtype=np.float64)
    return curve(function, np.exp(-np.asarray(x, dtype=np.float64) / b), end, origin(function, start, end))
