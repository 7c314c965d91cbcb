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


# Columns that are no models, and text that stays


def write(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["row", "fold", "ID", "Index", "Unnamed: 0"])
def test_columns_of_numbers_that_are_no_model_by_name(tmp_path, name):
    rows = "".join(f"{row % 2},{row % 3 % 2},{row % 2},{row % 2}\n" for row in range(20))
    path = write(tmp_path / "t.csv", f"{name},a,b,c\n{rows}")
    with pytest.raises(InputError, match=r"is no model by its name. Leave it out \(ignore="):
        read_predictions(path)
    shown = "" if name.startswith("Unnamed") else name
    assert read_predictions(path, ignore=[shown]).models == ("a", "b", "c")
    assert read_predictions(path, models=[shown, "a", "b"]).models == (shown, "a", "b")


def test_columns_of_numbers_that_are_no_model_by_value(tmp_path):
    path = write(tmp_path / "t.csv", "item,a,b,c\n" + "".join(f"{row},{row % 2},0,1\n" for row in range(20)))
    with pytest.raises(InputError, match="column 'item' shares few values with any other column"):
        read_predictions(path)


@pytest.mark.parametrize("name", ["Label", "truth", "y_true", "Target"])
def test_the_truth_under_another_name(tmp_path, name):
    path = write(tmp_path / "t.csv", f"a,b,{name}\n" + "0,1,1\n1,1,0\n" * 5)
    with pytest.raises(InputError, match=f"column '{name}' has the true labels by its name.* labels='{name}'"):
        read_predictions(path)
    assert read_predictions(path, labels=name).labels.tolist()[:2] == [1, 0]
    assert read_predictions(path, ignore=[name]).labels is None


def test_text_is_kept_as_it_is_written(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,label\nNA,01,NA\n01,01,01\nnull,NA,\n")
    predictions = read_predictions(path)
    assert predictions.classes.tolist() == ["01", "NA", "null"]
    assert predictions.labels.tolist() == [1, 0, -1]
    numbers = read_predictions(write(tmp_path / "n.csv", "a,b,label\n1,2,1\n2,2,\n"))
    assert numbers.classes.tolist() == [1, 2]
    assert numbers.labels.tolist() == [0, -1]


def test_a_prediction_that_is_missing(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\nx,y\n,x\n")
    with pytest.raises(InputError, match=r"t.csv: model 'a' has no prediction for row 1 \(1 in all\)"):
        read_predictions(path)


def test_other_separators(tmp_path):
    path = write(tmp_path / "t.csv", "a:u;a:v\n0.5;0.5\n0.1;0.9\n")
    with pytest.raises(InputError, match=r"single column.* separator=';' \(--separator"):
        read_predictions(path)
    assert read_predictions(path, separator=";").soft.shape == (1, 2, 2)
    with pytest.raises(InputError, match="column 'a:u' holds '0,5' in row 0, which is no probability"):
        read_predictions(write(tmp_path / "u.csv", "a:u;a:v\n0,5;0,5\n0,1;0,9\n"), separator=";")


def test_lists_of_probabilities_as_text(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\n0.5;0.5,0.1;0.9\n0.4;0.6,0.1;0.9\n")
    with pytest.raises(InputError, match=r"column 'a' holds lists of probabilities as text.* named model:class"):
        read_predictions(path)


# Archives from strangers


@pytest.mark.parametrize("count", [10**10, -1, 1, 2.5, [1, 2]])
def test_numbers_of_classes_that_are_none(tmp_path, count):
    np.savez(tmp_path / "p.npz", hard=np.zeros((2, 3), dtype=np.int8), C=count)
    with pytest.raises(InputError, match="which is no number of classes; give a whole number from 2"):
        read_predictions(tmp_path / "p.npz")


def test_a_number_of_classes_that_would_not_fit(tmp_path):
    np.savez(tmp_path / "p.npz", hard=np.zeros((2, 3000), dtype=np.int8), C=900_000)
    with pytest.raises(InputError, match="says C = 900000; vote shares would take 21,600 MB"):
        read_predictions(tmp_path / "p.npz")


def test_nothing_is_unpickled(tmp_path):
    np.savez(tmp_path / "p.npz", hard=np.array([["x", None], ["y", 1]], dtype=object))
    with pytest.raises(InputError, match="array 'hard', holds Python objects, which are pickled and never loaded"):
        read_predictions(tmp_path / "p.npz")
    np.save(tmp_path / "p.npy", np.array([["x", None]], dtype=object))
    with pytest.raises(InputError, match="never loaded"):
        read_predictions(tmp_path / "p.npy")


def test_broken_archives(tmp_path, toy):
    given = toy(3, 10, 3, soft=True)
    np.savez(tmp_path / "p.npz", preds=given.soft)
    whole = (tmp_path / "p.npz").read_bytes()
    for at in range(0, len(whole), 7):
        broken = bytearray(whole)
        broken[at] ^= 255
        (tmp_path / "q.npz").write_bytes(broken)
        try:
            read_predictions(tmp_path / "q.npz")
        except InputError as error:
            assert "q.npz" in str(error)  # noqa: PT017 - most of these are refused, and a few bytes do not count


def test_headers_that_promise_too_much(tmp_path):
    about = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2, 2), }".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(about).to_bytes(2, "little") + about.encode() + b"\0" * 64
    (tmp_path / "p.npy").write_bytes(content)
    with pytest.raises(InputError, match=r"says that it has shape \(1000000000000, 2, 2\)"):
        read_predictions(tmp_path / "p.npy")
