"""Labels become codes at one border, and data are known by their content."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from alcore.dataset import Dataset, encode
from alcore.errors import InputError
from alcore.types import Task


def modern(words: list[Any]) -> pd.Series:
    """Return a series of the str dtype that pandas 3 gives to words."""
    with pd.option_context("future.infer_string", True):
        return pd.Series(words)


# --- classes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (np.array([3, 1], dtype=np.uint8), (1, 3), [1, 0]),
        ([1, -1, 0], (-1, 0, 1), [2, 0, 1]),
        (["b", "a"], ("a", "b"), [1, 0]),
        (np.array(["b", "a"]), ("a", "b"), [1, 0]),
        (np.array(["b", "a"], dtype=object), ("a", "b"), [1, 0]),
        ([True, False], (False, True), [1, 0]),
        ([2.0, 1.0], (1.0, 2.0), [1, 0]),
        (modern(["b", "a"]), ("a", "b"), [1, 0]),
        (pd.Series(["b", "a"], dtype="string"), ("a", "b"), [1, 0]),
        (pd.Series(["b", "a"], dtype=object, index=[9, 5]), ("a", "b"), [1, 0]),
        (pd.Series([3, 1], dtype="Int64"), (1, 3), [1, 0]),
        (pd.Series([True, False], dtype="boolean"), (False, True), [1, 0]),
        (pd.Series([3, 1], dtype="int64[pyarrow]"), (1, 3), [1, 0]),
        (np.array([[3], [1]]), (1, 3), [1, 0]),
        (pd.DataFrame({"y": ["b", "a"]}), ("a", "b"), [1, 0]),
        (sp.csr_array(np.array([[0], [2]])), (0, 2), [0, 1]),
        (["only", "only"], ("only",), [0, 0]),
    ],
)
def test_labels_become_codes_in_sorted_order(y: Any, classes: tuple[Any, ...], codes: list[int]) -> None:
    encoded = encode(y)
    assert encoded.task is Task.CLASSIFICATION
    assert encoded.classes == classes
    assert encoded.codes.tolist() == codes
    assert encoded.codes.dtype == np.intp


labels = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=12),
    st.lists(st.text(max_size=3).filter(lambda word: "\0" not in word), min_size=1, max_size=12),
    st.lists(st.booleans(), min_size=1, max_size=12),
)


@settings(deadline=None)
@given(labels)
def test_codes_lead_back_to_the_labels(y: list[Any]) -> None:
    encoded = encode(y)
    assert [encoded.classes[code] for code in encoded.codes] == y
    assert list(encoded.classes) == sorted(set(y))


@settings(deadline=None)
@given(labels, st.randoms(use_true_random=False))
def test_codes_follow_the_classes_given(y: list[Any], chance: Any) -> None:
    classes = sorted(set(y))
    chance.shuffle(classes)
    encoded = encode(y, classes=classes)
    assert list(encoded.classes) == classes
    assert [encoded.classes[code] for code in encoded.codes] == y


@pytest.mark.parametrize("wrap", [pd.Series, lambda y: y], ids=["Series", "Categorical"])
def test_a_category_that_no_row_has_is_a_class(wrap: Any) -> None:
    encoded = encode(wrap(pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"])))
    assert encoded.classes == ("low", "middle", "high")
    assert encoded.codes.tolist() == [0, 2, 0]


def test_classes_given_overrule_categories() -> None:
    encoded = encode(pd.Series(pd.Categorical(["a", "b"])), classes=["b", "a"])
    assert encoded.codes.tolist() == [1, 0]


def test_classes_given_may_be_an_array() -> None:
    assert encode([5, 3], classes=np.array([3, 4, 5])).codes.tolist() == [2, 0]


@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", None, "b"], dtype=object),
        ["a", None, "b"],
        ["a", float("nan"), "b"],
        [1.0, np.nan, 2.0],
        [0.5, np.nan, 2.0],
        modern(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(pd.Categorical(["a", None, "b"])),
        pd.Series(pd.Categorical([1, None, 2])),
        pd.Categorical(["a", None, "b"]),
    ],
)
@pytest.mark.parametrize("classes", [None, ["a", "b", 1, 2, 0.5]])
def test_a_missing_label_names_its_row(y: Any, classes: Any) -> None:
    with pytest.raises(InputError, match=r"y has no label at row 1 \(1 in all\)\. Leave out rows without"):
        encode(y, classes=classes)


@pytest.mark.parametrize("y", [[1, "a"], np.array([1, "a"], dtype=object), (1.5, "a"), pd.Series([1, "a"])])
def test_mixed_types_have_no_order(y: Any) -> None:
    with pytest.raises(InputError, match=r"y mixes types that cannot be sorted .* give classes=\[\.\.\.\] in order"):
        encode(y)


def test_mixed_types_keep_their_types_where_classes_give_the_order() -> None:
    encoded = encode(["a", 1], classes=[1, "a"])
    assert encoded.classes == (1, "a")
    assert encoded.codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        (["a", "b"], ["a", "b", "a"], r"classes \['a', 'b', 'a'\] has a label twice"),
        (["a", "z"], ["a", "b"], r"y has the label 'z', which is none of the classes \['a', 'b'\]"),
        ([1, 2], ["1", "2"], r"y has the label 1, which is none of the classes \['1', '2'\]"),
    ],
)
def test_classes_that_do_not_fit_are_refused(y: Any, classes: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(y, classes=classes)


def test_an_empty_y_has_only_the_classes_given() -> None:
    assert encode([], classes=["a"]).classes == ("a",)


# --- targets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [0.5, 2.0],
        np.array([[0.5], [2.0]]),
        np.array([0.5, 2.0], dtype=np.float32),
        pd.Series([0.5, 2.0], index=[7, 8]),
        pd.Series([0.5, 2.0], dtype="Float64"),
    ],
)
def test_fractions_are_a_regression(y: Any) -> None:
    encoded = encode(y)
    assert (encoded.task, encoded.classes) == (Task.REGRESSION, ())
    assert encoded.codes.tolist() == [0.5, 2.0]
    assert encoded.codes.dtype == np.float64


@pytest.mark.parametrize("y", [[1, 2, 2], [[1], [2], [2]], pd.Series([1, 2, 2], dtype="Int64")])
def test_integers_are_a_regression_on_request(y: Any) -> None:
    encoded = encode(y, "regression")
    assert encoded.codes.tolist() == [1.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, np.nan], "one finite number per row"),
        ([0.5, np.inf], "one finite number per row"),
        ([[0.5, 1.0]], "one finite number per row"),
        (["a", "b"], "y is no target of a regression: could not convert"),
    ],
)
def test_what_is_no_target_is_refused(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(y, Task.REGRESSION)


# --- label sets ----------------------------------------------------------------------------------------------------

LABELSETS = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]])


@pytest.mark.parametrize(
    "y",
    [
        LABELSETS,
        LABELSETS.astype(bool),
        LABELSETS.astype(float),
        LABELSETS.tolist(),
        sp.csr_matrix(LABELSETS),
        sp.csc_array(LABELSETS),
        pd.DataFrame(LABELSETS, columns=["a", "b", "c"]),
        pd.DataFrame(LABELSETS, columns=["a", "b", "c"], dtype="Int64"),
    ],
)
def test_a_matrix_is_multi_label(y: Any) -> None:
    encoded = encode(y)
    assert encoded.task is Task.MULTILABEL
    assert encoded.classes == (("a", "b", "c") if isinstance(y, pd.DataFrame) else (0, 1, 2))
    assert encoded.codes.dtype == np.intp
    np.testing.assert_array_equal(encoded.codes, LABELSETS)


def test_one_column_is_multi_label_on_request() -> None:
    assert encode([[1], [0]], Task.MULTILABEL).codes.tolist() == [[1], [0]]


def test_classes_name_the_labels() -> None:
    assert encode(LABELSETS, classes=["x", "y", "z"]).classes == ("x", "y", "z")


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        ([[0, 2]], None, "0/1 matrix"),
        ([[0.0, np.nan]], None, "0/1 matrix"),
        ([["a", "b"]], None, "0/1 matrix"),
        (np.zeros((2, 2, 2)), None, "0/1 matrix"),
        ([0, 1], None, "0/1 matrix"),
        (LABELSETS, ["x", "y"], "y has 3 labels and classes names 2"),
    ],
)
def test_what_is_no_label_set_is_refused(y: Any, classes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(y, Task.MULTILABEL, classes)


# --- every task ----------------------------------------------------------------------------------------------------


def test_a_matrix_is_no_classification() -> None:
    with pytest.raises(InputError, match=r"y has shape \(3, 3\); classification takes one label per row"):
        encode(LABELSETS, "classification")


def test_an_unknown_task_lists_the_tasks() -> None:
    with pytest.raises(InputError, match="task is 'ranking'; use one of classification, regression, multilabel"):
        encode([0, 1], "ranking")


@pytest.mark.parametrize(("y", "task"), [([1, 2], None), ([0.5, 1.5], "regression"), (LABELSETS, None)])
def test_codes_are_read_only(y: Any, task: Any) -> None:
    with pytest.raises(ValueError, match="read-only"):
        encode(y, task).codes[0] = 0


@pytest.mark.parametrize("y", [np.arange(3, dtype=np.intp), np.array([0.5, 1.5]), LABELSETS.astype(np.intp)])
def test_the_callers_labels_are_left_alone(y: Any) -> None:
    before = y.copy()
    encoded = encode(y)
    assert not np.shares_memory(encoded.codes, y)
    assert y.flags.writeable
    np.testing.assert_array_equal(y, before)


# --- data sets -----------------------------------------------------------------------------------------------------

X = np.arange(6.0).reshape(3, 2)


def test_a_data_set_fills_in_task_and_classes() -> None:
    data = Dataset("toy", X, ["b", "a", "b"])
    assert (data.task, data.classes, len(data)) == (Task.CLASSIFICATION, ("a", "b"), 3)
    assert data.codes.tolist() == [1, 0, 1]


def test_a_data_set_keeps_what_it_was_given() -> None:
    frame, y = pd.DataFrame(X, index=[7, 8, 9]), pd.Series(["b", "a", "b"])
    data = Dataset("toy", frame, y, test=(frame, y))
    assert data.X is frame
    assert data.y is y
    assert data.test == (frame, y)


@pytest.mark.parametrize("y", [[0, 1], LABELSETS[:2], sp.csr_array(LABELSETS[:2])])
def test_rows_and_labels_must_be_as_many(y: Any) -> None:
    with pytest.raises(InputError, match="toy: X has 3 rows and y has 2"):
        Dataset("toy", X, y)


def test_a_wrong_label_names_the_data_set() -> None:
    with pytest.raises(InputError, match="toy: y has no label at row 2"):
        Dataset("toy", X, ["a", "b", None])
