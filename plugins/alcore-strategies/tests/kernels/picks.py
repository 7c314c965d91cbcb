"""What every native strategy asks for, given model outputs that no processor computes otherwise: a JSON object.

``python picks.py small|large`` runs under the BLAS kernel that OPENBLAS_CORETYPE names, and says which one that was.
The pools have copies of rows and symmetric points, so that whatever can tie does.
"""

from __future__ import annotations

import json
import sys
import warnings
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from threadpoolctl import threadpool_info

from alcore import Pool, Recipe, Task, plugins
from alcore.protocols import NeedsTruth, Truth
from alcore.rng import seeded_globals
from alcore.spec import StrategySpec
from alcore.state import State

NATIVE = ("alcore", "alcore-strategies")
SLOW = ("lal", "bso")
UNIT = 64
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "adaptive": [{"betas": [0.0, 0.5, 1.0]}],
    "badge": [{"bias": True}, {"layer": "features"}],
    "bald": [{"ensemble": "draws"}],
    "batch-bald": [{"ensemble": "draws"}, {"configurations": 20}],
    "beal": [{"confidence": "largest"}],
    "bmdr": [{"kernel": "linear"}],
    "clue": [{"layer": "features"}, {"temperature": 0.5}],
    "core-set": [{"first": "medoid"}],
    "diverse": [{"method": "k-center"}, {"strategy": "entropy", "factor": 3}],
    "eer": [{"loss": "log"}],
    "epsilon-greedy": [{"uncertainty": "entropy"}, {"uncertainty": "ratio-max"}],
    "hint-svm": [{"kernel": "rbf"}],
    "information-density": [{"similarity": "rbf"}, {"uncertainty": "margin", "beta": 0.5}],
    "k-means": [{"components": 2}, {"components": None}],
    "max-herding": [{"sigma": 0.7}],
    "mixture": [{"strategies": ["core-set", "entropy"]}],
    "prob-cover": [{"delta": 1.0}],
    "qbc": [{"disagreement": "kl"}, {"disagreement": "consensus-entropy"}],
    "quire": [{"kernel": "linear"}, {"kernel": "poly"}],
    "spal": [{"kernel": "linear"}],
    "subsample": [{"strategy": "core-set", "candidates": 0.5}],
    "typiclust": [{"neighbours": 3}],
    "variance-reduction": [{"sigma": 10.0, "intercept": False}],
}
"""Parameters beside the defaults that take another way through the arithmetic."""


class Whole:
    """A learner of whole numbers: its distances, and what follows from them, are exact on every processor."""

    def fit(self, X: Any, y: Any) -> Whole:
        q, y = whole(X), np.asarray(y)
        self.classes_ = np.arange(2) if y.ndim == 2 else np.unique(y)
        self.labels_ = y.shape[1] if y.ndim == 2 else 0
        one_hot = y if self.labels_ else (y[:, None] == self.classes_).astype(np.int64)
        self.sums_ = np.stack([q[one_hot[:, k] == 1].sum(axis=0) for k in range(one_hot.shape[1])])
        self.counts_ = np.maximum(one_hot.sum(axis=0), 1)
        return self

    def _distances(self, X: Any) -> Any:
        q = whole(X)
        return np.stack(
            [np.abs(q * count - own).sum(axis=1) // count for own, count in zip(self.sums_, self.counts_, strict=True)],
            axis=1,
        )

    def predict_proba(self, X: Any) -> Any:
        D = self._distances(X)
        if self.labels_:
            middle = max(int(D.sum()) // D.size, 1)
            return (UNIT - np.minimum(D * UNIT // (2 * middle), UNIT)) / UNIT
        near = 1 + UNIT * UNIT // (1 + D)
        share = near * UNIT // near.sum(axis=1, keepdims=True)
        share[:, 0] += UNIT - share.sum(axis=1)
        return share / UNIT

    def decision_function(self, X: Any) -> Any:
        p = self.predict_proba(X)
        if self.labels_:
            return 2.0 * p - 1.0
        return p[:, 1] - p[:, 0] if p.shape[1] == 2 else p

    def predict(self, X: Any) -> Any:
        p = self.predict_proba(X)
        return (p >= 0.5).astype(int) if self.labels_ else self.classes_[p.argmax(axis=1)]

    def embed(self, X: Any) -> Any:
        return whole(X)[:, :3] / UNIT

    hidden = embed

    def sample_proba(self, X: Any, draws: int, rng: Generator) -> Any:
        p = np.round(self.predict_proba(X) * UNIT).astype(np.int64)
        k = p.shape[1]
        shift = rng.integers(0, 9, size=(draws, 1, k))
        if self.labels_:
            return (p + shift) / (UNIT + 8)
        return (p * 8 + shift) / (UNIT * 8 + shift.sum(axis=2, keepdims=True))


def whole(X: Any) -> Any:
    return np.round(np.asarray(X, dtype=np.float64) * UNIT).astype(np.int64)


def pools() -> dict[str, Any]:
    """Return rows with copies and mirror images: few columns, more than a product of matrices is used for, many."""
    rng = np.random.default_rng(11)
    grid = np.stack(np.meshgrid(np.arange(-2.0, 3.0), np.arange(-2.0, 3.0)), axis=-1).reshape(-1, 2)
    wide = rng.integers(-3, 4, size=(14, 20)) / 10.0
    rough = rng.normal(size=(10, 18))
    return {
        "grid": np.concatenate([grid, grid])[rng.permutation(50)],
        "wide": np.concatenate([wide, -wide, wide, wide[:, ::-1]])[rng.permutation(56)],
        "rough": np.concatenate([rough, -rough, rough, 1e3 + rough])[rng.permutation(40)],
    }


def labels(X: Any, task: Task, classes: int) -> Any:
    """Return labels that follow the columns, with both values of each among the first six rows."""
    order = np.argsort(np.argsort(X[:, 0] + X[:, 1] / 8, kind="stable"), kind="stable")
    y = order * classes // len(X)
    y[: 2 * classes] = np.arange(2 * classes) % classes
    if task is Task.REGRESSION:
        return y.astype(np.float64)
    if task is Task.MULTILABEL:
        second = (X[:, 1] > 0).astype(int)
        second[:6] = [0, 1, 1, 0, 1, 0]
        return np.column_stack([y == 0, second, y != 1]).astype(int)
    return y


def asked(
    spec: StrategySpec, params: dict[str, Any], X: Any, task: Task, classes: int, ties: Any, batch: int, rounds: int
) -> list[list[int]]:
    """Return the rows of each round."""
    y, start = labels(X, task, classes), np.arange(6)
    names = tuple(range({Task.MULTILABEL: 3, Task.REGRESSION: 0}.get(task, classes)))
    strategy = spec.build(**params)
    state = State(Pool(X, task, names), strategy, Recipe(Whole), seed=3, ties=ties)
    if isinstance(strategy, NeedsTruth):
        strategy.reveal(Truth(y, X[:9], y[:9]))
    state.add(start, y[start], start=True)
    found = []
    for t in range(rounds):
        with seeded_globals(t):
            rows = state.query(min(batch, state.left))
        found.append(rows.tolist())
        state.add(rows, y[rows])
    return found


def cases(large: bool) -> dict[str, list[list[int]]]:
    """Return what is asked in each case."""
    found = {}
    for entry in plugins.loaded().registry.entries("strategy"):
        spec = entry.spec
        if entry.distribution not in NATIVE or spec.name.endswith("-published") or (spec.name in SLOW and not large):
            continue
        for params, task in product([{}, *VARIANTS.get(spec.name, [])] if large else [{}], sorted(spec.tasks)):
            several = task is Task.CLASSIFICATION and spec.max_classes != 2
            for (name, X), (ties, batch) in product(pools().items(), (("random", 3), ("first", 4))):
                if large or (name, ties) in (("grid", "random"), ("wide", "first")):
                    classes = 3 if several and name == "wide" else 2
                    case = f"{spec.name} {params or ''} {task} {name} {ties}"
                    found[case] = asked(spec, params, X, task, classes, ties, batch, 4 if large else 2)
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    picks = cases(sys.argv[1] == "large")
    kernels = sorted({str(one.get("architecture")) for one in threadpool_info() if one["user_api"] == "blas"})
    print(json.dumps({"kernels": kernels, "picks": picks}))
