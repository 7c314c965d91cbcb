"""EXP3 over mixtures."""

import numpy as np

from sampling_methods.wrapper_sampler_def import WrapperSamplingMethod


class BanditDiscreteSampler(WrapperSamplingMethod):
    def __init__(self, X, y, seed, reward_function=lambda accuracies: accuracies[-1], gamma=0.5, samplers=()):
        super().__init__(X, y, seed)
        np.random.seed(seed)
        self.initialize_samplers(samplers)
        self.reward_function, self.gamma, self.n_arms = reward_function, gamma, len(samplers)
        self.pull_history, self.acc_history, self.probs = [], [], []
        self.w, self.x = np.ones(self.n_arms), np.zeros(self.n_arms)
        self.p = self.w / self.n_arms

    def select_batch_(self, already_selected, N, eval_acc, **kwargs):
        self.acc_history.append(eval_acc)
        if self.pull_history:
            last = self.pull_history[-1]
            self.x = np.zeros(self.n_arms)
            self.x[last] = self.reward_function(self.acc_history) / self.p[last]
            self.w = self.w * np.exp(self.gamma * self.x / self.n_arms)
            self.p = (1 - self.gamma) * self.w / self.w.sum() + self.gamma / self.n_arms
            self.probs.append(self.p)
            print(self.p)
        self.pull_history.append(np.random.choice(self.n_arms, p=self.p))
        return self.samplers[self.pull_history[-1]].select_batch(already_selected=already_selected, N=N, **kwargs)
