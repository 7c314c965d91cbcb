"""``alcore table``: means over seeds of a small store, as text and JSON, and what it says to a wrong question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from alcore import plugins, results
from alcore.cli import main
from alcore.decorators import comparison_metric, spec_of
from alcore.protocols import Curves, Record
from alcore.results import Run
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)


def make_run(dataset: str, strategy: str, seed: int, learner: str = "knn", position: int = 0) -> Run:
    def named(name: str) -> dict[str, Any]:
        return {"name": name, "label": name, "params": {}}

    one = named(learner) | {"refit": "scratch"}
    return Run(
        {
            "dataset": named(dataset) | {"task": "classification"},
            "strategy": named(strategy),
            "learner": {"label": learner, "query": one, "task": one},
            "seed": seed,
            "metrics": [named("accuracy"), named("f1-macro")],
        },
        position,
    )


def ended(*values: float, status: Status = Status.COMPLETED) -> results.Result:
    """Return the result of a run with these accuracies; macro F1 is a tenth less."""
    records = [
        Record(t, NO_ROWS, NO_ROWS, 10 + t, {"accuracy": value, "f1-macro": value - 0.1})
        for t, value in enumerate(values)
    ]
    return results.Result(status, "why", records)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two data sets, two strategies, two seeds; one run failed, and one pair was not run."""
    path = tmp_path / "store"
    store = Store(path, create=True)
    runs = [
        (make_run("wine", "random", 0), ended(0.5, 0.7)),
        (make_run("wine", "random", 1), ended(0.5, 0.9)),
        (make_run("wine", "margin", 0), ended(0.6, 0.8)),
        (make_run("wine", "margin", 1), ended(0.6, status=Status.FAILED)),
        (make_run("moons", "random", 0), ended(0.3, 0.5)),
        (make_run("moons", "random", 1), ended(0.3, 0.5)),
    ]
    for position, (run, result) in enumerate(runs):
        store.write(replace(run, position=position), result)
    return path


@pytest.fixture
def table(store: Path) -> Callable[..., Result]:
    def call(*options: str) -> Result:
        return CliRunner().invoke(main, ["table", str(store), *options])

    return call


def lines(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


# --- text ------------------------------------------------------------------------------------------------------------


def test_text(table):
    assert lines(table()) == [
        "Mean aubc of accuracy",
        "",
        "| dataset | random |  margin |",
        "| ------- | -----: | ------: |",
        "| wine    | 0.6500 | 0.7000* |",
        "| moons   | 0.4000 |       - |",
        "* wine / margin: 1 of 2 runs; 1 failed",
    ]


def test_round_metric(table):
    assert lines(table("--metric", "f1-macro", "--digits", "2"))[0:5] == [
        "Mean f1-macro at the end",
        "",
        "| dataset | random | margin |",
        "| ------- | -----: | -----: |",
        "| wine    |   0.70 |  0.70* |",
    ]


def test_curves_of_another_round_metric(table):
    found = lines(table("--of", "f1-macro"))
    assert found[0] == "Mean aubc of f1-macro"
    assert found[4] == "| wine    | 0.5500 | 0.6000* |"


def test_metric_with_parameters(table):
    found = lines(table("--metric", "labels-to(target=0.7)"))
    assert found[0] == "Mean labels-to(target=0.7) of accuracy"
    assert found[4] == "| wine    | 11.0000 | 11.0000* |"
    assert found[-2:] == [
        "* wine / margin: 1 of 2 runs; 1 failed",
        "* moons / random: 0 of 2 runs got there, so that there is no mean",
    ]


def test_standard_deviation(table):
    assert lines(table("--sd"))[4] == "| wine    | 0.6500 ± 0.0707 | 0.7000* |"


def test_rows_and_columns(table):
    assert lines(table("--rows", "strategy,seed", "--columns", "dataset"))[2:] == [
        "| strategy | seed |    wine |  moons |",
        "| -------- | ---- | ------: | -----: |",
        "| random   | 0    |  0.6000 | 0.4000 |",
        "| random   | 1    |  0.7000 | 0.4000 |",
        "| margin   | 0    |  0.7000 |      - |",
        "| margin   | 1    | failed* |      - |",
        "* margin / 1 / wine: 0 of 1 runs; 1 failed",
    ]


def test_names_may_have_spaces_and_columns_be_joined(table):
    assert lines(table("--rows", "dataset", "--columns", "strategy, seed"))[2] == (
        "| dataset | random / 0 | random / 1 | margin / 0 | margin / 1 |"
    )


def test_rows_of_data_sets_as_columns_are_learners(table):
    assert lines(table("--columns", "dataset"))[2] == "| learner |    wine |  moons |"


def test_rows_tell_learners_apart_where_there_are_several(table, store):
    Store(store).write(make_run("wine", "margin", 0, learner="lda", position=9), ended(0.1, 0.1))
    assert lines(table())[2:7] == [
        "| dataset | learner | random |  margin |",
        "| ------- | ------- | -----: | ------: |",
        "| wine    | knn     | 0.6500 | 0.7000* |",
        "| moons   | knn     | 0.4000 |       - |",
        "| wine    | lda     |      - |  0.1000 |",
    ]


def test_csv_has_the_table_alone_and_notes_go_elsewhere(table):
    result = table("--format", "csv")
    assert lines(result) == ["dataset,random,margin", "wine,0.6500,0.7000*", "moons,0.4000,-"]
    assert result.stderr == "* wine / margin: 1 of 2 runs; 1 failed\n"


def test_latex(table):
    assert lines(table("--format", "latex"))[:5] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"dataset & random & margin \\",
        r"\midrule",
        r"wine & 0.6500 & 0.7000* \\",
    ]


# --- JSON ------------------------------------------------------------------------------------------------------------


def cells(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads("\n".join(lines(result)))["cells"]
    return found


def test_json(table):
    whole = json.loads("\n".join(lines(table("--json"))))
    assert (whole["metric"], whole["of"]) == ("aubc", "accuracy")
    first, second, third = whole["cells"]
    assert first == {
        "dataset": "wine", "strategy": "random", "mean": pytest.approx(0.65), "sd": pytest.approx(0.05 * 2**0.5),
        "n": 2, "total": 2, "ended": {},
    }  # fmt: skip
    assert second == {
        "dataset": "wine", "strategy": "margin", "mean": pytest.approx(0.7), "sd": None,
        "n": 1, "total": 2, "ended": {"failed": 1},
    }  # fmt: skip
    assert (third["dataset"], third["strategy"]) == ("moons", "random")


def test_json_has_null_for_no_score(table):
    found = cells(table("--json", "--metric", "labels-to(target=0.95)"))
    assert [cell["mean"] for cell in found] == [None, None, None]


# --- comparison metrics ----------------------------------------------------------------------------------------------


@comparison_metric("toys.gain", summary="Mean of the last values less the baseline's")
def gain(curves: Mapping[str, Curves], baseline: str) -> dict[str, float]:
    def last(found: Sequence[Any]) -> float:
        return float(np.mean([curve.values[-1] for curve in found]))

    return {strategy: last(found) - last(curves[baseline]) for strategy, found in curves.items()}


@pytest.fixture
def _gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison metric among the plugins."""
    registry = plugins.loaded().registry.copy()
    registry.add([spec_of(gain)], "toys", "1")
    with_gain = replace(plugins.loaded(), registry=registry)
    monkeypatch.setattr(plugins, "loaded", lambda: with_gain)


@pytest.mark.usefixtures("_gain")
def test_comparison_with_a_baseline(table):
    assert lines(table("--metric", "toys.gain", "--digits", "1"))[4] == "| wine    |    0.0 |   0.0* |"
    assert [cell["mean"] for cell in cells(table("--json", "--metric", "toys.gain", "--baseline", "margin"))] == [
        pytest.approx(0.0), pytest.approx(0.0), None,
    ]  # fmt: skip


@pytest.mark.usefixtures("_gain")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--baseline", "randm"],
         "the baseline 'randm' is none of the strategies random, margin. Did you mean 'random'?"),
        (["--sd"], "toys.gain gives all runs of a strategy one score: there is no spread for --sd to show."),
    ],
)  # fmt: skip
def test_comparison_that_cannot_be_made(table, options, message):
    result = table("--metric", "toys.gain", *options)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


# --- wrong questions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "aubcc"], "no metric is called 'aubcc'. Did you mean 'aubc'?"),
        (["--metric", "log-loss"], "'log-loss' was not recorded; there is accuracy, f1-macro."),
        (["--metric", "labels-to"], "labels-to needs the parameter 'target'."),
        (["--of", "f1-micro"], "'f1-micro' was not recorded; there is accuracy, f1-macro. Did you mean 'f1-macro'?"),
        (["--rows", "datset"], "'datset' cannot make rows or columns; use dataset, strategy, learner, "),
        (["--columns", "sed"], "'sed' cannot make rows or columns; use dataset, strategy, learner, "),
        (["--rows", ""], "'' cannot make rows or columns"),
        (["--rows", "strategy"], "strategy makes rows or columns twice; use it once."),
    ],
)  # fmt: skip
def test_wrong_question(table, options, message):
    result = table(*options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")


def test_no_store(tmp_path):
    result = CliRunner().invoke(main, ["table", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: there is no store at {tmp_path / 'none'}; `alcore run EXPERIMENT.toml --store DIR` makes one.\n"
    )


def test_empty_store(tmp_path):
    result = CliRunner().invoke(main, ["table", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr == f"Error: the store {tmp_path} holds no finished run yet.\n"
