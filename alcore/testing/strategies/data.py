"""Awkward pools and start sets: degenerate, but every one of them occurs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from unittest import SkipTest

import numpy as np

from alcore.testing import toys
from alcore.testing.strategies.bench import RULES, SAME, StrategyBench, require_same
from alcore.testing.suite import on
from alcore.testing.toys import Toy
from alcore.types import Task


def _works_on(bench: StrategyBench, change: Callable[[Toy], Toy]) -> None:
    for toy in map(change, bench.toys_by_task()):
        with on(toy.name):
            for batch in sorted({1, bench.few}):
                bench.drive(toy, batch=batch)


@RULES.check()
def one_label_in_start(bench: StrategyBench) -> None:
    """Work while all labelled rows have one label, class or target."""
    _works_on(bench, toys.same_start_labels)


@RULES.check(after=["one-label-in-start"])
def one_labeled_row(bench: StrategyBench) -> None:
    """Work from one labelled row."""
    _works_on(bench, toys.one_labeled)


@RULES.check()
def class_never_seen(bench: StrategyBench) -> None:
    """Work while a class, or a label of a multi-label task, does not occur in the labelled rows."""
    found = []
    for toy in bench.toys_by_task():
        if toy.task is Task.CLASSIFICATION and len(toy.classes) > 2:
            found.append(toy.with_labels(toy.y % 2, "class 2 never seen"))
        elif toy.task is Task.MULTILABEL:
            found.append(toy.with_labels(toy.y * [1, 1, 0], "label 2 never seen"))
    if not found:
        raise SkipTest("with two classes, that is one-label-in-start; a regression has no classes")
    for toy in found:
        with on(toy.name):
            bench.drive(toy)


@RULES.check()
def more_classes_than_labels(bench: StrategyBench) -> None:
    """Work with six classes, or the most that are allowed, and two labelled rows."""
    k = min(6, bench.spec.max_classes or 6)
    if Task.CLASSIFICATION not in bench.spec.tasks or k <= 2:
        raise SkipTest("it serves no classification of more than two classes")
    toy = toys.classification(k)
    rows = np.array([np.flatnonzero(toy.y == 1)[0], np.flatnonzero(toy.y == k - 1)[0]])
    with on(f"{toy.name}, two labelled rows"):
        bench.drive(replace(toy, start=rows))


@RULES.check()
def duplicate_rows(bench: StrategyBench) -> None:
    """Work where every row is there twice, with labels that may differ."""
    _works_on(bench, toys.duplicate_rows)


@RULES.check()
def constant_column(bench: StrategyBench) -> None:
    """Work with a column that is constant."""
    _works_on(bench, toys.constant_column)


@RULES.check(after=["duplicate-rows", "constant-column"])
def identical_rows(bench: StrategyBench) -> None:
    """Work where all rows are the same."""
    _works_on(bench, toys.identical_rows)


@RULES.check()
def one_column(bench: StrategyBench) -> None:
    """Work with a single feature."""
    _works_on(bench, toys.one_column)


@RULES.check()
def more_columns_than_rows(bench: StrategyBench) -> None:
    """Work with more features than rows, where covariances are singular."""
    _works_on(bench, toys.many_columns)


@RULES.check()
def float32(bench: StrategyBench) -> None:
    """Work on X in single precision."""
    _works_on(bench, toys.as_float32)


@RULES.check(after=[SAME])
def dataframe(bench: StrategyBench) -> None:
    """Ask for the same rows of a DataFrame, whatever its index, as of the array in it."""
    for toy in bench.toys_by_task():
        with on(toy.name):
            require_same(bench.drive(toys.as_frame(toy)), bench.drive(toy), "a DataFrame with index 1000, 1001, ...")


@RULES.check(after=[SAME])
def sparse_if_declared(bench: StrategyBench) -> None:
    """Work on CSR, and ask for the same rows as of the dense array, where sparse=True is declared."""
    if not bench.spec.sparse:
        raise SkipTest("declared sparse=False")
    for toy in map(toys.with_zeros, bench.toys_by_task()):
        with on(toy.name):
            found = bench.drive(toys.as_csr(toy))
            if not bench.spec.stochastic:  # chance may turn a difference in rounding into another answer
                require_same(found, bench.drive(toy), "CSR instead of dense")
