"""Curve metrics, by hand; the exactness of a constant curve; the published variants of AUBC."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

from alcore import metrics
from alcore.errors import InputError
from alcore.protocols import Curve


def curve(labeled: Any, values: Any) -> Curve:
    return Curve(np.asarray(labeled, dtype=np.float64), np.asarray(values, dtype=np.float64))


def irregular(seed: int) -> np.ndarray:
    """Return label counts from a start set on, with batches of 1 to 17 rows."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.integers(1, 18, size=rng.integers(2, 60)))


# ---------------------------------------------------------------------------------------------------------------- aubc


def test_aubc_by_hand() -> None:
    """Over labels 10, 20, 25: (0.5 + 0.7)/2 * 10 + (0.7 + 0.9)/2 * 5 = 10, of a span of 15."""
    assert metrics.aubc(curve([10, 20, 25], [0.5, 0.7, 0.9])) == pytest.approx(10 / 15, rel=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_aubc_is_the_trapezoid_over_the_span(seed: int) -> None:
    labeled = irregular(seed)
    values = np.random.default_rng(seed).random(len(labeled))
    want = trapezoid(values, labeled) / (labeled[-1] - labeled[0])
    assert metrics.aubc(curve(labeled, values)) == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize("c", [0.0, 0.1, 1 / 3, 0.7, 0.8437, 1.0, -2.3, 1e-300, 1e12 + 0.1])
def test_aubc_of_a_constant_curve_is_that_constant_exactly(c: float) -> None:
    for seed in range(30):
        labeled = irregular(seed)
        assert metrics.aubc(curve(labeled, np.full(len(labeled), c))) == c


def test_aubc_does_not_depend_on_the_batch_size_along_a_line() -> None:
    """Of a straight line from 0 to 1, whatever points of it are measured, the area is one half."""
    for seed in range(10):
        labeled = irregular(seed)
        line = (labeled - labeled[0]) / (labeled[-1] - labeled[0])
        assert metrics.aubc(curve(labeled, line)) == pytest.approx(0.5, rel=1e-13)


def test_aubc_of_one_point_is_its_value() -> None:
    assert metrics.aubc(curve([20], [0.8])) == 0.8


@pytest.mark.parametrize("kind", ["standard", "ariapoy2023", "ariapoy2025"])
def test_aubc_of_a_curve_with_nan_is_nan(kind: Any) -> None:
    assert math.isnan(metrics.aubc(curve([1, 2, 3, 4], [0.5, 0.6, math.nan, 0.7]), kind=kind))


def test_aubc_2023_by_hand() -> None:
    """The start 0.1 is left out: ((0.5 + 0.7)/2 + (0.7 + 0.9)/2) / 3 queries."""
    assert metrics.aubc(curve([20, 21, 22, 23], [0.1, 0.5, 0.7, 0.9]), kind="ariapoy2023") == pytest.approx(1.4 / 3)


def test_aubc_2023_counts_queries_and_not_labels() -> None:
    values = [0.1, 0.5, 0.7, 0.9]
    assert metrics.aubc(curve([20, 25, 30, 32], values), kind="ariapoy2023") == pytest.approx(1.4 / 3)


def test_aubc_2025_by_hand() -> None:
    """dx = 5, and the label counts 20 to 35 are 16 numbers: 5 * 1.4 / 16."""
    assert metrics.aubc(curve([20, 25, 30, 35], [0.1, 0.5, 0.7, 0.9]), kind="ariapoy2025") == pytest.approx(7 / 16)


def test_aubc_2025_takes_the_first_batch_for_all() -> None:
    assert metrics.aubc(curve([20, 25, 30, 32], [0.1, 0.5, 0.7, 0.9]), kind="ariapoy2025") == pytest.approx(7 / 13)


@pytest.mark.parametrize(("kind", "want"), [("ariapoy2023", 42 / 43), ("ariapoy2025", 42 / 44)])
def test_the_published_kinds_are_biased_as_stated(kind: Any, want: float) -> None:
    """A constant curve of T = 43 queries, the size of the smallest published data set."""
    constant = curve(np.arange(20, 64), np.full(44, 0.5))
    assert metrics.aubc(constant, kind=kind) == pytest.approx(0.5 * want)


@pytest.mark.parametrize(("kind", "want"), [("ariapoy2023", 0.0), ("ariapoy2025", 0.0)])
def test_the_published_kinds_have_no_area_after_one_query(kind: Any, want: float) -> None:
    assert metrics.aubc(curve([20, 21], [0.5, 0.6]), kind=kind) == want


@pytest.mark.parametrize("kind", ["ariapoy2023", "ariapoy2025"])
def test_the_published_kinds_are_undefined_without_a_query(kind: Any) -> None:
    assert math.isnan(metrics.aubc(curve([20], [0.5]), kind=kind))


def test_aubc_refuses_an_unknown_kind_and_names_the_known() -> None:
    with pytest.raises(InputError, match=r"kind is 'zhan'.*standard.*ariapoy2023.*ariapoy2025"):
        metrics.aubc(curve([1, 2], [0, 1]), kind="zhan")  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------- start, end, final, labels-to

STAIRS = curve(range(10, 31), np.arange(21) / 100)  # labels 10 to 30, values 0.00 to 0.20


def test_start_quality_is_the_mean_over_the_first_tenth_of_the_span() -> None:
    """A tenth of a span of 20 is 2: labels 10, 11, 12."""
    assert metrics.start_quality(STAIRS) == pytest.approx(0.01)


def test_average_end_quality_is_the_mean_over_the_last_tenth_of_the_span() -> None:
    assert metrics.average_end_quality(STAIRS) == pytest.approx(0.19)


def test_share_sets_how_much_of_the_span_counts() -> None:
    assert metrics.start_quality(STAIRS, share=0.2) == pytest.approx(0.02)
    assert metrics.average_end_quality(STAIRS, share=0.2) == pytest.approx(0.18)


def test_share_zero_is_the_first_and_the_last_value() -> None:
    assert metrics.start_quality(STAIRS, share=0) == 0.0
    assert metrics.average_end_quality(STAIRS, share=0) == 0.2


def test_share_one_is_the_mean_of_all_points() -> None:
    assert metrics.start_quality(STAIRS, share=1) == metrics.average_end_quality(STAIRS, share=1) == pytest.approx(0.1)


def test_the_share_is_of_the_labels_and_not_of_the_rounds() -> None:
    """The one large batch is nine tenths of the span: the last tenth begins after it."""
    batches = curve([10, 100, 105, 110], [0.0, 0.4, 0.5, 0.9])
    assert metrics.start_quality(batches) == 0.0
    assert metrics.average_end_quality(batches) == pytest.approx(0.6)


def test_a_point_on_the_border_of_the_share_counts_despite_rounding() -> None:
    """Of the labels 0 to 100 and values 0 to 100, the first k per cent have the mean k / 2."""
    line = curve(range(101), range(101))
    shares = [k / 100 for k in range(101)]
    assert [metrics.start_quality(line, share=s) for s in shares] == pytest.approx([50 * s for s in shares])
    assert [metrics.average_end_quality(line, share=s) for s in shares] == pytest.approx([100 - 50 * s for s in shares])


@pytest.mark.parametrize("metric", [metrics.start_quality, metrics.average_end_quality])
def test_start_and_end_quality_of_a_constant_curve_are_that_constant_exactly(metric: Any) -> None:
    assert metric(curve(range(100), np.full(100, 0.1)), share=0.7) == 0.1


@pytest.mark.parametrize("metric", [metrics.start_quality, metrics.average_end_quality])
@pytest.mark.parametrize("share", [-0.1, 1.5, math.nan, "0.1"])
def test_a_share_outside_0_to_1_is_refused(metric: Any, share: Any) -> None:
    with pytest.raises(InputError, match=r"share is .*from 0 to 1"):
        metric(STAIRS, share=share)


@pytest.mark.parametrize("metric", [metrics.start_quality, metrics.average_end_quality, metrics.final])
def test_a_curve_of_one_point_is_its_value(metric: Any) -> None:
    assert metric(curve([20], [0.8])) == 0.8


def test_final_is_the_last_value() -> None:
    assert metrics.final(curve([1, 2, 3], [0.5, 0.9, 0.7])) == 0.7


def test_labels_to_is_the_first_label_count_at_the_target() -> None:
    """It is reached at 30 and lost again; at 20 it is missed by little, and nothing is interpolated."""
    assert metrics.labels_to(curve([10, 20, 30, 40], [0.5, 0.79, 0.8, 0.7]), target=0.8) == 30


def test_labels_to_of_the_start_set_is_its_size() -> None:
    assert metrics.labels_to(curve([10, 20], [0.9, 0.5]), target=0.8) == 10


def test_labels_to_of_a_target_never_reached_is_nan() -> None:
    assert math.isnan(metrics.labels_to(curve([10, 20], [0.5, math.nan]), target=0.8))


def test_labels_to_of_a_loss_is_where_it_has_fallen_to_the_target() -> None:
    assert metrics.labels_to(curve([10, 20, 30], [0.5, 0.2, 0.1]), target=0.2, greater_is_better=False) == 20


@pytest.mark.parametrize("target", [math.nan, math.inf, "0.9"])
def test_labels_to_refuses_a_target_that_is_no_finite_number(target: Any) -> None:
    with pytest.raises(InputError, match=r"target is .*finite number"):
        metrics.labels_to(curve([1, 2], [0, 1]), target=target)


# ------------------------------------------------------------------------------------------------------ what all refuse

ALL = {
    "aubc": metrics.aubc,
    "start-quality": metrics.start_quality,
    "average-end-quality": metrics.average_end_quality,
    "final": metrics.final,
    "labels-to": lambda points: metrics.labels_to(points, target=0.5),
}


@pytest.mark.parametrize("name", ALL)
def test_an_empty_curve_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no point"):
        ALL[name](curve([], []))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("labeled", [[1, 3, 2], [1, 2, 2], [1, math.nan, 3]])
def test_label_counts_that_do_not_increase_are_refused(name: str, labeled: list[float]) -> None:
    with pytest.raises(InputError, match="label counts increase"):
        ALL[name](curve(labeled, [0.1, 0.2, 0.3]))


@pytest.mark.parametrize("name", ALL)
def test_a_curve_metric_is_a_python_float_and_leaves_the_curve_alone(name: str) -> None:
    points = curve([10, 20, 25], [0.5, 0.7, 0.9])
    points.labeled.setflags(write=False)
    points.values.setflags(write=False)
    assert type(ALL[name](points)) is float
