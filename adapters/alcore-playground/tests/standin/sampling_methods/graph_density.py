"""Rows with heavy edges to their neighbours."""

import numpy as np
from scipy.sparse import lil_matrix
from sklearn.neighbors import kneighbors_graph

from sampling_methods.sampling_def import SamplingMethod


class GraphDensitySampler(SamplingMethod):
    def __init__(self, X, y, seed):
        super().__init__(X, y, seed)
        self.flat_X = self.flatten_X()
        edges = lil_matrix((len(X), len(X)))
        for one, other in zip(*kneighbors_graph(self.flat_X, 10, p=1).nonzero(), strict=True):
            gap = np.abs(self.flat_X[one] - self.flat_X[other]).sum()
            edges[one, other] = edges[other, one] = np.exp(-gap / self.X.shape[1])
        self.connect = edges.tocsr()
        self.graph_density = np.asarray(self.connect.sum(axis=1)).ravel() / np.diff(self.connect.indptr)
        self.starting_density = self.graph_density.copy()

    def select_batch_(self, N, already_selected, **kwargs):
        batch = []
        while len(batch) < N:
            for row in [*already_selected, *batch]:
                self.graph_density[row] = self.graph_density.min() - 1
            row = int(self.graph_density.argmax())
            near = self.connect[[row]].nonzero()[1]
            self.graph_density[near] -= self.graph_density[row]
            batch.append(row)
        return batch
