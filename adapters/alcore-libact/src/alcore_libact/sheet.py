"""A round as a libact ``Dataset``: entries for the labelled rows and for those that may be asked, and the way back.

libact's strategies that learn from the query learner are given row numbers as features, because only alcore's
learners see ``pool.X``: any container does, nothing is copied, and no index space is confused with another. Those that
measure distances are given ``pool.features``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore import Floats, Labels, Rows, View
from alcore_libact.library import Dataset


@dataclass(frozen=True)
class Sheet:
    """A data set of libact's and the row of the pool behind each of its entries."""

    dataset: Any
    rows: Rows

    def row(self, entry: Any) -> int:
        """Return the row behind an entry."""
        return int(self.rows[int(entry)])


def sheet(
    view: View,
    left: Rows | None = None,
    *,
    labels: Labels | None = None,
    features: Floats | None = None,
    labeled_first: bool = False,
) -> Sheet:
    """Return the round as a sheet.

    Parameters
    ----------
    left : Rows or None
        The rows that may be asked, ascending; None takes all of ``view.unlabeled``.
    labels : Labels or None
        What libact is told of ``view.labeled``; None takes ``view.y``.
    features : Floats of shape (n, d) or None
        What an entry holds; None takes the row's number, shape (1,).
    labeled_first : bool
        Put the labelled rows before the others, for the strategies that take the number of labels from the first
        entry. Otherwise the order is the pool's.
    """
    left = view.unlabeled if left is None else left
    labels = view.y if labels is None else labels
    by_row = np.argsort(view.labeled)
    if labeled_first:
        rows = np.concatenate([view.labeled[by_row], left])
        entries = np.empty(len(view.labeled), dtype=np.intp)
        entries[by_row] = np.arange(len(by_row))
    else:
        there = np.zeros(len(view.pool), dtype=np.bool_)
        there[view.labeled] = there[left] = True
        rows = np.flatnonzero(there)
        entries = np.searchsorted(rows, view.labeled)
    known = np.full(len(rows), None, dtype=object)
    if labels.ndim == 1:
        known[entries] = labels.tolist()
    else:
        for entry, label in zip(entries, labels, strict=True):
            known[entry] = label
    return Sheet(Dataset(rows[:, None] if features is None else features[rows], known), rows)


def rows_in(X: Any) -> Rows:
    """Return the rows that a feature matrix of row numbers, shape (n, 1), stands for."""
    return np.asarray(X, dtype=np.intp).reshape(-1)
