"""The expected information gain of a label (paper, Eq. 16 and 17), for all candidate rows at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from alcore.types import Floats, Rows
from alcore_modelselection.coda.scores import Scores

ENTROPY_FLOOR = 1e-12
BLOCK_BYTES = 1 << 25
MANY = 1 << 22
"""Model states per refresh above which BLAS may use its threads."""


def entropy_bits(p: NDArray[Any]) -> Floats:
    """Return the Shannon entropy in bits along the last axis; values are clipped at 1e-12 from below."""
    clipped = np.maximum(p, ENTROPY_FLOOR)
    return np.asarray(-np.einsum("...k,...k->...", clipped, np.log2(clipped)), dtype=np.float64)


class Candidates:
    """The rows that may be asked, and what P(best) would become after each label of each of them.

    What a label c of a row changes depends only on which models predict c there, so rows are grouped, class by class,
    by that pattern: each pattern is computed once, and all rows for which no model predicts c share one. A real label
    y changes row y of the confusion matrices only, so that the patterns of the other classes keep their answers.

    Attributes
    ----------
    rows : array of shape (B,)
    which : array of shape (B, C)
        The pattern of each row under each class, as a position in ``after``.
    after : array of shape (patterns, H)
        P(best) after the label, as ``effect`` of ``refresh`` returns it.
    """

    def __init__(self, rows: Rows, hard: NDArray[np.integer], scores: Scores, dtype: Any) -> None:
        self.rows = rows
        said = hard[:, rows]
        self._states: list[NDArray[np.uint8]] = []
        n_classes = len(scores.values)
        self.which = np.empty((len(rows), n_classes), dtype=np.intp)
        total = 0
        self._slices: list[slice] = []
        for c in range(n_classes):
            patterns, inverse = _distinct(scores.states(c, said))
            self._states.append(patterns)
            self.which[:, c] = inverse + total
            self._slices.append(slice(total, total + len(patterns)))
            total += len(patterns)
        self.after = np.empty((total, len(hard)), dtype=dtype)
        self.stale = set(range(n_classes))

    def refresh(self, effect_of: Callable[[int], Callable[[NDArray[np.uint8]], NDArray[Any]]]) -> None:
        """Recompute the patterns of the stale classes: ``effect_of(c)`` maps states (B, H) to what ``after`` holds."""
        with _threads(sum(self._states[c].size for c in self.stale)):
            for c in sorted(self.stale):
                effect = effect_of(c)
                patterns, start = self._states[c], self._slices[c].start
                for first, last in blocks(len(patterns), 4 * patterns.shape[1] + 1024):
                    self.after[start + first : start + last] = effect(patterns[first:last])
        self.stale.clear()

    def expected_entropy(self, class_of_rows: Floats, present: Floats | None, weights: Floats) -> Floats:
        """Return sum_c pi(c | x_i) H(P(best) after label c) in bits, shape (B,).

        Parameters
        ----------
        class_of_rows : array of shape (B, C)
            pi(c | x_i).
        present : array of shape (H,) or None
            If given, ``after`` holds changes for class c that count ``weights[c]``: P + weights_c * after. If None,
            ``after`` is the new P(best) itself.
        weights : array of shape (C,)
        """
        entropies = np.empty(len(self.after))
        for c, where in enumerate(self._slices):
            for first, last in blocks(where.stop - where.start, 2 * self.after.shape[1]):
                part = self.after[where.start + first : where.start + last]
                if present is not None:
                    part = part * part.dtype.type(weights[c])
                    part += present.astype(part.dtype)
                entropies[where.start + first : where.start + last] = entropy_bits(part)
        return np.asarray(np.einsum("ic,ic->i", class_of_rows, entropies[self.which]))


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _threads(states: int) -> AbstractContextManager[object]:
    """Return a context with one BLAS thread for small work: threads that wait for each other cost more than they do.

    On a busy machine a step on the paper's tasks takes three times as long with two threads as with one.
    """
    return nullcontext() if states > MANY else _controller().limit(limits=1, user_api="blas")


def blocks(count: int, numbers: int, limit: int = BLOCK_BYTES) -> list[tuple[int, int]]:
    """Return (first, last) of blocks of ``count`` things that need that many float64 numbers each, under ``limit``."""
    size = max(1, limit // (8 * max(numbers, 1)))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def _distinct(states: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return the distinct rows of (B, H) states, the all-zero one first, and each row's position among them."""
    touched = np.flatnonzero(states.any(axis=1))
    inverse = np.zeros(len(states), dtype=np.intp)
    zeros = np.zeros((1, states.shape[1]), dtype=np.uint8)
    if not len(touched):
        return zeros, inverse
    packed = np.ascontiguousarray(states[touched])
    as_bytes = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, index, back = np.unique(as_bytes, return_index=True, return_inverse=True)
    inverse[touched] = back + 1
    return np.concatenate([zeros, packed[index]]), inverse
