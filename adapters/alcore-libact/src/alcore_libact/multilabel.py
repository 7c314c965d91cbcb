"""Strategies for multi-label tasks. libact asks for all labels of a row at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore.interop import seed_of, seeded_globals
from alcore_libact.asking import ask_again, chance
from alcore_libact.columns import Column, Joint, OnFeatures
from alcore_libact.library import quiet, replaced
from alcore_libact.models import Answers
from alcore_libact.sheet import sheet

with quiet():
    from libact.models.multilabel import BinaryRelevance  # type: ignore[import-untyped]
    from libact.query_strategies import multilabel as home  # type: ignore[import-untyped]
    from libact.query_strategies.multilabel import (  # type: ignore[import-untyped]
        cost_sensitive_reference_pair_encoding as csrpe,
    )


class _OneByOne(ABC):
    """What these have in common: libact's strategy is made anew each round, and asked once per row."""

    name: str

    def query(self, view: View, n: int) -> Rows:
        """Return the best row, then the best of the others, and so on."""
        if n == 0:
            return view.unlabeled[:0]
        make, state, seed = self._maker(view), chance(view), seed_of(view)

        def once(left: Rows) -> int:
            data = sheet(view, left, labeled_first=True)
            return data.row(make(data.dataset, state).make_query())

        with quiet(), seeded_globals(seed):  # SVC draws from NumPy's global state
            return ask_again(view, n, once, who=self.name)

    @abstractmethod
    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        """Return what makes libact's strategy from a data set and a random state."""


class MMC(_OneByOne):
    """``MMC``: largest loss reduction with maximal confidence (Yang et al. 2009).

    The learner's probabilities take the place of libact's linear SVMs; a logistic regression from sorted probabilities
    to the number of labels is libact's own.
    """

    name = "libact.mmc"

    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        view.proba  # noqa: B018 - libact asks for it late, and not at all where every label is constant
        base = Column.of(view)
        # libact passes multi_class, which scikit-learn no longer has; multinomial is what it does.
        params = {"solver": "newton-cg"}
        return lambda data, state: home.MMC(data, br_base=base, logreg_param=params, random_state=state)


class BinaryMinimization(_OneByOne):
    """``BinaryMinimization``: the row nearest to any label's boundary (Brinker 2006)."""

    name = "libact.binary-minimization"

    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        _real(view)
        base = Column.of(view)
        return lambda data, state: home.BinaryMinimization(data, base, random_state=state)


class Adaptive(_OneByOne):
    """``AdaptiveActiveLearning``: margin and label cardinality, weighed by the error that each would leave.

    The learner is fitted anew, per label, for the best row of each trade-off (Li and Guo 2013).

    Parameters
    ----------
    betas : numbers from 0 to 1, or None
        Trade-offs that are tried; None takes 0, 0.1, ..., 1.
    """

    name = "libact.adaptive"

    def __init__(self, betas: Sequence[float] | None = None) -> None:
        if betas is not None and not all(0 <= beta <= 1 for beta in betas):
            raise InputError(f"betas is {list(betas)}; trade-offs are from 0 to 1.")
        self.betas = None if betas is None else list(betas)

    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        _real(view)
        base = Column.of(view)
        return lambda data, state: home.AdaptiveActiveLearning(data, base, betas=self.betas, random_state=state)


class AuxiliaryLearner(_OneByOne):
    """``MultilabelWithAuxiliaryLearner``: where the learner and a second one disagree (Hung and Lin 2011).

    Parameters
    ----------
    auxiliary : classifier or None
        The second learner, one per label on ``pool.features``; None takes ``SVC()``.
    criterion : "hlr", "shlr" or "mmr"
        Hamming loss reduction, the same softened, or maximum margin reduction.
    b : float
        Where "shlr" cuts the margin off.
    """

    name = "libact.multilabel-with-auxiliary-learner"

    def __init__(self, auxiliary: Any = None, criterion: str = "hlr", b: float = 1.0) -> None:
        if criterion not in ("hlr", "shlr", "mmr"):
            raise InputError(f'criterion is {criterion!r}; use "hlr", "shlr" or "mmr".')
        self.auxiliary, self.criterion, self.b = auxiliary, criterion, b

    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        from sklearn.svm import SVC

        major = Joint(Answers(view))
        second = SVC() if self.auxiliary is None else self.auxiliary
        minor = BinaryRelevance(OnFeatures(view.pool.features, second))
        return lambda data, state: home.MultilabelWithAuxiliaryLearner(
            data, major, minor, criterion=self.criterion, b=self.b, random_state=state
        )


class ReferencePairs(_OneByOne):
    """``CostSensitiveReferencePairEncoding``: where the learner's labels and their code disagree (Yang et al. 2018).

    Parameters
    ----------
    scoring : "f1", "hamming", or a function of two 0/1 matrices (n, L) that returns n scores, larger = better
    base : classifier or None
        Learns each bit of the code on ``pool.features``, with weights; None takes ``LogisticRegression()``.
    models : int
        Bits of the code.
    """

    name = "libact.cost-sensitive-reference-pair-encoding"

    def __init__(self, scoring: Any = "f1", base: Any = None, models: int = 100) -> None:
        if not callable(scoring) and scoring not in SCORINGS:
            raise InputError(f"scoring is {scoring!r}; use one of {', '.join(SCORINGS)}, or a function.")
        self.scoring = scoring if callable(scoring) else SCORINGS[scoring]
        self.base, self.models = base, models

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Draw the seed of the reference pairs, which are the same in every round."""
        self.seed = int(rng.integers(2**31))

    def _maker(self, view: View) -> Callable[[Any, Any], Any]:
        from sklearn.linear_model import LogisticRegression

        base = OnFeatures(view.pool.features, LogisticRegression() if self.base is None else self.base)
        model = Joint(Answers(view))

        def make(data: Any, state: Any) -> Any:
            # Made anew each round: a bit that was constant once stays so in libact's, whatever is labelled later.
            with replaced(csrpe, "NearestNeighbors", _neighbors):
                strategy = csrpe.CostSensitiveReferencePairEncoding(
                    data, self.scoring, model, base, n_models=self.models, random_state=self.seed
                )
            strategy.random_state_ = state
            return strategy

        return make


def _neighbors(n_neighbors: int, **params: Any) -> Any:
    """Make scikit-learn's class, whose parameters libact gives by position and which takes them by name."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=n_neighbors, **params)


def _real(view: View) -> None:
    """Raise PairingError where the learner has neither decision values nor probabilities."""
    if "decision" not in view.model.levels:
        view.proba  # noqa: B018 - raises


def f1(y: Labels, pred: Labels) -> Floats:
    """Return the F1 score of each row, 1 where neither has a label."""
    both = ((y == 1) & (pred == 1)).sum(axis=1)
    size = (y == 1).sum(axis=1) + (pred == 1).sum(axis=1)
    return np.where(size == 0, 1.0, 2.0 * both / np.maximum(size, 1))


def hamming(y: Labels, pred: Labels) -> Floats:
    """Return the share of labels that are right in each row."""
    return np.asarray(np.mean(np.asarray(y) == np.asarray(pred), axis=1))


SCORINGS: dict[str, Callable[[Labels, Labels], Floats]] = {"f1": f1, "hamming": hamming}
