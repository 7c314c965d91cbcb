"""The first rows."""

import numpy as np

from sampling_methods.sampling_def import SamplingMethod


class UniformSampling(SamplingMethod):
    def __init__(self, X, y, seed):
        super().__init__(X, y, seed)
        np.random.seed(seed)

    def select_batch_(self, already_selected, N, **kwargs):
        return [row for row in range(self.X.shape[0]) if row not in already_selected][:N]
