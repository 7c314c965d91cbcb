"""The strategies that look at where rows lie: core-set, graph density, density weighting and QUIRE.

They are given ``pool.features``: numbers without gaps, standardised unless the experiment says otherwise.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from alcore import Floats, Labels, Pool, Rows, StrategyError, View
from alcore.interop import signs
from alcore_alipy.library import Heard, Instead, Kernel, Scored, calling, load, prepared, rebound, shared

LABELS = load("query_strategy.query_labels")


class CoreSet:
    """Greedy k-center. State: the library's distance of every row to its nearest labelled row, updated per label.

    Parameters
    ----------
    distance : "euclidean", "manhattan", "cityblock", "l1", "l2" or "cosine"
    """

    name = "alipy.core-set"

    def __init__(self, distance: str = "euclidean") -> None:
        self.distance = distance

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything; nothing is labelled."""
        n = len(pool)
        self._centers = LABELS.QueryInstanceCoresetGreedy(pool.features, np.zeros(n), np.arange(n), self.distance)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Let the new rows shorten the distances."""
        with calling():
            self._centers.update_distances(rows.tolist(), only_new=False)

    def query(self, view: View, n: int) -> Rows:
        """Return the farthest row, then the farthest from that one as well, and so on."""
        centers, chosen = copy.copy(self._centers), np.zeros(len(view.pool), dtype=np.bool_)
        picked: list[int] = []
        for _ in range(n):
            # Where nothing is labelled the library has no distances, and fails: there, each row is as far as any.
            distances = np.zeros(len(chosen)) if centers.min_distances is None else centers.min_distances[:, 0]
            row = int(view.top(np.where(chosen, -np.inf, distances)[view.unlabeled], 1)[0])
            picked.append(row)
            chosen[row] = True
            with calling():
                centers.update_distances([row], only_new=False)
        return np.array(picked, dtype=np.intp)


class GraphDensity:
    """The densest row of a graph of ten neighbours; each pick lowers the density of its neighbours.

    State: the library's densities, changed in ``update`` by running its ``select`` along the rows that were labelled.
    The rows of the first update, the start set, lower nobody's density, as in the library.

    Parameters
    ----------
    metric : str
        Distance of the edges' weights, a metric of ``sklearn.metrics.pairwise_distances``.
    """

    name = "alipy.graph-density"

    def __init__(self, metric: str = "manhattan") -> None:
        self.metric = metric

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Build the graph, once per pool; nothing is labelled."""
        self._graph = self._private(pool.memo(("alcore-alipy", "graph", self.metric), lambda: self._build(pool)))
        self._labeled: list[int] = []
        self._started = False

    def _build(self, pool: Pool) -> Any:
        n = len(pool)
        with calling():
            graph = _Graph(pool.features, np.zeros(n), np.arange(n), self.metric)
        if not np.isfinite(graph.graph_density).all():
            raise StrategyError(
                f"{self.name}: the density of {int((~np.isfinite(graph.graph_density)).sum())} rows is no number, "
                'because exp(-distance / d) is 0 for all their neighbours. Use features = "standard".'
            )
        graph.train_idx = _Same()
        graph.connect = graph.connect.tocsr()
        return graph

    def _private(self, graph: Any) -> Any:
        own = copy.copy(graph)
        own.graph_density = graph.graph_density.copy()
        return own

    def update(self, rows: Rows, labels: Labels) -> None:
        """Lower the densities around the rows that were asked for."""
        if self._started:
            forced = iter(rows.tolist())
            self._select(self._graph, lambda _: next(forced), rows, len(rows))
        self._started = True
        self._labeled += rows.tolist()

    def query(self, view: View, n: int) -> Rows:
        """Return the densest row, then the densest of what its pick leaves, and so on."""
        picked: list[int] = []

        def choose(density: Floats) -> int:
            left = np.where(np.isin(view.unlabeled, picked), -np.inf, density[view.unlabeled])
            picked.append(int(view.top(left, 1)[0]))
            return picked[-1]

        if n:
            self._select(self._private(self._graph), choose, view.unlabeled, n)
        return np.array(picked, dtype=np.intp)

    def _select(self, graph: Any, choose: Any, unlabeled: Rows, n: int) -> None:
        select = rebound(LABELS.QueryInstanceGraphDensity.select, np=Instead(np, argmax=choose))
        # The library answers at once when all that is left is asked for: a number that is no row is left as well.
        left = np.append(unlabeled, -1 - np.arange(n))
        with calling():
            select(graph, self._labeled, left, batch_size=n)


def _neighbors(*args: Any, **kwargs: Any) -> Any:
    """Return the graph in a format that takes the library's assignments edge by edge."""
    return kneighbors_graph(*args, **kwargs).tolil()


def _distance(a: Floats, b: Floats, metric: str) -> Any:
    """Return the distance of two rows, without the checks that take longer than it does."""
    return cdist(a, b, "cityblock") if metric == "manhattan" else pairwise_distances(a, b, metric=metric)


class _Graph(LABELS.QueryInstanceGraphDensity):  # type: ignore[misc, name-defined]
    """The library's graph, which takes seconds to build where edges are set in a CSR matrix."""

    _compute_graph_density = rebound(
        LABELS.QueryInstanceGraphDensity._compute_graph_density,
        kneighbors_graph=_neighbors,
        pairwise_distances=_distance,
    )


class _Same:
    """The library's map from its training rows to all rows, where both are the pool's; both ways in O(1)."""

    def __getitem__(self, position: int) -> int:
        return position

    def index(self, row: int) -> int:
        return row


class DensityWeighted(Scored):
    """Uncertainty times the mean distance to the other unlabelled rows, to the power of beta.

    Parameters
    ----------
    measure : "entropy", "least_confident" or "margin"
    distance : "euclidean", "manhattan", "cityblock", "l1", "l2" or "cosine"
    beta : float
    """

    name = "alipy.density-weighted"

    def __init__(self, measure: str = "entropy", distance: str = "euclidean", beta: float = 1.0) -> None:
        self.measure = measure
        self.distance = distance
        self.beta = beta

    def scores(self, view: View) -> Floats:
        """Return the product."""
        query = LABELS.QueryInstanceDensityWeighted(view.pool.features, None, self.measure, self.distance, self.beta)
        heard = Heard()
        select = rebound(LABELS.QueryInstanceDensityWeighted.select, nlargestarg=heard.nlargestarg)
        with calling():
            select(query, view.labeled, view.unlabeled, proba_prediction=view.proba)
        return heard.scores(len(view.unlabeled), self.name)


class Quire(Kernel):
    """QUIRE as the library computes it. Its two inverses, of the whole pool, are made once per pool."""

    name = "alipy.quire"

    def scores(self, view: View) -> Floats:
        """Return the evaluation of each row, negated."""
        n = len(view.pool)
        query = prepared(
            view,
            ("quire", *self.options.values()),
            lambda: LABELS.QueryInstanceQUIRE(view.pool.features, np.zeros(n), np.arange(n), **self.options),
        )
        query.y = np.zeros(n)
        query.y[view.labeled] = signs(view.y)
        bound, heard = _Bound(), Heard()
        select = rebound(LABELS.QueryInstanceQUIRE.select, np=Instead(np, inf=bound))
        with calling():
            select(query, view.labeled, view.unlabeled)
        if bound.met:
            heard.nsmallestarg(bound.met, 1)
        return shared(view, heard.scores(len(view.unlabeled), self.name))


class _Bound:
    """The infinity that the library's running minimum starts from: keeps what is compared to it, and stays."""

    __array_ufunc__ = None  # NumPy's numbers leave the comparison to this class

    def __init__(self) -> None:
        self.met: list[float] = []

    def __gt__(self, value: Any) -> bool:
        self.met.append(float(value))
        return False
