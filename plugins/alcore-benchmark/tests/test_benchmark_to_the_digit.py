"""Margin sampling reproduces the published value of every seed to five digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import Curve, plugins
from alcore.cli import main
from alcore.execute import execute
from alcore.experiment import parse
from alcore.metrics.curves import aubc
from alcore.plan import plan
from alcore_benchmark import per_seed
from alcore_benchmark.datasets.catalogue import TABLE
from alcore_benchmark.datasets.load import BY_NAME as DATA
from alcore_benchmark.presets import LOGISTIC, RBF_SVM
from alcore_benchmark.tables import remake
from alcore_benchmark.tables.targets import BY_NAME

PUBLISHED = "appendicitis sonar ex8b heart haberman ionosphere breast wdbc australian gcloudb"
"""The data sets of fewer than 2,000 rows whose seeds are published and whose file is the published one."""

SMALL = [entry.name for entry in TABLE if entry.name in PUBLISHED.split()]


def area(dataset: str, seed: int, learner: Any = RBF_SVM) -> float:
    raw = {"name": "one", "preset": "published", "datasets": [dataset], "strategies": ["margin"], "seeds": [seed]}
    registry = plugins.loaded().registry
    [run] = plan(parse(raw | {"learners": [learner]}, registry), registry)
    result = execute(run)
    assert result.status == "completed", result.reason
    labels = np.array([float(record.n_labeled) for record in result.records])
    return aubc(Curve(labels, np.array([r.metrics["accuracy"] for r in result.records])), kind="ariapoy2023")


@pytest.fixture
def file(shared: Path) -> Path:
    return shared / "data" / "published" / "margin_aubc_per_seed.csv"


@pytest.mark.slow
@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("dataset", SMALL)
def test_margin_with_an_svm(file: Path, dataset: str, seed: int) -> None:
    assert round(area(dataset, seed), 5) == per_seed.published(file)[dataset, "RBFSVM", "RBFSVM", seed]


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(("query", "task"), [("LR", "LR"), ("LR", "RBFSVM"), ("RBFSVM", "LR")])
def test_pairs_of_learners_agree_up_to_near_ties(file: Path, query: str, task: str) -> None:
    learners = {"LR": LOGISTIC, "RBFSVM": RBF_SVM}
    pair = learners[query] if query == task else {"query": learners[query], "task": learners[task]}
    there = per_seed.published(file)["appendicitis", query, task, 0]
    assert area("appendicitis", 0, pair) == pytest.approx(there, abs=2e-3)


@pytest.mark.usefixtures("data")
def test_the_command_prints_both_and_a_verdict(file: Path, tmp_path: Path) -> None:
    words = ["reproduce", "margin-per-seed", "--datasets", "appendicitis", "--seeds", "2", "--store", str(tmp_path),
             "--jobs", "1", "--published", str(file)]  # fmt: skip
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "0.86290" in result.output
    assert "2 same." in result.output
    again = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["runs"]
    assert [(one["seed"], one["published"], one["ours"], one["verdict"]) for one in again] == [
        (0, 0.8629, 0.8629, "same"),
        (1, 0.81855, 0.81855, "same"),
    ]


@pytest.mark.usefixtures("data")
def test_a_table_says_what_was_printed_and_what_came_out(tmp_path: Path) -> None:
    words = ["reproduce", "table19", "--datasets", "appendicitis", "--strategies", "Uniform,US-C", "--seeds", "3",
             "--store", str(tmp_path), "--jobs", "1", "--json"]  # fmt: skip
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    cells = json.loads(result.stdout)["cells"]
    assert [(cell["column"], cell["published"]["mean"], cell["ours"]["n"]) for cell in cells] == [
        ("Uniform", 83.95, 3),
        ("US-C", 84.54, 3),
    ]
    margin = sum(area("appendicitis", seed) for seed in range(3)) / 3
    assert cells[1]["ours"]["mean"] == pytest.approx(100 * margin)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("dataset", "table", "column", "budget", "batch"),
    [
        ("appendicitis", "table19", "US-C", "all", 1),
        ("banana", "table19", "US-C", "all", 1),
        ("banana", "table3", "US", 3000, 1),
        ("banana", "table11", "10", 3000, 10),
    ],
)
def test_budget_and_batch_are_those_of_the_table(
    dataset: str, table: str, column: str, budget: Any, batch: int
) -> None:
    made = remake.experiment(BY_NAME[table], DATA[dataset], column, [0])
    assert (made.budget, made.batch) == (budget, batch)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table19", "--datasets", "apendicitis"], "Did you mean 'appendicitis'?"),
        (["table19", "--strategies", "US-X"], "table19 has no column 'US-X'"),
        (["margin-per-seed", "--published", "no.csv"], "there is no file no.csv"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["reproduce", *words])
    assert result.exit_code == 2
    assert message in result.output


def test_without_data_the_way_out_is_told(nothing: Path) -> None:
    words = ["reproduce", "table19", "--datasets", "appendicitis", "--seeds", "1", "--json"]
    result = CliRunner().invoke(main, [*words, "--store", str(nothing / "store")])
    assert result.exit_code == 0
    [note] = {cell["note"] for cell in json.loads(result.stdout)["cells"]}
    assert "ALCORE_DATA" in note
