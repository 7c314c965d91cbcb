"""Stores damaged in every way: what is whole is read, what is not is named, and `alcore run` does it again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from alcore import resultfile
from alcore.cli import main
from alcore.errors import DamagedError, DamagedWarning, InputError
from alcore.report import curves
from alcore.runner import Work
from alcore.store import Store

TOML = """
name = "small"
datasets = ["synthetic.two-moons"]
strategies = ["random", "entropy"]
learners = ["gaussian-nb"]
seeds = 2
budget = 3
start = { size = 4 }
metrics = { round = ["accuracy"] }
"""
CLOCKS = ["fit_time", "query_time", "update_time", "score_time"]


class Inline:
    """An executor that runs what it is given at once."""

    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are done here: what is tested is what is read and redone, not where."""
    monkeypatch.setattr(Work, "on_processes", lambda self, runs, jobs: self.on_executor(runs, Inline()))
    monkeypatch.setattr(curves, "draw_curves", lambda *args: None)  # a second for each picture


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of four runs, as it was before the damage."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.toml").write_text(TOML)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Work, "on_processes", lambda self, runs, jobs: self.on_executor(runs, Inline()))
        patched.setattr(curves, "draw_curves", lambda *args: None)
        assert call("run", folder / "small.toml", "--store", folder / "store").exit_code == 0
    return folder / "store"


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Store:
    shutil.copytree(whole, tmp_path / "store")
    shutil.copy(whole.parent / "small.toml", tmp_path / "small.toml")
    return Store(tmp_path / "store")


def call(*words: object) -> Result:
    """What a command prints; one that ends with anything but an exit code or a message is a failure."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def comparable(records: pd.DataFrame) -> pd.DataFrame:
    records = records.drop(columns=CLOCKS).sort_values(["run", "t"]).reset_index(drop=True)
    return records.assign(rows=[rows.tolist() for rows in records["rows"]])


def rewritten(file: Path, change: Callable[[dict[str, Any], pa.Table], tuple[Any, pa.Table]]) -> None:
    """Write a file anew as one of format 1, which has no digest, with other metadata or another table."""
    about, table = resultfile.load(file)
    about, table = change({key: value for key, value in about.items() if key not in ("format", "run")}, table)
    text = about if isinstance(about, bytes) else json.dumps(about)
    pq.write_table(table.replace_schema_metadata({resultfile.KEY: text}), file)


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 0x10
    file.write_bytes(bytes(data))


def replace(file: Path, how: Callable[[Path], Any]) -> None:
    file.unlink()
    how(file)


def column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, [values])


Harm = Callable[[Path, Path], Any]
"""Damages the first file of results; the second is that of another run."""

HARMS: dict[str, Harm] = {
    "empty": lambda file, other: file.write_bytes(b""),
    "one byte": lambda file, other: file.write_bytes(b"P"),
    "cut in half": lambda file, other: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "last byte lost": lambda file, other: file.write_bytes(file.read_bytes()[:-1]),
    "first byte lost": lambda file, other: file.write_bytes(file.read_bytes()[1:]),
    "bytes behind": lambda file, other: file.write_bytes(file.read_bytes() + b"more"),
    "garbage": lambda file, other: file.write_bytes(np.random.default_rng(0).bytes(3000)),
    "garbage between magic words": lambda file, other: file.write_bytes(
        b"PAR1" + np.random.default_rng(1).bytes(300) + b"\x2c\x01\x00\x00PAR1"
    ),
    "a footer of 4 GB": lambda file, other: file.write_bytes(b"PAR1" + b"\0" * 90 + b"\xff\xff\xff\xffPAR1"),
    "zeros": lambda file, other: file.write_bytes(b"\0" * file.stat().st_size),
    "text": lambda file, other: file.write_text("a,b\n1,2\n"),
    "a bit of a page": lambda file, other: flip(file, 60),
    "a bit of the metadata": lambda file, other: flip(file, file.read_bytes().rindex(b"budget_reached")),
    "a bit of a column's name": lambda file, other: flip(file, file.read_bytes().rindex(b"accuracy") + 1),
    "a bit of the digest": lambda file, other: flip(file, file.read_bytes().rindex(resultfile.DIGEST) + 20),
    "a bit of the digest's name": lambda file, other: flip(file, file.read_bytes().rindex(resultfile.DIGEST)),
    "a block of zeros": lambda file, other: file.write_bytes(
        file.read_bytes()[:512] + b"\0" * 512 + file.read_bytes()[1024:]
    ),
    "another run's file": lambda file, other: shutil.copy(other, file),
    "two files": lambda file, other: file.write_bytes(file.read_bytes() + other.read_bytes()),
    "a folder": lambda file, other: replace(file, Path.mkdir),
    "a dangling link": lambda file, other: replace(file, lambda path: path.symlink_to("nowhere")),
    "a link to itself": lambda file, other: replace(file, lambda path: path.symlink_to(path.name)),
    "a foreign table": lambda file, other: pd.DataFrame({"a": [1]}).to_parquet(file),
    "no metadata": lambda file, other: pq.write_table(resultfile.load(file)[1], file),
    "metadata that are no JSON": lambda file, other: rewritten(file, lambda about, table: (b"{", table)),
    "metadata that are no text": lambda file, other: rewritten(file, lambda about, table: (b"\xff\0", table)),
    "metadata that are a list": lambda file, other: rewritten(file, lambda about, table: (b"[1]", table)),
    "metadata nested deeply": lambda file, other: rewritten(file, lambda about, table: (b"[" * 100_000, table)),
    "an unknown status": lambda file, other: rewritten(file, lambda about, table: (about | {"status": "fine"}, table)),
    "a config that is a text": lambda file, other: rewritten(
        file, lambda about, table: (about | {"config": "x"}, table)
    ),
    "a config without names": lambda file, other: rewritten(file, lambda about, table: (about | {"config": {}}, table)),
    "no seconds": lambda file, other: rewritten(file, lambda about, table: (about | {"seconds": None}, table)),
    "an impossible format": lambda file, other: rewritten(file, lambda about, table: (about | {"format": "x"}, table)),
    "another run's metadata": lambda file, other: rewritten(
        file, lambda about, table: (resultfile.load(other)[0] | {"format": 1, "run": file.stem}, table)
    ),
    "another run's records": lambda file, other: rewritten(
        file, lambda about, table: (about, resultfile.load(other)[1])
    ),
    "no rows": lambda file, other: rewritten(file, lambda about, table: (about, table.slice(0, 0))),
    "a column lost": lambda file, other: rewritten(
        file, lambda about, table: (about, table.drop_columns(["n_labeled"]))
    ),
    "rounds that are text": lambda file, other: rewritten(
        file, lambda about, table: (about, column(table, "t", ["x"] * len(table)))
    ),
}
if Path("/proc/self/mem").exists():
    HARMS["a file that the disk cannot read"] = lambda file, other: replace(
        file, lambda path: path.symlink_to("/proc/self/mem")
    )


def files(store: Store) -> list[Path]:
    """The files of the runs: entropy and random with seeds 0 and 1."""
    runs = store.runs().sort_values(["strategy", "seed"])["run"]
    return [store.file(run) for run in runs]


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_result(harm: str, store: Store) -> None:
    before = comparable(store.records())
    file, other, *_ = files(store)
    HARMS[harm](file, other)
    rest = before[before["run"] != file.stem].reset_index(drop=True)

    assert [one.file for one in store.damaged()] == [file]
    with pytest.warns(DamagedWarning, match=rf"1 damaged file is left out of .*{file.name}: .*alcore repair"):
        pd.testing.assert_frame_equal(comparable(store.records()), rest)
    with pytest.warns(DamagedWarning, match="left out"):
        assert set(store.runs()["run"]) == store.ids() == {*rest["run"]}
    with pytest.raises(DamagedError, match=rf"{file.name} is damaged: .*alcore repair"):
        store.about(file.stem)

    status = call("status", store.path)
    assert status.exit_code == 0
    assert "3 runs, 3 completed" in status.stdout
    assert f"1 damaged file is left out; to set aside: alcore repair {store.path} --yes" in status.stdout
    assert file.name in status.stdout
    listed = json.loads(call("status", store.path, "--json").stdout)
    assert [one["file"] for one in listed["damaged"]] == [str(file)]
    assert len(listed["runs"]) == 3

    rescored = call("rescore", store.path, "--learners", "lda", "--dry-run")
    table = call("table", store.path, "--metric", "accuracy", "--json")
    # A page takes longest: of one damage, or of all in CI.
    report = [call("report", store.path)] if harm == "empty" or "ALCORE_FUZZ" in os.environ else []
    for result in (*report, rescored, table):
        assert result.exit_code == 0, result.output
        assert result.stderr.count("Note: 1 damaged file is left out") == 1
        assert file.name in result.stderr
    assert rescored.stdout.startswith("3 runs would be scored")
    cells = {cell["strategy"]: cell for cell in json.loads(table.stdout)["cells"]}
    last = rest[rest["t"] == 3].groupby("strategy")["accuracy"]
    assert {name: cell["mean"] for name, cell in cells.items()} == pytest.approx(last.mean().to_dict(), abs=0)

    again = call("run", store.path.parent / "small.toml", "--store", store.path, "--quiet")
    assert again.exit_code == 0
    assert "1 runs computed, 3 were there before." in again.stdout
    assert again.stderr.count("Note: 1 damaged file is left out") == 1
    pd.testing.assert_frame_equal(comparable(store.records()), before)
    assert [path.name for path in (store.path / "_damaged").iterdir()] == [file.name]
    assert store.damaged() == []


FOREIGN: dict[str, Callable[[Path, bytes], Any]] = {
    "data.parquet": lambda path, result: pd.DataFrame({"a": [1]}).to_parquet(path),
    "deadbeef.parquet": lambda path, result: path.write_bytes(result),
    "0123456789abcdef.parquet": lambda path, result: path.write_bytes(result),
    "0123456789ABCDEF.parquet": lambda path, result: path.write_bytes(result),
    "a result - Copy.parquet": lambda path, result: path.write_bytes(result),
    "folder.parquet": lambda path, result: path.mkdir(),
    "part-0.parquet": lambda path, result: path.write_bytes(b""),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file(name: str, store: Store) -> None:
    before = comparable(store.records())
    FOREIGN[name](store.path / name, files(store)[0].read_bytes())
    assert [one.file.name for one in store.damaged()] == [name]
    with pytest.warns(DamagedWarning, match="1 damaged file"):
        pd.testing.assert_frame_equal(comparable(store.records()), before)
    table = call("table", store.path)
    assert name in table.stderr
    assert table.stdout == call("table", store.path).stdout
    assert call("repair", store.path, "--yes").exit_code == 0
    assert (store.path / "_damaged" / name).exists()
    assert len(pd.read_parquet(store.path)) == len(before)


def test_repair_lists_first_and_deletes_nothing(store: Store) -> None:
    first, second, *_ = files(store)
    first.write_bytes(b"bad")
    second.write_bytes(b"worse")
    listed = call("repair", store.path)
    assert listed.exit_code == 0
    assert first.name in listed.stdout
    assert f"Nothing was done. To move these into {store.path / '_damaged'}" in listed.stdout
    assert first.read_bytes() == b"bad"
    done = json.loads(call("repair", store.path, "--yes", "--json").stdout)
    assert {one["file"] for one in done["damaged"]} == {str(first), str(second)}
    assert {Path(path).read_bytes() for path in done["set_aside"]} == {b"bad", b"worse"}
    assert call("repair", store.path).stdout == f"{store.path}: nothing is damaged.\n"
    assert len(store.ids()) == 2
    first.write_bytes(b"worst")  # a second time, under the same name
    assert call("repair", store.path, "--yes").exit_code == 0
    assert {path.read_bytes() for path in (store.path / "_damaged").iterdir()} == {b"bad", b"worse", b"worst"}


def test_repair_waits_for_no_writer(store: Store) -> None:
    files(store)[0].write_bytes(b"bad")
    with store.locked():
        refused = call("repair", store.path, "--yes")
    assert refused.exit_code == 2
    assert "is being written by another alcore run" in refused.stderr


def test_a_store_where_nothing_is_whole(store: Store) -> None:
    for file in files(store):
        file.write_bytes(b"")
    status = call("status", store.path)
    assert status.exit_code == 0
    assert status.stdout.startswith(f"{store.path}: 0 runs\n")
    assert json.loads(call("status", store.path, "--json").stdout)["runs"] == []
    for words in (["table", store.path], ["report", store.path], ["rescore", store.path, "--learners", "lda"]):
        result = call(*words)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: 4 damaged files are left out of {store.path}: ")
    again = call("run", store.path.parent / "small.toml", "--store", store.path, "--quiet", "--json")
    assert json.loads(again.stdout)["computed"] == 4


def test_a_dry_run_counts_a_damaged_run_as_not_done(store: Store) -> None:
    files(store)[0].write_bytes(b"")
    dry = call("run", store.path.parent / "small.toml", "--store", store.path, "--dry-run")
    assert "3 are in" in dry.stdout
    assert "1 would be run" in dry.stdout


def test_results_of_a_newer_alcore_are_refused_by_name(store: Store) -> None:
    file = files(store)[0]
    rewritten(file, lambda about, table: (about | {"format": 3}, table))
    with pytest.raises(InputError, match=r"parquet has store format 3, of a newer alcore; this one reads up to 2"):
        store.records()


def test_results_of_format_1_are_read_beside_those_of_format_2(store: Store) -> None:
    before = comparable(store.records())
    rewritten(files(store)[0], lambda about, table: (about, table))
    assert store.damaged() == []
    pd.testing.assert_frame_equal(comparable(store.records()), before)
    assert len(pd.read_parquet(store.path)) == len(before)


LONG = pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="some seconds; ALCORE_FUZZ=100 runs it")


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=[pytest.mark.slow, LONG])])
def test_a_changed_byte_of_a_result_is_seen_wherever_it_is(step: int, store: Store) -> None:
    file = files(store)[0]
    data = file.read_bytes()
    chance = np.random.default_rng(12)
    for at in range(0, len(data), step):
        changed = bytearray(data)
        changed[at] ^= int(chance.integers(1, 256))
        file.write_bytes(bytes(changed))
        with pytest.raises(DamagedError):
            resultfile.check(file)


@pytest.mark.parametrize(
    "path", ["x" * 300, "file/inside", "file", "loop", "y" * 100 + "/" + "z" * 5000], ids=lambda path: path[:9]
)
@pytest.mark.parametrize("command", ["status", "table", "report", "rescore", "repair", "run", "dry run"])
def test_paths_that_can_be_no_store(path: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(TOML)
    Path("file").write_text("")
    Path("loop").symlink_to("loop")
    if command in ("run", "dry run"):
        words = ["run", "small.toml", "--store", path, *(["--dry-run"] if command == "dry run" else [])]
    else:
        words = [command, path, *(["--learners", "lda"] if command == "rescore" else [])]
    result = call(*words)
    if command == "dry run":
        assert "4 would be run" in result.stdout
        return
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert any(word in result.stderr for word in ("no store at", "in the way", "make a store")), result.stderr


def test_paths_that_are_none_in_python(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no store at"):
        Store("a\0b")
    with pytest.raises(InputError, match="is no path of a folder"):
        Store("a\0b", create=True)
