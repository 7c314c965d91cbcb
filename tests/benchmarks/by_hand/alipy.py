"""ALiPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from alcore_alipy.library import load
from tests.benchmarks.by_hand.now import Now

raw, multi = load("query_strategy.query_labels"), load("query_strategy.multi_label")


def by_model(name: str, **params: Any) -> Any:
    def call(now: Now) -> Any:
        query = now.once("query", lambda: getattr(raw, name)(now.X, now.y, **params))
        return query.select(now.labeled, now.unlabeled, model=now.model, batch_size=1)

    return call


def by_place(name: str, *, signs: bool = False, **params: Any) -> Any:
    def call(now: Now) -> Any:
        y, train = now.signs if signs else now.y, np.arange(len(now.X))
        given = {} if name in ("QueryInstanceBMDR", "QueryInstanceSPAL") else {"train_idx": train}
        query = now.once("query", lambda: getattr(raw, name)(now.X, y, **given, **params))
        solver = {} if given else {"qp_solver": "OSQP"}
        return query.select(now.labeled, now.unlabeled, **solver)

    return call


def density_weighted(now: Now) -> Any:
    query = now.once("query", lambda: raw.QueryInstanceDensityWeighted(now.X, now.y, "entropy"))
    return query.select(now.labeled, now.unlabeled, 1, model=now.model)


def random(now: Now) -> Any:
    from alipy.index import IndexCollection

    query = now.once("query", lambda: raw.QueryInstanceRandom(now.X, now.y))
    return query.select(IndexCollection(now.labeled), IndexCollection(now.unlabeled.tolist()), batch_size=1)


def lal(now: Now) -> Any:
    def make() -> Any:
        query = raw.QueryInstanceLAL(now.X, now.y, "LAL_iterative", ".", cls_est=10, train_slt=False)
        query._selector = now.strategy._trained()
        return query

    return now.once("query", make).select(now.labeled, now.unlabeled, batch_size=1)


def of_labels(name: str, *, pairs: bool = False, signs: bool = False, **params: Any) -> Any:
    def call(now: Now) -> Any:
        query = now.once("query", lambda: getattr(multi, name)(now.X, 2 * now.y - 1 if signs else now.y, **params))
        labeled, unlabeled = now.labeled, now.unlabeled.tolist()
        if pairs:
            labeled, unlabeled = [(row,) for row in labeled], [(row,) for row in unlabeled]
        return query.select(labeled, unlabeled)

    return call


def audi(now: Now) -> Any:
    """Ask an object made anew, as the adapter does: the library's goes on from parameters that it means to keep."""
    query = multi.QueryMultiLabelAUDI(now.X, 2 * now.y - 1)
    return query.select([(row,) for row in now.labeled], [(row,) for row in now.unlabeled.tolist()])


def random_of_labels(now: Now) -> Any:
    query = now.once("query", lambda: multi.QueryMultiLabelRandom(now.X, now.y))
    return query.select(None, [(row,) for row in now.unlabeled.tolist()], select_type="ins")


CALLS = {
    "random": random,
    "least-confident": by_model("QueryInstanceUncertainty", measure="least_confident"),
    "margin": by_model("QueryInstanceUncertainty", measure="margin"),
    "entropy": by_model("QueryInstanceUncertainty", measure="entropy"),
    "distance-to-boundary": by_model("QueryInstanceUncertainty", measure="distance_to_boundary"),
    "qbc-vote": by_model("QueryInstanceQBC", disagreement="vote_entropy"),
    "qbc-kl": by_model("QueryInstanceQBC", disagreement="KL_divergence"),
    "eer": by_model("QueryExpectedErrorReduction"),
    "lal": lal,
    "density-weighted": density_weighted,
    "core-set": by_place("QueryInstanceCoresetGreedy"),
    "graph-density": by_place("QueryInstanceGraphDensity"),
    "quire": by_place("QueryInstanceQUIRE", signs=True),
    "bmdr": by_place("QueryInstanceBMDR"),
    "spal": by_place("QueryInstanceSPAL"),
    "multilabel-random": random_of_labels,
    "audi": audi,
    "multilabel-quire": of_labels("QueryMultiLabelQUIRE", pairs=True, signs=True),
    "mmc": of_labels(
        "QueryMultiLabelMMC", base_clf=LogisticRegression(random_state=0), logreg_param={"solver": "newton-cg"}
    ),
    "adaptive": of_labels("QueryMultiLabelAdaptive", base_clf=LogisticRegression(random_state=0)),
}
