"""Batches chosen in small steps on labels that are made up."""

import copy
import math

import numpy as np

from sampling_methods.wrapper_sampler_def import WrapperSamplingMethod


class SimulateBatchSampler(WrapperSamplingMethod):
    def __init__(self, X, y, seed, samplers=(), n_sims=10, train_per_sim=10, return_type="best_sim"):
        super().__init__(X, y, seed)
        self.initialize_samplers(samplers)
        self.n_sims, self.train_per_sim, self.return_type = n_sims, train_per_sim, return_type
        self.trace, self.selected = [], []
        np.random.seed(seed)

    def simulate(self, sampler, N, already_selected, y, model, **kwargs):
        model, y, known, rows = copy.deepcopy(model), y.copy(), list(already_selected), []
        step = max(math.ceil(N / self.train_per_sim), 1)
        while len(rows) < N:
            size = min(step, N - len(rows))
            new = sampler.select_batch(already_selected=known, N=size, model=model, y=y, **kwargs)
            shares = model.predict_proba(self.X[new])
            y[new] = [np.random.choice(model.classes_, p=share) for share in shares]
            rows, known = rows + list(new), sorted(known + list(new))
            model.fit(self.X[known], y[known])
        return rows, model

    def select_batch_(self, N, already_selected, y, model, X_test, y_test, **kwargs):
        best, mean, self.selected = [], [], []
        for sampler in self.samplers:
            rows, most, scores = [], 0, []
            for _ in range(self.n_sims):
                found, fitted = self.simulate(sampler, N, already_selected, y, model, **kwargs)
                scores.append(fitted.score(X_test, y_test))
                known = sorted([*already_selected, *found])
                fitted.fit(self.X[known], y[known])  # the true labels, for a number that is printed
                print("accuracies", scores[-1], fitted.score(X_test, y_test))
                if scores[-1] > most:
                    rows, most = found, scores[-1]
                self.selected += found
            best.append(rows)
            mean.append(np.mean(scores))
        if self.return_type == "best_sim":
            return best[int(np.argmax(mean))]
        rows, counts = np.unique(self.selected, return_counts=True)
        return list(rows[np.argsort(-counts)[:N]])
