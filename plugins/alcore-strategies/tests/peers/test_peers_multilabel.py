"""Multi-label strategies against libact's and ALiPy's, which use the same learner through their adapters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from alcore import Pool
from alcore.estimators import PerLabel
from alcore.learners import Recipe
from alcore.state import State
from alcore.types import Task
from alcore_strategies.combinators.inner import make
from alcore_strategies.multilabel.adaptive import approximate_error, separation_margin

SEEDS = range(3)
BETAS = [0.25, 0.5, 0.75, 1.0]
"""Without 0: at it whole groups of rows tie, of which libact and ALiPy try all."""


def state_of(strategy: str, seed: int, **params: Any) -> State:
    chance = np.random.default_rng(seed)
    X = chance.normal(size=(80, 5))
    y = (X[:, :4] + X[:, 1:] + chance.normal(size=(80, 4)) > 0.3).astype(np.intp)
    state = State(
        Pool(X, Task.MULTILABEL, range(4)), make({"name": strategy, **params})[1],
        Recipe(PerLabel(LogisticRegression())), seed=0, ties="first",
    )  # fmt: skip
    state.add(np.arange(0, 80, 4), y[::4], start=True)
    return state


@pytest.mark.parametrize("library", ["libact", "alipy"])
def test_mmc_asks_for_the_same_row(library: str) -> None:
    pytest.importorskip(f"alcore_{library}")
    for seed in SEEDS:
        assert state_of("mmc", seed).query(1).tolist() == state_of(f"{library}.mmc", seed).query(1).tolist()


def test_mmc_scores_as_alipy() -> None:
    pytest.importorskip("alcore_alipy")
    ours, theirs = state_of("mmc", 0), state_of("alipy.mmc", 0)
    np.testing.assert_allclose(ours.strategy.scores(ours.view()), theirs.strategy.scores(theirs.view()))  # type: ignore[attr-defined]


def test_adaptive_asks_for_the_same_row_as_alipy() -> None:
    pytest.importorskip("alcore_alipy")
    for seed in SEEDS:
        ours, theirs = state_of("adaptive", seed, betas=BETAS), state_of("alipy.adaptive", seed, betas=BETAS)
        assert ours.query(1).tolist() == theirs.query(1).tolist()


def unclipped(f: Any) -> float:
    """libact's error: without [.]_+, a row that is more than certain counts as less than no error."""
    positive, negative = 1.0 - np.where(f < 0, 1.0, f), 1.0 + np.where(f > 0, -1.0, f)
    return float((positive.max(axis=1) + negative.max(axis=1)).sum())


def test_adaptive_differs_from_libact_by_the_hinge() -> None:
    pytest.importorskip("alcore_libact")
    for seed in SEEDS:
        ours, theirs = state_of("adaptive", seed, betas=BETAS), state_of("libact.adaptive", seed, betas=BETAS)
        view = ours.view()
        u, size = 1 / separation_margin(view.decision), (view.decision > 0).sum(axis=1)
        c = np.abs(size - view.y.sum(axis=1).mean())
        error, clipped = {}, {}
        for i in {int((u**beta * c ** (1 - beta)).argmax()) for beta in BETAS}:
            twin = PerLabel(LogisticRegression()).fit(
                np.vstack([view.X_labeled, view.X_unlabeled[i]]), np.vstack([view.y, view.decision[i] > 0])
            )
            f = twin.decision_function(view.X_unlabeled)
            error[view.unlabeled[i]], clipped[view.unlabeled[i]] = unclipped(f), approximate_error(f)
        assert ours.query(1).tolist() == [min(clipped, key=lambda row: clipped[row])]
        assert theirs.query(1).tolist() == [min(error, key=lambda row: error[row])]
