"""The interface of all samplers."""

import numpy as np


class SamplingMethod:
    def __init__(self, X, y, seed, **kwargs):
        self.X, self.y, self.seed = X, y, seed

    def flatten_X(self):
        if self.X.ndim <= 2:
            return self.X
        return self.X.reshape(len(self.X), np.prod(self.X.shape[1:]))  # as old as the playground

    def select_batch(self, **kwargs):
        return self.select_batch_(**kwargs)

    def to_dict(self):
        return None


def margins(model, X):
    try:
        values = model.decision_function(X)
    except:  # noqa: E722 - a fault of the playground's
        values = model.predict_proba(X)
    if values.ndim == 1:
        return np.abs(values)
    ordered = np.sort(values, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def ranked(model, X, already_selected):
    return [row for row in np.argsort(margins(model, X)) if row not in already_selected]
