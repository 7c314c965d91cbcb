"""The quantities of the tables, by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from alcore.stats import Cell
from alcore_benchmark.datasets.load import BY_NAME as DATA
from alcore_benchmark.tables import quantities
from alcore_benchmark.tables.published import table, value
from alcore_benchmark.tables.targets import BY_NAME, Target

Curves = Mapping[str, Sequence[Sequence[float]]]
"""By column, the values of each seed from 20 labels on."""


def records(curves: Curves, dataset: str = "appendicitis") -> pd.DataFrame:
    frames = []
    for column, seeds in curves.items():
        for seed, values in enumerate(seeds):
            head: dict[str, Any] = {"run": f"{dataset}/{column}/{seed}", "dataset": dataset, "strategy": column}
            head |= dict.fromkeys(("learner", "query_learner", "task_learner"), "xgboost") | {"seed": seed}
            rounds = range(len(values))
            columns = {"t": rounds, "n_labeled": [20 + t for t in rounds], "accuracy": values}
            frames.append(pd.DataFrame(head | columns | {"status": "completed", "reason": "budget_spent"}))
    return pd.concat(frames, ignore_index=True)


def made(number: int, curves: Curves, dataset: str = "appendicitis") -> quantities.Cells:
    target = BY_NAME[f"table{number}"]
    return quantities.cells(target, [DATA[dataset]], list(curves), records(curves, dataset))


def means(number: int, curves: Curves, dataset: str = "appendicitis") -> dict[str, float]:
    return {column: cell.mean for (_, column), cell in made(number, curves, dataset).items()}


def test_the_published_area_loses_one_interval() -> None:
    assert means(3, {"US": [[0.1, 0.8, 0.8, 0.8, 0.8]]}) == {"US": pytest.approx(0.8 * 3 / 4)}


def test_a_cell_is_over_the_seeds_that_completed() -> None:
    frame = records({"US": [[0.5, 0.8, 0.8], [0.5, 0.6, 0.6], [0.5, 0.9]]})
    frame.loc[frame["seed"] == 2, "status"] = "timeout"
    [cell] = quantities.cells(BY_NAME["table3"], [DATA["appendicitis"]], ["US"], frame).values()
    assert cell == Cell(pytest.approx(0.35), pytest.approx(0.1 / math.sqrt(2)), 2, 3, {"timeout": 1})


def test_a_value_is_read_at_a_share_of_the_pool() -> None:
    """Sonar's pool has 124 rows: 25 of them are 20 %."""
    assert means(4, {"US": [[0.5, 0.5, 0.5, 0.5, 0.5, 0.7, 0.9]]}, "sonar") == {"US": 0.7}


def test_a_share_that_the_start_set_exceeds_has_no_value() -> None:
    assert means(4, {"US": [[0.5, 0.6, 0.7]]}) == {}


@pytest.mark.parametrize(("dataset", "expected"), [("sonar", 124), ("spambase", 2760), ("ringnorm", 3000)])
def test_shares_are_of_the_pool_or_of_the_budget(dataset: str, expected: int) -> None:
    assert quantities.labels(DATA[dataset]) == expected


def test_batches_are_compared_at_the_end_of_the_budget() -> None:
    assert means(11, {"10": [[0.5, 0.7, 0.6]], "100": [[0.5, 0.8]]}, "phishing") == {"10": 0.6, "100": 0.8}


def test_labels_to_a_share_of_the_full_value_leave_out_what_never_got_there() -> None:
    curves = {"Uniform": [[0.5, 0.6, 0.7, 1.0], [0.5, 1.0]], "US": [[0.5, 0.89, 0.9, 1.0], [0.5, 0.5]]}
    assert means(14, curves) == {"Uniform": 22.0, "US": 22.0}
    assert made(14, curves)["appendicitis", "US"].n == 1


def test_utilisation_is_a_ratio_of_labels_seed_by_seed() -> None:
    curves = {"Uniform": [[0.5, 0.6, 0.7, 0.8], [0.7, 0.8]], "US": [[0.5, 0.8], [0.6, 0.8]]}
    found = made(7, curves)
    assert list(found) == [("appendicitis", "US")]
    assert found["appendicitis", "US"].mean == pytest.approx((21 / 23 + 21 / 21) / 2)


@pytest.mark.parametrize("number", [5, 7])
def test_nothing_is_measured_by_a_baseline_that_did_not_run(number: int) -> None:
    assert made(number, {"US": [[0.5, 0.8]]}) == {}


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7, 11, 23])
@pytest.mark.parametrize("columns", [["Uniform"], ["Uniform", "US-C", "US"]])
def test_where_nothing_completed_there_is_no_cell(number: int, columns: list[str]) -> None:
    frame = records({column: [[0.5, 0.6, 0.7]] for column in columns}).assign(
        status="skipped", reason="a class is missing"
    )
    assert quantities.cells(BY_NAME[f"table{number}"], [DATA["appendicitis"]], columns, frame) == {}


def test_strategies_that_were_not_ranked_have_no_rank() -> None:
    assert made(6, {"BMDR": [[0, 0.9, 0.9]]}, "sonar") == {}


def test_ranks_share_ties_and_use_common_seeds() -> None:
    curves = {
        "US": [[0, 0.9, 0.9], [0, 0.5, 0.5]],
        "QBC": [[0, 0.8, 0.8], [0, 0.5, 0.5]],
        "MCM": [[0, 0.7, 0.7], [0, 0.6, 0.6], [0, 0.9, 0.9]],
    }
    assert means(6, curves) == {"US": 1.75, "QBC": 2.25, "MCM": 2.0}


def test_what_was_not_ranked_is_not_ranked() -> None:
    """BMDR was not finished on Sonar."""
    curves = {"US": [[0, 0.8, 0.8]], "BMDR": [[0, 0.9, 0.9]], "MCM": [[0, 0.7, 0.7]]}
    assert means(6, curves, "sonar") == {"US": 1.0, "MCM": 2.0}
    assert means(6, curves, "parkinsons") == {"US": 2.0, "BMDR": 1.0, "MCM": 3.0}


@pytest.mark.parametrize("number", [6, 27])
def test_printed_ranks_add_up_to_those_of_the_strategies_with_a_number(number: int) -> None:
    for row, cells in table(number).items():
        ranks = [found.mean for cell in cells.values() if (found := value(cell)) is not None]
        assert sum(ranks) == pytest.approx(len(ranks) * (len(ranks) + 1) / 2, abs=0.1), row


@pytest.mark.parametrize(("target", "expected"), [("table5", ["US", "Uniform"]), ("table3", ["US"])])
def test_the_baseline_runs_where_it_is_the_measure(target: str, expected: list[str]) -> None:
    one: Target = BY_NAME[target]
    assert one.needs(["US"]) == expected
    assert one.column("Uniform").strategy == {"name": "uniform-published"}
