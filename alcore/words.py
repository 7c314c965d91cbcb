"""Configurations in words: as dotted keys with short texts, and what differs between two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Differences: TypeAlias = Mapping[str, str]
"""By dotted key, the value as a text."""


def flat(config: Mapping[str, Any], under: str = "") -> dict[str, str]:
    """Return a configuration as dotted keys with texts."""
    found: dict[str, str] = {}
    for key, value in config.items():
        name = f"{under}{key}"
        if isinstance(value, Mapping) and value and not _labelled(value):
            found |= flat(value, f"{name}.")
        else:
            found[name] = _text(value)
    return found


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of the first in which it differs from the other; what only the other has is "none"."""
    keys = dict.fromkeys([*one, *other])
    return {key: one.get(key, "none") for key in keys if one.get(key, "none") != other.get(key, "none")}


def _labelled(value: Any) -> bool:
    return isinstance(value, Mapping) and "label" in value and "name" in value


def _text(value: Any) -> str:
    """Return a value as people write it: what is named by its name and its parameters."""
    if _labelled(value):
        params = ",".join(f"{key}={item}" for key, item in sorted(value.get("params", {}).items()))
        return f"{value['name']}({params})" if params else str(value["name"])
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value) or "none"
    if value is None or value == {}:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, default=str)
