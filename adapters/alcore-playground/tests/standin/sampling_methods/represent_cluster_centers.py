"""Means of the rows within the margin."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from sampling_methods.sampling_def import SamplingMethod, ranked


class RepresentativeClusterMeanSampling(SamplingMethod):
    def __init__(self, X, y, seed):
        super().__init__(X, y, seed)
        self.flat_X = self.flatten_X()

    def select_batch_(self, model, N, already_selected, **kwargs):
        order = ranked(model, self.X, already_selected)
        sure = np.abs(model.decision_function(self.X))
        least = sure[list(already_selected)].min(axis=0)
        inside = np.array([row for row in order if any(sure[row] < least)])  # two classes: any() of a number
        if len(inside) < N:
            return order[:N]
        distance = MiniBatchKMeans(n_clusters=N).fit_transform(self.flat_X[inside])
        batch = list(dict.fromkeys(inside[distance.argmin(axis=0)]))
        return batch + [row for row in order if row not in batch][: N - len(batch)]
