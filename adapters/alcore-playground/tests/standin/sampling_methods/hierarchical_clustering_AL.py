"""Impure clusters of a tree."""

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from sampling_methods.sampling_def import SamplingMethod
from sampling_methods.utils.tree import Tree


class HierarchicalClusterAL(SamplingMethod):
    def __init__(self, X, y, seed, beta=2, affinity="euclidean", linkage="ward", clustering=None, max_features=None):
        super().__init__(X, y, seed)
        np.random.seed(seed)
        self.beta, self.y_labels = beta, {}
        model = AgglomerativeClustering(affinity=affinity, linkage=linkage, n_clusters=len(set(y))).fit(X)
        self.n_components = model.n_components_
        self.n_leaves = model.n_leaves_
        self.children = model.children_
        self.tree = Tree(self.children, self.n_leaves)
        self.pruning = [self.n_leaves + len(self.children) - 1]
        print("made the tree")

    def doubt(self, node):
        counts = np.array(
            [sum(self.y_labels.get(leaf) == code for leaf in self.tree.below(node)) for code in self.classes]
        )
        share = (counts + 1) / (counts + 1).sum()
        return min(1 - max(share[i] for i in range(len(share)) if i != best) for best in [share.argmax()]) ** self.beta

    def split(self):
        worst = max(self.pruning, key=lambda node: len(self.tree.below(node)) * (1.01 - self.doubt(node)))
        if worst >= self.n_leaves:
            self.pruning.remove(worst)
            self.pruning += [int(node) for node in self.children[worst - self.n_leaves]]

    def select_batch_(self, N, already_selected, labeled, y, **kwargs):
        self.y_labels.update(labeled)
        self.classes = sorted(set(self.y_labels.values()))
        self.split()
        print("impurity", [len(set(np.asarray(y)[self.tree.below(node)])) for node in self.pruning])
        weights = np.array([len(self.tree.below(node)) * (1.01 - self.doubt(node)) for node in self.pruning])
        batch = []
        while len(batch) < N:
            node = self.pruning[np.random.choice(len(self.pruning), p=weights / weights.sum())]
            left = [leaf for leaf in self.tree.below(node) if leaf not in self.y_labels and leaf not in batch]
            if left:
                batch.append(np.random.choice(left))
        return batch
