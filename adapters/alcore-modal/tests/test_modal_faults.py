"""What is wrong in modAL and fixed at its border: each fault shown in modAL itself, then the adapter's answer."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import Pool, Recipe, Task
from alcore.interop import seeded_globals
from alcore.plugins import loaded
from alcore.state import State
from alcore.testing.guards import random_state
from alcore_modal.committee import bootstrap
from alcore_modal.library import load

RNG = np.random.default_rng(7)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)


def active(estimator, rows, X=X, y=Y, **given):
    return load("modAL.models").ActiveLearner(estimator, X_training=X[rows], y_training=y[rows], **given)


def ask(strategy, n, X=X, y=Y, *, labeled, learner=None, task=Task.CLASSIFICATION, classes=(0, 1), **params):
    strategy = loaded().registry.build("strategy", strategy, **params)
    state = State(Pool(X, task, classes), strategy, Recipe(learner or LogisticRegression()), seed=1)
    state.add(np.asarray(labeled), y[labeled], start=True)
    return state.query(n)


def test_expected_error_does_not_import_without_a_name_that_numpy_dropped(monkeypatch):
    monkeypatch.delitem(sys.modules, "modAL.expected_error", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # loss is "binary"
        with pytest.raises(AttributeError, match="float"):
            importlib.import_module("modAL.expected_error")
    assert load("modAL.expected_error")


def test_teach_does_not_work_on_this_scikit_learn():
    learner = active(LogisticRegression(), np.arange(10))
    with pytest.raises(TypeError, match="force_all_finite"):
        learner.teach(X[10:12], Y[10:12])  # the adapter keeps its own data and never teaches


def test_unfitted_learner_asks_in_file_order():
    unfitted = load("modAL.models").ActiveLearner(LogisticRegression())
    assert sorted(load("modAL.uncertainty").entropy_sampling(unfitted, X, n_instances=3)[0]) == [0, 1, 2]
    with pytest.raises(alcore.InputError, match="no row is labelled yet"):
        ask("modal.entropy", 3, labeled=np.arange(0))


def test_batch_larger_than_what_is_left():
    with pytest.raises(AssertionError, match="n_instances must be less or equal"):
        load("modAL.uncertainty").margin_sampling(active(LogisticRegression(), np.arange(38)), X[38:], n_instances=5)
    assert sorted(ask("modal.margin", 5, labeled=np.arange(38))) == [38, 39]


def test_error_reduction_with_one_row_left():
    with pytest.raises(ValueError, match="0 sample"):
        load("modAL.expected_error").expected_error_reduction(active(GaussianNB(), np.arange(39)), X[39:])
    assert ask("modal.eer", 1, labeled=np.arange(39), learner=GaussianNB()).tolist() == [39]


def test_error_reduction_on_a_frame():
    frame = pd.DataFrame(X, index=range(100, 140))
    learner = load("modAL.models").ActiveLearner(GaussianNB(), X_training=frame.iloc[:30], y_training=Y[:30])
    with pytest.raises((KeyError, AttributeError, IndexError)):
        load("modAL.expected_error").expected_error_reduction(learner, frame.iloc[30:])
    how = {"labeled": np.arange(30), "learner": GaussianNB()}
    assert ask("modal.eer", 2, frame, **how).tolist() == ask("modal.eer", 2, X, **how).tolist()


def test_bootstrap_loses_a_class():
    y = np.array([0] * 11 + [1])
    with seeded_globals(0):
        known = {
            len(active(GaussianNB(), np.arange(12), y=y, bootstrap_init=True).estimator.classes_) for _ in range(20)
        }
    assert known == {1, 2}
    rng = np.random.default_rng(0)
    assert all(y[bootstrap(y, rng, by_class=True)].sum() == 1 for _ in range(20))


def test_bootstrap_draws_from_global_state():
    before = random_state()
    active(GaussianNB(), np.arange(12), bootstrap_init=True)
    assert random_state() != before
    before = random_state()
    ask("modal.qbc-vote", 3, labeled=np.arange(12), members=3)
    assert random_state() == before


def test_twenty_classes_of_one_row_end():
    y, many = np.arange(40) % 20, RNG.normal(size=(40, 5))
    how = {"y": y, "labeled": np.arange(20), "classes": tuple(range(20))}
    assert len(ask("modal.consensus-entropy", 4, many, **how, learner=GaussianNB(var_smoothing=0.1), members=3)) == 4


def test_committee_of_regressors_on_sparse_rows():
    sparse, y = csr_matrix(np.where(np.abs(X) > 0.4, X, 0.0)), X @ [1.0, -2.0, 0.5]
    member = active(Ridge(), np.arange(10), sparse, y)
    with pytest.raises(TypeError, match="ambiguous"):
        load("modAL.models").CommitteeRegressor([member, member]).predict(sparse, return_std=True)
    how = {"labeled": np.arange(10), "learner": Ridge(solver="sag", random_state=0, tol=1e-8, max_iter=10**4)}
    rows = ask("modal.committee-std", 2, sparse, y, task=Task.REGRESSION, classes=(), **how)
    assert len(set(rows.tolist())) == 2


def test_nan_is_the_largest_to_argmax():
    class Gap(GaussianNB):
        def predict_proba(self, X):
            proba = super().predict_proba(X)
            proba[4] = np.nan
            return proba

    ranked = load("modAL.batch").uncertainty_batch_sampling(active(Gap(), np.arange(20)), X[20:], n_instances=1)[0]
    assert ranked.tolist() == [4]
    for name in ("modal.ranked-batch", "modal.entropy", "modal.least-confident", "modal.information-density"):
        with pytest.raises(alcore.LearnerError, match=r"Gap.predict_proba gave nan for row 4"):
            ask(name, 1, labeled=np.arange(20), learner=Gap())


def labels_of(X):
    return np.column_stack([X[:, 0] > 0, X[:, 1] > 0.2, X[:, 2] > -0.2]).astype(int)


def test_random_tie_break_of_binary_minimum_asks_the_farthest():
    y = labels_of(X)
    learner = active(OneVsRestClassifier(LogisticRegression()), np.arange(15), y=y)
    nearest = np.abs(learner.estimator.decision_function(X[15:])).min(axis=1)
    sampler = load("modAL.multilabel").SVM_binary_minimum
    assert sampler(learner, X[15:]) == nearest.argmin()
    assert sampler(learner, X[15:], random_tie_break=True)[0].tolist() == [nearest.argmax()]
    how = {"y": y, "labeled": np.arange(15), "task": Task.MULTILABEL, "classes": (0, 1, 2)}
    rows = ask("modal.binary-minimum", 1, **how, learner=OneVsRestClassifier(LogisticRegression()))
    assert rows.tolist() == [15 + nearest.argmin()]


@pytest.mark.parametrize("name", ["max_loss", "mean_max_loss"])
def test_losses_do_not_take_the_librarys_own_learner(name):
    y = labels_of(X)
    learner = active(OneVsRestClassifier(LogisticRegression()), np.arange(15), y=y)
    with pytest.raises(AttributeError, match="classes_"):
        getattr(load("modAL.multilabel"), name)(learner, X[15:])


def test_max_score_draws_from_global_state_unless_told():
    y = labels_of(X)
    learner = active(OneVsRestClassifier(LogisticRegression()), np.arange(15), y=y)
    before = random_state()
    load("modAL.multilabel").max_score(learner, X[15:])
    assert random_state() != before
    how = {"y": y, "labeled": np.arange(15), "task": Task.MULTILABEL, "classes": (0, 1, 2)}
    before = random_state()
    ask("modal.max-score", 2, **how, learner=OneVsRestClassifier(LogisticRegression()))
    assert random_state() == before


def test_ranked_batch_takes_the_first_of_equal_rows():
    same = np.ones((30, 2))
    given = SimpleNamespace(on_transformed=False, X_training=same[:10])
    ranked, _ = load("modAL.batch").ranked_batch(given, same[10:], np.full(20, 0.5), 3, "euclidean", None)
    assert ranked.tolist() == [0, 1, 2]
    asked = {tuple(ask("modal.ranked-batch", 3, same, Y[:30], labeled=np.arange(seed, seed + 10))) for seed in range(6)}
    assert any(set(rows) != {10, 11, 12} for rows in asked)
