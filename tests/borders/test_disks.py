"""Disks that refuse: one sentence, no run that is called failed, and what was finished stays."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from alcore import disk, plugins
from alcore.cli import main
from alcore.errors import InputError, StorageError
from alcore.plan import plan
from alcore.report import curves
from alcore.runner import Work, _in_worker
from alcore.store import Store

TOML = """
name = "small"
datasets = ["synthetic.two-moons"]
strategies = ["random", "entropy"]
learners = ["gaussian-nb"]
seeds = 3
budget = 3
start = { size = 4 }
metrics = { round = ["accuracy"] }
"""


class Inline:
    """An executor that runs what it is given at once."""

    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Work, "on_processes", lambda self, runs, jobs: self.on_executor(runs, Inline()))
    monkeypatch.setattr(curves, "draw_curves", lambda *args: None)
    (tmp_path / "small.toml").write_text(TOML)
    return tmp_path / "small.toml"


def sentence(words: list[object]) -> str:
    """The one line that a command ends with, exit code 1."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "No space left on device. Free space there, and run the same command again: what was finished"),
        (errno.EDQUOT, "Free space there, or ask for a larger quota"),
        (errno.EFBIG, "File too large. Raise the limit on the size of a file"),
        (errno.EROFS, "Read-only file system. Make it writable, or use another folder"),
        (errno.EACCES, "Permission denied. Make it writable for you"),
        (errno.EIO, "See whether the disk is broken"),
        (errno.ENXIO, "See to it, or use another folder"),
    ],
)
def test_a_result_that_cannot_be_written(
    code: int, advice: str, experiment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    sync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count > 8:  # of two notes and of two results, each with its folder
            raise OSError(code, os.strerror(code))
        sync(descriptor)

    words = ["run", experiment, "--store", tmp_path / "store", "--quiet"]
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        line = sentence(words)
    assert line.startswith(f"Error: cannot write to {tmp_path / 'store'}: ")
    assert advice in line
    store = Store(tmp_path / "store")
    assert store.runs()["status"].tolist() == ["completed"] * 2
    assert not list(store.path.glob("*.tmp"))
    again = CliRunner().invoke(main, [str(word) for word in words])
    assert again.exit_code == 0
    assert "4 runs computed, 2 were there before." in again.stdout


def test_a_journal_that_cannot_be_written_is_no_failed_run(make_experiment: Any, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    (run, *_) = plan(make_experiment(), plugins.loaded().registry)
    store = Store(tmp_path / "store", create=True)
    full = store.journal(run)
    full.path.parent.mkdir()
    full.path.symlink_to("/dev/full")
    store.journal = lambda run: full  # type: ignore[method-assign]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("alcore.runner.Store", lambda path: store)
        end = _in_worker(run, (), store.path, None)
    assert isinstance(end, StorageError)  # raised by whoever gave the worker its task
    assert "jsonl: No space left on device. Free space there, and run the same" in str(end)
    assert store.ids() == set()


@pytest.mark.parametrize("what", ["_lock", "_journal", "_experiment.toml", "_damaged"])
def test_a_file_or_folder_in_the_way(what: str, experiment: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store", create=True)
    if what in ("_lock", "_experiment.toml"):
        (store.path / what).mkdir()
        assert "move it away, and run the same command again" in sentence(["run", experiment, "--store", store.path])
    elif what == "_damaged":
        (store.path / what).write_text("")
        (store.path / "data.parquet").write_text("")
        assert "move it away, and run the same command again" in sentence(["repair", store.path, "--yes"])
    else:
        (store.path / what).write_text("")
        (run, *_) = plan_of(experiment)
        with pytest.raises(StorageError, match="A file is where a folder should be"), store.journal(run):
            pass


def plan_of(experiment: Path) -> list[Any]:
    from alcore.experiment import load

    return plan(load(experiment, plugins.loaded()), plugins.loaded().registry)


def test_a_store_that_is_removed_during_a_run(
    experiment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, write = tmp_path / "store", Store.write

    def removed(self: Store, *args: Any) -> None:
        write(self, *args)
        shutil.rmtree(store)

    monkeypatch.setattr(Store, "write", removed)
    line = sentence(["run", experiment, "--store", store, "--quiet"])
    assert "It was removed in the meantime" in line


def test_reading_a_store_that_is_gone(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", create=True)
    shutil.rmtree(store.path)
    with pytest.raises(InputError, match=r"store cannot be read: No such file"):
        store.records()


def test_too_many_open_files_are_no_fault_of_a_file(
    experiment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    CliRunner().invoke(main, ["run", str(experiment), "--store", str(tmp_path / "store"), "--quiet"])
    store = Store(tmp_path / "store")

    def refused(self: Path) -> bytes:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(StorageError, match="Too many open files"):
        store.damaged()


def test_a_page_that_cannot_be_written(experiment: Path, tmp_path: Path) -> None:
    CliRunner().invoke(main, ["run", str(experiment), "--store", str(tmp_path / "store"), "--quiet"])
    line = sentence(["report", tmp_path / "store", "-o", tmp_path])
    assert line.startswith(f"Error: Is a directory: {tmp_path}. ")


def test_a_write_is_whole_and_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file before its name, the folder after."""
    order: list[str] = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(
        os, "fsync", lambda one: (order.append("folder" if stat.S_ISDIR(os.fstat(one).st_mode) else "file"), sync(one))
    )
    monkeypatch.setattr(Path, "replace", lambda self, to: (order.append("name"), rename(self, to)))
    disk.write_whole(tmp_path / "a", b"text")
    assert order == (["file", "name", "folder"] if hasattr(os, "O_DIRECTORY") else ["file", "name"])
    assert (tmp_path / "a").read_bytes() == b"text"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 96 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", folder], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


SCRIPT = """
import resource, sys
if int(sys.argv[1]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from alcore.cli import main
main(sys.argv[2:])
"""


def in_process(words: list[object], limit: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, str(limit), *map(str, words)]
    # Under a limit on the size of files Python would leave modules behind that are compiled in part.
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env)


@pytest.mark.slow
@pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="half a minute; ALCORE_FUZZ=100 runs it")
def test_a_disk_that_fills_up(small_disk: Path, tmp_path: Path) -> None:
    (tmp_path / "many.toml").write_text(TOML.replace("seeds = 3", "seeds = 12").replace("budget = 3", "budget = 40"))
    words: list[object] = ["run", tmp_path / "many.toml", "--store", small_disk / "store", "--quiet", "--jobs", 1]
    done = in_process(words)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "No space left on device. Free space there, and run the same command again: what was finished" in line
    store = Store(small_disk / "store")
    n = len(store.ids())  # what a worker has done beyond these is in the journals
    assert n < 24
    assert store.damaged() == []
    subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
    again = in_process(words)
    assert again.returncode == 0, again.stderr
    assert f"{24 - n} runs computed, {n} were there before." in again.stdout
    assert "(24 completed)" in again.stdout
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    again = in_process(words)
    assert again.returncode == 1
    assert "Read-only file system. Make it writable, or use another folder" in again.stderr
    assert len(again.stderr.splitlines()) == 1
    assert in_process(["table", small_disk / "store"]).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX limit")
def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TOML.replace("budget = 3", "budget = 60"))
    words = ["run", tmp_path / "small.toml", "--store", tmp_path / "store", "--quiet", "--jobs", 1]
    done = in_process(words, 4096)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "File too large. Raise the limit on the size of a file (ulimit -f)" in line
    assert Store(tmp_path / "store").ids() == set()
