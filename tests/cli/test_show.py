"""``alcore table --show``: each analysis of a small store as text and JSON, and what is said where none can be had."""

from __future__ import annotations

import json
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


def make_run(dataset: str, strategy: str, seed: int, position: int, metric: str = "accuracy", task: str = "knn") -> Run:
    def named(name: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "label": name, "params": {}} | more

    learner = {"label": f"knn->{task}" if task != "knn" else "knn", "query": named("knn", refit="scratch")}
    return Run(
        {
            "dataset": named(dataset, task="classification", fingerprint="0"),
            "strategy": named(strategy),
            "learner": learner | {"task": named(task, refit="scratch")},
            "seed": seed,
            "metrics": [named("log-loss") | {"label": metric} if metric == "loss" else named(metric)],
        },
        position,
    )


def ended(values: list[float], status: Status = Status.COMPLETED, metric: str = "accuracy") -> results.Result:
    records = [Record(t, NO_ROWS, NO_ROWS, 10 + t, {metric: value}, 0.5, 0.25) for t, value in enumerate(values)]
    return results.Result(status, "pool_exhausted" if status is Status.COMPLETED else "why", records)


GAIN = {"random": 0.0, "margin": 0.05, "entropy": 0.02}


def fill(path: Path, *, strategies: tuple[str, ...] = ("random", "margin", "entropy"), datasets: int = 3, seeds: int = 4) -> Path:  # fmt: skip # noqa: E501
    store = Store(path, create=True)
    position = 0
    for number in range(datasets):
        for seed in range(seeds):
            for strategy in strategies:
                gain = GAIN[strategy] + 0.001 * seed * (strategy == "margin")
                values = [0.5, 0.6 + gain + 0.01 * number, 0.8 + 0.002 * seed]
                store.write(make_run(f"d{number}", strategy, seed, position), ended(values))
                position += 1
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = fill(tmp_path_factory.mktemp("show") / "store")
    (path.parent / "facts.csv").write_text("dataset,n,d,imbalance\nd0,100,5,1.0\nd1,1000,60,1.5\nd2,500,50,\n")
    return path


def call(store: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["table", str(store), *options])


def lines(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def told(store: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("\n".join(lines(call(store, *options, "--json"))))
    return found


def test_best(store):
    found = lines(call(store, "--show", "best", "--digits", "2"))
    assert found[0] == "Best and worst mean aubc of accuracy"
    assert found[4] == "| d0      |     4 | margin | 0.65 | 0.00 | random | 0.63 | 0.00 |"


def test_value_at_counts_from_the_pool(store):
    found = told(store, "--show", "value-at", "--share", "0.9")
    assert found["pools"] == {"d0": 12, "d1": 12, "d2": 12}
    assert found["rows"][1] == {
        "dataset": "d0", "strategy": "margin", "mean": pytest.approx(0.6515), "sd": pytest.approx(0.00129, abs=1e-5),
        "n": 4, "total": 4, "ended": {},
    }  # fmt: skip


def test_labels_to(store):
    found = lines(call(store, "--show", "labels-to", "--share", "0.8"))
    assert found[0] == "Median number of labelled rows at which accuracy is 80 % of random's last value"
    assert found[4:7] == [
        "| d0      |     12 |     11 |      12 |",
        "| d1      |     12 |     11 |      12 |",
        "| d2      |     12 |     11 |      12 |",
    ]


def test_a_target_that_is_not_reached_is_counted(tmp_path):
    path = fill(tmp_path / "store", datasets=1)
    Store(path).write(make_run("d0", "margin", 9, 99), ended([0.5, 0.5]))
    Store(path).write(make_run("d0", "random", 9, 99), ended([0.5, 0.9]))
    found = lines(call(path, "--show", "labels-to", "--share", "0.8"))
    assert found[4].split("|")[3].strip() == "11*"
    assert found[-1] == "* d0 / margin: 4 of 5 runs got there"
    row = told(path, "--show", "labels-to", "--share", "0.8")["rows"][1]
    assert (row["reached"], row["mean"]) == (4, None)


def test_utilisation(store):
    found = lines(call(store, "--show", "utilisation", "--slack", "0.16", "--digits", "3"))
    assert found[2] == "| dataset | margin | entropy |"
    assert found[4] == "| d0      |  0.917 |   1.000 |"


def test_improvement(store):
    found = lines(call(store, "--show", "improvement", "--digits", "3"))
    assert found[4] == "| d0      | +0.026 + | +0.010 ? |"
    assert found[-2] == "? d2 / entropy: all differences are equal: there is no spread"
    assert found[-1].startswith("4 seeds only: with fewer than 5,")
    whole = told(store, "--show", "improvement", "--test", "wilcoxon")
    assert [row["verdict"] for row in whole["rows"][:2]] == ["tie", "tie"]  # four signed ranks cannot be sure
    assert whole["overall"][0]["datasets"] == 3


def test_ranks(store):
    found = lines(call(store, "--show", "ranks", "--digits", "2"))
    assert found[0] == "Average ranks of mean aubc of accuracy over data sets"
    assert found[4:7] == [
        "| margin   | 1.00 | 0.00 |     3 |         3 |",
        "| entropy  | 2.00 | 0.00 |     0 |         3 |",
        "| random   | 3.00 | 0.00 |     0 |         3 |",
    ]
    assert "Friedman: statistic 6, p = 0.050, 3 blocks" in found
    assert told(store, "--show", "ranks")["overall"][0]["posthoc"][0]["critical_difference"] == pytest.approx(1.9134, abs=1e-3)  # fmt: skip # noqa: E501


def test_views_and_properties_from_a_file(store):
    facts = str(store.parent / "facts.csv")
    found = told(store, "--show", "views", "--properties", facts)
    assert found["counts"] == {"all": 3, "LD": 1, "HD": 2, "SS": 2, "LS": 1, "BAL": 1, "IMB": 1}
    assert found["rows"][1] == {"strategy": "margin"} | dict.fromkeys(found["counts"], 0.0)
    rho = told(store, "--show", "properties", "--properties", facts)["correlations"]
    assert rho[2]["reason"] == "2 data sets; a correlation needs 3"


def test_data_sets_that_are_not_here_are_told(store):
    result = call(store, "--show", "views")
    assert result.exit_code == 2
    assert "the properties of some data sets are not known (d0: no dataset is called 'd0'" in result.stderr


def test_pairs(tmp_path):
    path = fill(tmp_path / "store", datasets=1, seeds=1)
    Store(path).write(make_run("d0", "margin", 0, 50, task="lda"), ended([0.5, 0.5, 0.5]))
    found = lines(call(path, "--show", "pairs", "--digits", "2"))
    assert found[2] == "| dataset | strategy | query learner |  knn |  lda |"
    assert "| d0      | margin   | knn           | 0.65 | 0.50 |" in found


def test_times(store):
    assert lines(call(store, "--show", "times", "--digits", "2"))[4] == (
        "| d0      | random   | 0.50 |  0.25 |   0.00 |  0.00 |  0.75 |      8 |      1.50 |"
    )


# --- little and awkward ----------------------------------------------------------------------------------------------

ALL = ["best", "value-at", "labels-to", "utilisation", "improvement", "ranks", "pairs", "times"]


@pytest.mark.parametrize("show", ALL)
def test_one_seed_one_data_set_two_strategies(show, tmp_path):
    path = fill(tmp_path / "store", strategies=("random", "margin"), datasets=1, seeds=1)
    assert told(path, "--show", show)["rows"]


def test_one_data_set_says_why_there_is_no_test(tmp_path):
    path = fill(tmp_path / "store", strategies=("random", "margin"), datasets=1)
    found = lines(call(path, "--show", "ranks"))
    assert found[-3:] == [
        "Friedman: 2 strategies; Friedman's test needs 3. See the paired tests",
        "Iman-Davenport: 2 strategies; Friedman's test needs 3. See the paired tests",
        "pairs: 1 complete block; tests need 2",
    ]


@pytest.fixture(scope="module")
def holes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A failed run, a strategy that misses a seed, and a data set with the baseline alone."""
    path = fill(tmp_path_factory.mktemp("holes") / "store", datasets=2, seeds=2)
    Store(path).write(make_run("d0", "margin", 5, 90), ended([0.5], Status.FAILED))
    Store(path).write(make_run("d0", "random", 5, 91), ended([0.5, 0.6, 0.7]))
    Store(path).write(make_run("d9", "random", 0, 92), ended([0.5, 0.6, 0.7]))
    return path


@pytest.mark.parametrize("missing", ["complete", "available", "drop", "worst"])
@pytest.mark.parametrize("show", ["best", "labels-to", "utilisation", "improvement", "ranks"])
def test_failed_and_missing_cells(show, missing, holes):
    assert told(holes, "--show", show, "--missing", missing)["rows"]


@pytest.mark.parametrize("show", ["value-at", "pairs", "times"])
def test_failed_and_missing_cells_of_means(show, holes):
    assert told(holes, "--show", show)["rows"]


def test_a_loss_under_a_label_of_its_own_is_a_loss(tmp_path):
    path = tmp_path / "store"
    store = Store(path, create=True)
    for position, (strategy, value) in enumerate((("random", 0.9), ("margin", 0.2))):
        store.write(make_run("d", strategy, 0, position, metric="loss"), ended([1.0, value], metric="loss"))
    assert told(path, "--show", "best")["rows"][0]["best"] == "margin"
    assert told(path, "--show", "improvement")["rows"][0]["mean"] == pytest.approx(0.35)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--show", "ranks", "--sd"], "--sd goes with --show means; --show ranks has no use for it."),
        (["--slack", "0.1"], "--slack goes with --show labels-to, utilisation; --show means has no use for it."),
        (["--show", "improvement", "--baseline", "randm"], "the baseline 'randm' is none of the strategies"),
        (["--show", "labels-to", "--share", "0.9", "--slack", "0.1"], "give share or slack"),
        (["--show", "views", "--properties", "none.csv"], "cannot read the properties none.csv: No such file"),
    ],
)
def test_wrong_questions(store, options, message):
    result = call(store, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")


def test_csv_has_the_tables_alone(store):
    result = call(store, "--show", "best", "--format", "csv", "--digits", "2")
    assert lines(result)[:2] == ["dataset,seeds,best,mean,sd,worst,mean,sd", "d0,4,margin,0.65,0.00,random,0.63,0.00"]
