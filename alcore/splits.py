"""Which rows a run may ask for, which it is scored on, and which are labelled at the start."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from alcore import rng
from alcore.dataset import Dataset
from alcore.errors import InputError, SkippedError
from alcore.types import Labels, Rows, Task

SplitMethod: TypeAlias = Literal["random", "stratified", "given"]
StartMethod: TypeAlias = Literal["random", "stratified", "per-class"]


def split(dataset: Dataset, method: SplitMethod, test_size: float, seed: int) -> tuple[Rows, Rows]:
    """Return the rows of the data set that make the pool, and those that make the test set, each ascending.

    Parameters
    ----------
    method : "random", "stratified" or "given"
        "stratified" keeps the shares of the classes; "given" uses the data set's own test part (no row is then taken
        from the data set for testing).
    test_size : float
        The share of rows to test on, in (0, 1); rounded to the nearest row, at least one on either side.

    Raises
    ------
    InputError
        If the data set has no test part of its own, or is not a classification where strata are asked for.
    """
    n = len(dataset)
    if method == "given":
        if dataset.test is None:
            raise InputError(f'{dataset.name} has no test part of its own; use split.method = "random".')
        return np.arange(n), np.empty(0, dtype=np.intp)
    chance = rng.stream(seed, "split")
    if method == "stratified":
        if dataset.task is not Task.CLASSIFICATION:
            raise InputError(f'{dataset.name} is {dataset.task}; split.method = "stratified" needs classes.')
        test = _stratified(dataset.codes, round(test_size * n), chance)
    else:
        test = chance.permutation(n)[: min(max(round(test_size * n), 1), n - 1)]
    tested = np.zeros(n, dtype=bool)
    tested[test] = True
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def start_set(
    y: Labels, n_classes: int, task: Task, *, method: StartMethod, size: int, need_all: bool, seed: int
) -> Rows:
    """Return the rows of the pool that are labelled in round 0, in the order drawn.

    Parameters
    ----------
    y : codes of the pool's rows
        The start is the experimenter's business, not the strategy's: drawing by class looks at labels.
    method : "random", "stratified" or "per-class"
        "stratified" keeps the shares of the classes, one row of each at least while ``size`` allows;
        "per-class" takes ``size`` rows of each class, or all there are.
    need_all : bool
        Whether a start set that lacks a class ends the run as skipped.

    Raises
    ------
    SkippedError
        If ``need_all`` and a class is missing.
    InputError
        If classes are needed for a task that has none.
    """
    chance = rng.stream(seed, "start")
    if (method != "random" or need_all) and task is not Task.CLASSIFICATION:
        raise InputError(f'the task is {task}; start.method = "{method}" and start.classes need classes. Use "random".')
    if method == "random":
        rows = chance.permutation(len(y))[:size]
    elif method == "stratified":
        rows = _stratified(y, min(size, len(y)), chance)
    else:
        by_class = [chance.permutation(np.flatnonzero(y == code))[:size] for code in range(n_classes)]
        rows = chance.permutation(np.concatenate(by_class))
    if need_all:
        lacking = sorted(set(range(n_classes)) - set(np.unique(y[rows]).tolist()))
        if lacking:
            raise SkippedError(f"the start set of {len(rows)} rows lacks {len(lacking)} of {n_classes} classes")
    return rows.astype(np.intp)


def _stratified(y: Labels, size: int, chance: Generator) -> Rows:
    """Draw ``size`` rows with the classes' shares (largest remainders), one of each class first while there is room."""
    codes, counts = np.unique(y, return_counts=True)
    quota = size * counts / counts.sum()
    take = np.floor(quota).astype(int)
    if size >= len(codes):
        take = np.maximum(take, 1)
    order = np.argsort(take - quota, kind="stable")  # those furthest below their share come first
    position = 0
    while take.sum() != size:
        step = 1 if take.sum() < size else -1
        code = order[position % len(order)] if step > 0 else int(np.argmax(take - quota))
        if 0 <= take[code] + step <= counts[code]:
            take[code] += step
        position += 1
    drawn = [chance.permutation(np.flatnonzero(y == code))[:k] for code, k in zip(codes, take, strict=True)]
    return chance.permutation(np.concatenate(drawn))
