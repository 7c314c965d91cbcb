"""Strategies that weigh the learner's doubt against the spread of a batch."""

from __future__ import annotations

from typing import Any, Literal

from skactiveml.pool import (  # type: ignore[import-untyped]
    Badge,
    Clue,
    DiscriminativeAL,
    DropQuery,
    Falcun,
    GreedySamplingTarget,
    RegressionTreeBasedAL,
)
from skactiveml.regressor import SklearnRegressor  # type: ignore[import-untyped]

from alcore import InputError, Task, View
from alcore.interop import seed_of, silenced
from alcore_skactiveml.ask import Ask, Native, labels, mask, seeded, shuffled
from alcore_skactiveml.bridge import (
    WITH_FEATURES,
    Discriminator,
    FeatureRegressor,
    InputClassifier,
    RowClassifier,
    RowRegressor,
    numbers,
    row_numbers,
)


class Gradients(Native):
    """Badge: k-means++ on the gradients that the likeliest labels would give, with ``Pool.features`` for embedding.

    Rows are shuffled, because the first of the largest gradients opens the batch.
    """

    name = "skactiveml.badge"

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: Badge(clf_embedding_flag_name=WITH_FEATURES, random_state=seed),
            row_numbers(view.pool),
            labels(view),
            kwargs={"clf": RowClassifier(view), "fit_clf": False},
            order=shuffled(view),
        )


class Falcuns(Native):
    """Falcun: drawn by doubt and by distance of probabilities from those picked.

    Parameters
    ----------
    gamma : float
        Larger makes the draw greedier.
    """

    name = "skactiveml.falcun"

    def __init__(self, gamma: float = 10.0) -> None:
        self.gamma = gamma

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: Falcun(gamma=self.gamma, random_state=seed),
            row_numbers(view.pool),
            labels(view),
            kwargs={"clf": RowClassifier(view), "fit_clf": False},
        )


class Clues(Native):
    """Clue: the rows nearest to the centres of clusters of ``Pool.features`` that are weighted by the learner's doubt.

    Regressors say their doubt as a standard deviation.

    Parameters
    ----------
    method : "entropy", "margin_sampling" or "least_confident"
        The doubt of classifiers.
    """

    name = "skactiveml.clue"

    def __init__(self, method: Literal["entropy", "margin_sampling", "least_confident"] = "entropy") -> None:
        self.method = method

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner and seeded clusters, which the library leaves unseeded."""
        bridge = RowRegressor if view.pool.task is Task.REGRESSION else RowClassifier

        def make(seed: int) -> Any:
            return Clue(
                method=self.method,
                predict_dict={WITH_FEATURES: True},
                cluster_algo_dict={"random_state": seed},
                random_state=seed,
            )

        kwargs = {"estimator": bridge(view), "fit_estimator": False}
        return seeded(view, make, row_numbers(view.pool), labels(view), kwargs=kwargs)


class Dropout(Native):
    """DropQuery: rows whose class changes when features are dropped, nearest to the centres of their clusters.

    Features are set to 0 in X itself, because the learner is asked about them. Rows are shuffled, because the last of
    those that changed equally often are kept.

    Parameters
    ----------
    dropout_rate : float
    n_dropout_samples : int
        At least 3.
    """

    name = "skactiveml.drop-query"

    def __init__(self, dropout_rate: float = 0.75, n_dropout_samples: int = 5) -> None:
        self.dropout_rate, self.n_dropout_samples = dropout_rate, n_dropout_samples

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner and seeded clusters, which the library leaves unseeded."""

        def make(seed: int) -> Any:
            return DropQuery(
                dropout_rate=self.dropout_rate,
                n_dropout_samples=self.n_dropout_samples,
                cluster_algo_dict={"random_state": seed},
                random_state=seed,
            )

        kwargs = {"clf": InputClassifier(view), "fit_clf": False}
        return seeded(view, make, numbers(view.pool), labels(view), kwargs=kwargs, order=shuffled(view))


class Discriminative(Native):
    """DiscriminativeAL: rows that a twin of the query learner tells best from the labelled ones; a fit per row.

    Parameters
    ----------
    greedy_selection : bool
        One fit per batch.
    """

    name = "skactiveml.discriminative-al"

    def __init__(self, greedy_selection: bool = False) -> None:
        self.greedy_selection = greedy_selection

    def ask(self, view: View) -> Ask:
        """Return the strategy with a learner that it fits."""
        return seeded(
            view,
            lambda seed: DiscriminativeAL(greedy_selection=self.greedy_selection, random_state=seed),
            row_numbers(view.pool),
            mask(view),
            kwargs={"discriminator": Discriminator(view)},
        )


class GreedyTarget(Native):
    """GreedySamplingTarget: farthest from all labelled rows in the target ("GSy"), or in rows and target ("GSi").

    Parameters
    ----------
    method : "GSi" or "GSy"
    n_GSx_samples : int
        How many labelled rows there must be before the target counts.
    """

    name = "skactiveml.greedy-sampling-target"
    parts = True

    def __init__(self, method: Literal["GSi", "GSy"] = "GSi", n_GSx_samples: int = 1) -> None:
        self.method, self.n_GSx_samples = method, n_GSx_samples

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: GreedySamplingTarget(method=self.method, n_GSx_samples=self.n_GSx_samples, random_state=seed),
            view.pool.features,
            labels(view),
            kwargs={"reg": FeatureRegressor(view), "fit_reg": False},
        )


class RegressionTree(Native):
    """RegressionTreeBasedAL: rows of a batch shared out to the leaves of a regression tree by size and variance.

    The tree is the strategy's own, on ``Pool.features``: the library takes no other learner.

    Parameters
    ----------
    method : "random", "diversity" or "representativity"
        How rows are picked in a leaf.
    min_samples_leaf : int
        Of the tree; a leaf with one labelled row has no variance.
    max_iter_representativity : int
    """

    name = "skactiveml.regression-tree-based-al"

    def __init__(
        self,
        method: Literal["random", "diversity", "representativity"] = "random",
        min_samples_leaf: int = 2,
        max_iter_representativity: int = 5,
    ) -> None:
        if method not in ("random", "diversity", "representativity"):
            raise InputError(f'method is {method!r}; use "random", "diversity" or "representativity".')
        self.method, self.min_samples_leaf = method, min_samples_leaf
        self.max_iter_representativity = max_iter_representativity

    def ask(self, view: View) -> Ask:
        """Return the strategy with its tree, fitted to the labelled rows."""
        from sklearn.tree import DecisionTreeRegressor

        X, y, seed = view.pool.features, labels(view), seed_of(view)
        tree = DecisionTreeRegressor(min_samples_leaf=self.min_samples_leaf, random_state=seed)
        with silenced():
            reg = SklearnRegressor(tree).fit(X, y)
        strategy = RegressionTreeBasedAL(
            method=self.method, max_iter_representativity=self.max_iter_representativity, random_state=seed
        )
        return Ask(strategy, X, y, seed, kwargs={"reg": reg, "fit_reg": False})
