"""What a strategy sees in one round: aligned, lazy, read-only, and without a hidden label."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore import rng
from alcore.engine import ArrayOracle, simulate
from alcore.errors import InputError, StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Task
from alcore.view import View

N = 20
X = np.random.default_rng(3).normal(size=(N, 2))
START = np.array([11, 4, 7, 2])


class First:
    """Asks for the first unlabelled rows."""

    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:n]


class Spy:
    """A classifier of two classes that counts what is asked of it."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def fit(self, X: Any, y: Any) -> Spy:
        self.calls.append("fit")
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X: Any) -> Any:
        self.calls.append("predict_proba")
        return np.full((len(X), 2), 0.5)

    def decision_function(self, X: Any) -> Any:
        self.calls.append("decision_function")
        return np.zeros(len(X))


def state_of(
    codes: Any = (0, 1, 1, 0), *, k: int = 2, learner: Any = None, rows: Any = START, X: Any = X, **kwargs: Any
) -> State:
    pool = kwargs.pop("pool", None) or Pool(X, Task.CLASSIFICATION, range(k))
    state = State(pool, First(), Recipe.of(learner or GaussianNB()), **{"seed": 5} | kwargs)
    state.add(np.asarray(rows), np.asarray(codes), start=True)
    return state


def view_of(*args: Any, **kwargs: Any) -> View:
    return state_of(*args, **kwargs).view()


# --- rows and labels -----------------------------------------------------------------------------------------------


def test_labeled_rows_keep_their_order_and_the_others_ascend() -> None:
    view = view_of()
    assert view.labeled.tolist() == [11, 4, 7, 2]
    assert view.y.tolist() == [0, 1, 1, 0]
    assert view.unlabeled.tolist() == [row for row in range(N) if row not in START]


def test_new_labels_follow_the_old_ones_in_the_next_view() -> None:
    state = state_of()
    before = state.view()
    state.add(np.array([19, 0]), np.array([1, 0]))
    after = state.view()
    assert (before.t, after.t) == (1, 2)
    assert after.labeled.tolist() == [11, 4, 7, 2, 19, 0]
    assert after.y.tolist() == [0, 1, 1, 0, 1, 0]
    assert before.labeled.tolist() == [11, 4, 7, 2]
    assert 19 in before.unlabeled
    assert 19 not in after.unlabeled


@pytest.mark.parametrize("given", [X, sp.csr_array(X), X.reshape(N, 2, 1)])
def test_X_is_split_in_the_callers_container(given: Any) -> None:
    view = view_of(X=given)
    for part, rows in ((view.X_labeled, view.labeled), (view.X_unlabeled, view.unlabeled)):
        assert type(part) is type(given)
        dense = (lambda values: values.toarray()) if sp.issparse(given) else np.asarray
        np.testing.assert_array_equal(dense(part), dense(given)[rows])


@pytest.mark.parametrize("name", ["labeled", "unlabeled", "y", "proba", "decision"])
@pytest.mark.parametrize("codes", [(0, 1, 1, 0), (0, 2, 2, 0)])
def test_arrays_are_read_only(name: str, codes: Any) -> None:
    view = view_of(codes, k=max(codes) + 1, learner=LogisticRegression())
    with pytest.raises(ValueError, match="read-only"):
        getattr(view, name)[0] = 0


@pytest.mark.filterwarnings("ignore:all 4 labelled rows")
@pytest.mark.parametrize("name", ["proba", "decision"])
def test_arrays_of_a_constant_learner_are_read_only(name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(view_of((1, 1, 1, 1)), name)[0] = 0


# --- the model -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [(0, 1, 2, 1), (2, 1, 0, 0)])
def test_proba_is_the_learners_own_for_the_unlabeled_rows(codes: Any) -> None:
    view = view_of(codes, k=3)
    expected = GaussianNB().fit(X[START], codes).predict_proba(X[view.unlabeled])
    np.testing.assert_allclose(view.proba, expected)


def test_a_class_that_was_never_seen_has_probability_zero() -> None:
    view = view_of((0, 3, 3, 0), k=4)
    expected = GaussianNB().fit(X[START], [0, 3, 3, 0]).predict_proba(X[view.unlabeled])
    np.testing.assert_allclose(view.proba[:, [0, 3]], expected)
    assert not view.proba[:, [1, 2]].any()


def test_decision_of_two_classes_is_one_value_per_row() -> None:
    view = view_of(learner=LogisticRegression())
    expected = LogisticRegression().fit(X[START], [0, 1, 1, 0]).decision_function(X[view.unlabeled])
    np.testing.assert_allclose(view.decision, expected)


def test_decision_of_more_classes_has_a_column_each() -> None:
    view = view_of((0, 1, 2, 1), k=3, learner=LogisticRegression())
    expected = LogisticRegression().fit(X[START], [0, 1, 2, 1]).decision_function(X[view.unlabeled])
    np.testing.assert_allclose(view.decision, expected)


def test_a_class_that_was_never_seen_has_the_lowest_decision_value() -> None:
    view = view_of((0, 2, 2, 0), k=3, learner=LogisticRegression())
    value = LogisticRegression().fit(X[START], [0, 1, 1, 0]).decision_function(X[view.unlabeled])
    np.testing.assert_allclose(view.decision, np.column_stack([-value, np.full(N - 4, -np.inf), value]))


def test_nothing_is_fitted_until_the_model_is_used() -> None:
    calls: list[str] = []
    view = view_of(learner=lambda: Spy(calls))
    view.top(np.zeros(N - 4), 2)
    assert (view.X_labeled.shape, view.X_unlabeled.shape, view.masked_y().shape) == ((4, 2), (16, 2), (N,))
    view.new_learner()
    assert calls == []


def test_everything_is_computed_once() -> None:
    calls: list[str] = []
    view = view_of(learner=lambda: Spy(calls))
    for name in ("proba", "decision", "model", "X_unlabeled", "X_labeled", "rng"):
        assert getattr(view, name) is getattr(view, name)
    assert calls == ["fit", "predict_proba", "decision_function"]


def test_one_fit_serves_all_views_of_a_round_and_the_state() -> None:
    calls: list[str] = []
    state = state_of(learner=lambda: Spy(calls))
    for view in (state.view(), state.view()):
        np.testing.assert_array_equal(view.model.predict(X), state.model().predict(X))
    assert calls == ["fit"]


def test_the_next_round_has_a_fit_of_its_own() -> None:
    state = state_of()
    before = state.view().proba
    state.add(np.array([0, 1]), np.array([1, 1]))
    view = state.view()
    expected = GaussianNB().fit(X[[*START, 0, 1]], [0, 1, 1, 0, 1, 1]).predict_proba(X[view.unlabeled])
    np.testing.assert_allclose(view.proba, expected)
    assert len(before) == len(expected) + 2


def test_the_model_without_a_label_says_what_to_do() -> None:
    view = view_of([], rows=np.empty(0, dtype=np.intp))
    with pytest.raises(InputError, match=r"First uses the learner, and no row is labelled yet\. Give a start set"):
        _ = view.proba


# --- twins ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, 0, 7])
def test_twins_are_unfitted_and_each_has_a_seed_of_its_own(given: Any) -> None:
    view = view_of(learner=LogisticRegression(random_state=given, C=0.5))
    twins = [view.new_learner() for _ in range(10)]
    seeds = {twin.estimator.random_state for twin in [view.model, *twins]}
    assert len(seeds) == 11
    assert all(type(seed) is int for seed in seeds)
    assert not any(hasattr(twin.estimator, "classes_") for twin in twins)
    assert {twin.estimator.C for twin in twins} == {0.5}


def test_a_twin_can_be_fitted_and_leaves_the_model_alone() -> None:
    view = view_of(learner=LogisticRegression())
    before = view.proba.copy()
    twin = view.new_learner().fit(view.X_labeled, 1 - view.y)
    np.testing.assert_allclose(twin.predict_proba(view.X_unlabeled), before[:, ::-1], atol=1e-6)
    np.testing.assert_array_equal(view.model.predict_proba(view.X_unlabeled), before)


def seeds_of(view: View) -> list[int]:
    return [view.new_learner().estimator.random_state for _ in range(3)]


def test_twins_are_the_same_in_a_round_that_is_played_again() -> None:
    state = state_of(learner=LogisticRegression())
    assert seeds_of(state.view()) == seeds_of(state.view())


def test_twins_differ_by_round_and_by_seed() -> None:
    state = state_of(learner=LogisticRegression())
    first, other = seeds_of(state.view()), seeds_of(view_of(learner=LogisticRegression(), seed=6))
    state.add(np.array([0]), np.array([1]))
    assert len({*first, *other, *seeds_of(state.view())}) == 9


# --- chance --------------------------------------------------------------------------------------------------------


def test_the_generator_is_the_strategys_stream_of_the_round() -> None:
    state = state_of()
    assert state.view().rng.random() == rng.stream(5, "strategy", 1).random()
    state.add(np.array([0]), np.array([1]))
    assert state.view().rng.random() == rng.stream(5, "strategy", 2).random()


# --- masked_y ------------------------------------------------------------------------------------------------------


def test_masked_y_marks_what_is_unlabeled_with_nan() -> None:
    masked = view_of().masked_y()
    assert masked.dtype == np.float64
    assert masked[START].tolist() == [0, 1, 1, 0]
    assert np.isnan(np.delete(masked, START)).all()


@pytest.mark.parametrize("missing", [-1, 999])
def test_masked_y_stays_integer_for_an_integer_mark(missing: int) -> None:
    masked = view_of().masked_y(missing)
    assert masked.dtype == np.intp
    assert masked[START].tolist() == [0, 1, 1, 0]
    assert set(np.delete(masked, START).tolist()) == {missing}


def test_masked_y_takes_none_as_a_mark() -> None:
    masked = view_of().masked_y(None)
    assert masked[START].tolist() == [0, 1, 1, 0]
    assert set(np.delete(masked, START).tolist()) == {None}


def test_masked_y_of_label_sets_is_a_matrix() -> None:
    labels = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 0, 1]])
    masked = view_of(labels, pool=Pool(X, Task.MULTILABEL, "abc")).masked_y()
    assert masked.shape == (N, 3)
    np.testing.assert_array_equal(masked[START], labels)
    assert np.isnan(np.delete(masked, START, axis=0)).all()


@pytest.mark.parametrize("missing", [np.nan, -1])
def test_masked_y_of_targets_keeps_their_fractions(missing: float) -> None:
    targets = [0.1, -2.5, 1e9 + 0.5, 3.0]
    masked = view_of(targets, pool=Pool(X, Task.REGRESSION), learner=LinearRegression()).masked_y(missing)
    assert masked[START].tolist() == targets


def test_masked_y_belongs_to_who_asked_for_it() -> None:
    view = view_of()
    view.masked_y(-1)[:] = 7
    assert view.y.tolist() == [0, 1, 1, 0]
    assert view.masked_y(-1)[START].tolist() == [0, 1, 1, 0]


# --- top -----------------------------------------------------------------------------------------------------------


def test_top_gives_rows_of_the_pool_for_scores_of_the_unlabeled() -> None:
    view = view_of()
    scores = np.zeros(N - 4)
    scores[[3, 10, 15]] = [2.0, 3.0, 1.0]
    assert view.top(scores, 3).tolist() == view.unlabeled[[10, 3, 15]].tolist()


def test_top_breaks_ties_as_configured() -> None:
    zeros = np.zeros(N - 4)
    assert view_of(ties="first").top(zeros, 5).tolist() == [0, 1, 3, 5, 6]
    random = view_of().top(zeros, 5).tolist()
    assert random == view_of().top(zeros, 5).tolist()
    assert random != view_of(seed=6).top(zeros, 5).tolist()


def test_ties_by_position_draw_nothing() -> None:
    view = view_of(ties="first")
    view.top(np.zeros(N - 4), 5)
    assert view.rng.random() == rng.stream(5, "strategy", 1).random()


@pytest.mark.parametrize("m", [0, N - 5, N])
@pytest.mark.parametrize("ties", ["first", "random"])
def test_a_wrong_number_of_scores_names_the_strategy(m: int, ties: Any) -> None:
    with pytest.raises(StrategyError, match=f"First gave {m} scores for 16 unlabelled rows; scores are aligned"):
        view_of(ties=ties).top(np.zeros(m), 2)


def test_nan_scores_name_the_strategy() -> None:
    with pytest.raises(StrategyError, match="First gave NaN for 16 of 16 rows"):
        view_of().top(np.full(N - 4, np.nan), 1)


# --- hidden labels -------------------------------------------------------------------------------------------------

OPAQUE = (type, types.ModuleType, types.BuiltinFunctionType, str, bytes, int, float, np.generic, type(None))


def reachable(thing: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield everything that attributes, items, closures, bound methods and array bases lead to."""
    if id(thing) in seen or isinstance(thing, OPAQUE):
        return
    seen[id(thing)] = thing
    yield thing
    following: list[Any] = []
    if isinstance(thing, dict):
        following += [*thing, *thing.values()]
    elif isinstance(thing, (list, tuple, set, frozenset)):
        following += thing
    elif isinstance(thing, np.ndarray):
        following.append(thing.base)
        following += thing.tolist() if thing.dtype == object else []
    elif isinstance(thing, types.FunctionType):
        following += [cell.cell_contents for cell in thing.__closure__ or ()]
        following += [thing.__defaults__, thing.__kwdefaults__]
    elif isinstance(thing, types.MethodType):
        following += [thing.__self__, thing.__func__]
    else:
        following.append(getattr(thing, "__dict__", None))
    for one in following:
        yield from reachable(one, seen)


TARGETS = np.random.default_rng(11).normal(size=N)  # no two are equal: a target that is found tells its row
ROW_OF = {target: row for row, target in enumerate(TARGETS.tolist())}


class Snoop:
    """Looks for targets in all that its view leads to, before and after using it."""

    def __init__(self) -> None:
        self.found: set[int] = set()
        self.labeled: set[int] = set()

    def query(self, view: View, n: int) -> Any:
        _ = view.model.predict(view.X_unlabeled), view.masked_y(), view.pool.features, view.rng, view.new_learner()
        self.labeled = set(view.labeled.tolist())
        for thing in reachable(view, {}):
            if isinstance(thing, np.ndarray) and thing.dtype.kind == "f":
                self.found |= {ROW_OF[value] for value in thing.ravel().tolist() if value in ROW_OF}
        return view.unlabeled[:n]


def test_a_view_leads_to_the_labels_of_labeled_rows_alone() -> None:
    spy = Snoop()
    run = simulate(
        Pool(X, Task.REGRESSION), ArrayOracle(TARGETS), spy, Recipe(LinearRegression()), start=START, budget=3
    )
    for _ in run:
        assert spy.found == spy.labeled
    assert spy.labeled == {*START.tolist(), 0, 1}


def test_the_search_for_hidden_labels_would_find_them() -> None:
    view, hidden = view_of(), np.arange(N)
    view.pool.memo("leak", lambda: [lambda: hidden])
    assert any(thing is hidden for thing in reachable(view, {}))
