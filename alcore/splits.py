"""Which rows a run may ask for, which it is scored on, and which are labelled at the start."""

from __future__ import annotations

from numbers import Real
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from alcore import rng
from alcore.dataset import Dataset
from alcore.errors import InputError, SkippedError
from alcore.types import Labels, Rows, Task

SplitMethod: TypeAlias = Literal["random", "stratified", "given", "published"]
StartMethod: TypeAlias = Literal["random", "stratified", "per-class", "first"]


def split(dataset: Dataset, method: SplitMethod, test_size: float, seed: int) -> tuple[Rows, Rows]:
    """Return the rows of the data set that make the pool, and those that make the test set, each ascending.

    With "published" the pool is in the order drawn, which is what start.method = "first" is for.

    Parameters
    ----------
    method : "random", "stratified", "given" or "published"
        "stratified" keeps the shares of the classes, with a row of each class on either side while there is room (the
        only row of a class is in the pool); "given" uses the data set's own test part (no row is then taken from the
        data set for testing); "published" draws as the code of the expanded benchmark (Lu et al. 2023) does: all rows
        are shuffled by ``default_rng(seed)`` and the first int(n (1 - test_size)) of them once more by a generator of
        the same seed.
    test_size : float
        The share of rows to test on, in (0, 1); rounded to the nearest row, at least one on either side.

    Raises
    ------
    InputError
        If the data set has no test part of its own or is too small to be split, ``test_size`` is no share, or the
        task has no classes where strata are asked for.
    """
    n = len(dataset)
    if method == "given":
        if dataset.test is None:
            raise InputError(f'{dataset.name} has no test part of its own; use split.method = "random".')
        return np.arange(n), np.empty(0, dtype=np.intp)
    if not isinstance(test_size, Real) or not 0 < test_size < 1:
        raise InputError(f"the test size is {test_size!r}; give the share of rows to test on, between 0 and 1.")
    if n < 2:
        raise InputError(f"{dataset.name} has {n} row; a pool and a test set need one each.")
    if method == "published":
        return _published(n, test_size, seed)
    size = min(max(round(test_size * n), 1), n - 1)
    chance = rng.stream(seed, "split")
    if method == "stratified":
        if dataset.task is not Task.CLASSIFICATION:
            raise InputError(f'{dataset.name} is {dataset.task}; split.method = "stratified" needs classes.')
        counts = np.bincount(dataset.codes)
        counts = counts[counts > 0]
        fewest = np.minimum(counts - 1, 1) if size >= (counts > 1).sum() else np.zeros_like(counts)
        most = counts - 1 if size <= n - len(counts) else counts
        test = _stratified(dataset.codes, size, chance, fewest, most)
    else:
        test = chance.permutation(n)[:size]
    tested = np.zeros(n, dtype=bool)
    tested[test] = True
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def _published(n: int, test_size: float, seed: int) -> tuple[Rows, Rows]:
    rows = np.arange(n)
    np.random.default_rng(seed).shuffle(rows)
    size = min(max(int(n * (1 - test_size)), 1), n - 1)
    train = rows[:size].copy()
    np.random.default_rng(seed).shuffle(train)
    return train, rows[size:]


def start_set(
    y: Labels, n_classes: int, task: Task, *, method: StartMethod, size: int, need_all: bool, seed: int
) -> Rows:
    """Return the rows of the pool that are labelled in round 0, in the order drawn.

    Parameters
    ----------
    y : codes of the pool's rows
        The start is the experimenter's business, not the strategy's: drawing by class looks at labels.
    method : "random", "stratified", "per-class" or "first"
        "first" takes the first rows of the pool, for splits that shuffle it; "stratified" keeps the shares of the
        classes, one row of each at least while ``size`` allows;
        "per-class" takes ``size`` rows of each class, or all there are.
    need_all : bool
        Whether a start set that lacks a class ends the run as skipped.

    Raises
    ------
    SkippedError
        If ``need_all`` and a class is missing.
    InputError
        If classes are needed for a task that has none, or ``size`` is negative.
    """
    chance = rng.stream(seed, "start")
    if size < 0:
        raise InputError(f"the start set's size is {size}; give 0 rows or more.")
    if task is not Task.CLASSIFICATION and method in ("stratified", "per-class"):
        raise InputError(f'the task is {task}; start.method = "{method}" needs classes. Use "random".')
    if task is not Task.CLASSIFICATION and need_all:
        raise InputError(f'the task is {task}; start.classes = "all" needs classes. Use "any".')
    if method == "random":
        rows = chance.permutation(len(y))[:size]
    elif method == "first":
        rows = np.arange(min(size, len(y)))
    elif method == "stratified":
        counts, size = np.unique(y, return_counts=True)[1], min(size, len(y))
        rows = _stratified(y, size, chance, np.full(len(counts), int(size >= len(counts))), counts)
    else:
        by_class = [chance.permutation(np.flatnonzero(y == code))[:size] for code in range(n_classes)]
        rows = chance.permutation(np.concatenate(by_class))
    if need_all:
        lacking = sorted(set(range(n_classes)) - set(np.unique(y[rows]).tolist()))
        if lacking:
            raise SkippedError(f"the start set of {len(rows)} rows lacks {len(lacking)} of {n_classes} classes")
    return rows.astype(np.intp)


def _stratified(y: Labels, size: int, chance: Generator, fewest: Labels, most: Labels) -> Rows:
    """Draw ``size`` rows with the classes' shares (largest remainders), of each class so many at least and at most."""
    codes, counts = np.unique(y, return_counts=True)
    quota = size * counts / counts.sum()
    take = np.clip(np.floor(quota).astype(int), fewest, most)
    while take.sum() < size:
        take[np.argmax(np.where(take < most, quota - take, -np.inf))] += 1
    while take.sum() > size:
        take[np.argmax(np.where(take > fewest, take - quota, -np.inf))] -= 1
    drawn = [chance.permutation(np.flatnonzero(y == code))[:k] for code, k in zip(codes, take, strict=True)]
    return chance.permutation(np.concatenate(drawn))
