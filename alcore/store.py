"""Results on disk: a folder of Parquet, one file per run, and a journal of every run that is under way.

``pandas.read_parquet(folder)`` reads all records. What is not a result has a name that begins with ``_``, which
Parquet readers leave out. A damaged file stops nobody: what is whole is read, and what is not is named.
"""

from __future__ import annotations

import os
import time
import uuid
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from alcore import journal, resultfile
from alcore.disk import storing, write_whole
from alcore.errors import DamagedError, DamagedWarning, InputError, StorageError
from alcore.protocols import Record
from alcore.results import Result, Run, canonical

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")

NO_ROUND = -1
"""``t`` of the one row that stands for a run without any round."""

ASIDE = "_damaged"
"""Folder of a store to which damaged files are moved."""


@dataclass(frozen=True)
class Damaged:
    """A file of a store that is not what was written there, and what is wrong with it."""

    file: Path
    why: str


class Store:
    """A folder of results.

    Parameters
    ----------
    path : path of the folder
    create : bool
        Make it if it is not there.

    Raises
    ------
    InputError
        If it is not there and is not to be made, or its path is that of a file, or no path at all.
    StorageError
        If it cannot be made, as on a full or read-only disk.
    """

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path)
        if create:
            try:
                with storing(self.path, doing="make a store at"):
                    self.path.mkdir(parents=True, exist_ok=True)
            except StorageError as error:
                if isinstance(error.__cause__, FileExistsError | NotADirectoryError):
                    raise InputError(f"{self.path} cannot be a store: a file is in the way.") from error
                raise
            except ValueError as error:
                raise InputError(f"{str(self.path)!r} is no path of a folder: {error}.") from error
        if not _is_folder(self.path):
            raise InputError(f"there is no store at {self.path}; `alcore run EXPERIMENT.toml --store DIR` makes one.")

    @classmethod
    def ids_at(cls, path: Path) -> set[str]:
        """Return the ids of all runs that have ended in the store of this path, none where there is none yet."""
        return cls(path).ids() if _is_folder(path) else set()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store for writing, as one process at a time may.

        Raises
        ------
        InputError
            If another process holds it.
        StorageError
            If it cannot be written.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / "_lock")
        with storing(lock.lock_file):
            try:
                lock.acquire(timeout=0)
            except Timeout:
                raise InputError(
                    f"{self.path} is being written by another alcore run; wait for it, or stop it."
                ) from None
        try:
            yield
        finally:
            lock.release()

    def file(self, run: str) -> Path:
        """Return where the result of the run with this id is, or will be."""
        return self.path / f"{run}.parquet"

    def ids(self) -> set[str]:
        """Return the ids of all runs that have ended. One whose file is damaged is not among them: it is to be redone.

        Warns
        -----
        DamagedWarning
            If there are damaged files.
        """
        whole, damaged = self._each(resultfile.check)
        self._warn(damaged)
        return set(whole)

    def damaged(self) -> list[Damaged]:
        """Return the files that are left out wherever the store is read, journals of runs under way included."""
        return self._each(resultfile.check)[1] + self._damaged_journals()

    def set_aside(self, damaged: Iterable[Damaged]) -> list[Path]:
        """Move damaged files into the folder ``_damaged`` and return where they are; nothing is deleted.

        The runs of damaged results count as not done from then on. What is whole of a journal stays, and is used.
        """
        moved = []
        with storing(self.path):
            (self.path / ASIDE).mkdir(exist_ok=True)
            for one in damaged:
                target = self.path / ASIDE / one.file.name
                if os.path.lexists(target):
                    target = target.with_name(f"{target.name}.{uuid.uuid4().hex[:8]}")
                kept = journal.read(one.file).size if one.file.suffix == ".jsonl" else 0
                data = one.file.read_bytes()[:kept] if kept else b""
                one.file.rename(target)
                moved.append(target)
                if data:
                    write_whole(one.file, data)
        return moved

    def write(self, run: Run, result: Result, metrics: Sequence[str] = ()) -> None:
        """Write the result of a run, whole or not at all, and drop its journals.

        A damaged file of the run's name is set aside; a whole one is replaced. ``metrics`` names all the round metrics
        of the experiment, other tasks' included: files with equal columns are what ``pandas.read_parquet`` reads
        without losing one.

        Raises
        ------
        StorageError
            If the disk is full, or cannot be written.
        """
        file = self.file(run.id)
        data = resultfile.pack(_table(run, result, metrics), _about(run, result))
        if os.path.lexists(file):
            try:
                resultfile.check(file)
            except DamagedError as error:
                self.set_aside([Damaged(file, str(error))])
        with storing(self.path):
            write_whole(file, data)
            for one in self._journals(run.id):
                one.unlink(missing_ok=True)

    def about(self, run: str) -> dict[str, Any]:
        """Return what is known of a run besides its records: config, status, reason, warnings, traceback, seconds.

        Raises
        ------
        DamagedError
            If its file is damaged, or not there.
        """
        try:
            return resultfile.about(self.file(run))
        except DamagedError as error:
            raise DamagedError(
                f"{self.file(run)} is damaged: {error}. `alcore repair {self.path}` sets it aside, and `alcore run` "
                "does the run again."
            ) from error

    def records(self, ids: Collection[str] | None = None) -> pd.DataFrame:
        """Return the records of all runs, or of those with these ids, one row per round, in the experiment's order.

        These are all there are, whatever protocol and revisions they were made with; ``alcore.selected(store)`` leaves
        out what must not be averaged. Runs without any round have one row with ``t`` = -1.

        Raises
        ------
        InputError
            If there is none.

        Warns
        -----
        DamagedWarning
            If damaged files are left out.
        """
        import pyarrow as pa

        tables = [table for _, table in self._read(ids)]
        together = pa.concat_tables(tables, promote_options="default")
        records: pd.DataFrame = together.to_pandas(use_threads=False)  # see resultfile.load
        return records

    def runs(self) -> pd.DataFrame:
        """Return one row per run: names, status, reason, seconds, rounds, n_labeled at the end, number of warnings.

        These are all there are, and it raises and warns as ``records`` does.
        """
        import pandas as pd

        rows = []
        for about, table in self._read():
            rounds = table.column("t").to_numpy()
            rows.append(
                {"run": table.column("run")[0].as_py()}
                | Run(about["config"]).names
                | {key: about[key] for key in ("status", "reason", "seconds")}
                | {"rounds": int(rounds.max()) if rounds[0] != NO_ROUND else 0}
                | {"n_labeled": int(table.column("n_labeled").to_numpy().max())}
                | {"warnings": len(about["warnings"])}
            )
        return pd.DataFrame(rows)

    def _read(self, ids: Collection[str] | None = None) -> list[tuple[dict[str, Any], pa.Table]]:
        """Return what is known of runs, and their records, in the experiment's order."""
        return self.loaded(ids)[0]

    def _each(self, read: Callable[[Path], T], ids: Collection[str] | None = None) -> tuple[list[T], list[Damaged]]:
        """Return what ``read`` gives for each file of results, in the order of their names, and the damaged ones."""
        try:
            names = sorted(entry.name for entry in os.scandir(self.path))
        except OSError as error:
            raise InputError(f"the store {self.path} cannot be read: {error.strerror}.") from error
        files = [self.path / name for name in names if name.endswith(".parquet") and name[0] not in "._"]
        if ids is not None:
            files = [file for file in files if file.stem in ids]

        def each(file: Path) -> T | Damaged | None:
            if not resultfile.NAME.fullmatch(file.name):
                return Damaged(file, "it is no result of alcore's, whose names are 16 digits and letters a to f")
            try:
                return read(file)
            except DamagedError as error:
                # One that went while we looked, as when another process prunes, is not there; a dangling link is.
                return Damaged(file, str(error)) if os.path.lexists(file) else None

        with ThreadPoolExecutor() as threads:
            found = list(threads.map(each, files))
        damaged = [one for one in found if isinstance(one, Damaged)]
        return [one for one in found if one is not None and not isinstance(one, Damaged)], damaged

    def _warn(self, damaged: Sequence[Damaged]) -> None:
        if damaged:
            warnings.warn(_told(self.path, damaged), DamagedWarning, stacklevel=3)

    def _damaged_journals(self) -> list[Damaged]:
        folder = self.path / "_journal"
        if not os.path.lexists(folder):
            return []
        try:
            files = sorted(file for file in folder.iterdir() if file.suffix == ".jsonl")
        except OSError as error:
            return [Damaged(folder, f"it cannot be read: {error.strerror}")]
        return [Damaged(file, found.why) for file in files if (found := journal.read(file)).why]

    def loaded(self, ids: Collection[str] | None = None) -> tuple[list[tuple[dict[str, Any], pa.Table]], list[Damaged]]:
        """Return all runs, or those with these ids, each as ``about`` and its records; and the files that are damaged.

        In the experiment's order. Every file is read once. Raises and warns as ``records`` does.
        """
        whole, damaged = self._each(resultfile.load, ids)
        if not whole:
            if damaged:
                raise DamagedError(_told(self.path, damaged))
            raise InputError(f"the store {self.path} holds no finished run yet.")
        self._warn(damaged)
        return sorted(whole, key=lambda one: int(one[0]["position"])), damaged

    def remove(self, run: str) -> None:
        """Delete the result of a run and its journals."""
        for file in (self.file(run), *self._journals(run)):
            file.unlink(missing_ok=True)

    def _journals(self, run: str) -> list[Path]:
        return sorted((self.path / "_journal").glob(f"{run}.*.jsonl"))

    def journal(self, run: Run) -> journal.Journal:
        """Return a new journal for a run; earlier ones stay until the run has ended."""
        return journal.Journal(self.path / "_journal" / f"{run.id}.{uuid.uuid4().hex}.jsonl")

    def progress(self, run: Run) -> list[Record]:
        """Return the rounds that an interrupted run has left in its longest journal, up to what is damaged."""
        read = [journal.read(file) for file in self._journals(run.id)]
        own = [list(one.records) for one in read if one.config == canonical(run.config)]
        return max(own, key=len, default=[])

    def save_note(self, name: str, text: str) -> None:
        """Keep a text beside the results, such as the experiment file; StorageError if that cannot be done."""
        with storing(self.path):
            write_whole(self.path / f"_{name}", text.encode("utf8"))

    def note(self, name: str) -> str | None:
        """Return a text that was kept beside the results, or None if there is none of that name."""
        file = self.path / f"_{name}"
        return file.read_text(encoding="utf8") if file.is_file() else None


def _is_folder(path: Path) -> bool:
    """Return whether there is a folder of this path, whatever the path; Python raises for one that is too long."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _told(store: Path, damaged: Sequence[Damaged]) -> str:
    """Return what is said where damaged files are left out."""
    first, n = damaged[0], len(damaged)
    more = f"; and {n - 1} more, see `alcore status {store}`" if n > 1 else ""
    return (
        f"{n} damaged file{'s are' if n > 1 else ' is'} left out of {store}: {first.file.name}: {first.why}{more}. "
        f"`alcore repair {store}` sets such files aside, and `alcore run` does their runs again."
    )


def _table(run: Run, result: Result, metrics: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    records: Sequence[Record] = result.records or [Record(NO_ROUND, _NONE, _NONE, 0)]
    n = len(records)
    columns: dict[str, Any] = {"run": pa.array([run.id] * n, pa.string())}
    for name, value in run.names.items():
        columns[name] = pa.array([value] * n, pa.int64() if name == "seed" else pa.string())
    columns["t"] = pa.array([record.t for record in records], pa.int32())
    columns["n_labeled"] = pa.array([record.n_labeled for record in records], pa.int64())
    columns["rows"] = pa.array([record.rows for record in records], pa.list_(pa.int64()))
    for metric in dict.fromkeys([*metrics, *_metric_names(run.config, records)]):
        columns[metric] = pa.array([record.metrics.get(metric, float("nan")) for record in records], pa.float64())
    for clock in ("fit_time", "query_time", "update_time", "score_time"):
        columns[clock] = pa.array([getattr(record, clock) for record in records], pa.float64())
    columns["status"] = pa.array([result.status.value] * n, pa.string())
    columns["reason"] = pa.array([result.reason] * n, pa.string())
    return pa.table(columns)


def _about(run: Run, result: Result) -> dict[str, Any]:
    return {
        "run": run.id,
        "config": run.config,
        "position": run.position,
        "status": result.status.value,
        "reason": result.reason,
        "warnings": list(result.warnings),
        "traceback": result.traceback,
        "seconds": result.seconds,
        "written": time.time(),
    }


def _metric_names(config: Mapping[str, Any], records: Iterable[Record]) -> list[str]:
    """Return the metrics' names in the experiment's order, the same for runs that recorded none."""
    names = dict.fromkeys(metric["label"] for metric in config.get("metrics", ()))
    for record in records:
        names |= dict.fromkeys(record.metrics)
    return list(names)


_NONE = np.empty(0, dtype=np.intp)
