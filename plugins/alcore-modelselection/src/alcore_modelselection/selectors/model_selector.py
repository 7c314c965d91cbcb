"""ModelSelector (Okanovic et al., 2025): a posterior over models with one parameter, the error rate epsilon."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from alcore.errors import InputError
from alcore.select import top
from alcore.types import Floats, Mask, Rows
from alcore_modelselection.losses import Loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.selectors.acquisition import votes
from alcore_modelselection.selectors.epsilon import Metric, choose_epsilon


class ModelSelector:
    """Asks for the label after which the posterior over models is expected to have the least entropy.

    A label multiplies the posterior of each model that predicts it by gamma = (1 - epsilon)/epsilon. The expected
    entropy takes each class as equally likely. The model returned is the one with most right predictions so far.

    Parameters
    ----------
    epsilon : float, optional
        Between 0 and 0.5. By default it is chosen without labels by the self-supervised protocol of the paper, which
        takes seconds to minutes; see ``choose_epsilon`` for the parameters that follow.
    metric : "fastest" or "success_avg"
    realisations, size : int
    """

    tied_models = "random"

    def __init__(
        self,
        epsilon: float | None = None,
        *,
        metric: Metric = "fastest",
        realisations: int = 50,
        size: int = 1000,
    ) -> None:
        if epsilon is not None and not 0 < epsilon <= 0.5:
            raise InputError(f"epsilon={epsilon}; it is an error rate above 0 and at most 0.5, or None to choose it.")
        self.given, self.metric, self.realisations, self.size = epsilon, metric, realisations, size
        self.notices: list[str] = []

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Start from a uniform posterior, and choose epsilon if it is not given."""
        self.epsilon = self.given if self.given is not None else self._choose(predictions, rng)
        self._hard, self._split, self._n_classes = predictions.hard, predictions.split, predictions.n_classes
        self._gamma = (1 - self.epsilon) / self.epsilon
        self._log_posterior = np.zeros(len(self._hard))
        self._right = np.zeros(len(self._hard))

    def _choose(self, predictions: Predictions, rng: Generator) -> float:
        choice = choose_epsilon(predictions, rng, metric=self.metric, realisations=self.realisations, size=self.size)
        self.notices[:] = [f"model-selector chose epsilon = {choice.epsilon:g} without labels, by {choice.metric}."]
        return choice.epsilon

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return the rows with the least expected entropy; rows that all models agree on only when no other is left."""
        rows = np.flatnonzero(unlabeled & self._split)
        best = rows[top(-self.expected_entropy(rows), n, rng, who="model-selector")]
        if len(best) == n:
            return best
        rest = rng.permutation(np.flatnonzero(unlabeled & ~self._split))
        return np.concatenate([best, rest[: n - len(best)]])

    def expected_entropy(self, rows: Rows) -> Floats:
        """Return the mean over classes of the posterior's entropy after that label, in bits, shape (rows,)."""
        return expected_entropy(self._hard[:, rows], self._n_classes, self.posterior(), self._gamma)

    def update(self, row: int, label: int, unlabeled: Mask) -> None:
        """Raise the posterior of the models that are right."""
        right = self._hard[:, row] == label
        self._right += right
        self._log_posterior += right * math.log(self._gamma)

    def quality(self) -> Floats:
        """Return the number of right predictions on the labelled rows."""
        return self._right.copy()

    def posterior(self) -> Floats:
        """Return the posterior over models, shape (H,)."""
        raised = np.exp(self._log_posterior - self._log_posterior.max())
        return np.asarray(raised / raised.sum())


def expected_entropy(hard: NDArray[np.integer], n_classes: int, posterior: Floats, gamma: float) -> Floats:
    """Return 1/C sum_c H(posterior after label c) in bits for each column of ``hard`` (H, rows).

    With a = sum of the posterior p, and b = sum of p log p, over the models that predict c, A = sum of all p log p and
    Z = 1 + (gamma - 1) a:  H = log Z - (A + (gamma - 1) b + gamma log(gamma) a) / Z.
    """
    p_log_p = posterior * np.log2(np.maximum(posterior, 1e-300))
    a, b = votes(hard, n_classes, posterior), votes(hard, n_classes, p_log_p)
    z = 1.0 + (gamma - 1.0) * a
    entropies = np.log2(z) - (p_log_p.sum() + (gamma - 1.0) * b + gamma * math.log2(gamma) * a) / z
    return np.asarray(entropies.mean(axis=1))
