"""What the playground's strategies are called, need and can do. Nothing of the playground is imported here."""

from __future__ import annotations

from functools import partial
from typing import Any

from alcore import StrategySpec, Task
from alcore_playground.checkout import lacking

PLAYGROUND = "github.com/google/active-learning"


def _spec(name: str, summary: str, make: str, module: str, **capabilities: Any) -> StrategySpec:
    return StrategySpec(
        name=f"playground.{name}",
        summary=summary,
        make=f"alcore_playground.{make}",
        unavailable=partial(lacking, module),
        **{"source": PLAYGROUND} | capabilities,
    )


SPECS = [
    _spec(
        "uniform",
        "Every unlabelled row is equally likely: the first rows of the shuffled pool",
        "plain:Uniform",
        "uniform_sampling",
        tasks=frozenset(Task),
        learner=False,
        stochastic=True,
        uniform=True,
        group="baseline",
    ),
    _spec(
        "uniform-unshuffled",
        "The first unlabelled rows in the order of the file, as published",
        "plain:Unshuffled",
        "uniform_sampling",
        tasks=frozenset(Task),
        learner=False,
        group="baseline",
    ),
    _spec(
        "margin",
        "Smallest gap of the two largest decision values, or probabilities where there are none",
        "plain:Margin",
        "margin_AL",
        needs=("proba|decision",),
        batch="top",
        group="uncertainty",
    ),
    _spec(
        "informative-cluster-diverse",
        "Small margins, each cluster of the pool with its share of the batch",
        "plain:Informative",
        "informative_diverse",
        needs=("proba|decision",),
        sparse=False,
        stochastic=True,
        group="hybrid",
    ),
    _spec(
        "mcm",
        "Rows within the margin that are nearest to the means of their clusters",
        "plain:ClusterMeans",
        "represent_cluster_centers",
        needs=("decision",),
        sparse=False,
        stochastic=True,
        source="Xu et al., Representative Sampling for Text Classification Using Support Vector Machines (2003)",
        group="hybrid",
    ),
    _spec(
        "core-set",
        "The row farthest from its nearest labelled row",
        "geometry:CoreSet",
        "kcenter_greedy",
        tasks=frozenset(Task),
        learner=False,
        sparse=False,
        stateful=True,
        source="Sener and Savarese, Active Learning for CNNs: A Core-Set Approach (2018), algorithm 1",
        group="representation",
    ),
    _spec(
        "graph-density",
        "The row with the heaviest edges in a graph of ten neighbours",
        "geometry:GraphDensity",
        "graph_density",
        tasks=frozenset(Task),
        learner=False,
        sparse=False,
        stateful=True,
        source="Ebert, Fritz and Schiele, RALF: A Reinforced Active Learning Formulation (2012)",
        group="representation",
    ),
    _spec(
        "hierarchical",
        "A random row of a cluster that is large and not known to be pure",
        "hierarchical:Hierarchical",
        "hierarchical_clustering_AL",
        learner=False,
        sparse=False,
        stateful=True,
        stochastic=True,
        growth="quadratic",
        source="Dasgupta and Hsu, Hierarchical Sampling for Active Learning (2008)",
        group="representation",
    ),
    _spec(
        "mixture",
        "Several samplers, each with its share of the batch",
        "wrappers:Mixture",
        "mixture_of_samplers",
        needs=("proba|decision",),
        stochastic=True,
        group="combinator",
    ),
    _spec(
        "bandit",
        "EXP3 chooses a mixture of samplers each round by the accuracy after the last",
        "wrappers:Bandit",
        "bandit_discrete",
        needs=("proba|decision",),
        stateful=True,
        stochastic=True,
        resumable=False,
        source="Auer et al., The nonstochastic multiarmed bandit problem (2002); after Hsu and Lin, "
        "Active Learning by Learning (2015)",
        group="combinator",
    ),
    _spec(
        "simulate-batch",
        "The best of many batches that were chosen in small steps on made-up labels",
        "wrappers:SimulateBatch",
        "simulate_batch",
        needs=("proba",),
        stochastic=True,
        group="combinator",
    ),
]
