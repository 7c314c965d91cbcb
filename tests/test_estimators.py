"""What alcore reads off a bare estimator, how it copies one, and one classifier per label."""

from __future__ import annotations

import pickle
from typing import Any, Self

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted

from alcore.errors import InputError
from alcore.estimators import (
    Foreign,
    PerLabel,
    can_continue,
    continues_warm,
    copy_plain,
    copy_unfitted,
    detect_levels,
    is_plain,
    last_step,
    one_versus_one,
    params_of,
)

PROBA, DECISION, HIDDEN, STD = "proba", "decision", "hidden", "std"

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
# Three labels: the first follows column 0, the second column 1, the third is 1 for every row.
Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0.3, np.ones(40)]).astype(np.intp)


class Plain:
    """Fit and predict, and no get_params."""

    def __init__(self, settings: dict[str, int]) -> None:
        self.settings = settings

    def fit(self, X: Any, y: Any) -> Self:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


class Deep(Plain):
    """Everything that only deep learners have."""

    def embed(self, X: Any) -> Any: ...

    def hidden(self, X: Any) -> Any: ...

    def sample_proba(self, X: Any, draws: int, rng: Any) -> Any: ...


class Uncopyable(Plain):
    def __deepcopy__(self, memo: Any) -> Self:
        raise TypeError("it holds an open socket")


class BadConstructor(LogisticRegression):  # type: ignore[misc]
    """Changes its argument on the way in, which scikit-learn's clone refuses."""

    def __init__(self, C: float = 1.0) -> None:
        super().__init__(C=[C])


GRID = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, cv=2)
LEVELS = {
    "logistic regression": (LogisticRegression(), {PROBA, DECISION, HIDDEN}),
    "SVC": (SVC(), {DECISION}),
    "linear SVC": (SVC(kernel="linear"), {DECISION, HIDDEN}),
    "perceptron of two layers": (MLPClassifier(), {PROBA, HIDDEN}),
    "linear discriminants": (LinearDiscriminantAnalysis(), {PROBA, DECISION, HIDDEN}),
    "per label, perceptron": (PerLabel(MLPClassifier()), {PROBA}),
    "SVC(probability=False)": (SVC(probability=False), {DECISION}),
    "LinearSVC": (LinearSVC(), {DECISION, HIDDEN}),
    "Perceptron": (Perceptron(), {DECISION, HIDDEN}),
    "RidgeClassifier": (RidgeClassifier(), {DECISION, HIDDEN}),
    "k-NN": (KNeighborsClassifier(), {PROBA}),
    "random forest": (RandomForestClassifier(), {PROBA}),
    "SGD with hinge loss": (SGDClassifier(), {DECISION, HIDDEN}),
    "SGD with log loss": (SGDClassifier(loss="log_loss"), {PROBA, DECISION, HIDDEN}),
    "pipeline of SVC": (make_pipeline(StandardScaler(), SVC()), {DECISION}),
    "pipeline of k-NN": (make_pipeline(StandardScaler(), PCA(1), KNeighborsClassifier()), {PROBA}),
    "grid search of SVC": (GRID, {DECISION}),
    "grid search of a pipeline": (
        GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]}),
        {PROBA, DECISION, HIDDEN},
    ),
    "ridge": (Ridge(), set()),
    "GP": (GaussianProcessRegressor(), {STD}),
    "GP in a pipeline": (make_pipeline(StandardScaler(), GaussianProcessRegressor()), {STD}),
    "ridge in a pipeline": (make_pipeline(StandardScaler(), Ridge()), set()),
    "fit and predict": (Plain({}), set()),
    "deep": (Deep({}), {"embedding", "hidden", "draws"}),
    "per label, logistic regression": (PerLabel(LogisticRegression()), {PROBA, DECISION, HIDDEN}),
    "per label, SVC": (PerLabel(SVC()), {DECISION}),
    "per label, k-NN": (PerLabel(KNeighborsClassifier()), {PROBA}),
}


@pytest.mark.parametrize("name", LEVELS)
def test_levels_are_detected_on_an_unfitted_estimator(name: str) -> None:
    estimator, levels = LEVELS[name]
    assert detect_levels(estimator) == levels


def test_levels_are_the_same_when_it_is_fitted() -> None:
    fitted = copy_unfitted(GRID).fit(X, Y[:, 0])
    assert detect_levels(fitted) == {DECISION}


def test_a_copy_has_the_parameters_and_no_fit() -> None:
    fitted = LogisticRegression(C=7.0).fit(X, Y[:, 0])
    copied = copy_unfitted(fitted)
    assert copied is not fitted
    assert copied.C == 7.0
    assert not hasattr(copied, "coef_")


def test_what_has_no_get_params_is_copied_deeply() -> None:
    plain = Plain({"depth": 1})
    copied = copy_unfitted(plain)
    copied.settings["depth"] = 2
    assert plain.settings == {"depth": 1}


@pytest.mark.parametrize("estimator", [Uncopyable({}), BadConstructor()], ids=["deepcopy", "clone"])
def test_what_cannot_be_copied_is_told_with_the_way_out(estimator: Any) -> None:
    with pytest.raises(InputError, match=rf"{type(estimator).__name__} cannot be copied .*learner=lambda: ") as caught:
        copy_unfitted(estimator)
    assert isinstance(caught.value.__cause__, TypeError | RuntimeError)


def test_parameters_of_a_pipeline_are_nested_and_those_of_a_plain_object_none() -> None:
    assert params_of(make_pipeline(StandardScaler(), SVC(C=3.0)))["svc__C"] == 3.0
    assert params_of(Plain({})) == {}


def test_the_last_step_of_a_pipeline() -> None:
    svm = SVC()
    assert last_step(make_pipeline(StandardScaler(), svm)) is svm
    assert last_step(svm) is svm


@pytest.mark.parametrize(
    ("estimator", "pairs"),
    [
        (SVC(decision_function_shape="ovo"), True),
        (make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")), True),
        (Foreign(SVC(decision_function_shape="ovo")), True),
        (SVC(), False),
        (LinearSVC(), False),
        (Foreign(LogisticRegression()), False),
    ],
    ids=["ovo", "pipeline", "prefit", "ovr", "linear", "prefit linear"],
)
def test_one_versus_one_is_told_by_the_parameter(estimator: Any, pairs: bool) -> None:
    assert bool(one_versus_one(estimator)) is pairs


@pytest.mark.parametrize(
    ("estimator", "warm", "further"),
    [
        (RandomForestClassifier(), False, False),  # warm_start only adds members
        (GradientBoostingClassifier(), False, False),
        (HistGradientBoostingClassifier(), False, False),
        (BaggingClassifier(), False, False),
        (LogisticRegression(), True, True),
        (SGDClassifier(), True, True),
        (MLPClassifier(), True, True),
        (GaussianNB(), False, True),
        (Plain({}), False, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_can_be_fitted_further(estimator: Any, warm: bool, further: bool) -> None:
    assert continues_warm(estimator) is warm
    assert can_continue(estimator) is further


def test_a_foreign_estimator_predicts_positions_in_its_own_classes() -> None:
    names = np.array(["no", "yes"])[Y[:, 0]]
    fitted = LogisticRegression().fit(X, names)
    foreign = Foreign(fitted)
    assert np.array_equal(fitted.classes_[foreign.predict(X)], fitted.predict(X))
    assert np.array_equal(foreign.predict_proba(X), fitted.predict_proba(X))
    assert foreign.codes(("yes", "maybe", "no")).tolist() == [2, 0]


def test_a_foreign_estimator_has_no_method_that_the_fitted_one_lacks() -> None:
    assert not hasattr(Foreign(LinearSVC()), "predict_proba")
    assert not hasattr(Foreign(LinearSVC()), "partial_fit")
    assert hasattr(Foreign(Deep({})), "embed")


# One classifier per label ------------------------------------------------------------------------------------------


def test_per_label_equals_a_fit_per_column() -> None:
    model = PerLabel(LogisticRegression(C=2.0)).fit(X, Y)
    single = [LogisticRegression(C=2.0).fit(X, Y[:, j]) for j in (0, 1)]
    for j in (0, 1):
        assert np.array_equal(model.predict(X)[:, j], single[j].predict(X))
        assert np.array_equal(model.predict_proba(X)[:, j], single[j].predict_proba(X)[:, 1])
        assert np.array_equal(model.decision_function(X)[:, j], single[j].decision_function(X))


@pytest.mark.parametrize(("constant", "decision"), [(0, -np.inf), (1, np.inf)])
def test_per_label_answers_a_constant_column_with_the_constant(constant: int, decision: float) -> None:
    y = np.column_stack([Y[:, 0], np.full(40, constant)])
    model = PerLabel(LogisticRegression()).fit(X, y)
    assert (model.predict(X)[:, 1] == constant).all()
    assert (model.predict_proba(X)[:, 1] == constant).all()
    assert (model.decision_function(X)[:, 1] == decision).all()


def test_per_label_predicts_an_integer_matrix() -> None:
    pred = PerLabel(KNeighborsClassifier(1)).fit(X, Y).predict(X)
    assert pred.dtype == np.intp
    assert np.array_equal(pred, Y)


def test_per_label_neither_fits_nor_changes_the_classifier_given() -> None:
    given = GaussianNB()
    PerLabel(given).fit(X, Y)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(given)


def test_per_label_parameters_are_nested() -> None:
    model = PerLabel(make_pipeline(StandardScaler(), SVC(C=3.0)))
    assert model.get_params()["estimator__svc__C"] == 3.0
    assert set(model.get_params(deep=False)) == {"estimator"}
    model.set_params(estimator__svc__C=5.0)
    assert model.estimator[-1].C == 5.0
    other = SVC()
    assert model.set_params(estimator=other).estimator is other


def test_a_copy_of_per_label_copies_the_classifier() -> None:
    model = PerLabel(SVC(C=3.0)).fit(X, Y[:, :2])
    copied = copy_unfitted(model)
    assert copied.estimator is not model.estimator
    assert copied.estimator.C == 3.0
    assert not hasattr(copied, "members_")


def test_per_label_survives_pickling() -> None:
    model = PerLabel(LogisticRegression()).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_per_label_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="PerLabel has no embed"):
        _ = PerLabel(LogisticRegression()).embed


@pytest.mark.parametrize(
    ("estimator", "plain"),
    [
        (LogisticRegression(), True),
        (LogisticRegression(class_weight={0: 1.0, 1: 2.0}), False),
        (make_pipeline(StandardScaler(), LogisticRegression()), False),
        (np.random.RandomState(0), False),
    ],
    ids=["numbers", "dictionary", "pipeline", "no-dictionary"],
)
def test_what_is_plain_is_copied_without_depth(estimator: Any, plain: bool) -> None:
    assert is_plain(estimator) is plain
    if plain:
        copied = copy_plain(estimator)
        copied.C = 5.0
        assert (type(copied), estimator.C) == (type(estimator), 1.0)
