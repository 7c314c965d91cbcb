"""Hostile plugins inside an experiment: each ends as it must, and runs beside them are those of an undisturbed one."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from alcore.runner import run_experiment
from alcore.store import Store

FILE = Path(__file__).with_name("hostile.py")
LIMITS = {"seconds": 30, "memory": "1200 MB", "retries": 0}
COMPLETED = ("completed", "budget_reached")
HOW = {
    "exit-0": ("failed", "hostile failed in round 2: SystemExit: 0"),
    "exit-3": ("failed", "hostile failed in round 2: SystemExit: 3"),
    "interrupt": ("failed", "KeyboardInterrupt"),
    "own-base": ("failed", "hostile failed in round 2: OwnError: mine"),
    "mute": ("failed", "Mute, whose text cannot be had: its __str__ raised RuntimeError"),
    "unpicklable": ("failed", "Unpicklable: locked"),
    "surrogate": ("failed", "ValueError: a \\ud800 and a \\x00"),
    "long": ("failed", "(more of it is in _reasons/"),
    "os-exit-0": ("failed", "the worker process died (exit code 0) after round 1; something in the run ended it"),
    "os-exit-9": ("failed", "the worker process died (exit code 9) after round 1"),
    "kill": ("failed", "the worker process died (exit code -9) after round 1"),
    "segfault": ("failed", "the worker process died (exit code -11) after round 1"),
    "closing": ("failed", "the worker process died"),
    "hang": ("timeout", "limit of 30 s passed after round 1; the process was stopped"),
    "growing": ("failed", "memory: "),
    "chdir": COMPLETED,
    "settings": ("", ""),  # what it does to itself is its own
    "patching": ("", ""),
    "printing": COMPLETED,
    "random": COMPLETED,
    "forking": COMPLETED,
    "alarm": COMPLETED,
    "late-exit": COMPLETED,
    "streams": COMPLETED,
}
CHANGED = {
    "chdir": "the working directory", "settings": "the environment", "patching": "numpy.argsort",
    "alarm": "a timer's signal", "late-exit": "threads", "streams": "the standard descriptors",
}  # fmt: skip


class Inline:
    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*args, **kwargs))
        return future


def records(store: Store) -> dict[str, list[Any]]:
    """Return rows and metrics of each round, by strategy."""
    frame = store.records().sort_values("t")
    told = zip(frame["strategy"], frame["rows"], frame["accuracy"], strict=True)
    found: dict[str, list[Any]] = {}
    for strategy, rows, accuracy in told:
        found.setdefault(strategy, []).append((rows.tolist(), accuracy))
    return found


def hostile(acts: list[str]) -> list[dict[str, Any]]:
    """Return hostile strategies, each with an innocent one after it."""
    pairs = [
        ({"name": "hostile", "act": act, "label": act}, {"name": "margin", "label": f"after {act}"}) for act in acts
    ]
    return [one for pair in pairs for one in pair]


def check(make_experiment: Any, tmp_path: Path, acts: list[str], jobs: int) -> None:
    keys = {"seeds": 1, "budget": 3, "limits": LIMITS, "plugins": [str(FILE)]}
    calm, store = Store(tmp_path / "calm", create=True), Store(tmp_path / "hostile", create=True)
    run_experiment(make_experiment(strategies=["margin"], seeds=1, budget=3), calm, executor=Inline())
    progress = run_experiment(make_experiment(strategies=hostile(acts), **keys), store, jobs=jobs)
    assert progress.left == 0
    runs = store.runs().set_index("strategy")
    wrong = {}
    for act in acts:
        status, reason = HOW[act]
        run = runs.loc[act]
        if status and (run["status"] != status or reason not in run["reason"] or len(run["reason"]) > 2_200):
            wrong[act] = (run["status"], run["reason"])
        told = store.about(str(run["run"]))["warnings"]
        if act in CHANGED and not any(CHANGED[act] in text and "was replaced" in text for text in told):
            wrong[f"{act} unseen"] = (run["status"], run["reason"], told)
    assert not wrong
    found, (undisturbed,) = records(store), records(calm).values()
    assert [act for act in acts if found[f"after {act}"] != undisturbed] == []
    if "long" in acts:
        [file] = (store.path / "_reasons").iterdir()
        assert 1_000_000 <= file.stat().st_size < 1_001_000


def test_runs_beside_hostile_ones_are_undisturbed(make_experiment, tmp_path) -> None:
    check(
        make_experiment, tmp_path, ["os-exit-0", "exit-0", "own-base", "surrogate", "long", "printing", "chdir"], jobs=1
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals and fork")
def test_runs_beside_all_hostile_ones_are_undisturbed(make_experiment, tmp_path) -> None:
    assert len(HOW) >= 20
    check(make_experiment, tmp_path, list(HOW), jobs=2)
