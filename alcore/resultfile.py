"""One file of results: a Parquet table that knows whether it is still what was written.

Parquet's page checksums cover neither the footer, where names, types and our metadata are, nor the file as a whole.
So the footer holds a SHA-256 of the file itself, taken with 64 zeros in its place: one byte that differs is seen, and
any Parquet reader sees a common file. Files of format 1 have no such digest; they are read, and checked by
what they say.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore.errors import DamagedError, InputError, StorageError
from alcore.results import Run
from alcore.types import Status

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"alcore"
DIGEST = b"alcore-sha256"
FORMAT = 2
NAME = re.compile(r"[0-9a-f]{16}\.parquet")

_ZEROS = b"0" * 64
_MARK = DIGEST + b"\x18\x40"
"""How Parquet writes a key whose value has 64 bytes: no value can contain it, since JSON escapes such characters."""
_BEGIN = b'{"format": %d, "run": "%%s", ' % FORMAT
"""How the metadata of a run begin, which stand in the file as they are."""

_OF_THIS_FILE = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EIO, errno.EISDIR, errno.ELOOP)
"""Errors that a damaged or foreign file gives; others, such as too many open files, are no fault of the file."""

_COLUMNS = ("run", "dataset", "strategy", "learner", "seed", "t", "n_labeled", "rows", "status", "reason")


def pack(table: pa.Table, about: dict[str, Any]) -> bytes:
    """Return the bytes of a file of results, with what is known of the run besides its records."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = json.dumps({"format": FORMAT} | about, default=str)
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata({KEY: text, DIGEST: _ZEROS}), sink, compression="zstd", write_page_checksum=True
    )
    data: bytes = sink.getvalue().to_pybytes()
    at = data.rindex(_MARK) + len(_MARK)
    return data[:at] + hashlib.sha256(data).hexdigest().encode() + data[at + 64 :]


def check(file: Path) -> str:
    """Return the id of the run whose result a file holds, if it is whole; errors are those of ``about``."""
    data = _bytes(file)
    sealed = _sealed(data)
    if sealed and data.rfind(_BEGIN % file.stem.encode()) >= 0:
        return file.stem  # it is what ``pack`` made for this run, byte by byte: there is nothing to parse
    if sealed:
        _about(data, file)
    else:
        load(file)
    return file.stem


def about(file: Path) -> dict[str, Any]:
    """Return what is known of a run besides its records.

    Raises
    ------
    DamagedError
        If the file is not what was written.
    InputError
        If a newer alcore wrote it.
    """
    data = _bytes(file)
    return _about(data, file) if _sealed(data) else load(file)[0]


def load(file: Path) -> tuple[dict[str, Any], pa.Table]:
    """Return what is known of a run, and its records, with no metadata; errors are those of ``about``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = _bytes(file)
    sealed = _sealed(data)
    told = _about(data, file)
    try:
        # No threads of Arrow's: with one of them, a process sometimes aborts at its end, when all is done.
        parquet = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True, pre_buffer=False)
        table = parquet.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise DamagedError(f"it is no Parquet file: {_short(error)}") from error
    if not sealed:
        _compare(table, told, file)
    return told, table.replace_schema_metadata(None)


def _bytes(file: Path) -> bytes:
    try:
        data = file.read_bytes()
    except OSError as error:
        if error.errno in _OF_THIS_FILE:
            raise DamagedError(f"it cannot be read: {error.strerror}") from error
        raise StorageError(f"cannot read {file}: {error.strerror}.") from error
    if not data:
        raise DamagedError("it is empty")
    return data


def _sealed(data: bytes) -> bool:
    """Return whether a file holds its digest, and that digest is right; DamagedError if it is wrong."""
    at = data.rfind(_MARK)
    if at < 0:
        return False
    at += len(_MARK)
    if hashlib.sha256(data[:at] + _ZEROS + data[at + 64 :]).hexdigest().encode() != data[at : at + 64]:
        raise DamagedError("its bytes are not those that were written (the checksum differs)")
    return True


def _about(data: bytes, file: Path) -> dict[str, Any]:
    """Return the metadata of a file, whose shape is right and whose run is that of the file's name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(pa.BufferReader(data)).metadata or {}
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise DamagedError(f"it is no Parquet file: {_short(error)}") from error
    if KEY not in metadata:
        raise DamagedError("it is a Parquet file, but no result of alcore's")
    try:
        told = json.loads(metadata[KEY])
        form = told.get("format", 1)
        if form not in (1, FORMAT):
            if isinstance(form, int) and form > FORMAT:
                raise InputError(
                    f"{file} has store format {form}, of a newer alcore; this one reads up to {FORMAT}. Upgrade alcore."
                )
            raise DamagedError(f"its format is {form!r}")
        if form > 1 and (DIGEST not in metadata or _MARK not in data):  # any change of the mark hides the digest
            raise DamagedError("its checksum is gone")
        _shaped(told)
        names = Run(told["config"]).names
        json.dumps([names, int(names["seed"])])
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError(f"its metadata are not those of a run: {_short(error)}") from error
    if told.get("run", file.stem) != file.stem:
        raise DamagedError(f"it holds run {told['run']}, which is not its name")
    return dict(told)


def _shaped(told: dict[str, Any]) -> None:
    """Raise ValueError, TypeError or KeyError where metadata have not the shape that they are written in."""
    Status(told["status"])
    kinds: dict[str, type] = {"config": dict, "reason": str, "traceback": str, "warnings": list, "position": int}
    for key, kind in kinds.items():
        if not isinstance(told[key], kind):
            raise TypeError(f"{key} is {told[key]!r:.40}")
    if not math.isfinite(told["seconds"]):
        raise ValueError(f"seconds is {told['seconds']}")


def _compare(table: pa.Table, told: dict[str, Any], file: Path) -> None:
    """Raise DamagedError where a table without a digest contradicts its metadata or its name."""
    import pyarrow.types as kinds

    lacking = [name for name in _COLUMNS if name not in table.column_names]
    if lacking or not len(table):
        raise DamagedError(f"it has no column {lacking[0]!r}" if lacking else "it has no row")
    whole = all(kinds.is_integer(table.schema.field(name).type) for name in ("t", "n_labeled"))
    if not whole or not kinds.is_list(table.schema.field("rows").type):
        raise DamagedError("its columns are not of the types that are written")
    expected = {"run": file.stem, "status": told["status"]} | Run(told["config"]).names
    for name, value in expected.items():
        held = table.column(name).unique().to_pylist() if name in table.column_names else [None]
        if held != [value]:
            raise DamagedError(f"its column {name!r} holds {held[0]!r:.60}, where {value!r:.60} is due")


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().partition("\n")[0][:160]
