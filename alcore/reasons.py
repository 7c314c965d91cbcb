"""Texts of others, such as those of errors and warnings, as a store can keep them: clean and short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from alcore.results import Result

LENGTH = 2_000
"""Characters of a reason or a warning that every row of a table can carry."""
WHOLE = 1_000_000
"""Characters that are kept in a file of their own, of a reason that is longer."""
TRACE = 20_000
"""Characters of a traceback, counted from its end, where the error is."""
WARNINGS = 100
"""Warnings of one run."""

_STRANGE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text with what no file and no terminal takes, such as NUL and lone surrogates, as escapes."""
    return _STRANGE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def short(text: str, length: int = LENGTH) -> str:
    """Return the text, or its beginning and how long it is."""
    if len(text) <= length:
        return clean(text)
    return f"{clean(text[:length])} ... ({len(text):,} characters)"


def in_words(names: Sequence[str], limit: int = 5) -> str:
    """Return names as an enumeration, the first few of many."""
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} more" if more > 0 else "")


def warned(texts: Sequence[str]) -> list[str]:
    """Return warnings, each once, short, and not more than a hundred of them."""
    found = list(dict.fromkeys(map(short, texts[: 100 * WARNINGS])))
    more = len(found) - WARNINGS
    return found[:WARNINGS] + ([f"and {more} more warnings"] if more > 0 else [])


def trimmed(result: Result) -> Result:
    """Return a result whose texts are clean, and not so long that they are a burden to whoever passes them on."""
    return replace(
        result,
        reason=short(result.reason, WHOLE),
        traceback=clean(result.traceback[-TRACE:]),
        warnings=warned(result.warnings),
    )


def settled(store: Path, run: str, result: Result) -> Result:
    """Return a result as a store keeps it: a reason that is long stays whole in a file beside the results."""
    result = trimmed(result)
    if len(result.reason) <= LENGTH:
        return result
    file = store / "_reasons" / f"{run}.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text(result.reason, encoding="utf8")
    return replace(result, reason=f"{result.reason[:LENGTH]} ... (more of it is in _reasons/{file.name} of the store)")
