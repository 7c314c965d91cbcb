"""The labelled rows of one run: what the strategy sees, what it may answer, and when a learner is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore import rng
from alcore.decorators import FunctionStrategy
from alcore.errors import InputError, PairingError, StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Labels, Rows
from alcore.view import View

X = np.arange(12.0)[:, None]
Y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
POOL = Pool(X, classes=("low", "middle", "high"))


class First:
    """Asks for the first unlabelled rows."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


class Likeliest:
    """Uses the learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.top(view.proba.max(axis=1), n)


class Told(First):
    """Notes all that it is told."""

    def __init__(self) -> None:
        self.pool: Pool | None = None
        self.drawn = -1
        self.updates: list[tuple[Rows, Labels]] = []

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.pool, self.drawn = pool, int(rng.integers(10**9))

    def update(self, rows: Rows, labels: Labels) -> None:
        self.updates.append((rows, labels))


class Answering:
    """Answers the same whatever it is asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def query(self, view: View, n: int) -> Rows:
        rows: Rows = self.answer
        return rows


def state(strategy: Any = None, learner: Any = None, start: Any = (0, 4, 8), pool: Pool = POOL, **more: Any) -> State:
    made = State(pool, strategy or First(), Recipe.of(learner or GaussianNB()), **({"seed": 0} | more))
    rows = np.array(start, dtype=np.intp)
    made.add(rows, Y[rows], start=True)
    return made


# Labelled rows -----------------------------------------------------------------------------------------------------


def test_rows_and_labels_stay_in_the_order_of_labelling() -> None:
    s = state(start=(8, 0))
    s.add(np.array([5, 3]), Y[[5, 3]])
    assert s.labeled.tolist() == [8, 0, 5, 3]
    assert s.y.tolist() == [2, 0, 1, 0]
    assert (s.n_labeled, s.left, s.t) == (4, 8, 1)


def test_the_start_set_is_round_0() -> None:
    s = state()
    assert s.t == 0
    assert s.view().t == 1


def test_what_the_state_shows_is_read_only() -> None:
    s = state()
    view = s.view()
    for array in (s.labeled, s.y, view.labeled, view.y, view.unlabeled, view.proba):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_the_view_shows_the_unlabelled_rows_in_ascending_order() -> None:
    view = state(start=(8, 0)).view()
    assert view.unlabeled.tolist() == [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]
    assert view.labeled.tolist() == [8, 0]


def test_a_view_keeps_its_labelled_rows_while_the_state_goes_on() -> None:
    s = state(start=(8, 0))
    view = s.view()
    s.add(np.array([5]), Y[[5]])
    assert view.labeled.tolist() == [8, 0]
    assert 5 in view.unlabeled


def test_the_rows_given_are_not_changed_and_labels_are_copied() -> None:
    s = state(start=())
    rows, labels = np.array([3, 5]), np.array([0, 1])
    s.add(rows, labels, start=True)
    labels[:] = 2
    rows[:] = 0
    assert s.labeled.tolist() == [3, 5]
    assert s.y.tolist() == [0, 1]


# Queries -----------------------------------------------------------------------------------------------------------


def test_a_query_gives_what_is_left() -> None:
    s = state(start=range(10))
    assert s.query(5).tolist() == [10, 11]
    s.add(np.array([10, 11]), Y[10:])
    assert s.query(1).size == 0


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0, 1], "Answering answered row 0, which is labelled already"),
        ([1, 1], "Answering answered row 1 more than once"),
        ([1], "Answering answered 1 rows where 2 were asked"),
        ([1, 2, 3], "Answering answered 3 rows where 2 were asked"),
        ([1, 12], "Answering answered row 12, outside the pool of 12 rows"),
        ([1, -1], "Answering answered row -1, outside"),
        ([1.0, 2.0], "Answering answered with shape .* and dtype float64"),
        (None, "Answering answered with shape"),
        (np.ones(12, dtype=bool), "Answering answered with shape .* and dtype bool"),
        ([[1, 2]], "Answering answered with shape"),
    ],
)
def test_a_bad_answer_is_refused_by_name(answer: Any, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        state(Answering(answer)).query(2)


def test_a_strategy_that_raises_is_named_with_the_round_and_its_error_is_the_cause() -> None:
    class Broken:
        def query(self, view: View, n: int) -> Rows:
            raise KeyError("distance")

    s = state(Broken())
    s.add(np.array([1]), Y[[1]])
    with pytest.raises(StrategyError, match="Broken failed in round 2: KeyError: 'distance'") as caught:
        s.query(1)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_function_is_named_by_itself_and_a_strategy_with_a_name_by_that() -> None:
    def halves(view: View) -> Any:
        return 1 / 0

    class Named(Answering):
        name = "mine.best"

    with pytest.raises(StrategyError, match="halves failed in round 1: ZeroDivisionError"):
        state(FunctionStrategy(halves, True)).query(1)
    with pytest.raises(StrategyError, match=r"mine\.best answered 2 rows"):
        state(Named([1, 2])).query(1)


def test_an_error_of_alcores_own_is_passed_on_as_it_is() -> None:
    class NeedsStd:
        def query(self, view: View, n: int) -> Rows:
            return view.top(view.model.predict_std(view.X_unlabeled)[1], n)

    with pytest.raises(PairingError, match="GaussianNB gives no standard deviation"):
        state(NeedsStd()).query(1)


def test_ties_are_broken_as_configured() -> None:
    even = FunctionStrategy(lambda view: np.zeros(len(view.unlabeled)), True)
    assert state(even, ties="first").query(3).tolist() == [1, 2, 3]
    picks = {tuple(state(even, seed=seed).query(1).tolist()) for seed in range(40)}
    assert len(picks) > 5


def test_the_views_generator_depends_on_the_seed_and_the_round_only() -> None:
    one, two = state(start=(0, 4, 8), seed=5), state(Likeliest(), start=(1,), seed=5)
    one.view().rng.random(100)  # what was drawn before does not matter
    one.add(np.array([1]), Y[[1]])
    two.add(np.array([7, 8]), Y[[7, 8]])
    assert one.view().rng.integers(10**9) == two.view().rng.integers(10**9)
    assert state(seed=5).view().rng.integers(10**9) != state(seed=6).view().rng.integers(10**9)
    assert state(seed=5).view().rng.integers(10**9) != one.view().rng.integers(10**9)


def test_twins_of_a_view_differ_and_are_the_same_in_every_view_of_a_round() -> None:
    s = state(learner=LogisticRegression(solver="saga"))
    one, two = s.view(), s.view()
    seeds = [one.new_learner().estimator.random_state for _ in range(3)]
    assert len(set(seeds)) == 3
    assert [two.new_learner().estimator.random_state for _ in range(3)] == seeds


# Strategies with state ---------------------------------------------------------------------------------------------


def test_setup_gets_the_pool_and_the_strategys_stream() -> None:
    told = Told()
    state(told, seed=9)
    assert told.pool is POOL
    assert told.drawn == rng.stream(9, "strategy").integers(10**9)


def test_updates_come_for_the_start_set_first_and_then_for_each_batch() -> None:
    told = Told()
    s = state(told)
    s.add(np.array([2, 1]), Y[[2, 1]])
    assert [(rows.tolist(), labels.tolist()) for rows, labels in told.updates] == [
        ([0, 4, 8], [0, 1, 2]),
        ([2, 1], [0, 0]),
    ]


def test_an_empty_start_set_is_no_update() -> None:
    told = Told()
    state(told, start=())
    assert told.updates == []


def test_updates_are_read_only() -> None:
    class Greedy(First):
        def update(self, rows: Rows, labels: Labels) -> None:
            labels[:] = 0

    with pytest.raises(StrategyError, match=r"Greedy failed in update after round 0: ValueError: .*read-only"):
        state(Greedy())


def test_setup_that_raises_is_named() -> None:
    class Broken(First):
        def setup(self, pool: Pool, rng: Generator) -> None:
            raise OSError("no space")

    with pytest.raises(StrategyError, match="Broken failed in setup: OSError: no space") as caught:
        state(Broken())
    assert isinstance(caught.value.__cause__, OSError)


# An empty start set ------------------------------------------------------------------------------------------------


def test_without_a_label_the_learner_cannot_be_used_and_the_error_says_what_to_do() -> None:
    message = (
        r"Likeliest uses the learner, and no row is labelled yet. Give a start set, a learner with prefit=True, or "
        r'cold_start="random"\.'
    )
    with pytest.raises(InputError, match=message):
        state(Likeliest(), start=()).query(1)


def test_without_a_label_a_strategy_that_uses_no_learner_just_works() -> None:
    assert state(First(), start=()).query(2).tolist() == [0, 1]


def test_the_cold_start_is_asked_until_something_is_labelled() -> None:
    cold = Answering([7])
    s = state(Answering([3]), start=(), cold_start=cold)
    assert s.query(1).tolist() == [7]
    s.add(np.array([7]), Y[[7]])
    assert s.query(1).tolist() == [3]


def test_a_start_set_makes_the_cold_start_idle() -> None:
    assert state(Answering([3]), cold_start=Answering([7])).query(1).tolist() == [3]


def test_the_cold_start_is_set_up_updated_and_blamed_itself() -> None:
    class Cold(Told):
        def query(self, view: View, n: int) -> Rows:
            raise OSError("no ice")

    cold = Cold()
    s = state(First(), start=(), cold_start=cold)
    with pytest.raises(StrategyError, match="Cold failed in round 1: OSError: no ice"):
        s.query(1)
    s.add(np.array([7]), Y[[7]])
    assert cold.pool is POOL
    assert [rows.tolist() for rows, _ in cold.updates] == [[7]]
    with pytest.raises(StrategyError, match="Answering answered 2 rows"):
        state(First(), start=(), cold_start=Answering([1, 2])).query(1)


def test_a_prefit_learner_serves_the_first_query_and_is_fitted_anew_after_it() -> None:
    fitted = LogisticRegression().fit(X, np.array(POOL.classes)[Y])
    recipe = Recipe(fitted, prefit=True)
    s = state(Likeliest(), recipe, start=(), cold_start=Answering([7]))
    expected = fitted.predict_proba(X)[:, [1, 2, 0]]  # scikit-learn's order is high, low, middle
    assert np.array_equal(s.view().proba, expected)
    s.add(np.array([0, 4]), Y[[0, 4]])
    assert np.array_equal(
        s.model().predict_proba(X)[:, :2], LogisticRegression().fit(X[[0, 4]], [0, 1]).predict_proba(X)
    )
    assert np.array_equal(fitted.predict_proba(X)[:, [1, 2, 0]], expected)


def test_whether_a_learner_can_be_fitted() -> None:
    empty, prefit = state(start=()), Recipe(GaussianNB().fit(X, Y), prefit=True)
    assert not empty.can_fit(empty.learner)
    assert empty.can_fit(prefit)
    assert state().can_fit(prefit)
