"""What "best" means: accuracy, balanced accuracy, or a matrix of costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError
from alcore.types import Floats

ACCURACY, BALANCED, COST = "accuracy", "balanced-accuracy", "cost"
LOSSES = frozenset({ACCURACY, BALANCED, COST})


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of a prediction: ``costs[y, j]`` for predicting class j where y is true.

    Balanced accuracy has the 0/1 costs of accuracy, but each true class weighs the same whatever its share.
    """

    name: str
    costs: Floats = field(repr=False)

    @property
    def balanced(self) -> bool:
        """Whether classes weigh the same whatever their share."""
        return self.name == BALANCED

    def class_weights(self, prevalence: Floats) -> Floats:
        """Return how much class c counts in the risk per unit of its own mean cost, shape (C,), sum 1.

        ``prevalence`` is the share of each class, shape (C,).
        """
        return np.full(len(prevalence), 1.0 / len(prevalence)) if self.balanced else prevalence

    def row_costs(self, prevalence: Floats) -> Floats:
        """Return what one row costs, shape (C, C) by true and predicted class, given each class's share.

        For balanced accuracy an error on class c costs 1 / (C prevalence_c): its mean over rows is the balanced risk.
        """
        if not self.balanced:
            return self.costs
        return np.asarray(self.costs / (len(prevalence) * np.maximum(prevalence, 1e-12))[:, None])

    def risk(self, costs: Floats, labels: NDArray[np.intp], weights: Floats | None = None) -> Floats:
        """Return each model's estimated risk from labelled rows.

        Parameters
        ----------
        costs : array of shape (M, H)
            What each model's prediction of each labelled row costs, ``self.costs[y, prediction]``.
        labels : array of shape (M,)
            The labels of these rows.
        weights : array of shape (M,), optional
            Importance weights; the risk is (1/M) sum_m v_m l_m. Balanced accuracy divides by each class's own weight
            instead, over the classes seen so far.

        Returns
        -------
        array of shape (H,); all zero where nothing is labelled
        """
        m, h = costs.shape
        if m == 0:
            return np.zeros(h)
        v = np.ones(m) if weights is None else weights
        if not self.balanced:
            return np.asarray(v @ costs / m)
        seen = np.unique(labels)
        total = np.zeros(h)
        for c in seen:
            of = labels == c
            total += v[of] @ costs[of] / v[of].sum()
        return total / len(seen)

    def true_risks(self, hard: NDArray[np.integer], labels: NDArray[np.intp]) -> Floats:
        """Return each model's risk over all rows, shape (H,): hard (H, N), labels (N,)."""
        n_classes = len(self.costs)
        count = np.bincount(labels, minlength=n_classes).astype(np.float64)
        present = count > 0
        risks = np.empty(len(hard))
        for k, one in enumerate(hard):
            confusion = np.bincount(labels * n_classes + one, minlength=n_classes**2).reshape(n_classes, n_classes)
            by_class = (confusion * self.costs).sum(axis=1)
            risks[k] = (by_class[present] / count[present]).mean() if self.balanced else by_class.sum() / len(labels)
        return risks


LossLike: TypeAlias = Loss | str | ArrayLike


def make_loss(loss: LossLike, n_classes: int) -> Loss:
    """Return a loss: ``"accuracy"``, ``"balanced-accuracy"``, or a (C, C) matrix of costs by true and predicted class.

    Raises
    ------
    InputError
        If the name is none of the two, or the matrix has another shape, is not finite, or costs the same everywhere.
    """
    if isinstance(loss, Loss):
        if len(loss.costs) != n_classes:
            raise InputError(f"the loss is for {len(loss.costs)} classes, the predictions have {n_classes}.")
        return loss
    if isinstance(loss, str):
        if loss not in (ACCURACY, BALANCED):
            raise InputError(f"no loss is called {loss!r}; use 'accuracy', 'balanced-accuracy' or a matrix of costs.")
        return Loss(loss, 1.0 - np.eye(n_classes))
    costs = np.array(loss, dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        raise InputError(
            f"the cost matrix has shape {costs.shape}; it needs {(n_classes, n_classes)}: true class by predicted."
        )
    if not np.isfinite(costs).all():
        raise InputError("the cost matrix holds NaN or infinite values; costs are finite.")
    if (costs == costs[:, :1]).all():
        raise InputError("the cost matrix charges each true class the same for any prediction: all models tie.")
    zero_one = np.array_equal(costs, 1.0 - np.eye(n_classes))
    return Loss(ACCURACY if zero_one else COST, costs)
