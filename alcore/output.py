"""Standard output belongs to the command: what anybody else prints goes to standard error, and the printer is named."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

_PASSED_BY = sys.stdlib_module_names | {"click", "rich"}
"""Through whose functions others print."""
_NAMED: set[str] = set()


class Told(io.TextIOBase):
    """A stream in place of standard output.

    Parameters
    ----------
    tell : called with the name of each printer, once
    own : top-level packages that may print
    out : where these print; none may without it
    """

    def __init__(self, tell: Callable[[str], None], own: Collection[str] = (), out: Any = None) -> None:
        self.name_once, self.own, self.out = tell, set(own), out
        self.named: set[str] = set()

    def write(self, text: str) -> int:
        """Pass the text on to where it belongs."""
        package, name = _printer(sys._getframe(1))
        if self.out is not None and package in self.own:
            return int(self.out.write(text))
        if name not in self.named:
            self.named.add(name)
            self.name_once(name)
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush both streams."""
        if self.out is not None:
            self.out.flush()
        sys.stderr.flush()

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Tell whether a terminal shows it."""
        return self.out is not None and bool(self.out.isatty())

    def fileno(self) -> int:
        """Return the descriptor of standard error: who writes there himself is not to meet what the command prints."""
        return sys.stderr.fileno()

    @property
    def buffer(self) -> Any:
        """The bytes of standard error, likewise."""
        return sys.stderr.buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of where the command prints."""
        return str(getattr(self.out or sys.stderr, "encoding", None) or "utf8")


def _printer(frame: FrameType | None) -> tuple[str, str]:
    """Return the package and the name of who printed: the innermost frame that is not of the standard library."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package not in _PASSED_BY and module != __name__:
            own_file = package.startswith("alcore_file_") or package in ("__main__", "")
            return package, Path(frame.f_code.co_filename).name if own_file else module
        frame = frame.f_back
    return "", "a thread"


def warn_of(name: str) -> None:
    """Say on standard error who printed, once."""
    if name in _NAMED:
        return
    _NAMED.add(name)
    sys.stderr.write(f"Warning: {name} prints to standard output; it is shown here, on standard error.\n")


def descriptor_to_stderr() -> int | None:
    """Let descriptor 1, which native code prints to, lead to standard error; return a copy of what it was, if any."""
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # closed: nobody reads it
        return None
    return kept


@contextmanager
def guarded(tell: Callable[[str], None] = warn_of) -> Iterator[Told]:
    """Keep standard output for alcore and the packages that are added to ``own`` of what is yielded."""
    before = sys.stdout
    before.flush()
    kept = descriptor_to_stderr()
    private = None
    if kept is not None and _is_descriptor_1(before):
        private = os.fdopen(
            kept, "w", encoding=before.encoding, errors=before.errors, newline="" if os.name == "nt" else None
        )
    told = Told(tell, {"alcore"}, private or before)
    sys.stdout = told
    try:
        yield told
    finally:
        sys.stdout = before
        (private or before).flush()
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept) if private is None else private.close()


def _is_descriptor_1(stream: Any) -> bool:
    try:
        return bool(stream.fileno() == 1)
    except (OSError, AttributeError, ValueError):
        return False
