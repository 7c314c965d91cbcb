"""Make the regressor that LAL consults: ``python -m alcore_strategies.learned.lal_training --tasks 40 --seed 0``.

Konyushkova, Sznitman and Fua, Learning Active Learning from Data (NIPS 2017), algorithms 1 and 2: on simulated tasks
of two Gaussian clouds in the plane, what a row's label takes off the test error of a forest is recorded together with
what was known before. The labelled set of a task grows by the row that the regressor so far prefers (LAL-iterative),
since it is on such sets that it will be asked.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError
from alcore_strategies.learned.lal_features import VARYING, Forest, describe, single
from alcore_strategies.learned.lal_regressor import SHIPPED, Trees

POINTS = 100
"""Rows of a task's pool."""

TEST_FACTOR = 10
"""Test rows per row of the pool."""


class Task:
    """Two Gaussian clouds in the unit square, of uneven size, and a labelled set: at first one row of each class."""

    def __init__(self, trees: int, rng: Generator) -> None:
        ones = int(np.clip(POINTS * rng.uniform(0.1, 0.9), 1, POINTS - 1))
        clouds = [(rng.random(2), rng.random((2, 2)) - 0.5) for _ in range(2)]  # means, roots of the covariances
        self.trees, self.rng = trees, rng
        self.X, self.y = _draw(clouds, ones, 1, rng)
        self.test_X, self.test_y = _draw(clouds, ones, TEST_FACTOR, rng)
        self.known = [int(rng.integers(POINTS - ones)), int(rng.integers(POINTS - ones, POINTS))]

    def trials(self, candidates: int) -> tuple[Floats, Floats]:
        """Return the features of some unlabelled rows (m, 8), and how much the label of each takes off the error."""
        self.unknown = self.rng.permutation(np.setdiff1d(np.arange(POINTS), self.known))
        X, y = self.X[self.known], self.y[self.known]
        self.features, forest = describe(X, y, self.X[self.unknown], self.trees, self.rng)
        before = self._error(forest)
        after = [self._error(self._grown([*self.known, int(row)])) for row in self.unknown[:candidates]]
        return self.features[:candidates], before - np.array(after)

    def grow(self, guide: Trees) -> None:
        """Label the row that the regressor so far prefers."""
        gains = guide.predict(self.features[:, :VARYING], self.features[0, VARYING:])
        self.known.append(int(self.unknown[gains.argmax()]))

    def _grown(self, rows: list[int]) -> Forest:
        return Forest(single(self.X[rows]), self.y[rows], self.trees, self.rng)

    def _error(self, forest: Forest) -> float:
        return float(np.mean((forest.votes(single(self.test_X)).mean(axis=0) > 0.5) != self.test_y))


def _draw(clouds: list[tuple[Floats, Floats]], ones: int, times: int, rng: Generator) -> tuple[Floats, Floats]:
    sizes = (times * (POINTS - ones), times * ones)
    parts = [mean + rng.normal(size=(size, 2)) @ root for (mean, root), size in zip(clouds, sizes, strict=True)]
    return np.concatenate(parts), np.repeat([0, 1], sizes)


def simulate(tasks: int, largest: int, candidates: int, trees: int, rng: Generator) -> tuple[Floats, Floats]:
    """Return the features of all trials (m, 8), and the reduction of the test error by each (m,).

    Parameters
    ----------
    tasks : int
    largest : int
        Labelled rows of a task go from 2 to this number.
    candidates : int
        Rows tried per task and size of its labelled set.
    trees : int
        Of the forest whose error is reduced.
    rng : Generator

    Raises
    ------
    InputError
        If a number is too small, or a task has too few rows for it.
    """
    for name, value, least in (("tasks", tasks, 1), ("largest", largest, 2), ("candidates", candidates, 1)):
        if value < least:
            raise InputError(f"{name} is {value}; use {least} or more.")
    if largest + candidates > POINTS:
        raise InputError(f"largest + candidates is {largest + candidates}; a task has {POINTS} rows.")
    made = [Task(trees, rng) for _ in range(tasks)]
    features, gains = np.empty((0, 8)), np.empty(0)
    for size in range(2, largest + 1):
        for task in made:
            more_features, more_gains = task.trials(candidates)
            features, gains = np.concatenate([features, more_features]), np.concatenate([gains, more_gains])
        if size < largest:
            guide = train(features, gains, 20, rng)
            for task in made:
                task.grow(guide)
    return features, gains


def train(features: Floats, gains: Floats, trees: int, rng: Generator) -> Trees:
    """Return a regressor of the reduction: a forest with six of the eight features per split, as published.

    Published are 2,000 trees of depth 40. Here a leaf holds a share of the trials: their noise is far larger than what
    there is to learn, and the regressor stays small. Each trial counts a second time with its classes exchanged.
    """
    from sklearn.ensemble import RandomForestRegressor

    exchanged = features.copy()
    exchanged[:, [0, 2]] = 1.0 - exchanged[:, [0, 2]]  # p(1|x), and the share of class 1
    features, gains = np.concatenate([features, exchanged]), np.concatenate([gains, gains])
    forest = RandomForestRegressor(
        trees,
        max_features=6,
        min_samples_leaf=max(1, min(50, len(gains) // 20)),
        max_leaf_nodes=100,
        random_state=int(rng.integers(2**31)),
        n_jobs=1,
    )
    return Trees.of(forest.fit(features, gains))


def main(arguments: list[str] | None = None) -> None:
    """Simulate, train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=40, help="simulated tasks")
    parser.add_argument("--largest", type=int, default=50, help="size up to which labelled sets grow")
    parser.add_argument("--candidates", type=int, default=8, help="rows tried per task and size")
    parser.add_argument("--trees", type=int, default=50, help="trees of the forest whose error is reduced")
    parser.add_argument("--regressor-trees", type=int, default=100, help="trees of the regressor")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path(SHIPPED), help="the file to write")
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(given.seed)
    features, gains = simulate(given.tasks, given.largest, given.candidates, given.trees, rng)
    train(features, gains, given.regressor_trees, rng).save(given.output)


if __name__ == "__main__":
    main()
