"""Greedy choice: the row of the largest gain, then what that one leaves to gain, and so on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from alcore import Floats, Rows, View


def greedily(view: View, n: int, gain: Floats, take: Callable[[Floats, int], None], *, rounding: float = 0.0) -> Rows:
    """Return n unlabelled rows, each the one of the largest gain after those before it.

    Rows that are out for labelling count as taken, so that nobody is asked for their neighbours meanwhile.

    Parameters
    ----------
    gain : (n_pool,)
        Of every row of the pool, after the labelled rows. It is left as it is.
    take : function
        ``take(gain, row)`` changes the gains to those after ``row``.
    rounding : float
        Gains, none of them negative, that are less than the largest by no more than this share of it are ties.
    """
    out = view.pending
    if n > 1 or len(out):
        gain = gain.copy()
    for row in out.tolist():
        take(gain, row)
    chosen: list[int] = []
    left = view.unlabeled
    for _ in range(n):
        scores = gain[left]
        if chosen:
            scores[np.searchsorted(left, chosen)] = -np.inf  # view.unlabeled is ascending
        if rounding:
            largest = scores.max()
            scores[scores >= (1.0 - rounding) * largest] = largest
        chosen.append(int(view.top(scores, 1)[0]))
        if len(chosen) < n:
            take(gain, chosen[-1])
    return np.array(chosen, dtype=np.intp)
