"""What people label with: strings, numbers, label sets, targets; and what their rows are in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from alcore.errors import InputError
from alcore.session import Session

X: NDArray[np.float64] = np.random.default_rng(3).normal(size=(20, 2))
SIDE = X[:, 0] > 0
GAPS = [1, 4, 5]  # rows without a label
KNOWN = [row for row in range(20) if row not in GAPS]


def made(classes: Any, rows: Any = X, **more: Any) -> Session:
    settings: dict[str, Any] = {"strategy": "margin", "learner": LogisticRegression()} | more
    return Session(rows, classes=classes, **settings)


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (["no", "yes"], np.where(SIDE, "yes", "no")),
        ([False, True], SIDE),
        ([0, 1], SIDE.astype(int)),
        ([1, 2], (SIDE + 1).astype(np.int8)),
        ([0, 1], SIDE.astype(float)),
        (["no", "yes"], pd.Series(np.where(SIDE, "yes", "no"), index=range(100, 120))),
        (["no", "yes"], pd.Series(np.where(SIDE, "yes", "no"), dtype="category")),
        (["no", "yes"], pd.Series(np.where(SIDE, "yes", "no"), dtype="string")),
        (np.array(["no", "yes"]), np.where(SIDE, "yes", "no").tolist()),
        (pd.Index([3, 7]), [[7] if side else [3] for side in SIDE]),
    ],
    ids=["str", "bool", "int", "int8", "float", "Series", "categorical", "pandas-string", "NumPy classes", "column"],
)
def test_labels_come_back_as_the_callers_classes(classes: Any, labels: Any) -> None:
    session = made(classes)
    session.tell(range(20), labels)
    expected = [list(classes)[int(side)] for side in SIDE]
    model = LogisticRegression().fit(X, SIDE)
    assert session.y == expected
    assert session.predict(X) == [list(classes)[int(code)] for code in model.predict(X)]
    assert {type(label) for label in session.y} <= {str, bool, int}  # never NumPy's


def test_the_order_of_classes_is_the_order_of_columns() -> None:
    session = made(["yes", "no"])
    session.tell(range(20), np.where(SIDE, "yes", "no"))
    assert session.model.predict_proba(X)[:, 0] == pytest.approx(
        LogisticRegression().fit(X, SIDE).predict_proba(X)[:, 1]
    )


def gaps(values: Any, gap: Any) -> list[Any]:
    return [gap if row in GAPS else value for row, value in enumerate(values)]


WORDS = np.where(SIDE, "yes", "no").tolist()
CODES = SIDE.astype(int).tolist()


@pytest.mark.parametrize(
    ("classes", "y"),
    [
        (["no", "yes"], gaps(WORDS, None)),
        (["no", "yes"], gaps(WORDS, np.nan)),
        (["no", "yes"], np.array(gaps(WORDS, None), dtype=object)),
        (["no", "yes"], pd.Series(gaps(WORDS, None), index=range(20)[::-1])),
        (["no", "yes"], pd.Series(gaps(WORDS, pd.NA), dtype="string")),
        (["no", "yes"], pd.Series(gaps(WORDS, np.nan), dtype=pd.StringDtype(na_value=np.nan))),
        (["no", "yes"], pd.Series(gaps(WORDS, None), dtype="category")),
        (["no", "yes"], pd.DataFrame({"y": gaps(WORDS, None)})),
        ([0, 1], np.array(gaps(CODES, np.nan))),
        ([0, 1], gaps(CODES, None)),
        ([0, 1], pd.Series(gaps(CODES, pd.NA), dtype="Int64")),
        ([False, True], pd.Series(gaps(SIDE.tolist(), pd.NA), dtype="boolean")),
    ],
    ids=[
        "None",
        "NaN",
        "object",
        "Series",
        "NA",
        "str",
        "categorical",
        "DataFrame",
        "floats",
        "ints",
        "Int64",
        "boolean",
    ],
)
def test_labels_with_gaps_at_construction(classes: Any, y: Any) -> None:
    session = made(classes, y=y)
    assert session.labeled.tolist() == KNOWN
    assert session.y == [classes[int(SIDE[row])] for row in KNOWN]
    assert sorted(session.ask(9)) == GAPS


@pytest.mark.parametrize("y", [[None] * 20, np.full(20, np.nan), pd.Series([pd.NA] * 20, dtype="string")])
def test_no_label_at_all_at_construction(y: Any) -> None:
    session = made(["no", "yes"], y=y)
    assert session.n_labeled == 0
    assert len(session.ask(3)) == 3


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (WORDS[:19], r"y has shape \(19,\) for 20 rows; give one label per row, None where there is none"),
        ("yes", r"y has shape \(\) for 20 rows"),
        (gaps(WORDS, "maybe"), "label 'maybe', which is none of the classes"),
        (gaps(WORDS, -1), "label -1, which is none of the classes"),
    ],
)
def test_wrong_labels_at_construction(y: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        made(["no", "yes"], y=y)


SETS = (X[:, [0, 1, 0]] > [0.0, 0.0, 0.5]).astype(int)


def multilabel(**more: Any) -> Session:
    return made(["a", "b", "c"], task="multilabel", **({"strategy": "random", "learner": "logistic-regression"} | more))


@pytest.mark.parametrize(
    "labels",
    [SETS, SETS.tolist(), SETS == 1, pd.DataFrame(SETS), sparse.csr_array(SETS)],
    ids=lambda y: type(y).__name__,
)
def test_label_sets(labels: Any) -> None:
    session = multilabel()
    rows = session.ask(20)
    session.tell(range(20), labels)
    expected = [LogisticRegression().fit(standard(X), column).predict(standard(X)) for column in SETS.T]
    assert sorted(rows) == [*range(20)]
    assert session.y == SETS.tolist()
    assert session.predict(X) == np.column_stack(expected).tolist()


def standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = (values - values.mean(axis=0)) / values.std(axis=0)
    return scaled


def test_the_label_set_of_one_row() -> None:
    session = multilabel()
    session.tell(3, [0, 1, 1])
    session.tell([4], [[1, 0, 0]])
    session.relabel(4, [1, 1, 0])
    assert session.y == [[0, 1, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    "y",
    [
        np.where(np.isin(np.arange(20), GAPS)[:, None], np.nan, SETS),
        gaps(SETS.tolist(), None),
        gaps(list(SETS), None),
        pd.DataFrame(SETS).astype("Int64").mask(pd.Series(np.isin(np.arange(20), GAPS))),
    ],
    ids=["floats", "lists", "arrays", "DataFrame"],
)
def test_label_sets_with_gaps_at_construction(y: Any) -> None:
    session = multilabel(y=y)
    assert session.labeled.tolist() == KNOWN
    assert session.y == SETS[KNOWN].tolist()


@pytest.mark.parametrize("column", [0, 2])
def test_a_label_set_of_which_a_part_is_missing(column: int) -> None:
    y = SETS.astype(float)
    y[7, column] = np.nan
    with pytest.raises(InputError, match="row 7 lacks a label"):
        multilabel(y=y)


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0, 1], "y has 2 labels and classes names 3"),
        ([0, 1, 2], "0/1 matrix"),
        ("a", "0/1 matrix"),
        ([0, 1, None], "row 3 lacks a label"),
    ],
)
def test_wrong_label_sets(labels: Any, match: str) -> None:
    session = multilabel()
    with pytest.raises(InputError, match=match):
        session.tell(3, labels)
    assert session.n_labeled == 0


def test_targets() -> None:
    y = X @ [1.0, -2.0]
    session = made((), strategy="random", learner=Ridge(), task="regression", y=gaps(y, None))
    rows = session.ask(2)
    session.tell(rows[0], y[rows[0]])
    told = [*KNOWN, int(rows[0])]
    assert session.y == y[told].tolist()
    assert session.predict(X) == pytest.approx(Ridge().fit(X[told], y[told]).predict(X))


@pytest.mark.parametrize(
    ("label", "match"), [("high", "no target of a regression"), (np.inf, "finite"), (None, "row 2")]
)
def test_wrong_targets(label: Any, match: str) -> None:
    session = made((), strategy="random", learner="ridge", task="regression")
    with pytest.raises(InputError, match=match):
        session.tell([1, 2], [0.5, label])
    assert session.n_labeled == 0


FRAME = pd.DataFrame(
    {"size": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")}, index=list("abcdefghijklmnopqrst")
)


def test_a_table_with_words_and_a_pipeline() -> None:
    encode = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    learner = make_pipeline(encode, LogisticRegression())
    session = made(["no", "yes"], FRAME, learner=learner, y=gaps(WORDS, None))
    expected = make_pipeline(encode, LogisticRegression()).fit(FRAME.iloc[KNOWN], np.array(WORDS)[KNOWN])
    assert session.predict(FRAME) == expected.predict(FRAME).tolist()
    gap = np.abs(np.diff(expected.predict_proba(FRAME.iloc[GAPS]), axis=1)[:, 0])
    assert session.ask().tolist() == [GAPS[int(np.argmin(gap))]]


def test_names_of_an_index_are_no_rows() -> None:
    numbered = FRAME.set_axis(np.arange(20)[::-1], axis=0)
    session = made(["no", "yes"], numbered)
    with pytest.raises(
        InputError, match=r"rows are positions in X, and an index holds names: give X.index.get_indexer"
    ):
        session.tell(numbered.iloc[[2, 3]].index, ["no", "no"])
    session.tell(numbered.index.get_indexer(numbered.iloc[[2, 3]].index), ["no", "yes"])
    assert session.labeled.tolist() == [2, 3]


def test_an_index_that_counts_rows_is_rows() -> None:
    session = made(["no", "yes"], FRAME.reset_index(drop=True))
    session.tell(pd.Index([2, 3]), ["no", "yes"])
    assert session.labeled.tolist() == [2, 3]


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_rows(form: Any) -> None:
    rows = form(np.where(np.abs(X) > 0.3, X, 0.0))
    session, dense = made(["no", "yes"], rows), made(["no", "yes"], rows.toarray())
    for one in (session, dense):
        one.tell(KNOWN, [WORDS[row] for row in KNOWN])
    assert session.ask(2).tolist() == dense.ask(2).tolist()
    assert session.predict(rows) == dense.predict(rows.toarray())


def test_rows_in_lists() -> None:
    session = made(["no", "yes"], X.tolist(), y=WORDS)
    assert session.predict(X[:3].tolist()) == session.predict(X)[:3]
