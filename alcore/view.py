"""What a strategy sees in one round: read-only, lazy, and without any hidden label."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from alcore.errors import StrategyError
from alcore.learners import Lent, Model
from alcore.memory import frozen
from alcore.pool import Pool
from alcore.select import Ties, top
from alcore.types import Floats, Labels, Rows


class View:
    """One round as the strategy sees it. Everything is read-only and computed when first used.

    Attributes
    ----------
    pool : Pool
    labeled, unlabeled : Rows
        The rows in the order in which they were labelled, and the others in ascending order.
    y : Labels
        Labels aligned with ``labeled``: codes 0..K-1, a 0/1 matrix, or floats.
    t : int
        The round, from 1. Round 0 is the start set, which no strategy chooses.
    ties : "random", "first" or "exact"
        What ``top`` does with ties.
    """

    def __init__(
        self,
        *,
        pool: Pool,
        labeled: Rows,
        unlabeled: Rows,
        y: Labels,
        t: int,
        ties: Ties,
        rng: Callable[[], Generator],
        fitted: Callable[[], Model],
        twin: Callable[[int], Model],
        who: str = "the strategy",
        warned: set[type[Warning]] | None = None,
    ) -> None:
        self.pool = pool
        self.labeled, self.unlabeled, self.y = frozen((labeled, unlabeled, y))
        self.t = t
        self.ties: Ties = ties
        self._make_rng = rng
        self._fitted = fitted
        self._twin = twin
        self._twins = 0
        self._who = who
        self._warned: set[type[Warning]] = set() if warned is None else warned

    def __repr__(self) -> str:
        return f"View(round {self.t}, {len(self.labeled)} labelled, {len(self.unlabeled)} unlabelled)"

    @cached_property
    def rng(self) -> Generator:
        """The round's own generator, from the run's seed and ``t``."""
        return self._make_rng()

    @cached_property
    def model(self) -> Model:
        """The query learner, fitted on the labelled rows on first use; with the task learner's fit when they are one.

        It predicts, and cannot be fitted again; ``model.estimator`` is a copy.
        """
        fitted = self._fitted()
        return fitted if isinstance(fitted, Lent) else Lent(fitted)

    @cached_property
    def X_labeled(self) -> Any:
        """The labelled rows of ``pool.X``; an array or sparse matrix is read-only, ``pool.take(labeled)`` is not."""
        return frozen(self.pool.take(self.labeled))

    @cached_property
    def X_unlabeled(self) -> Any:
        """The unlabelled rows of ``pool.X``; as ``X_labeled``."""
        return frozen(self.pool.take(self.unlabeled))

    @cached_property
    def pending(self) -> Rows:
        """The rows that are neither labelled nor to be asked, ascending: out for labelling, or skipped."""
        if len(self.labeled) + len(self.unlabeled) == len(self.pool):
            return np.empty(0, dtype=np.intp)
        out = np.ones(len(self.pool), dtype=np.bool_)
        out[self.labeled] = out[self.unlabeled] = False
        return np.flatnonzero(out)

    @cached_property
    def proba(self) -> Floats:
        """The model's probabilities, shape (len(unlabeled), K), columns = all classes; an unseen class has 0."""
        return frozen(self.model.predict_proba(self.pool.take(self.unlabeled), owned=True))

    @cached_property
    def decision(self) -> Floats:
        """The model's decision values for the unlabelled rows.

        Shape (m,) for a two-class pool (positive = class 1), else (m, K); an unseen class has -inf.
        """
        return frozen(self.model.decision_function(self.pool.take(self.unlabeled), owned=True))

    def new_learner(self) -> Model:
        """Return an unfitted twin of the query learner with a seed of its own, for committees and what-if fits."""
        self._twins += 1
        return self._twin(self._twins)

    def warn(self, message: str, category: type[Warning]) -> None:
        """Warn in the strategy's name, once per run for each category."""
        if category not in self._warned:
            self._warned.add(category)
            warnings.warn(f"{self._who}: {message}", category, stacklevel=2)

    def among(self, rows: Rows | None = None) -> View:
        """Return this round as a part of the strategy sees it: a generator of its own, and ``rows`` alone to be asked.

        Fits, and probabilities that are there already, are shared. None leaves all rows. The others are not pending.

        Raises
        ------
        StrategyError
            If ``rows`` are not distinct rows of ``unlabeled``.
        """
        return _Part(self, None if rows is None else self._positions(rows))

    def without(self, rows: Rows) -> View:
        """Return this round as ``among`` does, after these rows of ``unlabeled`` have been asked for: they are pending.

        Raises as ``among``.
        """
        left = np.ones(len(self.unlabeled), dtype=np.bool_)
        left[self._positions(rows)] = False
        return _Part(self, np.flatnonzero(left), asked=rows)

    def _positions(self, rows: Rows) -> Rows:
        """Return where these rows are in ``unlabeled``, ascending."""
        at = np.searchsorted(self.unlabeled, np.sort(rows))
        if len(at) and (at[-1] == len(self.unlabeled) or (self.unlabeled[at] != np.sort(rows)).any()):
            raise StrategyError(f"{self._who} chose among rows that are labelled already; give rows of view.unlabeled.")
        if (np.diff(at) == 0).any():
            raise StrategyError(f"{self._who} chose among rows of which some are there twice; give distinct rows.")
        return at

    def masked_y(self, missing: Any = np.nan) -> Labels:
        """Return labels for the whole pool with ``missing`` where there is none, for libraries that want that."""
        shape = (len(self.pool), *self.y.shape[1:])
        dtype = np.result_type(self.y.dtype, np.min_scalar_type(missing))
        full = np.full(shape, missing, dtype=dtype)
        full[self.labeled] = self.y
        return full

    def top(self, scores: ArrayLike, n: int, *, rounding: float | None = None) -> Rows:
        """Return the ``n`` unlabelled rows with the largest scores (aligned with ``unlabeled``), ties as configured.

        Scores that differ by rounding alone are ties: by ``rounding`` of the largest magnitude, and by a few units in
        the last place if that is not given. See ``alcore.select.top``.
        """
        positions = top(scores, n, lambda: self.rng, self.ties, rounding=rounding, who=self._who)
        if np.shape(scores) != self.unlabeled.shape:
            raise StrategyError(
                f"{self._who} gave {np.shape(scores)[0]} scores for {len(self.unlabeled)} unlabelled rows; "
                "scores are aligned with view.unlabeled."
            )
        return self.unlabeled[positions]


class _Part(View):
    """A round seen by a part of a strategy: the rows at these positions of the whole view's unlabelled ones, or all."""

    def __init__(self, whole: View, at: Rows | None, asked: Rows | None = None) -> None:
        super().__init__(
            pool=whole.pool,
            labeled=whole.labeled,
            unlabeled=whole.unlabeled if at is None else frozen(whole.unlabeled[at]),
            y=whole.y,
            t=whole.t,
            ties=whole.ties,
            rng=lambda: whole.rng.spawn(1)[0],
            fitted=lambda: whole.model,
            twin=lambda _: whole.new_learner(),
            who=whole._who,
            warned=whole._warned,
        )
        self._whole, self._at, self._asked = whole, at, asked

    @cached_property
    def pending(self) -> Rows:
        return self._whole.pending if self._asked is None else np.union1d(self._whole.pending, self._asked)

    @cached_property
    def X_unlabeled(self) -> Any:
        return self._whole.X_unlabeled if self._at is None else super().X_unlabeled

    @cached_property
    def proba(self) -> Floats:
        return self._shared("proba")

    @cached_property
    def decision(self) -> Floats:
        return self._shared("decision")

    def _shared(self, level: str) -> Floats:
        """Return the whole view's values at these rows; just these rows' where it has none yet."""
        if self._at is not None and level not in self._whole.__dict__:
            own: Floats = getattr(super(), level)
            return own
        values: Floats = getattr(self._whole, level)
        return values if self._at is None else frozen(values[self._at])
