"""Mistakes and failures of a session: each is told, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore.errors import InputError, LearnerError, PairingError, StrategyError, UnknownNameError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.protocols import Truth
from alcore.session import Session
from alcore.types import Labels, Rows
from alcore.view import View

X = np.random.default_rng(7).normal(size=(40, 2))
X[38:, 0] = (-9.0, 9.0)
Y = np.where(X[:, 0] > 0, "yes", "no").tolist()
CLASSES = ["no", "yes"]
NO, YES = Y.index("no"), Y.index("yes")
A, B = 38, 39  # the rows that are least in doubt, and asked last


class First:
    """Asks for the first rows, without a learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


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


class Moody(KCenter):
    """Spoils what it keeps, and then fails, as often as it is told to."""

    failures: list[str] = []  # noqa: RUF012 - shared by the copies

    def fail(self, where: str) -> None:
        if self.failures and self.failures[0] == where:
            self.failures.pop(0)
            self.distance[:] = 0.0
            raise RuntimeError("a bad day")

    def query(self, view: View, n: int) -> Rows:
        self.fail("query")
        return super().query(view, n)

    def update(self, rows: Rows, labels: Labels) -> None:
        super().update(rows, labels)
        self.fail("update")


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


def test_classes_are_required() -> None:
    with pytest.raises(InputError, match="needs classes: the labels that can occur"):
        Session(X, strategy="margin", learner=GaussianNB())


@pytest.mark.parametrize(
    ("classes", "match"),
    [
        ("yes", r"give all labels that can occur, such as \['no', 'yes'\]"),
        (["a", "b", "a"], "has a label twice"),
        ([0, False], "has a label twice"),
        (["a", None], "missing value"),
        (np.unique([0.0, 1.0, np.nan]), "missing value"),
    ],
)
def test_classes_that_are_none(classes: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        made(classes=classes)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"task": "clustering"}, "task is 'clustering'; use one of classification, regression, multilabel"),
        ({"seed": -1}, "seed is -1; give a whole number"),
        ({"seed": None}, "seed is None; give a whole number"),
        ({"task": "regression"}, "a regression has no classes"),
        ({"learner": Recipe(GaussianNB(), refit="continue")}, 'refit="scratch"'),
    ],
)
def test_arguments_that_are_wrong(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        made(**wrong)


def test_an_upper_bound_is_refused() -> None:
    class Cheat(First):
        def reveal(self, truth: Truth) -> None: ...

    with pytest.raises(PairingError, match="Cheat is an upper bound that sees hidden labels; a session has none"):
        made(Cheat())
    with pytest.raises(PairingError, match="Cheat"):
        made(cold_start=Cheat())


def test_a_wrong_pairing_is_refused_at_once() -> None:
    with pytest.raises(PairingError, match="entropy needs proba"):
        made("entropy", learner="linear-svm")


def test_an_unknown_strategy_or_learner() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'margin'"):
        made("margn")
    with pytest.raises(UnknownNameError, match="no learner is called 'lr'"):
        made(learner="lr")


def test_a_class_that_is_not_decorated_must_be_made() -> None:
    with pytest.raises(InputError, match=r"is no strategy: give an object of it: KCenter\(\)"):
        made(KCenter)
    with pytest.raises(InputError, match="is no strategy: give a name, an object with query"):
        made(print)


def test_a_strategy_that_cannot_be_copied() -> None:
    mine = First()
    mine.file = open(__file__)  # type: ignore[attr-defined]  # noqa: PTH123, SIM115
    with mine.file, pytest.raises(InputError, match=r"First cannot be copied .*in its setup"):  # type: ignore[attr-defined]
        made(mine)


def test_only_pending_and_skipped_rows_can_be_released() -> None:
    session = started()
    before = facts(session)
    with pytest.raises(InputError, match=f"row {NO} is neither pending nor skipped"):
        session.release([int(session.pending[0]), NO])
    assert facts(session) == before


@pytest.mark.parametrize("n", [-1, 1.0, "2", None, True])
def test_numbers_that_cannot_be_asked(n: Any) -> None:
    with pytest.raises(InputError, match=r"n is .*; give a whole number, 0 or more"):
        made().ask(n)


WRONG: dict[str, tuple[Callable[[Session], Any], str]] = {
    "a strange label": (lambda s: s.tell([A, B], ["no", "maybe"]), r"label 'maybe', which is none of the classes"),
    "a label in another case": (lambda s: s.tell(A, "No"), "label 'No'"),
    "too few labels": (lambda s: s.tell([A, B], ["no"]), "1 labels for 2 rows; give one label per row"),
    "too many labels": (lambda s: s.tell([], ["no"]), "1 labels for 0 rows"),
    "a row twice": (lambda s: s.tell([A, B, A], ["no"] * 3), f"row {A} is given more than once"),
    "a labelled row": (lambda s: s.tell([A, NO], ["no"] * 2), f"row {NO} is labelled already; use relabel"),
    "a row outside": (lambda s: s.tell([A, 40], ["no"] * 2), "row 40 is outside X, which has rows 0 to 39"),
    "a row below 0": (lambda s: s.tell([-1], ["no"]), "row -1 is outside X"),
    "a fraction": (lambda s: s.tell([1.0], ["no"]), "rows are integers, positions in X"),
    "a mask": (lambda s: s.tell([True, False], ["no"] * 2), "rows are integers"),
    "a table of rows": (lambda s: s.tell([[1], [2]], ["no"] * 2), "rows are integers"),
    "a ragged table of rows": (lambda s: s.tell([[1], [2, 3]], ["no"] * 2), "rows are integers"),
    "a label of None": (
        lambda s: s.tell([A, B], ["no", None]),
        f"row {B} lacks a label; leave the row out here, or skip",
    ),
    "a label of NaN": (lambda s: s.tell(A, np.nan), f"row {A} lacks a label"),
    "a dict": (lambda s: s.tell([A], {A: "no"}), "A label is one number, text or truth value"),
    "lists as labels": (
        lambda s: s.tell([A, B], [["no"], ["no", "yes"]]),
        "A label is one number, text or truth value",
    ),
    "to skip a row outside": (lambda s: s.skip([A, 40]), "row 40 is outside X"),
    "to relabel what has no label": (lambda s: s.relabel([NO, A], ["yes"] * 2), f"row {A} has no label to change"),
    "to relabel strangely": (lambda s: s.relabel(NO, "maybe"), "label 'maybe'"),
    "to untell what has no label": (lambda s: s.untell([NO, A]), f"row {A} has no label to take back"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_changes_nothing(wrong: str) -> None:
    session, other = started(), started()
    before = facts(session)
    act, match = WRONG[wrong]
    with pytest.raises(InputError, match=match):
        act(session)
    assert facts(session) == before
    assert session.ask(2).tolist() == other.ask(2).tolist()
    session.tell([A, B], of([A, B]))
    assert session.y[2:] == of([A, B])


@pytest.mark.parametrize("where", ["query", "update"])
def test_a_strategy_that_fails_is_as_it_was(where: str) -> None:
    Moody.failures = []
    session, other = started(Moody()), started(Moody())
    before = facts(session)
    row = int(session.pending[0])
    Moody.failures = [where]
    with pytest.raises(StrategyError, match=r"Moody failed in .*RuntimeError: a bad day"):
        session.ask() if where == "query" else session.tell(row, Y[row])
    assert facts(session) == before
    for one in (session, other):
        one.tell(row, Y[row])
    assert session.ask(4).tolist() == other.ask(4).tolist()


def test_a_relabelling_that_fails_is_undone() -> None:
    Moody.failures = []
    session = started(Moody())
    Moody.failures = ["update"]
    with pytest.raises(StrategyError):
        session.relabel(NO, "yes")
    assert session.y == ["no", "yes"]


def test_an_interrupted_ask_loses_nothing() -> None:
    class Slow(First):
        def query(self, view: View, n: int) -> Rows:
            if view.t == 3:
                raise KeyboardInterrupt
            return super().query(view, n)

    session = made(Slow(), cold_start=None)
    session.ask(2)
    session.ask(1)
    before = facts(session)
    with pytest.raises(KeyboardInterrupt):
        session.ask()
    assert facts(session) == before


def test_an_answer_that_breaks_the_contract_is_an_error() -> None:
    class Stubborn(First):
        def query(self, view: View, n: int) -> Rows:
            return view.labeled[:n]

    session = made(Stubborn())
    session.tell([NO, YES], ["no", "yes"])
    with pytest.raises(StrategyError, match=f"Stubborn answered row {NO}, which is labelled already"):
        session.ask()


def test_a_learner_that_fails_is_an_error() -> None:
    class Broken(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            raise ValueError("not today")

    session = made(learner=Broken())
    session.tell([NO, YES], ["no", "yes"])
    with pytest.raises(LearnerError, match="Broken failed in fit: ValueError: not today"):
        session.ask()
    assert session.n_labeled == 2


def test_scores_that_there_are_not() -> None:
    with pytest.raises(InputError, match="cold_start is asked before margin; tell a label first"):
        made().scores()
    with pytest.raises(StrategyError, match="First chooses rows without scoring them"):
        started(First()).scores()
    with pytest.raises(StrategyError, match="random selects rows and has no scores"):
        started("random").scores()


@pytest.mark.parametrize(("answer", "match"), [(1.0, r"shape \(\)"), ("x", "failed in scores: ValueError")])
def test_scores_that_are_wrong(answer: Any, match: str) -> None:
    class Wrong(First):
        def scores(self, view: View) -> Any:
            return answer

    with pytest.raises(StrategyError, match=match):
        started(Wrong()).scores()


def test_nothing_can_be_predicted_before_a_label_is_told() -> None:
    with pytest.raises(InputError, match="no row is labelled yet, so there is nothing to learn from"):
        made().predict(X)
