"""Writes to disk that survive a power cut, and what is said where the disk refuses."""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alcore.errors import StorageError

ADVICE = {
    errno.ENOSPC: "Free space there",
    errno.EDQUOT: "Free space there, or ask for a larger quota",
    errno.EFBIG: "Raise the limit on the size of a file (ulimit -f)",
    errno.EROFS: "Make it writable, or use another folder",
    errno.EACCES: "Make it writable for you, or use another folder",
    errno.EPERM: "Make it writable for you, or use another folder",
    errno.ENOENT: "It was removed in the meantime, or never there; make sure that it stays",
    errno.ENOTDIR: "A file is where a folder should be; move it away",
    errno.EEXIST: "A file is where a folder should be; move it away",
    errno.EISDIR: "A folder is where a file should be; move it away",
    errno.ELOOP: "A link is where a file should be; move it away",
    errno.ENAMETOOLONG: "Use a shorter name",
    errno.EMFILE: "Raise the limit on open files (ulimit -n)",
    errno.EIO: "See whether the disk is broken, or use another",
}
ELSE = "See to it, or use another folder"
AGAIN = "run the same command again: what was finished is kept."


@contextmanager
def storing(what: Path | str, then: str = AGAIN, doing: str = "write to") -> Iterator[None]:
    """Say in one sentence what the disk refused, and what to do.

    Raises
    ------
    StorageError
        If the body meets an error of the operating system.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise StorageError(f"cannot {doing} {what}: {why}. {ADVICE.get(error.errno or 0, ELSE)}, and {then}") from error


def write_whole(path: Path, data: bytes, *, hidden: str = "_") -> None:
    """Write a file whole or not at all, so that it stays after a power cut; one of that name is replaced.

    ``hidden`` begins the name of the file while it is written.

    Raises
    ------
    OSError
        If that cannot be done; the file of that name is then as before.
    """
    temporary = path.with_name(f"{hidden}{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # else a power cut after the rename could leave an empty file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename in a folder last; Windows has no such call, and its file system keeps a journal of renames."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
