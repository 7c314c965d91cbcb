"""Expected error reduction against the libraries that refit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

from alcore import Pool, Recipe, Task
from alcore.agreement import compare
from alcore.engine import ArrayOracle
from alcore.plugins import loaded
from alcore.state import State
from alcore_strategies.expected.error_reduction import ExpectedErrorReduction


def toy(load, rows, start):
    X, y = load(return_X_y=True)
    chosen = np.random.default_rng(3).permutation(len(y))[:rows]
    X, y = X[chosen], y[chosen]
    _, first = np.unique(y, return_index=True)
    labeled = np.concatenate([first, np.setdiff1d(np.arange(rows), first)])[:start]
    return (X - X.mean(axis=0)) / X.std(axis=0), y, labeled


LEARNER = Recipe(LogisticRegression(solver="newton-cholesky", tol=1e-9))


def agreement(peer, params, ours, load=load_breast_cancer, rows=20, start=8):
    entry = loaded().registry.get("strategy", peer)
    if entry is None or entry.spec.missing():
        pytest.skip(f"{peer} is not here")
    X, y, labeled = toy(load, rows, start)
    pool = Pool(X, Task.CLASSIFICATION, tuple(range(y.max() + 1)))
    strategies = {"ours": ours, "theirs": entry.spec.build(**params)}
    return compare(pool, ArrayOracle(y), strategies, LEARNER, start=labeled, rounds=2)


@pytest.mark.parametrize(
    ("peer", "params", "loss", "module"),
    [
        ("modal.eer", {}, "zero-one", "alcore_modal"),
        ("modal.log-loss-reduction", {}, "log", "alcore_modal"),
        ("alipy.eer", {}, "log", "alcore_alipy"),
    ],
)
def test_the_picks_are_those_of_libraries_that_refit(peer, params, loss, module):
    pytest.importorskip(module)
    found = agreement(peer, params, ExpectedErrorReduction(loss))
    assert not found.failed
    assert found.pairs[0].same == 1.0


def test_of_three_classes_the_picks_are_modals():
    pytest.importorskip("alcore_modal")
    found = agreement("modal.eer", {}, ExpectedErrorReduction(), load_iris, 18, 9)
    assert found.pairs[0].same == 1.0


@pytest.mark.parametrize(("theirs", "loss"), [("01", "zero-one"), ("log", "log")])
def test_libact_counts_the_candidate_too(theirs, loss):
    pytest.importorskip("alcore_libact")
    ours = ExpectedErrorReduction(loss)
    found = agreement("libact.eer", {"loss": theirs}, ours)
    X, y, labeled = toy(load_breast_cancer, 20, 8)
    state = State(Pool(X, Task.CLASSIFICATION, (0, 1)), ours, LEARNER, seed=0)
    state.add(labeled, y[labeled], start=True)
    view = state.view()
    error = -ours.scores(view)
    for i, row in enumerate(view.unlabeled):
        for k in (0, 1):
            p = view.new_learner().fit(X[[*labeled, row]], np.array([*y[labeled], k])).predict_proba(X[[row]])[0]
            own = 1 - p.max() if loss == "zero-one" else -(p * np.log(p)).sum()
            error[i] += view.proba[i, k] * own
    assert found.asked["theirs"][0].tolist() == [view.unlabeled[error.argmin()]]


def test_scikit_activeml_counts_the_whole_pool():
    # Its MonteCarloEER adds up the error of all rows, labelled ones and the candidate too: scores and picks differ.
    pytest.importorskip("alcore_skactiveml")
    found = agreement("skactiveml.eer", {}, ExpectedErrorReduction())
    assert 0.5 < found.pairs[0].rank_correlation < 1.0
