"""Small margins, by cluster."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from sampling_methods.sampling_def import SamplingMethod, ranked


class InformativeClusterDiverseSampler(SamplingMethod):
    def __init__(self, X, y, seed):
        super().__init__(X, y, seed)
        self.flat_X = self.flatten_X()
        self.n_clusters = len(set(y))
        self.cluster_labels = MiniBatchKMeans(n_clusters=self.n_clusters).fit(self.flat_X).labels_
        self.cluster_prob = np.unique(self.cluster_labels, return_counts=True)[1] / len(X)

    def select_batch_(self, model, already_selected, N, **kwargs):
        order = ranked(model, self.X, already_selected)
        counts, batch = np.zeros(self.n_clusters), []
        for row in order:
            cluster = self.cluster_labels[row]
            if len(batch) < N and counts[cluster] < N * self.cluster_prob[cluster]:
                batch.append(row)
                counts[cluster] += 1
        rest = [row for row in order if row not in batch]
        return batch + rest[: N - len(batch)]
