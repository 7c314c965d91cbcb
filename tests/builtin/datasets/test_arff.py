"""ARFF and KEEL texts become tables with the declared types; SciPy agrees where it can read them."""

import gzip
import io

import numpy as np
import pytest
from scipy.io import arff as scipy_arff

from alcore.builtin.datasets import arff
from alcore.errors import InputError

WEATHER = """% a comment
@RELATION 'the weather'

@attribute outlook {sunny, overcast , 'light rain'}
@ATTRIBUTE temperature REAL
@attribute 'wind''s speed' numeric
@attribute play {yes, no}

@DATA
sunny, 30.5, 1e1, no
% another comment
'light rain', ?, -2, yes

overcast,20,0.1,yes
?,1,2,no
"""


def read(text):
    return arff.read(text, where="toy.arff")


def header(*attributes):
    return "\n".join(["@relation toy", *(f"@attribute {attribute}" for attribute in attributes), "@data", ""])


def test_types_and_values():
    frame = read(WEATHER.replace("'wind''s speed'", "wind")).frame
    assert list(frame.columns) == ["outlook", "temperature", "wind", "play"]
    assert frame["temperature"].dtype == np.float64
    np.testing.assert_array_equal(frame["temperature"], [30.5, np.nan, 20, 1])
    assert list(frame["outlook"].cat.categories) == ["sunny", "overcast", "light rain"]
    assert list(frame["outlook"].cat.codes) == [0, 2, 1, -1]
    assert list(frame["play"]) == ["no", "yes", "yes", "no"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("plain", "plain"),
        ("'two words'", "two words"),
        ('"two words"', "two words"),
        (r"'it\'s'", "it's"),
        (r'"a \"quote\""', 'a "quote"'),
        ("with(brackets)[1]", "with(brackets)[1]"),
    ],
)
def test_names(written, name):
    assert list(read(header(f"{written} numeric") + "1").frame.columns) == [name]


@pytest.mark.parametrize(
    ("written", "value"),
    [("'c,d'", "c,d"), (r"'a\'b'", "a'b"), ('"it\'s"', "it's"), ("'<0'", "<0"), ("don't", "don't"), ("' e '", "e")],
)
def test_quoted_values(written, value):
    frame = read(header(f"a {{x, {written}}}", "b numeric") + f"{written}, 2\nx,3").frame
    assert list(frame["a"]) == [value, "x"]
    assert list(frame["b"]) == [2, 3]


def test_numbers_may_be_nominal_values():
    frame = read(header("a {1, 2, 10}") + "10\n1\n").frame
    assert list(frame["a"]) == ["10", "1"]


def test_text_and_dates_are_text():
    frame = read(header("a string", 'b date "yyyy-MM-dd"') + "'Hello, world',2020-01-02\n007,?\n").frame
    assert list(frame["a"]) == ["Hello, world", "007"]
    assert frame["b"][0] == "2020-01-02"
    assert frame["b"].isna().tolist() == [False, True]


def test_keel_header():
    text = (
        "@relation iris\n@attribute length real [4.3, 7.9]\n@attribute width real[2.0,4.4]\n"
        "@attribute id integer [0,9]\n@attribute Class{a, b}\n@inputs length, width\n"
        "@outputs Class\n@data\n5.1, 3.5, 1, a\n4.9, <null>, 2, b\n"
    )
    relation = read(text)
    assert relation.outputs == ("Class",)
    assert list(relation.frame.columns) == ["length", "width", "Class"]  # id has no role
    np.testing.assert_array_equal(relation.frame["width"], [3.5, np.nan])


@pytest.mark.parametrize(
    "text",
    [
        header("a numeric", "b {x,y}", "c integer") + "1,x,3\n?,?,?\n-1e-3,y,4\n",
        header("'a b' real", "class {'c,d',e}") + "0.1,'c,d'\n1e300,e\n",
    ],
)
def test_scipy_reads_the_same(text):
    assert_same(read(text).frame, text)


@pytest.mark.parametrize("name", ["emotions", "yeast", "birds"])
def test_scipy_reads_the_same_from_published_files(name, shared):
    text = gzip.decompress((shared / "multilabel" / f"{name}.arff.gz").read_bytes()).decode().replace("\r\n", "\n")
    assert_same(read(text).frame, text, names=False)  # SciPy keeps the backslash in 'Stellar\'s Jay'


def assert_same(frame, text, names=True):
    expected, meta = scipy_arff.loadarff(io.StringIO(text))
    if names:
        assert list(frame.columns) == meta.names()
    for position, (name, kind) in enumerate(zip(meta.names(), meta.types(), strict=True)):
        ours = frame.iloc[:, position]
        if kind == "numeric":
            np.testing.assert_array_equal(ours, expected[name])
        else:
            assert ours.astype(object).fillna("?").tolist() == [value.decode() for value in expected[name]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "toy.arff, line 1: 'a,b' is no line of an ARFF header"),
        ("@relation toy\n@attribute a numeric\n", "no line @data: it is no ARFF file, or was cut off"),
        ("@relation toy\n@data\n1\n", "declares no @attribute"),
        (header("a numeric"), "no rows below @data"),
        (header("a fancy") + "1", "line 2: '@attribute a fancy' declares no attribute; use '@attribute NAME numeric'"),
        (header("a {x, 'y}") + "x", "line 2: the quotes of .* do not match"),
        (header("a string", "b string") + "'x' y,z", "row 1 below @data: the quotes of .* do not match"),
        (header("a numeric", "b numeric") + "{0 1, 1 3}\n1,3", "row 2 below @data: '1,3' is no sparse row"),
        (header("a numeric", "b numeric") + "{0 1, 2 3}", "' 2 3' is no 'index value' with an index from 0 to 1"),
        (header("a numeric", "b numeric") + "{0 1, b 3}", "' b 3' is no 'index value'"),
        (header("a numeric", "b numeric") + "1,2\n3", "line 2: 1 fields, where line 1 has 2"),
        (header("a numeric", "b numeric") + "1\n3", "declares 2 attributes and its rows have 1 fields"),
        (header("a numeric", "b numeric") + "1,2\n3,red", "'red' is no number, which attribute 'b' declares .row 2"),
        (header("a {x, y}", "b numeric") + "x,2\nz,3", "'z' is none of its values x, y, which attribute 'a' declares"),
    ],
)
def test_malformed_texts(text, message):
    with pytest.raises(InputError, match=message):
        read(text)
