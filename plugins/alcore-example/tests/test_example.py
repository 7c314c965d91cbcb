"""What a plugin's tests look like: the conformance suite on each thing it provides, then right values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score

import alcore
import alcore.testing
from alcore_example.metrics import kappa

CHECKS = [
    check
    for name in ("example.ratio", "example.k-center", "example.centroids", "example.kappa")
    for check in alcore.testing.checks_for(name)
]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_contract(check):
    check()


def test_k_center_asks_the_farthest_row():
    X = np.array([[0.0], [1.0], [4.0], [9.0], [9.5]])
    run = alcore.simulate(
        X, [0, 1, 0, 1, 0], strategy="example.k-center", learner=LogisticRegression(), start=[0, 1], budget=3,
        test=(X, [0, 1, 0, 1, 0]), ties="first",
    )  # fmt: skip
    assert run.queried.tolist() == [0, 1, 4, 2, 3]


def test_kappa_equals_scikit_learns():
    rng = np.random.default_rng(0)
    y, pred = rng.integers(3, size=50), rng.integers(3, size=50)
    scored = alcore.Scored(task=alcore.Task.CLASSIFICATION, n_classes=3, y=y, pred=pred)
    assert kappa(scored) == pytest.approx(cohen_kappa_score(y, pred))
