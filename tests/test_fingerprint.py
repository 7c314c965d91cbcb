"""Data are known by their content: equal data have one fingerprint, and any change another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from alcore.dataset import Dataset
from alcore.dataset import fingerprint as fingerprint_of

X = np.arange(6.0).reshape(3, 2)


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


def test_the_order_of_parts_and_the_text_are_in_a_fingerprint() -> None:
    one, other = np.arange(3), np.arange(3.0)
    found = {
        fingerprint_of(one), fingerprint_of(one, other), fingerprint_of(other, one), fingerprint_of(one, also="text")
    }  # fmt: skip
    assert len(found) == 4
    assert all(len(text) == 16 and int(text, 16) >= 0 for text in found)


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
