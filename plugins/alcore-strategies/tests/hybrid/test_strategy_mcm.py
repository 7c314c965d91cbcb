"""MCM: what is inside the margin, and what stands for it; and the playground's margin."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from alcore import InputError, Pool, Recipe
from alcore.builtin.strategies import margin
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid.mcm import distance_to_boundary, mcm
from alcore_strategies.hybrid.mcm_published import mcm_published

SVM = SVC(C=1.0, gamma=0.5, decision_function_shape="ovr")


def moons(n=80):
    X, y = make_moons(n, noise=0.3, random_state=0)
    return StandardScaler().fit_transform(X), y


def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X[::2]), y[::2]


def state_of(strategy, X, y, learner, start=range(15), ties="first"):
    start = np.asarray(start)
    pool = Pool(X, "classification", tuple(np.unique(y)), features="raw")
    state = State(pool, strategy, Recipe.of(learner), seed=0, ties=ties)
    state.add(start, y[start], start=True)
    return state


def right(**params):
    return spec_of(mcm).build(**params)


def published():
    return spec_of(mcm_published).build()


def some_of_each(y, each=5):
    return np.concatenate([np.flatnonzero(y == k)[:each] for k in np.unique(y)])


def test_one_row_is_the_nearest_to_the_mean_of_the_margin():
    X, y = moons()
    state = state_of(right(), X, y, SVM)
    view = state.view()
    f = SVM.fit(X[:15], y[:15]).decision_function(X[15:])
    inside = 15 + np.flatnonzero(np.abs(f) < 1)
    assert 1 < len(inside) < 65
    assert state.query(1)[0] == inside[np.linalg.norm(X[inside] - X[inside].mean(axis=0), axis=1).argmin()]
    assert view.t == 1


@pytest.mark.parametrize("data", [moons, iris])
@pytest.mark.parametrize("learner", [SVM, LogisticRegression(), GaussianNB()], ids=["svm", "logistic", "bayes"])
def test_a_batch_is_one_row_of_each_cluster_of_the_margin(data, learner):
    X, y = data()
    start = some_of_each(y)
    band = 6.0  # iris is nearly separable
    state = state_of(right(band=band), X, y, learner, start)
    view = state.view()
    inside = view.unlabeled[distance_to_boundary(view) < band]
    assert len(inside) > 5
    rows = state.query(4)
    found = KMeans(4, n_init=1, random_state=int(view.rng.integers(2**31))).fit(X[inside])
    for k, centre in enumerate(found.cluster_centers_):
        members = inside[found.labels_ == k]
        assert members[np.linalg.norm(X[members] - centre, axis=1).argmin()] in rows


def test_log_odds_are_the_decision_values_of_logistic_regression():
    X, y = moons()
    both = [distance_to_boundary(state_of(right(), X, y, one).view()) for one in (LogisticRegression(), GaussianNB())]
    f = LogisticRegression().fit(X[:15], y[:15]).decision_function(X[15:])
    p = GaussianNB().fit(X[:15], y[:15]).predict_proba(X[15:])
    np.testing.assert_allclose(both[0], np.abs(f))
    np.testing.assert_allclose(both[1], np.abs(np.log(p[:, 1] / p[:, 0])), rtol=1e-6)


def test_two_columns_are_one_number():
    """With decision values -f and f, half the gap is |f|: more classes extend two."""
    X, y = iris()
    view = state_of(right(), X, y, SVM, some_of_each(y)).view()
    two = np.sort(view.decision, axis=1)[:, -2:]
    np.testing.assert_allclose(distance_to_boundary(view), (two[:, 1] - two[:, 0]) / 2)


@pytest.mark.parametrize("batch", [1, 6])
def test_an_empty_margin_is_margin_sampling(batch):
    X, y = moons()
    state = state_of(right(band=1e-9), X, y, SVM)
    view = state.view()
    np.testing.assert_array_equal(state.query(batch), view.top(margin(view), batch))


def test_no_more_rows_inside_than_asked_is_margin_sampling():
    X, y = moons()
    state = state_of(right(band=0.1), X, y, SVM)
    view = state.view()
    inside = int((distance_to_boundary(view) < 0.1).sum())
    assert inside > 1
    np.testing.assert_array_equal(state.query(inside), view.top(margin(view), inside))


def test_copies_of_one_row_fill_the_batch():
    X, y = moons()
    X[20:] = X[20]
    state = state_of(right(band=1e3), X, y, SVM)
    assert len(set(state.query(10).tolist())) == 10


def test_published_margin_of_probabilities_is_the_surest_rows():
    X, y = moons()
    start = np.array([0, 1, 2, 3, 30, 31])
    state = state_of(published(), X, y, GaussianNB(), start)
    view = state.view()
    least = GaussianNB().fit(X[start], y[start]).predict_proba(X[start]).min(axis=0)
    inside = (view.proba < least).any(axis=1)
    assert inside.sum() > 2
    assert view.proba[inside].max(axis=1).min() > 0.9
    assert state.query(1)[0] in view.unlabeled[inside]
    assert state_of(right(), X, y, GaussianNB(), start).query(1)[0] not in view.unlabeled[inside]


def test_published_falls_back_to_margin_sampling():
    X, y = moons()
    surest = np.argsort(np.abs(GaussianNB().fit(X, y).predict_proba(X)[:, 1] - 0.5))[::-1][:20]
    state = state_of(published(), X, y, GaussianNB(), surest)
    view = state.view()
    assert not (view.proba < view.model.predict_proba(view.X_labeled).min(axis=0)).any()
    np.testing.assert_array_equal(state.query(3), view.top(margin(view), 3))


def test_published_margin_of_decision_values_is_nearer_than_any_labelled_row():
    X, y = moons()
    state = state_of(published(), X, y, LogisticRegression())
    view = state.view()
    nearest = np.abs(view.model.decision_function(X[:15])).min()
    assert (np.abs(view.decision) < nearest).any()
    assert (np.abs(view.decision[view.unlabeled == state.query(1)]) < nearest).all()


def test_band_out_of_range():
    X, y = moons()
    with pytest.raises(InputError, match="band"):
        spec_of(mcm).build(band=0.0).query(state_of(right(), X, y, SVM).view(), 1)
