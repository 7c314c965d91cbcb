"""What a sampler of the playground gets: its rows in some order, who is taken, and a learner that knows the rows.

A sampler counts the rows of X from 0. It gets the rows of the pool in an order of ours, so that where it takes the
first of equal rows the file's order decides nothing, and its answer is mapped back. Where it hands X to the learner,
X is the rows' numbers and the learner looks them up: the rows stay in the caller's container.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from alcore import Floats, Labels, Pool, Rows, StrategyError, View
from alcore.interop import seed_of, seeded_globals, silenced

NOBODY = np.empty(0, dtype=np.intp)


class Taken(list[int]):
    """A list of positions that is searched at once: samplers ask ``i not in already_selected`` for every row."""

    def __init__(self, positions: Iterable[int] = ()) -> None:
        super().__init__(positions)
        self._members = frozenset(self)

    def __contains__(self, position: object) -> bool:
        return position in self._members


class Learner:
    """The query learner, asked by row numbers (m, 1).

    Samplers catch every error of ``decision_function`` and go on with ``predict_proba``: what is raised here is kept,
    and ``raise_errors`` raises it once the sampler is through.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.model = view.model
        self.classes_ = np.arange(view.pool.n_classes)
        self._whole: dict[str, Floats] = {}
        self._errors: list[Exception] = []

    def raise_errors(self) -> None:
        """Raise the first error that a sampler caught."""
        if self._errors:
            raise self._errors[0]

    def predict_proba(self, X: Rows) -> Floats:
        """Return probabilities, a column per class of the pool."""
        return self._asked("predict_proba", X)

    def _asked(self, method: str, X: Rows) -> Floats:
        try:
            rows = np.asarray(X)[:, 0]
            if len(rows) != len(self.view.pool):
                return self._numbers(method, self.view.pool.take(rows))
            if method not in self._whole:
                self._whole[method] = self._numbers(method, self.view.pool.X)
            found: Floats = self._whole[method][rows]
            return found
        except Exception as error:
            self._errors.append(error)
            raise

    def _numbers(self, method: str, X: Any) -> Floats:
        values: Floats = getattr(self.model, method)(X)
        if np.isnan(values).any():
            raise StrategyError(f"{self.model.name}.{method} gave NaN, which a sampler would rank as a number.")
        return values


class Deciding(Learner):
    """A learner with decision values."""

    def decision_function(self, X: Rows) -> Floats:
        """Return decision values, (m,) for two classes, else (m, K)."""
        return self._asked("decision_function", X)


class TwoColumns(Deciding):
    """A learner whose decision values have a column per class for two classes too."""

    def decision_function(self, X: Rows) -> Floats:
        """Return decision values (m, K): -f and f for two classes."""
        values = super().decision_function(X)
        columns: Floats = np.column_stack([-values, values]) if values.ndim == 1 else values
        return columns


class Refitting(Learner):
    """A learner that a sampler copies, refits on labels it made up, and scores on rows that are kept out of the fits.

    Parameters
    ----------
    held : Rows
        The rows kept out.
    """

    def __init__(self, view: View, held: Rows) -> None:
        super().__init__(view)
        self.held = held
        if "decision" in view.model.levels:
            self.decision_function = self._decision

    def _decision(self, X: Rows) -> Floats:
        return self._asked("decision_function", X)

    def predict_proba(self, X: Rows) -> Floats:
        """Return probabilities that sum to 1 in double precision: labels are drawn from them."""
        proba = super().predict_proba(X)
        exact: Floats = proba / proba.sum(axis=1, keepdims=True)
        return exact

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        twin._whole = {}
        if "decision_function" in vars(twin):
            twin.decision_function = twin._decision
        return twin

    def fit(self, X: Rows, y: Labels) -> Self:
        """Fit a new twin of the query learner to these rows without those kept out."""
        rows = X[:, 0]
        used = ~np.isin(rows, self.held)
        self.model = self.view.new_learner().fit(self.view.pool.take(rows[used]), y[used])
        self._whole = {}
        return self

    def score(self, X: Rows, y: Labels) -> float:
        """Return the accuracy."""
        return float(np.mean(self.model.predict(self.view.pool.take(X[:, 0])) == y))


def margin_learner(view: View) -> Learner:
    """Return a learner with decision values, which samplers prefer, where the query learner has them."""
    return Deciding(view) if "decision" in view.model.levels else Learner(view)


def numbers(order: Rows) -> Rows:
    """Return row numbers in place of X, (n, 1)."""
    return order.reshape(-1, 1)


def placeholder(pool: Pool) -> Labels:
    """Return labels that say how many classes there are, which is all that constructors read of y."""
    return np.arange(len(pool), dtype=np.intp) % max(pool.n_classes, 1)


def taken_positions(view: View, order: Rows) -> Taken:
    """Return the positions of the rows that may not be asked for: labelled, or out for labelling."""
    free = np.zeros(len(order), dtype=np.bool_)
    free[view.unlabeled] = True
    return Taken(np.flatnonzero(~free[order]).tolist())


def tie_order(view: View) -> Rows:
    """Return the rows in an order drawn for this round, or in the file's where ties go to the first."""
    n = len(view.pool)
    return view.rng.permutation(n) if view.ties == "random" else np.arange(n)


def ask(sampler: Any, view: View, order: Rows, n: int, *, seed: int | None = None, **given: Any) -> Rows:
    """Return the n rows that a sampler chooses, silently and with global random state seeded and restored."""
    with seeded_globals(seed_of(view) if seed is None else seed), silenced():
        positions = sampler.select_batch(N=n, already_selected=taken_positions(view, order), **given)
    model = given.get("model")
    if isinstance(model, Learner):
        model.raise_errors()
    return order[np.asarray(positions, dtype=np.intp)]
