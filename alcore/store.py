"""Results on disk: a folder of Parquet, one file per run, and a journal of every run that is under way.

``pandas.read_parquet(folder)`` reads all records. What is not a result has a name that begins with ``_``, which
Parquet readers leave out.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

import numpy as np

from alcore.errors import InputError
from alcore.protocols import Record
from alcore.results import Result, Run, canonical, record_from_json, record_to_json
from alcore.types import Task

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

KEY = b"alcore"
NO_ROUND = -1
"""``t`` of the one row that stands for a run without any round."""


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
        If it is not there and is not to be made, or is a file.
    """

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path)
        if create:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise InputError(f"{self.path} cannot be a store: a file is in the way.") from error
        if not self.path.is_dir():
            raise InputError(f"there is no store at {self.path}; `alcore run EXPERIMENT.toml --store DIR` makes one.")

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store for writing, as one process at a time may.

        Raises
        ------
        InputError
            If another process holds it.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / "_lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise InputError(f"{self.path} is being written by another alcore run; wait for it, or stop it.") from None
        try:
            yield
        finally:
            lock.release()

    def file(self, run: str) -> Path:
        """Return where the result of the run with this id is, or will be."""
        return self.path / f"{run}.parquet"

    def ids(self) -> set[str]:
        """Return the ids of all runs that have ended."""
        return {file.stem for file in self.path.glob("[0-9a-f]*.parquet")}

    def write(self, run: Run, result: Result, metrics: Sequence[str] = ()) -> None:
        """Write the result of a run, whole or not at all, and drop its journals.

        ``metrics`` names all the round metrics of the experiment, other tasks' included: files with equal columns are
        what ``pandas.read_parquet`` reads without losing one.
        """
        import pyarrow.parquet as pq

        temporary = self.path / f"_{run.id}.{uuid.uuid4().hex}.tmp"
        pq.write_table(_table(run, result, metrics), temporary, compression="zstd")
        temporary.replace(self.file(run.id))
        for journal in self._journals(run.id):
            journal.unlink(missing_ok=True)

    def about(self, run: str) -> dict[str, Any]:
        """Return what is known of a run besides its records: config, status, reason, warnings, traceback, seconds."""
        import pyarrow.parquet as pq

        about: dict[str, Any] = json.loads(pq.read_schema(self.file(run)).metadata[KEY])
        return about

    def records(self, ids: Collection[str] | None = None) -> pd.DataFrame:
        """Return the records of all runs, or of those with these ids, one row per round, in the experiment's order.

        These are all there are, whatever protocol and revisions they were made with; ``alcore.selected(store)`` leaves
        out what must not be averaged. Runs without any round have one row with ``t`` = -1.

        Raises
        ------
        InputError
            If there is none.
        """
        import pyarrow as pa

        records: pd.DataFrame = pa.concat_tables(self._tables(ids), promote_options="default").to_pandas()
        return records

    def runs(self) -> pd.DataFrame:
        """Return one row per run: names, status, reason, seconds, rounds, n_labeled at the end, number of warnings.

        These are all there are; see ``records``.
        """
        import pandas as pd

        rows = []
        for table in self._tables():
            about = json.loads(table.schema.metadata[KEY])
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

    def _tables(self, ids: Collection[str] | None = None) -> list[pa.Table]:
        import pyarrow.parquet as pq

        files = [self.file(run) for run in sorted(self.ids() if ids is None else self.ids().intersection(ids))]
        if not files:
            raise InputError(f"the store {self.path} holds no finished run yet.")
        with ThreadPoolExecutor() as threads:
            tables = list(threads.map(lambda file: pq.read_table(file, partitioning=None), files))
        return sorted(tables, key=lambda table: int(json.loads(table.schema.metadata[KEY])["position"]))

    def loaded(self) -> list[tuple[dict[str, Any], pa.Table]]:
        """Return all runs, each with what ``about`` returns and its records; every file is read once."""
        return [(json.loads(table.schema.metadata[KEY]), table) for table in self._tables()]

    def remove(self, run: str) -> None:
        """Delete the result of a run and its journals."""
        for file in (self.file(run), *self._journals(run)):
            file.unlink(missing_ok=True)

    def _journals(self, run: str) -> list[Path]:
        return sorted((self.path / "_journal").glob(f"{run}.*.jsonl"))

    def journal(self, run: Run) -> Journal:
        """Return a new journal for a run; earlier ones stay until the run has ended."""
        return Journal(self.path / "_journal" / f"{run.id}.{uuid.uuid4().hex}.jsonl")

    def progress(self, run: Run) -> list[Record]:
        """Return the rounds that an interrupted run has left in its longest journal."""
        found = [read_journal(file, run) for file in self._journals(run.id)]
        return max(found, key=len, default=[])

    def save_note(self, name: str, text: str) -> None:
        """Keep a text beside the results, such as the experiment file."""
        temporary = self.path / f"_{uuid.uuid4().hex}.tmp"
        temporary.write_text(text, encoding="utf8")
        temporary.replace(self.path / f"_{name}")

    def note(self, name: str) -> str | None:
        """Return a text that was kept beside the results, or None if there is none of that name."""
        file = self.path / f"_{name}"
        return file.read_text(encoding="utf8") if file.is_file() else None


class Journal:
    """The rounds of a run under way, one JSON line each; a line that was cut short is not read back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(exist_ok=True)
        self._file = self.path.open("w", encoding="utf8")
        return self

    def __exit__(self, *error: object) -> None:
        assert self._file is not None  # noqa: S101 - entered before
        self._file.close()

    def begin(self, run: Run) -> None:
        """Say whose journal it is."""
        self._line(canonical(run.config))

    def add(self, record: Record) -> None:
        """Write one round; it survives the process from here on."""
        self._line(json.dumps(record_to_json(record)))

    def _line(self, text: str) -> None:
        assert self._file is not None  # noqa: S101 - entered before
        self._file.write(text + "\n")
        self._file.flush()


def read_journal(path: Path, run: Run) -> list[Record]:
    """Return the rounds in a journal, up to the first that is not whole; none if it is another run's."""
    lines = path.read_text(encoding="utf8").split("\n")
    whole = lines[:-1]  # what follows the last line end was cut short
    if not whole or whole[0] != canonical(run.config):
        return []
    task = Task(run.config["dataset"]["task"])
    return [record_from_json(json.loads(line), task) for line in whole[1:]]


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
    about = {
        "config": run.config,
        "position": run.position,
        "status": result.status.value,
        "reason": result.reason,
        "warnings": list(result.warnings),
        "traceback": result.traceback,
        "seconds": result.seconds,
        "written": time.time(),
    }
    return pa.table(columns).replace_schema_metadata({KEY: json.dumps(about, default=str)})


def _metric_names(config: Mapping[str, Any], records: Iterable[Record]) -> list[str]:
    """Return the metrics' names in the experiment's order, the same for runs that recorded none."""
    names = dict.fromkeys(metric["label"] for metric in config.get("metrics", ()))
    for record in records:
        names |= dict.fromkeys(record.metrics)
    return list(names)


_NONE = np.empty(0, dtype=np.intp)
