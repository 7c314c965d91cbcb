"""A run whose labels say nothing, for strategies that ask no learner."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State


class Run:
    """Steps through a run, and notes what was asked."""

    def __init__(self, X, strategy, *, start=(), y=None, seed=0, ties="first"):
        pool = X if isinstance(X, Pool) else self._pool(X, y)
        self.pool, self.y = pool, np.zeros(len(pool)) if y is None else y
        learner = Recipe(DummyRegressor() if y is None else DummyClassifier())
        self.state = State(pool, strategy, learner, seed=seed, ties=ties)
        self.state.add(np.asarray(start, dtype=np.intp), self.y[np.asarray(start, dtype=np.intp)], start=True)

    @staticmethod
    def _pool(X, y):
        return Pool(X, "regression") if y is None else Pool(X, "classification", np.unique(y).tolist())

    def ask(self, n=1, rounds=1):
        """Return the rows of these rounds of n, in order, after labelling them."""
        asked = []
        for _ in range(rounds):
            rows = self.state.query(n)
            self.state.add(rows, self.y[rows])
            asked += rows.tolist()
        return asked


@pytest.fixture
def begin():
    """Return a function that begins a run: ``begin(X, strategy, start=rows, y=codes or None)``."""
    return Run
