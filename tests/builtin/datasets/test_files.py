"""The user's files load as what they are, and whatever is wrong with one is said."""

import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from alcore.builtin.datasets import files
from alcore.errors import InputError
from alcore.types import Task

CSV = "id,width,colour,kind\n1,0.5,red,a\n2,?,blue,b\n3,1e-3,,a\n4,7,red,b\n"


@pytest.fixture
def csv(write):
    return write("My Flowers.csv", CSV)


# What a table becomes


def test_csv(csv):
    dataset = files.load(csv, "kind", drop=["id"])
    assert dataset.name == "my-flowers"
    assert dataset.source == "file My Flowers.csv"
    assert dataset.task is Task.CLASSIFICATION
    assert dataset.classes == ("a", "b")
    assert dataset.y.tolist() == ["a", "b", "a", "b"]
    # columns: width, colour=blue, colour=red; a missing colour is all zeros
    np.testing.assert_array_equal(dataset.X, [[0.5, 0, 1], [np.nan, 1, 0], [1e-3, 0, 0], [7, 0, 1]])


def test_frame_encoding_keeps_names_and_categories(csv):
    X = files.load(csv, "kind", encoding="frame").X
    assert list(X.columns) == ["id", "width", "colour"]
    assert [str(dtype) for dtype in X.dtypes] == ["float64", "float64", "category"]
    assert X["colour"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize("target", ["kind", 3, -1])
def test_target_by_name_or_position(csv, target):
    assert files.load(csv, target).classes == ("a", "b")


@pytest.mark.parametrize("drop", ["id", 0, ["id"], [0], [-4]])
def test_drop_by_name_or_position(csv, drop):
    assert list(files.load(csv, "kind", drop=drop, encoding="frame").X.columns) == ["width", "colour"]


@pytest.mark.parametrize(
    ("column", "task", "classes"),
    [
        ("1 2 1 2", Task.CLASSIFICATION, (1, 2)),
        ("10 9 10 9", Task.CLASSIFICATION, (9, 10)),
        ("0.5 1.5 2 3", Task.REGRESSION, ()),
        ("b a b a", Task.CLASSIFICATION, ("a", "b")),
        ("True False True True", Task.CLASSIFICATION, (False, True)),
        ("None some None some", Task.CLASSIFICATION, ("None", "some")),
    ],
)
def test_tasks_and_classes(write, column, task, classes):
    rows = "\n".join(f"{row},{label}" for row, label in enumerate(column.split()))
    dataset = files.load(write("toy.csv", "x,y\n" + rows), "y")
    assert (dataset.task, dataset.classes) == (task, classes)


def test_task_can_be_said(write):
    dataset = files.load(write("toy.csv", "x,y\n1,2\n2,5\n"), "y", task="regression")
    assert dataset.task is Task.REGRESSION
    assert dataset.codes.tolist() == [2.0, 5.0]


@pytest.mark.parametrize("choice", [{"target": ["p", "q"]}, {"target": [1, 2]}, {"labels": 2}])
def test_multilabel(write, choice):
    dataset = files.load(write("toy.csv", "x,p,q\n1.5,0,1\n2.5,1,1\n"), **choice)
    assert dataset.task is Task.MULTILABEL
    assert dataset.classes == ("p", "q")
    assert dataset.codes.tolist() == [[0, 1], [1, 1]]
    assert dataset.X.tolist() == [[1.5], [2.5]]


def test_numbers_are_the_nearest_float(write):
    numbers = np.random.default_rng(0).standard_normal(50) * 10.0 ** np.arange(-25, 25)
    path = write("toy.csv", "x,y\n" + "\n".join(f"{number!r},{row % 2}" for row, number in enumerate(numbers.tolist())))
    np.testing.assert_array_equal(files.load(path, "y").X[:, 0], numbers)


def test_space_around_fields_does_not_count(write):
    dataset = files.load(write("toy.csv", " x , y\n 1 , a \n ? , b\n2,a\n"), "y")
    np.testing.assert_array_equal(dataset.X[:, 0], [1, np.nan, 2])
    assert dataset.classes == ("a", "b")


def test_truth_values_are_numbers(write):
    dataset = files.load(write("toy.csv", "p,q,y\nTrue,False,1\nFalse,?,2\n"), "y")
    np.testing.assert_array_equal(dataset.X, [[1, 0], [0, np.nan]])


def test_missing_can_be_said(write):
    path = write("toy.csv", "x,y\n-9,1\n?,2\n3,1\n")
    assert np.isnan(files.load(path, "y", missing=["-9", "?"]).X[:, 0]).tolist() == [True, True, False]
    assert files.load(path, "y", missing="-9", encoding="frame").X["x"].tolist() == [np.nan, "?", "3"]


def test_two_loads_give_the_same_rows(csv):
    for encoding in ("one-hot", "frame"):
        loads = [files.load(csv, "kind", encoding=encoding).fingerprint() for _ in range(2)]
        assert loads[0] == loads[1]


# Forms


def test_tsv_and_separator(write):
    expected = files.load(write("a.csv", CSV), "kind").fingerprint()
    assert files.load(write("b.tsv", CSV.replace(",", "\t")), "kind").fingerprint() == expected
    assert files.load(write("c.csv", CSV.replace(",", ";")), "kind", separator=";").fingerprint() == expected


def test_packed_file_whatever_its_name(write):
    expected = files.load(write("a.csv", CSV), "kind").fingerprint()
    packed = gzip.compress(CSV.encode())
    dataset = files.load(write("b.csv.gz", packed), "kind")
    assert (dataset.name, dataset.fingerprint()) == ("b", expected)
    assert files.load(write("c.csv", packed), "kind").fingerprint() == expected


def test_byte_order_mark_and_carriage_returns(write):
    expected = files.load(write("a.csv", CSV), "kind").fingerprint()
    assert files.load(write("b.csv", "\ufeff" + CSV.replace("\n", "\r\n")), "kind").fingerprint() == expected


def test_quoted_fields(write):
    dataset = files.load(write("toy.csv", 'x,"the, class"\n"1,5",a\n"2 ""b""\nc",b\n'), "the, class", encoding="frame")
    assert dataset.X["x"].tolist() == ["1,5", '2 "b"\nc']


def test_dat_has_no_names(write):
    dataset = files.load(write("toy.dat", "1,2,a\n3,4,b\n"), -1)
    assert dataset.X.tolist() == [[1, 2], [3, 4]]
    assert list(files.load(write("toy.data", "1,2,a\n3,4,b\n"), "x2", encoding="frame").X.columns) == ["x0", "x1"]


def test_header_can_be_said(write):
    assert len(files.load(write("toy.csv", "1,a\n2,b\n"), -1, header=False)) == 2
    assert len(files.load(write("toy.dat", "x,y\n1,a\n2,b\n"), "y", header=True)) == 2


def test_keel_file_names_its_target(write):
    text = "@relation t\n@attribute x real [0,9]\n@attribute c {b, a}\n@inputs x\n@outputs c\n@data\n1,a\n2,b\n"
    dataset = files.load(write("toy.dat", text))
    assert dataset.classes == ("b", "a")  # as declared
    assert dataset.X.tolist() == [[1], [2]]


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], dtype="Int64"),
            "flag": [True, False, True],
            "c": pd.Categorical(["u", "v", "u"]),
            "y": pd.array([2, 1, 2], dtype="Int64"),
        }
    )
    frame.to_parquet(tmp_path / "toy.parquet")
    dataset = files.load(tmp_path / "toy.parquet", "y")
    np.testing.assert_array_equal(dataset.X, [[1, 1, 1, 0], [np.nan, 0, 0, 1], [3, 1, 1, 0]])
    assert dataset.classes == (1, 2)


def test_arff_declares_classes_and_their_order(write):
    text = "@relation t\n@attribute x numeric\n@attribute c {low, mid, high}\n@data\n1,high\n2,low\n"
    assert files.load(write("toy.arff", text), "c").classes == ("low", "high")


def test_arff_numbers_are_a_regression(write):
    text = "@relation t\n@attribute x numeric\n@attribute c numeric\n@data\n1,4\n2,5\n"
    path = write("toy.arff", text)
    assert files.load(path, "c").task is Task.REGRESSION
    assert files.load(path, "c", task="classification").classes == (4.0, 5.0)


def test_libsvm(write):
    dataset = files.load(write("toy.txt", "+1 1:0.5 3:2\n-1 2:1 # a comment\n"))
    assert sp.issparse(dataset.X)
    assert dataset.X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0]]
    assert dataset.classes == (-1, 1)
    assert dataset.y.tolist() == [1, -1]


def test_libsvm_dense_and_features(write):
    dataset = files.load(write("toy.libsvm", "0.5 1:1\n1.5 2:1\n"), dense=True, features=4)
    assert dataset.X.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert dataset.task is Task.REGRESSION


def test_libsvm_multilabel(write):
    dataset = files.load(write("toy.svm", "1,3 1:1\n 2:1\n7 1:2\n"), task="multilabel")
    assert dataset.classes == (1, 3, 7)
    assert dataset.codes.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_libsvm_packed(write, tmp_path):
    X, y = np.eye(3), np.array([0, 1, 0])
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"))
    packed = write("b.svm.gz", gzip.compress((tmp_path / "a.svm").read_bytes()))
    np.testing.assert_array_equal(files.load(packed, dense=True).X, X)


@pytest.mark.parametrize("target", [None, "y", "kind"])
def test_npz(tmp_path, target):
    X = np.arange(12).reshape(3, 2, 2)
    np.savez(tmp_path / "toy.npz", X=X, **{target or "y": ["b", "a", "b"]})
    dataset = files.load(tmp_path / "toy.npz", target)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.classes == ("a", "b")


def test_suffix_can_be_said(write):
    assert files.load(write("toy.txt", CSV), "kind", suffix=".csv").classes == ("a", "b")


# Where the file is


def test_relative_to_the_current_folder(csv, monkeypatch):
    monkeypatch.chdir(csv.parent)
    assert len(files.load(csv.name, "kind")) == 4


def test_relative_to_base(csv):
    assert len(files.load(csv.name, "kind", base=csv.parent)) == 4
    assert len(files.load(csv, "kind", base="elsewhere")) == 4


@pytest.mark.parametrize(
    ("name", "expected"), [("A b(1).csv", "a-b-1"), ("x_y.2.csv", "x_y.2"), ("(1).csv", "1"), ("é.csv", "file")]
)
def test_name_from_the_file(write, name, expected):
    assert files.load(write(name, CSV), "kind").name == expected


def test_name_can_be_said(csv):
    assert files.load(csv, "kind", name="flowers").name == "flowers"


# Test part


def test_test_part_shares_columns_and_classes(write):
    train = write("train.csv", "c,y\nred,a\nblue,b\n")
    test = write("test.csv", "c,y\ngreen,c\nred,a\n")
    dataset = files.load(train, "y", test_path=test)
    assert dataset.classes == ("a", "b", "c")
    assert dataset.X.tolist() == [[0, 0, 1], [1, 0, 0]]  # blue, green, red
    X_test, y_test = dataset.test
    assert X_test.tolist() == [[0, 1, 0], [0, 0, 1]]
    assert y_test.tolist() == ["c", "a"]
    assert dataset.source == "file train.csv, test part test.csv"


def test_test_part_as_frame(write):
    train, test = write("a.csv", "c,y\nu,1\nv,2\n"), write("b.csv", "c,y\nw,1\n")
    dataset = files.load(train, "y", test_path=test, encoding="frame")
    X_test, _ = dataset.test
    assert list(dataset.X["c"].cat.categories) == list(X_test["c"].cat.categories) == ["u", "v", "w"]
    assert X_test.index.tolist() == [0]


def test_test_part_of_libsvm(write):
    dataset = files.load(write("a.svm", "1 1:1\n2 2:1\n"), test_path=write("b.svm", "3 4:1\n"))
    X_test, y_test = dataset.test
    assert dataset.X.shape == (2, 4)
    assert X_test.toarray().tolist() == [[0, 0, 0, 1]]
    assert dataset.classes == (1, 2, 3)
    assert y_test.tolist() == [3]


def test_test_part_of_npz(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.ones((3, 2)), y=[0, 1, 0])
    np.savez(tmp_path / "b.npz", X=np.zeros((1, 2)), y=[1])
    dataset = files.load("a.npz", base=tmp_path, test_path="b.npz")
    assert dataset.X.shape == (3, 2)
    assert dataset.test[0].tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("x,z\n1,a\n", "its columns are not those of .*'y' is in one of them only"),
        ("y,x\na,1\n", "their order differs"),
        ("x,y\nlow,a\n", "column 'x' holds numbers only in one of"),
    ],
)
def test_test_part_with_other_columns(write, test, message):
    with pytest.raises(InputError, match=message):
        files.load(write("a.csv", "x,y\n1,a\n2,b\n"), "y", test_path=write("b.csv", test))


def test_a_column_may_be_empty_in_the_test_part(write):
    train, test = write("a.csv", "c,x,y\nu,1,1\nv,2,2\n"), write("b.csv", "c,x,y\n?,?,1\n")
    assert np.isnan(files.load(train, "y", test_path=test).test[0]).tolist() == [[False, False, True]]


# Published files


@pytest.mark.parametrize(
    ("name", "shape", "labels"),
    [
        ("scene", (2407, 294), 6),
        ("yeast", (2417, 103), 14),
        ("emotions", (593, 72), 6),
        ("birds", (645, 260), 19),
    ],
)
def test_multilabel_collection(name, shape, labels, shared):
    dataset = files.load(shared / "multilabel" / f"{name}.arff.gz", labels=labels, encoding="frame")
    assert dataset.name == name
    assert dataset.X.shape == shape
    assert dataset.codes.shape == (shape[0], labels)
    assert len(dataset.classes) == labels


def test_multilabel_with_nominal_features(shared):
    path = shared / "multilabel" / "flags.arff.gz"
    assert files.load(path, labels=7, encoding="frame").X.shape == (194, 19)
    one_hot = files.load(path, labels=7)
    assert one_hot.X.dtype == np.float64
    assert one_hot.X.shape[1] > 19


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [("sonar", (208, 60), [111, 97]), ("spambase", (4601, 57), [2788, 1813]), ("vehicle", (846, 18), None)],
)
def test_libsvm_collection(name, shape, counts, shared):
    path = shared / "tabular" / f"{name}-svmstyle.txt"
    dataset = files.load(path, name=name)
    X, y = load_svmlight_file(path)
    assert dataset.X.shape == shape
    assert (dataset.X != X).nnz == 0
    np.testing.assert_array_equal(dataset.y, y)
    assert counts in (None, sorted(np.bincount(dataset.codes), reverse=True))


@pytest.mark.parametrize(
    ("name", "options", "rows", "columns", "classes"),
    [
        ("satimage.dat", {"target": -1}, 6435, 36, 6),
        ("Dry_Bean_Dataset.csv", {"target": "Class", "separator": ";"}, 13611, 16, 7),
        ("abalone.csv", {"target": "Anillos"}, 4177, 10, 28),
        ("academic_success.csv", {"target": "Target"}, 4424, 36, 3),
        ("myocardial_MI.data", {"target": -1, "drop": [0, *range(112, 123)]}, 1700, 111, 8),
    ],
)
def test_tabular_collection(name, options, rows, columns, classes, shared):
    dataset = files.load(shared / "tabular" / name, **options)
    assert dataset.X.shape == (rows, columns)
    assert len(dataset.classes) == classes
