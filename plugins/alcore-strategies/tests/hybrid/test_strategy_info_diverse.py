"""Informative and diverse: the greedy walk through the margins, with quotas."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.builtin.strategies import margin
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid.info_diverse import info_diverse

START = np.arange(0, 60, 5)


def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X[::3]), y[::3]


def state_of(X, y, **params):
    pool = Pool(X, "classification", tuple(np.unique(y)), features="raw")
    state = State(pool, spec_of(info_diverse).build(**params), Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(START, y[START], start=True)
    return state


def walk(gaps, cluster, share, n):
    """Take rows by margin, as long as their cluster has not had its share; then the smallest of the others."""
    chosen, taken = [], np.zeros(len(share))
    order = np.argsort(gaps, kind="stable")
    for i in order:
        if len(chosen) < n and taken[cluster[i]] / n < share[cluster[i]]:
            chosen.append(i)
            taken[cluster[i]] += 1
    return set(chosen + [i for i in order if i not in chosen][: n - len(chosen)])


@pytest.mark.parametrize("clusters", [None, 2, 7])
@pytest.mark.parametrize("batch", [2, 9, 40])
def test_the_batch_is_the_greedy_walk(clusters, batch):
    X, y = wine()
    state = state_of(X, y, clusters=clusters)
    view = state.view()
    labels = MiniBatchKMeans(clusters or 3, n_init=1, random_state=0).fit(X).labels_
    share = np.bincount(labels, minlength=clusters or 3) / len(X)
    wanted = walk(-margin(view), labels[view.unlabeled], share, batch)
    assert set(state.query(batch)) == {view.unlabeled[i] for i in wanted}


def test_a_batch_of_one_is_margin_sampling():
    X, y = wine()
    state = state_of(X, y)
    view = state.view()
    assert state.query(1) == view.top(margin(view), 1)


def test_it_is_not_margin_sampling_for_a_batch():
    X, y = wine()
    state = state_of(X, y, clusters=6)
    view = state.view()
    assert any(set(state.query(n)) != set(view.top(margin(view), n)) for n in range(2, 20))


def test_clusters_are_made_once_per_pool(monkeypatch):
    X, y = wine()
    pool, fits, fit = Pool(X, "classification", (0, 1, 2)), [], MiniBatchKMeans.fit
    monkeypatch.setattr(MiniBatchKMeans, "fit", lambda self, *a, **given: fits.append(1) or fit(self, *a, **given))
    for seed in range(3):
        state = State(pool, spec_of(info_diverse).build(), Recipe.of(LogisticRegression()), seed=seed)
        state.add(START, y[START], start=True)
        state.query(5)
    assert len(fits) == 1


def test_no_clusters_are_refused():
    X, y = wine()
    with pytest.raises(InputError, match="clusters"):
        spec_of(info_diverse).build(clusters=0).query(state_of(X, y).view(), 5)
