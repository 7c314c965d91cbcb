"""The only place where scores become rows, and the only check of what a strategy answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError, StrategyError
from alcore.types import Mask, Rows

Ties: TypeAlias = Literal["random", "first", "exact"]
WAYS: tuple[Ties, ...] = get_args(Ties)

ULPS = 8
"""How many units in the last place, of the largest finite magnitude, scores of one worth may differ by.

Two sums or products of the same numbers, taken in another order by another processor's kernel, differ by one or two
units per operation. A score that a strategy computes from probabilities takes a handful of them; 8 covers these, and is
a thousand times finer than what a learner's own solver leaves open. What is less precise says so with ``rounding``.
"""

Chance: TypeAlias = Generator | Callable[[], Generator] | None


def top(
    scores: ArrayLike,
    n: int,
    rng: Chance = None,
    ties: Ties = "random",
    *,
    rounding: float | None = None,
    who: str = "the strategy",
) -> NDArray[np.intp]:
    """Return the positions of the ``n`` largest scores, largest first.

    Scores are ties where they differ from the largest of them by no more than ``ULPS`` units in the last place of the
    largest finite magnitude among all scores: that is rounding, and which of them is larger depends on the processor.
    So a row that must not be asked scores -inf, never a large negative number, beside which all others are alike.
    Integers, and infinite values, are ties where they are equal.

    Parameters
    ----------
    scores : array of shape (m,)
        Larger means ask first. Infinite values are allowed.
    n : int
        How many; more than ``m`` gives all ``m``.
    rng : Generator, or function that makes one
        Breaks ties, needed for ``ties="random"``; a function is called only if there are ties to break.
    ties : "random", "first" or "exact"
        Ties in an order drawn from ``rng`` (every one equally likely), or in order of position. "exact" is the order of
        position among scores that are equal to the last bit, as ``argmax`` and a stable sort have it.
    rounding : float or None
        The share of the largest magnitude that these scores are known to, where that is coarser: those of a long sum
        or a linear system. None takes ``ULPS``, and 0 knows no rounding, as "exact" does.
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
    if ties not in WAYS:
        raise InputError(f"ties is {ties!r}; use {', '.join(map(_quoted, WAYS[:-1]))} or {_quoted(WAYS[-1])}.")
    if ties == "random" and rng is None:
        raise InputError('ties="random" needs rng; give a generator, or ties="first".')
    m = len(values)
    if m == 0:
        return np.empty(0, dtype=np.intp)
    largest, apart = _scale(values, who, rounding=_known(values, rounding, ties))
    n = min(n, m)
    if n == 0:
        return np.empty(0, dtype=np.intp)
    if n == 1:
        best = np.flatnonzero(values >= _floor(largest, apart))
        pick = 0 if ties != "random" or len(best) == 1 else int(_generator(rng).integers(len(best)))
        return best[pick : pick + 1]
    # The level of the n-th largest value splits the candidates: those above it are in, its own fill what is left.
    candidates = np.flatnonzero(values >= _floor(np.partition(values, m - n)[m - n], apart))
    levels = _levels(values[candidates], apart)
    last = np.partition(levels, n - 1)[n - 1]
    inside = levels < last
    above, level = np.flatnonzero(inside), np.flatnonzero(levels == last)
    if ties == "random":
        chance = _generator(rng)
        above, level = chance.permutation(above), chance.permutation(level)
    else:
        above = above[::-1]  # the sort below is reversed, which turns equal levels round
    above = above[np.argsort(-levels[above], kind="stable")[::-1]]
    chosen: NDArray[np.intp] = candidates[np.concatenate([above, level[: n - len(above)]])]
    return chosen


def tied(values: ArrayLike, *, rounding: float | None = None, ties: Ties = "random", who: str = "the strategy") -> Mask:
    """Return which of some values are the largest: those that ``top`` would take for ties with it, shape (m,).

    For a strategy that compares other things than candidates, such as clusters; for the smallest, give minus them.
    Parameters and errors as ``top``, but that one value at least is needed.
    """
    given = _numbers(values, who)
    if not len(given):
        raise InputError("tied needs one value or more to find the largest of; it has none.")
    largest, apart = _scale(given, who, rounding=_known(given, rounding, ties))
    mask: Mask = given >= _floor(largest, apart)
    return mask


def _known(values: NDArray[Any], rounding: float | None, ties: Ties) -> float:
    """Return the share of the largest magnitude within which these values are ties."""
    if values.dtype.kind != "f" or ties == "exact" or rounding == 0:
        return 0.0
    return max(rounding or 0.0, ULPS * float(np.finfo(values.dtype).eps))


def _scale(values: NDArray[Any], who: str, *, rounding: float) -> tuple[Any, Any]:
    """Return the largest value, and how far apart values are that are ties; StrategyError if one is NaN."""
    largest = values.max()
    if values.dtype.kind != "f":
        return largest, 0
    if math.isnan(largest):
        raise StrategyError(
            f"{who} gave NaN for {int(np.isnan(values).sum())} of {len(values)} rows; "
            "a score must be a number: find the 0/0 or log 0 that makes it, or score such rows -inf."
        )
    if not rounding:
        return largest, 0.0
    magnitude = max(abs(float(largest)), abs(float(values.min())))
    if math.isinf(magnitude):
        finite = np.where(np.isfinite(values), values, 0.0)  # a third of what picking these out takes
        magnitude = max(float(finite.max()), -float(finite.min()))
    return largest, rounding * magnitude


def _floor(value: Any, apart: Any) -> Any:
    """Return the least value that is a tie with this one."""
    if not apart or math.isinf(value):
        return value
    return max(float(value) - apart, -float(np.finfo(value.dtype).max))


def _levels(values: NDArray[Any], apart: Any) -> NDArray[np.intp]:
    """Return 0 for the largest values, 1 for the largest of the others, and so on, shape (m,).

    A level reaches down from its own largest value, so that it is the same however many rows are asked for, and no
    chain of small steps joins what is apart.
    """
    order = np.argsort(values, kind="stable")[::-1]
    down = values[order]
    begins = np.ones(len(down), dtype=np.bool_)
    begins[1:] = down[1:] != down[:-1]
    if apart:
        with np.errstate(over="ignore"):
            floor = np.where(np.isinf(down), down, np.maximum(down - apart, -np.finfo(down.dtype).max))
        begins[1:] &= down[1:] < floor[:-1]
        first = np.flatnonzero(begins)
        end = np.append(first[1:], len(down))
        wide = down[end - 1] < floor[first]
        up = -down
        for begin, stop in zip(first[wide].tolist(), end[wide].tolist(), strict=True):
            at = begin
            while at < stop:
                begins[at] = True
                at += int(np.searchsorted(up[at:stop], -floor[at], side="right"))
    levels = np.empty(len(down), dtype=np.intp)
    levels[order] = np.cumsum(begins) - 1
    return levels


def _numbers(scores: ArrayLike, who: str) -> NDArray[Any]:
    values = _array(scores, who)
    if values.ndim != 1 or values.dtype.kind not in "fiub":
        raise StrategyError(
            f"{who} gave scores of shape {values.shape} and dtype {values.dtype}; "
            "scores are one real number per unlabelled row, shape (m,)."
        )
    return values


def _array(given: object, who: str) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:  # a list of lists of different lengths
        raise StrategyError(f"{who} gave {type(given).__name__} that is no array: {error}") from error


def _quoted(way: str) -> str:
    return f'"{way}"'


def _generator(rng: Chance) -> Generator:
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
