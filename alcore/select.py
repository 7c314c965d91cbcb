"""The only place where scores become rows, and the only check of what a strategy answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError, StrategyError
from alcore.types import Mask, Rows

Ties: TypeAlias = Literal["random", "first"]


def top(
    scores: ArrayLike,
    n: int,
    rng: Generator | Callable[[], Generator] | None = None,
    ties: Ties = "random",
    *,
    who: str = "the strategy",
) -> NDArray[np.intp]:
    """Return the positions of the ``n`` largest scores, largest first.

    Parameters
    ----------
    scores : array of shape (m,)
        Larger means ask first. Infinite values are allowed.
    n : int
        How many; more than ``m`` gives all ``m``.
    rng : Generator, or function that makes one
        Breaks ties, needed for ``ties="random"``; a function is called only if there are ties to break.
    ties : "random" or "first"
        Equal scores in an order drawn from ``rng`` (every one equally likely), or in order of position.
    who : str
        Whose scores these are, for the message of an error.

    Returns
    -------
    array of shape (min(n, m),), intp

    Raises
    ------
    StrategyError
        If the scores are not one number per candidate, or one of them is NaN.
    """
    values = _numbers(scores, who)
    if n < 0:
        raise InputError(f"n is {n}; ask for 0 rows or more.")
    if ties not in ("random", "first"):
        raise InputError(f'ties is {ties!r}; use "random" or "first".')
    if ties == "random" and rng is None:
        raise InputError('ties="random" needs rng; give a generator, or ties="first".')
    m = len(values)
    n = min(n, m)
    if n == 0:
        return np.empty(0, dtype=np.intp)
    if n == 1:
        best = np.flatnonzero(values == values.max())
        pick = 0 if ties == "first" or len(best) == 1 else int(_generator(rng).integers(len(best)))
        return best[pick : pick + 1]
    # The n-th largest value splits the candidates: all above it are in, those equal to it fill what is left.
    threshold = np.partition(values, m - n)[m - n]
    above, level = np.flatnonzero(values > threshold), np.flatnonzero(values == threshold)
    if ties == "random":
        chance = _generator(rng)
        above, level = chance.permutation(above), chance.permutation(level)
    else:
        above = above[::-1]  # the sort below is reversed, which turns equal values round
    above = above[np.argsort(values[above], kind="stable")[::-1]]
    return np.concatenate([above, level[: n - len(above)]]).astype(np.intp, copy=False)


def _numbers(scores: ArrayLike, who: str) -> NDArray[Any]:
    values = _array(scores, who)
    if values.ndim != 1 or values.dtype.kind not in "fiub":
        raise StrategyError(
            f"{who} gave scores of shape {values.shape} and dtype {values.dtype}; "
            "scores are one real number per unlabelled row, shape (m,)."
        )
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise StrategyError(
            f"{who} gave NaN for {int(np.isnan(values).sum())} of {len(values)} rows; "
            "a score must be a number: find the 0/0 or log 0 that makes it, or score such rows -inf."
        )
    return values


def _array(given: object, who: str) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:  # a list of lists of different lengths
        raise StrategyError(f"{who} gave {type(given).__name__} that is no array: {error}") from error


def _generator(rng: Generator | Callable[[], Generator] | None) -> Generator:
    assert rng is not None  # noqa: S101 - checked by top()
    return rng() if callable(rng) else rng


def check(answer: object, unlabeled: Mask, n: int, *, who: str) -> Rows:
    """Return a strategy's answer as rows, or raise if it breaks the contract.

    Parameters
    ----------
    answer : array-like of int, shape (n,)
        What ``strategy.query`` returned.
    unlabeled : bool array of shape (rows in the pool,)
        True where a row may be asked.
    n : int
        The number of rows that must come back.
    who : str
        The strategy's name.

    Raises
    ------
    StrategyError
        Unless the answer is ``n`` distinct, unlabelled rows of the pool, as integers.
    """
    rows = _array(answer, who)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        raise StrategyError(
            f"{who} answered with shape {rows.shape} and dtype {rows.dtype}; "
            "a query returns integer rows of the pool, shape (n,), such as view.unlabeled[positions]."
        )
    rows = rows.astype(np.intp, copy=True)
    if len(rows) != n:
        raise StrategyError(f"{who} answered {len(rows)} rows where {n} were asked.")
    if n == 1:  # the common case, without the cost of the general one
        row = int(rows[0])
        if not 0 <= row < len(unlabeled):
            raise StrategyError(_outside(who, row, len(unlabeled)))
        if not unlabeled[row]:
            raise StrategyError(_labelled(who, row))
        return rows
    outside = rows[(rows < 0) | (rows >= len(unlabeled))]
    if outside.size:
        raise StrategyError(_outside(who, int(outside[0]), len(unlabeled)))
    if len(np.unique(rows)) != len(rows):
        values, counts = np.unique(rows, return_counts=True)
        raise StrategyError(f"{who} answered row {int(values[counts > 1][0])} more than once in one batch.")
    labelled = rows[~unlabeled[rows]]
    if labelled.size:
        raise StrategyError(_labelled(who, int(labelled[0])))
    return rows


def _outside(who: str, row: int, size: int) -> str:
    return f"{who} answered row {row}, outside the pool of {size} rows (0 to {size - 1})."


def _labelled(who: str, row: int) -> str:
    return (
        f"{who} answered row {row}, which is labelled already. Positions in view.unlabeled are not rows: "
        "return view.unlabeled[positions]."
    )
