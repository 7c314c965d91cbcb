"""Mistakes in an experiment as its author reads them: where, on which line, what is wrong and what to write."""

from __future__ import annotations

import json
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from alcore.errors import did_you_mean

Place: TypeAlias = tuple[str | int, ...]
"""Where something stands: ``("learners", 1, "query")`` is ``learners[1].query``."""

WORDS = {
    "missing": "missing; it has to be given.",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text",
    "path_type": "must be a text, the path of a file",
    "model_type": "must be a table",
    "tuple_type": "must be a list",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be above {gt}",
    "less_than": "must be below {lt}",
    "string_pattern_mismatch": "must be of letters, digits, '.', '_' and '-', and begin with a letter or digit",
}
"""What to say for pydantic's types of errors."""


@dataclass(frozen=True)
class Mistake:
    """One mistake, and the places that it concerns."""

    text: str
    places: tuple[Place, ...]


def of_pydantic(error: Any, place: Place, known: Iterable[str]) -> Mistake:
    """Return what one of pydantic's errors says, in other words; ``known`` are the keys of the table it is in."""
    kind, given = error["type"], error["input"]
    if kind == "value_error":
        return Mistake(str(error["ctx"]["error"]), (place,))
    if kind == "extra_forbidden":
        hint = did_you_mean(str(place[-1]), known) or f" The keys are {', '.join(known)}."
        return Mistake(f"there is no such key.{hint}", (place,))
    text = WORDS[kind].format(**error.get("ctx", {})) if kind in WORDS else error["msg"]
    if kind != "missing":
        text += f"; it is {shown(given)}."
    if kind == "literal_error" and isinstance(given, str):
        text += did_you_mean(given, error["ctx"]["expected"].split("'")[1::2])
    return Mistake(text, (place,))


def shown(value: Any) -> str:
    """Return a value as TOML would have it, or nearly so, shortened."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def told(mistakes: Iterable[Mistake], toml: str = "") -> list[str]:
    """Return the mistakes as text, each once, in the order of their lines in the TOML that they are of, if given."""
    lines = _Lines(toml)
    found: dict[str, int] = {}
    for mistake in mistakes:
        where = [(path_of(place), lines.of(place)) for place in mistake.places]
        head = " with ".join(f"{name} (line {line})" if line else name for name, line in where)
        found.setdefault(f"{head}: {mistake.text}" if head else mistake.text, where[0][1] if where else 0)
    return sorted(found, key=lambda text: found[text])


def path_of(place: Place) -> str:
    """Return a place as it is written."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


class _Lines:
    """Finds the lines of a TOML text on which things begin to be there, by reading ever more of it."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.begun = cache(self._begun)

    def of(self, place: Place) -> int:
        """Return the line of a place, or of what it is missing from; 0 if there is none."""
        while place and not _has(self.begun(len(self.lines)), place):
            place = place[:-1]
        if not place:
            return 0
        counts = range(1, len(self.lines) + 1)
        return counts[bisect_left(counts, True, key=lambda count: _has(self.begun(count), place))]

    def _begun(self, count: int) -> Mapping[str, Any]:
        """Return what the first lines say, with the lists they leave open closed."""
        for end in range(count, 0, -1):  # less of them where they stop within a text of several lines
            head = "\n".join(self.lines[:end])
            for closing in ("", "\n]", "\n]}", "\n]]", "\n]}]"):
                try:
                    return tomllib.loads(head + closing)
                except tomllib.TOMLDecodeError:
                    continue
        return {}


def _has(value: Any, place: Place) -> bool:
    for part in place:
        if isinstance(part, int):
            if not isinstance(value, list) or part >= len(value):
                return False
        elif not isinstance(value, Mapping) or part not in value:
            return False
        value = value[part]
    return True
