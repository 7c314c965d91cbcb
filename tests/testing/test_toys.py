"""The toys that things are tried on are what they are said to be."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import Ridge

from alcore.testing import toys
from alcore.testing.guards import captured, equal, frozen, random_state
from alcore.testing.toylearner import LEVELS, SHARPNESS, toy_learner
from alcore.testing.toys import Toy
from alcore.types import Level, Task

MADE = [*(toys.classification(k) for k in range(2, 7)), toys.regression(), toys.multilabel()]
TOYS = pytest.mark.parametrize("toy", MADE, ids=lambda toy: toy.name)


@TOYS
def test_a_toy_has_36_rows_that_all_differ(toy: Toy) -> None:
    assert len(np.unique(toy.X, axis=0)) == len(toy.X) == len(toy.y) == 36


@TOYS
def test_every_label_is_in_the_start_set(toy: Toy) -> None:
    if toy.task is not Task.REGRESSION:
        assert equal(np.unique(toy.y[toy.start], axis=0 if toy.y.ndim == 1 else None), np.unique(toy.y))
        assert (np.ptp(toy.y[toy.start], axis=0) > 0).all()


@TOYS
def test_a_pool_is_a_copy(toy: Toy) -> None:
    pool, before = toy.pool(), toy.X.copy()
    toy.X[:] = 0

    assert pool.X.any()
    toy.X[:] = before  # the toys here are shared


@TOYS
def test_no_position_is_an_unlabelled_row_where_the_first_half_is_labelled(toy: Toy) -> None:
    half = toys.half_labeled(toy)
    unlabeled = np.setdiff1d(np.arange(36), half.start)

    assert not np.isin(np.arange(len(unlabeled)), unlabeled).any()


@TOYS
def test_sorting_by_label_moves_the_start_set_along(toy: Toy) -> None:
    ordered = toys.sorted_by_label(toy)

    assert [tuple(np.atleast_1d(label)) for label in ordered.y] == sorted(tuple(np.atleast_1d(y)) for y in toy.y)
    assert {tuple(row) for row in ordered.X[ordered.start]} == {tuple(row) for row in toy.X[toy.start]}


@TOYS
def test_a_truth_cannot_be_written_to(toy: Toy) -> None:
    with pytest.raises(ValueError, match="read-only"):
        toy.truth().y[0] = 0


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (toys.identical_rows, lambda X: len(np.unique(X, axis=0)) == 1),
        (toys.duplicate_rows, lambda X: len(np.unique(X, axis=0)) == 18 and len(X) == 36),
        (toys.constant_column, lambda X: (np.ptp(X, axis=0) == 0).sum() == 1),
        (toys.one_column, lambda X: X.shape == (36, 1)),
        (toys.many_columns, lambda X: X.shape[1] > 36),
        (toys.as_float32, lambda X: X.dtype == np.float32),
        (toys.as_csr, lambda X: X.format == "csr"),
        (toys.as_frame, lambda X: X.index[0] == 1000),
        (toys.with_zeros, lambda X: 0 < (X == 0).mean() < 0.5),
    ],
    ids=lambda value: getattr(value, "__name__", None) if value is not None else None,
)
def test_awkward_rows(change: Any, holds: Any) -> None:
    assert holds(change(toys.classification(3)).X)


# The toy learner


@pytest.mark.parametrize("task", list(Task))
def test_a_toy_learner_has_the_levels_that_are_asked_for_and_no_others(task: Task) -> None:
    for levels in [frozenset(), LEVELS[task], *({level} for level in LEVELS[task])]:
        assert toy_learner(task, levels).levels == levels


def test_a_level_that_a_task_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no toy learner for classification has std"):
        toy_learner(Task.CLASSIFICATION, {Level.STD})


def test_a_toy_regression_is_scikit_learns_ridge() -> None:
    toy = toys.regression()
    A = np.column_stack([toy.X, np.ones(36)])

    model = toy_learner(Task.REGRESSION, ()).make(Task.REGRESSION, 0, 0).fit(toy.X, toy.y)

    np.testing.assert_allclose(model.predict(toy.X), Ridge(fit_intercept=False).fit(A, toy.y).predict(A))


def test_toy_probabilities_are_the_softmax_of_ridge_on_one_hot_classes() -> None:
    toy = toys.classification(3)
    A = np.column_stack([toy.X, np.ones(36)])
    scores = Ridge(fit_intercept=False).fit(A, np.eye(3)[toy.y]).predict(A)

    model = toy_learner(Task.CLASSIFICATION, {"proba", "decision"}).make(Task.CLASSIFICATION, 3, 0).fit(toy.X, toy.y)

    np.testing.assert_allclose(model.decision_function(toy.X), scores)
    np.testing.assert_allclose(model.predict_proba(toy.X), softmax(SHARPNESS * scores, axis=1))


def test_toy_draws_scatter_about_the_probabilities() -> None:
    toy = toys.classification(3)
    estimator = toy_learner(Task.CLASSIFICATION, LEVELS[Task.CLASSIFICATION]).source.fit(toy.X, toy.y)

    draws = estimator.sample_proba(toy.X, 50, np.random.default_rng(0))

    assert draws.shape == (50, 36, 3)
    np.testing.assert_allclose(draws.sum(axis=2), 1)
    assert (draws.std(axis=0) > 0).all()


@pytest.mark.parametrize(
    "toy", [toys.classification(2), toys.multilabel(), toys.regression()], ids=lambda toy: toy.name
)
def test_a_toy_learner_takes_everything_without_a_warning(toy: Toy) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for change in (toys.identical_rows, toys.constant_column, toys.as_csr, toys.as_frame, toys.many_columns):
            odd = change(toy)
            recipe = toy_learner(toy.task, LEVELS[toy.task])
            for rows in (toy.start, toy.start[:1]):
                model = recipe.make(toy.task, len(toy.classes), 0).fit(odd.pool().take(rows), toy.y[rows])
                assert np.isfinite(model.predict(odd.X)).all()


def test_toy_learners_are_scikit_learn_estimators() -> None:
    classifier, regressor = (toy_learner(task, ()).source for task in (Task.CLASSIFICATION, Task.REGRESSION))

    assert is_classifier(clone(classifier))
    assert is_regressor(pickle.loads(pickle.dumps(regressor)))


# Guards


def test_output_is_taken_from_python_and_from_the_descriptor(capfd: pytest.CaptureFixture[str]) -> None:
    with captured() as output:
        print("one")
        os.write(1, b"two\n")
        print("three", file=sys.stderr)
        os.write(2, b"four\n")

    assert output.text.split() == ["one", "two", "three", "four"]
    assert capfd.readouterr() == ("", "")


def test_output_is_given_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), captured():
        raise KeyError
    print("after")

    assert capfd.readouterr().out == "after\n"


def test_the_random_state_tells_a_draw() -> None:
    before = random_state()
    same = random_state()
    np.random.random()

    assert before == same != random_state()


@pytest.mark.parametrize("change", [lambda toy: toy, toys.as_csr, toys.as_frame], ids=["array", "CSR", "DataFrame"])
def test_containers_are_compared_by_what_they_hold(change: Any) -> None:
    X = change(toys.with_zeros(toys.classification(2))).X
    other = X.copy()
    first = other.iloc if hasattr(other, "iloc") else other
    first[0, 0] = first[0, 0] + 1

    assert equal(X, frozen(X))
    assert not equal(X, other)
