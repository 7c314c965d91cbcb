"""Multi-label strategies. alcore asks for all labels of a row at once, and of an instance-label pair the row counts."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from alcore import Floats, Labels, Rows, StrategyError, View
from alcore.interop import seed_of, seeded_globals
from alcore.types import Level
from alcore_alipy.library import (
    Heard,
    Instead,
    Kernel,
    Scored,
    calling,
    filled,
    load,
    prepared,
    rebound,
    row_numbers,
    shared,
)

MULTI = load("query_strategy.multi_label")


def _pairs(rows: Rows) -> list[tuple[int, ...]]:
    return [(row,) for row in rows.tolist()]


class Audi(Scored):
    """The row whose number of predicted labels differs most from the average, by the library's label-ranking model.

    The model is made anew in each round. The library means to fit it from scratch, but changes in place the parameters
    that it starts from: each fit goes on from the last, and what is known depends on how often it was asked.
    """

    name = "alipy.audi"

    def scores(self, view: View) -> Floats:
        """Return the inconsistency of each row."""
        library, order, heard = MULTI.QueryMultiLabelAUDI, [], Heard()

        def get_Xy(index: Any, X: Any, y: Any) -> Any:
            found = MULTI.get_Xy_in_multilabel(index=index, X=X, y=y)
            order.append(found[2])
            return found

        query = library(view.pool.features, _signed(view))
        select = rebound(library.select, np=Instead(np, argmin=heard.argmin, NINF=-np.inf), get_Xy_in_multilabel=get_Xy)
        with seeded_globals(seed_of(view)), calling():
            select(query, _pairs(view.labeled), _every_pair(view))
        if not np.isfinite(query._lr_model._AB).all():
            raise StrategyError(
                f'{self.name}: the label-ranking model did not converge; it needs features on one scale: "standard".'
            )
        inconsistency = np.zeros(len(view.pool))
        inconsistency[order[0]] = heard.scores(len(view.unlabeled), self.name)
        return inconsistency[view.unlabeled]


def _every_pair(view: View) -> Any:
    """Return the unlabelled rows with all their labels, in the library's container: a list of one is not looked at."""
    return MULTI.MultiLabelIndexCollection(_pairs(view.unlabeled), view.pool.n_classes)


def _signed(view: View) -> Labels:
    """Return +1, -1, and 0 where the label is hidden."""
    y = np.zeros((len(view.pool), view.pool.n_classes))
    y[view.labeled] = 2 * view.y - 1
    return y


class MultilabelQuire(Kernel):
    """QUIRE over instance-label pairs as the library computes it; a row is as good as its best pair.

    Its inverse, of the whole pool, is made once per pool.
    """

    name = "alipy.multilabel-quire"

    def scores(self, view: View) -> Floats:
        """Return the evaluation of each row's best pair, negated."""
        library, heard = MULTI.QueryMultiLabelQUIRE, Heard()
        m, labels = len(view.unlabeled), view.pool.n_classes
        key = ("multilabel-quire", *self.options.values())
        empty = np.zeros((len(view.pool), labels))
        with calling():
            query = prepared(view, key, lambda: library(view.pool.features, empty, **self.options))
            query.y = _signed(view)
            select = rebound(library.select, np=Instead(np, argmin=heard.argmin))
            select(query, _by_column(view, view.labeled, labels), _by_column(view, view.unlabeled, labels))
        pairs = heard.scores(m * labels, self.name)
        return shared(view, pairs.reshape(labels, m).max(axis=0))


def _by_column(view: View, rows: Rows, columns: int) -> Any:
    """Return the rows' pairs in the library's container, column by column.

    The library sorts the pairs' positions, but takes their labels in the order of the container, which is a set: only
    in this order do labels and positions belong together.
    """
    pairs = MULTI.MultiLabelIndexCollection([(0,)], view.pool.n_classes)
    ascending = np.sort(rows).tolist()
    pairs._innercontainer = [(row, label) for label in range(columns) for row in ascending]
    return pairs


class Relevance:
    """The query learner in the place of the library's binary relevance: fitted already, if to the labelled rows."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.model = view.model
        self._unfitted = view.new_learner()

    def __call__(self, base: Any) -> Self:
        """Return a new one, as a constructor does."""
        return copy.copy(self)

    def train(self, X: Any, Y: Any) -> None:
        """Fit a twin, where there are more rows than the labelled ones."""
        rows = np.asarray(X)[:, 0]
        if len(rows) > len(self.view.labeled):
            self.model = copy.deepcopy(self._unfitted).fit(self.view.pool.take(rows), np.asarray(Y))

    def predict(self, X: Any) -> Labels:
        """Return a 0/1 matrix (n, L)."""
        return self.model.predict(self._rows(X)).astype(np.intp)

    def predict_real(self, X: Any) -> Floats:
        """Return decision values (n, L), or else 2 p - 1."""
        if Level.DECISION in self.model.levels:
            return self.model.decision_function(self._rows(X))
        return 2 * self.model.predict_proba(self._rows(X)) - 1

    def predict_proba(self, X: Any) -> Floats:
        """Return P(label = 1), (n, L); where all are 0, the library's division by their sum is spared."""
        proba = np.array(self.model.predict_proba(self._rows(X)))
        proba[proba.sum(axis=1) == 0] = np.finfo(np.float64).tiny
        return proba

    def _rows(self, X: Any) -> Any:
        return self.view.pool.take(np.asarray(X)[:, 0])


class MaximumLossReduction(Scored):
    """MMC: the row with the largest expected loss, with the query learner in place of a linear SVM per label."""

    name = "alipy.mmc"

    def scores(self, view: View) -> Floats:
        """Return the loss."""
        library, heard = MULTI.QueryMultiLabelMMC, Heard()
        # multi_class, the library's own setting of this regression, is gone from scikit-learn, which does just that.
        query = library(row_numbers(view), filled(view, self.name), logreg_param={"solver": "newton-cg"})
        select = rebound(library.sequential_select, np=Instead(np, max=heard.max), _BinaryRelevance=Relevance(view))
        with calling():
            select(query, view.labeled, view.unlabeled)
        return heard.scores(len(view.unlabeled), self.name)


class Adaptive:
    """Margin and label cardinality, traded off by the betas; of their best rows the one that leaves the least error.

    A batch is asked for row by row. The library would fit the next row to the label of the last, which is not known.

    Parameters
    ----------
    betas : sequence of numbers from 0 to 1, or None for 0, 0.1, ..., 1
    """

    name = "alipy.adaptive"

    def __init__(self, betas: list[float] | None = None) -> None:
        self.betas = betas

    def query(self, view: View, n: int) -> Rows:
        """Return the best row, then the best of the others, and so on."""
        if n == 0:
            return view.unlabeled[:0]
        library = MULTI.QueryMultiLabelAdaptive
        query = library(row_numbers(view), filled(view, self.name), betas=self.betas)
        query.random_state_ = _Choice(view)
        select = rebound(library.sequential_select, _BinaryRelevance=Relevance(view))
        picked: list[int] = []
        for _ in range(n):
            left = np.setdiff1d(view.unlabeled, picked)
            with calling():
                answer = select(query, view.labeled, left)
            picked.append(int(np.reshape(answer, -1)[0]))
        return np.array(picked, dtype=np.intp)


class _Choice:
    """The library's random state, as far as it chooses between equals: as ``view.ties`` says."""

    def __init__(self, view: View) -> None:
        self.view = view

    def choice(self, a: Any) -> Any:
        return self.view.rng.choice(a) if self.view.ties == "random" else a[0]


class MultilabelRandom:
    """The library's shuffle of the unlabelled rows, seeded here and restored."""

    name = "alipy.multilabel-random"

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, each equally likely."""
        if n in (0, len(view.unlabeled)):
            return view.unlabeled[:n]
        query = MULTI.QueryMultiLabelRandom(row_numbers(view), np.zeros((len(view.pool), view.pool.n_classes)))
        with seeded_globals(seed_of(view)), calling():
            pairs = _by_column(view, view.unlabeled, 1)  # it looks at the rows of the pairs
            picked = query.select(None, pairs, batch_size=int(n), select_type="ins")
        return np.array([row for (row,) in picked], dtype=np.intp)
