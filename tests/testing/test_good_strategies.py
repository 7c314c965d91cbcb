"""Strategies that keep all rules, written in every way that there is: the suite finds no fault with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import alcore
from alcore.errors import PairingError
from alcore.pool import Pool
from alcore.protocols import Truth
from alcore.testing import check_strategy, checks_for
from alcore.types import Floats, Labels, Level, Rows, Task
from alcore.view import View


@alcore.scores("good.variance", summary="Largest posterior variance", tasks=Task.REGRESSION, needs=("std",))
def variance(view: View) -> Floats:
    return view.model.predict_std(view.X_unlabeled)[1]


@alcore.scores("good.label-doubt", summary="Labels nearest to one half", tasks=Task.MULTILABEL, needs=("proba",))
def label_doubt(view: View) -> Floats:
    return -np.abs(view.proba - 0.5).min(axis=1)


@alcore.scores("good.binary", summary="Nearest to the boundary", needs=("decision",), max_classes=2)
def boundary(view: View) -> Floats:
    return -np.abs(view.decision)


@alcore.selects("good.one-by-one", summary="One row at a time", batch="single", learner=False)
def one_by_one(view: View, n: int) -> Rows:
    if n > 1:
        raise ValueError("one at a time")
    return view.top(np.abs(view.pool.features[view.unlabeled]).sum(axis=1), n)


@alcore.scores("good.posterior", summary="Disagreement of posterior draws", needs=("draws",), stochastic=True)
def posterior(view: View, *, draws: int = 5) -> Floats:
    if Level.DRAWS not in view.model.levels:
        raise PairingError(f"good.posterior needs sample_proba, which {view.model.name} lacks.")
    if view.model.constant is not None or not len(view.unlabeled):
        return np.zeros(len(view.unlabeled))
    return view.model.estimator.sample_proba(view.X_unlabeled, draws, view.rng).std(axis=0).sum(axis=1)


@alcore.scores("good.committee", summary="Votes of learners on resampled rows", stochastic=True)
def committee(view: View, *, members: int = 3) -> Floats:
    votes = np.zeros((len(view.unlabeled), view.pool.n_classes))
    for _ in range(members):
        chosen = view.rng.integers(len(view.labeled), size=len(view.labeled))
        twin = view.new_learner().fit(view.pool.take(view.labeled[chosen]), view.y[chosen])
        votes[np.arange(len(votes)), twin.predict(view.X_unlabeled)] += 1
    return -votes.max(axis=1)


@alcore.strategy("good.k-center", summary="Farthest from the labelled rows", tasks=list(Task), learner=False)
class KCenter:
    """Keeps the distance of every row to its nearest labelled row."""

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.Z = pool.features
        self.gap = np.full(len(pool), np.inf)

    def update(self, rows: Rows, labels: Labels) -> None:
        self.gap = self._nearer(self.gap, rows)

    def _nearer(self, gap: Floats, rows: Rows) -> Floats:
        return np.minimum(gap, ((self.Z[:, None] - self.Z[rows]) ** 2).sum(axis=2).min(axis=1))

    def query(self, view: View, n: int) -> Rows:
        gap, chosen = self.gap, []
        for _ in range(n):
            row = view.top(np.where(np.isin(view.unlabeled, chosen), -1.0, gap[view.unlabeled]), 1)
            chosen += row.tolist()
            gap = self._nearer(gap, row)
        return np.array(chosen, dtype=np.intp)


@alcore.strategy("good.oracle", summary="Asks for class 1 first", truth=True, learner=False)
class Upper:
    def reveal(self, truth: Truth) -> None:
        self.y = truth.y

    def query(self, view: View, n: int) -> Rows:
        return view.top(-np.bincount(self.y)[self.y[view.unlabeled]], n)


@alcore.strategy("good.not-resumable", summary="Remembers its queries", stateful=True, resumable=False, learner=False)
class Rounds:
    def setup(self, pool: Pool, rng: Generator) -> None:
        self.sign = 1

    def query(self, view: View, n: int) -> Rows:
        self.sign = -self.sign
        return view.top(self.sign * view.pool.features[view.unlabeled].sum(axis=1), n)


GOOD = [variance, label_doubt, boundary, one_by_one, posterior, committee, KCenter, Upper, Rounds]


@pytest.mark.parametrize("strategy", GOOD, ids=lambda strategy: strategy.__name__)
def test_a_good_strategy_passes(strategy: Any) -> None:
    report = check_strategy(strategy)

    assert report.ok, str(report)


@pytest.mark.parametrize("check", checks_for(KCenter, excuses={}), ids=str)
def test_each_check_is_a_test_of_its_own(check: Any) -> None:
    check()


def test_parameters_reach_the_strategy() -> None:
    report = check_strategy(committee, params={"members": 0}, only=["answers", "stochastic-if-declared"])

    assert report.ok


@alcore.scores("good.linear", summary="Largest coefficient", sparse=False)
def linear_only(view: View) -> Floats:
    weights = np.abs(view.model.estimator.coef_).sum(axis=0)
    return np.abs(np.asarray(view.X_unlabeled)) @ weights


@alcore.scores("good.tree-only", summary="Works with a tree only", needs=("proba",))
def tree_only(view: View) -> Floats:
    leaves = view.model.estimator.apply(view.X_unlabeled) if view.model.constant is None else view.unlabeled
    return leaves.astype(np.float64)


def test_a_strategy_that_needs_a_particular_learner_is_given_it() -> None:
    from sklearn.tree import DecisionTreeClassifier

    refused = check_strategy(tree_only, only=["answers"])
    accepted = check_strategy(tree_only, learner=DecisionTreeClassifier(random_state=0), only=["answers", "replay"])

    assert refused.failed == ["answers"]
    assert accepted.ok, str(accepted)


def test_the_toy_learners_have_coefficients() -> None:
    report = check_strategy(linear_only, only=["answers", "dataframe"])

    assert report.ok, str(report)


@alcore.scores("good.class-std", summary="Standard deviation of a classifier", needs=("std",))
def class_std(view: View) -> Floats:
    return view.model.predict_std(view.X_unlabeled)[1]


def test_a_level_that_no_toy_learner_has_skips_with_a_way_out() -> None:
    report = check_strategy(class_std, only=["answers"])

    assert [result.status for result in report] == ["skipped"]
    assert "give learner=" in report[0].reason
