"""Tables that people bring: what is absurd is refused with the cure, and what only looks odd is read."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

import alcore
from alcore.builtin.datasets import arff, files
from alcore.builtin.datasets.arff import WeightsWarning
from alcore.builtin.datasets.columns import RowNumberWarning
from alcore.dataset import encode
from alcore.errors import InputError
from alcore.types import Task

N = 40
KINDS = ["a" if row % 2 else "b" for row in range(N)]


def table(**columns):
    """Return CSV text of these columns and a label."""
    return pd.DataFrame({name: list(values) for name, values in columns.items()} | {"kind": KINDS}).to_csv(index=False)


def refuses(message, path, *args, **options):
    with pytest.raises(InputError, match=message) as caught:
        files.load(path, *args, **options)
    assert path.name in str(caught.value)


# Which task it is


def amounts(kind):
    values = (np.arange(442) * 37 % 214 * 1.5 // 1 + 25).astype(float)
    return {
        "float": values,
        "int": values.astype(int),
        "list": values.tolist(),
        "Int64": pd.Series(values, dtype="Int64"),
    }[kind]


@pytest.mark.parametrize("kind", ["float", "int", "list", "Int64"])
def test_amounts_are_no_classes(kind):
    y = amounts(kind)
    with pytest.raises(InputError, match=r'y has 214 different numbers in 442 rows.* say task="regression"'):
        encode(y)
    assert len(encode(y, "classification").classes) == 214
    assert encode(y, "regression").task is Task.REGRESSION
    assert len(encode(y, classes=sorted(set(map(float, y)))).classes) == 214


@pytest.mark.parametrize(
    "y",
    [
        list(range(10)),
        list(range(20)),
        [chr(97 + letter % 26) for letter in range(40)],
        [letter % 26 + 1 for letter in range(60)],
        [number % 100 for number in range(250)],
        [float(number % 26) for number in range(260)],
        [(number * 7) % 90 * 10 for number in range(900)],
    ],
    ids=["10 rows", "20 classes", "letters", "letters as numbers", "100 classes", "floats", "codes with gaps"],
)
def test_classes_stay_classes(y):
    assert encode(y).task is Task.CLASSIFICATION


@pytest.mark.parametrize("y", [range(1, 31), [f"id-{row}" for row in range(30)], np.arange(500) * 3 % 1000])
def test_identifiers_are_no_classes(y):
    with pytest.raises(InputError, match=r'column of the labels.*|say task="classification"'):
        encode(list(y))


def test_amounts_in_a_file(write):
    path = write("prices.csv", "x,price\n" + "".join(f"{row * row % 7},{row * 13 % 97}.0\n" for row in range(90)))
    refuses("target 'price' has 90 different numbers .* say task=\"regression\"", path, "price")
    assert files.load(path, "price", task="regression").task is Task.REGRESSION
    assert len(files.load(path, "price", task="classification").classes) == 90


def test_amounts_in_a_simulation():
    X = np.random.default_rng(0).normal(size=(442, 2))
    with pytest.raises(InputError, match='task="regression"'):
        alcore.simulate(X, amounts("float"), strategy="random", learner="logistic-regression", budget=2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"a": 1}, "y is a dict; give one label per row"),
        ({"a", "b"}, "y is a set; give one label"),
        ("ab", "y is a str; give one label"),
        (3, "y is a int; give one label"),
        (iter([1]), "y is a list_iterator; give one label"),
        (np.array(3), "y is the single value 3; give one label"),
        ([True, 0, 1, False, 2], "y mixes True and False with numbers"),
        (np.array([True, 0, 1, False, 2], dtype=object), "y mixes True and False with numbers"),
        ([{1}, {2}], "y has a set at row 0.*MultiLabelBinarizer"),
        ([{1: 2}, {2: 3}], "y has a dict at row 0"),
        (pd.Series([["a"], ["b", "c"]]), "y has a list at row 0"),
        ([["a"], ["b", "c"]], "y is no array: .*MultiLabelBinarizer"),
    ],
)
def test_what_is_no_list_of_labels(y, message):
    with pytest.raises(InputError, match=message):
        encode(y)


def test_rows_and_labels_of_another_number():
    with pytest.raises(InputError, match="d: X has 3 rows and y has 2; give one label per row"):
        alcore.Dataset("d", np.ones((3, 1)), [0, 1])


def test_ragged_rows():
    with pytest.raises(InputError, match=r"d: X is no array: .* Give as many values for each row"):
        alcore.Dataset("d", [[1, 2], [3]], [0, 1])


# The order of classes


@pytest.mark.parametrize(("positive", "classes"), [("a", ("b", "a")), ("b", ("a", "b"))])
def test_the_positive_class_is_the_last(write, positive, classes):
    path = write("toy.csv", table(x=np.arange(N) % 7))
    assert files.load(path, "kind", positive=positive).classes == classes
    numbers = write("numbers.csv", "x,y\n" + "".join(f"{row % 5},{row % 2}\n" for row in range(N)))
    assert files.load(numbers, "y", positive=0).classes == (1, 0)
    assert files.load(numbers, "y", positive="0").codes.tolist()[:2] == [1, 0]


def test_a_positive_class_of_none(write):
    path = write("toy.csv", table(x=np.arange(N) % 7))
    refuses(r"positive is 'c'; it names one of two classes, and its classes are a, b", path, "kind", positive="c")
    refuses(r"positive is 1; it names one of two", path, "x", positive=1)


def test_classes_in_order(write):
    path = write("toy.csv", table(x=np.arange(N) % 7))
    dataset = files.load(path, "kind", classes=["b", "c", "a"])
    assert dataset.classes == ("b", "c", "a")
    assert dataset.codes[:2].tolist() == [0, 2]
    refuses("label 'b', which is none of the classes", path, "kind", classes=["a"])


def test_classes_of_other_forms(write, tmp_path):
    assert files.load(write("a.svm", "1 1:1\n-1 2:1\n"), positive=-1).classes == (1, -1)
    np.savez(tmp_path / "a.npz", X=np.ones((2, 1)), y=["u", "v"])
    assert files.load(tmp_path / "a.npz", positive="u").classes == ("v", "u")


# Columns that are no features


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([f"review number {row}" for row in range(N)], r"text or identifiers: 40 different values .*text='odd'"),
        ([f"{row % 28 + 1:02}.03.2020" for row in range(N)], "holds dates, such as '01.03.2020'"),
        ([f"2020-01-{row % 9 + 1:02}" for row in range(N)], "holds dates, such as '2020-01-01'.* drop="),
        ([f"2020-01-01T0{row % 9}:00:00Z" for row in range(N)], "holds dates"),
        ([f"{row},5" for row in range(N)], r"another notation, such as '0,5'. Read them with decimal=','"),
        ([f"{row + 1},234" for row in range(N)], r"such as '1,234'. Read them with thousands=',' or decimal=','"),
        ([f"{row}.000,5" for row in range(N)], r"thousands='\.' and decimal=','"),
        ([f"{row}%" for row in range(N)], r"such as '0%'. Read them with units=\['%'\]"),
        ([f"${row}.50" for row in range(N)], r"units=\['\$'\]"),
    ],
)
def test_columns_that_are_refused(write, values, message):
    path = write("toy.csv", table(x=np.arange(N) % 7, odd=values))
    refuses(message, path, "kind")
    assert files.load(path, "kind", drop="odd").X.shape == (N, 1)


def test_columns_that_are_categories(write):
    columns = {
        "few": [f"v{row % 20}" for row in range(N)],
        "ranges": ["10-20" if row % 2 else "20-30" for row in range(N)],
        "codes": ["1.2.3" if row % 2 else "1.2.4" for row in range(N)],
    }
    assert files.load(write("toy.csv", table(**columns)), "kind").X.shape == (N, 24)


@pytest.mark.parametrize(
    ("text", "options", "first"),
    [
        ("1,5;a\n-2,25;b\n,5;a\n", {"decimal": ","}, [1.5, -2.25, 0.5]),
        ("1.234,5;a\n12;b\n1e3;a\n", {"decimal": ",", "thousands": "."}, [1234.5, 12, 1000]),
        ("1,234;a\n1,234,567.5;b\n12;a\n", {"thousands": ","}, [1234, 1234567.5, 12]),
        ("5%;a\n 7.5 % ;b\n?;a\n", {"units": ["%"]}, [5, 7.5, np.nan]),
        ("$5;a\n$-7;b\n2;a\n", {"units": "$"}, [5, -7, 2]),
    ],
)
def test_notations(write, text, options, first):
    dataset = files.load(write("toy.csv", "x;y\n" + text), "y", separator=";", **options)
    np.testing.assert_array_equal(dataset.X[:, 0], first)


def test_numbers_are_as_strict_in_another_notation(write):
    path = write("toy.csv", "x;y\n1.5;a\n2,5;b\n")  # a point is no sign of this notation: the column is text
    assert files.load(path, "y", separator=";", decimal=",").X.shape == (2, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": "x"}, "decimal is 'x'; give the one sign"),
        ({"decimal": ",", "thousands": ","}, "decimal and thousands are both ','"),
        ({"units": [5]}, r"units is \(5,\); give texts"),
    ],
)
def test_notations_that_are_none(write, options, message):
    refuses(message, write("toy.csv", "x,y\n1,a\n2,b\n"), "y", **options)


# Columns that came by accident


def test_the_index_that_was_saved_too(write, tmp_path):
    frame = pd.DataFrame({"x": np.arange(N) % 7, "kind": KINDS})
    frame.to_csv(tmp_path / "toy.csv")
    refuses(r"column 0 has no name; .* Leave it out with drop=0, or name it in the file", tmp_path / "toy.csv", "kind")
    assert files.load(tmp_path / "toy.csv", "kind", drop=0).X.shape == (N, 1)
    pd.read_csv(tmp_path / "toy.csv").to_csv(tmp_path / "again.csv", index=False)
    refuses("drop=0", tmp_path / "again.csv", "kind")


def test_trailing_separators(write):
    refuses("the lines end with a separator. Leave it out with drop=2", write("a.csv", "x,y,\n1,a,\n2,b,\n"), "y")
    refuses("drop=2", write("a.dat", "1,a,\n2,b,\n"), 1)
    assert files.load(write("b.csv", "x,y,\n1,a,\n2,b,\n"), "y", drop=2).X.tolist() == [[1], [2]]
    refuses("3 fields, where line 1 has 2. It ends with a separator.", write("c.csv", "x,y\n1,a,\n2,b,\n"), "y")


@pytest.mark.parametrize("first", [0, 1])
def test_row_numbers_are_told(write, first):
    path = write("toy.csv", table(nr=np.arange(N) + first, x=np.arange(N) % 7))
    with pytest.warns(RowNumberWarning, match=r"column 'nr' counts the rows.*drop=\['nr'\]"):
        files.load(path, "kind")
    files.load(path, "kind", drop="nr")


# Charsets


@pytest.mark.parametrize(
    ("charset", "message"),
    [
        ("latin-1", r"line 3, cannot be read as text: it is not UTF-8 .* charset='latin-1', 'cp1252' or 'utf-16'"),
        ("utf-16", "begins with the mark of utf-16; say so: charset='utf-16'"),
        ("utf-16-le", "has a NUL character.* charset='utf-16-le'"),
    ],
)
@pytest.mark.parametrize("name", ["toy.csv", "toy.data"])
def test_charsets(write, charset, message, name):
    text = "x,y\n1,a\n2,\u00e9t\u00e9\n"
    path = write(name, text.encode(charset))
    refuses(message, path, "y", header=True)
    assert files.load(path, "y", charset=charset, header=True).classes == ("a", "\u00e9t\u00e9")


@pytest.mark.parametrize("charset", ["latin-7x", "zip", 3])
def test_unknown_charset(write, charset):
    refuses("is none that Python knows", write("toy.csv", "x,y\n1,a\n2,b\n"), "y", charset=charset)


# ARFF as OpenML serves it


def relation(*attributes, rows):
    return "\n".join(["@RELATION toy", *(f"@ATTRIBUTE {one}" for one in attributes), "@DATA", *rows]) + "\n"


def test_trailing_comments():
    text = relation("a numeric % years", "n {n, '5 % off', 10%} % why", rows=["1,n % x", "2,'5 % off'", "3,10% % y"])
    frame = arff.read(text, where="toy.arff").frame
    assert list(frame.columns) == ["a", "n"]
    assert frame["a"].tolist() == [1, 2, 3]
    assert frame["n"].tolist() == ["n", "5 % off", "10%"]


def test_sparse_rows(write):
    text = relation(
        "a numeric", "'b b' numeric", "c {x, 'y z'}", "kind {p, q}", rows=["{1 2.5, 3 q}", "{}", "{0 1,2 'y z',3 ?}"]
    )
    found = arff.read(text, where="toy.arff")
    assert found.sparse
    assert found.frame["a"].tolist() == [0, 0, 1]
    assert found.frame["c"].tolist() == ["x", "x", "y z"]
    assert found.frame["kind"].tolist()[:2] == ["q", "p"]
    dataset = files.load(write("toy.arff", text.replace("3 ?", "3 q")), "kind")
    assert dataset.X.format == "csr"
    assert dataset.X.toarray().tolist() == [[0, 2.5, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1]]
    assert dataset.codes.tolist() == [1, 0, 1]


def test_sparse_rows_that_would_be_too_large():
    attributes = [f"a{j} numeric" for j in range(3000)]
    text = relation(*attributes, rows=["{1 1}"] * 3000)
    with pytest.raises(InputError, match=r"sparse rows and would as a table take 72 MB.* limit=73"):
        arff.read(text, where="toy.arff", limit=0.5)


def test_weights_of_rows_are_told():
    text = relation("a numeric", "kind {p, q}", rows=["1,p,{0.5}", "2,q, {2}"])
    with pytest.warns(WeightsWarning, match="toy.arff: rows have weights"):
        assert arff.read(text, where="toy.arff").frame["kind"].tolist() == ["p", "q"]
    with pytest.warns(WeightsWarning, match="attribute 'a' has a weight"):
        arff.read(relation("a numeric {0.5}", "kind {p, q}", rows=["1,p"]), where="toy.arff")


def test_declared_dates_are_refused_by_name(write):
    path = write("toy.arff", relation("day date 'dd-MMM-yy'", "x numeric", "kind {p, q}", rows=["03-Jan-20,1,p"]))
    refuses("attribute 'day' is a date", path, "kind")
    assert files.load(path, "kind", drop="day").X.tolist() == [[1]]


# LIBSVM text


def test_sets_of_labels_are_seen(write):
    dataset = files.load(write("toy.svm", "1,2 1:4\n2 2:1\n"))
    assert dataset.task is Task.MULTILABEL
    assert dataset.codes.tolist() == [[1, 1], [0, 1]]


def test_libsvm_of_many_tools(write):
    dataset = files.load(write("toy.svm", b"\xef\xbb\xbf1 qid:3 1:4 # why\n\n0 qid:3 2:1\n"))
    assert dataset.X.toarray().tolist() == [[4, 0], [0, 1]]
    assert files.load(write("zero.svm", "1 0:4 2:1\n0 1:1\n")).X.toarray().tolist() == [[4, 0, 1], [0, 1, 0]]


def test_an_index_that_is_a_slip(write):
    refuses("line 2: the index 99999999999 is above 100000000", write("toy.svm", "1 1:1\n0 99999999999:1\n"))
    refuses(r"would as an array \(dense=True\) take 1,600 MB", write("b.svm", "1 1:1\n0 99999999:1\n"), dense=True)
    refuses("features is 0; give how many", write("c.svm", "1 1:1\n0 2:1\n"), features=0)


@pytest.mark.parametrize("label", ["1e300", "inf", "nan"])
def test_labels_that_are_no_classes(write, label):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load = partial(files.load, write("toy.svm", f"{label} 1:1\n0 2:1\n"))
        if label == "nan":
            with pytest.raises(InputError, match=r"toy.svm: y has no label at row 0"):
                load()
        else:
            assert load().classes == (0, float(label))
