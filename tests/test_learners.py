"""Any estimator as a learner that speaks the codes of all classes, whatever it was fitted on."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression, Perceptron, Ridge, SGDRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from alcore.errors import LearnerError, PairingError
from alcore.estimators import PerLabel
from alcore.learners import Model
from alcore.types import Task

CLASSIFICATION, REGRESSION, MULTILABEL = Task.CLASSIFICATION, Task.REGRESSION, Task.MULTILABEL
RNG = np.random.default_rng(0)


def blobs(codes: tuple[int, ...], each: int = 12) -> tuple[Any, Any]:
    """Return rows around one centre per class, far apart, and their codes in an order that is not sorted."""
    y = np.tile(np.array(codes, dtype=np.intp), each)
    return np.column_stack([4.0 * np.cos(y * 1.1), 4.0 * np.sin(y * 1.1)]) + RNG.normal(size=(len(y), 2)), y


class Failing:
    def fit(self, X: Any, y: Any) -> Self:
        raise ZeroDivisionError("no rows of class 1")

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


class Answers:
    """Answers what it is told to, whatever it is asked."""

    def __init__(self, **answers: Any) -> None:
        for method, answer in answers.items():
            setattr(self, method, lambda X, answer=answer: answer)

    def fit(self, X: Any, y: Any) -> Self:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


# Columns and codes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("present", "k"), [((0, 2), 3), ((1, 2), 3), ((1, 2, 5), 7), ((0, 1, 2), 3)])
@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        DecisionTreeClassifier(random_state=0),
        make_pipeline(StandardScaler(), GaussianNB()),
        XGBClassifier(n_estimators=3, n_jobs=1, random_state=0),
    ],
    ids=lambda e: type(e).__name__,
)
def test_predictions_and_probabilities_are_aligned_with_all_classes(
    estimator: Any, present: tuple[int, ...], k: int
) -> None:
    X, y = blobs(present)
    without_gaps = np.searchsorted(present, y)
    direct = Model(estimator, CLASSIFICATION, len(present)).fit(X, without_gaps).estimator  # codes it always takes
    pred, proba = direct.predict(X), direct.predict_proba(X)
    model = Model(estimator, CLASSIFICATION, k).fit(X, y)
    assert np.array_equal(model.predict(X), np.array(present)[pred])
    assert model.predict(X).dtype == np.intp
    assert model.predict_proba(X).shape == (len(X), k)
    assert np.array_equal(model.predict_proba(X)[:, present], proba.astype(np.float64))
    assert not np.delete(model.predict_proba(X), present, axis=1).any()


def test_decision_values_of_two_of_three_classes() -> None:
    X, y = blobs((0, 2))
    direct = SVC().fit(X, y).decision_function(X)
    values = Model(SVC(), CLASSIFICATION, 3).fit(X, y).decision_function(X)
    assert np.array_equal(values[:, 2], direct)
    assert np.array_equal(values[:, 0], -direct)
    assert (values[:, 1] == -np.inf).all()


def test_decision_values_of_three_of_four_classes() -> None:
    X, y = blobs((0, 1, 3))
    values = Model(LinearSVC(random_state=0), CLASSIFICATION, 4).fit(X, y).decision_function(X)
    assert np.array_equal(values[:, [0, 1, 3]], LinearSVC(random_state=0).fit(X, y).decision_function(X))
    assert (values[:, 2] == -np.inf).all()


@pytest.mark.parametrize("estimator", [LogisticRegression(), SVC(), Perceptron()], ids=lambda e: type(e).__name__)
def test_decision_values_of_a_two_class_pool_are_positive_for_class_1(estimator: Any) -> None:
    X, y = blobs((0, 1))
    model = Model(estimator, CLASSIFICATION, 2).fit(X, y)
    values = model.decision_function(X)
    assert values.shape == (len(X),)
    assert np.array_equal(values > 0, model.predict(X) == 1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.array([[1.0, 3.0], [2.0, 0.5]]), [2.0, -1.5]),
        (np.array([[4.0], [-1.0]]), [4.0, -1.0]),
        (np.array([0.5, -2.0]), [0.5, -2.0]),
    ],
    ids=["two columns", "one column", "flat"],
)
def test_decision_values_of_two_classes_become_one_number(given: Any, expected: list[float]) -> None:
    model = Model(Answers(decision_function=given), CLASSIFICATION, 2).fit(np.zeros((2, 1)), np.array([0, 1]))
    assert model.decision_function(np.zeros((2, 1))).tolist() == expected


@pytest.mark.parametrize("k", [3, 4])
def test_one_versus_one_decision_values_are_refused(k: int) -> None:
    """Of three classes as many as of pairs: the shape alone does not tell."""
    X, y = blobs(tuple(range(k)))
    model = Model(SVC(decision_function_shape="ovo"), CLASSIFICATION, k).fit(X, y)
    with pytest.raises(LearnerError, match="one column per class is needed"):
        model.decision_function(X)


def test_one_versus_one_of_two_classes_is_no_matter() -> None:
    X, y = blobs((0, 2))
    ovo = Model(SVC(decision_function_shape="ovo"), CLASSIFICATION, 3).fit(X, y)
    assert np.array_equal(ovo.decision_function(X), Model(SVC(), CLASSIFICATION, 3).fit(X, y).decision_function(X))


def test_an_answer_of_another_shape_is_refused() -> None:
    model = Model(Answers(predict_proba=np.ones((4, 2))), CLASSIFICATION, 3).fit(np.zeros((4, 1)), np.arange(4) % 3)
    with pytest.raises(LearnerError, match=r"Answers.predict_proba gave shape \(4, 2\) for 3 classes seen"):
        model.predict_proba(np.zeros((4, 1)))


def test_what_the_model_returns_is_a_copy() -> None:
    own = np.full((3, 2), 0.5)
    model = Model(Answers(predict_proba=own), CLASSIFICATION, 2).fit(np.zeros((3, 1)), np.array([0, 1, 0]))
    model.predict_proba(np.zeros((3, 1)))[:] = 9.0
    assert (own == 0.5).all()


# One class ---------------------------------------------------------------------------------------------------------


def test_a_single_class_makes_a_constant() -> None:
    X, _ = blobs((0, 1))
    model = Model(SVC(), CLASSIFICATION, 3).fit(X, np.full(len(X), 2))
    assert model.constant == 2
    assert (model.predict(X) == 2).all()
    assert np.array_equal(model.predict_proba(X), np.tile([0.0, 0.0, 1.0], (len(X), 1)))
    assert (model.decision_function(X).argmax(axis=1) == 2).all()


@pytest.mark.parametrize(("only", "sign"), [(0, -1.0), (1, 1.0)])
def test_a_single_class_of_two_has_its_sign(only: int, sign: float) -> None:
    model = Model(SVC(), CLASSIFICATION, 2).fit(np.zeros((3, 1)), np.full(3, only))
    assert model.decision_function(np.zeros((2, 1))).tolist() == [sign, sign]


def test_a_constant_answers_for_sparse_rows() -> None:
    model = Model(SVC(), CLASSIFICATION, 2).fit(csr_matrix(np.eye(3)), np.zeros(3, dtype=int))
    assert model.predict(csr_matrix(np.eye(3))).tolist() == [0, 0, 0]


def test_a_second_class_ends_the_constant() -> None:
    X, y = blobs((0, 1))
    model = Model(LogisticRegression(), CLASSIFICATION, 2).fit(X, np.zeros(len(X), dtype=int)).fit(X, y)
    assert model.constant is None
    assert np.array_equal(model.predict(X), LogisticRegression().fit(X, y).predict(X))


# Errors ------------------------------------------------------------------------------------------------------------


def test_an_estimator_that_fails_keeps_its_error_as_the_cause() -> None:
    with pytest.raises(LearnerError, match="Failing failed in fit: ZeroDivisionError: no rows of class 1") as caught:
        Model(Failing(), CLASSIFICATION, 2).fit(np.zeros((2, 1)), np.array([0, 1]))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_failing_method_of_per_label_is_named() -> None:
    X, y = blobs((0, 1))
    model = Model(PerLabel(LogisticRegression()), MULTILABEL, 1).fit(X, y[:, None])
    with pytest.raises(LearnerError, match="PerLabel failed in predict_proba: ValueError"):
        model.predict_proba(X[:, :1])


def test_no_labelled_row_is_an_error() -> None:
    with pytest.raises(LearnerError, match="LogisticRegression cannot be fitted without a labelled row"):
        Model(LogisticRegression(), CLASSIFICATION, 2).fit(np.empty((0, 2)), np.empty(0, dtype=int))


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(LearnerError, match="NotFittedError"):
        Model(LogisticRegression(), CLASSIFICATION, 2).predict(np.zeros((1, 2)))


def test_a_level_that_is_lacking_is_told_with_a_learner_that_has_it() -> None:
    X, y = blobs((0, 1))
    with pytest.raises(PairingError, match=r"LinearSVC has no predict_proba; use .*'logistic-regression'"):
        Model(LinearSVC(), CLASSIFICATION, 2).fit(X, y).predict_proba(X)
    with pytest.raises(PairingError, match="KNeighborsClassifier has no decision_function"):
        Model(KNeighborsClassifier(), CLASSIFICATION, 2).fit(X, y).decision_function(X)


# Other tasks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [lambda e: e, lambda e: make_pipeline(StandardScaler(), e)], ids=["bare", "pipeline"])
@pytest.mark.parametrize(
    "estimator", [BayesianRidge(), GaussianProcessRegressor(optimizer=None)], ids=lambda e: type(e).__name__
)
def test_the_standard_deviation_of_a_regressor(estimator: Any, wrap: Any) -> None:
    X = np.linspace(0, 1, 12)[:, None]
    y = np.sin(5 * X[:, 0])
    made = wrap(estimator)
    mean, std = Model(made, REGRESSION, 0).fit(X, y).predict_std(X)
    direct_mean, direct_std = made.predict(X, return_std=True)
    assert np.array_equal(mean, direct_mean)
    assert np.array_equal(std, direct_std)


def test_no_standard_deviation_is_told() -> None:
    with pytest.raises(PairingError, match=r"Ridge gives no standard deviation.*gp-regressor"):
        Model(Ridge(), REGRESSION, 0).fit(np.zeros((3, 1)), np.arange(3.0)).predict_std(np.zeros((1, 1)))


def test_a_regression_is_flat_even_where_the_estimator_gives_a_column() -> None:
    class Column(Ridge):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:
            return super().predict(X)[:, None]

    X = np.arange(4.0)[:, None]
    assert np.allclose(Model(Column(alpha=1e-9), REGRESSION, 0).fit(X, 2 * X[:, 0]).predict(X), 2 * X[:, 0])


@pytest.mark.parametrize(
    "estimator", [RandomForestClassifier(10, random_state=0), KNeighborsClassifier(3)], ids=lambda e: type(e).__name__
)
def test_native_multi_label_probabilities(estimator: Any) -> None:
    """scikit-learn answers a list, with one column for a label that is constant in the labelled rows."""
    X, y = blobs((0, 1))
    Y = np.column_stack([y, 1 - y, np.zeros_like(y), np.ones_like(y)])
    model = Model(estimator, MULTILABEL, 4).fit(X, Y)
    direct = estimator.predict_proba(X)
    assert [one.shape[1] for one in direct] == [2, 2, 1, 1]
    proba = model.predict_proba(X)
    assert np.array_equal(proba[:, 0], direct[0][:, 1])
    assert np.array_equal(proba[:, 1], direct[1][:, 1])
    assert (proba[:, 2] == 0).all()
    assert (proba[:, 3] == 1).all()
    assert np.array_equal(model.predict(X), estimator.predict(X))


def test_multi_label_probabilities_that_come_as_a_matrix() -> None:
    X, y = blobs((0, 1))
    Y = np.column_stack([y, 1 - y])
    estimator = MLPClassifier((4,), solver="lbfgs", alpha=1.0, random_state=0)
    model = Model(estimator, MULTILABEL, 2).fit(X, Y)
    assert np.array_equal(model.predict_proba(X), estimator.predict_proba(X))


def test_per_label_as_a_model() -> None:
    X, y = blobs((0, 1))
    Y = np.column_stack([y, np.ones_like(y)])
    model = Model(PerLabel(LogisticRegression()), MULTILABEL, 2).fit(X, Y)
    direct = LogisticRegression().fit(X, y)
    assert np.array_equal(model.predict(X), np.column_stack([direct.predict(X), np.ones_like(y)]))
    assert np.array_equal(model.predict_proba(X)[:, 0], direct.predict_proba(X)[:, 1])
    assert np.array_equal(model.decision_function(X)[:, 0], direct.decision_function(X))


def test_a_grid_search_is_a_learner() -> None:
    X, y = blobs((0, 2))
    model = Model(GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2), CLASSIFICATION, 3).fit(X, y)
    assert set(model.predict(X)) == {0, 2}
    assert model.decision_function(X).shape == (len(X), 3)


# Going on without forgetting ---------------------------------------------------------------------------------------


def test_warm_start_goes_on_from_the_last_coefficients() -> None:
    X, y = blobs((0, 1), each=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five steps do not converge: that is what makes the difference seen
        model = Model(LogisticRegression(max_iter=5), CLASSIFICATION, 2).fit(X[:20], y[:20]).fit_further(X, y)
        direct = LogisticRegression(max_iter=5).fit(X[:20], y[:20]).set_params(warm_start=True).fit(X, y)
        scratch = LogisticRegression(max_iter=5).fit(X, y)
    assert np.array_equal(model.estimator.coef_, direct.coef_)
    assert not np.array_equal(model.estimator.coef_, scratch.coef_)


@pytest.mark.parametrize("estimator", [GaussianNB(), MultinomialNB()], ids=lambda e: type(e).__name__)
def test_partial_fit_counts_each_row_once(estimator: Any) -> None:
    X, y = blobs((0, 2))
    X = np.abs(X)
    model = Model(estimator, CLASSIFICATION, 3).fit(X[:6], y[:6])
    for end in (7, 7, 12, len(X)):
        model.fit_further(X[:end], y[:end])
    scratch = type(estimator)().fit(X, y)
    assert model.estimator.class_count_.tolist() == [12, 12]
    assert np.allclose(model.predict_proba(X)[:, [0, 2]], scratch.predict_proba(X))


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB()], ids=["warm_start", "partial_fit"])
@pytest.mark.parametrize("first", [(0, 1), (0,)], ids=["two classes", "one class"])
def test_a_new_class_starts_from_scratch(estimator: Any, first: tuple[int, ...]) -> None:
    X, y = blobs((0, 1, 2))
    old = np.flatnonzero(np.isin(y, first))
    model = Model(estimator, CLASSIFICATION, 3).fit(X[old], y[old])
    order = np.concatenate([old, np.setdiff1d(np.arange(len(X)), old)])
    model.fit_further(X[order], y[order])
    assert model.constant is None
    assert np.allclose(model.predict_proba(X), type(estimator)().fit(X[order], y[order]).predict_proba(X))


def test_going_on_while_one_class_is_labelled_stays_constant() -> None:
    X, _ = blobs((0, 1))
    zeros = np.zeros(len(X), dtype=int)
    model = Model(GaussianNB(), CLASSIFICATION, 2).fit(X[:4], zeros[:4]).fit_further(X, zeros)
    assert model.constant == 0


def test_a_regressor_goes_on_too() -> None:
    X = RNG.normal(size=(30, 2))
    y = X @ np.array([1.0, -2.0])
    model = Model(SGDRegressor(max_iter=5, tol=None, random_state=0), REGRESSION, 0).fit(X[:10], y[:10])
    direct = SGDRegressor(max_iter=5, tol=None, random_state=0).fit(X[:10], y[:10])
    direct.set_params(warm_start=True).fit(X, y)
    assert np.array_equal(model.fit_further(X, y).predict(X), direct.predict(X))


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(3), RandomForestClassifier(3)], ids=["neither", "a forest would keep its trees"]
)
def test_going_on_is_refused_by_name(estimator: Any) -> None:
    X, y = blobs((0, 1))
    name = type(estimator).__name__
    with pytest.raises(PairingError, match=rf'refit="continue" needs partial_fit.*{name} has neither.*"scratch"'):
        Model(estimator, CLASSIFICATION, 2).fit(X[:8], y[:8]).fit_further(X, y)
