"""Samplers that keep nothing between rounds: uniform, margin, informative and diverse, cluster means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Pool, Rows, View
from alcore.interop import seeded_globals, silenced
from alcore_playground.checkout import sampler
from alcore_playground.face import TwoColumns, ask, margin_learner, numbers, placeholder, tie_order


class Unshuffled:
    """``UniformSampling`` as published: the unlabelled rows in the order of the file, whatever its seed."""

    name = "playground.uniform-unshuffled"

    def __init__(self) -> None:
        sampler("uniform_sampling", "UniformSampling")

    def query(self, view: View, n: int) -> Rows:
        """Return the first n unlabelled rows."""
        return self._first(view, np.arange(len(view.pool)), n)

    def _first(self, view: View, order: Rows, n: int) -> Rows:
        if n == 0:
            return np.empty(0, dtype=np.intp)
        with seeded_globals(0):  # the constructor seeds the global state, and nothing is drawn from it
            made = sampler("uniform_sampling", "UniformSampling")(numbers(order), None, 0)
        return ask(made, view, order, n, seed=0)


class Uniform(Unshuffled):
    """``UniformSampling`` on the pool in an order drawn from the run's seed: what its documentation asks for."""

    name = "playground.uniform"

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Shuffle the pool."""
        self.order = rng.permutation(len(pool))

    def query(self, view: View, n: int) -> Rows:
        """Return the first n unlabelled rows of the shuffled pool."""
        return self._first(view, self.order, n)


class Margin:
    """``MarginAL``: the smallest |f|, or the smallest gap of the two largest decision values or probabilities."""

    name = "playground.margin"

    def __init__(self) -> None:
        sampler("margin_AL", "MarginAL")

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the smallest margin."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        order = tie_order(view)
        made = sampler("margin_AL", "MarginAL")(numbers(order), None, 0)
        return ask(made, view, order, n, model=margin_learner(view))


class Informative:
    """``InformativeClusterDiverseSampler``: small margins, each cluster with its share of the batch.

    The pool is clustered once per run, into as many clusters as there are classes, seeded by the run.
    """

    name = "playground.informative-cluster-diverse"

    def __init__(self) -> None:
        sampler("informative_diverse", "InformativeClusterDiverseSampler")

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Cluster the pool."""
        self.pool, self.seed = pool, int(rng.integers(2**31))
        self.made = self._make()

    def _make(self) -> Any:
        with seeded_globals(self.seed), silenced():
            return clustered(self.pool, sampler("informative_diverse", "InformativeClusterDiverseSampler"), self.seed)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sampler, whose class no other process can find: one seed makes the same again."""
        return {name: value for name, value in vars(self).items() if name != "made"}

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        if not hasattr(self, "made"):
            self.made = self._make()
        order = tie_order(view)
        turned(self.made, order)
        return ask(self.made, view, order, n, model=margin_learner(view))


class ClusterMeans:
    """``RepresentativeClusterMeanSampling``: rows within the margin that are nearest to the means of their clusters.

    With two classes the playground compares a number where it expects a column per class, and fails; it gets two
    columns, -f and f.
    """

    name = "playground.mcm"

    def __init__(self) -> None:
        sampler("represent_cluster_centers", "RepresentativeClusterMeanSampling")

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        order, make = tie_order(view), sampler("represent_cluster_centers", "RepresentativeClusterMeanSampling")
        made = make(view.pool.features[order], placeholder(view.pool), 0)
        made.X = numbers(order)
        return ask(made, view, order, n, model=TwoColumns(view))


def clustered(pool: Pool, make: Any, seed: int) -> Any:
    """Return an ``InformativeClusterDiverseSampler`` that remembers its clusters in the order of the file.

    The share of an empty cluster is 0: the playground leaves it out, and then reads the shares of those behind it.
    """
    made = make(pool.features, placeholder(pool), seed)
    made.cluster_prob = np.bincount(made.cluster_labels, minlength=made.n_clusters) / len(pool)
    made.labels_in_file = made.cluster_labels
    return made


def turned(made: Any, order: Rows) -> None:
    """Let a sampler see the pool in this order."""
    made.X = numbers(order)
    if hasattr(made, "labels_in_file"):
        made.cluster_labels = made.labels_in_file[order]
