"""What a table runs, and its lines: which are compared with the printed ones, and what is told where not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from alcore import InputError, Store, plugins, stats
from alcore.cli import main
from alcore.execute import execute
from alcore.plan import plan
from alcore.results import Result
from alcore.types import Status
from alcore_benchmark.datasets.load import BY_NAME as DATA
from alcore_benchmark.tables import quantities, remake
from alcore_benchmark.tables.targets import BY_NAME


def records(columns: list[str], dataset: str = "appendicitis") -> pd.DataFrame:
    frames = []
    for seed in range(2):
        for place, column in enumerate(columns):
            head: dict[str, Any] = {"run": f"{column}/{seed}", "dataset": dataset, "strategy": column, "seed": seed}
            head |= dict.fromkeys(("learner", "query_learner", "task_learner"), "one")
            values = [0.5, 0.6 + place / 100 + seed / 50, 0.7 + place / 100]
            rounds = {"t": range(3), "n_labeled": [20, 21, 22], "accuracy": values}
            frames.append(pd.DataFrame(head | rounds | {"status": "completed", "reason": "budget_spent"}))
    return pd.concat(frames, ignore_index=True)


def filled(folder: Path, name: str, columns: list[str]) -> Store:
    """A store with seed 0 of these columns on Appendicitis."""
    store = Store(folder)
    for column in columns:
        one = remake.experiment(BY_NAME[name], DATA["appendicitis"], column, [0])
        for run in plan(one, plugins.loaded().registry):
            store.write(run, execute(run))
    return store


def lines(name: str, columns: list[str]) -> list[remake.Line]:
    return remake.lines(BY_NAME[name], [DATA["appendicitis"]], columns, records(columns), {})


def test_ranks_among_fewer_strategies_are_not_compared() -> None:
    some, every = lines("table6", ["US", "MCM"]), lines("table6", list(BY_NAME["table6"].columns))
    assert {line.verdict for line in some} == {"not comparable"}
    assert "DWUS" in some[0].note
    assert "not comparable" not in {line.verdict for line in every}


def test_views_of_fewer_data_sets_are_not_compared() -> None:
    found = lines("table23", ["US-NC", "MCM", "BSO"])
    assert {line.verdict for line in found} == {"not comparable", "not computed"}
    assert {line.dataset for line in found} == {"US-NC", "MCM"}


def test_a_deviation_is_shown_as_one() -> None:
    [mean, sd] = lines("table21", ["Mean", "SD"])
    assert mean.ours is not None
    assert sd.ours is not None
    assert (mean.ours.sd, sd.published) == (pytest.approx(sd.ours.mean), remake.Value(3.63, None, 2))
    assert sd.verdict in ("within noise", "differs")


def test_table_3_prints_the_best_and_the_worst_only() -> None:
    assert [line.published and line.published.mean for line in lines("table3", ["US", "DWUS", "Hier"])] == [
        82.85, 80.74, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns", "note"),
    [
        ("table4", ["US"], "the start set has more labels already"),
        ("table5", ["Uniform", "US"], "no seed got there"),
        ("table23", ["US-C", "BSO"], "no data set of this view ran"),
    ],
)
def test_runs_that_give_no_number_say_why(name: str, columns: list[str], note: str) -> None:
    frame = records(columns)
    late = (frame["t"] == 2) & (frame["strategy"] == "Uniform")
    found = remake.lines(
        BY_NAME[name], [DATA["appendicitis"]], columns, frame.assign(accuracy=late + frame["accuracy"]), {}
    )
    assert {line.verdict for line in found if note in line.note} == {"not computed"}


@pytest.mark.usefixtures("data")
def test_columns_of_one_strategy_share_their_runs_with_other_tables() -> None:
    registry = plugins.loaded().registry
    ids = [
        [run.id for run in plan(remake.experiment(BY_NAME[name], DATA["appendicitis"], column, [0]), registry)]
        for name, column in [("table21", "Mean"), ("table21", "SD"), ("table19", "Uniform"), ("table20", "Uniform")]
    ]
    assert ids[1:] == ids[:-1]


@pytest.mark.usefixtures("data")
def test_columns_with_other_query_learners_stand_in_one_table(tmp_path: Path) -> None:
    store = filled(tmp_path, "table23", ["US-C", "US-NC"])
    found, lacking = remake.run(BY_NAME["table23"], [DATA["appendicitis"]], ["US-C", "US-NC"], [0], store)
    assert not lacking
    assert found.groupby("strategy")["query_learner"].unique().str[0].nunique() == 2
    assert set(found["learner"]) == {"rbf-svm"}
    assert len(stats.seed_blocks(quantities.areas(found)).complete) == 1


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("name", "columns"),
    [("table7", ["US"]), ("table10", ["Uniform"]), ("table21", ["Mean", "SD"])],
)
def test_a_table_has_what_it_is_measured_by(name: str, columns: list[str], tmp_path: Path) -> None:
    target, entry = BY_NAME[name], DATA["appendicitis"]
    store = filled(tmp_path, name, target.needs(columns))
    found = remake.lines(target, [entry], columns, *remake.run(target, [entry], columns, [0], store))
    assert [(line.column, line.ours and line.ours.n) for line in found] == [(column, 1) for column in columns]


@pytest.mark.usefixtures("data")
def test_seeds_that_did_not_complete_are_told(tmp_path: Path) -> None:
    target, entry = BY_NAME["table19"], DATA["appendicitis"]
    for run in plan(remake.experiment(target, entry, "US-C", [0, 1]), plugins.loaded().registry):
        Store(tmp_path).write(run, Result(Status.SKIPPED, "a class is missing"), ["accuracy"])
    [line] = remake.lines(target, [entry], ["US-C"], *remake.run(target, [entry], ["US-C"], [0, 1], Store(tmp_path)))
    assert (line.verdict, line.note) == ("not computed", "2 of the seeds skipped: a class is missing")


@pytest.mark.usefixtures("data")
def test_table_8_has_one_test_set_and_start_sets_of_each_seed() -> None:
    runs = plan(remake.experiment(BY_NAME["table8"], DATA["wine"], "Uniform", [0, 1]), plugins.loaded().registry)
    assert [(run.config["split"]["method"], run.config["split"]["seed"]) for run in runs] == [("published", 0)] * 2
    assert [(run.config["start"]["method"], run.config["start"]["seed"]) for run in runs] == [("random", None)] * 2
    assert runs[0].config["start"]["size"] == 30


@pytest.mark.usefixtures("data")
def test_a_table_of_large_data_sets_says_which_are_here() -> None:
    with pytest.raises(InputError, match="--datasets phishing,dry-bean"):
        remake.choose(BY_NAME["table11"], [], [])


@pytest.mark.usefixtures("data")
def test_view_scores_are_of_the_data_sets_of_their_table() -> None:
    entries, _ = remake.choose(BY_NAME["table23"], [], [])
    assert len(entries) == 19  # the 20 with fewer than 2,000 rows; Tic is in no public file
    assert all(entry.classes == 2 for entry in entries)


@pytest.mark.usefixtures("data")
def test_under_a_table_stands_how_many_differ_by_chance(tmp_path: Path) -> None:
    filled(tmp_path, "table21", ["Mean", "SD"])
    words = ["reproduce", "table21", "--datasets", "appendicitis", "--seeds", "1", "--store", str(tmp_path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "nan" not in result.output
    assert "0 same, 0 within noise, 0 differs, 2 not compared. By chance alone, 5 % of the 0 compared" in result.output
