"""How an answer of libact's becomes rows: one at a time, ties as the run is configured, and never a row twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from alcore import Rows, StrategyError, View
from alcore.decorators import FunctionStrategy
from alcore.interop import seed_of


class Scored(FunctionStrategy):
    """A strategy of which libact's scores are known: ``scores(view)``, larger = ask first."""

    def __init__(self, name: str, function: Callable[..., Any], /, **params: Any) -> None:
        super().__init__(function, True, **params)
        self.name = name

    def query(self, view: View, n: int) -> Rows:
        """Return the rows of the largest scores; libact cannot be asked where no row is left."""
        return view.top(self.scores(view), n) if n else view.unlabeled[:0]


class FirstOfTied(np.random.RandomState):
    """libact breaks ties with ``random_state.choice``; this one takes the first, for runs with ``ties="first"``."""

    def choice(self, a: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the smallest of the candidates."""
        return np.min(a)


def chance(view: View) -> np.random.RandomState:
    """Return the generator that libact draws from in this round, from the view's."""
    seed = seed_of(view)
    return np.random.RandomState(seed) if view.ties == "random" else FirstOfTied(seed)


def ask_again(view: View, n: int, once: Callable[[Rows], int], *, who: str) -> Rows:
    """Return n rows: libact gives one, and is asked again with those it gave taken out of what may be asked.

    Raises
    ------
    StrategyError
        If libact answers with a row that may not be asked.
    """
    left, chosen = view.unlabeled, np.empty(0, dtype=np.intp)
    while len(chosen) < n:
        row = once(left)
        position = place(left, row)
        if position is None:
            raise StrategyError(
                f"{who} answered row {row}, which may not be asked; libact does so where a score is not a number."
            )
        left, chosen = np.delete(left, position), np.append(chosen, row)
    return chosen


def place(left: Rows, row: int) -> int | None:
    """Return where a row is among ascending rows, or None."""
    position = int(np.searchsorted(left, row))
    return position if position < len(left) and left[position] == row else None


def level_ties(scores: Any) -> Any:
    """Return the scores with all that libact takes for equal to the best (``np.isclose``) made equal to it."""
    scores = np.array(scores, dtype=np.float64)
    if len(scores):
        best = np.max(scores)
        scores[np.isclose(scores, best)] = best
    return scores
