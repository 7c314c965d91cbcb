"""Several samplers fill one batch."""

from sampling_methods.constants import AL_MAPPING, get_base_AL_mapping
from sampling_methods.sampling_def import SamplingMethod

get_base_AL_mapping()

DEFAULT = {"methods": ("margin", "uniform"), "weight": (0.5, 0.5)}  # the key is a fault of the playground's


class MixtureOfSamplers(SamplingMethod):
    def __init__(self, X, y, seed, mixture=DEFAULT, samplers=None):
        super().__init__(X, y, seed)
        self.shares = dict(zip(mixture["methods"], mixture["weights"], strict=True))
        self.samplers = samplers or {name: AL_MAPPING[name](X, y, seed) for name in self.shares}
        self.history = []

    def select_batch_(self, already_selected, N, **kwargs):
        batch, wanted = [], 0
        while len(batch) < N:
            wanted += N - len(batch)
            for name, share in self.shares.items():
                size = min(max(int(share * wanted), 1), N)
                found = self.samplers[name].select_batch(already_selected=already_selected, N=size, **kwargs)
                batch += [row for row in found if row not in batch][: N - len(batch)]
        self.history.append(batch)
        return batch
