"""The file of a saved session: JSON, written whole or not at all, and checked when it is read."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

from alcore.errors import InputError

FORMAT = 1
KEYS = ("data", "task", "classes", "seed", "ties", "cold_start", "features", "events")
EVENTS = ("ask", "tell", "skip", "release")


def write(path: Path | str, about: dict[str, Any]) -> None:
    """Write what is known of a session; a file of that name is replaced whole, or stays as it is.

    Raises
    ------
    InputError
        If a class is no string, number or boolean: it would come back as something else, or not at all.
    """
    strange = [label for label in about["classes"] if not isinstance(label, str | int | float)]
    if strange:
        raise InputError(f"the class {strange[0]!r} cannot be saved as JSON; use strings or numbers as classes.")
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("w", encoding="utf8") as file:
            json.dump({"format": FORMAT} | about, file)
            file.flush()
            os.fsync(file.fileno())  # else a power cut after the rename could leave an empty file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path | str) -> dict[str, Any]:
    """Return what ``write`` wrote, the events as tuples.

    Raises
    ------
    InputError
        If the file cannot be read, is no saved session, or has another format.
    """
    try:
        about = json.loads(Path(path).read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no saved session: {error}") from error
    if not isinstance(about, dict) or "format" not in about:
        raise InputError(f"{path} is no saved session: it has no format.")
    if about["format"] != FORMAT:
        raise InputError(f"{path} has format {about['format']}; this alcore reads {FORMAT}.")
    lacking = [key for key in KEYS if key not in about]
    if lacking:
        raise InputError(f"{path} is damaged: it has no {lacking[0]!r}.")
    try:
        about["events"] = [(EVENTS[EVENTS.index(kind)], rows, codes) for kind, rows, codes in about["events"]]
    except (TypeError, ValueError) as error:
        raise InputError(f"{path} is damaged: it has an event that is none of {', '.join(EVENTS)}.") from error
    return about


def keep(given: Any) -> Any:
    """Return what a file can keep of an argument: itself, or what to ask for when it is needed again."""
    return given if given is None or isinstance(given, str) else {"object": repr(given)}
