"""Learning active learning: a regressor, trained on simulated tasks, predicts how much each row's label would help."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from numpy.random import Generator

from alcore import Floats, InputError, Pool, View
from alcore.interop import seed_of
from alcore_alipy.lal_data import LABELS, MODES, Simulation, bare, saved
from alcore_alipy.library import Heard, Scored, calling, filled, rebound


class LearnedActiveLearning(Scored):
    """The library's LAL, with a training set of one's own making in place of the authors' download.

    Parameters
    ----------
    mode : "iterative" or "independent"
        How the labelled rows of the simulated tasks were chosen: by the regressor so far, or at random.
    data : path or None
        The authors' file, or another in its format; None makes one, once, and keeps it in the cache folder.
    tasks, candidates, largest, points, seed : int
        The size of the training set that is made; see ``Simulation``.
    trees : int
        Of the forest that is fitted to the labelled rows (the library's ``cls_est``).
    regressor_trees, regressor_depth, regressor_features : int
        Of the regressor (the library's ``reg_est``, ``reg_depth``, ``feat``).
    """

    name = "alipy.lal"

    def __init__(
        self,
        mode: str = "iterative",
        data: str | Path | None = None,
        tasks: int = 6,
        candidates: int = 5,
        largest: int = 20,
        points: int = 100,
        seed: int = 0,
        trees: int = 50,
        regressor_trees: int = 2000,
        regressor_depth: int = 40,
        regressor_features: int = 6,
    ) -> None:
        if mode not in MODES:
            raise InputError(f"{self.name}: mode is {mode!r}; use {' or '.join(map(repr, MODES))}.")
        self.simulation = Simulation(mode, tasks, candidates, largest, points, trees, seed)
        self.data = None if data is None else Path(data).expanduser()
        self.forest = (regressor_trees, regressor_depth, regressor_features, seed)

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Have the training set and the regressor ready, so that the time of the first query is a query's."""
        self._trained()

    def _trained(self) -> Any:
        return _regressor(saved(self.simulation) if self.data is None else self.data, *self.forest)

    def scores(self, view: View) -> Floats:
        """Return the predicted reduction of the error."""
        y, heard = filled(view, self.name), Heard()
        query = bare(view.pool.features, y, self.simulation.trees, seed_of(view))
        query._selector = self._trained()
        select = rebound(LABELS.QueryInstanceLAL.select, nlargestarg=heard.nlargestarg)
        with calling():
            select(query, view.labeled, view.unlabeled)
        return heard.scores(len(view.unlabeled), self.name)


@lru_cache(maxsize=2)
def _regressor(file: Path, trees: int, depth: int, features: int, seed: int) -> Any:
    """Return the regressor trained on a file, as the library trains it, once per process, seeded and on one thread."""
    if not file.is_file():
        raise InputError(f"alipy.lal: there is no file {file}. Give data=None to make a training set.")
    trained = LABELS.QueryInstanceLAL.__new__(LABELS.QueryInstanceLAL)

    def forest(**parameters: Any) -> Any:
        return LABELS.RandomForestRegressor(**parameters | {"n_jobs": 1, "random_state": seed})

    train = rebound(LABELS.QueryInstanceLAL.train_selector_from_file, RandomForestRegressor=forest)
    with calling():
        train(trained, str(file), reg_est=trees, reg_depth=depth, feat=features)
    return trained._selector
