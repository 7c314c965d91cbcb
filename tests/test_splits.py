"""Which rows are asked for, which are held out, and which are labelled at the start: sizes, shares and streams."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from alcore.dataset import Dataset
from alcore.errors import InputError, SkippedError
from alcore.splits import split, start_set
from alcore.types import Labels, Rows, Task

counts_of_classes = st.lists(st.integers(1, 12), min_size=1, max_size=6).filter(lambda counts: sum(counts) >= 2)


def data(y: Any, **more: Any) -> Dataset:
    return Dataset("toy", np.zeros((len(y), 1)), y, **more)


def labels(counts: list[int]) -> Labels:
    """Codes with these counts, in no order."""
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


def tally(y: Labels, rows: Rows, k: int) -> list[int]:
    tallied: list[int] = np.bincount(y[rows], minlength=k).tolist()
    return tallied


def fairest(counts: list[int], size: int, fewest: list[int], most: list[int]) -> float:
    """The least sum of squared distances from the shares that any choice within the bounds has, by trying all."""
    quota = [size * count / sum(counts) for count in counts]
    ranges = [range(low, high + 1) for low, high in zip(fewest, most, strict=True)]
    return min(distance(take, quota) for take in product(*ranges) if sum(take) == size)


def distance(take: Any, quota: list[float]) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(take, quota, strict=True)))


def start(y: Any, k: int, method: Any = "random", size: int = 5, need_all: bool = False, **more: Any) -> Rows:
    task = more.pop("task", Task.CLASSIFICATION)
    return start_set(np.asarray(y), k, task, method=method, size=size, need_all=need_all, **({"seed": 0} | more))


@pytest.mark.parametrize("method", ["random", "stratified"])
@pytest.mark.parametrize(
    ("n", "test_size", "expected"),
    [(10, 0.4, 4), (11, 0.4, 4), (9, 0.4, 4), (7, 0.5, 4), (2, 0.01, 1), (2, 0.99, 1), (30, 0.01, 1), (30, 0.999, 29)],
)
def test_the_test_set_has_the_nearest_number_of_rows(method: Any, n: int, test_size: float, expected: int) -> None:
    pool, test = split(data(np.arange(n) % 2), method, test_size, seed=0)
    assert (len(pool), len(test)) == (n - expected, expected)


@given(counts=counts_of_classes, share=st.floats(0.001, 0.999), seed=st.integers(0, 50))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("method", ["random", "stratified"])
def test_every_row_is_on_one_side(method: Any, counts: list[int], share: float, seed: int) -> None:
    y = labels(counts)
    pool, test = split(data(y), method, share, seed)
    assert sorted([*pool, *test]) == [*range(len(y))]
    assert len(pool) >= 1
    assert len(test) >= 1
    assert (np.diff(pool) > 0).all()
    assert (np.diff(test) > 0).all()


@given(counts=st.lists(st.integers(1, 7), min_size=2, max_size=4), share=st.floats(0.05, 0.95), seed=st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_a_stratified_test_set_is_as_near_to_the_shares_as_can_be(counts: list[int], share: float, seed: int) -> None:
    y, n, k = labels(counts), sum(counts), len(counts)
    _, test = split(data(y), "stratified", share, seed)
    size, several = len(test), [count > 1 for count in counts]
    fewest = [int(one and size >= sum(several)) for one in several]
    most = [count - (size <= n - k) for count in counts]
    take = tally(y, test, k)
    assert all(low <= m <= high for low, m, high in zip(fewest, take, most, strict=True))
    assert distance(take, [size * count / n for count in counts]) == pytest.approx(fairest(counts, size, fewest, most))


def test_stratified_shares_by_hand() -> None:
    y = labels([50, 30, 20])
    _, test = split(data(y), "stratified", 0.15, seed=1)  # quotas 7.5, 4.5, 3: the first of equal remainders
    assert tally(y, test, 3) == [8, 4, 3]


def test_the_only_row_of_a_class_is_in_the_pool() -> None:
    y = labels([40, 1, 30, 1])
    for seed in range(5):
        pool, test = split(data(y), "stratified", 0.4, seed)
        assert tally(y, pool, 4)[1::2] == [1, 1]
        assert len(test) == round(0.4 * 72)


def test_a_test_set_smaller_than_the_number_of_classes() -> None:
    y = np.repeat(np.arange(10), 3)
    _, test = split(data(y), "stratified", 0.1, seed=0)
    assert sorted(tally(y, test, 10)) == [0] * 7 + [1] * 3


def test_all_classes_have_one_row() -> None:
    pool, test = split(data(np.arange(10)), "stratified", 0.4, seed=0)
    assert (len(pool), len(test)) == (6, 4)


def test_which_rows_of_a_class_are_held_out_is_chance() -> None:
    y = labels([30, 30])
    held = np.zeros(60)
    for seed in range(200):
        held[split(data(y), "stratified", 0.5, seed)[1]] += 1
    assert held.min() > 60  # of a binomial with mean 100 and standard deviation 7
    assert held.max() < 140


def test_a_test_part_of_its_own() -> None:
    own = data([0, 1, 0, 1], test=(np.ones((2, 1)), [0, 1]))
    pool, test = split(own, "given", 0.4, seed=0)
    assert pool.tolist() == [0, 1, 2, 3]
    assert test.tolist() == []
    assert test.dtype == np.intp


def test_no_test_part_of_its_own() -> None:
    with pytest.raises(InputError, match=r'toy has no test part of its own; use split.method = "random"'):
        split(data([0, 1]), "given", 0.4, seed=0)


@pytest.mark.parametrize("y", [np.linspace(0.1, 0.9, 8), np.eye(2, dtype=int)[[0, 1] * 4]], ids=["targets", "labels"])
def test_strata_need_classes(y: NDArray[Any]) -> None:
    with pytest.raises(InputError, match=r'toy is (regression|multilabel); split.method = "stratified" needs classes'):
        split(data(y), "stratified", 0.4, seed=0)
    assert len(split(data(y), "random", 0.5, seed=0)[0]) == 4


@pytest.mark.parametrize("test_size", [0.0, 1.0, -0.1, 3, float("nan")])
def test_a_test_size_is_a_share(test_size: float) -> None:
    with pytest.raises(InputError, match=r"the test size is .*; give the share of rows to test on, between 0 and 1"):
        split(data([0, 1, 1]), "random", test_size, seed=0)


@pytest.mark.parametrize("method", ["random", "stratified"])
def test_one_row_cannot_be_split(method: Any) -> None:
    with pytest.raises(InputError, match="toy has 1 row; a pool and a test set need one each"):
        split(data([0]), method, 0.4, seed=0)


@pytest.mark.parametrize("method", ["random", "stratified"])
def test_one_seed_one_split(method: Any) -> None:
    y = labels([20, 20])
    same = [split(data(y), method, 0.4, seed=3)[1].tolist() for _ in range(2)]
    assert same[0] == same[1]
    assert split(data(y), method, 0.4, seed=4)[1].tolist() != same[0]


def test_a_random_split_does_not_look_at_labels() -> None:
    one, two = labels([20, 20]), labels([35, 5])
    assert split(data(one), "random", 0.4, 0)[1].tolist() == split(data(two), "random", 0.4, 0)[1].tolist()


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (5, 5), (12, 12), (100, 12)])
@pytest.mark.parametrize("method", ["random", "stratified"])
def test_the_size_of_a_start_set(method: Any, size: int, expected: int) -> None:
    rows = start(np.arange(12) % 3, 3, method, size)
    assert len(rows) == expected
    assert rows.dtype == np.intp
    assert len(set(rows.tolist())) == expected


@given(counts=st.lists(st.integers(1, 7), min_size=2, max_size=4), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_stratified_start_set_is_as_near_to_the_shares_as_can_be(counts: list[int], data: st.DataObject) -> None:
    size = data.draw(st.integers(0, sum(counts)))
    y, n, k = labels(counts), sum(counts), len(counts)
    take = tally(y, start(y, k, "stratified", size), k)
    fewest = [int(size >= k)] * k
    assert sum(take) == size
    assert min(take) >= fewest[0]
    quota = [size * count / n for count in counts]
    assert distance(take, quota) == pytest.approx(fairest(counts, size, fewest, counts))


def test_a_stratified_start_has_a_row_of_each_class_while_there_is_room() -> None:
    y = labels([91, *[1] * 9])
    assert tally(y, start(y, 10, "stratified", 10), 10) == [1] * 10
    assert tally(y, start(y, 10, "stratified", 12), 10) == [3] + [1] * 9
    assert tally(y, start(y, 10, "stratified", 9), 10)[0] >= 8  # no room: by share


@pytest.mark.parametrize(("size", "expected"), [(0, [0, 0, 0]), (1, [1, 1, 1]), (3, [3, 3, 2]), (9, [9, 4, 2])])
def test_a_start_by_class(size: int, expected: list[int]) -> None:
    y = labels([9, 4, 2])
    rows = start(y, 3, "per-class", size)
    assert tally(y, rows, 3) == expected
    assert len(set(rows.tolist())) == sum(expected)


def test_a_start_by_class_is_in_no_order_of_classes() -> None:
    y = np.repeat([0, 1], 20)
    assert any(np.diff(y[start(y, 2, "per-class", 10)]) < 0)


def test_a_class_that_the_pool_lacks() -> None:
    assert tally(np.array([0, 0, 2, 2]), start([0, 0, 2, 2], 3, "per-class", 1), 3) == [1, 0, 1]
    assert len(start([0, 0, 2, 2], 3, "stratified", 3)) == 3


@pytest.mark.parametrize(("method", "size"), [("random", 1), ("stratified", 1), ("per-class", 1)])
def test_a_start_that_lacks_a_class_is_skipped_on_request(method: Any, size: int) -> None:
    y = [0, 0, 2, 2]
    assert len(start(y, 3, method, size)) >= 1
    lacking = 1 if method == "per-class" else 2
    with pytest.raises(SkippedError, match=f"the start set of {3 - lacking} rows lacks {lacking} of 3 classes"):
        start(y, 3, method, size, need_all=True)


def test_a_start_that_has_all_classes_is_not_skipped() -> None:
    assert tally(labels([5, 5]), start(labels([5, 5]), 2, "stratified", 2, need_all=True), 2) == [1, 1]


@pytest.mark.parametrize("task", [Task.REGRESSION, Task.MULTILABEL])
def test_a_start_of_a_task_without_classes(task: Task) -> None:
    y = np.linspace(0, 1, 8) if task is Task.REGRESSION else np.eye(8, 3, dtype=int)
    assert len(start(y, 3, task=task)) == 5
    for method in ("stratified", "per-class"):
        with pytest.raises(
            InputError, match=f'the task is {task}; start.method = "{method}" needs classes. Use "random"'
        ):
            start(y, 3, method, task=task)
    with pytest.raises(InputError, match=f'the task is {task}; start.classes = "all" needs classes. Use "any"'):
        start(y, 3, need_all=True, task=task)


@pytest.mark.parametrize("method", ["random", "stratified", "per-class"])
def test_a_start_set_cannot_have_less_than_no_row(method: Any) -> None:
    with pytest.raises(InputError, match="the start set's size is -1; give 0 rows or more"):
        start([0, 1, 0, 1], 2, method, -1)


@pytest.mark.parametrize("method", ["random", "stratified", "per-class"])
def test_one_seed_one_start(method: Any) -> None:
    y = labels([20, 20])
    assert start(y, 2, method, seed=3).tolist() == start(y, 2, method, seed=3).tolist()
    assert start(y, 2, method, seed=3).tolist() != start(y, 2, method, seed=4).tolist()


def test_a_random_start_is_one_of_a_larger_one() -> None:
    y = labels([20, 20])
    assert start(y, 2, size=3).tolist() == start(y, 2, size=9)[:3].tolist()


# --- the published benchmark ----------------------------------------------------------------------------------------


def test_the_published_split_shuffles_all_rows_and_then_the_pool_again() -> None:
    pool, test = split(data(np.repeat([0, 1], 6)), "published", 0.4, seed=3)
    rows = np.arange(12)
    np.random.default_rng(3).shuffle(rows)
    again = rows[:7].copy()
    np.random.default_rng(3).shuffle(again)
    assert pool.tolist() == again.tolist()
    assert test.tolist() == rows[7:].tolist()


def test_the_first_rows_of_the_pool_start() -> None:
    assert start([0, 1, 1, 0, 1], 2, "first", 3).tolist() == [0, 1, 2]
    assert start([0, 1], 2, "first", 9).tolist() == [0, 1]


def test_the_first_rows_may_lack_a_class() -> None:
    with pytest.raises(SkippedError, match="lacks 1 of 2 classes"):
        start([0, 0, 1], 2, "first", 2, need_all=True)
