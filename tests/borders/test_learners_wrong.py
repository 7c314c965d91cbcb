"""Learners that answer wrongly, in every way the contract names: each is caught by name, in a run and in a session."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression

import alcore
from alcore.errors import LearnerError
from alcore.learners import Model

RNG = np.random.default_rng(0)
N = 40
Y3 = np.arange(N) % 3
X = np.column_stack([np.cos(2 * Y3), np.sin(2 * Y3), np.ones(N)]) + 0.3 * RNG.normal(size=(N, 3))
TARGETS = X @ np.array([1.0, -2.0, 0.5])
LABELS = np.column_stack([Y3 == 0, Y3 > 0]).astype(int)
TASKS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "classification": (Y3, (0, 1, 2)),
    "regression": (TARGETS, ()),
    "multilabel": (LABELS, ("a", "b")),
}


def softmax(X: Any, columns: int) -> Any:
    scores = np.exp(X @ np.linspace(-1, 1, X.shape[1] * columns).reshape(X.shape[1], columns))
    return scores / scores.sum(axis=1, keepdims=True)


class Wrong:
    """Right in all but one method, which answers ``change`` of the right answer."""

    def __init__(self, method: str, change: Callable[[Any], Any]) -> None:
        self.method, self.change = method, change

    def fit(self, X: Any, y: Any) -> Self:
        self.y_ = np.asarray(y)
        return self

    def _said(self, method: str, right: Any) -> Any:
        return self.change(right) if method == self.method else right

    def _columns(self) -> int:
        return self.y_.shape[1] if self.y_.ndim == 2 else len(np.unique(self.y_))

    def predict(self, X: Any) -> Any:
        if self.y_.dtype.kind == "f":
            return self._said("predict", X[:, 0] + 0.5)
        p = softmax(X, self._columns())
        return self._said("predict", p.argmax(axis=1) if self.y_.ndim == 1 else (p > 0.5).astype(int))


class Proba(Wrong):
    def predict_proba(self, X: Any) -> Any:
        return self._said("predict_proba", softmax(X, self._columns()))


class Decision(Wrong):
    def decision_function(self, X: Any) -> Any:
        return self._said("decision_function", np.log(softmax(X, self._columns())))


class Std(Wrong):
    def predict(self, X: Any, return_std: bool = False) -> Any:
        mean = X[:, 0]
        return self._said("predict", (mean, np.ones(len(X)))) if return_std else mean


def put(row: int, value: Any) -> Callable[[Any], Any]:
    """Return what puts a value into a row of a copy, of its own dtype."""

    def change(right: Any) -> Any:
        wrong = np.array(right, dtype=np.result_type(right, np.min_scalar_type(value)))
        wrong[row] = value
        return wrong

    return change


def labelled(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return lambda codes: np.array(names)[codes]


# kind of learner, task, method that is wrong, what it makes of the right answer, what the error says
WRONG: dict[str, tuple[type[Wrong], str, str, Callable[[Any], Any], str]] = {
    "percent": (Proba, "classification", "predict_proba", lambda p: 100 * p, "for row 0.*divide by 100"),
    "logarithms": (Proba, "classification", "predict_proba", np.log, "logarithms, return np.exp"),
    "logits": (Proba, "classification", "predict_proba", lambda p: 8 * p - 4, "softmax"),
    "sums of 3": (Proba, "classification", "predict_proba", np.ones_like, "sum to 3 for row 0.*divide"),
    "sums below 1": (Proba, "classification", "predict_proba", lambda p: 0.9 * p, "sum to 0.9 for row 0"),
    "a row of NaN": (Proba, "classification", "predict_proba", put(2, np.nan), "gave nan for row 2, column 0.*0/0"),
    "an infinite one": (Proba, "classification", "predict_proba", put(2, np.inf), "gave inf for row 2"),
    "a negative one": (Proba, "classification", "predict_proba", put(1, [-0.5, 1.0, 0.5]), "gave -0.5 for row 1"),
    "a column short": (Proba, "classification", "predict_proba", lambda p: p[:, :2], r"gave shape \(\d+, 2\) for 3"),
    "a column more": (
        Proba, "classification", "predict_proba", lambda p: np.c_[p, 0 * p[:, 0]], r'Recipe\(learner, classes="all"\)',
    ),
    "a row short": (Proba, "classification", "predict_proba", lambda p: p[:-1], "and [0-9]+ rows"),
    "one column": (Proba, "classification", "predict_proba", lambda p: p[:, 1], "one column per class"),
    "None": (Proba, "classification", "predict_proba", lambda p: None, "answered None"),
    "a generator": (Proba, "classification", "predict_proba", lambda p: (row for row in p), "answered a generator"),
    "sparse": (Proba, "classification", "predict_proba", sp.csr_array, r"answered a csr_array.*toarray\(\)"),
    "complex": (Proba, "classification", "predict_proba", lambda p: p + 0j, "dtype complex128"),
    "masked": (Proba, "classification", "predict_proba", lambda p: np.ma.array(p, mask=p > 0.35), "masked.*fill them"),
    "text": (Proba, "classification", "predict_proba", lambda p: p.astype(str), "values of dtype <U"),
    "another index": (
        Proba, "classification", "predict_proba", lambda p: pd.DataFrame(p, index=np.arange(len(p))[::-1]),
        r"index of its own.*to_numpy\(\)",
    ),
    "predict -1": (Wrong, "classification", "predict", put(3, -1), "answered -1 for row 3.*codes.*0 to 2"),
    "predict a fraction": (Wrong, "classification", "predict", lambda c: c + 0.37, r"answered \d\.37 for row 0"),
    "predict NaN": (Wrong, "classification", "predict", put(1, np.nan), "answered nan for row 1"),
    "predict a class too many": (Wrong, "classification", "predict", put(0, 3), "answered 3 for row 0.*0 to 2"),
    "predict text": (Wrong, "classification", "predict", labelled(("ant", "bee", "cat")), "such as '(ant|bee|cat)'"),
    "predict objects": (
        Wrong, "classification", "predict", lambda c: labelled(("ant", "bee", "cat"))(c).astype(object), "no array of",
    ),
    "predict a row short": (Wrong, "classification", "predict", lambda c: c[:-1], r"gave shape \(\d+,\) for \d+ rows"),
    "predict a row": (Wrong, "classification", "predict", lambda c: c[None], r"gave shape \(1, \d+\)"),
    "predict columns": (Wrong, "classification", "predict", lambda c: np.eye(3)[c], "argmax"),
    "predict one": (Wrong, "classification", "predict", lambda c: 1, r"gave shape \(\)"),
    "predict ragged": (Wrong, "classification", "predict", lambda c: [[1], [1, 2]], "a list that is no array"),
    "a decision NaN": (Decision, "classification", "decision_function", put(4, np.nan), "gave NaN for row 4"),
    "decisions of pairs": (
        Decision, "classification", "decision_function", lambda d: np.c_[d, d], r"gave shape \(\d+, 6\)",
    ),
    "a regressor's NaN": (Wrong, "regression", "predict", put(2, np.nan), "answered nan for row 2.*finite"),
    "a regressor's inf": (Wrong, "regression", "predict", put(2, np.inf), "answered inf for row 2"),
    "a regressor's two": (Wrong, "regression", "predict", lambda v: np.c_[v, v], r"gave shape \(\d+, 2\)"),
    "a regressor's row short": (Wrong, "regression", "predict", lambda v: v[1:], r"gave shape \(\d+,\)"),
    "multi-label, a column more": (
        Proba, "multilabel", "predict_proba", lambda p: np.c_[p, p[:, 0]], r"gave shape \(\d+, 3\)",
    ),
    "multi-label percent": (Proba, "multilabel", "predict_proba", lambda p: 100 * p, "divide by 100"),
    "multi-label, a short list": (Proba, "multilabel", "predict_proba", lambda p: [np.c_[1 - p, p]], "list of 2"),
    "multi-label, three columns in the list": (
        Proba, "multilabel", "predict_proba", lambda p: [np.c_[p, p[:, 0]]] * 2, "for label 0",
    ),
    "multi-label, a label of 2": (Wrong, "multilabel", "predict", lambda c: 2 * c, "answered 2 for row .*, label"),
    "multi-label, codes": (Wrong, "multilabel", "predict", lambda c: c[:, 0], r"gave shape \(\d+,\)"),
}  # fmt: skip


def by_uncertainty(view: Any) -> Any:
    """Ask for what the model predicts, by all it has."""
    levels = view.model.levels
    if "proba" in levels:
        return -view.proba.max(axis=1)
    if "decision" in levels:
        return -np.abs(view.decision).min(axis=1) if view.decision.ndim == 2 else -np.abs(view.decision)
    return view.model.predict(view.X_unlabeled).reshape(len(view.unlabeled), -1)[:, 0].astype(float)


class Uncertain:
    def query(self, view: Any, n: int) -> Any:
        return view.top(by_uncertainty(view), n)


def caught(name: str, act: Callable[[], Any]) -> None:
    kind, _, method, _, says = WRONG[name]
    with pytest.raises(LearnerError) as error:
        act()
    assert str(error.value).startswith(f"{kind.__name__}.{method} ")
    assert re.search(says, str(error.value)), str(error.value)


@pytest.mark.parametrize("name", WRONG)
def test_a_run_catches_it(name: str) -> None:
    kind, task, method, change, _ = WRONG[name]
    y, classes = TASKS[task]
    metric: Any = () if method == "predict" else {"all": lambda s: float(s.proba is None) + float(s.decision is None)}
    caught(
        name,
        lambda: alcore.simulate(
            X, y, strategy="random", learner=lambda: kind(method, change), task=task, classes=classes or None, start=12,
            budget=2, metrics=metric,
        ),
    )  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_session_catches_it(name: str) -> None:
    kind, task, method, change, _ = WRONG[name]
    y, classes = TASKS[task]
    session = alcore.Session(X, strategy=Uncertain(), learner=lambda: kind(method, change), classes=classes, task=task)
    session.tell(np.arange(12), y[:12].tolist())
    caught(name, lambda: session.ask(2))
    assert session.n_labeled == 12
    assert not len(session.pending)


def test_there_are_enough_of_them() -> None:
    assert len(WRONG) >= 40


# Levels that only some learners have --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda both: (both[0], -both[1]), "answered -1 for row 0; the standard deviation must be .*0 or more"),
        (lambda both: (both[0], np.nan * both[1]), "answered nan for row 0; the standard deviation"),
        (lambda both: (np.nan * both[0], both[1]), "answered nan for row 0; the mean"),
        (lambda both: both[0], "answered a ndarray; with return_std=True it must be a pair"),
    ],
    ids=["negative", "NaN", "a mean of NaN", "alone"],
)
def test_a_wrong_standard_deviation(change: Any, says: str) -> None:
    model = Model(Std("predict", change), alcore.Task.REGRESSION, 0).fit(X, TARGETS)
    with pytest.raises(LearnerError, match=f"Std.predict {says}"):
        model.predict_std(X)


@pytest.mark.parametrize("method", ["embed", "hidden"])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X: X[:, 0], r"gave shape \(40,\) for 40 rows; .* shape \(40, e\)"),
        (lambda X: X[:-1], r"gave shape \(39, 3\)"),
        (lambda X: X[:, :, None, None], r"gave shape \(40, 3, 1, 1\)"),
        (lambda X: np.where(X[5, 0] == X, np.nan, X), "gave a value for row 5 that is not finite"),
        (lambda X: None, "answered None"),
    ],
    ids=["flat", "a row short", "images", "NaN", "None"],
)
def test_a_wrong_embedding(method: str, change: Any, says: str) -> None:
    learner = Proba("", lambda right: right)
    setattr(learner, method, change)
    model = Model(learner, alcore.Task.CLASSIFICATION, 3).fit(X, Y3)
    with pytest.raises(LearnerError, match=f"Proba.{method} {says}"):
        getattr(model, method)(X)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: p[:1], r"gave shape \(1, 40, 3\)"),
        (lambda p: p[..., :2], r"gave shape \(4, 40, 2\)"),
        (lambda p: 2 * p, "gave .* column .*; probabilities are from 0 to 1"),
        (lambda p: 0.5 * p, "gave probabilities that sum to 0.5 for row 0"),
    ],
    ids=["a draw", "a column short", "sums of 2", "sums of a half"],
)
def test_wrong_draws(change: Any, says: str) -> None:
    learner: Any = Proba("", lambda right: right)
    learner.sample_proba = lambda X, draws, rng: change(np.stack([np.eye(3)[np.zeros(len(X), int)]] * draws))
    model = Model(learner, alcore.Task.CLASSIFICATION, 3).fit(X, Y3)
    with pytest.raises(LearnerError, match=f"Proba.sample_proba {says}"):
        model.sample_proba(X, 4, np.random.default_rng(0))


# What is accepted -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.astype(np.float32),
        lambda p: p.astype(np.float16),
        lambda p: p.tolist(),
        pd.DataFrame,
        lambda p: p.astype(object),
        np.asfortranarray,
    ],
    ids=["float32", "float16", "list", "DataFrame", "object", "Fortran"],
)
def test_other_containers_of_the_same_probabilities(change: Any) -> None:
    fitted = Model(Proba("predict_proba", change), alcore.Task.CLASSIFICATION, 3).fit(X, Y3)
    assert fitted.predict_proba(X).dtype == np.float64
    np.testing.assert_allclose(fitted.predict_proba(X), softmax(X, 3), atol=1e-3)


@pytest.mark.parametrize(
    "change",
    [lambda c: c.astype(float), lambda c: c[:, None], lambda c: c.tolist(), pd.Series, lambda c: c.astype(object)],
)
def test_other_containers_of_the_same_codes(change: Any) -> None:
    fitted = Model(Wrong("predict", change), alcore.Task.CLASSIFICATION, 3).fit(X, Y3)
    codes = fitted.predict(X)
    assert codes.dtype == np.intp
    np.testing.assert_array_equal(codes, softmax(X, 3).argmax(axis=1))


def test_infinite_decision_values_are_allowed() -> None:
    fitted = Model(Decision("decision_function", put(0, -np.inf)), alcore.Task.CLASSIFICATION, 3).fit(X, Y3)
    assert (fitted.decision_function(X)[0] == -np.inf).all()


def test_estimators_of_scikit_learn_pass() -> None:
    for task, made in (("regression", LinearRegression()), ("classification", LogisticRegression())):
        alcore.simulate(X, TASKS[task][0], strategy="random", learner=made, task=task, start=12, budget=2)
