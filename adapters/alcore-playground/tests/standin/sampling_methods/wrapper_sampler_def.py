"""The interface of samplers that are made of mixtures."""

from sampling_methods.constants import AL_MAPPING, get_all_possible_arms
from sampling_methods.sampling_def import SamplingMethod

get_all_possible_arms()


class WrapperSamplingMethod(SamplingMethod):
    def initialize_samplers(self, mixtures):
        names = {name for mixture in mixtures for name in mixture["methods"]}
        self.base_samplers = {name: AL_MAPPING[name](self.X, self.y, self.seed) for name in sorted(names)}
        make = AL_MAPPING["mixture_of_samplers"]
        self.samplers = [make(self.X, self.y, self.seed, mixture, self.base_samplers) for mixture in mixtures]
