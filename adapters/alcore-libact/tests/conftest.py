"""Runs beside which libact is called by hand: real data, one seed, and the same learner."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe, Task, rng
from alcore.interop import patched, silenced
from alcore.state import State

SEED = 3


@dataclass
class Real:
    """A real data set: standardised features, codes (n,) or a 0/1 matrix (n, L), and a start set with row 0 in it."""

    X: Any
    y: Any
    start: Any
    classes: int
    task: Task = Task.CLASSIFICATION

    def pool(self) -> Pool:
        return Pool(self.X, self.task, tuple(range(self.classes)), features="raw")


@dataclass
class Hand:
    """What the one who calls libact by hand knows in a round: rows and labels so far, in the order of labelling."""

    real: Real
    labeled: list[int]
    seed: int
    setup_seed: int
    kept: dict[str, Any] = field(default_factory=dict)

    def dataset(self, labels: Any = None) -> Any:
        """Return libact's data set of the whole pool; ``labels`` changes what it is told of a label."""
        from libact.base.dataset import Dataset

        known = np.empty(len(self.real.X), dtype=object)
        for row in self.labeled:
            label = self.real.y[row]
            known[row] = label if np.ndim(label) else int(label if labels is None else labels(label))
        return Dataset(self.real.X, known)

    def random(self) -> np.random.RandomState:
        return np.random.RandomState(self.seed)


def _real(X: Any, y: Any, *, rows: int, start: int, seed: int = 0, task: Task = Task.CLASSIFICATION) -> Real:
    order = np.random.default_rng(seed).permutation(len(X))[:rows]
    X, y = StandardScaler().fit_transform(X[order]), np.asarray(y)[order].astype(np.intp)
    if task is Task.MULTILABEL:
        return Real(X, y, np.arange(start), y.shape[1], task)
    classes = len(np.unique(y))
    first = [row for code in range(classes) for row in np.flatnonzero(y == code)[: -(-start // classes)]]
    return Real(X, y, np.array(sorted(first)), classes)


def _binary(name: str, rows: int) -> Real:
    if name == "breast-cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return _real(X[:, :6], y, rows=rows, start=10)
    X, y = load_iris(return_X_y=True)
    return _real(X[y > 0], y[y > 0] - 1, rows=rows, start=10)


def _several(name: str, rows: int) -> Real:
    X, y = load_wine(return_X_y=True) if name == "wine" else load_iris(return_X_y=True)
    return _real(X, y, rows=rows, start=9)


def _labels(name: str, rows: int) -> Real:
    if name == "digits":
        X, digit = load_digits(return_X_y=True)
        y = np.column_stack([digit % 2 == 0, digit > 4, np.isin(digit, (0, 6, 8, 9))])  # even, large, round
        return _real(X[:, X.std(axis=0) > 1], y, rows=rows, start=20, task=Task.MULTILABEL)
    X, kind = load_wine(return_X_y=True)
    y = np.column_stack([kind == 0, kind == 1, X[:, 0] > 13, X[:, 12] > 700])  # grape, grape, strong, rich in proline
    return _real(np.delete(X, (0, 12), axis=1), y, rows=rows, start=20, task=Task.MULTILABEL)


@pytest.fixture
def real() -> Callable[..., Real]:
    def load(name: str, rows: int = 100) -> Real:
        if name in ("breast-cancer", "iris-2"):
            return _binary(name, rows)
        return _labels(name, rows) if name in ("digits", "wine-labels") else _several(name, rows)

    return load


@contextmanager
def libact_imports():
    """Let libact be imported by hand, as its users do."""
    import joblib

    with silenced(), patched(modules={"sklearn.externals.joblib": joblib}):
        import libact.query_strategies
        import libact.query_strategies.multiclass
        import libact.query_strategies.multilabel  # noqa: F401
    yield


@pytest.fixture(autouse=True)
def libact() -> Any:
    with libact_imports():
        yield


@pytest.fixture
def side_by_side() -> Callable[..., list[tuple[int, int]]]:
    """Return a function that lets a strategy and a hand label the strategy's rows, and gives both answers by round."""

    def drive(
        strategy: Any, real: Real, by_hand: Callable[[Hand], int], *, rounds: int = 8, ties: Any = "first",
        learner: Any = None,
    ) -> list[tuple[int, int]]:  # fmt: skip
        learner = LogisticRegression() if learner is None else learner
        state = State(real.pool(), strategy, Recipe.of(learner), seed=SEED, ties=ties)
        state.add(real.start, real.y[real.start], start=True)
        setup_seed = int(rng.stream(SEED, "strategy").integers(2**31))
        kept: dict[str, Any] = {}
        answers = []
        for t in range(1, rounds + 1):
            seed = int(rng.stream(SEED, "strategy", t).integers(2**31))
            with silenced():
                wanted = int(by_hand(Hand(real, state.labeled.tolist(), seed, setup_seed, kept)))
            rows = state.query(1)
            answers.append((int(rows[0]), wanted))
            state.add(rows, real.y[rows])
        return answers

    return drive


@pytest.fixture
def shared() -> Path:
    """The folder of the optional reference data, from ALCORE_SHARED."""
    path = os.environ.get("ALCORE_SHARED")
    if path is None:
        pytest.skip("needs the reference data; set ALCORE_SHARED")
    return Path(path)
