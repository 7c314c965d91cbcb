"""The positive class of a metric: a label of the user's, which becomes a code where the classes are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from alcore.errors import InputError
from alcore.spec import MetricSpec

SHOWN = 10
"""Classes that a message lists."""


def bound(metric: MetricSpec, params: Mapping[str, Any], classes: Sequence[Any]) -> dict[str, Any]:
    """Return a metric's parameters for data of these classes: the label of the positive one as its code.

    Parameters
    ----------
    metric : of one class, or any other, whose parameters stay what they are
    params : as users give them
    classes : the labels, in the order of their codes

    Raises
    ------
    InputError
        If the positive class is none of them, is given beside an average, or the average is unknown.
    """
    made = dict(params)
    if not metric.one_class:
        return made
    positive, average = made.get("positive"), made.get("average")
    if average not in (None, "macro"):
        raise InputError(f'metric {metric.name}: average is {average!r}; use "macro", or leave it out.')
    if positive is None:
        return made
    if average is not None:
        raise InputError(f"metric {metric.name}: positive is one class and average is over all; give one of them.")
    codes = [code for code, label in enumerate(classes) if label == positive]
    if not codes:
        listed = ", ".join(map(repr, classes[:SHOWN])) + (", ..." if len(classes) > SHOWN else "")
        raise InputError(
            f"metric {metric.name}: positive is {positive!r}, which is none of the classes {listed}. Give one of "
            "these, of the same type."
        )
    return made | {"positive": codes[0]}
