"""Whatever is wrong with the user's file is said, with its path, the rule and the fix."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

from alcore.builtin.datasets import files
from alcore.errors import InputError

CSV = "id,width,colour,kind\n1,0.5,red,a\n2,?,blue,b\n3,1e-3,,a\n4,7,red,b\n"


@pytest.fixture
def csv(write):
    return write("My Flowers.csv", CSV)


def refuses(message, path, *args, **options):
    with pytest.raises(InputError, match=message) as caught:
        files.load(path, *args, **options)
    return str(caught.value)


def test_no_file(csv):
    refuses(r"there is no file .*My Flower\.csv\. Did you mean 'My Flowers\.csv'", csv.with_name("My Flower.csv"), "y")
    refuses("Relative paths start from", "nowhere/data.csv", "y")


def test_a_folder(tmp_path):
    refuses("is a folder; give one file in it", tmp_path, "y")


def test_unknown_suffix(write):
    refuses(r"ends in \.csv, .* not in '\.xlsx'.* suffix='\.csv'", write("toy.xlsx", "x"), "y")
    refuses("not in 'excel'", write("toy.csv", CSV), "kind", suffix="excel")


def test_no_target(csv):
    message = refuses("which column holds the labels", csv)
    assert "id, width, colour, kind" in message
    assert str(csv) in message


def test_target_and_labels(csv):
    refuses("give one of them", csv, "kind", labels=1)


def test_several_targets_and_another_task(csv):
    refuses("several targets make the task multilabel, not regression", csv, ["id", "kind"], task="regression")
    refuses("target is an empty list", csv, [])


@pytest.mark.parametrize("labels", [0, -1, 4, "2"])
def test_number_of_labels(csv, labels):
    refuses(f"labels is {labels!r}; give how many of its last columns are labels, 1 to 3", csv, labels=labels)


def test_unknown_column(csv):
    refuses("no column 'kinds'; give one of id, width, colour, kind. Did you mean 'kind'", csv, "kinds")
    refuses("no column 'idd'", csv, "kind", drop=["idd"])
    refuses("has 4 columns, so no column 4; give a position from 0", csv, 4)
    refuses("no column True", csv, True)
    refuses(r"no column 1\.5", csv, 1.5)


def test_two_columns_of_one_name(write):
    refuses("2 columns named 'x'; give the position, such as 0", write("toy.csv", "x,x,y\n1,2,a\n3,4,b\n"), "x")


def test_target_in_drop(csv):
    refuses("column 'kind' is the target and in drop", csv, "kind", drop=["id", -1])


def test_nothing_left(csv):
    refuses("no column is left for the features", csv, "kind", drop=[0, 1, 2])


def test_missing_label(write):
    refuses("'y' has no label in row 1 .2 in all.* alcore.Session", write("toy.csv", "x,y\n1,a\n2,\n3,?\n"), "y")


@pytest.mark.parametrize(("cell", "shown"), [("2", "2"), ("", "nan"), ("yes", "'yes'")])
def test_label_columns_hold_0_and_1(write, cell, shown):
    refuses(
        f"label 'q' is .*{shown}.* in row 1; a multi-label column",
        write("a.csv", f"x,p,q\n1,0,1\n2,1,{cell}\n"),
        labels=2,
    )


def test_rows_of_unequal_length(write):
    refuses("line 3: 1 fields, where line 1 has 2", write("toy.csv", "x,y\n1,a\n2\n"), "y")
    refuses("line 4: 3 fields, where line 1 has 2", write("more.csv", "x,y\n1,a\n\n2,b,\n"), "y")


def test_wrong_separator(csv, write):
    refuses(
        "has a single column, 'id;width;colour;kind'.* separator=';'", write("a.csv", CSV.replace(",", ";")), "kind"
    )
    refuses("the separator is ', '; give one character", csv, "kind", separator=", ")


@pytest.mark.parametrize(("content", "message"), [("", "has no rows"), ("x,y\n", "no rows below the line of column")])
def test_no_rows(write, content, message):
    refuses(message, write("toy.csv", content), "y")


def test_not_utf8(write):
    refuses("cannot be read as .*utf-8", write("toy.csv", "x,y\né,a\n".encode("latin-1")), "y")


def test_broken_archive(write):
    refuses("cannot be read as", write("toy.csv.gz", gzip.compress(CSV.encode())[:20]), "kind")


def test_too_many_values_for_one_hot(write):
    path = write("toy.csv", "text,y\n" + "".join(f"t{row},{row % 2}\n" for row in range(1001)))
    refuses(re.escape("1001 different values in 1001 rows, too many to one-hot"), path, "y")
    refuses(re.escape("Leave it out with drop=['text'], use it alone as documents with text='text'"), path, "y")
    assert len(files.load(path, "y", encoding="frame")) == 1001


@pytest.mark.parametrize("column", [pd.to_datetime(["2020-01-01", "2020-01-02"]), [[1], [2]]], ids=["dates", "lists"])
@pytest.mark.parametrize("encoding", ["one-hot", "frame"])
def test_columns_that_are_no_features(tmp_path, column, encoding):
    pd.DataFrame({"odd": column, "y": [0, 1]}).to_parquet(tmp_path / "toy.parquet")
    refuses(r"column 'odd' holds .*drop=\['odd'\]", tmp_path / "toy.parquet", "y", encoding=encoding)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.parquet", b"PAR1 no"), ("a.npz", b"PK no"), ("a.npz", b""), ("a.svm", b"1 a:b"), ("a.svm", b"x,y\n1,2\n")],
)
def test_unreadable_content(write, name, content):
    message = refuses("cannot be read as", write(name, content))
    assert name in message


def test_npz_without_the_key(tmp_path):
    np.savez(tmp_path / "toy.npz", X=np.ones((2, 1)), labels=[0, 1])
    refuses("no array 'y'; it has X, labels", tmp_path / "toy.npz")
    refuses("no array 'label'.* Did you mean 'labels'", tmp_path / "toy.npz", "label")
    refuses("target of a NumPy archive is the key", tmp_path / "toy.npz", 1)


def test_npz_with_pickled_objects(tmp_path):
    np.savez(tmp_path / "toy.npz", X=np.ones((2, 1)), y=np.array(["a", None], dtype=object))
    refuses("array 'y', holds Python objects, which are pickled and never loaded", tmp_path / "toy.npz")


def test_npz_of_unequal_length(tmp_path):
    np.savez(tmp_path / "toy.npz", X=np.ones((2, 1)), y=[0, 1, 0])
    refuses(r"X has shape \(2, 1\) and y has \(3,\)", tmp_path / "toy.npz")


def test_single_array(tmp_path):
    with (tmp_path / "toy.npz").open("wb") as stream:
        np.save(stream, np.ones(3))
    refuses("is a single array; save both with np.savez", tmp_path / "toy.npz")


def test_libsvm_takes_no_target(write):
    refuses("give no target or labels", write("toy.svm", "1 1:1\n"), "y")


def test_libsvm_without_rows(write):
    refuses("has no rows", write("toy.svm", "# nothing\n"))


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        (
            "a.svm",
            "1 1:1\n",
            {"separator": ";"},
            "read as LIBSVM text, which has no option 'separator'; it takes classes, dense",
        ),
        ("a.csv", CSV, {"target": "kind", "dense": True}, "read as CSV, which has no option 'dense'"),
        ("a.npz", "", {"drop": ["x"]}, "no option 'drop'; it takes classes, limit, positive"),
    ],
)
def test_options_of_another_form(write, name, content, options, message):
    refuses(message, write(name, content), **options)


def test_unknown_task(csv):
    refuses("task is 'ranking'; use one of", csv, "kind", task="ranking")
