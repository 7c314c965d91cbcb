"""What cells mean beside the printed ones: tests at the 5 % level, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t, ttest_ind

from alcore.stats import Cell
from alcore_benchmark.tables.published import Value
from alcore_benchmark.tables.verdicts import summary, verdict, verdict_of_deviation


def cell(mean: float, sd: float = math.nan, n: int = 100) -> Cell:
    return Cell(mean, sd, n, n, {})


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        (Value(83.95, None, 2), cell(83.9549, 3.0), "same"),
        (Value(83.95, None, 2), cell(83.2, 3.0), "within noise"),
        (Value(83.95, None, 2), cell(83.0, 3.0), "differs"),
        (Value(83.95, 0.1, 2), cell(83.2, 0.1), "differs"),
        (Value(83.95, None, 2), cell(83.2, n=1), "too few seeds"),
        (Value(20.5, None, 2), cell(20, 0, 2), "too few seeds"),
        (None, cell(1, 1, 2), "not published"),
        (Value(1, None, 0), None, "not computed"),
    ],
)
def test_a_verdict_says_what_a_cell_means(published: Value | None, ours: Cell | None, expected: str) -> None:
    assert verdict(published, ours, 100) == expected


@pytest.mark.parametrize(("factor", "expected"), [(0.99, "within noise"), (1.01, "differs")])
def test_without_a_printed_deviation_two_seeds_have_one_degree_of_freedom(factor: float, expected: str) -> None:
    away = factor * t.ppf(0.975, 1) * 3 * math.sqrt(1 / 2 + 1 / 100)
    assert verdict(Value(80, None, 4), cell(80 + away, 3, 2), 100) == expected


@pytest.mark.parametrize("ours", [[79.0, 84.0], [80.5, 80.9, 84.0], [81.0, 82.1, 82.9, 84.0, 81.4]])
def test_with_a_printed_deviation_the_verdict_is_welchs(ours: list[float]) -> None:
    rng = np.random.default_rng(0)
    theirs = rng.normal(80, 2, 10)
    published = Value(float(theirs.mean()), float(theirs.std(ddof=1)), 9)
    p = ttest_ind(ours, theirs, equal_var=False).pvalue
    made = cell(float(np.mean(ours)), float(np.std(ours, ddof=1)), len(ours))
    assert verdict(published, made, 10) == ("differs" if p < 0.05 else "within noise")


def test_two_seeds_differ_by_chance_one_time_in_twenty() -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(1000):
        values, printed = rng.normal(80, 3, 2), rng.normal(80, 3, 100).mean()
        found.append(verdict(Value(printed, None, 9), cell(values.mean(), values.std(ddof=1), 2), 100))
    assert 25 < found.count("differs") < 75


@pytest.mark.parametrize(
    ("ours", "expected"), [(3.63, "same"), (3.3, "within noise"), (2.7, "differs"), (4.7, "differs")]
)
def test_a_deviation_is_compared_as_one(ours: float, expected: str) -> None:
    assert verdict_of_deviation(Value(3.63, None, 2), cell(ours), 100) == expected


def test_the_summary_says_how_many_differ_by_chance() -> None:
    verdicts = ["same"] * 5 + ["within noise"] * 30 + ["differs"] * 5 + ["not computed", "not comparable"]
    assert summary(verdicts) == (
        "5 same, 30 within noise, 5 differs, 2 not compared. By chance alone, 5 % of the 40 compared differ: 2.0."
    )
