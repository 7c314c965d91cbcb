"""Two batches in flight: rows that are out for labelling count as chosen."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import alcore
from alcore import Task
from alcore.decorators import spec_of
from alcore_strategies.plugin import FAMILIES

SPECS = {spec_of(one).name: spec_of(one) for family in FAMILIES for one in family.STRATEGIES}
UPPER = {name for name, spec in SPECS.items() if spec.truth}
GREEDY: dict[str, dict[str, Any]] = {
    "core-set": {},
    "graph-density": {},
    "prob-cover": {},
    "max-herding": {},
    "batch-bald": {"ensemble": "forest"},
}
"""Those that add row to row: two batches of five are one of ten."""

SPREAD: dict[str, dict[str, Any]] = {
    "badge": {},
    "clue": {},
    "core-set": {},
    "k-means": {},
    "typiclust": {"smallest": 1},
    "diverse": {},
    "mcm": {"band": 1e6},
    "mixture": {"strategies": ["k-means", "core-set"]},
    "explore": {"strategy": "badge", "epsilon": 0.0},
    "subsample": {"strategy": "k-means", "candidates": 0.9},
}
"""Those that spread a batch: no copy of a row that is out is asked for."""

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(40, 3))
X = np.concatenate([POINTS, POINTS])
y = (X[:, 0] + 0.3 * RNG.normal(size=80) > 0).astype(int)
START = [0, 1, 2, 3, 40, 41, 42, 43]


def session(name: str, params: dict[str, Any], ties: Any = "random") -> alcore.Session:
    known: Any = [None] * 80
    more: dict[str, Any]
    if SPECS[name].tasks == {Task.MULTILABEL}:
        Y = np.column_stack([y, X[:, 1] > 0, X[:, 2] > 0]).astype(int)
        for row in START:
            known[row] = Y[row]
        more = {"task": "multilabel", "classes": ["a", "b", "c"]}
    else:
        for row in START:
            known[row] = int(y[row])
        more = {"classes": [0, 1]}
    learner = RandomForestClassifier(6) if params.get("ensemble") == "forest" else "logistic-regression"
    return alcore.Session(X, strategy=name, strategy_params=params, learner=learner, y=known, ties=ties, **more)


@pytest.mark.parametrize("name", [n for n, s in SPECS.items() if n not in UPPER and s.batch != "single"])
def test_two_batches_in_flight_have_no_row_in_common(name: str) -> None:
    asked = session(name, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a committee may agree on a pool as small as this
        first, second = asked.ask(5), asked.ask(5)
    assert len({*first, *second}) == 10


@pytest.mark.parametrize("name", GREEDY)
def test_two_greedy_batches_in_flight_are_one(name: str) -> None:
    asked, once = session(name, GREEDY[name], "first"), session(name, GREEDY[name], "first")
    assert [*asked.ask(5), *asked.ask(5)] == [*once.ask(10)]


@pytest.mark.parametrize("name", SPREAD)
def test_no_copy_of_a_row_that_is_out_is_asked(name: str) -> None:
    asked = session(name, SPREAD[name])
    first, second = np.array(asked.ask(5)), np.array(asked.ask(5))
    assert not {*(first % 40).tolist()} & {*(second % 40).tolist()}


def test_k_center_keeps_away_from_rows_that_are_out() -> None:
    asked = session("diverse", {"method": "k-center", "factor": 20})
    rows = np.array([*asked.ask(3), *asked.ask(3), *asked.ask(1)])
    assert len({*(rows % 40).tolist()}) == 7


def test_a_clusters_share_is_taken_by_rows_that_are_out() -> None:
    """Ten blobs of eight equal rows: one row of each, whether in one batch or in two."""
    blobs = np.repeat(np.eye(10), 8, axis=0) + 1e-3 * RNG.normal(size=(80, 10))
    known: Any = [None] * 80
    known[0], known[8] = 0, 1
    asked = alcore.Session(
        blobs, strategy="info-diverse", strategy_params={"clusters": 10}, learner="logistic-regression", classes=[0, 1],
        y=known,
    )  # fmt: skip
    rows = np.array([*asked.ask(5), *asked.ask(5)])
    assert len({*(rows // 8).tolist()}) == 10


@pytest.mark.parametrize("name", ["bmdr", "spal"])
def test_a_batch_completes_the_rows_that_are_out(name: str) -> None:
    """Two far groups: where the first row is out in one, the second is asked in the other."""
    groups = np.concatenate([RNG.normal(size=(20, 2)) - 8, RNG.normal(size=(20, 2)) + 8])
    asked = alcore.Session(
        groups, strategy=name, strategy_params={"gamma": 0.1}, learner="lda", classes=[0, 1], cold_start=None
    )
    rows = np.array([*asked.ask(1), *asked.ask(1)])
    assert sorted(rows // 20) == [0, 1]
