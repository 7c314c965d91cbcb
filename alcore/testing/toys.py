"""Toy pools of 36 rows: continuous, so that nothing ties by chance, and the awkward ones that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alcore.pool import Pool
from alcore.protocols import Truth
from alcore.testing.guards import copied, frozen
from alcore.types import Labels, Rows, Task

ROWS, TEST_ROWS, COLUMNS = 36, 12, 4


@dataclass(frozen=True)
class Toy:
    """A pool with its labels, its start set and a test set.

    Attributes
    ----------
    name : str
        For messages.
    X, y : the pool's rows, and their labels as codes (n,), a 0/1 matrix (n, L) or floats (n,)
    start : Rows
        Labelled in round 0; every class and every value of every label is among them.
    """

    name: str
    X: Any
    y: Labels
    X_test: Any
    y_test: Labels
    task: Task
    classes: tuple[Any, ...]
    start: Rows

    def pool(self) -> Pool:
        """Return a new pool of a copy of the rows: what one run does to them, no other sees."""
        return Pool(copied(self.X), self.task, self.classes)

    def truth(self) -> Truth:
        """Return the hidden labels, read-only."""
        return Truth(frozen(self.y), frozen(self.X_test), frozen(self.y_test))

    def with_rows(self, change: Callable[[Any], Any], name: str = "") -> Toy:
        """Return this toy with its rows, those of the test set too, changed by a function."""
        label = f"{self.name}, {name}" if name else self.name
        return replace(self, name=label, X=change(self.X), X_test=change(self.X_test))

    def with_labels(self, y: Labels, name: str = "") -> Toy:
        """Return this toy with other labels."""
        return replace(self, name=f"{self.name}, {name}" if name else self.name, y=y)


def classification(k: int, *, seed: int = 0, rows: int = ROWS) -> Toy:
    """Return k overlapping Gaussian classes in four dimensions, in no order; two rows of each are labelled."""
    rng = np.random.default_rng([seed, k])
    y = np.concatenate([rng.permutation(np.arange(rows) % k), np.arange(TEST_ROWS) % k]).astype(np.intp)
    X = 2.0 * rng.normal(size=(k, COLUMNS))[y] + rng.normal(size=(len(y), COLUMNS))
    start = [row for code in range(k) for row in np.flatnonzero(y[:rows] == code)[1:3]]
    return _toy(f"{k} classes", X, y, Task.CLASSIFICATION, tuple(range(k)), rng.permutation(start))


def regression(*, seed: int = 0, rows: int = ROWS) -> Toy:
    """Return a noisy linear function of four features; six rows are labelled."""
    rng = np.random.default_rng([seed, 101])
    X = rng.normal(size=(rows + TEST_ROWS, COLUMNS))
    y = X @ rng.normal(size=COLUMNS) + 0.3 * rng.normal(size=len(X))
    return _toy("regression", X, y, Task.REGRESSION, (), rng.permutation(rows)[:6])


def multilabel(*, seed: int = 0, rows: int = ROWS) -> Toy:
    """Return three labels, each on one side of a noisy plane; eight rows are labelled."""
    rng = np.random.default_rng([seed, 102])
    X = rng.normal(size=(rows + TEST_ROWS, COLUMNS))
    scores = X @ rng.normal(size=(COLUMNS, 3)) + 0.3 * rng.normal(size=(len(X), 3))
    y = (scores > np.median(scores, axis=0)).astype(np.intp)
    mixed = next(  # every label is there, and missing, in the start set
        some for _ in range(1000) if np.ptp(y[some := rng.permutation(rows)[:8]], axis=0).all()
    )
    return _toy("multi-label", X, y, Task.MULTILABEL, ("a", "b", "c"), mixed)


def _toy(name: str, X: Any, y: Labels, task: Task, classes: tuple[Any, ...], start: Any) -> Toy:
    rows = len(X) - TEST_ROWS
    return Toy(name, X[:rows], y[:rows], X[rows:], y[rows:], task, classes, np.asarray(start, dtype=np.intp))


def half_labeled(toy: Toy) -> Toy:
    """Label the first half: no position among the unlabelled rows is then the number of an unlabelled row."""
    return replace(toy, name=f"{toy.name}, first half labelled", start=np.arange(len(toy.y) // 2))


def one_labeled(toy: Toy) -> Toy:
    """Label a single row."""
    return replace(toy, name=f"{toy.name}, one row labelled", start=toy.start[:1])


def same_start_labels(toy: Toy) -> Toy:
    """Give all labelled rows the same label."""
    y = toy.y.copy()
    y[toy.start] = y[toy.start[0]]
    return toy.with_labels(y, "one label in the start set")


def sorted_by_label(toy: Toy) -> Toy:
    """Put the rows in the order of their labels, as many files are; the start set moves along."""
    order = np.lexsort(toy.y.reshape(len(toy.y), -1).T[::-1])
    start = np.flatnonzero(np.isin(order, toy.start))
    return replace(toy, name=f"{toy.name}, sorted by label", X=toy.X[order], y=toy.y[order], start=start)


def recoded(toy: Toy) -> Toy:
    """Give every class the next code, or put the labels of a multi-label task one column on; names move along."""
    k = len(toy.classes)
    turn = np.roll(np.arange(k), 1)  # the class of code turn[i] has code i now
    code = np.argsort(turn)
    y, y_test = (
        (labels[:, turn] if toy.task is Task.MULTILABEL else code[labels]).astype(np.intp)
        for labels in (toy.y, toy.y_test)
    )
    classes = tuple(toy.classes[i] for i in turn)
    return replace(toy, name=f"{toy.name}, codes permuted", y=y, y_test=y_test, classes=classes)


def identical_rows(toy: Toy) -> Toy:
    """Make all rows the same."""
    return toy.with_rows(np.ones_like, "all rows identical")


def duplicate_rows(toy: Toy) -> Toy:
    """Make the second half of the rows a copy of the first, with labels of its own."""
    return toy.with_rows(lambda X: np.concatenate([X[: (len(X) + 1) // 2]] * 2)[: len(X)], "every row twice")


def constant_column(toy: Toy) -> Toy:
    """Add a column that says nothing."""
    return toy.with_rows(lambda X: np.column_stack([X[:, :2], np.full(len(X), 3.0), X[:, 2:]]), "a constant column")


def one_column(toy: Toy) -> Toy:
    """Keep a single feature."""
    return toy.with_rows(lambda X: X[:, :1], "one column")


def many_columns(toy: Toy) -> Toy:
    """Use more features than rows."""
    rng = np.random.default_rng(103)
    mix = rng.normal(size=(COLUMNS, 2 * ROWS))
    return toy.with_rows(lambda X: X @ mix + 0.1 * rng.normal(size=(len(X), 2 * ROWS)), "more columns than rows")


def with_zeros(toy: Toy) -> Toy:
    """Set small numbers to zero, so that a sparse matrix has something to leave out."""
    return toy.with_rows(lambda X: np.where(np.abs(X) > 0.3, X, 0.0))


def as_csr(toy: Toy) -> Toy:
    """Hold the rows in a CSR matrix."""
    from scipy.sparse import csr_matrix

    return toy.with_rows(csr_matrix, "CSR")


def as_float32(toy: Toy) -> Toy:
    """Hold the rows in single precision."""
    return toy.with_rows(lambda X: X.astype(np.float32), "float32")


def as_frame(toy: Toy) -> Toy:
    """Hold the rows in a DataFrame whose index does not start at 0."""
    import pandas as pd

    def frame(X: Any) -> Any:
        index = range(1000, 1000 + len(X))
        return pd.DataFrame(X, index=index, columns=[f"column {i}" for i in range(X.shape[1])])

    return toy.with_rows(frame, "DataFrame")
