"""The regressor that LAL consults: a forest kept as plain arrays, which NumPy evaluates."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from alcore import Floats, InputError
from alcore_strategies.geometry import blocks

SHIPPED = "lal.npz"
FIELDS = ("feature", "threshold", "left", "right", "value", "root")


class Trees:
    """Regression trees, whose mean is the answer.

    All nodes lie in one array after the other. Inner nodes send x to ``left`` where x[feature] <= threshold, else to
    ``right``; a leaf sends everything to itself.

    Parameters
    ----------
    feature : int array (nodes,)
    threshold, value : float32 arrays (nodes,)
    left, right : int32 arrays (nodes,)
    root : int32 array (trees,)
    """

    def __init__(
        self, feature: NDArray[Any], threshold: NDArray[Any], left: NDArray[Any], right: NDArray[Any],
        value: NDArray[Any], root: NDArray[Any],
    ) -> None:  # fmt: skip
        self.feature, self.threshold = feature.astype(np.int32), threshold
        self.left, self.right, self.value, self.root = left, right, value, root

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Return the trees of a file that ``save`` wrote; None takes the file that ships with the package.

        Raises
        ------
        InputError
            If there is no such file, or it holds something else.
        """
        with resources.as_file(resources.files("alcore_strategies") / "data" / SHIPPED) as shipped:
            file = shipped if path is None else path
            if not file.is_file():
                raise InputError(f"lal: there is no file {file}. See python -m alcore_strategies.learned.lal_training.")
            try:
                with np.load(file, allow_pickle=False) as arrays:
                    return cls(*(arrays[name] for name in FIELDS))
            except (ValueError, KeyError, OSError, EOFError) as error:
                raise InputError(f"lal: {file} is no regressor that lal_training wrote: {error}") from error

    @classmethod
    def of(cls, forest: Any) -> Self:
        """Return the trees of a fitted ``sklearn.ensemble.RandomForestRegressor``."""
        trees = [estimator.tree_ for estimator in forest.estimators_]
        root = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1].astype(np.int32)
        parts = []
        for start, tree in zip(root.tolist(), trees, strict=True):
            own, leaf = np.arange(tree.node_count), tree.children_left < 0
            children = [np.where(leaf, own, child) + start for child in (tree.children_left, tree.children_right)]
            parts.append((np.where(leaf, 0, tree.feature), tree.threshold, *children, tree.value[:, 0, 0]))
        feature, threshold, left, right, value = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(
            feature.astype(np.int8), _down(threshold), left.astype(np.int32), right.astype(np.int32),
            value.astype(np.float32), root,
        )  # fmt: skip

    def save(self, path: Path) -> None:
        """Write the trees to a file."""
        np.savez_compressed(path, **{name: getattr(self, name) for name in FIELDS} | {"feature": np.int8(self.feature)})

    def predict(self, rows: Floats, state: Floats) -> Floats:
        """Return the mean of the trees at each row.

        Parameters
        ----------
        rows : array of shape (m, f)
            The features that differ from row to row, which come first.
        state : array of shape (k,)
            Those that all rows share, whose splits are decided once: only the others are left to follow for each row.

        Returns
        -------
        array of shape (m,)
        """
        rows, state = rows.astype(np.float32), state.astype(np.float32)
        shared = self.feature >= rows.shape[1]
        goes_left = state[np.where(shared, self.feature - rows.shape[1], 0)] <= self.threshold
        onward = np.where(shared, np.where(goes_left, self.left, self.right), np.arange(len(self.feature)))
        while not np.array_equal(further := onward[onward], onward):
            onward = further
        feature = np.where(shared, 0, self.feature)
        left, right = onward[self.left], onward[self.right]
        out = np.empty(len(rows))
        for part in blocks(len(rows), width=4 * len(self.root)):
            columns, position = rows[part].T, np.arange(len(rows[part]))
            at = np.broadcast_to(onward[self.root][:, None], (len(self.root), len(position)))
            while not np.array_equal(
                below := np.where(columns[feature[at], position] <= self.threshold[at], left[at], right[at]), at
            ):
                at = below
            out[part] = self.value[at].mean(axis=0, dtype=np.float64)
        return out


@lru_cache(maxsize=4)
def regressor(path: Path | None, changed: float) -> Trees:  # noqa: ARG001 - part of the cache's key
    """Return ``Trees.load(path)``, once per process and file; ``changed`` is when the file was last written."""
    return Trees.load(path)


def _down(threshold: Floats) -> NDArray[np.float32]:
    """Return thresholds in single precision, rounded towards minus infinity, so that no float32 changes its side."""
    rounded = threshold.astype(np.float32)
    return np.where(rounded > threshold, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32)
