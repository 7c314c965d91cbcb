"""``alcore status``: how many runs ended how, why those ended that did not complete, and which warned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from alcore import results
from alcore.cli import main
from alcore.protocols import Record
from alcore.results import Run
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)


def make_run(strategy: str, seed: int, position: int) -> Run:
    learner = {"name": "knn", "label": "knn", "params": {}, "refit": "scratch"}
    return Run(
        {
            "dataset": {"name": "wine", "label": "wine", "params": {}, "task": "classification"},
            "strategy": {"name": strategy, "label": strategy, "params": {}},
            "learner": {"label": "knn", "query": learner, "task": learner},
            "seed": seed,
            "metrics": [{"name": "accuracy", "label": "accuracy", "params": {}}],
        },
        position,
    )


def ended(status: Status, reason: str, rounds: int = 2, *, warnings: int = 0) -> results.Result:
    records = [Record(t, NO_ROWS, NO_ROWS, 10 + t, {"accuracy": 0.5}) for t in range(rounds)]
    return results.Result(status, reason, records, ["UserWarning: careful"] * warnings, seconds=0.5)


ENDED = [
    ("random", ended(Status.COMPLETED, "budget_reached")),
    ("random", ended(Status.COMPLETED, "pool_exhausted", warnings=2)),
    ("margin", ended(Status.FAILED, "ValueError: shapes (3,) and [/4] do not fit")),
    ("margin", ended(Status.FAILED, "ValueError: shapes (3,) and [/4] do not fit", rounds=1, warnings=1)),
    ("margin", ended(Status.TIMEOUT, "limit of 5 s passed after round 1")),
    ("entropy", ended(Status.SKIPPED, "the start set of 2 rows lacks 1 of 3 classes", rounds=0)),
]


def write(path: Path, *runs: tuple[str, results.Result]) -> Path:
    store = Store(path, create=True)
    for position, (strategy, result) in enumerate(runs):
        store.write(make_run(strategy, position, position), result)
    return path


@pytest.fixture
def status(tmp_path: Path) -> Callable[..., Result]:
    """Call the command on a store of these runs."""

    def call(*options: str, runs: list[tuple[str, results.Result]] = ENDED) -> Result:
        return CliRunner().invoke(main, ["status", str(write(tmp_path / "store", *runs)), *options])

    return call


def lines(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [line.rstrip() for line in result.stdout.splitlines()]


def test_counts_by_status(status, tmp_path):
    first = lines(status())[0]
    assert first.startswith(f"{tmp_path / 'store'}: 6 runs, ")
    assert set(first.partition("runs, ")[2].split(", ")) == {"2 completed", "2 failed", "1 timeout", "1 skipped"}


def test_warnings_are_counted_by_run(status, tmp_path):
    told = lines(status())[1]
    assert told == f"2 of them warned; see --json, or alcore.Store('{tmp_path / 'store'}').about(run)."


def test_reasons_of_runs_that_did_not_complete_with_how_often(status):
    title, head, *rows = lines(status())[2:]
    assert title == "Not completed"
    assert head.split() == ["status", "dataset", "learner", "strategy", "reason", "runs"]
    assert [" ".join(row.split()) for row in rows] == [
        "failed wine knn margin ValueError: shapes (3,) and [/4] do not fit 2",
        "timeout wine knn margin limit of 5 s passed after round 1 1",
        "skipped wine knn entropy the start set of 2 rows lacks 1 of 3 classes 1",
    ]


def test_complete_store_without_warnings_is_one_line(status, tmp_path):
    assert lines(status(runs=ENDED[:1])) == [f"{tmp_path / 'store'}: 1 run, 1 completed"]


def test_json(status, tmp_path):
    whole = json.loads(status("--json").stdout, parse_constant=pytest.fail)
    assert whole["store"] == str(tmp_path / "store")
    assert whole["counts"] == {"completed": 2, "failed": 2, "timeout": 1, "skipped": 1}
    runs: list[dict[str, Any]] = whole["runs"]
    assert [run["strategy"] for run in runs] == [strategy for strategy, _ in ENDED]
    assert runs[3] == {
        "run": make_run("margin", 3, 3).id,
        "dataset": "wine",
        "strategy": "margin",
        "learner": "knn",
        "query_learner": "knn",
        "task_learner": "knn",
        "seed": 3,
        "status": "failed",
        "reason": "ValueError: shapes (3,) and [/4] do not fit",
        "seconds": 0.5,
        "rounds": 0,
        "n_labeled": 10,
        "warnings": 1,
    }
    assert (runs[5]["status"], runs[5]["rounds"], runs[5]["n_labeled"]) == ("skipped", 0, 0)


def test_json_of_the_warnings_named_in_the_text_can_be_looked_up(status, tmp_path):
    runs = json.loads(status("--json").stdout)["runs"]
    (warned,) = [run["run"] for run in runs if run["warnings"] == 2]
    assert Store(tmp_path / "store").about(warned)["warnings"] == ["UserWarning: careful"] * 2


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_no_store(tmp_path, options):
    result = CliRunner().invoke(main, ["status", str(tmp_path / "none"), *options])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: there is no store at {tmp_path / 'none'}; `alcore run ")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_empty_store(tmp_path, options):
    result = CliRunner().invoke(main, ["status", str(tmp_path), *options])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: the store {tmp_path} holds no finished run yet.\n"
