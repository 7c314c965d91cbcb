"""The runner: the same results whatever the workers, their order, and however often it was killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from alcore import plugins
from alcore.plan import plan
from alcore.runner import run_experiment
from alcore.store import Store
from alcore.types import Status

CLOCKS = ["fit_time", "query_time", "update_time", "score_time"]


def comparable(store: Store) -> pd.DataFrame:
    records = store.records().drop(columns=CLOCKS).sort_values(["run", "t"]).reset_index(drop=True)
    return records.assign(rows=[rows.tolist() for rows in records["rows"]])


class Inline:
    """An executor that runs what it is given at once, the last first if asked."""

    def __init__(self, backwards: bool = False) -> None:
        self.backwards, self.waiting = backwards, []

    def submit(self, function, *args, **kwargs):
        future: Future = Future()
        if not self.backwards:
            future.set_result(function(*args, **kwargs))
        else:
            self.waiting.append((future, function, args, kwargs))
            if len(self.waiting) == self.backwards:
                for late, f, a, k in reversed(self.waiting):
                    late.set_result(f(*a, **k))
        return future


def test_results_do_not_depend_on_workers_and_order(make_experiment, tmp_path):
    experiment = make_experiment()
    stores = [Store(tmp_path / name, create=True) for name in ("inline", "backwards", "threads", "processes")]
    run_experiment(experiment, stores[0], executor=Inline())
    run_experiment(experiment, stores[1], executor=Inline(backwards=4))
    with ThreadPoolExecutor(2) as threads:
        run_experiment(experiment, stores[2], executor=threads)
    run_experiment(experiment, stores[3], jobs=2)
    first, *others = [comparable(store) for store in stores]
    for other in others:
        pd.testing.assert_frame_equal(first, other)


def test_results_do_not_depend_on_what_else_is_in_the_experiment(make_experiment, tmp_path):
    alone, together = Store(tmp_path / "a", create=True), Store(tmp_path / "b", create=True)
    run_experiment(make_experiment(strategies=["margin"], seeds=[1]), alone, executor=Inline())
    run_experiment(
        make_experiment(strategies=["entropy", "random", "margin"], seeds=[3, 1]), together, executor=Inline()
    )
    whole = comparable(together)
    kept = whole[whole["run"].isin(alone.ids())].reset_index(drop=True)
    pd.testing.assert_frame_equal(comparable(alone), kept)


def test_second_call_computes_nothing_and_a_larger_one_the_rest(make_experiment, tmp_path):
    store = Store(tmp_path)
    first = run_experiment(make_experiment(), store, executor=Inline())
    assert (first.total, first.reused, first.ended[Status.COMPLETED]) == (4, 0, 4)
    second = run_experiment(make_experiment(), store, executor=Inline())
    assert (second.total, second.reused, sum(second.ended.values())) == (4, 4, 0)
    third = run_experiment(make_experiment(seeds=3), store, executor=Inline())
    assert (third.total, third.reused, third.ended[Status.COMPLETED]) == (6, 4, 2)


def test_watcher_sees_every_run(make_experiment, tmp_path):
    seen = []
    run_experiment(
        make_experiment(),
        Store(tmp_path),
        executor=Inline(),
        watch=lambda p, run, _: seen.append((p.done, p.left, run)),
    )
    assert [(done, left) for done, left, _ in seen] == [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0)]
    assert seen[0][2] is None
    assert seen[1][2].names["strategy"] in ("random", "margin")


def test_no_worker_outlives_what_ends_an_experiment(make_experiment, tmp_path):
    """A watcher that fails, as a full disk or Ctrl-C would: Python waits at its end for workers that are left."""

    def watch(progress, run, result):
        if run is not None:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        run_experiment(make_experiment(), Store(tmp_path / "store", create=True), jobs=1, watch=watch)
    assert caught.tb is not None  # which keeps what was being iterated over
    assert multiprocessing.active_children() == []


BAD = """
import ctypes, os, time
import alcore

@alcore.selects("stuck", summary="Sleeps in native code in its third round")
def stuck(view, n):
    if view.t == 3:
        ctypes.PyDLL(None).sleep(600)  # holds the interpreter's lock: no Python code can interrupt it
    return view.unlabeled[:n]

@alcore.selects("dies", summary="Takes its process with it")
def dies(view, n):
    if view.t == 2:
        os._exit(9)
    return view.unlabeled[:n]
"""


@pytest.fixture
def bad(tmp_path) -> Path:
    file = tmp_path / "bad.py"
    file.write_text(BAD)
    return file


def test_hard_limit_stops_native_code_and_keeps_the_curve(make_experiment, tmp_path, bad):
    experiment = make_experiment(
        strategies=["stuck", "random"], seeds=1, plugins=[str(bad)], limits={"seconds": 10}, name="hard"
    )
    store = Store(tmp_path / "s", create=True)
    began = time.monotonic()
    progress = run_experiment(experiment, store, jobs=2)
    assert time.monotonic() - began < 300  # far from the 600 s that the query takes
    assert progress.ended[Status.TIMEOUT] == 1
    assert progress.ended[Status.COMPLETED] == 1
    runs = store.runs().set_index("strategy")
    assert runs.loc["stuck", "status"] == "timeout"
    assert runs.loc["stuck", "reason"] == "limit of 10 s passed after round 2; the process was stopped"
    assert runs.loc["stuck", "rounds"] == 2
    assert runs.loc["random", "status"] == "completed"


def test_a_process_that_dies_is_tried_again_then_failed(make_experiment, tmp_path, bad):
    experiment = make_experiment(strategies=["dies", "random"], seeds=1, plugins=[str(bad)], limits={"retries": 1})
    store = Store(tmp_path / "s", create=True)
    progress = run_experiment(experiment, store, jobs=1)
    assert progress.ended[Status.FAILED] == 1
    runs = store.runs().set_index("strategy")
    assert "worker process died (exit code 9)" in runs.loc["dies", "reason"]
    assert runs.loc["dies", "rounds"] == 1
    assert runs.loc["random", "status"] == "completed"


def test_retry_runs_the_failed_again(make_experiment, tmp_path):
    flag = tmp_path / "mended"
    file = tmp_path / "flaky.py"
    file.write_text(
        textwrap.dedent(
            f"""
            import pathlib, alcore
            @alcore.selects("flaky", summary="Fails until a file is there")
            def flaky(view, n):
                if not pathlib.Path({str(flag)!r}).exists():
                    raise RuntimeError("not yet")
                return view.unlabeled[:n]
            """
        )
    )
    experiment = make_experiment(strategies=["flaky"], seeds=1, plugins=[str(file)])
    store = Store(tmp_path / "s", create=True)
    assert run_experiment(experiment, store, executor=Inline()).ended[Status.FAILED] == 1
    flag.touch()
    assert run_experiment(experiment, store, executor=Inline()).reused == 1
    again = run_experiment(experiment, store, executor=Inline(), retry=[Status.FAILED])
    assert again.ended[Status.COMPLETED] == 1
    assert store.runs()["status"].tolist() == ["completed"]


SLOW = """
import time, alcore
@alcore.selects("slow", summary="Takes its time", stochastic=True)
def slow(view, n):
    time.sleep(0.05)
    return view.rng.choice(view.unlabeled, n, replace=False)
"""
KILLED = """
name = "killed"
datasets = [{ name = "synthetic.clouds", n = 60 }]
strategies = ["slow", "margin"]
learners = ["gaussian-nb"]
seeds = 4
plugins = ["slow.py"]
[start]
size = 4
"""


def cli(folder: Path, store: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "alcore",
        "run",
        str(folder / "killed.toml"),
        "--store",
        str(folder / store),
        "--jobs",
        "2",
    ]


@pytest.mark.slow
def test_killed_in_the_middle_ends_as_if_never_killed(tmp_path):
    (tmp_path / "killed.toml").write_text(KILLED)
    (tmp_path / "slow.py").write_text(SLOW)
    process = subprocess.Popen(
        cli(tmp_path, "killed"), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    half_done = False
    while not half_done and time.monotonic() < deadline:
        time.sleep(0.05)
        journals = list((tmp_path / "killed" / "_journal").glob("*.jsonl"))
        half_done = any(len(journal.read_text().split("\n")) > 6 for journal in journals)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = Store(tmp_path / "killed")
    assert half_done
    assert len(killed.ids()) < 8

    text = subprocess.run(cli(tmp_path, "killed"), capture_output=True, text=True, check=True).stdout
    assert "runs computed" in text
    subprocess.run(cli(tmp_path, "whole"), capture_output=True, check=True)
    pd.testing.assert_frame_equal(comparable(killed), comparable(Store(tmp_path / "whole")))
    again = subprocess.run(cli(tmp_path, "killed"), capture_output=True, text=True, check=True).stdout
    assert "Everything is done: all 8 runs are in the store, nothing was computed." in again


def test_interrupted_run_goes_on_from_its_journal(make_experiment, tmp_path):
    experiment = make_experiment(strategies=["margin"], seeds=1)
    whole, resumed = Store(tmp_path / "whole", create=True), Store(tmp_path / "resumed", create=True)
    run_experiment(experiment, whole, executor=Inline())
    run = plan(experiment, plugins.loaded().registry)[0]
    from alcore.execute import execute

    marked = [record for record in execute(run).records if record.t < 3]
    marked = [type(r)(**(r.__dict__ | {"fit_time": 1234.0})) for r in marked]  # to be told apart from new ones
    with resumed.journal(run) as journal:
        journal.begin(run)
        for record in marked:
            journal.add(record)
    run_experiment(experiment, resumed, jobs=1)
    pd.testing.assert_frame_equal(comparable(whole), comparable(resumed))
    assert (resumed.records()["fit_time"] == 1234.0).tolist() == [True] * 3 + [False] * 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_cluster(make_experiment, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs alcore[dask]")
    here, there = Store(tmp_path / "here", create=True), Store(tmp_path / "there", create=True)
    run_experiment(make_experiment(), here, executor=Inline())
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        run_experiment(make_experiment(), there, executor=client.get_executor(pure=False))
    pd.testing.assert_frame_equal(comparable(here), comparable(there))
