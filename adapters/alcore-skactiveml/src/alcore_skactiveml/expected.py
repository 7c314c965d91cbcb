"""Strategies that try each candidate with each label it may get: one fit of the learner for every pair."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from skactiveml.pool import (  # type: ignore[import-untyped]
    ExpectedModelChangeMaximization,
    ExpectedModelOutputChange,
    ExpectedModelVarianceReduction,
    KLDivergenceMaximization,
    MonteCarloEER,
    ValueOfInformationEER,
)

from alcore import Floats, View
from alcore_skactiveml.ask import Ask, Scored, labels, seeded, steady
from alcore_skactiveml.bridge import RowClassifier, RowRegressor, row_numbers, row_numbers_of
from alcore_skactiveml.uncertainty import CostMatrix

Integration = Literal["assume_linear", "monte_carlo", "gauss_hermite", "quantile", "dynamic_quad"]


class _ErrorReduction(Scored):
    @abstractmethod
    def make(self, seed: int) -> Any:
        """Return the library's strategy."""

    def ask(self, view: View) -> Ask:
        """Return the strategy with a learner that it may fit; what it fits first is the query learner."""
        return seeded(
            view, self.make, row_numbers(view.pool), labels(view), kwargs={"clf": RowClassifier(view, refits=True)}
        )


class ErrorReduction(_ErrorReduction):
    """MonteCarloEER: the least error that is expected on the whole pool after a row's label is known.

    Parameters
    ----------
    method : "misclassification_loss" or "log_loss"
    cost_matrix : (K, K) or None
    subtract_current : bool
        Score the reduction of the error instead of the error; the order stays the same.
    """

    name = "skactiveml.eer"
    parts = True

    def __init__(
        self,
        method: Literal["misclassification_loss", "log_loss"] = "misclassification_loss",
        cost_matrix: CostMatrix | None = None,
        subtract_current: bool = False,
    ) -> None:
        self.method, self.cost_matrix, self.subtract_current = method, cost_matrix, subtract_current

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return MonteCarloEER(
            method=self.method,
            cost_matrix=self.cost_matrix,
            subtract_current=self.subtract_current,
            random_state=seed,
        )


class ValueOfInformation(_ErrorReduction):
    """ValueOfInformationEER: the same on labelled and unlabelled rows apart.

    Parameters
    ----------
    cost_matrix : (K, K) or None
    consider_unlabeled, consider_labeled : bool
        Which rows the error is estimated on.
    candidate_to_labeled : bool
        Count the candidate among the labelled ones.
    subtract_current, normalize : bool
        Score the reduction of the error; divide by the number of rows.
    """

    name = "skactiveml.value-of-information-eer"

    def __init__(
        self,
        cost_matrix: CostMatrix | None = None,
        consider_unlabeled: bool = True,
        consider_labeled: bool = True,
        candidate_to_labeled: bool = True,
        subtract_current: bool = False,
        normalize: bool = False,
    ) -> None:
        self.cost_matrix = cost_matrix
        self.consider_unlabeled, self.consider_labeled = consider_unlabeled, consider_labeled
        self.candidate_to_labeled = candidate_to_labeled
        self.subtract_current, self.normalize = subtract_current, normalize

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return ValueOfInformationEER(**vars(self), random_state=seed)


class ModelChange(Scored):
    """ExpectedModelChangeMaximization: change of the prediction over bootstrap members, times the length of the row.

    The library draws its bootstrap samples from labelled and unlabelled rows alike, and as many as the square of their
    number for a share; it is given the labelled rows only.

    Parameters
    ----------
    members : int
        Bootstrap samples.
    n_train : int or float
        1 draws one row more than are labelled; a share s draws l * ceil(s l) + 1 of l rows, as the library does.
    ord : float
        Order of the norm of a row of ``Pool.features``.
    """

    name = "skactiveml.expected-model-change-maximization"
    parts = True

    def __init__(self, members: int = 3, n_train: int | float = 1, ord: float = 2) -> None:  # noqa: A002 - its name
        self.members, self.n_train, self.ord = members, n_train, ord

    def ask(self, view: View) -> Ask:
        """Return the strategy, with the labelled rows for X and all rows as samples."""
        features, table = view.pool.features, row_numbers(view.pool)
        return seeded(
            view,
            lambda seed: ExpectedModelChangeMaximization(
                bootstrap_size=self.members,
                n_train=self.n_train,
                ord=self.ord,
                feature_map=lambda X: features[row_numbers_of(X)],
                random_state=seed,
            ),
            table[view.labeled],
            np.asarray(view.y, dtype=np.float64),
            kwargs={"reg": RowRegressor(view, refits=True), "fit_reg": False},
            by_sample=True,
            table=table,
        )


class _Integrated(Scored):
    """A strategy that integrates over the target a row may get.

    Parameters
    ----------
    integration : str
        How: "assume_linear" tries the mean only.
    n_integration_samples : int
        How many targets per candidate the other ways try.
    """

    parts = True

    def __init__(self, integration: Integration = "assume_linear", n_integration_samples: int = 10) -> None:
        self.integration, self.n_integration_samples = integration, n_integration_samples

    def scores(self, view: View) -> Floats:
        """Return the utilities, without what fits to the same rows in another order differ by."""
        return steady(super().scores(view))

    @property
    def how(self) -> dict[str, Any]:
        """The library's way to say it."""
        return {"method": self.integration, "n_integration_samples": self.n_integration_samples}

    @abstractmethod
    def make(self, seed: int) -> Any:
        """Return the library's strategy."""

    def ask(self, view: View) -> Ask:
        """Return the strategy with the fitted query learner."""
        kwargs = {"reg": RowRegressor(view, refits=True), "fit_reg": False}
        return seeded(view, self.make, row_numbers(view.pool), labels(view), kwargs=kwargs)


class OutputChange(_Integrated):
    """ExpectedModelOutputChange: mean squared change of the predictions of the unlabelled rows.

    Three targets per candidate are tried by default. The library's own default, "assume_linear", tries the predicted
    one, which changes nothing in least squares, ridge regression or a Gaussian process: scores are rounding then.
    """

    name = "skactiveml.expected-model-output-change"

    def __init__(self, integration: Integration = "gauss_hermite", n_integration_samples: int = 3) -> None:
        super().__init__(integration, n_integration_samples)

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return ExpectedModelOutputChange(integration_dict=self.how, random_state=seed)


class VarianceReduction(_Integrated):
    """ExpectedModelVarianceReduction: decrease of the mean predictive variance of the pool."""

    name = "skactiveml.expected-model-variance-reduction"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return ExpectedModelVarianceReduction(integration_dict=self.how, random_state=seed)


class KullbackLeiblerMaximization(_Integrated):
    """KLDivergenceMaximization: divergence between the predictions after and before a row's target is known."""

    name = "skactiveml.kl-divergence-maximization"

    def make(self, seed: int) -> Any:
        """Return the library's strategy."""
        return KLDivergenceMaximization(integration_dict_target_val=self.how, random_state=seed)
