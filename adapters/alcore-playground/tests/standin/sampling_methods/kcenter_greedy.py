"""Greedy k-center."""

import numpy as np
from sklearn.metrics import pairwise_distances

from sampling_methods.sampling_def import SamplingMethod


class kCenterGreedy(SamplingMethod):
    def __init__(self, X, y, seed, metric="euclidean"):
        super().__init__(X, y, seed)
        self.features, self.metric = self.flatten_X(), metric
        self.min_distances, self.already_selected = None, []

    def update_distances(self, cluster_centers, only_new=True, reset_dist=False):
        new = [row for row in cluster_centers if not only_new or row not in self.already_selected]
        if not new:
            return
        distances = pairwise_distances(self.features, self.features[new], metric=self.metric)
        if self.min_distances is None or reset_dist:
            self.min_distances = distances.min(axis=1).reshape(-1, 1)
        else:
            self.min_distances = np.minimum(self.min_distances, distances)

    def select_batch_(self, model, already_selected, N, **kwargs):
        self.update_distances(already_selected)
        batch = []
        for _ in range(N):
            row = np.argmax(self.min_distances)
            assert row not in already_selected
            self.update_distances([row])
            batch.append(row)
        print("largest distance %0.2f" % max(self.min_distances))  # noqa: UP031 - one row of distances, as it was
        self.already_selected = already_selected
        return batch
