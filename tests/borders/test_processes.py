"""What a command prints, where it may be called from, and how it ends: in real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from alcore.runner import run_experiment
from alcore.store import Store

LONG = pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="many processes; ALCORE_FUZZ=100 runs it")
NOISY = """
import os, subprocess, sys
import alcore
print("at import")
os.write(1, b"at import, to the descriptor\\n")

@alcore.scores("noisy", summary="Prints wherever it can", learner=False)
def noisy(view):
    print("in query")
    sys.stdout.write("in query, written\\n")
    os.write(1, b"in query, to the descriptor\\n")
    subprocess.run([sys.executable, "-S", "-c", "print('by a child')"], check=True)
    return view.unlabeled * 1.0
"""
TOML = """
name = "small"
strategies = ["{strategy}"]
learners = ["gaussian-nb"]
seeds = {seeds}
budget = {budget}
plugins = [{plugins}]
[[datasets]]
name = "synthetic.clouds"
n = {n}
[start]
size = 6
"""
SLOW = """
import time
import alcore

@alcore.scores("slow", summary="Takes its time", learner=False)
def slow(view):
    time.sleep(0.1)
    return view.unlabeled * 1.0
"""
CALL = """
from pathlib import Path
from alcore import experiment, plugins
from alcore.runner import run_experiment
from alcore.store import Store
run_experiment(experiment.load(Path("small.toml"), plugins.loaded()), Store("store", create=True), jobs=1)
print(len(Store("store").ids()), "in the store")
"""

READS = """
import os
from pathlib import Path
import pandas, pyarrow, sklearn.utils
from alcore.builtin.datasets.content import read_parquet
from alcore.store import Store
before = len(os.listdir("/proc/self/task"))
n = len(Store("store").records()) + len(read_parquet(Path("data.parquet"), 1)) - 3
print(n, len(os.listdir("/proc/self/task")) - before)
"""
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
from alcore.cli import main
main(["run", "small.toml", "--jobs", "2", "--quiet"])
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(strategy: str = "margin", source: str = "", *, seeds: int = 1, budget: int = 2, n: int = 60) -> None:
    if source:
        Path("mine.py").write_text(source)
    plugins = '"mine.py"' if source else ""
    Path("small.toml").write_text(TOML.format(strategy=strategy, plugins=plugins, seeds=seeds, budget=budget, n=n))


def alcore(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "alcore", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=os.environ | environment
    )


def test_json_is_nothing_but_json_whatever_plugins_print(here: Path) -> None:
    written("noisy", NOISY)
    done = alcore("run", "small.toml", "--json", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counts"] == {"completed": 1}
    assert done.stderr.count("mine.py prints to standard output; it is shown here, on standard error.") == 1
    for text in ("at import", "at import, to the descriptor", "in query", "in query, written",
                 "in query, to the descriptor", "by a child"):  # fmt: skip
        assert text in done.stderr.splitlines(), done.stderr


@LONG
@pytest.mark.slow
def test_a_dry_run_as_json_is_nothing_but_json(here: Path) -> None:
    written("noisy", NOISY)
    dry = alcore("run", "small.toml", "--json", "--dry-run")
    assert [run["done"] for run in json.loads(dry.stdout)["runs"]] == [False]
    assert dry.stderr.count("mine.py prints") == 1


@LONG
@pytest.mark.slow
def test_check_as_json_is_nothing_but_json(here: Path) -> None:
    written("noisy", NOISY)
    done = alcore("check", "noisy", "--file", "mine.py", "--json")
    json.loads(done.stdout)
    assert done.stderr.count("mine.py prints to standard output") == 1


@LONG
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["nonsense", "module://matplotlib_inline.backend_inline"])
def test_a_backend_of_somewhere_else_does_no_harm(here: Path, backend: str) -> None:
    written("random")
    done = alcore("run", "small.toml", "--quiet", "--jobs", "1", MPLBACKEND=backend)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("results/small.svg").exists()
    done = alcore("report", "results/small", "--figures", "figures", MPLBACKEND=backend)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(Path("figures").iterdir())


@pytest.mark.parametrize(
    "way", ["-", *(pytest.param(way, marks=[LONG, pytest.mark.slow]) for way in ("-c", "script", "main"))]
)
def test_an_experiment_needs_no_guarded_script(here: Path, way: str) -> None:
    """A worker does not run the script that started it, whatever there is of one."""
    written()
    Path("script.py").write_text(CALL)
    Path("pack").mkdir()
    Path("pack/__main__.py").write_text(CALL)
    words = {"-": ["-"], "-c": ["-c", CALL], "script": ["script.py"], "main": ["pack"]}[way]
    done = subprocess.run(
        [sys.executable, *words], input=CALL if way == "-" else "", capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 in the store\n", "")


@LONG
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_it_soon_and_the_same_command_goes_on(here: Path) -> None:
    written("slow", SLOW, seeds=2, budget=15)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(
        len(journal.read_text().splitlines()) > 5 for journal in Path("results/small/_journal").glob("*.jsonl")
    ):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of its processes
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 10
    assert (process.returncode, out) == (130, "")
    assert err == "Stopped. What has been done is in results/small; the same command goes on from there.\n"
    store = Store("results/small")
    assert len(store.ids()) < 2
    assert not alcore("run", "small.toml", "--jobs", "1", "--quiet").stderr
    assert set(store.runs()["status"]) == {"completed"}
    assert alcore("run", "small.toml", "--store", "whole", "--quiet").returncode == 0
    pd.testing.assert_frame_equal(steady(store), steady(Store("whole")))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux shows them")
def test_tables_are_read_without_threads_that_may_end_the_process_badly(here: Path, make_experiment: Any) -> None:
    """Arrow's own pools sometimes abort a process that has done all its work, exit code -6, on a busy machine."""
    run_experiment(make_experiment(seeds=1), Store("store", create=True), executor=ThreadPoolExecutor(1))
    pd.DataFrame({"a": range(9), "kind": list("xyz") * 3}).to_parquet("data.parquet")
    done = subprocess.run([sys.executable, "-c", READS], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "18 0\n"), done.stderr


def steady(store: Store) -> pd.DataFrame:
    """Return all that does not depend on the clock."""
    records = store.records().drop(columns=["fit_time", "query_time", "update_time", "score_time"])
    records = records.sort_values(["run", "t"], ignore_index=True)
    return records.assign(rows=[rows.tolist() for rows in records["rows"]])
