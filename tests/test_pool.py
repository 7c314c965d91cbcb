"""The pool: rows by position from any container, and one numeric view of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from alcore.errors import InputError
from alcore.pool import Pool
from alcore.testing.guards import equal
from alcore.types import Task

N = 12
TABLE = np.random.default_rng(0).integers(-5, 6, size=(N, 3))
ROWS = np.array([7, 0, 11, 7])


def pool(X: Any, **kwargs: Any) -> Pool:
    return Pool(X, classes=("no", "yes"), **kwargs)


def raw(X: Any) -> Any:
    return pool(X, features="raw").features


def frame() -> pd.DataFrame:
    """Return a frame whose index is not its positions, with a column of every kind."""
    words = ["a", "b", None] * (N // 3)
    with pd.option_context("future.infer_string", True):  # the str dtype of pandas 3
        text = pd.Series(words)
    return pd.DataFrame(
        {
            "number": np.arange(N, dtype=float),
            "text": text.array,
            "string": pd.array(words, dtype="string"),
            "object": words,
            "category": pd.Categorical(words, categories=["b", "a", "unused"]),
            "flag": [True, False] * (N // 2),
            "integer": pd.array([1, None, 3] * (N // 3), dtype="Int64"),
            "maybe": pd.array([True, False, None] * (N // 3), dtype="boolean"),
        },
        index=range(1000, 1000 + N),
    )


DENSE = {
    "float64": TABLE.astype(np.float64),
    "float32": TABLE.astype(np.float32),
    "int": TABLE,
    "bool": TABLE > 0,
    "fortran": np.asfortranarray(TABLE),
    "3-D": np.arange(N * 6).reshape(N, 2, 3),
    "NaN": np.where(TABLE > 0, TABLE, np.nan),
    "text": TABLE.astype(str),
}
SPARSE_FORMATS = [
    sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_array, sp.dok_array,
]  # fmt: skip


@pytest.mark.parametrize("name", DENSE)
def test_rows_of_an_array_are_taken_by_position(name: str) -> None:
    taken = pool(DENSE[name]).take(ROWS)
    assert taken.dtype == DENSE[name].dtype
    np.testing.assert_array_equal(taken, DENSE[name][ROWS])


@pytest.mark.parametrize("make", SPARSE_FORMATS, ids=lambda make: make.__name__)
def test_rows_of_every_sparse_format_are_taken_by_position(make: Any) -> None:
    taken = pool(make(TABLE)).take(ROWS)
    assert taken.format == "csr"
    np.testing.assert_array_equal(taken.toarray(), TABLE[ROWS])


def test_rows_of_a_frame_are_taken_by_position_not_by_index() -> None:
    taken = pool(frame()).take(ROWS)
    pd.testing.assert_frame_equal(taken, frame().iloc[ROWS])
    assert taken.index.tolist() == [1007, 1000, 1011, 1007]


def test_rows_of_a_list_become_an_array() -> None:
    np.testing.assert_array_equal(pool(TABLE.tolist()).take(ROWS), TABLE[ROWS])


@pytest.mark.parametrize("X", [TABLE, DENSE["3-D"], sp.csr_matrix(TABLE), sp.csr_array(TABLE), frame()])
def test_the_callers_container_is_kept_as_it_is(X: Any) -> None:
    given = pool(X).X
    assert type(given) is type(X)
    assert equal(given, X)


@pytest.mark.parametrize("X", [*DENSE.values(), sp.coo_array(TABLE), frame(), TABLE.tolist()])
def test_length_is_the_number_of_rows(X: Any) -> None:
    assert len(pool(X)) == N


def test_only_sparse_matrices_are_sparse() -> None:
    assert [pool(X).sparse for X in (sp.csr_array(TABLE), sp.coo_matrix(TABLE), TABLE, frame())] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1, 2, 3], r"X has shape \(3,\); give one row per example, such as X.reshape\(-1, 1\)"),
        (3.0, "X is a float; give one row per example, in order"),
        ({"a": [1]}, "X is a dict; give one row per example"),
        ({1, 2}, "X is a set; give one row"),
        ("text", "X is a str; give one row"),
        (iter([[1]]), "X is a list_iterator; give one row"),
        ([[1, 2], [3]], "X is no array: .* Give as many values for each row"),
        (["a", None], r"row 1 is a NoneType; a row is a list of values, or all of them are documents"),
        (sp.coo_array([1, 2]), r"sparse array of shape \(2,\); give one row per example: X.reshape\(1, -1\)"),
        (pd.Series([1, 2]), r"X is a Series of numbers; give a DataFrame with one row per example: X.to_frame\(\)"),
    ],
)
def test_what_has_no_rows_is_refused(X: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pool(X)


@pytest.mark.parametrize("task", [Task.CLASSIFICATION, Task.MULTILABEL])
def test_classes_are_needed(task: Task) -> None:
    with pytest.raises(InputError, match=f"a {task} pool needs classes"):
        Pool(TABLE, task)


def test_a_regression_pool_has_no_classes() -> None:
    assert Pool(TABLE, Task.REGRESSION).n_classes == 0


def test_standard_features_are_scikit_learns() -> None:
    np.testing.assert_allclose(pool(TABLE).features, StandardScaler().fit_transform(TABLE), atol=1e-12)


@pytest.mark.parametrize("name", ["float32", "int", "bool", "fortran"])
def test_raw_features_are_the_numbers(name: str) -> None:
    values = raw(DENSE[name])
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, DENSE[name])


def test_rows_of_more_axes_are_flattened() -> None:
    np.testing.assert_array_equal(raw(DENSE["3-D"]), np.arange(N * 6).reshape(N, 6))


@pytest.mark.parametrize("make", SPARSE_FORMATS, ids=lambda make: make.__name__)
def test_sparse_and_dense_features_are_the_same(make: Any) -> None:
    np.testing.assert_array_equal(pool(make(TABLE)).features, pool(TABLE).features)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 7.0, 1e9 + 0.1, 1e-300])
@pytest.mark.parametrize("n", [3, 7, 8])
def test_a_constant_column_is_centred_but_not_scaled(value: float, n: int) -> None:
    # The standard deviation of seven times 0.1 is not 0 in floating point.
    np.testing.assert_allclose(pool(np.full((n, 1), value)).features, 0, atol=1e-15 * max(1, value))


def test_a_column_whose_spread_underflows_is_not_scaled() -> None:
    np.testing.assert_allclose(pool(np.array([[0.0], [1e-200], [0.0]])).features, 0, atol=1e-199)


def test_a_gap_becomes_the_median_of_its_column() -> None:
    X = np.array([[1.0, 5.0], [np.nan, 6.0], [4.0, np.inf], [9.0, -np.inf]])
    assert raw(X).tolist() == [[1, 5], [4, 6], [4, 5.5], [9, 5.5]]


@pytest.mark.parametrize("features", ["raw", "standard"])
def test_a_column_without_a_value_is_zero(features: Any) -> None:
    X = np.column_stack([np.arange(4.0), np.full(4, np.nan)])
    assert pool(X, features=features).features[:, 1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("column", ["text", "string", "object", "category"])
def test_a_column_of_words_is_one_hot_encoded(column: str) -> None:
    words = frame()[[column]].astype(object)
    expected = OneHotEncoder(categories=[["a", "b"]], handle_unknown="ignore", sparse_output=False).fit_transform(words)
    np.testing.assert_array_equal(raw(frame()[[column]]), expected)


@pytest.mark.parametrize(("column", "middle"), [("integer", 2.0), ("maybe", 0.5)])
def test_a_nullable_column_is_numbers_with_gaps(column: str, middle: float) -> None:
    expected = np.array([middle if value is pd.NA else float(value) for value in frame()[column]])
    np.testing.assert_array_equal(raw(frame()[[column]])[:, 0], expected)


@pytest.mark.parametrize("columns", [["number"], ["number", "flag"], ["flag", "integer"]])
def test_a_frame_of_numbers_alone_is_those_numbers(columns: list[str]) -> None:
    part = frame()[columns].fillna(2)
    np.testing.assert_array_equal(raw(part), part.to_numpy(np.float64))


def test_a_sparse_frame_is_its_numbers() -> None:
    np.testing.assert_array_equal(raw(pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(TABLE))), TABLE)


def test_a_mixed_frame_has_its_numbers_first() -> None:
    numbers, words = ["number", "flag", "integer", "maybe"], ["text", "string", "object", "category"]
    expected = np.hstack([raw(frame()[numbers]), *(raw(frame()[[word]]) for word in words)])
    np.testing.assert_array_equal(raw(frame()), expected)


def test_columns_of_one_name_are_all_kept() -> None:
    X = pd.DataFrame(TABLE[:, :2], columns=["same", "same"])
    np.testing.assert_array_equal(raw(X), TABLE[:, :2])


def test_a_column_that_is_no_number_and_no_word_is_one_hot_encoded() -> None:
    X = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", None, "2021-01-01"]), "span": pd.to_timedelta([2, 1, 2])})
    assert raw(X).tolist() == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]


def test_objects_that_are_numbers_or_none_are_numbers_with_gaps() -> None:
    assert raw(np.array([[1, None], [2, 3]], dtype=object)).tolist() == [[1, 3], [2, 3]]


@pytest.mark.parametrize("dtype", [object, str])
def test_an_array_of_words_has_no_numeric_view_and_says_what_to_do(dtype: type) -> None:
    words = pool(np.array([["a", "b"], ["c", "d"]], dtype=dtype))
    assert words.take(np.array([1])).tolist() == [["c", "d"]]
    with pytest.raises(InputError, match=r"has no numeric view: .*'a'.*Give a DataFrame, numbers, or Pool\(features="):
        _ = words.features


@pytest.mark.parametrize("X", [TABLE, sp.csr_array(TABLE), frame()])
def test_a_function_of_X_gives_the_features_as_they_are(X: Any) -> None:
    def rank(given: Any) -> Any:
        assert type(given) is type(X)
        assert equal(given, X)
        return np.arange(2 * N).reshape(N, 2)

    np.testing.assert_array_equal(pool(X, features=rank).features, np.arange(2 * N).reshape(N, 2))


@pytest.mark.parametrize("shape", [(N - 1, 2), (N,), (), (N, 2, 2)])
def test_a_function_of_X_with_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    given = str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(InputError, match=rf"features gave shape {given} for a pool of {N} rows; return shape \(n, d\)"):
        _ = pool(TABLE, features=lambda X: np.zeros(shape)).features


def test_an_unknown_kind_of_features_is_refused() -> None:
    with pytest.raises(InputError, match='features is \'Raw\'; use "standard", "raw", "tfidf" or a function'):
        pool(TABLE, features="Raw")


@pytest.mark.parametrize("features", ["raw", "standard", lambda X: X])
def test_features_are_read_only(features: Any) -> None:
    values = pool(TABLE.astype(np.float64), features=features).features
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 1.0


@pytest.mark.parametrize("features", ["raw", "standard", lambda X: X])
def test_the_callers_array_is_left_as_it_was(features: Any) -> None:
    X = np.where(TABLE > 0, TABLE, np.nan)
    before = X.copy()
    _ = pool(X, features=features).features
    np.testing.assert_array_equal(X, before)
    assert X.flags.writeable


def test_the_callers_frame_is_left_as_it_was() -> None:
    X = frame()
    _ = pool(X).features
    pd.testing.assert_frame_equal(X, frame())


def test_a_memo_is_made_once_per_key() -> None:
    made: list[str] = []
    one = pool(TABLE)

    def make(key: str) -> str:
        return one.memo(key, lambda: made.append(key) or f"made {key}")

    assert [make("a"), make("b"), make("a")] == ["made a", "made b", "made a"]
    assert made == ["a", "b"]


def test_a_memo_of_none_is_made_once() -> None:
    made: list[int] = []
    one = pool(TABLE)
    assert [one.memo("key", lambda: made.append(1)) for _ in range(2)] == [None, None]
    assert made == [1]


def test_two_pools_share_no_memo() -> None:
    assert [pool(TABLE).memo("key", lambda value=value: value) for value in (1, 2)] == [1, 2]


def test_features_are_made_once() -> None:
    calls: list[int] = []
    one = pool(TABLE, features=lambda X: calls.append(1) or X)
    assert np.shares_memory(one.features, one.features)
    assert calls == [1]


def test_a_pickled_pool_leaves_out_what_can_be_made_again() -> None:
    one = pool(TABLE)
    small = len(pickle.dumps(one))
    one.memo("kernel", lambda: np.zeros((500, 500)))
    features = one.features
    data = pickle.dumps(one)
    assert len(data) == small
    copy = pickle.loads(data)
    np.testing.assert_array_equal(copy.X, TABLE)
    np.testing.assert_array_equal(copy.features, features)
    assert copy.memo("kernel", lambda: "made again") == "made again"
    assert (copy.task, copy.classes) == (one.task, one.classes)


def test_pickling_leaves_the_pools_own_caches_alone() -> None:
    one = pool(TABLE)
    features = one.features
    pickle.dumps(one)
    assert np.shares_memory(one.features, features)
