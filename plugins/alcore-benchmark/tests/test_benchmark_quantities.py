"""The arithmetic of the tables, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from alcore import Curve
from alcore_benchmark.datasets.catalogue import TABLE
from alcore_benchmark.tables import quantities
from alcore_benchmark.tables.published import Value
from alcore_benchmark.tables.quantities import Cell
from alcore_benchmark.tables.remake import verdict


def curve(*values: float, start: int = 20) -> Curve:
    return Curve(np.arange(start, start + len(values), dtype=float), np.array(values))


def test_the_published_area_loses_one_interval() -> None:
    assert quantities.areas({0: curve(0.1, 0.8, 0.8, 0.8, 0.8)}) == {0: pytest.approx(0.8 * 3 / 4)}


def test_value_at_a_number_of_labels() -> None:
    both = {0: curve(0.5, 0.6, 0.7), 1: curve(0.4, 0.5)}
    assert quantities.values_at(both, 21) == [0.6, 0.5]
    assert quantities.values_at(both, 22) == [0.7]
    assert quantities.values_at(both, 19) == []


def test_labels_to_a_share_of_the_full_value_leave_out_what_never_got_there() -> None:
    both = {0: curve(0.5, 0.89, 0.9, 1.0), 1: curve(0.5, 0.5)}
    assert quantities.labels_to(both, {0: 1.0, 1: 1.0}, 0.9) == [22.0]


def test_utilisation_is_a_ratio_of_labels() -> None:
    ours, uniform = {0: curve(0.5, 0.8)}, {0: curve(0.5, 0.6, 0.7, 0.8)}
    assert quantities.utilisation(ours, uniform, {0: 0.8}, 0.01) == [21 / 23]


def test_ranks_share_ties_and_use_common_seeds() -> None:
    found = quantities.ranks({"a": {0: 0.9, 1: 0.5}, "b": {0: 0.8, 1: 0.5}, "c": {0: 0.7, 1: 0.6, 2: 0.9}})
    assert found == {"a": [1.0, 2.5], "b": [2.0, 2.5], "c": [3.0, 1.0]}


def test_views_split_the_data_sets() -> None:
    sizes = {view: sum(belongs(entry) for entry in TABLE) for view, belongs in quantities.VIEWS.items()}
    assert sizes["B"] == 40
    assert sizes["LD"] + sizes["HD"] == sizes["SS"] + sizes["LS"] == sizes["BAL"] + sizes["IMB"] == 40


def test_the_interval_is_students() -> None:
    cell, one = Cell.of([1.0, 2.0, 3.0]), Cell.of([1.0])
    assert cell is not None
    assert one is not None
    assert cell.half_width == pytest.approx(4.302652729911275 / math.sqrt(3))
    assert math.isnan(one.half_width)
    assert Cell.of([]) is None


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        (Value(83.95, None, 2), Cell(83.9549, 3.0, 100), "same"),
        (Value(83.95, None, 2), Cell(83.2, 3.0, 100), "within noise"),
        (Value(83.95, None, 2), Cell(83.0, 3.0, 100), "differs"),
        (Value(83.95, 0.1, 2), Cell(83.2, 0.1, 100), "differs"),
        (Value(83.95, None, 2), Cell(83.2, float("nan"), 1), "one seed"),
        (None, Cell(1, 1, 2), "not published"),
        (Value(1, None, 0), None, "not computed"),
    ],
)
def test_a_verdict_says_what_a_cell_means(published: Value | None, ours: Cell | None, expected: str) -> None:
    assert verdict(published, ours, 100) == expected
