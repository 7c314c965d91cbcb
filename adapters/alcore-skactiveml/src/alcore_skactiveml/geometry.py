"""Strategies that look at where rows lie in ``Pool.features``: they need no learner, or one of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from skactiveml.classifier import MixtureModelClassifier  # type: ignore[import-untyped]
from skactiveml.pool import (  # type: ignore[import-untyped]
    CoreSet,
    CostEmbeddingAL,
    FourDs,
    GreedySamplingX,
    MaxHerding,
    ProbCover,
    RandomSampling,
)

from alcore import Floats, Pool, View
from alcore.interop import seeded_globals, silenced
from alcore_skactiveml.ask import Ask, Native, Scored, labels, mask, seeded, steady
from alcore_skactiveml.bridge import row_numbers
from alcore_skactiveml.mended import CoveredTypiClust, SubsetQuire
from alcore_skactiveml.uncertainty import CostMatrix

Params = Mapping[str, Any]


def _params(given: Params | None) -> dict[str, Any] | None:
    return None if given is None else dict(given)


class Random(Native):
    """RandomSampling."""

    name = "skactiveml.random"
    parts = True

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(view, lambda seed: RandomSampling(random_state=seed), row_numbers(view.pool), mask(view))


class CoreSets(Native):
    """CoreSet: the row farthest from all labelled rows, and so on (greedy k-center).

    Parameters
    ----------
    metric, metric_dict
        As in ``sklearn.metrics.pairwise_distances_argmin_min``.
    """

    name = "skactiveml.core-set"
    parts = True

    def __init__(self, metric: str = "euclidean", metric_dict: Params | None = None) -> None:
        self.metric, self.metric_dict = metric, _params(metric_dict)

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(
            view,
            lambda seed: CoreSet(metric=self.metric, metric_dict=self.metric_dict, random_state=seed),
            view.pool.features,
            mask(view),
        )


class TypiClusts(Native):
    """TypiClust: the most typical row of each of the largest clusters without a labelled row.

    Parameters
    ----------
    k : int
        Neighbours that tell how typical a row is.
    """

    name = "skactiveml.typiclust"

    def __init__(self, k: int = 5) -> None:
        self.k = k

    def ask(self, view: View) -> Ask:
        """Return the strategy; asked again, it takes what it picked for labelled, so that the clusters stay."""
        return seeded(
            view,
            lambda seed: CoveredTypiClust(k=self.k, random_state=seed),
            view.pool.features,
            mask(view),
            marks=True,
        )


class ProbCovers(Native):
    """ProbCover: the row whose ball covers most rows that no labelled row's ball covers.

    The distances and the balls' radius follow from the pool, and are kept from round to round.

    Parameters
    ----------
    n_classes : int or None
        Clusters that the purity of balls is judged by; None takes the pool's number of classes.
    deltas : sequence of float or None
        Radii that are tried; None takes 0.2, 0.4, ..., 2.0, which suits features of length 1.
    alpha : float
        The least share of pure balls.
    """

    name = "skactiveml.prob-cover"
    keeps = True

    def __init__(
        self, n_classes: int | None = None, deltas: Sequence[float] | None = None, alpha: float = 0.95
    ) -> None:
        self.n_classes, self.alpha = n_classes, alpha
        self.deltas = None if deltas is None else list(deltas)

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Begin anew; the first query measures the distances."""
        self.seed = int(rng.integers(2**31))
        self.strategy = ProbCover(
            n_classes=self.n_classes or max(pool.n_classes, 2),
            deltas=self.deltas,
            alpha=self.alpha,
            random_state=self.seed,
        )

    def ask(self, view: View) -> Ask:
        """Return the strategy of this run."""
        return Ask(self.strategy, view.pool.features, mask(view), self.seed)


class Herding(Native):
    """MaxHerding: the row that raises the mean similarity of the candidates to their nearest labelled row most.

    Parameters
    ----------
    normalize_samples : bool
        Scale each row to length 1.
    metric, metric_dict
        The kernel, as in ``sklearn.metrics.pairwise.pairwise_kernels``.
    """

    name = "skactiveml.max-herding"

    def __init__(self, normalize_samples: bool = True, metric: str = "rbf", metric_dict: Params | None = None) -> None:
        self.normalize_samples = normalize_samples
        self.metric, self.metric_dict = metric, _params(metric_dict)

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(
            view,
            lambda seed: MaxHerding(
                normalize_samples=self.normalize_samples,
                metric=self.metric,
                metric_dict=self.metric_dict,
                random_state=seed,
            ),
            view.pool.features,
            mask(view),
        )


class GreedyX(Native):
    """GreedySamplingX (GSx): the row farthest from all labelled rows; n x n distances per query.

    Parameters
    ----------
    metric, metric_dict
        As in ``sklearn.metrics.pairwise_distances``; None is Euclidean.
    """

    name = "skactiveml.greedy-sampling-x"
    parts = True

    def __init__(self, metric: str | None = None, metric_dict: Params | None = None) -> None:
        self.metric, self.metric_dict = metric, _params(metric_dict)

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(
            view,
            lambda seed: GreedySamplingX(metric=self.metric, metric_dict=self.metric_dict, random_state=seed),
            view.pool.features,
            mask(view),
        )


class MinMax(Scored):
    """Quire: the row whose label, whatever it is, leaves least to learn; one class against the rest.

    Parameters
    ----------
    lmbda : float
        Weight of the regularisation.
    metric, metric_dict
        The kernel, as in ``sklearn.metrics.pairwise.pairwise_kernels``.
    """

    name = "skactiveml.quire"

    def __init__(self, lmbda: float = 1.0, metric: str = "rbf", metric_dict: Params | None = None) -> None:
        self.lmbda, self.metric, self.metric_dict = lmbda, metric, _params(metric_dict)

    def scores(self, view: View) -> Floats:
        """Return the utilities, without what a matrix inverse makes of equal rows."""
        return steady(super().scores(view))

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(
            view,
            lambda seed: SubsetQuire(
                classes=list(range(view.pool.n_classes)),
                lmbda=self.lmbda,
                metric=self.metric,
                metric_dict=self.metric_dict,
                random_state=seed,
            ),
            view.pool.features,
            labels(view),
        )


class CostEmbedding(Scored):
    """CostEmbeddingAL (ALCE): distance to the nearest class, where classes lie as far apart as they cost.

    Parameters
    ----------
    cost_matrix : (K, K) or None
    embed_dim : int or None
        None takes the number of classes. Each dimension costs a support vector regression.
    mds_params : mapping or None
        Of the scaling that places the classes, which every query repeats, such as ``{"n_init": 1}``: 8 by default.
    """

    name = "skactiveml.alce"
    parts = True

    def __init__(
        self, cost_matrix: CostMatrix | None = None, embed_dim: int | None = None, mds_params: Params | None = None
    ) -> None:
        self.cost_matrix = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
        self.embed_dim, self.mds_params = embed_dim, _params(mds_params)

    def ask(self, view: View) -> Ask:
        """Return the strategy."""
        return seeded(
            view,
            lambda seed: CostEmbeddingAL(
                classes=list(range(view.pool.n_classes)),
                cost_matrix=self.cost_matrix,
                embed_dim=self.embed_dim,
                mds_params=self.mds_params,
                random_state=seed,
            ),
            view.pool.features,
            labels(view),
        )


class FourD(Native):
    """FourDs (4DS): distance, density, distribution and diversity under a Gaussian mixture.

    Its classifier is the library's MixtureModelClassifier. The mixture is fitted to the pool once per run.

    Parameters
    ----------
    components : int or None
        Of the mixture; None takes the number of classes.
    lmbda : float or None
        Weight of diversity in a batch; None takes the library's rule.
    """

    name = "skactiveml.four-ds"

    def __init__(self, components: int | None = None, lmbda: float | None = None) -> None:
        self.components, self.lmbda = components, lmbda

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Fit the mixture."""
        from sklearn.mixture import BayesianGaussianMixture

        seed = int(rng.integers(2**31))
        mixture = BayesianGaussianMixture(n_components=self.components or pool.n_classes, random_state=seed)
        with silenced(), seeded_globals(seed):
            self.mixture = mixture.fit(pool.features)

    def ask(self, view: View) -> Ask:
        """Return the strategy with its classifier, fitted to the labelled rows."""
        X, y = view.pool.features, labels(view)
        classes = list(range(view.pool.n_classes))
        clf = MixtureModelClassifier(self.mixture, classes=classes, random_state=0)  # ties of labels, never asked for
        with silenced():
            clf.fit(X, y)
        return seeded(
            view,
            lambda seed: FourDs(lmbda=self.lmbda, random_state=seed),
            X,
            y,
            kwargs={"clf": clf, "fit_clf": False},
        )
