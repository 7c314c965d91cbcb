"""How a strategy of scikit-activeml is asked, and how its answer becomes rows that keep alcore's rules."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from alcore import Floats, Labels, Rows, StrategyError, View
from alcore.interop import seed_of, seeded_globals, silenced

TRIES = 100
"""How often a strategy that answers nothing new is asked again, each time with another seed."""


@dataclass(frozen=True)
class Ask:
    """A strategy of scikit-activeml with what its ``query`` takes.

    Parameters
    ----------
    strategy
        The library's object.
    X, y : the library's arrays, y with NaN where there is no label
    seed : int
        Seeds the library's object where it is made, and NumPy's global state while it runs.
    kwargs : mapping
        Further arguments of ``query``.
    by_sample : bool
        Candidates are given as rows of ``table`` instead of as positions in X, because X holds other rows.
    table : array (n, d)
        All rows of the pool as the library sees them; X itself unless ``by_sample``.
    order : Rows or None
        Rows in the order in which the library sees them, for strategies that take the first of equal rows; None is the
        pool's.
    marks : bool
        y only tells labelled from unlabelled: what is picked already can be shown as labelled when asked again.
    """

    strategy: Any
    X: Any
    y: Labels
    seed: int
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    by_sample: bool = False
    table: Any = None
    order: Rows | None = None
    marks: bool = False

    def scores(self, rows: Rows) -> Floats:
        """Return the library's utilities of these rows."""
        utilities = self._query(rows, 1, return_utilities=True)[1][0]
        return np.asarray(utilities if self.by_sample else utilities[self._places(rows)], dtype=np.float64)

    def pick(self, rows: Rows, n: int) -> Rows:
        """Return what the library picks among these rows: n of them, if all goes well."""
        picked = np.asarray(self._query(rows, n), dtype=np.intp).reshape(-1)
        if self.by_sample:
            return rows[picked]
        return picked if self.order is None else self.order[picked]

    def again(self, taken: list[int], attempt: int) -> Ask:
        """Return the same with another seed, and with the rows that are taken shown as labelled where that can be."""
        y = self.y
        if self.marks:
            y = y.copy()
            y[taken] = 0
        strategy = copy.copy(self.strategy)
        strategy.random_state = (self.seed + attempt) % 2**31
        return replace(self, strategy=strategy, y=y)

    def _query(self, rows: Rows, n: int, **how: Any) -> Any:
        X, y = (self.X, self.y) if self.order is None else (self.X[self.order], self.y[self.order])
        if self.by_sample:
            candidates = self.table[rows]
        elif len(rows) == np.isnan(y).sum():  # all: the library finds them faster than it checks them
            candidates = None
        else:
            candidates = self._places(rows)
        with silenced(), seeded_globals(self.seed):
            return self.strategy.query(X=X, y=y, candidates=candidates, batch_size=int(n), **self.kwargs, **how)

    def _places(self, rows: Rows) -> Rows:
        """Return where the library sees these rows."""
        return rows if self.order is None else np.argsort(self.order)[rows]


class Wrapped(ABC):
    """A strategy of scikit-activeml behind alcore's interface.

    Attributes
    ----------
    name : str
        Its name in alcore.
    parts : bool
        Whether the score of a row is the same whatever other rows are candidates.
    keeps : bool
        Whether the library's object keeps what it computed of X.
    """

    name = ""
    parts = False
    keeps = False

    @abstractmethod
    def ask(self, view: View) -> Ask:
        """Return the library's strategy for this round, with its arguments."""


class Scored(Wrapped):
    """A strategy whose utilities are scores: alcore takes the best rows, and breaks ties as the run says."""

    def scores(self, view: View) -> Floats:
        """Return the library's utilities, aligned with ``view.unlabeled``."""
        return self.ask(view).scores(view.unlabeled)

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest utilities."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        return view.top(self.scores(view), n)


class Native(Wrapped):
    """A strategy that composes a batch itself, or whose picks are drawn."""

    def query(self, view: View, n: int) -> Rows:
        """Return n distinct unlabelled rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        return filled(self.name, self.ask(view), view.unlabeled, n)


def filled(name: str, ask: Ask, rows: Rows, n: int) -> Rows:
    """Return n distinct rows of the library's choice.

    Some strategies repeat a row within a batch, or answer fewer than were asked for. What is missing is asked for
    again, among the rows that are left.

    Raises
    ------
    StrategyError
        If nothing new comes back.
    """
    taken: list[int] = []
    first, tries = ask, 0
    while len(taken) < n:
        left = np.setdiff1d(rows, taken, assume_unique=True) if taken else rows
        answer = ask.pick(left, n - len(taken))
        new = list(dict.fromkeys(answer[np.isin(answer, left)].tolist()))
        tries = 0 if new else tries + 1
        if tries > TRIES:
            raise StrategyError(f"{name} answered no new row in {TRIES} tries, where {n - len(taken)} are missing.")
        taken += new
        ask = first.again(taken, len(taken) + tries)
    return np.array(taken[:n], dtype=np.intp)


def steady(scores: Floats) -> Floats:
    """Return scores without their last digits, in which rounding tells rows apart that are the same."""
    scale = float(np.abs(scores).max(initial=0.0))
    if scale == 0.0 or not np.isfinite(scale):
        return scores
    rounded: Floats = np.round(scores / scale, 10) * scale
    return rounded


def mask(view: View) -> Floats:
    """Return 0 for labelled rows and NaN for the others, for strategies that do not look at labels."""
    y = np.full(len(view.pool), np.nan)
    y[view.labeled] = 0.0
    return y


def labels(view: View) -> Labels:
    """Return the labels of the whole pool with NaN where there is none."""
    return view.masked_y(np.nan)


def shuffled(view: View) -> Rows:
    """Return the rows of the pool in an order drawn from the view's generator."""
    return view.rng.permutation(len(view.pool))


def seeded(view: View, make: Callable[[int], Any], X: Any, y: Labels, **more: Any) -> Ask:
    """Return an Ask of a strategy made with a seed of the view's."""
    seed = seed_of(view)
    return Ask(make(seed), X, y, seed, **more)
