"""Ask, tell, skip, release: who is asked for what."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore.decorators import spec_of
from alcore.errors import InputError, PairingError
from alcore.learners import Recipe, SingleClassWarning
from alcore.pool import Pool
from alcore.session import Session
from alcore.types import Floats, Labels, Rows
from alcore.view import View

X = np.random.default_rng(7).normal(size=(40, 2))
X[38:, 0] = (-9.0, 9.0)
Y = np.where(X[:, 0] > 0, "yes", "no").tolist()
CLASSES = ["no", "yes"]
NO, YES = Y.index("no"), Y.index("yes")
A, B = 38, 39  # the rows that are least in doubt, and asked last


class KCenter:
    """The rows farthest from the labelled ones; keeps each row's distance to the nearest of them."""

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.X = pool.features
        self.distance = np.full(len(pool), np.inf)

    def update(self, rows: Rows, labels: Labels) -> None:
        for row in rows:
            self.distance = np.minimum(self.distance, np.linalg.norm(self.X - self.X[row], axis=1))

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.distance[view.unlabeled], n)


class First:
    """Asks for the first rows, without a learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


@alcore.scores("toy.left", summary="Leftmost rows first", learner=False)
def left(view: View, column: int = 0) -> Floats:
    values: Floats = -view.X_unlabeled[:, column]
    return values


@alcore.strategy("toy.one", summary="One row at a time", learner=False, batch="single")
class One(First):
    pass


def made(strategy: Any = "margin", **more: Any) -> Session:
    settings: dict[str, Any] = {"learner": LogisticRegression(), "classes": CLASSES} | more
    return Session(X, strategy=strategy, **settings)


def started(strategy: Any = "margin", **more: Any) -> Session:
    """A session with two rows labelled, two pending and one skipped."""
    session = made(strategy, **more)
    session.tell([NO, YES], ["no", "yes"])
    session.ask(2)
    session.skip(int(session.ask(1)[0]))
    return session


def of(rows: Any) -> list[str]:
    return [Y[row] for row in rows]


def facts(session: Session) -> tuple[Any, ...]:
    return session.labeled.tolist(), session.y, session.pending.tolist(), session.skipped.tolist()


def test_chance_is_asked_while_nothing_is_labelled() -> None:
    assert made("margin").ask(5).tolist() == made("random", cold_start=None).ask(5).tolist()


def test_the_strategy_is_asked_once_something_is_labelled() -> None:
    session = made("margin")
    session.tell([NO, YES], ["no", "yes"])
    model = LogisticRegression().fit(X[[NO, YES]], [0, 1])
    gap = np.abs(np.diff(model.predict_proba(X), axis=1)[:, 0])
    gap[[NO, YES]] = np.inf
    assert session.ask(3).tolist() == np.argsort(gap)[:3].tolist()


def test_without_a_cold_start_a_strategy_that_learns_says_what_can_be_done() -> None:
    session = made("margin", cold_start=None)
    with pytest.raises(InputError, match=r'margin uses the learner, and no row.*prefit=True, or cold_start="random"'):
        session.ask()
    session.tell([NO, YES], ["no", "yes"])
    assert len(session.ask()) == 1


def test_without_a_cold_start_a_strategy_without_a_learner_works() -> None:
    session = made(KCenter(), cold_start=None)
    rows = session.ask(3)
    session.tell(rows, of(rows))
    distance = np.linalg.norm(session.pool.features[:, None] - session.pool.features[rows], axis=2).min(axis=1)
    assert session.ask().tolist() == [int(np.argmax(distance))]


def test_a_fitted_learner_serves_the_first_ask() -> None:
    fitted = LogisticRegression().fit(X, Y)
    session = made("margin", learner=Recipe(fitted, prefit=True))
    gap = np.abs(np.diff(fitted.predict_proba(X), axis=1)[:, 0])
    assert session.predict(X) == fitted.predict(X).tolist()
    assert session.ask(2).tolist() == np.argsort(gap)[:2].tolist()


def test_a_fitted_learner_is_fitted_to_labels_after_the_first_ask() -> None:
    fitted = GaussianNB().fit(X, Y)
    session = made("margin", learner=Recipe(fitted, prefit=True), y=[*Y[:10], *[None] * 30])
    assert session.predict(X) == fitted.predict(X).tolist()
    session.ask()
    assert session.predict(X) == GaussianNB().fit(X[:10], Y[:10]).predict(X).tolist()


def test_pending_and_skipped_rows_are_not_asked() -> None:
    session = started(First())
    busy = {*session.labeled, *session.pending, *session.skipped}
    assert len(busy) == 5
    assert {*session.ask(40).tolist()} == {*range(40)} - busy


def test_released_rows_are_asked_again() -> None:
    session = made(First(), cold_start=None)
    session.ask(3)
    session.skip(3)
    session.release([1, 3])
    assert session.pending.tolist() == [0, 2]
    assert session.skipped.tolist() == []
    assert session.ask(2).tolist() == [1, 3]


def test_a_skipped_row_can_be_told() -> None:
    session = made(First(), cold_start=None)
    session.skip([0, 1])
    session.tell(0, "yes")
    assert (session.labeled.tolist(), session.skipped.tolist()) == ([0], [1])
    assert session.ask(40).tolist() == [*range(2, 40)]


def test_skipping_what_is_pending_or_labelled() -> None:
    session = made(First(), cold_start=None)
    session.ask(2)
    session.tell(0, "no")
    session.skip([0, 1, 2])
    assert facts(session) == ([0], ["no"], [], [1, 2])
    assert session.ask().tolist() == [3]


def test_more_than_are_left() -> None:
    session = made(First())
    session.tell([0, 1], ["no", "yes"])
    session.skip(2)
    assert session.ask(100).tolist() == [*range(3, 40)]
    assert session.ask(3).tolist() == []
    assert session.ask().dtype == np.intp


def test_asking_for_no_row_changes_nothing() -> None:
    session, other = started("random"), started("random")
    assert session.ask(0).tolist() == []
    session.tell([], [])
    session.skip([])
    session.release([])
    assert session.ask(3).tolist() == other.ask(3).tolist()


def test_a_strategy_of_single_rows_is_asked_one_by_one() -> None:
    session = made(One)
    assert len(session.ask(3)) == 3  # the cold start
    session.tell([NO, YES], ["no", "yes"])
    with pytest.raises(PairingError, match=r"toy.one chooses one row at a time; n is 2. Use ask\(1\), 2 times"):
        session.ask(2)
    assert len(session.ask()) == 1


def test_telling_in_parts_in_any_order_and_unasked() -> None:
    session = made("random")
    rows = session.ask(4)
    unasked = next(row for row in range(40) if row not in rows)
    session.tell(rows[2], Y[rows[2]])
    session.tell([unasked, rows[0]], of([unasked, rows[0]]))
    assert session.labeled.tolist() == [rows[2], unasked, rows[0]]
    assert session.y == of(session.labeled)
    assert session.pending.tolist() == [rows[1], rows[3]]
    assert session.n_labeled == 3


@pytest.mark.parametrize("strategy", ["margin", "random"])
def test_one_seed_one_order(strategy: str) -> None:
    def asked(seed: int) -> list[int]:
        session = made(strategy, seed=seed, learner=RandomForestClassifier(n_estimators=5))
        session.tell([NO, YES], ["no", "yes"])
        for _ in range(3):
            rows = session.ask(4)
            session.tell(rows, of(rows))
        return [int(row) for row in session.labeled]

    assert asked(3) == asked(3)
    assert asked(3) != asked(4)


def test_asking_does_not_change_the_model() -> None:
    session = started(learner=RandomForestClassifier(n_estimators=3, max_depth=1))
    other = started(learner=RandomForestClassifier(n_estimators=3, max_depth=1))
    proba = session.model.predict_proba(X)
    session.ask(3)
    session.relabel(NO, "no")  # and so it is fitted anew
    assert np.array_equal(session.model.predict_proba(X), proba)
    other.ask(3)
    assert np.array_equal(other.model.predict_proba(X), proba)


def test_one_class_is_warned_of() -> None:
    session = made()
    session.tell(NO, "no")
    with pytest.warns(SingleClassWarning, match="all 1 labelled rows are 'no'"):
        session.ask()
    assert session.predict(X[:2].tolist()) == ["no", "no"]


@pytest.mark.parametrize("strategy", [left, spec_of(left), spec_of(left).build()], ids=["function", "spec", "object"])
def test_ways_to_give_a_strategy(strategy: Any) -> None:
    assert made(strategy, cold_start=None).ask(2).tolist() == np.argsort(X[:, 0])[:2].tolist()


@pytest.mark.parametrize("strategy", [One, One()], ids=["class", "object"])
def test_a_decorated_class_or_an_object_of_it(strategy: Any) -> None:
    assert made(strategy, cold_start=None).ask().tolist() == [0]


def test_parameters_of_a_strategy() -> None:
    strategy = spec_of(left).build(column=1)
    assert made(strategy, cold_start=None).ask(2).tolist() == np.argsort(X[:, 1])[:2].tolist()


def test_the_callers_strategy_is_left_alone() -> None:
    mine = KCenter()
    first, second = made(mine, cold_start=None), made(mine, cold_start=None)
    first.tell([0, 1], of([0, 1]))
    assert vars(mine) == {}
    assert second.ask(40).tolist() == made(KCenter(), cold_start=None).ask(40).tolist()


def test_the_callers_learner_is_left_alone() -> None:
    mine = GaussianNB()
    session = started(learner=mine)
    session.predict(X)
    assert not hasattr(mine, "classes_")


def test_scores_of_every_row_that_can_be_asked() -> None:
    session = started()
    scores = session.scores()
    closed = [*session.labeled, *session.pending, *session.skipped]
    assert np.flatnonzero(np.isnan(scores)).tolist() == sorted(closed)
    p = session.model.predict_proba(X)
    open_ = ~np.isnan(scores)
    assert scores[open_] == pytest.approx(-np.abs(p[open_, 0] - p[open_, 1]))
    assert session.ask().tolist() == [int(np.nanargmax(scores))]


def test_its_description() -> None:
    assert repr(started()) == "Session(2 of 40 rows labelled, 2 pending)"


def test_no_warning_in_ordinary_use() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = started(learner="logistic-regression")
        rows = session.ask(5)
        session.tell(rows, of(rows))
        session.predict(X)
