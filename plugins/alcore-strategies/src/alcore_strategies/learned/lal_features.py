"""What LAL knows of a row before its label is asked: eight numbers, read off a random forest on the labelled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Floats, Labels
from alcore.types import Mask

NAMES = (
    "mean of the trees' p(1|x)",
    "standard deviation of the trees' p(1|x)",
    "share of class 1 among the labelled rows",
    "out-of-bag accuracy",
    "variance of the feature importances",
    "mean over the rows of the standard deviation",
    "mean depth of the trees",
    "number of labelled rows",
)
"""The columns of ``describe``: the first two differ from row to row, the others say how far learning has come."""

VARYING = 2
LARGEST = float(np.finfo(np.float32).max)


class Forest:
    """A random forest for two classes (Breiman 2001): bootstrapped, grown to pure leaves, sqrt(d) features per split.

    Of regression trees: the variance of 0/1 labels is half their Gini index, so that the splits are a classification
    tree's, and a leaf's mean is p(1|x). Several times faster than scikit-learn's forest: it checks its input once.

    Parameters
    ----------
    X : array of shape (l, d), float32
    y : codes 0 and 1, shape (l,)
    trees : int
    rng : Generator
    """

    def __init__(self, X: Floats, y: Labels, trees: int, rng: Generator) -> None:
        import sklearn
        from sklearn.tree import DecisionTreeRegressor

        chance = np.random.RandomState(int(rng.integers(2**31)))  # what a tree takes without making one of its own
        drawn = rng.integers(len(y), size=(trees, len(y)))
        target = y.astype(np.float64)
        blank = DecisionTreeRegressor(max_features="sqrt", random_state=chance)
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            self.trees: list[Any] = [_twin(blank).fit(X[rows], target[rows], check_input=False).tree_ for rows in drawn]
        self.left_out: Mask = np.ones((trees, len(y)), dtype=np.bool_)
        np.put_along_axis(self.left_out, drawn, False, axis=1)

    def votes(self, X: Floats) -> Floats:
        """Return each tree's p(1|x), shape (trees, n)."""
        return np.array([tree.predict(X)[:, 0] for tree in self.trees])

    def out_of_bag_accuracy(self, X: Floats, y: Labels) -> float:
        """Return the accuracy on the rows it was fitted to, each by the trees that did not see it; 1/2 if none did."""
        unseen = self.left_out.any(axis=0)
        if not unseen.any():
            return 0.5
        share = (self.votes(X) * self.left_out).sum(axis=0)[unseen] / self.left_out.sum(axis=0)[unseen]
        return float(np.mean((share > 0.5) == y[unseen]))

    def importances(self) -> Floats:
        """Return the share of each feature in the decrease of impurity, shape (d,); even if no tree has a split."""
        grown = [tree.compute_feature_importances() for tree in self.trees if tree.node_count > 1]
        total: Floats = np.sum(grown, axis=0) if grown else np.ones(self.trees[0].n_features)
        shares: Floats = total / max(total.sum(), np.finfo(float).tiny)
        return shares


def describe(known: Floats, y: Labels, unknown: Floats, trees: int, rng: Generator) -> tuple[Floats, Forest]:
    """Return the features of unlabelled rows, shape (u, 8) in the order of ``NAMES``, and the forest behind them.

    Parameters
    ----------
    known, unknown : arrays of shape (l, d) and (u, d)
    y : codes 0 and 1 of the known rows
    trees : int
    rng : Generator
    """
    known, unknown = single(known), single(unknown)
    forest = Forest(known, y, trees, rng)
    votes = forest.votes(unknown)
    mean, deviation = votes.mean(axis=0), votes.std(axis=0)
    state = [
        y.mean(),
        forest.out_of_bag_accuracy(known, y),
        forest.importances().var(),
        deviation.mean() if len(unknown) else 0.0,
        np.mean([tree.max_depth for tree in forest.trees]),
        len(y),
    ]
    return np.column_stack([mean, deviation, np.tile(state, (len(unknown), 1))]), forest


def single(X: Floats) -> Floats:
    """Return X in single precision, as trees take it; larger numbers become the largest there is."""
    return np.ascontiguousarray(np.clip(X, -LARGEST, LARGEST), dtype=np.float32)


def _twin(tree: Any) -> Any:
    return type(tree)(max_features=tree.max_features, random_state=tree.random_state)
