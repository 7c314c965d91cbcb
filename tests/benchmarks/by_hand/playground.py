"""The playground, where there is a checkout."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore_playground.checkout import sampler
from tests.benchmarks.by_hand.now import Now

MIXED = {"methods": ["margin", "uniform"]}


def made(module: str, name: str, **params: Any) -> Any:
    def call(now: Now) -> Any:
        one = now.once("sampler", lambda: sampler(module, name)(now.X, now.y, 0, **params))
        return one.select_batch(model=now.model, already_selected=now.labeled, N=1)

    return call


class TwoColumns:
    """With two classes the playground fails unless decision values have a column per class."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def decision_function(self, X: Any) -> Any:
        values = self.model.decision_function(X)
        return np.column_stack([-values, values])


def mcm(now: Now) -> Any:
    make = sampler("represent_cluster_centers", "RepresentativeClusterMeanSampling")
    one = now.once("sampler", lambda: make(now.X, now.y, 0))
    return one.select_batch(model=TwoColumns(now.model), already_selected=now.labeled, N=1)


def hierarchical(now: Now) -> Any:
    make = sampler("hierarchical_clustering_AL", "HierarchicalClusterAL")
    one = now.once("sampler", lambda: make(now.X, now.y, 0))
    known = dict(zip(now.labeled, now.y[now.labeled].tolist(), strict=True))
    return one.select_batch(N=1, already_selected=now.labeled, labeled=known, y=now.y)


def bandit(now: Now) -> Any:
    arms = [MIXED | {"weights": weights} for weights in ([0, 1], [1, 0])]
    one = now.once(
        "sampler", lambda: sampler("bandit_discrete", "BanditDiscreteSampler")(now.X, now.y, 0, samplers=arms)
    )
    rows, hits = np.random.default_rng(0).permutation(now.labeled), 0
    for part in np.array_split(np.arange(len(rows)), 3):
        rest = np.delete(rows, part)
        hits += (now.seeded().fit(now.X[rest], now.y[rest]).predict(now.X[rows[part]]) == now.y[rows[part]]).sum()
    accuracy = hits / len(rows)
    return one.select_batch(model=now.model, already_selected=now.labeled, N=1, eval_acc=accuracy)


def simulate_batch(now: Now) -> Any:
    how = {"samplers": [MIXED | {"weights": [1, 0]}], "n_sims": 10, "train_per_sim": 10, "return_type": "best_sim"}
    one = now.once("sampler", lambda: sampler("simulate_batch", "SimulateBatchSampler")(now.X, now.y, 0, **how))
    one.trace, one.selected = [], []  # they grow from query to query
    test = np.array(now.labeled[::3])
    given = {"model": now.model, "y": now.y, "X_test": now.X[test], "y_test": now.y[test]}
    return one.select_batch(already_selected=now.labeled, N=1, **given)


CALLS = {
    "uniform": made("uniform_sampling", "UniformSampling"),
    "uniform-unshuffled": made("uniform_sampling", "UniformSampling"),
    "margin": made("margin_AL", "MarginAL"),
    "informative-cluster-diverse": made("informative_diverse", "InformativeClusterDiverseSampler"),
    "mcm": mcm,
    "core-set": made("kcenter_greedy", "kCenterGreedy"),
    "graph-density": made("graph_density", "GraphDensitySampler"),
    "hierarchical": hierarchical,
    "mixture": made("mixture_of_samplers", "MixtureOfSamplers", mixture=MIXED | {"weights": [0.5, 0.5]}),
    "bandit": bandit,
    "simulate-batch": simulate_batch,
}
