"""BADGE and CLUE against scikit-activeml's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alcore import Pool, View
from alcore.learners import Recipe
from alcore.state import State
from alcore.types import Task
from alcore_strategies.combinators.inner import make
from alcore_strategies.embedding import hidden_of
from alcore_strategies.hybrid.badge import Gradients, errors

pytest.importorskip("alcore_skactiveml")


def state_of(strategy: str, load: Any, *, seed: int = 0, **params: Any) -> State:
    X, y = load(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::2], y[::2]
    start = np.concatenate([np.flatnonzero(y == k)[:4] for k in range(y.max() + 1)])
    pool = Pool(X, Task.CLASSIFICATION, range(y.max() + 1), features="raw")
    state = State(pool, make({"name": strategy, **params})[1], Recipe(LogisticRegression()), seed=seed)
    state.add(start, y[start], start=True)
    return state


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_first_row_of_badge_is_the_same(load: Any) -> None:
    assert state_of("badge", load).query(1).tolist() == state_of("skactiveml.badge", load).query(1).tolist()


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_chances_of_the_second_row_of_badge_differ_by_a_centre_at_zero(load: Any) -> None:
    """scikit-activeml keeps the norms of the first step as if there were a centre at the gradient zero.

    The authors' code, as k-means++, draws by the distance to what was chosen alone.
    """
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import Badge

    view: View = state_of("badge", load).view()
    clf = SklearnClassifier(LogisticRegression(), classes=range(view.pool.n_classes), random_state=0)
    clf.fit(view.X_labeled, view.y)
    rows, utilities = Badge(random_state=0).query(
        view.pool.X, view.masked_y(), clf, fit_clf=False, batch_size=2, return_utilities=True
    )
    g = Gradients(errors(view.proba, Task.CLASSIFICATION), hidden_of(view, view.unlabeled), bias=False)
    first = int(g.norms2.argmax())
    assert view.unlabeled[first] == rows[0]
    np.testing.assert_allclose(utilities[0][view.unlabeled], g.norms2 / g.norms2.sum(), atol=1e-12)
    theirs = utilities[1][view.unlabeled]
    with_zero = np.minimum(g.to(first), g.norms2)
    np.testing.assert_allclose(np.nan_to_num(theirs), with_zero / with_zero.sum(), atol=1e-9)
    assert np.abs(np.nan_to_num(theirs) - g.to(first) / g.to(first).sum()).max() > 1e-3


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_clue_asks_for_the_same_rows(load: Any) -> None:
    """With the library's own clustering: its seed, and its number of restarts."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import Clue

    state = state_of("clue", load, layer="features")
    view, n = state.view(), 5
    seed = int(state.view().rng.integers(2**31))
    clf = SklearnClassifier(LogisticRegression(), classes=range(view.pool.n_classes), random_state=0)
    clf.fit(view.X_labeled, view.y)
    theirs = Clue(cluster_algo_dict={"random_state": seed, "n_init": 1}, random_state=0).query(
        view.pool.X, view.masked_y(), clf, fit_estimator=False, batch_size=n
    )
    assert sorted(state.query(n).tolist()) == sorted(int(row) for row in theirs)


def test_a_pipeline_is_seen_behind_its_scaler() -> None:
    """scikit-activeml takes X or what the classifier returns for embeddings; here the scaler's output is one."""
    X, y = load_iris(return_X_y=True)
    state = State(
        Pool(X, Task.CLASSIFICATION, range(3)), make("badge")[1],
        Recipe(make_pipeline(StandardScaler(), LogisticRegression())), seed=0,
    )  # fmt: skip
    state.add(np.arange(0, 150, 10), y[::10], start=True)
    view = state.view()
    scaled = view.model.estimator[0].transform(view.X_unlabeled)
    G = (errors(view.proba, Task.CLASSIFICATION)[:, :, None] * scaled[:, None, :]).reshape(len(scaled), -1)
    assert state.query(1).tolist() == [view.unlabeled[(G**2).sum(axis=1).argmax()]]
