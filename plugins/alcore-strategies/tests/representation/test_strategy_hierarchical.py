"""Hierarchical sampling keeps the pruning of a bottom-up pass over the whole tree."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_iris

import alcore
from alcore_strategies.representation import Hierarchical
from alcore_strategies.representation.hierarchical import admissible, bounds
from alcore_strategies.representation.ward import ward_tree

X, Y = load_iris(return_X_y=True)
PICK = np.random.default_rng(0).permutation(150)[:80]  # in no order
X, Y = X[PICK], Y[PICK].astype(np.intp)


class Brute:
    """Algorithm 1 with a pass over all nodes after every batch."""

    def __init__(self, children, K, beta=2.0):
        self.children, self.K, self.beta = children, K, beta
        self.n = len(children) + 1
        self.nodes = 2 * self.n - 1
        self.leaves = [{v} for v in range(self.n)]
        for a, b in children:
            self.leaves.append(self.leaves[a] | self.leaves[b])
        self.seen = {}
        self.A = [set() for _ in range(self.nodes)]
        self.P, self.L = [self.nodes - 1], {self.nodes - 1: 0}

    def p(self, v):
        codes = [self.seen[i] for i in self.leaves[v] if i in self.seen]
        return len(codes), [codes.count(k) / len(codes) if codes else 0.0 for k in range(self.K)]

    def bounds(self, v):
        n, p = self.p(v)
        if n == 0:
            return [0.0] * self.K, [1.0] * self.K
        delta = [1 / n + np.sqrt(q * (1 - q) / n) for q in p]
        return [max(q - d, 0) for q, d in zip(p, delta, strict=True)], [
            min(q + d, 1) for q, d in zip(p, delta, strict=True)
        ]

    def cluster(self, row):
        return next(v for v in self.P if row in self.leaves[v])

    def update(self, rows, codes):
        hit = {self.cluster(row) for row in rows}
        self.seen.update(zip(rows, codes, strict=True))
        score, split, best = {}, {}, {}
        for v in range(self.nodes):
            n, p = self.p(v)
            lower, upper = self.bounds(v)
            self.A[v] = set()
            for k in range(self.K):
                if 1 - lower[k] < self.beta * min(1 - upper[j] for j in range(self.K) if j != k):
                    self.A[v].add(k)
            error = [1 - p[k] if n and k in self.A[v] else 1.0 for k in range(self.K)]
            score[v], best[v], split[v] = min(error), int(np.argmin(error)), False
            if v >= self.n and self.A[v]:
                a, b = self.children[v - self.n]
                below = (len(self.leaves[a]) * score[a] + len(self.leaves[b]) * score[b]) / len(self.leaves[v])
                if below < score[v]:
                    score[v], split[v] = below, True
        for v in hit:
            self.P.remove(v)
            self.refine(v, self.L[v], split, best)

    def refine(self, v, label, split, best):
        label = best[v] if self.A[v] else label
        if split[v]:
            for child in self.children[v - self.n]:
                self.refine(child, label, split, best)
        else:
            self.P.append(v)
            self.L[v] = label

    def weights(self):
        """The chance of each unlabelled row, with clusters that are all labelled left out."""
        chance = np.zeros(self.n)
        for v in self.P:
            free = [i for i in self.leaves[v] if i not in self.seen]
            if free:
                chance[free] = len(self.leaves[v]) * (1 - self.bounds(v)[0][self.L[v]]) / len(free)
        return chance / chance.sum()


@pytest.mark.parametrize(("batch", "beta"), [(1, 4.0), (5, 2.0)])
def test_pruning_and_labelling_are_those_of_a_pass_over_the_whole_tree(begin, batch, beta):
    start = [0, 1, 2, 3, 4, 5]
    run = begin(X, Hierarchical(beta), start=start, y=Y)
    ours = run.state.strategy
    brute = Brute(linkage(run.pool.features, "ward")[:, :2].astype(int).tolist(), 3, beta)
    brute.update(start, Y[start].tolist())
    for _ in range(30 // batch):
        rows = run.ask(batch)
        brute.update(rows, Y[rows].tolist())
        clusters = np.flatnonzero(ours.pruned)
        assert clusters.tolist() == sorted(brute.P)
        assert [ours.label[v] for v in clusters] == [brute.L[v] for v in clusters]
    assert len(brute.P) > 2


def test_rows_are_drawn_by_weight(begin):
    labelled = np.arange(40)
    brute = Brute(linkage(alcore.Pool(X, "regression").features, "ward")[:, :2].astype(int).tolist(), 3)
    run = begin(X, Hierarchical(), start=labelled, y=Y)
    brute.update(labelled.tolist(), Y[labelled].tolist())
    view, drawn = run.state.view(), np.zeros(len(X))
    for _ in range(1000):
        drawn[run.state.strategy.query(view, 1)] += 1
    expected = 1000 * brute.weights()
    assert (np.abs(drawn - expected) < 4.5 * np.sqrt(expected) + 1e-9).all()


def test_random_selection_weighs_clusters_by_size_alone(begin):
    run = begin(X, Hierarchical(select="random"), start=np.arange(40), y=Y)
    ours, view, drawn = run.state.strategy, run.state.view(), np.zeros(len(X))
    for _ in range(1000):
        drawn[ours.query(view, 1)] += 1
    free = np.ones(len(X), dtype=bool)
    free[:40] = False
    for v in np.flatnonzero(ours.pruned):
        members = ours.tree.leaves[ours.tree.start[v] : ours.tree.start[v] + ours.tree.size[v]]
        open_ = [u for u in np.flatnonzero(ours.pruned) if free[_leaves(ours.tree, u)].any()]
        share = len(members) / sum(ours.tree.size[u] for u in open_) if free[members].any() else 0.0
        assert drawn[members].sum() == pytest.approx(1000 * share, abs=4.5 * np.sqrt(1000 * share + 1e-9))


def _leaves(tree, v):
    return tree.leaves[tree.start[v] : tree.start[v] + tree.size[v]]


def test_bounds_and_admissible_labels_by_hand():
    counts = np.array([[4.0, 0.0], [2.0, 2.0], [0.0, 0.0], [1.0, 0.0]])
    lower, upper = bounds(counts)
    np.testing.assert_allclose(lower, [[0.75, 0], [0, 0], [0, 0], [0, 0]])
    np.testing.assert_allclose(upper, [[1, 0.25], [1, 1], [1, 1], [1, 1]])
    assert admissible(counts, 2.0).tolist() == [[True, False], [False, False], [False, False], [False, False]]


def test_a_deep_tree_is_no_recursion(begin):
    line = (4.0 ** np.arange(70.0))[:, None]  # each row is farther from the others than they are from each other
    tree = ward_tree(line)
    depth, v = 0, 0
    while tree.parent[v] >= 0:
        depth, v = depth + 1, tree.parent[v]
    assert depth > 60
    assert len(set(begin(line, Hierarchical(), start=[0], y=np.arange(70) % 2).ask(3, 20))) == 60


@pytest.mark.parametrize("kind", ["spread", "copies", "far from the origin"])
def test_ward_without_the_matrix_makes_the_same_tree(kind):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(75, 3))
    Z = {"spread": Z, "copies": np.repeat(Z[:25], 3, axis=0), "far from the origin": Z + 1e5}[kind]
    trees = [ward_tree(Z, matrix) for matrix in (0, 1 << 20)]  # without, with
    heights = [np.sort([_within(Z[_leaves(tree, v)]) for v in range(75, 149)]) for tree in trees]
    np.testing.assert_allclose(*heights, rtol=1e-5, atol=1e-9)
    if kind != "copies":  # copies may be merged in any order
        clusters = [{frozenset(_leaves(tree, v).tolist()) for v in range(149)} for tree in trees]
        assert clusters[0] == clusters[1]


def _within(Z):
    return ((Z - Z.mean(axis=0)) ** 2).sum()


def test_one_row_is_a_tree():
    tree = ward_tree(np.zeros((1, 2)))
    assert (tree.parent.tolist(), tree.size.tolist(), tree.leaves.tolist()) == ([-1], [1], [0])


@pytest.mark.parametrize("params", [{"beta": 0.0}, {"select": "all"}])
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(alcore.InputError, match=f"hierarchical: {next(iter(params))}"):
        Hierarchical(**params)
