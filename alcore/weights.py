"""Class weights and priors of estimators: what the caller says of classes, as the codes of each fit.

Each fit numbers the classes that it sees without gaps, so that a weight for class 3 would otherwise be that of another
one, and a prior of three classes would not fit two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats, Labels

PRIORS = ("priors", "class_prior")


def said_of_classes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters, nested ones included, that hold something for each class."""
    found = {}
    for name, value in params.items():
        last = name.rpartition("__")[2]
        if (last == "class_weight" and isinstance(value, Mapping)) or (last in PRIORS and value is not None):
            found[name] = value
    return found


def by_code(said: Mapping[str, Any], who: str, classes: Sequence[Any], n_classes: int) -> dict[str, Any]:
    """Return the same with pool codes as keys, and priors as arrays, by the caller's labels or by codes.

    Raises
    ------
    InputError
        If a key is neither a label nor a code, or there is not one prior per class.
    """
    return {
        name: _weights(value, f"{who}: {name}", classes, n_classes)
        if isinstance(value, Mapping)
        else _priors(value, f"{who}: {name}", n_classes)
        for name, value in said.items()
    }


def _weights(value: Mapping[Any, Any], who: str, classes: Sequence[Any], n_classes: int) -> dict[int, Any]:
    code = {label: i for i, label in enumerate(classes)}
    if all(key in code for key in value):  # first: the caller's own labels may be numbers, too
        return {code[key]: weight for key, weight in value.items()}
    codes = range(n_classes)
    strange = [key for key in value if key not in codes]
    if not strange:
        return {int(key): weight for key, weight in value.items()}
    known = list(classes)[:10] or list(codes)
    raise InputError(
        f"{who} has the key {next(key for key in value if key not in code)!r}, which is none of the classes {known}; "
        "give the labels, or their codes from 0 on."
    )


def _priors(value: Any, who: str, n_classes: int) -> Floats:
    priors = np.asarray(value, dtype=np.float64)
    if priors.shape != (n_classes,):
        raise InputError(
            f"{who} has shape {priors.shape} for {n_classes} classes; give one prior per class, in the order of the "
            "classes."
        )
    return priors


def restricted(coded: Mapping[str, Any], seen: Labels, n_classes: int) -> dict[str, Any]:
    """Return the parameters for a fit that numbers the classes ``seen`` from 0 on; priors sum to 1 again."""
    made: dict[str, Any] = {}
    for name, value in coded.items():
        if isinstance(value, Mapping):
            made[name] = {i: value[code] for i, code in enumerate(seen.tolist()) if code in value}
        elif len(seen) == n_classes:
            made[name] = value
        else:
            some = value[seen]
            if not some.sum() > 0:
                raise InputError(f"{name} gives the classes {seen.tolist()}, all that are labelled, no prior above 0.")
            made[name] = some / some.sum()
    return made
