"""scikit-learn's data sets are passed on as they are, with class names for labels."""

import numpy as np
import pytest
from sklearn import datasets

from alcore.builtin.datasets import sklearn_bundled
from alcore.types import Task


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "digits"])
def test_classification(name):
    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    dataset = sklearn_bundled.load(name)
    np.testing.assert_array_equal(dataset.X, bunch.data)
    np.testing.assert_array_equal(dataset.codes, bunch.target)
    assert dataset.classes == tuple(bunch.target_names.tolist())


def test_labels_are_class_names():
    assert sklearn_bundled.load("iris").y[0] == "setosa"


def test_class_order_is_kept_where_it_is_not_alphabetical():
    assert sklearn_bundled.load("breast-cancer").classes == ("malignant", "benign")


def test_regression():
    dataset = sklearn_bundled.load("diabetes")
    bunch = datasets.load_diabetes()
    np.testing.assert_array_equal(dataset.X, bunch.data)
    np.testing.assert_array_equal(dataset.codes, bunch.target)
    assert dataset.task is Task.REGRESSION
    assert dataset.classes == ()
