"""A run that is taken up again goes on as if it had never been interrupted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from alcore.engine import ArrayOracle, Outcome, Simulation, Test, simulate
from alcore.errors import AlcoreError, InputError
from alcore.learners import Recipe, SingleClassWarning
from alcore.pool import Pool
from alcore.protocols import History, Record, Scored
from alcore.types import Floats, Labels, Rows, Status
from alcore.view import View

RNG = np.random.default_rng(0)
Y = np.tile([0, 1, 2], 10)
X = np.column_stack([2.0 * np.cos(Y), 2.0 * np.sin(Y)]) + RNG.normal(size=(30, 2))
POOL = Pool(X, classes=("a", "b", "c"))
TEST = Test(X[::2] + 0.1, Y[::2])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Fit such small data on one thread: on a busy machine more of them wait for each other."""
    with threadpool_limits(1):
        yield


class Chance:
    def query(self, view: View, n: int) -> Rows:
        return view.rng.choice(view.unlabeled, n, replace=False)


class Margin:
    """Rounded, so that there are ties to break."""

    def query(self, view: View, n: int) -> Rows:
        two = np.sort(view.proba, axis=1)[:, -2:]
        return view.top(np.round(two[:, 0] - two[:, 1], 1), n)


class Committee:
    """Asks where three twins of the learner disagree."""

    def query(self, view: View, n: int) -> Rows:
        votes = [view.new_learner().fit(view.X_labeled, view.y).predict(view.X_unlabeled) for _ in range(3)]
        return view.top(np.ptp(votes, axis=0), n)


class KCenter:
    """Asks for the row farthest from all labelled rows; from a random row while there is none."""

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.features = pool.features
        self.nearest: Floats = rng.random(len(pool)) + 1e6

    def update(self, rows: Rows, labels: Labels) -> None:
        for row in rows:
            self.nearest = np.minimum(self.nearest, ((self.features - self.features[row]) ** 2).sum(axis=1))

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.nearest[view.unlabeled], n)


def accuracy(scored: Scored) -> float:
    return float(np.mean(scored.y == scored.pred))


def log_loss(scored: Scored) -> float:
    assert scored.proba is not None
    return float(-np.log(np.maximum(scored.proba[np.arange(len(scored.y)), scored.y], 1e-9)).mean())


def run(strategy: Any, learner: Any, start: Any = (0, 1, 2), **more: Any) -> Simulation:
    settings: dict[str, Any] = {
        "start": np.array(start, dtype=int), "seed": 5, "budget": 9, "batch": 2, "test": TEST,
        "metrics": {"accuracy": accuracy, "log-loss": log_loss},
    }  # fmt: skip
    oracle = more.pop("oracle", ArrayOracle(Y))
    return simulate(POOL, oracle, strategy, Recipe.of(learner), **(settings | more))


def plain(record: Record) -> tuple[Any, ...]:
    """Return all of a record that is not a time."""
    return record.t, record.rows.tolist(), record.labels.tolist(), record.n_labeled, dict(record.metrics)


def further() -> Recipe:
    """Return a learner that depends on all its earlier fits."""
    return Recipe(SGDClassifier(loss="log_loss", max_iter=3, tol=None), refit="continue")


PREFIT = LogisticRegression().fit(X[:12], np.array(["a", "b", "c"])[Y[:12]])
CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "random": lambda: {"strategy": Chance(), "learner": GaussianNB()},
    "margin with ties": lambda: {"strategy": Margin(), "learner": LogisticRegression()},
    "margin of a stochastic learner": lambda: {"strategy": Margin(), "learner": DecisionTreeClassifier(max_features=1)},
    "committee": lambda: {"strategy": Committee(), "learner": DecisionTreeClassifier(max_features=1)},
    "k-center": lambda: {"strategy": KCenter(), "learner": GaussianNB()},
    "k-center from nothing": lambda: {"strategy": KCenter(), "learner": GaussianNB(), "start": ()},
    "cold start": lambda: {"strategy": Margin(), "learner": GaussianNB(), "start": (), "cold_start": Chance()},
    "warm start": lambda: {"strategy": Margin(), "learner": further()},
    "warm start with a new class on the way": lambda: {"strategy": Margin(), "learner": further(), "start": (0, 1)},
    "partial fit": lambda: {"strategy": Margin(), "learner": Recipe(GaussianNB(), refit="continue")},
    "warm start of the task learner": lambda: {
        "strategy": KCenter(), "learner": GaussianNB(), "task_learner": further(),
    },
    "warm start of both": lambda: {"strategy": Margin(), "learner": further(), "task_learner": further()},
    "warm start without a test set": lambda: {"strategy": Margin(), "learner": further(), "test": None},
    "prefit": lambda: {"strategy": Margin(), "learner": Recipe(PREFIT, prefit=True), "start": ()},
    "prefit with a start set": lambda: {"strategy": Margin(), "learner": Recipe(PREFIT, prefit=True)},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_first_rounds_and_the_rest_are_the_whole_run(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingleClassWarning)  # a start set of none cannot avoid it
        whole = run(**CASES[case]())
        records = list(whole)
        assert len(records) == 6
        for k in range(1, len(records) + 1):
            rest = run(**CASES[case](), replay=records[:k])
            assert [plain(record) for record in rest] == [plain(record) for record in records[k:]]
            assert rest.outcome == whole.outcome == Outcome(Status.COMPLETED, "budget_reached")


def test_going_on_is_not_the_same_as_starting_anew() -> None:
    """Or the cases above would not tell whether replay fits what an uninterrupted run had fitted."""
    further_on, anew = (list(run(Margin(), Recipe(further().source, refit=refit))) for refit in ("continue", "scratch"))
    assert plain(further_on[0]) == plain(anew[0])
    assert [plain(record) for record in further_on[1:]] != [plain(record) for record in anew[1:]]


def test_nobody_is_asked_again() -> None:
    asked: list[int] = []

    def oracle(rows: Rows) -> Labels:
        asked.extend(rows.tolist())
        return Y[rows]

    records = list(run(Chance(), GaussianNB()))
    rest = list(run(Chance(), GaussianNB(), replay=records[:3], oracle=oracle))
    assert asked == [row for record in rest for row in record.rows]


def test_labels_are_those_of_the_record() -> None:
    """An oracle that errs is not asked for another error."""
    wrong = Y.copy()
    wrong[[0, 3, 7]] = 2
    records = list(run(Margin(), GaussianNB(), oracle=ArrayOracle(wrong)))
    rest = run(Margin(), GaussianNB(), oracle=ArrayOracle(wrong), replay=records[:2])
    assert [plain(record) for record in rest] == [plain(record) for record in records[2:]]


def test_stop_rules_see_the_earlier_rounds() -> None:
    def six(history: History) -> str | None:
        return "six rounds" if len(history.records) == 6 else None

    records = list(run(Chance(), GaussianNB()))
    rest = run(Chance(), GaussianNB(), replay=records[:4], budget=20, stop=[six])
    assert [record.t for record in rest] == [4, 5]
    assert rest.outcome == Outcome(Status.COMPLETED, "six rounds")


def test_a_larger_budget_goes_on_from_a_finished_run() -> None:
    records = list(run(Chance(), GaussianNB(), budget=4))
    more = list(run(Chance(), GaussianNB(), budget=8, replay=records))
    whole = list(run(Chance(), GaussianNB(), budget=8))
    assert [plain(record) for record in more] == [plain(record) for record in whole[3:]]


def test_a_smaller_budget_than_what_was_replayed_is_reached() -> None:
    records = list(run(Chance(), GaussianNB()))
    rest = run(Chance(), GaussianNB(), budget=2, replay=records)
    assert list(rest) == []
    assert rest.outcome == Outcome(Status.COMPLETED, "budget_reached")


def test_the_record_of_another_run_is_refused() -> None:
    records = list(run(Chance(), GaussianNB()))
    with pytest.raises(InputError, match="replay begins with another start set than this run's"):
        list(run(Chance(), GaussianNB(), start=(1, 2, 3), replay=records))


def test_a_record_that_does_not_begin_with_round_0_is_refused() -> None:
    records = list(run(Chance(), GaussianNB()))
    with pytest.raises(InputError, match="another start set"):
        list(run(Chance(), GaussianNB(), replay=records[1:]))


def test_a_record_that_asks_a_row_twice_is_refused() -> None:
    records = list(run(Chance(), GaussianNB()))
    with pytest.raises(AlcoreError, match=r"round 3 of the replay answered row \d+, which is labelled already"):
        list(run(Chance(), GaussianNB(), replay=[*records[:3], records[2]]))


def test_a_record_with_labels_that_do_not_fit_is_refused() -> None:
    records = list(run(Chance(), GaussianNB()))
    records[1] = replace(records[1], labels=np.array([0, 9]))
    with pytest.raises(InputError, match="codes are integers from 0 to 2"):
        list(run(Chance(), GaussianNB(), replay=records))
