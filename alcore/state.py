"""The labelled rows of one run, the strategy that asks for more, and the learners fitted to them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from alcore import rng
from alcore.decorators import ATTRIBUTE
from alcore.errors import AlcoreError, InputError, PairingError, StrategyError, described
from alcore.learners import Model, Recipe, SingleClassWarning
from alcore.memory import locked
from alcore.pool import NoFeaturesError, Pool
from alcore.protocols import NeedsSetup, NeedsUpdate, Strategy
from alcore.select import Ties, check
from alcore.types import Labels, Rows, Task
from alcore.view import View


class State:
    """The labelled rows of one run, the strategy that asks for more, and the query learner fitted to them.

    Parameters
    ----------
    pool : Pool
    strategy : Strategy
    learner : Recipe
        The query learner.
    seed : int
        The run's seed.
    ties : "random", "first" or "exact"
    cold_start : Strategy or None
        Asked instead of ``strategy`` while nothing is labelled.
    """

    def __init__(
        self,
        pool: Pool,
        strategy: Strategy,
        learner: Recipe,
        *,
        seed: int,
        ties: Ties = "random",
        cold_start: Strategy | None = None,
    ) -> None:
        self.pool, self.strategy, self.learner = pool, strategy, learner
        self.seed, self.cold_start = seed, cold_start
        self.ties: Ties = ties
        self.name = _name(strategy)
        self.fit_time = 0.0
        self.t = 0
        n = len(pool)
        shape = (n, pool.n_classes) if pool.task is Task.MULTILABEL else (n,)
        # Zeros, not empty: what is handed out is a view of these, and freed memory may hold the hidden labels.
        self._y = np.zeros(shape, dtype=np.float64 if pool.task is Task.REGRESSION else np.intp)
        self._rows = np.zeros(n, dtype=np.intp)
        self._count = 0
        self._closed = 0
        self._hidden = np.ones(n, dtype=np.bool_)
        self._models: dict[Recipe, tuple[int, Model]] = {}
        self._warned = False
        self._told: set[type[Warning]] = set()
        self._updated: list[NeedsUpdate] = []
        for one in (strategy, cold_start):
            if isinstance(one, NeedsUpdate):
                self._updated.append(one)
            if isinstance(one, NeedsSetup):
                with blame(one, "setup"):
                    one.setup(pool, rng.stream(seed, "strategy"))

    @property
    def labeled(self) -> Rows:
        """The labelled rows, in the order in which they were labelled; read-only."""
        return locked(self._rows[: self._count])

    @property
    def y(self) -> Labels:
        """The labels, aligned with ``labeled``; read-only."""
        return locked(self._y[: self._count])

    @property
    def n_labeled(self) -> int:
        """How many rows are labelled."""
        return self._count

    @property
    def left(self) -> int:
        """How many rows are unlabelled."""
        return len(self.pool) - self._count

    @property
    def askable(self) -> int:
        """How many rows a query may return: the unlabelled ones that are not closed."""
        return self.left - self._closed

    def model(self, recipe: Recipe | None = None) -> Model:
        """Return the learner (the query learner by default) fitted to all labelled rows: one fit per state."""
        recipe = self.learner if recipe is None else recipe
        at, model = self._models.get(recipe, (-1, None))
        if model is None or at != self._count:
            began = perf_counter()
            model = self._fit(recipe, model)
            self._models[recipe] = (self._count, model)
            self.fit_time += perf_counter() - began
        return model

    def can_fit(self, recipe: Recipe) -> bool:
        """Tell whether there is a label to fit to, or a learner fitted before."""
        return self._count > 0 or recipe.prefit

    def _fit(self, recipe: Recipe, last: Model | None) -> Model:
        if recipe.prefit and (self._count == 0 or self.t == 0):
            return recipe.adopt(self.pool.task, self.pool.classes)
        if self._count == 0:
            raise InputError(
                f"{self.name} uses the learner, and no row is labelled yet. Give a start set, a learner with "
                'prefit=True, or cold_start="random".'
            )
        if recipe.refit == "continue" and last is not None:
            model = last.fit_further(self.pool.take(self.labeled), self.y.copy(), owned=True)
        else:
            # In the pool's order: what is learnt depends on which rows are labelled, not on who asked for them when.
            labeled = self._rows[: self._count]
            order = np.argsort(labeled) if recipe.refit == "scratch" else np.arange(self._count)
            model = self._make(recipe).fit(self.pool.take(labeled[order]), self._y[order], owned=True)
        if model.constant is not None and not self._warned:
            self._warned = True
            only = self.pool.classes[model.constant]
            warnings.warn(
                f"all {self._count} labelled rows are {only!r}: {recipe.name} predicts that class for every row until "
                "another one is labelled.",
                SingleClassWarning,
                stacklevel=2,
            )
        return model

    def _make(self, recipe: Recipe, *, twin: int = 0) -> Model:
        """Return an unfitted learner of this round."""
        pool = self.pool
        return recipe.make(pool.task, pool.n_classes, self.seed, self.t, twin=twin, classes=pool.classes)

    def close(self, rows: list[int]) -> None:
        """Keep these unlabelled rows out of further queries; rows that are labelled or closed already stay so."""
        self._closed += int(self._hidden[rows].sum())
        self._hidden[rows] = False

    def open(self, rows: list[int]) -> None:
        """Undo ``close`` for these rows, all of which are closed."""
        self._closed -= len(rows)
        self._hidden[rows] = True

    def view(self, who: str | None = None) -> View:
        """Return what the strategy may see now; ``who`` is its name in errors."""
        t = self.t + 1
        return View(
            pool=self.pool,
            labeled=self.labeled,
            unlabeled=np.flatnonzero(self._hidden),
            y=self.y,
            t=t,
            ties=self.ties,
            rng=lambda: rng.stream(self.seed, "strategy", t),
            fitted=self.model,
            twin=lambda number: self._make(self.learner, twin=number),
            who=who or self.name,
            warned=self._told,
        )

    def query(self, n: int) -> Rows:
        """Ask the strategy for ``n`` rows, or for what is left, and check the answer.

        Raises
        ------
        StrategyError
            If the strategy raises (its error is the cause) or breaks the contract.
        """
        n = min(n, self.askable)
        if n == 0:
            return np.empty(0, dtype=np.intp)
        strategy = self.strategy
        if self._count == 0 and self.cold_start is not None and not self.learner.prefit:
            strategy = self.cold_start
        who = _name(strategy)
        with blame(strategy, f"round {self.t + 1}"):
            answer = strategy.query(self.view(who), n)
        return self.check(answer, n, who=who)

    def check(self, answer: object, n: int, *, who: str) -> Rows:
        """Return ``answer`` as ``n`` distinct, unlabelled rows, or raise StrategyError."""
        return check(answer, self._hidden, n, who=who)

    def add(self, rows: Rows, labels: Labels, *, start: bool = False) -> None:
        """Take in labels, checked and unlabelled rows given, and let the strategy update its state."""
        labels = self._checked(rows, labels)
        end = self._count + len(rows)
        self._rows[self._count : end] = rows
        self._y[self._count : end] = labels
        self._closed -= len(rows) - int(self._hidden[rows].sum())
        self._hidden[rows] = False
        self._count = end
        self.t += not start
        for one in self._updated if len(rows) else ():
            with blame(one, f"update after round {self.t}"):
                one.update(locked(rows), locked(labels))

    def _checked(self, rows: Rows, labels: Labels) -> Labels:
        labels = np.asarray(labels)
        if len(rows) == 0:
            return self._y[:0]
        if labels.shape != (len(rows), *self._y.shape[1:]):
            raise InputError(f"the oracle gave labels of shape {labels.shape} for {len(rows)} rows.")
        strange = _strange(labels, self.pool)
        if strange.size:
            raise InputError(f"the oracle gave {strange.tolist()[0]!r} ({labels.dtype}); {_rule(self.pool)}.")
        return labels.astype(self._y.dtype)


def _strange(labels: Labels, pool: Pool) -> Labels:
    """Return the labels that break the task's rule."""
    if labels.dtype.kind not in ("iu" if pool.task is Task.CLASSIFICATION else "fiub"):
        return labels.reshape(-1)
    if pool.task is Task.REGRESSION:
        return labels[~np.isfinite(labels)]
    if pool.task is Task.MULTILABEL:
        return labels[~np.isin(labels, (0, 1))]
    return labels[(labels < 0) | (labels >= pool.n_classes)]


def _rule(pool: Pool) -> str:
    return {
        Task.CLASSIFICATION: f"codes are integers from 0 to {pool.n_classes - 1} (alcore.dataset.encode makes them)",
        Task.MULTILABEL: "labels are 0 or 1",
        Task.REGRESSION: "targets are finite numbers",
    }[pool.task]


@contextmanager
def blame(strategy: object, doing: str) -> Iterator[None]:
    """Name the strategy, and what it was doing, in the error of whatever goes wrong inside."""
    try:
        yield
    except NoFeaturesError as error:
        raise PairingError(f"{_name(strategy)}: {error}") from error
    except AlcoreError:
        raise
    except BaseException as error:
        # A SystemExit too: a strategy that ends the process has failed. Ctrl-C is the user's.
        if isinstance(error, KeyboardInterrupt | GeneratorExit):
            raise
        raise StrategyError(f"{_name(strategy)} failed in {doing}: {described(error)}") from error


def _name(strategy: object) -> str:
    maker = getattr(strategy, "function", type(strategy))
    spec = getattr(maker, ATTRIBUTE, None)
    return str(getattr(strategy, "name", None) or (spec.name if spec else maker.__name__))
