"""The smallest margins."""

from sampling_methods.sampling_def import SamplingMethod, ranked


class MarginAL(SamplingMethod):
    def select_batch_(self, model, already_selected, N, **kwargs):
        return ranked(model, self.X, already_selected)[:N]
