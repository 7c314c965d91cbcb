"""Hierarchical sampling: a tree of clusters, a pruning of it, and labels that say where to prune deeper."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore.types import Mask
from alcore_strategies.checks import positive
from alcore_strategies.representation.ward import ward_tree


@alcore.strategy(
    "hierarchical",
    summary="A random row of a cluster that is large and not known to be pure",
    learner=False,
    stochastic=True,
    growth="quadratic",  # Ward's tree, once per pool; a query is linear
    source="Dasgupta and Hsu, Hierarchical Sampling for Active Learning (ICML 2008), algorithm 1",
    group="representation",
)
class Hierarchical:
    """Draw a cluster v of the pruning P with probability proportional to w_v (1 - p^LB_{v,L(v)}), and a row in it.

    The tree is built once per pool. State: for each node v the counts of its labels, which labels are admissible,
    the score s(v) of the best pruning below it, the pruning P and its labelling L. Labels change the nodes
    between their rows and P alone, O(depth K) each; what is above P is never asked again.

    Parameters
    ----------
    beta : float
        A label is admissible if its error is surely less than 1/beta of that of every other label.
    select : "active" or "random"
        Clusters by w_v (1 - p^LB), or by w_v alone.
    """

    def __init__(self, beta: float = 2.0, select: Literal["active", "random"] = "active") -> None:
        positive("hierarchical", beta=beta)
        if select not in ("active", "random"):
            raise InputError(f'hierarchical: select is {select!r}; use "active" or "random".')
        self.beta = beta
        self.select = select

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Begin with P = {root}, and no label."""
        self.tree = pool.memo(("hierarchical", "ward"), lambda: ward_tree(pool.features))
        nodes = len(self.tree.parent)
        self.counts = np.zeros((nodes, pool.n_classes))
        self.admissible = np.zeros((nodes, pool.n_classes), dtype=bool)
        self.score = np.ones(nodes)
        self.split = np.zeros(nodes, dtype=bool)
        self.best = np.zeros(nodes, dtype=np.intp)
        self.pruned = np.zeros(nodes, dtype=bool)  # P
        self.pruned[-1] = True
        self.label = np.zeros(nodes, dtype=np.intp)  # L, where P is

    def update(self, rows: Rows, labels: Labels) -> None:
        """Count the labels, and refine P where they say so."""
        if not len(rows):
            return
        paths = [self._path(row) for row in rows.tolist()]
        nodes = np.concatenate(paths)
        np.add.at(self.counts, (nodes, np.repeat(labels, [len(path) for path in paths])), 1.0)
        self._rescore(np.unique(nodes))
        for v in {path[-1] for path in paths}:
            self._refine(v)

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, each from a cluster drawn anew."""
        _, _, size, start, leaves = self.tree
        clusters = np.flatnonzero(self.pruned)
        begin, end = start[clusters], start[clusters] + size[clusters]
        weight = size[clusters].astype(np.float64)
        if self.select == "active":
            lower, _ = bounds(self.counts[clusters])
            weight *= 1.0 - lower[np.arange(len(clusters)), self.label[clusters]]
        unlabeled = np.zeros(len(view.pool), dtype=bool)
        unlabeled[view.unlabeled] = True
        left = unlabeled[leaves]
        chosen = []
        for _ in range(n):
            before = np.append(0, np.cumsum(left))  # unlabelled leaves before each leaf
            free = before[end] - before[begin]
            v = view.rng.choice(len(clusters), p=_normalised(np.where(free > 0, weight, 0.0)))
            position = np.searchsorted(before, before[begin[v]] + view.rng.integers(free[v]), side="right") - 1
            left[position] = False
            chosen.append(leaves[position])
        return np.array(chosen, dtype=np.intp)

    def _path(self, row: int) -> list[int]:
        """Return the nodes from a row up to the cluster of P that it is in."""
        path = [row]
        while not self.pruned[path[-1]]:
            path.append(int(self.tree.parent[path[-1]]))
        return path

    def _rescore(self, nodes: Rows) -> None:
        """Renew A and s at nodes whose counts have changed; ascending, so that children come before their parent.

        s(v) = min(min_l error_{v,l}, w_a / w_v s(a) + w_b / w_v s(b)), with error_{v,l} = 1 - p_{v,l} for admissible
        labels and 1 for others; the children a and b count where v has an admissible label.
        """
        counts, n_leaves = self.counts[nodes], len(self.tree.leaves)
        known = self.admissible[nodes] = admissible(counts, self.beta)
        error = np.where(known, 1.0 - counts / counts.sum(axis=1, keepdims=True), 1.0)
        self.best[nodes] = error.argmin(axis=1)
        size = self.tree.size
        for v, own, may_split in zip(nodes.tolist(), error.min(axis=1).tolist(), map(any, known.tolist()), strict=True):
            self.score[v], self.split[v] = own, False
            if v >= n_leaves and may_split:
                a, b = self.tree.children[v - n_leaves]
                below = (size[a] * self.score[a] + size[b] * self.score[b]) / size[v]
                if below < own:
                    self.score[v], self.split[v] = below, True

    def _refine(self, v: int) -> None:
        """Replace cluster v of P by the pruning that achieves s(v)."""
        self.pruned[v] = False
        below = [(v, self.label[v])]
        while below:
            u, label = below.pop()
            if self.admissible[u].any():
                label = self.best[u]
            if self.split[u]:
                below += [(int(child), label) for child in self.tree.children[u - len(self.tree.leaves)]]
            else:
                self.pruned[u], self.label[u] = True, label


def bounds(counts: Floats) -> tuple[Floats, Floats]:
    """Return p^LB and p^UB = p -+ (1/n_v + sqrt(p (1 - p) / n_v)) within [0, 1]; 0 and 1 where nothing is labelled.

    Parameters
    ----------
    counts : (nodes, K)
        Labels of each class in each node; their sums are n_v.
    """
    n = counts.sum(axis=1, keepdims=True)
    some = np.maximum(n, 1.0)
    p = counts / some
    delta = np.where(n > 0, 1.0 / some + np.sqrt(p * (1.0 - p) / some), 1.0)
    return np.maximum(p - delta, 0.0), np.minimum(p + delta, 1.0)


def admissible(counts: Floats, beta: float) -> Mask:
    """Tell of each node and label l whether 1 - p^LB_l < beta min_{l' != l} (1 - p^UB_l') (equation 1)."""
    lower, upper = bounds(counts)
    if counts.shape[1] == 1:
        return np.ones(counts.shape, dtype=bool)
    second, first = np.partition(upper, -2, axis=1)[:, -2:].T[:, :, None]
    found: Mask = 1.0 - lower < beta * (1.0 - np.where(upper < first, first, second))
    return found


def _normalised(weight: Floats) -> Floats:
    share: Floats = weight / weight.sum()
    return share
