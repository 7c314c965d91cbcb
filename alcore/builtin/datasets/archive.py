"""NumPy's .npy and .npz: sizes are seen in the headers before memory is asked for, and nothing is ever unpickled."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from alcore.builtin.datasets.content import LIMIT, check_size, reading
from alcore.errors import InputError

WHAT = "a NumPy archive without pickled objects"


def names_of(file: Path) -> list[str]:
    """Return the names of the arrays in an .npz file.

    Raises
    ------
    InputError
        If it is none.
    """
    with reading(file, WHAT), file.open("rb") as stream:
        if stream.read(6) == np.lib.format.MAGIC_PREFIX:
            raise InputError(f"{file} is a single array; save both with np.savez(path, X=X, y=y).")
        with zipfile.ZipFile(stream) as archive:
            return [name.removesuffix(".npy") for name in archive.namelist()]


def read(file: Path, names: Sequence[str], limit: float = LIMIT) -> list[NDArray[Any]]:
    """Return these arrays of an .npz file.

    Raises
    ------
    InputError
        If it is damaged, an array holds objects, or its header says more than is there or than ``limit`` allows.
    """
    with reading(file, WHAT), zipfile.ZipFile(file) as archive:
        found = []
        for name in names:
            member = f"{name}.npy" if f"{name}.npy" in archive.namelist() else name
            info = archive.getinfo(member)
            with archive.open(member) as stream:
                check_header(stream, f"{file}, array {name!r},", info.file_size, info.compress_size, limit)
            with archive.open(member) as stream:
                found.append(np.lib.format.read_array(stream, allow_pickle=False))
        return found


def read_single(file: Path, limit: float = LIMIT, *, mapped: bool = False) -> NDArray[Any]:
    """Return the array of an .npy file; ``mapped``: read as it is used. Raises as ``read``."""
    with reading(file, "one NumPy array"):
        size = file.stat().st_size
        with file.open("rb") as stream:
            check_header(stream, str(file), size, size, limit)
        return np.asarray(np.load(file, mmap_mode="r" if mapped else None, allow_pickle=False))


def check_header(stream: IO[bytes], where: str, size: int, held: int, limit: float) -> None:
    """Raise InputError if an array's header says objects, more bytes than there are, or more than the limit."""
    version = np.lib.format.read_magic(stream)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read_header(stream)
    if dtype.hasobject:
        raise InputError(
            f"{where} holds Python objects, which are pickled and never loaded. Save numbers or text: "
            "np.asarray(y, dtype=str)."
        )
    needed = math.prod(shape) * dtype.itemsize
    if any(length < 0 for length in shape) or needed > size:
        raise InputError(f"{where} says that it has shape {shape}, {needed} bytes, and holds {size}. Save it again.")
    check_size(where, needed, held, limit, "would take")
