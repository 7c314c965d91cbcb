"""Hostile plugins inside an experiment: each ends as it must, and runs beside them are those of an undisturbed one."""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from alcore.runner import run_experiment
from alcore.store import Store

FILE = Path(__file__).with_name("hostile.py")
LONG = "ALCORE_FUZZ" in os.environ
LIMITS = {"seconds": 15, "memory": "1200 MB", "retries": 0}
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
    "hang": ("timeout", "limit of 15 s passed after round 1; the process was stopped"),
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


def records(store: Store, by: str = "strategy") -> dict[str, list[Any]]:
    """Return rows and accuracy of each round, by strategy or another name."""
    frame = store.records().sort_values("t")
    told = zip(frame[by], frame["rows"], frame["accuracy"], strict=True)
    found: dict[str, list[Any]] = {}
    for name, rows, accuracy in told:
        found.setdefault(name, []).append((rows.tolist(), accuracy))
    return found


@pytest.fixture
def undisturbed(make_experiment: Any, tmp_path: Path) -> list[Any]:
    """The records of an innocent run of margin."""
    store = Store(tmp_path / "calm", create=True)
    run_experiment(make_experiment(strategies=["margin"], seeds=1, budget=3), store, executor=Inline())
    (found,) = records(store).values()
    return found


def hostile(acts: list[str]) -> list[dict[str, Any]]:
    """Return hostile strategies, each with an innocent one after it."""
    pairs = [
        ({"name": "hostile", "act": act, "label": act}, {"name": "margin", "label": f"after {act}"}) for act in acts
    ]
    return [one for pair in pairs for one in pair]


def check(make_experiment: Any, path: Path, acts: list[str], jobs: int, undisturbed: list[Any]) -> None:
    keys = {"seeds": 1, "budget": 3, "limits": LIMITS, "plugins": [str(FILE)]}
    store = Store(path, create=True)
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
    found = records(store)
    assert [act for act in acts if found[f"after {act}"] != undisturbed] == []
    if "long" in acts:
        [file] = (store.path / "_reasons").iterdir()
        assert 1_000_000 <= file.stat().st_size < 1_001_000


def test_runs_beside_hostile_ones_are_undisturbed(make_experiment, tmp_path, undisturbed) -> None:
    acts = ["os-exit-0", "exit-0", "own-base", "surrogate", "long", "printing", "chdir"]
    check(make_experiment, tmp_path / "hostile", acts, 1, undisturbed)


def test_hostile_learners_end_their_own_runs_alone(make_experiment, tmp_path, undisturbed) -> None:
    how = {
        "killer": ("failed", "the worker process died (exit code 0) after round 0"),
        "quitter": ("failed", "quitter failed in fit: SystemExit: 0"),
        "patcher": ("failed", "patcher.predict_proba gave shape (30, 2) for 3 classes seen"),
        "vanishing": ("failed", "the worker process died (exit code 0) before the first round"),
    }
    if not LONG:
        del how["vanishing"]
    pairs = [({"name": name}, {"name": "gaussian-nb", "label": f"after {name}"}) for name in how]
    keys = {"strategies": ["margin"], "seeds": 1, "budget": 3, "limits": LIMITS, "plugins": [str(FILE)]}
    store = Store(tmp_path / "hostile", create=True)
    run_experiment(make_experiment(learners=[one for pair in pairs for one in pair], **keys), store, jobs=1)
    runs, found = store.runs().set_index("learner"), records(store, "learner")
    for name, (status, reason) in how.items():
        run = runs.loc[name]
        assert (run["status"], reason in run["reason"]) == (status, True), (name, run["reason"])
        assert found[f"after {name}"] == undisturbed


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="half a minute; ALCORE_FUZZ=100 runs it")
def test_hostile_metrics_and_a_setup_end_their_own_runs_alone(make_experiment, tmp_path, undisturbed) -> None:
    """Every run is measured with the metric, which does one act a run until none is left."""
    acts = tmp_path / "acts"
    acts.mkdir()
    how = {
        "exit-0": ("failed", f"the metric hostile-metric(folder={acts}) failed after round 0: SystemExit: 0"),
        "os-exit-9": ("failed", "the worker process died (exit code 9) before the first round"),
        "patching": ("", ""),
        "printing": COMPLETED,
    }
    for act in (*how, "os-exit-9.again"):  # in a worker that had a run before, a death is given another chance
        (acts / act).touch()
    strategies = ["hostile-setup", *({"name": "margin", "label": label} for label in [*how, "after one", "after all"])]
    metrics = {"round": ["accuracy", {"name": "hostile-metric", "folder": str(acts)}]}
    keys = {"seeds": 1, "budget": 3, "limits": LIMITS, "plugins": [str(FILE)], "metrics": metrics}
    store = Store(tmp_path / "hostile", create=True)
    run_experiment(make_experiment(strategies=strategies, **keys), store, jobs=1)
    assert list(acts.iterdir()) == []
    runs, found = store.runs().set_index("strategy"), records(store)
    assert runs.loc["hostile-setup", "status"] == "failed"
    assert "hostile-setup failed in setup: SystemExit: 0" in runs.loc["hostile-setup", "reason"]
    for name, (status, reason) in how.items():
        run = runs.loc[name]
        assert not status or (run["status"], reason in run["reason"]) == (status, True), (name, run["reason"])
    assert found["after one"] == found["after all"] == undisturbed


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="a minute; ALCORE_FUZZ=100 runs it")
@pytest.mark.skipif(sys.platform == "win32", reason="signals and fork")
def test_runs_beside_all_hostile_ones_are_undisturbed(make_experiment, tmp_path, undisturbed) -> None:
    assert len(HOW) >= 20
    check(make_experiment, tmp_path / "hostile", list(HOW), 2, undisturbed)
