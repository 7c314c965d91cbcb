"""The content of a file: unpacked within bounds, decoded as what it says it is, blamed by name where it is broken."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from alcore.errors import AlcoreError, InputError

if TYPE_CHECKING:
    from pandas import DataFrame

GZIP = b"\x1f\x8b"
LIMIT = 500
"""Megabytes that a packed file may hold unless the caller says otherwise."""

RATIO = 20
"""A file that unpacks to less than so many times its size is no trap, whatever its size."""

MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MEGABYTE = 1_000_000
_CHUNK = 1 << 20


@contextmanager
def reading(file: Path | str, what: str) -> Iterator[None]:
    """Turn whatever a library says of unreadable content into an InputError that names the file.

    Parsers meet bytes of any kind here, and raise errors of any kind: ``struct.error``, ``OverflowError``, ...
    """
    try:
        yield
    except AlcoreError:
        raise
    except Exception as error:
        said = str(error).strip() or type(error).__name__
        raise InputError(
            f"{file} cannot be read as {what}: {said[:500].rstrip('.')}. Mend or replace the file; if it "
            "holds something else, its suffix has to say so."
        ) from error


def check_size(file: Path | str, size: int, held: int, limit: float, what: str) -> None:
    """Refuse what would take more memory than the limit, before memory is asked for.

    Parameters
    ----------
    size : int, the bytes that it would take
    held : int, the bytes that it takes in the file
    limit : float, megabytes
    what : str, such as "unpacks to"

    Raises
    ------
    InputError
        If it is above the limit and more than ``RATIO`` times what the file holds.
    """
    if size > max(allowed(file, limit), RATIO * held):
        raise InputError(
            f"{file} {what} {size / _MEGABYTE:,.0f} MB or more, from {held / _MEGABYTE:,.1f} MB. If that is right and "
            f"there is the memory, raise the limit (now {limit:g} MB): limit={size // _MEGABYTE + 1}."
        )


def allowed(file: Path | str, limit: float) -> int:
    """Return the limit in bytes; InputError if it is no positive number."""
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < 1e12:
        raise InputError(f"{file}: limit is {limit!r}; give the megabytes that the file may hold, such as {LIMIT}.")
    return int(limit * _MEGABYTE)


def read_bytes(file: Path, what: str, limit: float = LIMIT) -> bytes:
    """Return a file's content, unpacked if it is packed with gzip, whatever its name.

    Raises
    ------
    InputError
        If it cannot be read, or unpacks to more than ``limit`` megabytes and ``RATIO`` times its size.
    """
    with reading(file, what):
        content = file.read_bytes()
        if not content.startswith(GZIP):
            return content
        most = max(allowed(file, limit), RATIO * len(content))
        parts, size = [], 0
        with gzip.open(file) as stream:
            while part := stream.read(_CHUNK):
                parts.append(part)
                size += len(part)
                if size > most:
                    parts.clear()
                    check_size(file, size, len(content), limit, "unpacks to")
        return b"".join(parts)


def read_text(file: Path, what: str, charset: str | None = None, limit: float = LIMIT) -> str:
    """Return a file's text, lines ended by a line feed. Without ``charset`` it is UTF-8.

    Raises
    ------
    InputError
        If it cannot be read, or is not of that charset, with the one that it seems to be of.
    """
    content = read_bytes(file, what, limit)
    marked = next((name for mark, name in MARKS.items() if content.startswith(mark)), None)
    if charset is None and marked:
        raise InputError(f"{file} begins with the mark of {marked}; say so: charset={marked!r}.")
    if b"\0" in content and not str(charset).lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise InputError(
            f"{file}, line {content[: content.index(0)].count(10) + 1}, has a NUL character, so it is no text of "
            f"{charset or 'UTF-8'}. If it is UTF-16 without a mark, say charset='utf-16-le' or 'utf-16-be'."
        )
    try:
        text = content.decode(charset or "utf-8-sig")
    except (LookupError, TypeError) as error:
        raise InputError(
            f"{file}: charset {charset!r} is none that Python knows ({error}); try 'utf-8', 'latin-1', 'cp1252' or "
            "'utf-16'."
        ) from error
    except UnicodeError as error:
        line = content[: getattr(error, "start", 0)].count(b"\n") + 1
        told = f"{file}, line {line}, cannot be read as text: it is not {charset or 'UTF-8'} ({error})."
        raise InputError(f"{told} Say what it is, as in charset='latin-1', 'cp1252' or 'utf-16'.") from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_parquet(file: Path, limit: float) -> DataFrame:
    """Return a Parquet file's table as it is written, with rows counted from 0.

    Raises
    ------
    InputError
        If it cannot be read, or takes more than ``limit`` megabytes.
    """
    import pyarrow.parquet as pq

    with reading(file, "Parquet"):
        about = pq.read_metadata(file)
        needed = 8 * about.num_rows * about.num_columns
        check_size(file, needed, file.stat().st_size, limit, "would take")
        # No threads of Arrow's, here or in any other place: with one of them, a process sometimes aborts at its end.
        table = pq.ParquetFile(file, pre_buffer=False).read(use_threads=False)
        frame: DataFrame = table.to_pandas(use_threads=False)
    return frame.reset_index(drop=True)
