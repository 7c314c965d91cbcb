"""Small and odd pools: a right answer, or an alcore error that says what to do; never NumPy's."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pytest

from alcore import AlcoreError, Pool, Recipe, Task
from alcore.builtin.learners import logistic_regression
from alcore.decorators import spec_of
from alcore.estimators import PerLabel
from alcore.protocols import NeedsTruth, Truth
from alcore.state import State
from alcore_strategies.plugin import FAMILIES

SPECS = {spec_of(one).name: spec_of(one) for family in FAMILIES for one in family.STRATEGIES}
RNG = np.random.default_rng(0)
TEN = RNG.normal(size=(10, 2))
GAPS = TEN.copy()
GAPS[::3, 0] = np.nan
MANY = RNG.normal(size=(26, 2))
POOLS: dict[str, tuple[Any, list[int], int]] = {
    # X, codes in the order of rows (the first `start` are labelled), how many are labelled
    "one row, one labelled": (TEN[:2], [0, 1], 1),
    "two left, two labelled": (TEN[:4], [0, 1, 0, 1], 2),
    "three left": (TEN[:5], [0, 1, 0, 1, 0], 2),
    "one class labelled": (TEN, [0, 0, 0, 0, 1, 1, 1, 1, 0, 1], 4),
    "all rows alike": (np.ones((10, 2)), [0, 1] * 5, 4),
    "all rows alike but one": (np.vstack([np.ones((9, 2)), [[5.0, 5.0]]]), [0, 1] * 5, 4),
    "one feature": (TEN[:, :1], [0, 1] * 5, 4),
    "a constant feature": (np.column_stack([TEN[:, 0], np.full(10, 3.0)]), [0, 1] * 5, 4),
    "missing values": (GAPS, [0, 1] * 5, 4),
    "far apart": (TEN * 1e8, [0, 1] * 5, 4),
    "twenty classes, three labelled": (MANY, [0, 1, 2, *range(3, 20), *range(6)], 3),
}


def state_of(spec: Any, strategy: Any, pool: str) -> State:
    X, codes, start = POOLS[pool]
    y: Any = np.array(codes)
    k, task = max(2, int(y.max()) + 1), Task.CLASSIFICATION
    learner: Any = logistic_regression()
    if pool == "missing values":
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline

        learner = make_pipeline(SimpleImputer(), learner)
        learner.steps[-1:] = learner.steps[-1][1].steps  # one pipeline, so that its last layer is seen
    if Task.CLASSIFICATION not in spec.tasks:
        y, k, task, learner = (
            np.column_stack([y % 2, 1 - y % 2, y > 0]).astype(int),
            3,
            Task.MULTILABEL,
            PerLabel(learner),
        )
    state = State(Pool(X, task, tuple(range(k))), strategy, Recipe.of(learner), seed=0)
    if isinstance(strategy, NeedsTruth):
        strategy.reveal(Truth(y, X, y))
    state.add(np.arange(start), y[:start], start=True)
    return state


@pytest.mark.slow
@pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="a minute; ALCORE_FUZZ=100 runs it")
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", SPECS)
def test_rows_or_an_error_that_teaches(name: str, pool: str) -> None:
    spec = SPECS[name]
    if spec.max_classes and max(POOLS[pool][1]) >= spec.max_classes:
        pytest.skip("refused before the run")
    for n in (1, 3, 10_000):
        if spec.batch == "single" and n > 1:
            break
        rows = asked(name, pool, n)
        left = len(POOLS[pool][0]) - POOLS[pool][2]
        assert rows is None or len(set(rows.tolist())) == min(n, left)


def asked(name: str, pool: str, n: int) -> Any:
    """Return the rows, or None for an error of alcore's own; one that hides another's is raised as that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return state_of(SPECS[name], SPECS[name].build(), pool).query(n)
        except AlcoreError as error:
            if error.__cause__ is not None and not isinstance(error.__cause__, AlcoreError):
                raise
            return None
