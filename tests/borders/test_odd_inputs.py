"""``alcore.simulate`` with odd arguments: it works, or says in alcore's own words what is wrong."""

from __future__ import annotations

import datetime as dt
import math
import os
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import alcore

CASES = max(500, int(os.environ.get("ALCORE_FUZZ", "0")))
N = 30
BASE = np.random.default_rng(0).normal(size=(N, 3))
CODES = (np.arange(N) % 3).astype(int)
WORDS = np.array(["ant", "bee", "cat"])[CODES]
TARGETS = BASE @ [1.0, -2.0, 0.5]


def _with(value: Any, at: Any = (4, 1), kind: Any = float) -> Any:
    X = BASE.astype(kind)
    X[at] = value
    return X


ROWS: list[Callable[[], Any]] = [
    lambda: BASE.astype(np.float32),
    lambda: BASE.astype(np.float16),
    lambda: (BASE * 10).astype(int),
    lambda: BASE > 0,
    lambda: BASE.astype(object),
    lambda: BASE.astype(str),
    lambda: _with(np.nan),
    lambda: _with(np.inf),
    lambda: _with(np.nan, (slice(None), 1)),
    lambda: _with("x", kind=object),
    lambda: _with(None, kind=object),
    lambda: _with(1e308),
    lambda: BASE + 1j,
    lambda: BASE[:1],
    lambda: BASE[:2],
    lambda: BASE[:0],
    lambda: BASE[:, :0],
    lambda: BASE[0],
    lambda: BASE.reshape(N, 3, 1),
    lambda: np.ones((N, 3)),
    BASE.tolist,
    lambda: [[1, 2], [3]] * (N // 2),
    lambda: [{"a": 1, "b": 2.0}] * N,
    lambda: ["one text", "another"] * (N // 2),
    lambda: "a text",
    lambda: None,
    lambda: 5,
    lambda: {"a": [1, 2]},
    lambda: iter(BASE),
    lambda: np.ma.masked_array(BASE, BASE > 1),
    lambda: np.array([dt.datetime(2020, 1, 1)] * N, dtype="M8[s]").reshape(-1, 1),
    lambda: pd.DataFrame(BASE, columns=["a", "a", "b"]),
    lambda: pd.DataFrame({"a": BASE[:, 0], "b": WORDS, "c": pd.date_range("2020", periods=N)}),
    lambda: pd.DataFrame({"a": BASE[:, 0], "b": pd.Categorical(WORDS)}, index=np.arange(N)[::-1]),
    lambda: pd.DataFrame(BASE).iloc[:0],
    lambda: pd.Series(BASE[:, 0]),
    lambda: pd.DataFrame({"a": pd.array([1, None, 3] * (N // 3), dtype="Int64"), "b": BASE[:, 1]}),
    lambda: sparse.csr_matrix(BASE),
    lambda: sparse.coo_array(BASE),
    lambda: sparse.csr_matrix((N, 3)),
    lambda: sparse.csr_matrix(_with(np.nan)),
]
LABELS: list[Callable[[], Any]] = [
    lambda: WORDS,
    WORDS.tolist,
    lambda: CODES.astype(float),
    lambda: CODES - 1,
    lambda: CODES * 10**12,
    lambda: TARGETS,
    lambda: TARGETS.astype(str),
    lambda: np.round(TARGETS * 100),
    lambda: np.arange(N),
    lambda: np.zeros(N, int),
    lambda: CODES > 0,
    lambda: np.array([True, 0, 1, False, 2] * (N // 5), dtype=object),
    lambda: np.array([1, "a", None] * (N // 3), dtype=object),
    lambda: np.array([{1}, {2}] * (N // 2), dtype=object),
    lambda: np.where(CODES == 0, np.nan, CODES),
    lambda: np.where(CODES == 0, np.inf, TARGETS),
    lambda: np.eye(3, dtype=int)[CODES],
    lambda: np.eye(3)[CODES] * 0.5,
    lambda: np.eye(1, dtype=int).repeat(N, axis=0),
    lambda: sparse.csr_matrix(np.eye(3, dtype=int)[CODES]),
    lambda: CODES[:-1],
    lambda: np.append(CODES, 0),
    lambda: CODES[:0],
    lambda: None,
    lambda: 3,
    lambda: "abc",
    lambda: set(WORDS),
    lambda: dict(enumerate(WORDS)),
    lambda: [[1], [2, 3]] * (N // 2),
    lambda: CODES + 1j,
    lambda: pd.date_range("2020", periods=N),
    lambda: pd.Series(WORDS, index=np.arange(N) + 7),
    lambda: pd.Series(pd.Categorical(WORDS, categories=["cat", "bee", "ant", "dog"])),
    lambda: pd.DataFrame(np.eye(3, dtype=int)[CODES], columns=list("abc")),
    lambda: WORDS.astype(bytes),
    lambda: CODES.reshape(-1, 1),
    lambda: CODES.reshape(-1, 1, 1),
]
OTHERS: dict[str, list[Any]] = {
    "strategy": [
        "random", "entropy", "core-set", "qbc", "badge", "quire", "k-means", "eer", "std", "marginn", "", None, 5,
        object(), print, dict, lambda view: 1 / 0, {"name": "margin"}, LogisticRegression(),
    ],
    "learner": [
        "gaussian-nb", "ridge", "random-forest", "logreg", "", None, 5, GaussianNB, GaussianNB(),
        GaussianNB(priors=[1]),
        lambda: None, GaussianNB, lambda: 1 / 0, object(), "margin", LogisticRegression(C=-1),
    ],
    "strategy_params": [{}, {"members": 3}, {"zeal": 1}, 5, "x"],
    "budget": [0, 1, -1, 10**9, 2.5, 5.0, "all", True, math.nan, math.inf, "3", np.int64(3), [3]],
    "batch": [2, 7, 0, -1, 10**9, 1.5, "2", None, np.int8(2), True],
    "seed": [1, 2**40, 2**70, -1, 1.0, "x", None, np.uint64(3), [1]],
    "start": [0, 1, N, 10**9, -3, 2.5, "5", None, [], [0, 0], [-1], ["a"], [10**9], np.array([1.0]), [[1]],
              [True], {1}],
    "test_size": [0.1, 0, 1, -1, 2, 1e-9, math.nan, "x", None, 0.999],
    "test": [(BASE[:3], CODES[:3]), (BASE[:3, :2], CODES[:3]), (BASE[:0], CODES[:0]), BASE, (BASE,), 5, (None, None),
             (BASE[:3], ["x"] * 3), (BASE.tolist(), CODES)],
    "metrics": [
        "f1-macro", "acc", ["accuracy", "log-loss"], ["aubc"], [], {}, {"m": 5}, {"m": lambda s: "x"}, 3, None,
        {"m": lambda s: None}, {"m": lambda s: 1 / 0}, {1: len}, "roc-auc", "r2",
    ],
    "task": ["classification", "regression", "multilabel", "clustering", 3],
    "classes": [[0, 1, 2], [0, 1], [0, 1, 2, 3], [0, 0, 1, 2], [], "abc", 5, [None, 0, 1, 2], [0.0, 1.0, 2.0],
                [[0], [1]]],
    "ties": ["first", "exact", "last", None, 3],
    "stop": [lambda history: None, lambda history: "enough", lambda history: 3, lambda history: 1 / 0, 5, "plateau",
             [None]],
    "cold_start": ["random", "core-set", "margin", "nope", 5],
    "features": ["raw", "none", 5, lambda X: None, lambda X: BASE[:5], lambda X: 1 / 0,
                 lambda X: np.full((X.shape[0], 2), np.nan)],
    "task_learner": ["gaussian-nb", "ridge", "nope", 5, GaussianNB()],
}  # fmt: skip
FIRST = {"X": ROWS, "y": LABELS}
INTERNAL = re.compile(r"\b(Index|Key|Attribute|Type|ZeroDivision|Recursion|Assertion|Value|Memory|LinAlg)Error\b")


def arguments(case: int) -> dict[str, Any]:
    """Return a call with one to three odd arguments; the same for the same case."""
    chance = np.random.default_rng([20, case])
    given: dict[str, Any] = {"X": BASE.copy(), "y": CODES.copy(), "strategy": "margin", "learner": LogisticRegression()}
    given |= {"budget": 4, "start": 8}
    names = [*FIRST, *FIRST, *FIRST, *OTHERS]
    for name in chance.choice(names, size=int(chance.integers(1, 4)), replace=False):
        if name in FIRST:
            given[name] = FIRST[name][int(chance.integers(len(FIRST[name])))]()
        else:
            given[name] = OTHERS[name][int(chance.integers(len(OTHERS[name])))]
    return given


def told(case: int) -> str:
    """Run a case; return what is wrong with the way it ended, or an empty text."""
    given = arguments(case)
    shown = {name: value if isinstance(value, str | int | float) else type(value) for name, value in given.items()}
    try:
        run = alcore.simulate(given.pop("X"), given.pop("y"), **given)
    except alcore.AlcoreError as error:
        text = str(error)
        # What a learner, a metric or a function of the caller's raises is told with its kind; our own never is.
        theirs = isinstance(error, alcore.LearnerError | alcore.EvaluationError) or "division by zero" in text
        if len(text) < 20 or (INTERNAL.search(text) and not theirs):
            return f"{case} {shown}: {type(error).__name__}: {text}"
        return ""
    except Exception as error:  # noqa: BLE001 - that is the finding
        return f"{case} {shown}: {type(error).__name__}: {error}"
    if len(set(run.queried.tolist())) != len(run.queried):
        return f"{case} {shown}: a row was asked twice"
    return ""


@pytest.mark.parametrize("part", range(10))
def test_an_odd_argument_works_or_is_told_in_words(part: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of learners, on data like these

        found = [text for case in range(part, CASES, 10) if (text := told(case))]

    assert not found, "\n".join(found)
