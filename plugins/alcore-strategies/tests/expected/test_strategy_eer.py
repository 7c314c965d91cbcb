"""eer: the batched regressions against scikit-learn's own fits, with what a standardising learner does to them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_svmlight_file, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from alcore import InputError, Pool, Task, plugins
from alcore.builtin.estimators import Standardize
from alcore.state import State
from alcore_strategies.expected import error_reduction as home
from alcore_strategies.expected.error_reduction import ExpectedErrorReduction
from alcore_strategies.expected.logistic import logistic_of, scale_growth
from alcore_strategies.expected.refits import Refits

DATA = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}


def exact(C=1.0, **params):
    """Return a logistic regression that is fitted to the optimum."""
    return LogisticRegression(C=C, solver="newton-cholesky", tol=1e-9, max_iter=1000, **params)


def toy(name, rows=22, labeled=8):
    X, y = DATA[name](return_X_y=True)
    chosen = np.random.default_rng(1).permutation(len(y))[:rows]
    X, y = X[chosen], y[chosen]
    _, first = np.unique(y, return_index=True)
    start = np.concatenate([first, np.setdiff1d(np.arange(rows), first)])[:labeled]
    return X, y, start


def expected_error(view, learner, X, y_start, loss):
    """Roy and McCallum's sum, fit by fit."""
    proba, errors = view.model.predict_proba(X[view.unlabeled]), []
    for i, row in enumerate(view.unlabeled):
        others, error = np.setdiff1d(view.unlabeled, row), 0.0
        for k in np.unique(y_start):
            model = learner().fit(X[[*view.labeled, row]], [*y_start, k])
            p = model.predict_proba(X[others])
            each = 1 - p.max(axis=1) if loss == "zero-one" else -(p * np.log(p)).sum(axis=1)
            error += proba[i, k] * each.sum()
        errors.append(error)
    return -np.array(errors)


@pytest.mark.parametrize("loss", ["zero-one", "log"])
@pytest.mark.parametrize(
    ("name", "scaler", "C"),
    [("iris", None, 1.0), ("iris", StandardScaler, 1.0), ("cancer", Standardize, 100.0), ("wine", Standardize, 1.0)],
)
def test_equals_honest_refits(view_of, name, scaler, C, loss):
    X, y, start = toy(name)

    def learner():
        return make_pipeline(scaler(), exact(C)) if scaler else exact(C)

    view = view_of(X, y, start, learner())
    assert logistic_of(view) is not None
    wanted = expected_error(view, learner, X, y[start], loss)
    assert ExpectedErrorReduction(loss).scores(view) == pytest.approx(wanted, abs=2e-6)


def test_without_an_intercept(view_of):
    X, y, start = toy("iris")
    view = view_of(X, y, start, exact(fit_intercept=False))
    assert logistic_of(view).penalty.all()
    wanted = expected_error(view, lambda: exact(fit_intercept=False), X, y[start], "log")
    assert ExpectedErrorReduction("log").scores(view) == pytest.approx(wanted, abs=1e-6)


def test_two_classes_seen_of_three(view_of):
    X, y, start = toy("iris")
    y_start = np.minimum(y[start], 1)
    view = view_of(X, np.where(np.isin(np.arange(len(y)), start), np.minimum(y, 1), y), start, exact())
    assert logistic_of(view).columns == 1
    wanted = expected_error(view, exact, X, y_start, "zero-one")
    assert ExpectedErrorReduction().scores(view) == pytest.approx(wanted, abs=1e-6)


def test_sparse_rows_are_scaled_and_not_centred(view_of):
    from scipy.sparse import csr_matrix

    X, y, start = toy("wine")
    X = np.where(np.median(X, axis=0) < X, X, 0.0)
    view = view_of(csr_matrix(X), y, start, make_pipeline(Standardize(), exact()))
    wanted = expected_error(view, lambda: make_pipeline(StandardScaler(), exact()), X, y[start], "zero-one")
    assert ExpectedErrorReduction().scores(view) == pytest.approx(wanted, abs=1e-6)


def test_australian_gives_the_picks_of_honest_refits(view_of, shared):
    X, y = load_svmlight_file(str(shared / "data" / "tabular" / "australian-svmstyle.txt"))
    X, y = X.toarray()[::10], (y > 0).astype(int)[::10]
    start = np.arange(20)

    def learner():
        return make_pipeline(Standardize(), exact())

    view = view_of(X, y, start, learner())
    wanted = expected_error(view, learner, X, y[start], "zero-one")
    found = ExpectedErrorReduction().query(view, 5)
    assert found.tolist() == view.unlabeled[np.argsort(-wanted)[:5]].tolist()


def test_every_refit_is_at_its_optimum(view_of):
    X, y, start = toy("cancer", rows=60, labeled=6)
    problem = logistic_of(view_of(X, y, start, make_pipeline(Standardize(), exact(1000.0))))
    positions = np.arange(len(problem.unlabeled))
    for k in (0.0, 1.0):
        theta = Refits(problem).solve(positions, np.full((len(positions), 1), k))[:, 0]
        for i, weights in enumerate(theta):
            A = np.vstack([problem.labeled, problem.unlabeled[i]])
            p = 1 / (1 + np.exp(-A @ weights))
            gradient = A.T @ (p - [*problem.y[:, 0], k]) + problem.penalties[i] * weights
            assert np.abs(gradient).max() < 1e-6


def test_growth_of_the_scale_is_that_of_a_new_scaler():
    X = np.random.default_rng(0).normal(size=(9, 4)) * [1, 10, 0, 0] + [0, 5, 3, 3]
    new = np.array([[1.0, -40.0, 3.0, 8.0], [0.0, 0.0, 3.0, 3.0]])
    before = StandardScaler().fit(X).scale_
    wanted = [(StandardScaler().fit(np.vstack([X, row])).scale_ / before) ** 2 for row in new]
    assert scale_growth(X, new) == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(solver="liblinear"),
        LogisticRegression(C=np.inf),
        LogisticRegression(l1_ratio=0.5, solver="saga", max_iter=5),
        make_pipeline(StandardScaler(), LogisticRegression(fit_intercept=False)),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
        GaussianNB(),
    ],
    ids=["weighted", "liblinear", "free", "elastic net", "no intercept", "other scaler", "other model"],
)
@pytest.mark.filterwarnings("ignore:The max_iter was reached")
def test_any_other_learner_is_refitted(view_of, learner):
    X, y, start = toy("cancer")
    assert logistic_of(view_of(X, y, start, learner)) is None


@pytest.mark.parametrize("loss", ["zero-one", "log"])
def test_other_learners_are_refitted_label_by_label(view_of, loss):
    X, y, start = toy("iris", labeled=12)
    view = view_of(X, y, start, GaussianNB(var_smoothing=0.1))
    wanted = expected_error(view, lambda: GaussianNB(var_smoothing=0.1), X, y[start], loss)
    assert ExpectedErrorReduction(loss).scores(view) == pytest.approx(wanted, abs=1e-9)


def test_blocks_change_nothing(view_of, monkeypatch):
    X, y, start = toy("wine")
    view = view_of(X, y, start, make_pipeline(Standardize(), LogisticRegression()))
    whole = ExpectedErrorReduction("log").scores(view)
    monkeypatch.setattr(home, "BLOCK", 1)
    monkeypatch.setattr(home, "CACHED", 1)
    assert ExpectedErrorReduction("log").scores(view) == pytest.approx(whole, abs=1e-7)


def test_candidates_are_as_many_as_asked_for_and_differ_by_seed(view_of):
    X, y, start = toy("iris", rows=60)
    tried = []
    for seed in range(2):
        view = view_of(X, y, start, LogisticRegression(), seed=seed)
        scores = ExpectedErrorReduction(candidates=9).scores(view)
        tried.append(np.flatnonzero(np.isfinite(scores)).tolist())
        whole = ExpectedErrorReduction().scores(view)
        assert scores[tried[-1]] == pytest.approx(whole[tried[-1]], abs=1e-7)
    assert [len(one) for one in tried] == [9, 9]
    assert tried[0] != tried[1]


def test_the_last_row_leaves_no_error(view_of):
    X, y, _ = toy("iris")
    for learner in (LogisticRegression(), GaussianNB()):
        assert ExpectedErrorReduction().scores(view_of(X, y, np.arange(21), learner)) == pytest.approx([0.0], abs=1e-12)


@pytest.mark.parametrize("params", [{"loss": "hinge"}, {"candidates": 0}])
def test_refuses(params):
    with pytest.raises(InputError, match="eer"):
        ExpectedErrorReduction(**params)


@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame of numbers"])
def test_the_learner_by_name_is_refitted_all_at_once(frame):
    X = np.random.default_rng(0).normal(size=(40, 3))
    pool = Pool(pd.DataFrame(X, columns=["a<1", "b", "b"]) if frame else X, Task.CLASSIFICATION, (0, 1))
    recipe = plugins.loaded().registry.learner("logistic-regression", Task.CLASSIFICATION)
    state = State(pool, ExpectedErrorReduction(loss="log"), recipe, seed=0)
    state.add(np.arange(10), np.arange(10) % 2, start=True)

    assert logistic_of(state.view()) is not None
