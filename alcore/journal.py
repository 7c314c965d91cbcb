"""The journal of a run under way: a line for whose it is, and one for each of its rounds.

A line ends with a checksum of itself and of all lines before it, so that one that was changed, lost, doubled or moved
ends what is read. A line that was cut short, as by a kill, is no damage.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO

from alcore.disk import storing
from alcore.protocols import Record
from alcore.results import Run, canonical, record_from_json, record_to_json
from alcore.types import Task

_SEPARATOR = "\t"


class Journal:
    """Writes the rounds of a run; StorageError where the disk refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: TextIO | None = None
        self._sum = 0

    def __enter__(self) -> Self:
        with storing(self.path.parent):
            self.path.parent.mkdir(exist_ok=True)
            self._file = self.path.open("w", encoding="utf8", newline="\n")
        return self

    def __exit__(self, *error: object) -> None:
        assert self._file is not None  # noqa: S101 - entered before
        with storing(self.path):
            self._file.close()

    def begin(self, run: Run) -> None:
        """Say whose journal it is."""
        self._line(canonical(run.config))

    def add(self, record: Record) -> None:
        """Write one round; it survives the process from here on."""
        self._line(json.dumps(record_to_json(record)))

    def _line(self, text: str) -> None:
        assert self._file is not None  # noqa: S101 - entered before
        self._sum = zlib.crc32(text.encode(), self._sum)
        with storing(self.path):
            self._file.write(f"{text}{_SEPARATOR}{self._sum:08x}\n")
            self._file.flush()


@dataclass(frozen=True)
class Read:
    """What a journal holds.

    Parameters
    ----------
    config : its first line, the configuration of its run; empty if that cannot be read
    records : its rounds up to the first that is not whole
    size : bytes of what is whole
    why : what is wrong with the rest; empty if nothing is
    """

    config: str = ""
    records: Sequence[Record] = ()
    size: int = 0
    why: str = ""


def read(path: Path) -> Read:
    """Return what a journal holds; no error is raised for one that is damaged, and none if it is gone."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        return Read(why=f"it cannot be read: {error.strerror}" if path.is_symlink() else "")
    except OSError as error:
        return Read(why=f"it cannot be read: {error.strerror}")
    config, records, size, total, seen = "", list[Record](), 0, 0, set[int]()
    sealed = _SEPARATOR.encode() in data.partition(b"\n")[0]  # those of earlier versions have no checksums
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):  # what follows the last line end was cut short
        try:
            text, total = _unsealed(line, total) if sealed else (line.decode("utf8"), 0)
            if number == 1:
                task = Task(json.loads(text)["dataset"]["task"])
                config = text
            else:
                records.append(_record(json.loads(text), task, len(records), seen))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            return Read(config, records, size, f"line {number} is damaged ({type(error).__name__}: {error})"[:160])
        size += len(line) + 1
    return Read(config, records, size)


def _unsealed(line: bytes, total: int) -> tuple[str, int]:
    text, separator, given = line.decode("utf8").rpartition(_SEPARATOR)
    total = zlib.crc32(text.encode(), total)
    if not separator or given != f"{total:08x}":
        raise ValueError("its checksum differs")
    return text, total


def _record(value: Any, task: Task, t: int, seen: set[int]) -> Record:
    """Return the record of round ``t``, and add its rows to those seen; ValueError where it contradicts them."""
    record = record_from_json(value, task)
    rows = record.rows.tolist()
    if record.t != t:
        raise ValueError(f"round {record.t} where round {t} is due")
    if len(record.labels) != len(rows) or len({*rows} - seen) != len(rows) or min(rows, default=0) < 0:
        raise ValueError(f"round {t} labels no distinct new rows")
    seen.update(rows)
    if record.n_labeled != len(seen) or not all(isinstance(score, float | int) for score in record.metrics.values()):
        raise ValueError(f"round {t} contradicts those before")
    return record
