"""Scores become rows, and answers are checked, in one place each."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from alcore.errors import InputError, StrategyError
from alcore.select import ULPS, check, tied, top

INF = float("inf")
EPS, MOST = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).max)
few_values = st.sampled_from([-INF, -1.5, -0.0, 0.0, 2.0, INF])  # drawn often, so that there are ties
scores = st.lists(few_values | st.floats(allow_nan=False), max_size=30)


def by_sorting(values: Any, n: int) -> list[int]:
    """Return the n best positions by the plainest possible means: sort all by score, then by position."""
    return sorted(range(len(values)), key=lambda i: (-values[i], i))[:n]


def levels_of(values: list[float], share: float | None = None) -> list[list[int]]:
    """Return positions in levels: again and again the largest value and what is within rounding of it."""
    share = ULPS * EPS if share is None else share
    apart = share * max((abs(value) for value in values if abs(value) < INF), default=0.0)
    left, found = list(range(len(values))), list[list[int]]()
    while left:
        best = max(values[i] for i in left)
        near = [i for i in left if abs(best) < INF and values[i] >= max(best - apart, -MOST)]
        found.append(near or [i for i in left if values[i] == best])
        left = [i for i in left if i not in found[-1]]
    return found


def by_levels(values: list[float], n: int, share: float | None = None) -> list[int]:
    """Return the n best positions: those of a level by position."""
    return [i for level in levels_of(values, share) for i in level][:n]


@settings(deadline=None)
@given(scores, st.integers(0, 35))
def test_exact_is_a_full_sort_with_ties_by_position(values: list[float], n: int) -> None:
    assert top(values, n, ties="exact", rounding=0.1).tolist() == by_sorting(values, n)


@settings(deadline=None)
@given(scores, st.integers(0, 35), st.sampled_from([None, 0.0, 1e-20, 1e-3]))
def test_first_is_by_position_within_rounding(values: list[float], n: int, rounding: float | None) -> None:
    expected = by_levels(values, n, 0.0 if rounding == 0 else max(rounding or 0.0, ULPS * EPS))
    assert top(values, n, ties="first", rounding=rounding).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), max_size=25), st.integers(0, 30))
def test_near_ties_are_levels_whose_width_is_bounded(steps: list[int], n: int) -> None:
    values = [1.0 - step * EPS / 2 for step in steps]
    assert top(values, n, ties="first").tolist() == by_levels(values, n)


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=25), st.integers(1, 30))
def test_more_rows_keep_the_rows_before_them(steps: list[int], n: int) -> None:
    values = [1.0 - step * EPS / 2 for step in steps]
    assert top(values, n, ties="first").tolist() == top(values, len(values), ties="first").tolist()[:n]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2])
def test_the_rounding_is_that_of_the_type(dtype: type, n: int) -> None:
    near, far = (1.0 - ulps * float(np.finfo(dtype).eps) for ulps in (ULPS, 3 * ULPS))
    assert top(np.array([0.0, far, near, 1.0], dtype=dtype), n, ties="first").tolist() == [2, 3][:n]


def test_the_rounding_is_that_of_the_largest_magnitude() -> None:
    assert top([-1e-15, 0.0, -1.0], 1, ties="first").tolist() == [0]
    assert top([-1e-15, 0.0, -INF], 1, ties="first").tolist() == [1]
    assert top([-1e-9, 0.0, -1e8], 1, ties="first").tolist() == [0]


def test_integers_have_no_rounding() -> None:
    assert top(np.array([2**62 - 1, 2**62]), 1, ties="first").tolist() == [1]


def test_rounding_is_a_share_of_the_largest_magnitude() -> None:
    values = [99.5, 100.0, 98.0, 2.0]
    assert top(values, 1, ties="first").tolist() == [1]
    assert top(values, 1, ties="first", rounding=0.01).tolist() == [0]
    assert top(values, 3, ties="first", rounding=0.01).tolist() == [0, 1, 2]
    assert top(values, 1, ties="exact", rounding=0.01).tolist() == [1]


@settings(deadline=None)
@given(scores.filter(len), st.floats(0.0, 0.01))
def test_tied_are_the_values_that_top_would_draw_from(values: list[float], rounding: float) -> None:
    rng = np.random.default_rng(0)
    mask = tied(values, rounding=rounding)
    assert mask.any()
    assert mask[top(values, 1, rng, rounding=rounding)].all()
    assert sorted(top(values, int(mask.sum()), rng, rounding=rounding).tolist()) == np.flatnonzero(mask).tolist()
    assert np.flatnonzero(tied(values, ties="exact")).tolist() == np.flatnonzero(np.equal(values, max(values))).tolist()


def test_tied_needs_a_value_that_is_a_number() -> None:
    with pytest.raises(InputError, match="one value or more"):
        tied([])
    with pytest.raises(StrategyError, match="mine gave NaN"):
        tied([1.0, float("nan")], who="mine")


@pytest.mark.parametrize("n", [1, 2])
def test_every_near_tie_is_equally_likely_wherever_it_stands(n: int) -> None:
    values = np.array([1.0 - 2 * EPS, 0.3, 1.0, 1.0 - EPS, -0.5, 1.0 - 3 * EPS])
    for order in (np.arange(6), np.random.default_rng(5).permutation(6)):
        rng = np.random.default_rng(4)
        counts = Counter(order[i] for _ in range(2400) for i in top(values[order], n, rng))
        assert set(counts) == {0, 2, 3, 5}
        assert chisquare(list(counts.values())).pvalue > 0.01


@settings(deadline=None)
@given(scores, st.integers(0, 35), st.integers(0, 2**32))
def test_random_differs_from_a_full_sort_only_within_ties(values: list[float], n: int, seed: int) -> None:
    chosen = top(values, n, np.random.default_rng(seed)).tolist()
    level = {i: number for number, those in enumerate(levels_of(values)) for i in those}
    assert [level[i] for i in chosen] == sorted(level.values())[:n]
    assert len(set(chosen)) == len(chosen)


@settings(deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2), min_size=1, max_size=20), st.integers(1, 20))
def test_integer_scores_keep_their_precision(values: list[int], n: int) -> None:
    assert top(np.array(values, dtype=np.int64), n, ties="first").tolist() == by_sorting(values, n)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint64, np.int8, np.float16, np.float32])
@pytest.mark.parametrize("n", [1, 3])
def test_every_real_dtype_is_ranked(dtype: type, n: int) -> None:
    values = np.array([0, 1, 0, 1, 1], dtype=dtype)
    assert top(values, n, ties="first").tolist() == [1, 3, 4][:n]


@pytest.mark.parametrize("ties", ["first", "random"])
def test_the_order_is_descending(ties: Any) -> None:
    values = np.random.default_rng(0).permutation(50)
    chosen = top(values, 20, np.random.default_rng(1), ties)
    assert values[chosen].tolist() == list(range(49, 29, -1))


@pytest.mark.parametrize(
    ("values", "n", "outcomes"),
    [
        ([0, 3, 3, 1, 3], 1, [(1,), (2,), (4,)]),
        ([3, 3, 5, 3], 2, [(2, 0), (2, 1), (2, 3)]),
        ([5, 5, 1, 1, 0], 3, [(0, 1, 2), (0, 1, 3), (1, 0, 2), (1, 0, 3)]),
        ([7, 7, 7, 7], 3, list(permutations(range(4), 3))),
        ([-INF, -INF, INF], 2, [(2, 0), (2, 1)]),
    ],
)
def test_ties_are_broken_uniformly(values: list[float], n: int, outcomes: list[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(12345)
    counts = Counter(tuple(top(values, n, rng).tolist()) for _ in range(2400))
    assert set(counts) == set(outcomes)
    assert chisquare([counts[outcome] for outcome in outcomes]).pvalue > 0.01


def test_equal_generators_break_ties_equally() -> None:
    first, second = (top(np.zeros(30), 10, np.random.default_rng(7)).tolist() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("n", [1, 4])
def test_a_function_that_makes_the_generator_is_as_good_as_the_generator(n: int) -> None:
    made = top(np.zeros(30), n, lambda: np.random.default_rng(7))
    assert made.tolist() == top(np.zeros(30), n, np.random.default_rng(7)).tolist()


@pytest.mark.parametrize(("n", "ties"), [(0, "random"), (1, "random"), (1, "first"), (2, "first")])
def test_no_generator_is_made_where_none_is_needed(n: int, ties: Any) -> None:
    made: list[int] = []
    top([3.0, 1.0, 2.0], n, lambda: made.append(1) or np.random.default_rng(7), ties)
    assert made == []


@pytest.mark.parametrize("n", [0, 1, 2, 4, 9])
def test_rows_are_intp_and_no_more_than_there_are(n: int) -> None:
    chosen = top([0.5, 0.1, 0.5, 0.9], n, np.random.default_rng(0))
    assert chosen.dtype == np.intp
    assert len(chosen) == min(n, 4)


def test_no_candidates_give_no_rows() -> None:
    assert top([], 3, ties="first").shape == (0,)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_read_only_scores_are_ranked_and_left_alone(n: int) -> None:
    values = np.array([2.0, 9.0, 2.0, 5.0, 2.0, 7.0])
    before = values.copy()
    values.setflags(write=False)
    assert sorted(before[top(values, n, np.random.default_rng(0))]) == sorted(before)[-n:]
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_nan_names_the_strategy_and_counts(n: int) -> None:
    with pytest.raises(StrategyError, match=r"^mine\.margin gave NaN for 2 of 3 rows; .*score such rows -inf"):
        top([np.nan, 1.0, np.nan], n, np.random.default_rng(0), who="mine.margin")


@pytest.mark.parametrize(
    ("values", "given"),
    [
        (np.zeros((3, 1)), r"shape \(3, 1\) and dtype float64"),
        (0.5, r"shape \(\) and dtype float64"),
        (["a", "b"], r"shape \(2,\) and dtype <U1"),
        ([1.0, None], r"shape \(2,\) and dtype object"),
        ([1j, 2j], r"shape \(2,\) and dtype complex128"),
        ([[1.0], [2.0, 3.0]], "list that is no array"),
    ],
)
def test_scores_that_are_no_numbers_name_the_strategy(values: Any, given: str) -> None:
    with pytest.raises(StrategyError, match=rf"^mine gave .*{given}"):
        top(values, 1, ties="first", who="mine")


def test_a_negative_n_is_refused() -> None:
    with pytest.raises(InputError, match="n is -1; ask for 0 rows or more"):
        top([1.0], -1, ties="first")


def test_random_ties_need_a_generator() -> None:
    with pytest.raises(InputError, match='ties="random" needs rng'):
        top([1.0, 2.0], 1)


@pytest.mark.parametrize("n", [1, 2])
def test_an_unknown_way_to_break_ties_is_refused(n: int) -> None:
    with pytest.raises(InputError, match='ties is \'last\'; use "random", "first" or "exact"'):
        top([1.0, 1.0], n, np.random.default_rng(0), ties="last")  # type: ignore[arg-type]


UNLABELED = np.array([True, False, True, True, False, True])


@pytest.mark.parametrize("answer", [[5], [3, 0], (2, 3, 5), np.array([0, 2], dtype=np.uint8), [5, 3, 2, 0]])
def test_a_right_answer_comes_back_in_its_order(answer: Any) -> None:
    rows = check(answer, UNLABELED, len(answer), who="mine")
    assert rows.tolist() == list(answer)
    assert rows.dtype == np.intp


def test_an_empty_answer_is_right_for_no_rows() -> None:
    assert check([], UNLABELED, 0, who="mine").tolist() == []


def test_the_checked_rows_are_a_copy() -> None:
    answer = np.array([0, 2])
    rows = check(answer, UNLABELED, 2, who="mine")
    answer[0] = 5
    assert rows.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("answer", "n", "message"),
    [
        (None, 1, r"answered with shape \(\) and dtype object; a query returns integer rows"),
        (3, 1, r"answered with shape \(\) and dtype int64"),
        ([[0], [2]], 2, r"answered with shape \(2, 1\)"),
        ([0.0, 2.0], 2, r"answered with shape \(2,\) and dtype float64"),
        (UNLABELED, 6, r"answered with shape \(6,\) and dtype bool"),
        (["0", "2"], 2, r"answered with shape \(2,\) and dtype <U1"),
        ([[0], [2, 3]], 2, r"gave list that is no array"),
        ([0, 2, 3], 2, r"answered 3 rows where 2 were asked"),
        ([], 1, r"answered 0 rows where 1 were asked"),
        ([0, 6], 2, r"answered row 6, outside the pool of 6 rows \(0 to 5\)"),
        ([6], 1, r"answered row 6, outside the pool of 6 rows \(0 to 5\)"),
        ([-1, 0], 2, r"answered row -1, outside the pool"),
        ([-1], 1, r"answered row -1, outside the pool"),
        ([2, 0, 2], 3, r"answered row 2 more than once in one batch"),
        ([0, 4], 2, r"answered row 4, which is labelled already.*return view\.unlabeled\[positions\]"),
        ([1], 1, r"answered row 1, which is labelled already"),
    ],
)
def test_every_breach_has_its_message(answer: Any, n: int, message: str) -> None:
    with pytest.raises(StrategyError, match=rf"^mine {message}"):
        check(answer, UNLABELED, n, who="mine")


@settings(deadline=None)
@given(st.lists(st.integers(-2, 7), max_size=4), st.integers(0, 4))
def test_check_accepts_exactly_the_answers_that_keep_the_contract(answer: list[int], n: int) -> None:
    right = len(answer) == n == len(set(answer)) and set(answer) <= {0, 2, 3, 5}
    if right:
        assert check(answer, UNLABELED, n, who="mine").tolist() == answer
    else:
        with pytest.raises(StrategyError):
            check(answer, UNLABELED, n, who="mine")


def test_rounding_0_knows_no_rounding_and_chance_still_breaks_what_is_equal() -> None:
    more = 1.0 + 2 * np.finfo(float).eps
    close = np.array([1.0, more, 0.5, more])
    found = {tuple(top(close, 1, np.random.default_rng(seed), rounding=0)) for seed in range(20)}

    assert found == {(1,), (3,)}
    assert {tuple(top(close, 1, np.random.default_rng(seed))) for seed in range(20)} == {(0,), (1,), (3,)}
