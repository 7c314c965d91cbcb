"""MCM and informative-diverse beside the playground: the same picks from the same k-means."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe
from alcore.decorators import spec_of
from alcore.state import State
from alcore_strategies.hybrid.mcm import mcm
from alcore_strategies.hybrid.mcm_published import mcm_published

SPECS = pytest.importorskip("alcore_playground.specs").SPECS
THEIRS = next(spec for spec in SPECS if spec.name == "playground.mcm")
if THEIRS.missing():
    pytest.skip("needs a checkout of the playground: set ALCORE_PLAYGROUND_PATH", allow_module_level=True)
START = np.arange(9)


def picks(ours, load, batch, rounds=4):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))[:80]
    X, y = StandardScaler().fit_transform(X[order]), y[order]
    pool = Pool(X, "classification", tuple(np.unique(y)), features="raw")
    both = (spec_of(ours).build(), THEIRS.build())
    states = [State(pool, one, Recipe.of(LogisticRegression()), seed=3, ties="first") for one in both]
    for state in states:
        state.add(START, y[START], start=True)
    for _ in range(rounds):
        asked = [state.query(batch) for state in states]
        yield set(asked[0].tolist()), set(asked[1].tolist())
        for state in states:
            state.add(asked[0], y[asked[0]])


@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_published_picks_are_the_playgrounds(load, batch):
    assert all(ours == theirs for ours, theirs in picks(mcm_published, load, batch))


def test_the_right_margin_is_another():
    assert any(ours != theirs for ours, theirs in picks(mcm, load_wine, 2))
