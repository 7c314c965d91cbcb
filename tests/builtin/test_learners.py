"""Each built-in learner does what its spec declares, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

from alcore.builtin.estimators import Neighbors
from alcore.builtin.learners import specs
from alcore.errors import InputError, LearnerError
from alcore.estimators import detect_levels, last_step
from alcore.learners import Model
from alcore.registry import Registry
from alcore.types import Task

SPECS: dict[str, Any] = {spec.name: spec for spec in specs()}
REGISTRY = Registry()
REGISTRY.add(specs(), "alcore", "0")
FEW_TREES = {name: {"n_estimators": 10} for name in ("random-forest", "random-forest-regressor", "xgboost")}
PAIRS = [(name, task) for name, spec in SPECS.items() for task in sorted(spec.tasks)]

RNG = np.random.default_rng(0)
CODES = np.tile([0, 1, 2], 20)
X = np.column_stack([6.0 * np.cos(2 * CODES), 6.0 * np.sin(2 * CODES)]) + RNG.normal(size=(60, 2))
TARGETS = {
    Task.CLASSIFICATION: CODES,
    Task.MULTILABEL: np.column_stack([CODES == 0, CODES < 2]).astype(int),
    Task.REGRESSION: X @ np.array([1.0, -0.5]) + 0.3 * RNG.normal(size=60),
}
TRAIN, HELD = np.arange(40), np.arange(40, 60)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Fit such small data on one thread: on a busy machine more of them wait for each other."""
    with threadpool_limits(1):
        yield


def task_of(name: str) -> Task:
    tasks: frozenset[Task] = SPECS[name].tasks
    return min(tasks)


def fitted(name: str, task: Task, rows: Any = X, **params: Any) -> Model:
    recipe = REGISTRY.learner(name, task, **(FEW_TREES.get(name, {}) | params))
    n_classes = {Task.CLASSIFICATION: 3, Task.MULTILABEL: 2, Task.REGRESSION: 0}[task]
    return recipe.make(task, n_classes, 0).fit(rows[TRAIN], TARGETS[task][TRAIN])


def test_the_learners_are_listed() -> None:
    assert set(SPECS) == {
        "logistic-regression", "rbf-svm", "linear-svm", "random-forest", "xgboost", "lda", "gaussian-nb", "knn",
        "ridge", "random-forest-regressor", "gp-regressor", "tfidf-logistic-regression",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_it_learns(name: str, task: Task) -> None:
    pred, truth = fitted(name, task).predict(X[HELD]), TARGETS[task][HELD]
    assert pred.shape == truth.shape
    if task is Task.REGRESSION:
        assert np.mean((pred - truth) ** 2) < 0.25 * truth.var()
    else:
        assert np.mean(pred == truth) > 0.9


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_declared_levels_are_detected(name: str, task: Task) -> None:
    assert REGISTRY.learner(name, task).levels == SPECS[name].levels
    assert detect_levels(SPECS[name].build()) == SPECS[name].levels


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_declared_levels_answer_in_the_right_shape(name: str, task: Task) -> None:
    model, n = fitted(name, task), len(HELD)
    columns = (n, 2 if task is Task.MULTILABEL else 3)
    if "proba" in model.levels:
        proba = model.predict_proba(X[HELD])
        assert proba.shape == columns
        assert ((proba >= 0) & (proba <= 1)).all()
        if task is Task.CLASSIFICATION:
            assert np.allclose(proba.sum(axis=1), 1)
    if "decision" in model.levels:
        assert model.decision_function(X[HELD]).shape == columns
    if "std" in model.levels:
        mean, std = model.predict_std(X[HELD])
        assert np.array_equal(mean, model.predict(X[HELD]))
        assert (std > 0).all()


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_sparse_rows_are_taken_as_declared(name: str, task: Task) -> None:
    rows = sparse.csr_matrix(X)
    if SPECS[name].sparse:
        assert fitted(name, task, rows).predict(rows[HELD]).shape == TARGETS[task][HELD].shape
    else:
        with pytest.raises(LearnerError, match="failed in fit"):
            fitted(name, task, rows)


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_gaps_are_taken_as_declared(name: str, task: Task) -> None:
    gaps = X.copy()
    gaps[::5, 0] = np.nan
    if SPECS[name].nan:
        assert np.isfinite(fitted(name, task, gaps).predict(gaps[HELD])).all()
    else:
        with pytest.raises(LearnerError, match=r"failed in fit: .*NaN"):
            fitted(name, task, gaps)


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_the_same_seed_makes_the_same_learner(name: str, task: Task) -> None:
    assert np.array_equal(fitted(name, task).predict(X[HELD]), fitted(name, task).predict(X[HELD]))


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if Task.CLASSIFICATION in spec.tasks])
def test_two_of_three_classes_are_enough(name: str) -> None:
    rows = np.flatnonzero(CODES != 1)
    model = REGISTRY.learner(name, Task.CLASSIFICATION).make(Task.CLASSIFICATION, 3, 0).fit(X[rows], CODES[rows])
    assert np.mean(model.predict(X[rows]) == CODES[rows]) > 0.9


# Parameters --------------------------------------------------------------------------------------------------------

PARAMS = [
    ("logistic-regression", LogisticRegression, {"C": 3.0, "max_iter": 77}),
    ("rbf-svm", SVC, {"C": 3.0, "gamma": 0.5}),
    ("linear-svm", LinearSVC, {"C": 3.0}),
    ("random-forest", RandomForestClassifier, {"n_estimators": 7, "max_depth": 2, "min_samples_leaf": 3}),
    ("xgboost", XGBClassifier, {"n_estimators": 7, "max_depth": 2, "learning_rate": 0.2}),
    ("lda", LinearDiscriminantAnalysis, {"shrinkage": 0.5}),
    ("gaussian-nb", GaussianNB, {"var_smoothing": 0.1}),
    ("knn", Neighbors, {"n_neighbors": 2, "weights": "distance"}),
    ("ridge", Ridge, {"alpha": 3.0}),
    ("random-forest-regressor", RandomForestRegressor, {"n_estimators": 7, "max_depth": 2}),
    ("gp-regressor", GaussianProcessRegressor, {}),
]


@pytest.mark.parametrize(("name", "kind", "params"), PARAMS)
def test_parameters_reach_the_estimator(name: str, kind: Any, params: dict[str, Any]) -> None:
    estimator = last_step(SPECS[name].build(**params))
    assert isinstance(estimator, kind)
    assert {key: estimator.get_params()[key] for key in params} == params
    assert set(SPECS[name].parameters()) - {"scale"} == set(params)
    fitted(name, task_of(name), **params)


def test_lda_shrinks_with_the_solver_that_can() -> None:
    assert SPECS["lda"].build().solver == "svd"
    assert SPECS["lda"].build(shrinkage="auto").solver == "lsqr"


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(InputError, match=r"knn has no parameter 'neighbours'; it takes n_neighbors, weights"):
        SPECS["knn"].build(neighbours=3)


# Scaling -----------------------------------------------------------------------------------------------------------

SCALED = {
    "logistic-regression": LogisticRegression(max_iter=1000),
    "rbf-svm": SVC(),
    "linear-svm": LinearSVC(max_iter=10_000),
    "ridge": Ridge(),
}
UNEVEN = X * np.array([1.0, 30.0]) + 5.0


def same_predictions(name: str, direct: Any, rows: Any, **params: Any) -> bool:
    task = task_of(name)
    direct.fit(rows[TRAIN], TARGETS[task][TRAIN])
    model = fitted(name, task, rows, **params)
    if task is Task.REGRESSION:
        return np.array_equal(model.predict(rows[HELD]), direct.predict(rows[HELD]))
    return np.allclose(model.decision_function(rows[HELD]), direct.decision_function(rows[HELD]), rtol=1e-3)


@pytest.mark.parametrize("name", SCALED)
def test_dense_rows_are_standardised_on_the_labelled_rows(name: str) -> None:
    assert same_predictions(name, make_pipeline(StandardScaler(), SCALED[name]), UNEVEN)


@pytest.mark.parametrize("name", SCALED)
def test_sparse_rows_are_scaled_but_stay_sparse(name: str) -> None:
    direct = make_pipeline(StandardScaler(with_mean=False), SCALED[name])
    assert same_predictions(name, direct, sparse.csr_matrix(UNEVEN))


@pytest.mark.parametrize("name", ["logistic-regression", "rbf-svm", "ridge"])
def test_scaling_can_be_left_out(name: str) -> None:
    assert same_predictions(name, SCALED[name], X, scale=False)
    assert isinstance(SPECS[name].build(scale=False), type(SCALED[name]))


def test_one_estimator_scales_dense_rows_after_sparse_ones() -> None:
    estimator = SPECS["ridge"].build()
    y = TARGETS[Task.REGRESSION]
    estimator.fit(sparse.csr_matrix(UNEVEN), y)
    direct = make_pipeline(StandardScaler(), Ridge()).fit(UNEVEN, y)
    assert np.array_equal(estimator.fit(UNEVEN, y).predict(UNEVEN), direct.predict(UNEVEN))


def test_the_standard_deviation_of_the_gp_grows_away_from_the_rows() -> None:
    model = fitted("gp-regressor", Task.REGRESSION)
    near, far = model.predict_std(X[TRAIN])[1].mean(), model.predict_std(X[TRAIN] + 100.0)[1].mean()
    assert far > 2 * near


# Neighbours --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_knn_takes_the_rows_there_are(rows: int) -> None:
    model = SPECS["knn"].build(n_neighbors=5).fit(X[:rows], CODES[:rows])
    direct = KNeighborsClassifier(rows).fit(X[:rows], CODES[:rows])
    assert np.array_equal(model.predict_proba(X), direct.predict_proba(X))
    assert np.array_equal(model.predict(X), direct.predict(X))
    assert model.n_neighbors == 5


def test_knn_is_scikit_learns_where_there_are_enough() -> None:
    model = SPECS["knn"].build(n_neighbors=7, weights="distance").fit(X[TRAIN], CODES[TRAIN])
    direct = KNeighborsClassifier(7, weights="distance").fit(X[TRAIN], CODES[TRAIN])
    assert np.array_equal(model.predict_proba(X), direct.predict_proba(X))
    assert model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("classes", [2, 3])
def test_lda_with_one_row_per_class_takes_the_nearest_mean(classes):
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[:classes]
    model = Model(SPECS["lda"].build(), Task.CLASSIFICATION, classes).fit(X, np.arange(classes))
    assert model.predict(X + 0.5).tolist() == list(range(classes))
    distances = ((np.array([[1.0, 0.0]])[:, None] - X) ** 2).sum(axis=2)
    expected = np.exp(-0.5 * distances) / np.exp(-0.5 * distances).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(np.array([[1.0, 0.0]])), expected)
