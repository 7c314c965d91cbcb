"""Diverse: rows that score high and are unlike each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

import alcore
from alcore import Floats, InputError, Rows, View
from alcore.select import top
from alcore_strategies.combinators.inner import Named, Outer, make, merged, scored, scores
from alcore_strategies.geometry import distances_to, k_means, nearest_distinct, without_taken

Method: TypeAlias = Literal["k-means", "k-center"]


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    spec, strategy = make(params["strategy"])
    method, factor = params["method"], params["factor"]
    if not scored(strategy):
        raise InputError(f"diverse: {spec.name} chooses rows without scoring them; use one with scores, as 'margin'.")
    if method not in ("k-means", "k-center"):
        raise InputError(f'diverse: method is {method!r}; use "k-means" or "k-center".')
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor < np.inf:
        raise InputError(f"diverse: factor is {factor!r}; give a number of 1 or more.")
    return merged([spec], stochastic=spec.stochastic or method == "k-means", batch="native")


@alcore.strategy(
    "diverse",
    summary="Rows among the best scores of any strategy that are unlike each other",
    revision=2,
    needs=("proba|decision",),
    stateful=False,
    stochastic=True,
    source="Zhdanov, Diverse mini-batch Active Learning (2019), algorithm 1",
    group="combinator",
    parts=("margin",),
    adapt=_adapted,
)
class Diverse(Outer):
    """The factor * n best rows are clustered into n clusters, and the row nearest to each centre is asked.

    Distances are Euclidean on ``pool.features``. Rows that are out for labelling have clusters of their own, or count
    as taken.

    Parameters
    ----------
    strategy : a strategy with scores
    method : "k-means" or "k-center"
        "k-center" takes the best row, then the one farthest from those taken, and so on, in place of clusters.
    factor : float
        How many times the batch is prefiltered (beta in the paper, which takes 10 or 50).
    """

    def __init__(self, strategy: Named = "margin", method: Method = "k-means", factor: float = 10) -> None:
        super().__init__([strategy], {"strategy": strategy, "method": method, "factor": factor})
        self.method = method
        self.factor = factor

    def query(self, view: View, n: int) -> Rows:
        """Filter by score, then choose by place."""
        part = view.among()
        best = part.top(scores(self.inner[0], self.specs[0], part), int(np.ceil(self.factor * n)))
        out = view.pending
        if len(best) == n or (n == 1 and not len(out)):
            return best[:n]
        Z, taken = view.pool.features[best], view.pool.features[out]
        if self.method == "k-center":
            return best[_k_center(Z, n, view, taken)]
        centres = without_taken(k_means(np.concatenate([Z, taken]), n + len(out), view.rng)[0], taken)
        # Of rows that are equally near, the better one: they stand in the order of their scores.
        return best[nearest_distinct(Z, centres, np.arange(len(Z)))]


def _k_center(Z: Floats, n: int, view: View, taken: Floats) -> Rows:
    """Return n positions: the first, then the one farthest from those before (Gonzalez 1985), and from those taken."""
    chosen: list[int] = [] if len(taken) else [0]
    D2 = np.full(len(Z), np.inf)
    for point in taken:
        np.minimum(D2, distances_to(Z, point), out=D2)
    while len(chosen) < n:
        if chosen:
            np.minimum(D2, distances_to(Z, Z[chosen[-1]]), out=D2)
        D2[chosen] = -1.0
        chosen.append(int(top(D2, 1, lambda: view.rng, view.ties)[0]))
    return np.array(chosen, dtype=np.intp)
