"""The strategies that fit the query learner again: QueryInstanceQBC and QueryExpectedErrorReduction."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin

from alcore import Floats, Labels, Model, Pool, View
from alcore.interop import seed_of
from alcore_alipy.library import Heard, Scored, calling, filled, load, rebound, row_numbers

LABELS = load("query_strategy.query_labels")


class RowLearner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The query learner as an estimator whose X is row numbers, so that it meets rows in the pool's own container.

    ``fit`` fits a fresh model; copies and clones share what they were made of, and never the fit.

    Parameters
    ----------
    pool : Pool
    fresh : function that returns an unfitted model
    model : Model or None
        A model that is fitted already.
    """

    def __init__(self, pool: Pool, fresh: Callable[[], Model], model: Model | None = None) -> None:
        self.pool = pool
        self.fresh = fresh
        self.model = model

    def __sklearn_clone__(self) -> Self:
        return type(self)(self.pool, self.fresh)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self.pool, self.fresh, self.model)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a fresh model to rows and their codes."""
        self.model = self.fresh().fit(self._rows(X), np.asarray(y).astype(np.intp))
        return self

    def predict(self, X: Any) -> Labels:
        """Return codes (n,)."""
        assert self.model is not None  # noqa: S101 - the library fits, or was given a fitted one
        return self.model.predict(self._rows(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities (n, K), a column for every class of the pool."""
        assert self.model is not None  # noqa: S101
        return self.model.predict_proba(self._rows(X))

    def _rows(self, X: Any) -> Any:
        return self.pool.take(np.asarray(X)[:, 0].astype(np.intp))


class Committee(Scored):
    """Query by bagging: members fitted to bootstrap samples of the labelled rows, each with a seed of its own.

    Parameters
    ----------
    disagreement : "vote_entropy" or "KL_divergence"
    members : int
        The library always takes ten.
    """

    def __init__(self, disagreement: str, members: int) -> None:
        self.disagreement = disagreement
        self.members = members
        self.name = "alipy.qbc-vote" if disagreement == "vote_entropy" else "alipy.qbc-kl"

    def scores(self, view: View) -> Floats:
        """Return the disagreement."""
        y, heard = filled(view, self.name), Heard()
        query = LABELS.QueryInstanceQBC(row_numbers(view), y, disagreement=self.disagreement)
        bagging = partial(LABELS.BaggingClassifier, n_estimators=self.members, random_state=seed_of(view))
        select = rebound(LABELS.QueryInstanceQBC.select, BaggingClassifier=bagging, nlargestarg=heard.nlargestarg)
        with calling():
            select(query, view.labeled, view.unlabeled, model=RowLearner(view.pool, view.new_learner))
        return heard.scores(len(view.unlabeled), self.name)


def vote(members: int = 10) -> Committee:
    """Entropy of the members' votes."""
    return Committee("vote_entropy", members)


def kl(members: int = 10) -> Committee:
    """Divergence of the members' probabilities from their mean."""
    return Committee("KL_divergence", members)


class ExpectedErrorReduction(Scored):
    """The least expected log-loss on the other unlabelled rows, after a fit with each row and each class.

    All fits of a round have one seed, as the library's copies of a seeded estimator have.
    """

    name = "alipy.eer"

    def scores(self, view: View) -> Floats:
        """Return the expected log-loss, negated."""
        model, unfitted = view.model, view.new_learner()
        y, heard = filled(view, self.name), Heard()
        query = LABELS.QueryExpectedErrorReduction(row_numbers(view), y)
        # The library's own is NaN where a probability is 0, and a loop over every one of them.
        query.log_loss = lambda prob: -float(xlogy(prob, prob).sum())
        select = rebound(LABELS.QueryExpectedErrorReduction.select, nsmallestarg=heard.nsmallestarg)
        with calling():
            select(
                query,
                view.labeled,
                view.unlabeled,
                model=RowLearner(view.pool, lambda: copy.deepcopy(unfitted), model),
            )
        return heard.scores(len(view.unlabeled), self.name)
