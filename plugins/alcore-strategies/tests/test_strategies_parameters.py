"""Odd values of parameters: refused by name before the run, or they work."""

from __future__ import annotations

import inspect
import os
import warnings
from typing import Any

import numpy as np
import pytest

import alcore
from alcore import InputError, Pool, Recipe, Task
from alcore.builtin.learners import logistic_regression
from alcore.decorators import spec_of
from alcore.estimators import PerLabel
from alcore.pairing import as_strategy
from alcore.plugins import loaded
from alcore.protocols import NeedsTruth, Truth
from alcore.state import State
from alcore_strategies.plugin import FAMILIES

SPECS = {spec_of(one).name: spec_of(one) for family in FAMILIES for one in family.STRATEGIES}
ODD: list[Any] = [
    0,
    -1,
    0.0,
    -0.5,
    0.5,
    1.0,
    1e300,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "margin",
    None,
    True,
    [],
    {},
]
BORDERS = [(name, parameter) for name, spec in SPECS.items() for parameter in spec.parameters()]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(14, 2))
Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
BIG = {"members", "draws", "trees", "folds", "width", "ahead", "iterations"}
"""Parameters that are worked off one by one: a huge value is a long run, not a fault."""


def state_of(spec: Any, strategy: Any) -> State:
    several = Task.CLASSIFICATION not in spec.tasks
    y = Y if several else Y[:, 0]
    learner = PerLabel(logistic_regression()) if several else logistic_regression()
    pool = Pool(X, Task.MULTILABEL if several else Task.CLASSIFICATION, (0, 1))
    state = State(pool, strategy, Recipe.of(learner), seed=0)
    if isinstance(strategy, NeedsTruth):
        strategy.reveal(Truth(y, X, y))
    start = np.concatenate([np.flatnonzero(Y[:, 0] == 0)[:3], np.flatnonzero(Y[:, 0])[:3]])
    state.add(start, y[start], start=True)
    return state


@pytest.mark.slow
@pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="a minute; ALCORE_FUZZ=100 runs it")
@pytest.mark.parametrize(("name", "parameter"), BORDERS, ids=lambda value: value)
def test_an_odd_value_is_refused_by_name_or_works(name: str, parameter: str) -> None:
    for value in ODD:
        if parameter in BIG and value == 10**30:
            continue
        try:
            spec, strategy = as_strategy(loaded().registry, name, {parameter: value})
        except InputError as error:
            text = str(error)
            # What is no strategy is told as itself; an experiment says where it stands: strategies[0].
            inner = "no strategy" in text or "inside a strategy" in text
            assert inner or (name in text and parameter in text), text
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            rows = state_of(spec, strategy).query(1 if SPECS[name].batch == "single" else 2)
        assert len(rows) in (1, 2), (name, parameter, value)


def test_numbers_are_no_words_and_words_no_numbers() -> None:
    for name, params, rule in (
        ("k-means", {"components": 2.0}, "components is 2.0; give a whole number or none"),
        ("qbc", {"members": "ten"}, "members is 'ten'; give a whole number"),
        ("variance-reduction", {"intercept": 1}, "intercept is 1; give true or false"),
        ("core-set", {"first": 3}, "first is 3; give one of 'random', 'medoid'"),
        ("quire", {"lam": float("nan")}, "lam is nan; give a number"),
    ):
        with pytest.raises(InputError, match=f"{name}: {rule}"):
            alcore.simulate(X, Y[:, 0], strategy=name, strategy_params=params, learner="lda", start=6, budget=1)


def test_every_signature_can_be_judged() -> None:
    for spec in SPECS.values():
        assert inspect.signature(spec.target())  # as the table of parameters in its page
