"""What a learner says of classes comes out right: columns, weights and priors, heads of all classes, late methods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import alcore
from alcore.errors import InputError, LearnerError, PairingError
from alcore.learners import Model, Recipe

TWO, THREE = load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)
CLASSIFICATION = alcore.Task.CLASSIFICATION


def scaled(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


class Ordered:
    """A logistic regression whose ``classes_``, and columns, are in another order."""

    def __init__(self, order: Any) -> None:
        self.order = order

    def fit(self, X: Any, y: Any) -> Self:
        self.inner_ = scaled(LogisticRegression()).fit(X, y)
        self.columns_ = np.arange(len(self.inner_.classes_))[self.order]
        self.classes_ = self.inner_.classes_[self.columns_]
        return self

    def predict(self, X: Any) -> Any:
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)[:, self.columns_]

    def decision_function(self, X: Any) -> Any:
        values = self.inner_.decision_function(X)
        return (values if self.columns_[-1] == 1 else -values) if values.ndim == 1 else values[:, self.columns_]


# Columns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "order"), [("two", [1, 0]), ("two", [0, 1]), ("three", [2, 1, 0]), ("three", [1, 2, 0])], ids=str
)
def test_scores_are_those_of_the_columns_by_classes_(data: str, order: list[int]) -> None:
    X, y = TWO if data == "two" else THREE
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    run = alcore.simulate(
        X[train], y[train], strategy="random", learner=Ordered(order), start=len(train), budget=0,
        test=(X[test], y[test]),
        metrics=["accuracy", "log-loss", "roc-auc"],
    )  # fmt: skip
    direct = scaled(LogisticRegression()).fit(X[train], y[train])
    p = direct.predict_proba(X[test])
    area = roc_auc_score(y[test], p[:, 1] if p.shape[1] == 2 else p, multi_class="ovr")
    expected = accuracy_score(y[test], direct.predict(X[test])), log_loss(y[test], p), area
    assert list(run.records[0].metrics.values()) == pytest.approx(expected, abs=1e-9)
    assert expected[1] < 0.2
    assert expected[2] > 0.98


@pytest.mark.parametrize("order", [[1, 0], [0, 1]])
def test_decision_values_by_classes_(order: list[int]) -> None:
    X, y = TWO
    model = Model(Ordered(order), CLASSIFICATION, 2).fit(X, y)
    assert np.array_equal(model.decision_function(X) > 0, model.predict(X) == 1)
    three = Model(Ordered([1, 2, 0]), CLASSIFICATION, 4).fit(*THREE)
    assert np.array_equal(three.decision_function(THREE[0]).argmax(axis=1), three.predict(THREE[0]))


def test_classes_that_are_no_codes_are_refused() -> None:
    class Named(Ordered):
        def fit(self, X: Any, y: Any) -> Self:
            super().fit(X, y)
            self.classes_ = np.array(["ant", "bee", "cat"])
            return self

    with pytest.raises(LearnerError, match=r"Named.predict_proba has columns of the classes_ \['ant'.*\[0, 1, 2\]"):
        Model(Named([0, 1, 2]), CLASSIFICATION, 3).fit(*THREE).predict_proba(THREE[0])


@pytest.mark.parametrize(
    "estimator",
    [
        GridSearchCV(scaled(SVC(decision_function_shape="ovo")), {"svc__C": [1.0]}, cv=2),
        GridSearchCV(SVC(kernel="linear", decision_function_shape="ovo"), {"C": [1.0]}, cv=2),
        RFE(SVC(kernel="linear", decision_function_shape="ovo"), n_features_to_select=4),
        RFE(GridSearchCV(SVC(kernel="linear", decision_function_shape="ovo"), {"C": [1.0]}, cv=2),
            importance_getter=lambda search: np.abs(search.best_estimator_.coef_).sum(axis=0)),
    ],
    ids=["search of a pipeline", "search", "RFE", "RFE of a search"],
)  # fmt: skip
def test_pairs_of_classes_are_seen_through_what_wraps_them(estimator: Any) -> None:
    X = StandardScaler().fit_transform(THREE[0])
    model = Model(estimator, CLASSIFICATION, 3).fit(X, THREE[1])
    assert model.estimator.decision_function(X).shape == (178, 3)
    with pytest.raises(LearnerError, match="decision_function gives one value per pair of classes"):
        model.decision_function(X)


@pytest.mark.parametrize(
    "estimator", [SVC(), LogisticRegression(), GridSearchCV(SVC(), {"C": [1.0]}, cv=2)], ids=["SVC", "LR", "search"]
)
def test_three_classes_are_no_pairs(estimator: Any) -> None:
    X = StandardScaler().fit_transform(THREE[0])
    model = Model(estimator, CLASSIFICATION, 3).fit(X, THREE[1])
    assert np.array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))


# Weights and priors -------------------------------------------------------------------------------------------------

NAMES = np.array(["ant", "bee", "cat", "dog"])
CODES = np.arange(120) % 4
FOUR = np.column_stack([CODES, (CODES * 7) % 4]) + np.random.default_rng(0).normal(size=(120, 2))
SOME = np.flatnonzero(CODES != 1)
WITHOUT_GAPS = np.searchsorted([0, 2, 3], CODES[SOME])


@pytest.mark.parametrize(
    ("wrap", "at"), [(lambda e: e, lambda e: e), (scaled, lambda e: e)], ids=["bare", "in a pipeline"]
)
@pytest.mark.parametrize(
    ("keys", "classes"),
    [((0, 1, 2, 3), tuple(NAMES)), (tuple(NAMES), tuple(NAMES)), ((10, 20, 30, 40), (10, 20, 30, 40))],
    ids=["codes", "labels", "numbers"],
)
def test_class_weights_go_to_their_classes(wrap: Any, at: Any, keys: Any, classes: Any) -> None:
    weights = dict(zip(keys, (1.0, 2.0, 1.0, 50.0), strict=True))
    recipe = Recipe(wrap(LogisticRegression(class_weight=weights)))
    direct = wrap(LogisticRegression(class_weight={0: 1.0, 1: 1.0, 2: 50.0})).fit(FOUR[SOME], WITHOUT_GAPS)
    model = recipe.make(CLASSIFICATION, 4, 0, classes=classes).fit(FOUR[SOME], CODES[SOME])
    assert np.array_equal(model.predict_proba(FOUR)[:, [0, 2, 3]], direct.predict_proba(FOUR))
    whole = wrap(LogisticRegression(class_weight={0: 1.0, 1: 2.0, 2: 1.0, 3: 50.0})).fit(FOUR, CODES)
    assert np.array_equal(model.fit(FOUR, CODES).predict_proba(FOUR), whole.predict_proba(FOUR))


PRIORS = [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("make", "few"),
    [
        (lambda p: GaussianNB(priors=p), None),
        (lambda p: scaled(GaussianNB(priors=p)), None),
        (lambda p: LinearDiscriminantAnalysis(priors=p), None),
        (lambda p: MultinomialNB(class_prior=p), None),
    ],
    ids=["gaussian", "in a pipeline", "discriminant", "multinomial"],
)
def test_priors_are_those_of_the_classes_seen(make: Any, few: Any) -> None:
    X = FOUR - FOUR.min()
    seen = np.array([0.1, 0.3, 0.4]) / (0.1 + 0.3 + 0.4)
    model = Recipe(make(PRIORS)).make(CLASSIFICATION, 4, 0).fit(X[SOME], CODES[SOME])
    assert np.array_equal(model.predict_proba(X)[:, [0, 2, 3]], make(seen).fit(X[SOME], WITHOUT_GAPS).predict_proba(X))
    assert np.array_equal(model.fit(X, CODES).predict_proba(X), make(PRIORS).fit(X, CODES).predict_proba(X))


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (LogisticRegression(class_weight={"ant": 1, "cow": 2}), r"class_weight has the key 'cow'.*'ant'"),
        (scaled(LogisticRegression(class_weight={0: 1, 4: 2})), r"logisticregression__class_weight has the key 0"),
        (GaussianNB(priors=[0.5, 0.5]), r"GaussianNB: priors has shape \(2,\) for 4 classes"),
    ],
    ids=["a label", "a code", "priors"],
)
def test_a_weight_of_no_class_is_refused_before_anything_runs(learner: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        alcore.simulate(FOUR, NAMES[CODES], strategy="margin", learner=learner, budget=2)
    with pytest.raises(InputError, match=says):
        alcore.Session(FOUR, strategy="margin", learner=learner, classes=NAMES)


def test_a_run_with_weights_by_the_callers_labels() -> None:
    by_label, by_code = ({a: 1.0, b: 9.0, c: 1.0, d: 2.0} for a, b, c, d in (NAMES, range(4)))
    curves = [
        alcore.simulate(
            FOUR, NAMES[CODES], strategy="margin", learner=LogisticRegression(class_weight=weights), start=4, budget=20,
        ).curve.values
        for weights in (by_label, by_code)
    ]  # fmt: skip
    assert np.array_equal(*curves)


# All classes from the start -------------------------------------------------------------------------------------------


class Head:
    """A network's manners: K outputs, whatever it was fitted to; it needs to be told K, and no ``classes_``."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def fit(self, X: Any, y: Any) -> Self:
        self.seen_ = np.asarray(y)
        self.inner_ = LogisticRegression().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> Any:
        p = np.full((len(X), self.n_classes), 1e-4)
        p[:, self.inner_.classes_] = self.inner_.predict_proba(X)
        return p / p.sum(axis=1, keepdims=True)


def test_a_head_of_all_classes_is_told_how() -> None:
    model = Recipe(Head).make(CLASSIFICATION, 4, 0).fit(FOUR[SOME], CODES[SOME])
    with pytest.raises(LearnerError, match=r'shape \(120, 4\) for 3 classes seen.*Recipe\(learner, classes="all"\)'):
        model.predict_proba(FOUR)


@pytest.mark.parametrize("source", [Head, lambda: Head(4), Head(4)])
def test_a_head_of_all_classes(source: Any) -> None:
    model = Recipe(source, classes="all").make(CLASSIFICATION, 4, 0).fit(FOUR[SOME], CODES[SOME])
    assert set(model.estimator.seen_) == {0, 2, 3}
    assert np.array_equal(model.predict_proba(FOUR), Head(4).fit(FOUR[SOME], CODES[SOME]).predict_proba(FOUR))
    assert (model.predict_proba(FOUR)[:, 1] > 0).all()
    assert set(model.predict(FOUR)) == {0, 2, 3}


def test_a_head_in_a_run_and_in_a_session() -> None:
    recipe = Recipe(Head, classes="all", name="head")
    run = alcore.simulate(FOUR, NAMES[CODES], strategy="margin", learner=recipe, start=2, budget=20, metrics="log-loss")
    assert np.isfinite(run.curve.values).all()
    session = alcore.Session(FOUR, strategy="margin", learner=recipe, classes=NAMES)
    session.tell([0, 2], ["ant", "cat"])
    assert len(session.ask(3)) == 3
    assert session.model.name == "head"


def test_columns_of_some_classes_are_aligned_there_too() -> None:
    model = Recipe(LogisticRegression(), classes="all").make(CLASSIFICATION, 4, 0).fit(FOUR[SOME], CODES[SOME])
    direct = LogisticRegression().fit(FOUR[SOME], CODES[SOME])
    assert np.array_equal(model.predict_proba(FOUR)[:, [0, 2, 3]], direct.predict_proba(FOUR))
    assert np.array_equal(model.predict(FOUR), direct.predict(FOUR))


def test_what_classes_may_be() -> None:
    with pytest.raises(InputError, match='classes is 4; use "seen" or "all"'):
        Recipe(LogisticRegression(), classes=4)  # type: ignore[arg-type]


# Methods that come with the fit -------------------------------------------------------------------------------------


def stack(**params: Any) -> Any:
    return StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2, random_state=0))], cv=2, **params)


@pytest.mark.parametrize(
    "learner",
    [stack(), stack, lambda: scaled(stack()), scaled(stack()), GridSearchCV(stack(), {"passthrough": [False]}, cv=2)],
    ids=["itself", "a factory", "a factory of a pipeline", "a pipeline", "a search"],
)
def test_a_stack_is_a_learner(learner: Any) -> None:
    assert Recipe(learner).levels == {"proba", "decision"}
    run = alcore.simulate(*THREE, strategy="margin", learner=learner, start=30, budget=1, metrics="log-loss")
    assert len(run.records) == 2


def test_what_a_stack_can_is_known_after_its_fit() -> None:
    recipe = Recipe(stack(final_estimator=SVC()))
    assert "proba" not in recipe.make(CLASSIFICATION, 3, 0).fit(*THREE).levels
    late = Recipe(stack()).make(CLASSIFICATION, 3, 0).fit(*THREE)
    assert late.levels == {"proba", "decision"}


@pytest.mark.parametrize("source", [StandardScaler(), make_pipeline(StandardScaler()), "margin", 3])
def test_what_predicts_nothing_is_no_learner(source: Any) -> None:
    with pytest.raises(InputError, match="is no learner"):
        Recipe(source)


@pytest.mark.parametrize("name", ["hidden", "embed", "sample_proba"])
def test_a_parameter_of_that_name_is_no_method(name: str) -> None:
    X, Y = FOUR[CODES < 2], CODES[CODES < 2]
    learner = LogisticRegression()
    setattr(learner, name, 64)
    assert Recipe(lambda: learner).levels == {"proba", "decision", "hidden"}  # its last layer is given the features
    with pytest.raises(PairingError, match=f"LogisticRegression has no {name}"):
        Model(learner, CLASSIFICATION, 2).fit(X, Y)._require(name)


# Rows to predict ------------------------------------------------------------------------------------------------------

COLUMNS = ["ash", "bark", "cone"]
FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=COLUMNS)


def session_of(X: Any) -> alcore.Session:
    session = alcore.Session(X, strategy="random", learner=GaussianNB(), classes=[0, 1])
    session.tell(np.arange(10), [0, 1] * 5)
    return session


@pytest.mark.parametrize(
    ("X", "other", "says"),
    [
        (FRAME, FRAME[["cone", "ash", "bark"]], r"columns cone, ash, bark, and .* ash, bark, cone; .*another order"),
        (FRAME, FRAME[["ash", "bark"]], r"give X\[list\(columns\)\]"),
        (FRAME, FRAME.to_numpy(), "give a DataFrame of its columns"),
        (FRAME, FRAME.iloc[0], r"one row alone is X.iloc\[\[0\]\]"),
        (FRAME.to_numpy(), FRAME, r"give X.to_numpy\(\)"),
        (FRAME.to_numpy(), FRAME.to_numpy()[0], r"one row alone is X\[\[0\]\], not X\[0\]"),
        (FRAME.to_numpy(), FRAME.to_numpy()[:, :2], "rows of shape .3,.; give the same columns"),
        (FRAME.to_numpy(), sp.csr_array(FRAME.to_numpy()), r"give X.toarray\(\)"),
        (FRAME.to_numpy(), FRAME.to_numpy()[:, :, None], "give the same columns"),
    ],
    ids=["order", "fewer", "array", "series", "frame", "a row", "columns", "sparse", "images"],
)
def test_rows_that_are_unlike_the_pools_are_refused(X: Any, other: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        session_of(X).predict(other)
    with pytest.raises(InputError, match=f"test is .*{says}"):
        alcore.simulate(X, [0, 1] * 15, strategy="random", learner="gaussian-nb", test=(other, [0, 1] * 15), budget=1)


def test_rows_that_are_like_the_pools_are_predicted() -> None:
    for X in (FRAME, FRAME.to_numpy()):
        assert session_of(X).predict(X[:4]) == session_of(X).predict(X)[:4]
    assert session_of(FRAME.to_numpy()).predict(FRAME.to_numpy().tolist()) == session_of(FRAME).predict(FRAME)


@pytest.mark.parametrize("make", [sp.csr_array, sp.coo_array])
def test_a_flat_sparse_array_is_no_pool(make: Any) -> None:
    flat = make(np.array([0.0, 1.0, 2.0]))
    if flat.ndim != 1:
        pytest.skip("this SciPy has no flat ones")
    with pytest.raises(InputError, match=r"sparse array of shape \(3,\); give one row per example: X.reshape\(1, -1\)"):
        session_of(flat)
    assert alcore.Pool(flat.reshape(1, -1), classes=(0, 1)).X.shape == (1, 3)
