"""How a run makes its learners: copies, factories, seeds, and estimators that were fitted before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from alcore.errors import InputError, LearnerError
from alcore.estimators import PerLabel
from alcore.learners import Recipe
from alcore.types import Task

CLASSIFICATION, REGRESSION, MULTILABEL = Task.CLASSIFICATION, Task.REGRESSION, Task.MULTILABEL
RNG = np.random.default_rng(0)
Y = np.tile([0, 1, 2], 12)
X = np.column_stack([4.0 * np.cos(Y), 4.0 * np.sin(Y)]) + RNG.normal(size=(36, 2))


def made(source: Any, seed: int = 0, *key: int, twin: int = 0) -> Any:
    return Recipe(source).make(CLASSIFICATION, 3, seed, *key, twin=twin).estimator


# What a learner may be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [SVC(C=3.0), lambda: SVC(C=3.0)],
    ids=["estimator", "factory"],
)
def test_an_estimator_or_a_factory_makes_new_estimators(source: Any) -> None:
    recipe = Recipe(source)
    one, two = (recipe.make(CLASSIFICATION, 3, 0).estimator for _ in range(2))
    assert one is not two
    assert one.C == two.C == 3.0
    assert recipe.name == "SVC"
    assert recipe.levels == {"decision"}


def test_a_class_is_a_factory() -> None:
    assert isinstance(made(LogisticRegression), LogisticRegression)


def test_a_recipe_of_a_recipe_is_itself() -> None:
    recipe = Recipe(SVC())
    assert Recipe.of(recipe) is recipe
    assert Recipe.of(SVC()).name == "SVC"


@pytest.mark.parametrize("junk", [3, "svm", None, [SVC()], StandardScaler()], ids=repr)
def test_junk_is_refused(junk: Any) -> None:
    with pytest.raises(InputError, match="is no learner: give an object with fit and predict, or a function"):
        Recipe(junk)


@pytest.mark.parametrize("junk", [None, 3, StandardScaler()], ids=repr)
def test_a_factory_that_returns_junk_is_refused(junk: Any) -> None:
    with pytest.raises(InputError, match=r"the factory .* returned .*, which has no fit and predict"):
        made(lambda: junk)


def test_an_unknown_refit_is_refused() -> None:
    with pytest.raises(InputError, match='refit is \'sometimes\'; use "scratch" or "continue"'):
        Recipe(SVC(), refit="sometimes")  # type: ignore[arg-type]


def test_the_callers_estimator_is_neither_fitted_nor_changed() -> None:
    given = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    before = {name: repr(value) for name, value in given.get_params().items()}
    Recipe(given).make(CLASSIFICATION, 3, 0, 1, twin=2).fit(X, Y)
    assert {name: repr(value) for name, value in given.get_params().items()} == before
    assert not hasattr(given[-1], "tree_")
    assert not hasattr(given[0], "mean_")


# Seeds -------------------------------------------------------------------------------------------------------------


def test_a_random_state_of_none_comes_from_the_run() -> None:
    assert made(SGDClassifier(), 1).random_state == made(SGDClassifier(), 1).random_state
    assert made(SGDClassifier(), 1).random_state != made(SGDClassifier(), 2).random_state
    assert isinstance(made(SGDClassifier()).random_state, int)


def test_each_round_has_its_own() -> None:
    assert made(SGDClassifier(), 1, 0).random_state != made(SGDClassifier(), 1, 1).random_state


def test_a_factorys_random_state_is_set_as_well() -> None:
    assert made(SGDClassifier, 1).random_state == made(SGDClassifier(), 1).random_state


@pytest.mark.parametrize(
    ("estimator", "inner"),
    [
        (make_pipeline(StandardScaler(), SGDClassifier()), lambda e: e[-1]),
        (PerLabel(SGDClassifier()), lambda e: e.estimator),
        (CalibratedClassifierCV(SGDClassifier()), lambda e: e.estimator),
        (make_pipeline(StandardScaler(), CalibratedClassifierCV(SGDClassifier())), lambda e: e[-1].estimator),
    ],
    ids=["pipeline", "per label", "calibrated", "calibrated in a pipeline"],
)
def test_nested_ones_are_set_too(estimator: Any, inner: Any) -> None:
    assert inner(made(estimator, 1)).random_state == inner(made(estimator, 1)).random_state
    assert inner(made(estimator, 1)).random_state != inner(made(estimator, 2)).random_state
    assert inner(estimator).random_state is None


def test_two_in_one_estimator_differ() -> None:
    bag = made(BaggingClassifier(DecisionTreeClassifier()))
    assert bag.random_state != bag.estimator.random_state


def test_one_that_the_caller_set_is_kept() -> None:
    assert made(SGDClassifier(random_state=7), 1, 3).random_state == 7
    assert made(make_pipeline(StandardScaler(), SGDClassifier(random_state=7)), 1, 3)[-1].random_state == 7


@pytest.mark.parametrize("given", [None, 7, np.int64(7), np.random.RandomState(7)], ids=lambda g: type(g).__name__)
def test_twins_differ_whatever_the_caller_set(given: Any) -> None:
    twins = [made(SGDClassifier(random_state=given), 1, 3, twin=number).random_state for number in range(5)]
    again = [made(SGDClassifier(random_state=given), 1, 3, twin=number).random_state for number in range(1, 5)]
    assert len({str(twin) for twin in twins}) == 5
    assert twins[1:] == again


def test_the_callers_seed_still_matters_in_twins() -> None:
    one, two = (made(SGDClassifier(random_state=seed), 1, 3, twin=1).random_state for seed in (7, 8))
    assert one != two


def test_twins_of_a_forest_are_different_forests() -> None:
    recipe = Recipe(RandomForestClassifier(3, random_state=0))
    noise = RNG.normal(size=(30, 4)), np.tile([0, 1], 15)
    one, two = (recipe.make(CLASSIFICATION, 2, 0, 1, twin=number).fit(*noise) for number in (1, 2))
    other = RNG.normal(size=(50, 4))
    assert not np.array_equal(one.predict_proba(other), two.predict_proba(other))


@pytest.mark.parametrize(
    ("estimator", "stochastic"),
    [
        (SGDClassifier(), True),
        (make_pipeline(StandardScaler(), SGDClassifier()), True),
        (KNeighborsClassifier(), False),
    ],
    ids=["SGD", "pipeline", "k-NN"],
)
def test_whether_it_takes_a_seed(estimator: Any, stochastic: bool) -> None:
    assert Recipe(estimator).stochastic is stochastic


# Fitted before -----------------------------------------------------------------------------------------------------

NAMES = np.array(["ant", "bee", "cat"])


@pytest.mark.parametrize("classes", [("ant", "bee", "cat"), ("cat", "ant", "bee")], ids=["sorted", "in another order"])
def test_a_prefit_estimator_answers_in_the_pools_codes(classes: tuple[str, ...]) -> None:
    fitted = LogisticRegression().fit(X, NAMES[Y])
    model = Recipe(fitted, prefit=True).adopt(CLASSIFICATION, classes)
    column = [classes.index(label) for label in fitted.classes_]
    assert [classes[code] for code in model.predict(X)] == fitted.predict(X).tolist()
    assert np.array_equal(model.predict_proba(X)[:, column], fitted.predict_proba(X))
    assert np.array_equal(model.decision_function(X)[:, column], fitted.decision_function(X))


@pytest.mark.parametrize("classes", [("ant", "bee"), ("bee", "ant")])
def test_the_decision_of_a_prefit_estimator_is_positive_for_class_1(classes: tuple[str, ...]) -> None:
    two = Y < 2
    fitted = SVC().fit(X[two], NAMES[Y[two]])
    model = Recipe(fitted, prefit=True).adopt(CLASSIFICATION, classes)
    sign = 1 if classes[1] == "bee" else -1
    assert np.array_equal(model.decision_function(X), sign * fitted.decision_function(X))
    assert np.array_equal(model.decision_function(X) > 0, model.predict(X) == 1)


def test_a_prefit_estimator_may_know_fewer_classes() -> None:
    two = Y > 0
    fitted = LogisticRegression().fit(X[two], NAMES[Y[two]])
    model = Recipe(fitted, prefit=True).adopt(CLASSIFICATION, ("ant", "bee", "cat"))
    assert set(model.predict(X)) == {1, 2}
    assert (model.predict_proba(X)[:, 0] == 0).all()
    assert np.array_equal(model.predict_proba(X)[:, 1:], fitted.predict_proba(X))
    assert (model.decision_function(X)[:, 0] == -np.inf).all()


def test_a_prefit_estimator_on_integer_labels() -> None:
    fitted = DecisionTreeClassifier(random_state=0).fit(X, Y * 10)
    model = Recipe(fitted, prefit=True).adopt(CLASSIFICATION, (0, 10, 20, 30))
    assert np.array_equal(model.predict(X), Y)
    assert model.predict_proba(X).shape == (36, 4)


def test_a_prefit_one_versus_one_machine_is_refused() -> None:
    fitted = SVC(decision_function_shape="ovo").fit(X, NAMES[Y])
    with pytest.raises(LearnerError, match=r"SVC\.decision_function gives one value per pair"):
        Recipe(fitted, prefit=True).adopt(CLASSIFICATION, tuple(NAMES)).decision_function(X)


def test_a_prefit_label_that_the_pool_lacks_is_refused() -> None:
    fitted = LogisticRegression().fit(X, NAMES[Y])
    with pytest.raises(InputError, match=r"was fitted on the label .*'cat'.*, which is none of \('ant', 'bee'\)"):
        Recipe(fitted, prefit=True).adopt(CLASSIFICATION, ("ant", "bee"))


def test_a_prefit_classifier_that_is_not_fitted_is_refused() -> None:
    with pytest.raises(InputError, match=r"prefit=True needs a fitted estimator; .* has no classes_. Fit it first"):
        Recipe(SVC(), prefit=True).adopt(CLASSIFICATION, ("ant", "bee"))


def test_a_failing_prefit_estimator_is_called_by_its_name() -> None:
    model = Recipe(LogisticRegression().fit(X, Y), prefit=True).adopt(CLASSIFICATION, (0, 1, 2))
    assert model.name == "LogisticRegression"
    with pytest.raises(LearnerError, match="LogisticRegression failed in predict: ValueError"):
        model.predict(X[:, :1])


def test_a_prefit_factory_is_refused() -> None:
    with pytest.raises(InputError, match="prefit=True needs the fitted estimator itself"):
        Recipe(SVC, prefit=True)


def test_a_prefit_estimator_cannot_be_gone_on_from() -> None:
    """It is the caller's, and it speaks the caller's labels."""
    with pytest.raises(InputError, match='refit="continue" cannot go on from it'):
        Recipe(SGDClassifier().fit(X, Y), refit="continue", prefit=True)


def test_a_prefit_regressor_predicts_as_it_is() -> None:
    fitted = Ridge().fit(X, Y.astype(float))
    assert np.array_equal(Recipe(fitted, prefit=True).adopt(REGRESSION, ()).predict(X), fitted.predict(X))


def test_a_prefit_multi_label_forest_with_constant_labels() -> None:
    labels = np.column_stack([Y == 0, np.ones(36), np.zeros(36)]).astype(int)
    fitted = RandomForestClassifier(5, random_state=0).fit(X, labels)
    proba = Recipe(fitted, prefit=True).adopt(MULTILABEL, ("p", "q", "r")).predict_proba(X)
    assert np.array_equal(proba[:, 0], fitted.predict_proba(X)[0][:, 1])
    assert np.array_equal(proba[0, 1:], [1.0, 0.0])
