"""What alcore sees of a function of modAL's, and what modAL sees of a learner of alcore's."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from alcore import Floats, Labels, Rows, View
from alcore.decorators import FunctionStrategy


class Scored(FunctionStrategy):
    """A function of the view that gives one score per unlabelled row, under the name of a strategy.

    Parameters
    ----------
    name : str
        What errors call it.
    function : callable
        Takes the view and the parameters.
    """

    def __init__(self, name: str, function: Callable[..., Floats], /, **params: Any) -> None:
        super().__init__(function, True, **params)
        self.name = name

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest scores; nothing is computed where none is asked for."""
        return super().query(view, n) if n else np.empty(0, dtype=np.intp)


class Answers:
    """The query learner's answers for the unlabelled rows, which are the only rows modAL's measures ask about.

    The rows themselves stay in the caller's container: modAL is given their numbers, of which it uses how many they
    are, and looks up answers by position.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.classes_ = np.arange(view.pool.n_classes)

    @property
    def rows(self) -> Rows:
        """The numbers of the unlabelled rows, (m, 1), in place of X."""
        return self.view.unlabeled.reshape(-1, 1)

    def predict(self, X: Rows, return_std: bool = False) -> Any:
        """Return predictions, and standard deviations if asked."""
        if return_std:
            return self.view.model.predict_std(self.view.X_unlabeled)
        return self.view.model.predict(self.view.X_unlabeled)

    def predict_proba(self, X: Rows) -> Floats:
        """Return probabilities, a column per class of the pool or per label."""
        return self.view.proba


class Member:
    """A fitted member of a committee, and its answers for the unlabelled rows; it knows all classes of the pool."""

    def __init__(self, model: Any, X: Any, n_classes: int) -> None:
        self.model = model
        self.X = X
        self.classes_ = np.arange(n_classes)

    def predict(self, X: Rows) -> Labels:
        """Return predictions."""
        labels: Labels = self.model.predict(self.X)
        return labels

    def predict_proba(self, X: Rows) -> Floats:
        """Return probabilities, a column per class of the pool."""
        proba: Floats = self.model.predict_proba(self.X)
        return proba


def per_label(columns: Floats) -> SimpleNamespace:
    """Return what ``SVM_binary_minimum`` takes for a one-vs-rest classifier, made of decision values (n, L).

    It is asked about positions among the n rows.
    """
    members = [SimpleNamespace(decision_function=column.__getitem__) for column in np.asarray(columns).T]
    return SimpleNamespace(estimator=SimpleNamespace(estimators_=members))


def every(sampler: Callable[..., Any], classifier: Any, X: Rows, **given: Any) -> Floats:
    """Return the values by which a sampler of modAL's chooses, aligned with X: it is asked for all rows.

    Such a sampler returns positions, in no order, and their values.
    """
    positions, chosen = sampler(classifier, X, n_instances=len(X), **given)
    values = np.empty(len(X))
    values[positions] = chosen
    return values
