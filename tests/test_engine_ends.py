"""How a run ends other than by its budget: stop rules, errors, and what may and may not be shown to a strategy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore.engine import ArrayOracle, Outcome, Simulation, Test, simulate
from alcore.errors import InputError, LearnerError, StrategyError
from alcore.learners import Recipe, SingleClassWarning
from alcore.pool import Pool
from alcore.protocols import History, Record, Scored, Truth
from alcore.types import Labels, Rows, Status
from alcore.view import View

X = np.arange(12.0)[:, None]
Y = np.repeat([0, 1], 6)
POOL = Pool(X, classes=("low", "high"))
TEST = Test(np.array([[1.0], [9.0]]), np.array([0, 1]))


class First:
    """Asks for the first unlabelled rows, without a learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


class Answering:
    """Behaves in the first round and then answers what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def query(self, view: View, n: int) -> Rows:
        rows: Rows = view.unlabeled[:n] if view.t == 1 else self.answer
        return rows


def accuracy(scored: Scored) -> float:
    return float(np.mean(scored.y == scored.pred))


def run(strategy: Any = None, start: Any = (0, 11), oracle: Any = None, **more: Any) -> Simulation:
    learner = Recipe.of(more.pop("learner", GaussianNB()))
    settings: dict[str, Any] = {"start": np.array(start), "test": TEST, "metrics": {"accuracy": accuracy}} | more
    return simulate(POOL, oracle or ArrayOracle(Y), strategy or First(), learner, **settings)


def until_it_fails(simulation: Simulation, error: type[Exception], match: str) -> tuple[list[Record], Exception]:
    records: list[Record] = []
    with pytest.raises(error, match=match) as caught:
        records.extend(simulation)  # keeps what was yielded before the error
    assert simulation.outcome is None
    return records, caught.value


# Stop rules --------------------------------------------------------------------------------------------------------


def test_a_stop_rule_ends_the_run_with_its_reason() -> None:
    def enough(history: History) -> str | None:
        return "enough" if history.records[-1].n_labeled >= 4 else None

    simulation = run(stop=[lambda history: None, enough])
    assert [record.n_labeled for record in simulation] == [2, 3, 4]
    assert simulation.outcome == Outcome(Status.COMPLETED, "enough")


def test_a_stop_rule_is_asked_after_each_round_with_all_of_them() -> None:
    seen = []

    def note(history: History) -> None:
        seen.append((len(history.records), history.records[-1].t, history.pool_size))

    list(run(stop=[note], budget=2))
    assert seen == [(1, 0, 12), (2, 1, 12), (3, 2, 12)]


def test_a_stop_rule_may_end_the_run_after_the_start_set() -> None:
    simulation = run(stop=[lambda history: "at once"])
    assert len(list(simulation)) == 1
    assert simulation.outcome == Outcome(Status.COMPLETED, "at once")


# Errors ------------------------------------------------------------------------------------------------------------


def test_a_strategy_that_raises_is_named_and_its_error_is_the_cause() -> None:
    class Broken(First):
        def query(self, view: View, n: int) -> Rows:
            if view.t == 3:
                raise IndexError("empty cluster")
            return super().query(view, n)

    records, error = until_it_fails(run(Broken()), StrategyError, "Broken failed in round 3: IndexError: empty cluster")
    assert [record.t for record in records] == [0, 1, 2]
    assert isinstance(error.__cause__, IndexError)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0, 3], "row 0, which is labelled already"),
        ([3, 3], "row 3 more than once"),
        ([3], "1 rows where 2 were asked"),
        ([3, 99], "row 99, outside the pool"),
    ],
)
def test_a_bad_answer_is_refused_and_what_was_recorded_stands(answer: list[int], message: str) -> None:
    records, _ = until_it_fails(run(Answering(answer), batch=2), StrategyError, f"Answering answered {message}")
    assert [record.rows.tolist() for record in records] == [[0, 11], [1, 2]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"the oracle gave labels of shape \(2,\) for 1 rows"),
        ([2], "the oracle gave 2 .*codes are integers from 0 to 1"),
        (["low"], "the oracle gave 'low'"),
    ],
)
def test_a_bad_oracle_is_refused_and_what_was_recorded_stands(labels: Any, message: str) -> None:
    def oracle(rows: Rows) -> Any:
        return labels if 2 in rows else Y[rows]

    records, _ = until_it_fails(run(oracle=oracle), InputError, message)
    assert [record.rows.tolist() for record in records] == [[0, 11], [1]]


def test_an_oracle_that_raises_is_left_alone() -> None:
    def oracle(rows: Rows) -> Labels:
        if 2 in rows:
            raise KeyboardInterrupt
        return Y[rows]

    simulation = run(oracle=oracle)
    assert [next(iter(simulation)).t for _ in range(2)] == [0, 1]
    with pytest.raises(KeyboardInterrupt):
        next(iter(simulation))


def test_a_learner_that_fails_is_the_learners_error() -> None:
    records, error = until_it_fails(
        run(learner=LogisticRegression(C=-1.0)), LearnerError, "LogisticRegression failed in fit"
    )
    assert records == []
    assert isinstance(error.__cause__, ValueError)


# One class ---------------------------------------------------------------------------------------------------------


def test_one_class_warns_once_and_predicts_it_until_there_is_another() -> None:
    simulation = run(start=[0, 1])
    with pytest.warns(SingleClassWarning, match="all 2 labelled rows are 'low'") as caught:
        first = next(iter(simulation))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = list(simulation)
    values = [record.metrics["accuracy"] for record in (first, *rest)]
    assert values[:5] == [0.5] * 5  # rows 0 to 5 are all low
    assert values[-1] == 1.0


# The truth ---------------------------------------------------------------------------------------------------------


class Cheat:
    """Asks for the rows of the highest true class."""

    def reveal(self, truth: Truth) -> None:
        self.truth = truth

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.truth.y[view.unlabeled], n)


def test_an_upper_bound_is_shown_the_truth() -> None:
    truth = Truth(Y, TEST.X, TEST.y)
    cheat = Cheat()
    records = list(run(cheat, truth=truth, budget=4))
    assert cheat.truth is not None
    np.testing.assert_array_equal(cheat.truth.y, Y)
    np.testing.assert_array_equal(cheat.truth.X_test, TEST.X)
    assert not cheat.truth.y.flags.writeable
    assert [record.labels.tolist() for record in records[1:]] == [[1]] * 4


def test_an_upper_bound_without_the_truth_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="Cheat is an upper bound that needs the hidden labels; give truth"):
        run(Cheat())


def test_the_truth_comes_after_setup() -> None:
    class Ordered(Cheat):
        def __init__(self) -> None:
            self.calls: list[str] = []

        def setup(self, pool: Pool, rng: np.random.Generator) -> None:
            self.calls.append("setup")

        def reveal(self, truth: Truth) -> None:
            super().reveal(truth)
            self.calls.append("reveal")

        def update(self, rows: Rows, labels: Labels) -> None:
            self.calls.append(f"update {len(rows)}")

    ordered = Ordered()
    list(run(ordered, truth=Truth(Y, TEST.X, TEST.y), budget=3, batch=2))
    assert ordered.calls == ["setup", "reveal", "update 2", "update 2", "update 1"]


def test_nobody_else_is_shown_the_truth() -> None:
    """What a view holds, whatever is asked of it, has the labels of labelled rows only."""

    class Curious(First):
        def query(self, view: View, n: int) -> Rows:
            masked = view.masked_y()
            assert np.isnan(masked[view.unlabeled]).all()
            assert np.array_equal(masked[view.labeled], Y[view.labeled])
            assert len(view.y) == len(view.labeled)
            return super().query(view, n)

    assert len(list(run(Curious(), truth=Truth(Y, TEST.X, TEST.y), budget=4))) == 5


# Asking again ------------------------------------------------------------------------------------------------------


class Once:
    """Does what a function does, but raises the first time it is asked for row 3."""

    def __init__(self, function: Any, error: BaseException, after: bool = False) -> None:
        self.function, self.error, self.left, self.after = function, error, 1, after

    def __call__(self, asked: Any) -> Any:
        answer = self.function(asked) if self.after else None
        rows = np.atleast_1d(getattr(asked, "y", asked))
        if self.left and (3 in rows or (len(rows) == 2 and rows.tolist() == [0, 1] and self.counted() == 3)):
            self.left -= 1
            raise self.error
        return self.function(asked) if answer is None else answer

    calls = 0

    def counted(self) -> int:
        self.calls += 1
        return self.calls


def again(simulation: Simulation) -> tuple[list[Record], list[BaseException]]:
    """Go on after each error, as somebody does whose oracle had a bad moment."""
    records: list[Record] = []
    errors: list[BaseException] = []
    while len(errors) < 5:
        try:
            records.append(next(simulation))
        except StopIteration:
            break
        except (RuntimeError, ConnectionError) as error:
            errors.append(error)
    return records, errors


def same(a: list[Record], b: list[Record]) -> bool:
    return [(r.t, r.rows.tolist(), dict(r.metrics)) for r in a] == [(r.t, r.rows.tolist(), dict(r.metrics)) for r in b]


def test_an_oracle_that_fails_once_can_be_asked_again() -> None:
    asked: list[int] = []

    class Noting(First):
        def query(self, view: View, n: int) -> Rows:
            asked.append(view.t)
            return super().query(view, n)

    records, errors = again(run(Noting(), oracle=Once(ArrayOracle(Y), ConnectionError("down"))))
    assert same(records, list(run()))
    assert [type(error) for error in errors] == [ConnectionError]
    assert asked == list(range(1, 11))  # the strategy has chosen its rows already


def test_a_metric_that_fails_once_is_computed_again() -> None:
    simulation = run(metrics={"accuracy": Once(accuracy, ZeroDivisionError("bad moment"))})
    records, errors = again(simulation)
    assert same(records, list(run()))
    assert [str(error) for error in errors] == [
        "the metric accuracy failed after round 2: ZeroDivisionError: bad moment"
    ]
    assert [record.t for record in errors[0].records] == [0, 1]  # type: ignore[attr-defined]


def test_a_strategy_that_fails_once_is_asked_again() -> None:
    class Moody(First):
        moods = iter([False, False, True])

        def query(self, view: View, n: int) -> Rows:
            if next(self.moods, False):
                raise SystemExit(0)
            return super().query(view, n)

    records, errors = again(run(Moody()))
    assert same(records, list(run()))
    assert [str(error) for error in errors] == ["Moody failed in round 3: SystemExit: 0"]


def test_a_strategy_that_fails_to_update_cannot_go_on() -> None:
    class Forgetful(First):
        def update(self, rows: Rows, labels: Labels) -> None:
            if 2 in rows:
                raise RuntimeError("lost it")

    records, errors = again(run(Forgetful()))
    assert [record.t for record in records] == [0, 1]
    assert len(errors) == 5
    assert len(set(map(str, errors))) == 1


def test_an_error_whose_text_cannot_be_had_is_told() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    class Raising(First):
        def query(self, view: View, n: int) -> Rows:
            raise Mute

    until_it_fails(run(Raising()), StrategyError, "Raising failed in round 1: Mute, whose text cannot be had")
