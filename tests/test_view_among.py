"""A round as a part of a strategy sees it: some rows, shared fits, a generator of its own."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from alcore.errors import StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Task
from alcore.view import View

X = np.random.default_rng(3).normal(size=(20, 2))
START = np.array([11, 4, 7, 2])
SOME = np.array([13, 0, 19])


class First:
    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:n]


class Counted(LogisticRegression):  # type: ignore[misc]
    """Counts the rows that it is asked about."""

    asked: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Any:
        Counted.asked.append(-1)
        return super().fit(X, y)

    def predict_proba(self, X: Any) -> Any:
        Counted.asked.append(len(X))
        return super().predict_proba(X)


@pytest.fixture
def view() -> View:
    """A round of sixteen unlabelled rows."""
    Counted.asked = []
    state = State(Pool(X, Task.CLASSIFICATION, range(2)), First(), Recipe(Counted()), seed=5)
    state.add(START, np.array([0, 1, 1, 0]), start=True)
    return state.view("toy")


def test_only_these_rows_are_unlabelled(view: View) -> None:
    part = view.among(SOME)
    assert part.unlabeled.tolist() == [0, 13, 19]
    np.testing.assert_array_equal(part.X_unlabeled, X[[0, 13, 19]])
    assert not part.unlabeled.flags.writeable
    assert SOME.tolist() == [13, 0, 19]


def test_the_rest_of_the_round_is_the_same(view: View) -> None:
    part = view.among(SOME)
    assert (part.pool, part.t, part.ties) == (view.pool, view.t, view.ties)
    assert (part.labeled.tolist(), part.y.tolist()) == (view.labeled.tolist(), view.y.tolist())
    assert part.model is view.model
    assert part.masked_y(-1).tolist() == view.masked_y(-1).tolist()


def test_all_rows_by_default(view: View) -> None:
    part = view.among()
    assert part.unlabeled is view.unlabeled
    assert part.X_unlabeled is view.X_unlabeled
    assert part.proba is view.proba
    assert part.decision is view.decision


def test_only_what_is_seen_is_predicted(view: View) -> None:
    part = view.among(SOME)
    assert part.proba.shape == (3, 2)
    assert Counted.asked == [-1, 3]
    np.testing.assert_allclose(part.proba, view.model.predict_proba(X[part.unlabeled]))


def test_what_is_there_already_is_not_predicted_again(view: View) -> None:
    whole = view.proba
    part = view.among(SOME)
    np.testing.assert_array_equal(part.proba, whole[np.isin(view.unlabeled, SOME)])
    assert Counted.asked == [-1, 16]
    assert not part.proba.flags.writeable


def test_decision_values_are_those_of_the_rows(view: View) -> None:
    late = view.among(SOME).decision
    _ = view.decision
    np.testing.assert_allclose(view.among(SOME).decision, late)
    assert late.shape == (3,)


def test_scores_are_aligned_with_the_rows_seen(view: View) -> None:
    assert view.among(SOME).top([0.0, 2.0, 1.0], 2).tolist() == [13, 19]
    with pytest.raises(StrategyError, match="toy gave 16 scores for 3 unlabelled rows"):
        view.among(SOME).top(np.arange(16.0), 2)


def test_parts_and_the_whole_draw_differently_and_repeatably(view: View) -> None:
    def draws(of: View) -> list[tuple[int, ...]]:
        parts = [of, of.among(), of.among(SOME), of.among(SOME).among(SOME[:1])]
        return [tuple(one.rng.integers(1000, size=8).tolist()) for one in parts]

    again = State(view.pool, First(), Recipe(Counted()), seed=5)
    again.add(START, np.array([0, 1, 1, 0]), start=True)
    first = draws(view)
    assert len(set(first)) == 4
    assert draws(again.view()) == first


def test_a_part_does_not_disturb_the_generator_of_the_whole(view: View) -> None:
    again = State(view.pool, First(), Recipe(Counted()), seed=5)
    again.add(START, np.array([0, 1, 1, 0]), start=True)
    _ = view.among().rng.random(100)
    assert view.rng.random() == again.view().rng.random()


def test_twins_of_parts_have_seeds_of_their_own(view: View) -> None:
    twins = [view.new_learner(), view.among().new_learner(), view.among().new_learner(), view.new_learner()]
    assert len({twin.estimator.random_state for twin in twins}) == 4


def test_no_row_at_all(view: View) -> None:
    assert view.among(START[:0]).unlabeled.tolist() == []


def test_nothing_is_pending_in_a_simulation(view: View) -> None:
    assert view.pending.tolist() == []
    assert view.among(SOME).pending.tolist() == []


def test_rows_asked_for_are_pending(view: View) -> None:
    rest = view.without(SOME)
    assert rest.unlabeled.tolist() == [row for row in view.unlabeled.tolist() if row not in SOME]
    assert rest.pending.tolist() == [0, 13, 19]
    assert rest.without(rest.unlabeled[:1]).pending.tolist() == [0, 1, 13, 19]
    assert rest.among(rest.unlabeled[:2]).pending.tolist() == [0, 13, 19]
    np.testing.assert_allclose(rest.proba, view.proba[~np.isin(view.unlabeled, SOME)])


def test_rows_kept_from_being_asked_are_pending(view: View) -> None:
    state = State(view.pool, First(), Recipe(Counted()), seed=5)
    state.add(START, np.array([0, 1, 1, 0]), start=True)
    state.close([3, 9])
    assert state.view().pending.tolist() == [3, 9]
    assert state.view().without(SOME).pending.tolist() == [0, 3, 9, 13, 19]


@pytest.mark.parametrize("seen", [View.among, View.without])
@pytest.mark.parametrize(
    ("rows", "why"), [([0, 4], "labelled already"), ([0, 20], "labelled already"), ([0, 0], "some are there twice")]
)
def test_other_rows_are_refused(view: View, seen: Any, rows: list[int], why: str) -> None:
    with pytest.raises(StrategyError, match=f"toy chose among rows .*{why}"):
        seen(view, np.array(rows))
