"""Synthetic data sets for every task, drawn from a seed with NumPy alone; rows come in random order.

Equal parameters give equal rows. Rows are drawn independently, so a smaller ``n`` is not the start of a larger one.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from alcore.dataset import Dataset
from alcore.errors import InputError
from alcore.spec import DatasetSpec
from alcore.types import Task

SOURCE = "synthetic"


def checkerboard(n: int = 1000, cells: int = 4, flipped: float = 0.0, seed: int = 0) -> Dataset:
    """Return the checkerboard: points uniform on the unit square, the class being the colour of their cell.

    Parameters
    ----------
    n : int
        Rows.
    cells : int
        Cells per side, at least 2.
    flipped : float
        Share of rows, drawn at random, whose label is the wrong one, below 0.5.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, 2), labels 0 (the cell at the origin) and 1.
    """
    name = "synthetic.checkerboard"
    _count(name, "n", n, least=2)
    _count(name, "cells", cells, least=2)
    _amount(name, "flipped", flipped, below=0.5)
    rng = _generator(name, seed)
    X = rng.random((n, 2))
    y = np.floor(X * cells).astype(np.int64).sum(axis=1) % 2
    wrong = rng.permutation(n)[: round(flipped * n)]
    y[wrong] = 1 - y[wrong]
    return Dataset(name, X, y, Task.CLASSIFICATION, classes=(0, 1), source=SOURCE)


def two_moons(n: int = 1000, noise: float = 0.1, seed: int = 0) -> Dataset:
    """Return the two moons: half circles of radius 1 that reach into each other.

    An angle t uniform on [0, pi] gives (cos t, sin t) for class 0 and (1 - cos t, 1/2 - sin t) for class 1; to both
    coordinates a normal error of standard deviation ``noise`` is added. The classes are of equal size, up to one row.

    Parameters
    ----------
    n : int
        Rows.
    noise : float
        Standard deviation of the error.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, 2), labels 0 and 1.
    """
    name = "synthetic.two-moons"
    _count(name, "n", n, least=2)
    _amount(name, "noise", noise)
    rng = _generator(name, seed)
    y = rng.permutation(np.arange(n) % 2)
    angle = rng.uniform(0.0, np.pi, n)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.where(y[:, None] == 0, upper, [1.0, 0.5] - upper) + noise * rng.standard_normal((n, 2))
    return Dataset(name, X, y, Task.CLASSIFICATION, classes=(0, 1), source=SOURCE)


def clouds(n: int = 500, classes: int = 3, dims: int = 2, separation: float = 3.0, seed: int = 0) -> Dataset:
    """Return Gaussian clouds, one per class.

    The centres are drawn from N(0, ``separation``^2 I), the points of a class from N(centre, I). The classes are of
    equal size, up to one row.

    Parameters
    ----------
    n : int
        Rows, at least one per class.
    classes, dims : int
        At least 2 classes and 1 dimension.
    separation : float
        Standard deviation of the centres; that of the points is 1.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, dims), labels 0 to classes - 1.
    """
    name = "synthetic.clouds"
    _count(name, "classes", classes, least=2)
    _count(name, "dims", dims, least=1)
    _count(name, "n", n, least=classes)
    _amount(name, "separation", separation)
    rng = _generator(name, seed)
    centres = separation * rng.standard_normal((classes, dims))
    y = rng.permutation(np.arange(n) % classes)
    X = centres[y] + rng.standard_normal((n, dims))
    return Dataset(name, X, y, Task.CLASSIFICATION, classes=range(classes), source=SOURCE)


def imbalanced(n: int = 1000, ratio: float = 0.1, dims: int = 2, separation: float = 2.0, seed: int = 0) -> Dataset:
    """Return two Gaussian clouds of unequal size.

    Class 0 is drawn from N(0, I), class 1 from N(m, I), where m lies on the diagonal at distance ``separation``.

    Parameters
    ----------
    n : int
        Rows.
    ratio : float
        Share of class 1, above 0 and at most 0.5; at least one row is of class 1.
    dims : int
    separation : float
        Distance of the two means in standard deviations.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, dims), labels 0 and 1.
    """
    name = "synthetic.imbalanced"
    _count(name, "n", n, least=2)
    _count(name, "dims", dims, least=1)
    _amount(name, "separation", separation)
    if not isinstance(ratio, Real) or not 0 < ratio <= 0.5:
        raise InputError(f"{name}: ratio is {ratio!r}; give the share of the smaller class, above 0 and at most 0.5.")
    rng = _generator(name, seed)
    y = rng.permutation(np.arange(n) < max(1, round(ratio * n))).astype(np.int64)
    X = rng.standard_normal((n, dims)) + y[:, None] * (separation / np.sqrt(dims))
    return Dataset(name, X, y, Task.CLASSIFICATION, classes=(0, 1), source=SOURCE)


def sinusoid(n: int = 300, cycles: float = 2.0, noise: float = 0.1, seed: int = 0) -> Dataset:
    """Return a regression on a wave: x uniform on [0, 1), y = sin(2 pi ``cycles`` x) + N(0, ``noise``^2).

    Parameters
    ----------
    n : int
        Rows.
    cycles : float
        Full waves on [0, 1).
    noise : float
        Standard deviation of the error.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, 1), float targets.
    """
    name = "synthetic.sinusoid"
    _count(name, "n", n, least=2)
    _amount(name, "cycles", cycles)
    _amount(name, "noise", noise)
    rng = _generator(name, seed)
    X = rng.random((n, 1))
    y = np.sin(2 * np.pi * cycles * X[:, 0]) + noise * rng.standard_normal(n)
    return Dataset(name, X, y, Task.REGRESSION, source=SOURCE)


def multilabel(
    n: int = 400, labels: int = 5, dims: int = 10, share: float = 0.3, noise: float = 0.1, seed: int = 0
) -> Dataset:
    """Return points with several labels, each a half-space.

    Points are drawn from N(0, I). Label j has a direction w_j, uniform on the sphere, and holds for the ``share`` of
    the points with the largest w_j . x + N(0, ``noise``^2). Directions are seldom orthogonal, so labels are correlated.

    Parameters
    ----------
    n : int
        Rows.
    labels, dims : int
        At least 2 labels and 1 dimension.
    share : float
        Share of the rows that have a label, between 0 and 1; every label occurs and is absent at least once.
    noise : float
        Standard deviation of the error.
    seed : int

    Returns
    -------
    Dataset
        X of shape (n, dims), y a 0/1 matrix of shape (n, labels).
    """
    name = "synthetic.multilabel"
    _count(name, "n", n, least=2)
    _count(name, "labels", labels, least=2)
    _count(name, "dims", dims, least=1)
    _amount(name, "share", share, below=1)
    _amount(name, "noise", noise)
    rng = _generator(name, seed)
    directions = rng.standard_normal((dims, labels))
    directions /= np.linalg.norm(directions, axis=0)
    X = rng.standard_normal((n, dims))
    scores = X @ directions + noise * rng.standard_normal((n, labels))
    rank = np.argsort(np.argsort(-scores, axis=0), axis=0)
    y = (rank < min(max(1, round(share * n)), n - 1)).astype(np.int64)
    return Dataset(name, X, y, Task.MULTILABEL, source=SOURCE)


def _generator(name: str, seed: int) -> np.random.Generator:
    _count(name, "seed", seed, least=0)
    return np.random.default_rng(seed)


def _count(name: str, parameter: str, value: int, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}: {parameter} is {value!r}; give a whole number of at least {least}.")


def _amount(name: str, parameter: str, value: float, *, below: float = np.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < below:
        limit = f" and below {below:g}" if below < np.inf else ", and finite"
        raise InputError(f"{name}: {parameter} is {value!r}; give a number of at least 0{limit}.")


def specs() -> list[DatasetSpec]:
    """Return one spec per distribution."""
    here = "alcore.builtin.datasets.synthetic"
    return [
        DatasetSpec(
            name="synthetic.checkerboard",
            summary="Cells of two colours on the unit square",
            make=f"{here}:checkerboard",
            source=SOURCE,
            features=2,
            classes=2,
        ),
        DatasetSpec(
            name="synthetic.two-moons",
            summary="Two half circles that reach into each other",
            make=f"{here}:two_moons",
            source=SOURCE,
            features=2,
            classes=2,
        ),
        DatasetSpec(
            name="synthetic.clouds",
            summary="Gaussian clouds, one per class",
            make=f"{here}:clouds",
            source=SOURCE,
        ),
        DatasetSpec(
            name="synthetic.imbalanced",
            summary="Two Gaussian clouds, one of them small",
            make=f"{here}:imbalanced",
            source=SOURCE,
            classes=2,
        ),
        DatasetSpec(
            name="synthetic.sinusoid",
            summary="A noisy wave to fit, for regression",
            make=f"{here}:sinusoid",
            source=SOURCE,
            task=Task.REGRESSION,
            features=1,
        ),
        DatasetSpec(
            name="synthetic.multilabel",
            summary="Points with several labels, each a half-space",
            make=f"{here}:multilabel",
            source=SOURCE,
            task=Task.MULTILABEL,
        ),
    ]
