"""Selectors that return the model with the lowest estimated risk: random, uncertainty, Active Testing, VMA."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from alcore.errors import InputError
from alcore.select import top
from alcore.types import Floats, Mask, Rows
from alcore_modelselection.losses import Loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.selectors.acquisition import ensemble_entropy, expected_gap, expected_loss, surrogate_gap

Variant: TypeAlias = Literal["paper", "code"]


class RiskSelector:
    """Keeps what the labelled rows cost each model, and orders models by their mean cost."""

    tied_models = "random"

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Take the predictions and the loss."""
        self._hard, self._loss = predictions.hard, loss
        self._labels: list[int] = []
        self._costs: list[Floats] = []

    def update(self, row: int, label: int, unlabeled: Mask) -> None:
        """Note what this row costs each model."""
        self._labels.append(label)
        self._costs.append(self._loss.costs[label, self._hard[:, row]])

    def weights(self) -> Floats | None:
        """Return the weight of each labelled row in the risk, or None if they are equal."""
        return None

    def risk(self) -> Floats:
        """Return the estimated risk of each model, shape (H,)."""
        costs = np.array(self._costs).reshape(len(self._costs), len(self._hard))
        return self._loss.risk(costs, np.array(self._labels, dtype=np.intp), self.weights())

    def quality(self) -> Floats:
        """Return the risk with its sign changed."""
        return -self.risk()


class Random(RiskSelector):
    """Random sampling: any row, each equally likely."""

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return ``n`` rows drawn without replacement."""
        return np.asarray(rng.choice(np.flatnonzero(unlabeled), size=n, replace=False))


class Uncertainty(RiskSelector):
    """Uncertainty sampling: the rows whose mean prediction has the largest entropy (Dagan and Engelson, 1995)."""

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Compute the entropies; labels do not change them."""
        super().setup(predictions, loss, rng)
        self._entropy = ensemble_entropy(predictions)

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return the rows with the largest entropy; equal ones in random order."""
        rows = np.flatnonzero(unlabeled)
        return rows[top(self._entropy[rows], n, rng, who="uncertainty")]


class ImportanceSampler(RiskSelector, ABC):
    """Draws rows in proportion to a score, without replacement, and estimates risks without bias by LURE.

    LURE (Farquhar et al., 2021, Eq. 9; Kossen et al., 2021): after M of N labels, drawn with probabilities q_m,

        R = 1/M sum_m v_m l_m,   v_m = 1 + (N - M)/(N - m) (1 / ((N - m + 1) q_m) - 1),

    and v_m = 1 once M = N. A row that was told unasked has the q_m with which it would have been drawn. Rows of
    score zero are drawn, uniformly, only when no other row is left; as long as they are not, LURE knows nothing of
    them.
    """

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Compute the scores; labels do not change them."""
        super().setup(predictions, loss, rng)
        self._q: list[float] = []
        self._scores = self.scores(predictions, loss)

    @abstractmethod
    def scores(self, predictions: Predictions, loss: Loss) -> Floats:
        """Return the score of each row, shape (N,), none negative."""

    def probabilities(self, unlabeled: Mask) -> Floats:
        """Return the probability with which each row is drawn next, shape (N,), zero where labelled."""
        scores = np.where(unlabeled, self._scores, 0.0)
        total = scores.sum()
        return np.asarray(scores / total if total > 0 else unlabeled / unlabeled.sum())

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return ``n`` rows drawn one after another."""
        left, chosen = unlabeled.copy(), np.empty(n, dtype=np.intp)
        for i in range(n):
            chosen[i] = rng.choice(len(left), p=self.probabilities(left))
            left[chosen[i]] = False
        return chosen

    def update(self, row: int, label: int, unlabeled: Mask) -> None:
        """Note the costs and the probability of this draw."""
        q = float(self.probabilities(unlabeled)[row])
        if q == 0:
            raise InputError(
                f"row {row} would never have been drawn (its score is 0), so that LURE cannot weigh it. "
                "Tell rows that were asked, or use variant='paper', under which every row can be drawn."
            )
        super().update(row, label, unlabeled)
        self._q.append(q)

    def weights(self) -> Floats:
        """Return v_m, shape (M,)."""
        return lure_weights(np.array(self._q), self._hard.shape[1])


class ActiveTesting(ImportanceSampler):
    """Active Testing (Kossen et al., 2021) for many models: scores are expected losses under the ensemble, summed.

    Parameters
    ----------
    variant : "paper" or "code"
        ``paper`` (default): scores are at least ``floor`` times the largest, as in Kossen et al., so that every row
        can be drawn and LURE is unbiased. ``code``: no floor, as in CODA's comparison, where rows on which all hard
        labels agree are never drawn.
    floor : float
        The share of the largest score, 0.05 in Kossen et al.
    """

    def __init__(self, variant: Variant = "paper", floor: float = 0.05) -> None:
        _check_variant(variant)
        if not 0 <= floor <= 1:
            raise InputError(f"floor={floor}; it is a share of the largest score, 0 to 1.")
        self.variant, self.floor = variant, floor

    def scores(self, predictions: Predictions, loss: Loss) -> Floats:
        """Return sum_k sum_c pi_c(x_i) cost(c, prediction of k), for accuracy sum_k (1 - pi of k's prediction)."""
        scores = expected_loss(predictions, loss.row_costs(predictions.mean.mean(axis=0)))
        return np.maximum(scores, self.floor * scores.max()) if self.variant == "paper" else scores


class Vma(ImportanceSampler):
    """VMA, variance minimisation for model selection (Matsuura and Hara, 2023).

    Parameters
    ----------
    variant : "paper" or "code"
        ``paper`` (default): scores are epsilon plus the expected absolute difference of two models' losses, summed
        over all pairs, as in Matsuura and Hara. ``code``: the absolute difference of their expected losses, as in
        CODA's comparison; zero where the ensemble is split evenly.
    epsilon : float
        Added to each score of ``paper``, 0.01 in Matsuura and Hara.
    """

    def __init__(self, variant: Variant = "paper", epsilon: float = 0.01) -> None:
        _check_variant(variant)
        if epsilon < 0:
            raise InputError(f"epsilon={epsilon}; it is added to each score and cannot be negative.")
        self.variant, self.epsilon = variant, epsilon

    def scores(self, predictions: Predictions, loss: Loss) -> Floats:
        """Return the scores of the variant."""
        costs = loss.row_costs(predictions.mean.mean(axis=0))
        if self.variant == "paper":
            return self.epsilon + expected_gap(predictions, costs)
        return surrogate_gap(predictions, costs)


def lure_weights(q: Floats, n: int) -> Floats:
    """Return the weights v_m of LURE, shape (M,), for draws of probability ``q`` (M,) from ``n`` rows."""
    m_all = len(q)
    if m_all >= n:
        return np.ones(m_all)
    m = np.arange(1, m_all + 1)
    return np.asarray(1.0 + (n - m_all) / (n - m) * (1.0 / ((n - m + 1) * q) - 1.0))


def _check_variant(variant: str) -> None:
    if variant not in get_args(Variant):
        raise InputError(f"variant={variant!r}; use 'paper' or 'code'.")
