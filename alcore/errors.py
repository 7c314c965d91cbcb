"""The errors that alcore raises on purpose. Each says what was given, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class AlcoreError(Exception):
    """Base of every error that alcore raises on purpose.

    Attributes
    ----------
    records : sequence of Record
        The rounds of a run that were there before the error, if it ended one.
    """

    records: Sequence[Any] = ()


class InputError(AlcoreError, ValueError):
    """An argument, a file or an experiment breaks a rule."""


class PairingError(InputError):
    """A strategy, a learner, a task and a data set that cannot work together."""


class UnknownNameError(InputError, LookupError):
    """A name that no loaded plugin provides."""


class UnavailableError(AlcoreError, ImportError):
    """Something that is known but cannot be had here: the message says what to install."""


class StrategyError(AlcoreError, RuntimeError):
    """A strategy broke the contract: its answer is not a set of distinct unlabelled rows of the right number."""


class LearnerError(AlcoreError, RuntimeError):
    """A learner could not be fitted, or answered in the wrong shape."""


class EvaluationError(AlcoreError, RuntimeError):
    """A metric or a stop rule failed on what a run has recorded."""


class DamagedError(InputError):
    """A file of alcore's is not what alcore wrote: cut, overwritten, renamed, or a few bits of it flipped."""


class StorageError(AlcoreError, RuntimeError):
    """The disk or the file system refused: it is full, read-only, or the folder is gone. No run is to blame for it."""


class DamagedWarning(UserWarning):
    """Damaged files of a store were left out of what was read."""


class SkippedError(AlcoreError):
    """A run that its own protocol says must not start, such as a start set that lacks a class."""


def described(error: BaseException) -> str:
    """Return ``Type: text`` of any error, also of one whose text cannot be had; alcore's own say all in their text."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException as broken:  # noqa: BLE001 - whatever a foreign __str__ does, the error has to be told
        return f"{name}, whose text cannot be had: its __str__ raised {type(broken).__name__}"
    return text if isinstance(error, AlcoreError) else f"{name}: {text}" if text else name


def did_you_mean(name: str, known: Iterable[str], *, limit: int = 3) -> str:
    """Return ``" Did you mean 'a' or 'b'?"`` for the closest known names, or an empty string."""
    known = list(known)
    by_tail = [candidate for candidate in known if candidate.rpartition(".")[2] == name]
    close = list(dict.fromkeys(by_tail + get_close_matches(name, known, n=limit, cutoff=0.6)))[:limit]
    if not close:
        return ""
    return f" Did you mean {' or '.join(repr(candidate) for candidate in close)}?"
