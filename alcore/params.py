"""Values of parameters against the types that a signature states: numbers, words, true or false."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from alcore.errors import InputError


def check_types(name: str, target: Callable[..., Any], params: Mapping[str, Any]) -> None:
    """Raise InputError if a value is none that the target's annotation allows.

    Annotations of whole numbers, numbers, bool, str, None, ``Literal`` and unions of these are judged. NaN is none.
    Parameters that state something else, or nothing, are left to the target.
    """
    hints = _hints(target)
    for parameter, value in params.items():
        kinds = _alternatives(hints.get(parameter, Any))
        if kinds and not any(_is(value, kind) for kind in kinds):
            raise InputError(f"{name}: {parameter} is {value!r}; give {' or '.join(map(_called, kinds))}.")


def _hints(target: Any) -> dict[str, Any]:
    is_class = isinstance(target, type)
    function: Any = inspect.getattr_static(target, "__init__") if is_class else getattr(target, "function", target)
    try:
        return get_type_hints(function) if inspect.isroutine(function) else {}
    except NameError:  # an annotation that is imported for type checkers only
        return {}


def _alternatives(hint: Any) -> list[Any]:
    """Return the kinds of a hint; none where one of them cannot be judged."""
    kinds = list(get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,))
    known = all(kind in (int, float, bool, str, type(None)) or get_origin(kind) is Literal for kind in kinds)
    return kinds if known else []


def _is(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return any(type(value) is type(word) and value == word for word in get_args(kind))
    if kind is type(None):
        return value is None
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is str:
        return isinstance(value, str)
    if isinstance(value, bool | np.bool_):
        return False
    if isinstance(value, int | np.integer):
        return bool(-(2**63) <= value < 2**63)  # more is no number of NumPy's
    return kind is float and isinstance(value, float | np.floating) and not math.isnan(value)


def _called(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    return {int: "a whole number", float: "a number", bool: "true or false", str: "text"}.get(kind, "none")
