"""The published tables as they were printed, and their slips put right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from alcore_benchmark.datasets.load import BY_NAME
from alcore_benchmark.tables.published import Value, printed_columns, table, value
from alcore_benchmark.tables.targets import TARGETS


def mean(number: int, row: str, column: str = "Uniform") -> float:
    found = value(table(number)[row][column])
    assert found is not None
    return found.mean


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("83.95%", Value(83.95, None, 2)),
        ("92.95%±1.88%", Value(92.95, 1.88, 2)),
        ("80.07%±8.439%", Value(80.07, 8.439, 2)),
        ("62% -> 74.63%*", Value(74.63, None, 2)),
        ("28.44", Value(28.44, None, 2)),
        ("TLE", None),
        ("-", None),
        ("US -> MCM", None),
        ("", None),
    ],
)
def test_numbers_are_read_as_printed(cell: str, expected: Value | None) -> None:
    assert value(cell) == expected


@pytest.mark.parametrize("number", [target.number for target in TARGETS])
def test_every_row_is_a_data_set_of_the_benchmark(number: int) -> None:
    known, rows = set(BY_NAME), set(table(number))
    assert rows <= known if number != 23 else not rows & known


def test_table_8_has_its_rows_back() -> None:
    """Tables 10 and 11 tell: Dry Bean is above 90, Abalone about 20."""
    assert mean(8, "dry-bean") > 90
    assert mean(8, "abalone") < 25
    assert 85 < mean(8, "satellite") < 90
    assert 70 < mean(8, "academic-success") < 80


def test_every_printed_column_is_run() -> None:
    for target in TARGETS:
        if target.number in (3, 25):
            names = {row[f"{end}_QS"] for row in table(target.number).values() for end in ("BEST", "WORST")}
        elif target.number in (20, 21, 22):
            names = {"Uniform", "BSO"} if target.number == 20 else {"Mean", "SD"}
        elif target.number == 23:
            names = set(table(23))
        else:
            names = {column for row in table(target.number).values() for column in row}
        assert names <= set(target.columns), target.name


def test_uniform_of_table_20_is_that_of_table_19_but_for_the_seeds() -> None:
    gaps = [abs(mean(19, row) - mean(20, row)) for row in table(19)]
    assert len(gaps) == 26
    assert np.median(gaps) == 0


def test_labels_increase_with_the_share_of_the_full_accuracy() -> None:
    """So that Table 15 is 95 %. What does not increase are runs that were cut short."""
    less = {
        (row, column)
        for low, high in [(14, 15), (15, 5)]
        for row in table(high)
        for column in set(printed_columns(low, row)) & set(printed_columns(high, row))
        if mean(low, row, column) > mean(high, row, column)
    }
    assert less == {("covertype", "Graph"), ("ringnorm", "DWUS"), ("phishing", "HintSVM"), ("pol", "HintSVM")}


@pytest.mark.parametrize(("number", "strategy"), [(21, "Uniform"), (22, "BSO")])
def test_tables_20_to_22_are_the_readmes(shared: Path, number: int, strategy: str) -> None:
    readme = pd.read_csv(shared / "data" / "published" / "rbfsvm_summary_mean_sd.csv", index_col=["data", "strategy"])
    for row in table(number):
        there = readme.loc[(row, strategy)].astype(float) * 100
        assert (mean(number, row, "Mean"), mean(number, row, "SD")) == pytest.approx(tuple(there)), row
        assert mean(20, row, strategy) == mean(number, row, "Mean")


def test_columns_with_a_number_are_those_of_a_row() -> None:
    assert "BMDR" not in printed_columns(6, "sonar")
    assert "BMDR" in printed_columns(6, "parkinsons")
    assert printed_columns(6, "iris") == []
