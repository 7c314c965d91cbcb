"""The training set of learning active learning, made locally by the procedure of its paper.

Konyushkova, Sznitman and Fua, Learning Active Learning from Data (NIPS 2017), algorithms 1 and 2: on tasks of two
Gaussian clouds in the plane, what a row's label does to the test error of a forest is recorded together with what
could be known before. The published set has 500 new tasks for each of 48 sizes of the labelled set and 10 candidates
in each; here a task is kept from one size to the next, which spares its regrowth, and the default is small.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.random import Generator

from alcore import Floats, InputError, Labels, UnavailableError
from alcore_alipy.library import calling, load

LABELS = load("query_strategy.query_labels")
MODES = ("iterative", "independent")
GUIDE_TREES = 100
"""Trees of the regressor that chooses the next row of a task while an iterative set is made."""

TEST_FACTOR = 10
"""Test rows of a task per training row, as in the paper's code."""


@dataclass(frozen=True)
class Simulation:
    """What a training set is made from; the same values make the same set.

    Parameters
    ----------
    mode : "iterative" or "independent"
    tasks : int
        Simulated tasks.
    candidates : int
        Rows tried per task and size of its labelled set.
    largest : int
        Labelled rows of a task go from 2 to this number.
    points : int
        Training rows of a task; it is tested on ten times as many.
    trees : int
        Of the forest whose error is reduced.
    seed : int
    """

    mode: str
    tasks: int
    candidates: int
    largest: int
    points: int
    trees: int
    seed: int

    def __post_init__(self) -> None:
        least = {"tasks": 1, "candidates": 1, "largest": 2, "trees": 1, "points": self.largest + self.candidates}
        for name, low in least.items():
            if getattr(self, name) < low:
                raise InputError(f"alipy.lal: {name} is {getattr(self, name)}; use at least {low}.")


def saved(simulation: Simulation) -> Path:
    """Return the file of a training set, making it if it is not in the cache.

    The cache folder is ``$ALCORE_CACHE``, else ``alcore`` in the user's cache folder (``$XDG_CACHE_HOME``, else
    ``~/.cache``). Another process sees all of the file or nothing.

    Raises
    ------
    UnavailableError
        If the file cannot be written.
    """
    name = "-".join(str(part) for part in ("lal", *astuple(simulation), f"sklearn{sklearn.__version__}"))
    file = _cache() / "alipy" / f"{name}.npz"
    if file.is_file():
        return file
    features, gains = simulate(simulation)
    temporary = file.with_name(f"{file.stem}.{uuid.uuid4().hex}.tmp.npz")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.savez(temporary, features, gains)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"{file} cannot be written: {error}. Set ALCORE_CACHE to a folder that can be."
        ) from error
    return file


def _cache() -> Path:
    chosen = os.environ.get("ALCORE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "alcore"


def simulate(simulation: Simulation) -> tuple[Floats, Floats]:
    """Return the eight features of each trial (m, 8), and the reduction of the test error (m,)."""
    rng = np.random.default_rng(simulation.seed)
    tasks = [_Task(simulation, rng) for _ in range(simulation.tasks)]
    all_features, all_gains = [], []
    for size in range(2, simulation.largest + 1):
        trials = [task.trials(simulation.candidates) for task in tasks]
        features, gains = (np.concatenate(part) for part in zip(*trials, strict=True))
        all_features.append(features)
        all_gains.append(gains)
        if size < simulation.largest:
            guide = _guide(features, gains, rng) if simulation.mode == "iterative" else None
            for task in tasks:
                task.grow(guide)
    return np.concatenate(all_features), np.concatenate(all_gains)


def _guide(features: Floats, gains: Floats, rng: Generator) -> Any:
    forest = LABELS.RandomForestRegressor(GUIDE_TREES, random_state=int(rng.integers(2**31)), n_jobs=1)
    return forest.fit(features, gains)


def bare(X: Floats, y: Labels, trees: int, seed: int) -> Any:
    """Return the library's LAL without a regressor: its forest is seeded, on one thread.

    The library's constructor demands both classes; which labels it is given there plays no part.
    """
    with calling():
        both = np.arange(len(X)) % 2
        query = LABELS.QueryInstanceLAL(X, both, data_path=os.curdir, cls_est=trees, train_slt=False)
    query.y = y
    query.model.set_params(random_state=seed, n_jobs=1)
    return query


class _Overheard:
    """Takes the place of the regressor, and keeps the features it is asked to judge."""

    def predict(self, features: Floats) -> Floats:
        self.features = features
        return np.zeros(len(features))


class _Task:
    """One task of two Gaussian clouds, and the labelled rows in it: at first one of each class."""

    def __init__(self, simulation: Simulation, rng: Generator) -> None:
        n = simulation.points
        share = 0.1 + 0.8 * rng.random()  # of class 1
        ones = min(max(int(n * share), 1), n - 1)
        clouds = [_cloud(rng) for _ in range(2)]
        self.y, self.test_y = (np.repeat([1, 0], np.array([ones, n - ones]) * times) for times in (1, TEST_FACTOR))
        self.X, self.test_X = (
            np.concatenate([rng.multivariate_normal(*clouds[0], ones * times),
                            rng.multivariate_normal(*clouds[1], (n - ones) * times)])
            for times in (1, TEST_FACTOR)
        )  # fmt: skip
        self.trees, self.rng = simulation.trees, rng
        self.known = [int(rng.integers(ones)), int(rng.integers(ones, n))]
        self.unknown = rng.permutation(np.setdiff1d(np.arange(n), self.known))

    def trials(self, candidates: int) -> tuple[Floats, Floats]:
        """Return the features of some unlabelled rows, and what the label of each does to the test error."""
        query = bare(self.X, self.y, self.trees, self._seed())
        heard = query._selector = _Overheard()
        with calling():
            query.select(np.array(self.known), self.unknown)
        self._features = heard.features
        before = self._error(query.model)
        after = [self._error(self._fitted([*self.known, int(row)])) for row in self.unknown[:candidates]]
        return self._features[:candidates], before - np.array(after)

    def grow(self, guide: Any) -> None:
        """Label one more row: the one that the regressor so far prefers, or any."""
        best = 0 if guide is None else int(guide.predict(self._features).argmax())
        self.known.append(int(self.unknown[best]))
        self.unknown = self.rng.permutation(np.delete(self.unknown, best))

    def _fitted(self, rows: list[int]) -> Any:
        forest = LABELS.RandomForestClassifier(self.trees, random_state=self._seed(), n_jobs=1)
        return forest.fit(self.X[rows], self.y[rows])

    def _error(self, forest: Any) -> float:
        return float(np.mean(forest.predict(self.test_X) != self.test_y))

    def _seed(self) -> int:
        return int(self.rng.integers(2**31))


def _cloud(rng: Generator) -> tuple[Floats, Floats]:
    """Return a mean and a covariance."""
    mean, root = rng.random(2), rng.random((2, 2)) - 0.5
    return mean, root @ root.T
