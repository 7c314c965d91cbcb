"""Predictions from files of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from alcore.errors import InputError
from alcore_modelselection import read_predictions


@pytest.fixture
def named(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y", "y"], "b": ["x", "x", "y"], "label": ["x", "y", "y"]})
    frame.to_csv(tmp_path / "votes.csv", index=False)
    frame.to_parquet(tmp_path / "votes.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["votes.csv", "votes.parquet"])
def test_a_table_of_hard_labels(named, name):
    predictions = read_predictions(named / name)
    assert predictions.models == ("a", "b")
    assert predictions.classes.tolist() == ["x", "y"]
    assert predictions.hard.tolist() == [[0, 1, 1], [0, 0, 1]]
    assert predictions.labels.tolist() == [0, 1, 1]


def test_another_column_of_labels_and_one_to_ignore(named):
    predictions = read_predictions(named / "votes.csv", labels="b", ignore=["label"])
    assert predictions.models == ("a",)
    assert predictions.labels.tolist() == [0, 0, 1]


def test_unknown_labels_in_a_table(tmp_path):
    pd.DataFrame({"a": [0, 1], "b": [1, 1], "label": [1, None]}).to_csv(tmp_path / "t.csv", index=False)
    assert read_predictions(tmp_path / "t.csv").labels.tolist() == [1, -1]


@pytest.mark.parametrize("numbers", [True, False])
def test_a_column_of_probabilities_per_model_and_class(tmp_path, numbers):
    u, v = ("0", "1") if numbers else ("u", "v")
    frame = pd.DataFrame({f"a:{u}": [0.9, 0.2], f"a:{v}": [0.1, 0.8], f"b:{v}": [0.5, 0.3], f"b:{u}": [0.5, 0.7]})
    frame["label"] = [0, 1] if numbers else ["u", "v"]
    frame.to_csv(tmp_path / "p.csv", index=False)
    predictions = read_predictions(tmp_path / "p.csv")
    assert predictions.models == ("a", "b")
    np.testing.assert_allclose(predictions.soft, [[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.7, 0.3]]])
    assert predictions.labels.tolist() == [0, 1]


def test_lists_of_probabilities_in_parquet(tmp_path):
    pd.DataFrame({"a": [[0.9, 0.1], [0.2, 0.8]], "b": [[0.5, 0.5], [1.0, 0.0]]}).to_parquet(tmp_path / "p.parquet")
    assert read_predictions(tmp_path / "p.parquet").soft.shape == (2, 2, 2)
    pd.DataFrame({"a": [[0.9, 0.1], [1.0]]}).to_parquet(tmp_path / "q.parquet")
    with pytest.raises(InputError, match="differ in length"):
        read_predictions(tmp_path / "q.parquet")


@pytest.mark.parametrize("key", ["preds", "predictions", "probabilities"])
def test_npz_of_probabilities(tmp_path, toy, key):
    given = toy(3, 10, 3, soft=True)
    np.savez(
        tmp_path / "p.npz", **{key: given.soft}, labels=given.labels, classes=["a", "b", "c"], models=["k", "l", "m"]
    )
    with pytest.raises(InputError, match="the labels hold"):
        read_predictions(tmp_path / "p.npz")
    np.savez(tmp_path / "p.npz", **{key: given.soft}, labels=given.labels, models=["k", "l", "m"])
    predictions = read_predictions(tmp_path / "p.npz")
    assert predictions.models == ("k", "l", "m")
    np.testing.assert_array_equal(predictions.labels, given.labels)


def test_npz_of_hard_labels_with_the_number_of_classes(tmp_path):
    np.savez(tmp_path / "p.npz", hard=np.zeros((2, 3), dtype=np.int8), C=4)
    assert read_predictions(tmp_path / "p.npz").n_classes == 4


def test_npy_with_labels_beside_it(tmp_path, toy):
    given = toy(3, 10, 3, soft=True)
    np.save(tmp_path / "p.npy", given.soft)
    np.save(tmp_path / "y.npy", given.labels)
    predictions = read_predictions(tmp_path / "p.npy", labels=str(tmp_path / "y.npy"))
    np.testing.assert_array_equal(predictions.hard, given.hard)
    np.testing.assert_array_equal(predictions.labels, given.labels)


def test_a_column_of_row_numbers_is_no_model(tmp_path):
    pd.DataFrame({"id": [10, 11, 12], "a": [0, 1, 1], "b": [0, 0, 1]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match=r"column 'id' is no model by its name.*--ignore"):
        read_predictions(tmp_path / "t.csv")
    assert read_predictions(tmp_path / "t.csv", ignore=["id"]).models == ("a", "b")


def test_what_cannot_be_read_is_said(tmp_path, named):
    (tmp_path / "t.txt").write_text("x")
    (tmp_path / "t.npz").write_text("x")
    (tmp_path / "t.csv").write_text("")
    np.savez(tmp_path / "u.npz", other=np.zeros(3))
    pd.DataFrame({"a:0": [0.5], "a:1": [0.5], "b:0": [1.0]}).to_csv(tmp_path / "v.csv", index=False)
    for name, words in (
        ("none.npz", "there is no file"),
        ("t.txt", "of type '.txt'"),
        ("t.npz", "cannot be read as a NumPy archive"),
        ("t.csv", "cannot be read as a table"),
        ("u.npz", "holds other; it needs one of preds"),
        ("v.csv", "they must agree"),
    ):
        with pytest.raises(InputError, match=words):
            read_predictions(tmp_path / name)
    with pytest.raises(InputError, match="no column 'truth'"):
        read_predictions(named / "votes.csv", labels="truth")
