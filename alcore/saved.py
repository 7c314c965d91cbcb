"""The file of a saved session: JSON, written whole or not at all, and checked when it is read.

A digest of all that the file says is in it, so that a label that was changed is seen; files of format 1 have none. What
they say is checked by its shape, and by whether the events can have happened in this order.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from alcore.disk import storing, write_whole
from alcore.errors import InputError
from alcore.pool import Pool
from alcore.types import Task

FORMAT = 2
KEYS = ("data", "task", "classes", "seed", "ties", "cold_start", "features", "events")
EVENTS = ("ask", "tell", "skip", "release")
AGAIN = "Take a copy that is whole, or begin a new session."

Event = tuple[str, list[int], Any]


def write(path: Path | str, about: dict[str, Any]) -> None:
    """Write what is known of a session; a file of that name is replaced whole, or stays as it is.

    Raises
    ------
    InputError
        If a class is no string, number or boolean: it would come back as something else, or not at all.
    StorageError
        If the disk is full, or cannot be written.
    """
    strange = [label for label in about["classes"] if not isinstance(label, str | int | float)]
    if strange:
        raise InputError(f"the class {strange[0]!r} cannot be saved as JSON; use strings or numbers as classes.")
    path = Path(path)
    told = {"format": FORMAT, "digest": _digest(about)} | about
    with storing(path, then="save again: the file that was there, if any, is as before."):
        write_whole(path, json.dumps(told).encode("utf8"), hidden=".")


def read(path: Path | str) -> dict[str, Any]:
    """Return what ``write`` wrote, the events as tuples.

    Raises
    ------
    InputError
        If the file cannot be read, is no saved session, is damaged, or was written by a newer alcore.
    """
    try:
        about = json.loads(Path(path).read_bytes().decode("utf8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no saved session: {error}. {AGAIN}") from error
    if not isinstance(about, dict) or "format" not in about:
        raise InputError(f"{path} is no saved session: it has no format.")
    form = about.pop("format")
    if isinstance(form, bool) or form not in (1, FORMAT):
        raise InputError(
            f"{path} has format {form!r:.40}; this alcore reads 1 and {FORMAT}. Upgrade alcore to read it."
        )
    given = about.pop("digest", None)
    lacking = [key for key in KEYS if key not in about] + (["digest"] if form > 1 and given is None else [])
    if lacking:
        raise damaged(path, f"it has no {lacking[0]!r}")
    if given is not None and given != _digest(about):
        raise damaged(path, "what it says is not what was saved (its digest differs)")
    try:
        about["events"] = _shaped(about)
    except ValueError as error:
        raise damaged(path, str(error)) from error
    return about


def damaged(path: Path | str, why: str) -> InputError:
    """Return the error for a file that is not what was saved."""
    return InputError(f"{path} is damaged: {why.rstrip('.')}. {AGAIN}")


def keep(given: Any) -> Any:
    """Return what a file can keep of an argument: itself, or what to ask for when it is needed again."""
    return given if given is None or isinstance(given, str) else {"object": repr(given)}


def _digest(about: Mapping[str, Any]) -> str:
    """Return a hash of values as they come back from JSON, whatever the order of keys and the spaces."""
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _shaped(about: Mapping[str, Any]) -> list[Event]:
    """Return the events; ValueError where a value has not the shape that it is written in."""
    rules = {
        "data": (isinstance(about["data"], str), "a hash of the rows, as text"),
        "task": (about["task"] in list(Task), f"one of {', '.join(Task)}"),
        "seed": (_is_count(about["seed"]), "a whole number, 0 or more"),
        "ties": (about["ties"] in ("random", "first"), "random or first"),
        "classes": (_are_labels(about["classes"]), "a list of different strings, numbers or booleans"),
        "cold_start": (_is_kept(about["cold_start"]), "null, a name or an object"),
        "features": (_is_kept(about["features"]) and about["features"] is not None, "a name or an object"),
        "events": (isinstance(about["events"], list), "a list"),
    }
    for key, (right, rule) in rules.items():
        if not right:
            raise ValueError(f"{key} is {about[key]!r:.60}, where {rule} is due")
    if bool(about["classes"]) == (about["task"] == Task.REGRESSION):
        raise ValueError(f"classes is {about['classes']!r:.60} for a {about['task']}")
    if isinstance(about["features"], str) and about["features"] not in ("standard", "raw"):
        raise ValueError(f"features is {about['features']!r:.60}, where standard or raw is due")
    for number, event in enumerate(about["events"], start=1):
        if not isinstance(event, list) or len(event) != 3 or event[0] not in EVENTS:
            raise ValueError(f"event {number} is {event!r:.60}, none of {', '.join(EVENTS)} with rows and labels")
        if not isinstance(event[1], list) or not all(_is_count(row) for row in event[1]):
            raise ValueError(f"event {number} is of rows {event[1]!r:.60}; rows are integers, positions in X")
    return [(kind, rows, codes) for kind, rows, codes in about["events"]]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_labels(value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(label, str | int | float) for label in value):
        return False
    return len(set(value)) == len(value) and not any(isinstance(one, float) and math.isnan(one) for one in value)


def _is_kept(value: Any) -> bool:
    if isinstance(value, dict):
        return [*value] == ["object"] and isinstance(value["object"], str)
    return value is None or isinstance(value, str)


def check_events(events: Sequence[Event], pool: Pool) -> None:
    """Raise ValueError, which names the event, where events cannot have happened to this pool in this order."""
    labeled, away = set[int](), set[int]()  # away: pending or skipped, so that they are not asked
    for number, (kind, rows, codes) in enumerate(events, start=1):
        what = f"event {number} ({kind})"
        outside = [row for row in rows if row >= len(pool)]
        if outside:
            raise ValueError(f"{what}: row {outside[0]} is outside X, which has rows 0 to {len(pool) - 1}")
        if len({*rows}) != len(rows):
            raise ValueError(f"{what} has a row more than once")
        wrong = _contradiction(kind, rows, labeled, away)
        if wrong:
            raise ValueError(f"{what}: row {wrong}")
        if kind == "tell":
            _check_codes(what, rows, codes, pool)
            labeled.update(rows)
            away.difference_update(rows)
            continue
        if codes is not None:
            raise ValueError(f"{what} has labels, which only tell has")
        if kind == "release":
            away.difference_update(rows)
        else:
            away.update(row for row in rows if row not in labeled)


def _contradiction(kind: str, rows: Sequence[int], labeled: set[int], away: set[int]) -> str:
    """Return the first row that this cannot happen to, and why; empty if there is none."""
    for row in rows:
        if kind == "tell" and row in labeled:
            return f"{row} is told, and was told before"
        if kind == "release" and row not in away:
            return f"{row} is released, and is neither pending nor skipped"
        if kind == "ask" and (row in labeled or row in away):
            return f"{row} is asked, and was asked, skipped or told before"
    return ""


def _check_codes(what: str, rows: Sequence[int], codes: Any, pool: Pool) -> None:
    if not isinstance(codes, list) or len(codes) != len(rows):
        raise ValueError(f"{what} has labels {codes!r:.60} for {len(rows)} rows")
    k = pool.n_classes
    for code in codes:
        if pool.task is Task.CLASSIFICATION:
            right = _is_count(code) and code < k
        elif pool.task is Task.MULTILABEL:
            right = isinstance(code, list) and len(code) == k and all(_is_count(one) and one < 2 for one in code)
        else:
            right = isinstance(code, float) and math.isfinite(code)
        if not right:
            raise ValueError(
                f"{what} has a label {code!r:.60}, which no row of a {pool.task} with {k} classes can have"
            )
