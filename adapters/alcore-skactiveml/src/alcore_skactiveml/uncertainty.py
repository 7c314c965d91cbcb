"""Strategies that ask for rows whose class is in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from skactiveml.classifier import ParzenWindowClassifier, SklearnClassifier  # type: ignore[import-untyped]
from skactiveml.pool import (  # type: ignore[import-untyped]
    ContrastiveAL,
    EpistemicUncertaintySampling,
    ProbabilisticAL,
    UncertaintySampling,
)

from alcore import Floats, InputError, View
from alcore.interop import signs, silenced
from alcore_skactiveml.ask import Ask, Scored, labels, seeded
from alcore_skactiveml.bridge import WITH_FEATURES, FeatureClassifier, RowClassifier, row_numbers

CostMatrix = Sequence[Sequence[float]]


class LeastConfident(Scored):
    """UncertaintySampling, method "least_confident"; with ``cost_matrix`` (K, K) the least expected cost."""

    name = "skactiveml.least-confident"
    parts = True
    method = "least_confident"

    def __init__(self, cost_matrix: CostMatrix | None = None) -> None:
        self.cost_matrix = cost_matrix

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: UncertaintySampling(method=self.method, cost_matrix=self.cost_matrix, random_state=seed),
            row_numbers(view.pool),
            labels(view),
            kwargs={"clf": RowClassifier(view), "fit_clf": False},
        )


class Margin(LeastConfident):
    """UncertaintySampling, method "margin_sampling"; with ``cost_matrix`` the gap of the two least expected costs."""

    name = "skactiveml.margin"
    method = "margin_sampling"


class Entropy(LeastConfident):
    """UncertaintySampling, method "entropy"."""

    name = "skactiveml.entropy"
    method = "entropy"

    def __init__(self) -> None:
        super().__init__()


class _SumsToOne(RowClassifier):
    """A classifier whose first row of probabilities sums to 1 without rounding.

    expected_average_precision refuses probabilities if every row is off by as little as the last bit, which is so by
    chance for the last few candidates of a pool.
    """

    def predict_proba(self, X: Any, with_features: bool = False) -> Any:
        proba = super().predict_proba(X)
        largest = proba[0].argmax()
        for _ in range(10):
            proba[0, largest] += 1.0 - proba.sum(axis=1)[0]
        return proba


class ExpectedAveragePrecision(Scored):
    """UncertaintySampling, method "expected_average_precision". O(m^3 K) for m candidates, in Python loops."""

    name = "skactiveml.expected-average-precision"

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: UncertaintySampling(method="expected_average_precision", random_state=seed),
            row_numbers(view.pool),
            labels(view),
            kwargs={"clf": _SumsToOne(view), "fit_clf": False},
        )


class Epistemic(Scored):
    """EpistemicUncertaintySampling, with one of the two classifiers it is written for, on ``Pool.features``.

    Parameters
    ----------
    model : "parzen-window" or "logistic-regression"
        The second solves 100 small programs per candidate, and scores 0 where class 0 is the likelier: the library
        takes the bound of one class for the other there.
    precompute : bool
        Interpolate between whole numbers of neighbours ("parzen-window").
    metric, metric_dict
        The kernel of "parzen-window", as in ``sklearn.metrics.pairwise.pairwise_kernels``.
    C : float
        Inverse regularisation of "logistic-regression".
    """

    name = "skactiveml.epistemic-uncertainty-sampling"
    parts = True

    def __init__(
        self,
        model: Literal["parzen-window", "logistic-regression"] = "parzen-window",
        precompute: bool = False,
        metric: str = "rbf",
        metric_dict: Mapping[str, Any] | None = None,
        C: float = 1.0,
    ) -> None:
        if model not in ("parzen-window", "logistic-regression"):
            raise InputError(f'model is {model!r}; use "parzen-window" or "logistic-regression".')
        self.model, self.precompute, self.C = model, precompute, C
        self.metric, self.metric_dict = metric, None if metric_dict is None else dict(metric_dict)

    def scores(self, view: View) -> Floats:
        """Return the utilities: all alike while one class is labelled, as logistic regression needs two."""
        if self.model == "logistic-regression" and len(np.unique(view.y)) < 2:
            return np.zeros(len(view.unlabeled))
        return super().scores(view)

    def ask(self, view: View) -> Ask:
        """Return the strategy with its own classifier, fitted to the labelled rows."""
        y = labels(view)
        if self.model == "parzen-window":
            clf = ParzenWindowClassifier(metric=self.metric, metric_dict=self.metric_dict, classes=[0, 1])
        else:
            from sklearn.linear_model import LogisticRegression

            # The likelihood takes signs: with 0 and 1 the rows of class 0 would be a constant.
            y[view.labeled] = signs(view.y)
            clf = SklearnClassifier(LogisticRegression(C=self.C), classes=[-1, 1])
        X = view.pool.features
        with silenced():
            clf.fit(X[view.labeled], y[view.labeled])
        return seeded(
            view,
            lambda seed: EpistemicUncertaintySampling(precompute=self.precompute, random_state=seed),
            X,
            y,
            kwargs={"clf": clf, "fit_clf": False},
        )


class Probabilistic(Scored):
    """ProbabilisticAL (McPAL) with the query learner's probabilities and the kernel's counts of labelled neighbours.

    Parameters
    ----------
    prior : float
    m_max : int
        The most labels that are imagined at once.
    metric, metric_dict
        The kernel on ``Pool.features``; None lets the library choose its bandwidth.
    """

    name = "skactiveml.probabilistic-al"
    parts = True

    def __init__(
        self, prior: float = 1.0, m_max: int = 1, metric: str = "rbf", metric_dict: Mapping[str, Any] | None = None
    ) -> None:
        self.prior, self.m_max, self.metric = prior, m_max, metric
        self.metric_dict = None if metric_dict is None else dict(metric_dict)

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: ProbabilisticAL(
                prior=self.prior, m_max=self.m_max, metric=self.metric, metric_dict=self.metric_dict, random_state=seed
            ),
            view.pool.features,
            labels(view),
            kwargs={"clf": FeatureClassifier(view), "fit_clf": False},
        )


class Contrastive(Scored):
    """ContrastiveAL: how far a row's probabilities are from those of its nearest labelled rows in ``Pool.features``.

    Parameters
    ----------
    n_neighbors : int
    """

    name = "skactiveml.contrastive-al"
    parts = True

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        return seeded(
            view,
            lambda seed: ContrastiveAL(
                nearest_neighbors_dict={"n_neighbors": self.n_neighbors},
                clf_embedding_flag_name=WITH_FEATURES,
                random_state=seed,
            ),
            row_numbers(view.pool),
            labels(view),
            kwargs={"clf": RowClassifier(view), "fit_clf": False},
        )
