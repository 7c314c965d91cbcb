"""What may be given as predictions, and what is refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.tree import DecisionTreeClassifier

from alcore.errors import InputError
from alcore_modelselection import Predictions, Selection, simulate


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_probabilities_of_any_precision(toy, dtype):
    values = toy(4, 30, 3, soft=True).soft.astype(dtype)
    predictions = Predictions(values)
    assert predictions.soft.dtype == dtype
    np.testing.assert_array_equal(predictions.hard, values.argmax(axis=2))
    np.testing.assert_allclose(predictions.mean, values.astype(float).mean(axis=0), atol=1e-12)
    assert np.isfinite(Selection(predictions, "coda").best().posterior).all()


@pytest.mark.parametrize(
    "names", [["cat", "dog", "emu"], [3, 7, 11], [-1, 0, 1], [0.5, 1.5, 2.5], [b"a", b"b", b"c"]], ids=str
)
def test_any_label_names(toy, names):
    codes = toy(4, 30, 3)
    named = Predictions(np.array(names)[codes.hard], labels=np.array(names)[codes.labels], classes=names)
    np.testing.assert_array_equal(named.hard, codes.hard)
    np.testing.assert_array_equal(named.labels, codes.labels)
    trace = simulate(named, "coda", steps=5)
    np.testing.assert_array_equal(trace.chosen, simulate(codes, "coda", steps=5).chosen)


def test_two_fractions_are_class_names_when_they_are_named():
    assert Predictions([[0.5, 1.5], [1.5, 1.5]], classes=[0.5, 1.5]).n_classes == 2


def test_booleans_are_two_classes():
    assert Predictions([[True, False], [True, True]]).classes.tolist() == [False, True]


def test_classes_are_found_in_predictions_and_labels():
    predictions = Predictions([["a", "b"], ["b", "b"]], labels=["c", "b"])
    assert predictions.classes.tolist() == ["a", "b", "c"]


def test_ties_of_the_consensus_go_to_the_first_class():
    assert Predictions([[0, 1], [1, 1]]).consensus.tolist() == [0, 1]


def test_the_callers_array_is_neither_changed_nor_frozen(toy):
    values = toy(4, 30, 3, soft=True).soft.copy()
    kept = values.copy()
    simulate(Predictions(values, labels=toy(4, 30, 3).labels), "coda", steps=5)
    np.testing.assert_array_equal(values, kept)
    values[0, 0, 0] = 0.5


def test_normalise_divides_rows(toy):
    values = toy(4, 30, 3, soft=True).soft
    np.testing.assert_allclose(Predictions(values * 7, normalise=True).soft, values, rtol=1e-12)


def test_no_selector_sees_the_labels(toy):
    predictions = toy()
    assert Selection(predictions, "coda").predictions.labels is None
    assert predictions.without_labels().fingerprint == predictions.fingerprint


def test_the_fingerprint_tells_predictions_apart(toy):
    hard = toy().hard.copy()
    one = Predictions(hard, classes=range(3))
    hard = hard.copy()
    hard[0, 0] = (hard[0, 0] + 1) % 3
    assert Predictions(hard, classes=range(3)).fingerprint != one.fingerprint


P = np.full((2, 3, 2), 0.5)


def changed(index, value):
    array = P.copy()
    array[index] = value
    return array


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (np.zeros(3), {}, r"shape \(3,\)"),
        (np.zeros((0, 3, 2)), {}, "at least one model"),
        (np.zeros((2, 0)), {}, "at least one model"),
        (changed((1, 2, 0), np.nan), {}, "model 1 has the probability nan for row 2, class 0"),
        (changed((1, 2, 0), np.inf), {}, "finite"),
        (changed((0, 1), [3.0, -2.0]), {}, "softmax"),
        (changed((0, 1), [0.2, 0.2]), {}, r"model 0, row 1: the probabilities sum to 0.4.*normalise=True"),
        (changed((0, 1), [0.0, 0.0]), {"normalise": True}, "all-zero row"),
        (np.ones((2, 3, 1)), {}, "only one class"),
        (np.zeros((2, 3), dtype=int), {}, "only one class, '0'.*name them"),
        (np.full((2, 3), 0.3), {}, r"np.stack\(\[1 - p, p\]"),
        (np.array([[0.0, np.nan], [1.0, 1.0]]), {}, "model 0 has no prediction for row 1"),
        (np.array([["a", None], ["b", "b"]], dtype=object), {}, "model 0 has no prediction for row 1"),
        (np.array([["a", 1], ["b", 2]], dtype=object), {}, "mix int and str"),
        (P, {"classes": ["a", "b", "c"]}, "3 class names for 2 columns"),
        (P, {"classes": ["a", "a"]}, "each class name once"),
        (P, {"labels": [0, 1]}, r"there are 3 rows.*swap them"),
        (P, {"labels": [0, 1, 2]}, "the labels hold 2, which is none of the classes 0, 1"),
        (P, {"models": ["a"]}, "1 model names for 2 models"),
        (P, {"models": ["a", "a"]}, "two models are called 'a'"),
        (P.astype(complex), {}, "dtype is complex128"),
        ([["a", "b"], ["b", "c"]], {"classes": ["a", "b"]}, "hold 'c', which is none of the classes 'a', 'b'"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_place_and_the_fix(values, options, words):
    with pytest.raises(InputError, match=words):
        Predictions(values, **options)


def test_half_precision_may_miss_one_by_its_rounding():
    values = np.random.default_rng(0).dirichlet(np.ones(100), size=(2, 5)).astype(np.float16)
    assert Predictions(values).n_classes == 100


def test_a_simulation_needs_every_label():
    predictions = Predictions([[0, 1], [1, 1]], labels=[0.0, np.nan], classes=[0, 1])
    with pytest.raises(InputError, match="lacks the label of row 1"):
        simulate(predictions)
    with pytest.raises(InputError, match="has no labels"):
        simulate(Predictions([[0, 1], [1, 1]]))


def test_estimators_with_different_classes_are_aligned():
    X = np.arange(12.0)[:, None]
    y = np.repeat(["a", "b", "c"], 4)
    three = LogisticRegression().fit(X, y)
    two = DecisionTreeClassifier().fit(X[4:], y[4:])
    predictions = Predictions.from_estimators([three, two], X, labels=y)
    assert predictions.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(predictions.soft[1][:, 0], 0)
    np.testing.assert_allclose(predictions.soft[0], three.predict_proba(X))
    np.testing.assert_array_equal(predictions.classes[predictions.hard[1]], two.predict(X))


def test_estimators_without_probabilities_vote():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)
    predictions = Predictions.from_estimators([Perceptron().fit(X, y), LogisticRegression().fit(X, y)], X)
    assert predictions.soft is None
    assert predictions.models == ("0-Perceptron", "1-LogisticRegression")


def test_unfitted_estimators_are_refused():
    with pytest.raises(InputError, match="LogisticRegression has no classes_"):
        Predictions.from_estimators([LogisticRegression()], np.zeros((2, 1)))
    with pytest.raises(InputError, match="no estimators"):
        Predictions.from_estimators([], np.zeros((2, 1)))
