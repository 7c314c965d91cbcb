"""A target that is not reached ranks last and leaves no mean; a cell that lacks runs is no best one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import results
from alcore.cli import main
from alcore.protocols import Record
from alcore.results import Run
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)
TARGET = ["--metric", "labels-to(target=0.9)", "--of", "accuracy"]


def write(store: Store, dataset: str, strategy: str, seed: int, values: list[float], status: str = "completed") -> None:
    def named(name: str) -> dict[str, Any]:
        return {"name": name, "label": name, "params": {}, "refit": "scratch"}

    config = {
        "dataset": named(dataset), "strategy": named(strategy), "seed": seed, "metrics": [named("accuracy")],
        "learner": {"label": "knn", "query": named("knn"), "task": named("knn")},
    }  # fmt: skip
    records = [Record(t, NO_ROWS, NO_ROWS, 10 + 5 * t, {"accuracy": value}) for t, value in enumerate(values)]
    store.write(Run(config, seed), results.Result(Status(status), "budget_reached", records))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random gets there early and once; margin and late get there always, on one of three data sets nobody does."""
    path = tmp_path_factory.mktemp("beyond") / "store"
    made = Store(path, create=True)
    for dataset in ("d0", "d1"):
        for seed in range(6):
            write(made, dataset, "random", seed, [0.5, 0.9 if seed == 0 else 0.6, 0.6, 0.6])
            write(made, dataset, "margin", seed, [0.5, 0.6, 0.6 + 0.3 * (seed % 2), 0.95])
            write(made, dataset, "late", seed, [0.5, 0.6, 0.6, 0.95])
    for seed in range(6):
        for strategy in ("random", "margin", "late"):
            write(made, "hard", strategy, seed, [0.5, 0.6, 0.6, 0.6])
    return path


def told(store: Path, *options: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["table", str(store), *options, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("how", ["markdown", "csv", "latex"])
def test_the_mean_is_withheld(store, how):
    result = CliRunner().invoke(main, ["table", str(store), *TARGET, "--format", how, "--digits", "1"])
    line = next(line for line in result.output.splitlines() if "d0" in line)
    assert [word.strip(" &|\\") for word in line.replace(",", " ").split() if word.strip(" &|\\")] == [
        "d0", "beyond*", "22.5", "25.0",
    ]  # fmt: skip
    assert "* d0 / random: 1 of 6 runs got there, so that there is no mean" in result.output


def test_json_has_no_infinity(store):
    cell = told(store, *TARGET)["cells"][0]
    assert (cell["mean"], cell["sd"], cell["n"], cell["beyond"]) == (None, None, 6, 5)


def test_an_unreached_target_ranks_last_and_costs_the_others_no_seed(store):
    found = told(store, *TARGET, "--show", "ranks")
    assert [place["strategy"] for place in found["overall"][0]["places"]] == ["margin", "late", "random"]
    assert found["overall"][0]["blocks"] == 3
    by_seed = {row["dataset"]: row for row in found["rows"]}
    assert by_seed["d0"]["blocks"] == 6
    assert by_seed["hard"]["reason"] == "all strategies tie in every block"


def test_improvement_uses_all_seeds(store):
    rows = {(row["dataset"], row["strategy"]): row for row in told(store, *TARGET, "--show", "improvement", "--test", "wilcoxon")["rows"]}  # fmt: skip # noqa: E501
    late = rows["d0", "late"]
    assert (late["pairs"], late["mean"], late["sd"]) == (6, None, None)
    assert late["p_t"] is None
    assert late["p_wilcoxon"] == pytest.approx(2 * 2 / 2**6)  # five seeds infinitely better, one worse by the least
    assert rows["hard", "late"]["verdict"] == "tie"


@pytest.mark.parametrize("show", ["best", "improvement", "ranks", "pairs"])
def test_every_analysis_can_show_it(store, show):
    result = CliRunner().invoke(main, ["table", str(store), *TARGET, "--show", show])
    assert result.exit_code == 0, result.output
    assert "inf" not in result.output.replace("info", "")


def test_the_page_can_show_it(store, tmp_path):
    options = ["--metric", "labels-to(target=0.9)", "-o", str(tmp_path / "r.html")]
    result = CliRunner().invoke(main, ["report", str(store), *options])
    assert result.exit_code == 0, result.output
    assert "beyond*" in (tmp_path / "r.html").read_text()


def test_labels_needed_say_which_runs_did_not_complete(tmp_path):
    """One of six seeds is left: its median looks whole without a mark."""
    path = tmp_path / "store"
    made = Store(path, create=True)
    for seed in range(6):
        write(made, "d", "random", seed, [0.5, 0.6, 0.9])
        write(made, "d", "margin", seed, [0.5, 0.9, 0.9], "completed" if seed == 0 else "failed")
    for show in ("labels-to", "utilisation"):
        result = CliRunner().invoke(main, ["table", str(path), "--show", show])
        assert "* d / margin: 1 of 1 runs got there; 5 more did not complete" in result.output
