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
    st.lists(st.integers(-(2**62), 2**62), min_size=1),
    st.lists(st.text(max_size=3).filter(lambda word: "\0" not in word), min_size=1),
    st.lists(st.booleans(), min_size=1),
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


def fingerprint(rows: Any = X, y: Any = (0, 1, 0), **kwargs: Any) -> str:
    return Dataset("toy", rows, list(y) if isinstance(y, tuple) else y, **kwargs).fingerprint()


def mixed(*, number: float = 1.5, word: str = "b", flag: bool | None = True) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": [0.0, number, np.nan],
            "word": ["a", word, None],
            "category": pd.Categorical(["x", "y", "x"]),
            "flag": [False, flag, None],
            "day": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
        }
    )


MAKERS = {
    "array": X.copy,
    "integers": lambda: X.astype(int),
    "text": lambda: X.astype(str),
    "objects": lambda: X.astype(object),
    "3-D": lambda: X.reshape(3, 1, 2),
    "CSR": lambda: sp.csr_array(X),
    "frame": lambda: pd.DataFrame(X),
    "mixed frame": mixed,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_equal_content_has_one_fingerprint(make: Any) -> None:
    assert fingerprint(make()) == fingerprint(make())


def test_every_container_has_a_fingerprint_of_its_own() -> None:
    assert len({fingerprint(make()) for make in MAKERS.values()}) == len(MAKERS)


def test_name_source_and_layout_leave_the_fingerprint() -> None:
    other = Dataset("other", np.asfortranarray(X), np.array([0, 1, 0], dtype=np.uint8), source="somewhere")
    assert other.fingerprint() == fingerprint()


@pytest.mark.parametrize(
    "changed",
    [
        {"y": (0, 1, 1)},
        {"y": ("0", "one", "0")},
        {"classes": [0, 1, 2]},
        {"classes": [1, 0]},
        {"task": "regression"},
        {"test": (X, [0, 1, 0])},
        {"rows": np.where(X == 3, 3.5, X)},
        {"rows": X[:, ::-1]},
        {"rows": X.astype(np.float32)},
        {"rows": X.reshape(3, 2, 1)},
    ],
)
def test_one_change_is_another_fingerprint(changed: dict[str, Any]) -> None:
    assert fingerprint(**changed) != fingerprint()


def test_the_test_parts_labels_are_in_the_fingerprint() -> None:
    assert fingerprint(test=(X, ["a", "b", "a"])) != fingerprint(test=(X, ["a", "b", "b"]))


@pytest.mark.parametrize(
    "changed",
    [
        mixed(number=1.25),
        mixed(word="c"),
        mixed(flag=False),
        mixed().rename(columns={"word": "term"}),
        mixed()[["word", "number", "category", "flag", "day"]],
        mixed().astype({"number": "float32"}),
        mixed().astype({"category": object}),
        mixed().iloc[::-1],
    ],
)
def test_one_change_in_a_frame_is_another_fingerprint(changed: pd.DataFrame) -> None:
    assert fingerprint(changed) != fingerprint(mixed())


@pytest.mark.parametrize("dtype", ["int32", "bool", "float64", "Int64", "category"])
def test_the_dtype_of_a_column_is_in_the_fingerprint(dtype: str) -> None:
    flags = pd.DataFrame({"flag": [0, 1, 0]}, dtype="int64")
    assert fingerprint(flags.astype(dtype)) != fingerprint(flags)


def test_the_index_of_a_frame_leaves_the_fingerprint() -> None:
    assert fingerprint(mixed().set_index(pd.Index([7, 8, 9]))) == fingerprint(mixed())


SPARSE = np.array([[1.0, 0, 2.0], [0, 3.0, 0], [0, 0, 0]])


def test_one_sparse_content_has_one_fingerprint() -> None:
    coo = sp.coo_array(SPARSE)
    order = np.array([2, 1, 0])
    shuffled = sp.coo_array((coo.data[order], (coo.row[order], coo.col[order])), shape=coo.shape)
    csr = sp.csr_array(SPARSE)
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = sp.csr_array((np.array([2.0, 1.0, 3.0]), np.array([2, 0, 1]), np.array([0, 2, 3, 3])), shape=(3, 3))
    zero = sp.coo_array((np.append(coo.data, 0), (np.append(coo.row, 2), np.append(coo.col, 2))), shape=coo.shape)
    forms = [csr, sp.csr_matrix(SPARSE), sp.csc_array(SPARSE), coo, shuffled, wide, unsorted, zero]
    assert len({fingerprint(form) for form in forms}) == 1


def test_a_fingerprint_leaves_a_sparse_matrix_as_it_was() -> None:
    unsorted = sp.csr_array((np.array([2.0, 1.0, 3.0]), np.array([2, 0, 1]), np.array([0, 2, 3, 3])), shape=(3, 3))
    fingerprint(unsorted)
    assert unsorted.indices.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "changed",
    [
        sp.csr_array(np.where(SPARSE == 3, 4, SPARSE)),
        sp.csr_array(SPARSE[:, [1, 0, 2]]),
        sp.csr_array(SPARSE).astype(np.float32),
        sp.csr_array(np.hstack([SPARSE, np.zeros((3, 1))])),
    ],
    ids=["cell", "columns", "dtype", "empty column"],
)
def test_one_change_in_a_sparse_matrix_is_another_fingerprint(changed: Any) -> None:
    assert fingerprint(changed) != fingerprint(sp.csr_array(SPARSE))
