"""Information density against all pairs of rows."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.preprocessing import StandardScaler

from alcore import InputError, Pool, Recipe
from alcore.builtin.strategies import entropy, least_confident, margin
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid.information_density import information_density

home = import_module("alcore_strategies.hybrid.information_density")
START = np.arange(0, 60, 5)
X, Y = (part[::2] for part in load_iris(return_X_y=True))
X = StandardScaler().fit_transform(X)
UNCERTAINTY = {"entropy": entropy, "least-confident": least_confident, "margin": lambda view: 1 + margin(view)}


def view_of(rows=X):
    pool = Pool(rows, "classification", (0, 1, 2), features="raw")
    state = State(pool, spec_of(information_density).build(), Recipe.of(LogisticRegression()), seed=0)
    state.add(START, Y[START], start=True)
    return state.view()


@pytest.mark.parametrize("uncertainty", UNCERTAINTY)
@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0])
def test_cosine_is_the_mean_over_all_pairs(uncertainty, beta):
    view = view_of()
    density = ((1 + cosine_similarity(X)) / 2).mean(axis=1)[view.unlabeled]
    wanted = UNCERTAINTY[uncertainty](view) * density**beta
    found = spec_of(information_density).build(uncertainty=uncertainty, beta=beta).scores(view)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("gamma", [None, 0.7])
def test_rbf_in_blocks_is_the_mean_over_all_pairs(gamma, monkeypatch):
    blocks = home.blocks
    monkeypatch.setattr(home, "blocks", lambda n, width: blocks(n, width, memory=8 * width * 7))
    view = view_of()
    density = rbf_kernel(X, gamma=gamma or 1 / 4).mean(axis=1)[view.unlabeled]
    found = spec_of(information_density).build(similarity="rbf", gamma=gamma).scores(view)
    np.testing.assert_allclose(found, entropy(view) * density, rtol=1e-10)


def test_a_row_of_zeros_has_no_direction():
    rows = X.copy()
    rows[1] = 0.0
    view = view_of(rows)
    scores = spec_of(information_density).build(uncertainty="margin").scores(view)
    position = np.flatnonzero(view.unlabeled == 1)[0]
    assert scores[position] == pytest.approx(0.5 * (1 + margin(view)[position]))


def test_similarities_are_computed_once_per_pool(monkeypatch):
    calls, cosine = [], home._cosine
    monkeypatch.setattr(home, "_cosine", lambda pool: calls.append(1) or cosine(pool))
    view = view_of()
    for _ in range(3):
        spec_of(information_density).build().scores(view)
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"beta": -1.0}, "beta"),
        ({"similarity": "dot"}, "rbf"),
        ({"uncertainty": "bald"}, "entropy"),
        ({"gamma": 0.0}, "gamma"),
    ],
)
def test_parameters_out_of_range(params, says):
    with pytest.raises(InputError, match=says):
        spec_of(information_density).build(**params).scores(view_of())
