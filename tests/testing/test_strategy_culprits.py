"""Strategies that break one rule each: the suite finds that rule broken, and no other."""

from __future__ import annotations

import inspect
import os
import random
import warnings
from typing import Any

import numpy as np
import pytest

import alcore
from alcore.decorators import spec_of
from alcore.pool import is_frame
from alcore.protocols import Truth
from alcore.testing import check_strategy, checks
from alcore.types import Floats, Labels, Rows, Task
from alcore.view import View

CULPRITS: list[Any] = []


def breaks(*rules: str) -> Any:
    """Note which rules the decorated strategy breaks."""

    def note(strategy: Any) -> Any:
        CULPRITS.append(pytest.param(strategy, set(rules), id=strategy.__name__))
        return strategy

    return note


def geometric(name: str, **more: Any) -> Any:
    """A strategy that selects by the rows alone."""
    return alcore.selects(f"culprit.{name}", summary="Breaks one rule", learner=False, **more)


def scored(name: str, **more: Any) -> Any:
    """A strategy that scores by the rows alone."""
    return alcore.scores(f"culprit.{name}", summary="Breaks one rule", **{"learner": False} | more)


def kept(name: str, **more: Any) -> Any:
    """A class."""
    return alcore.strategy(f"culprit.{name}", summary="Breaks one rule", **{"learner": False} | more)


def far(view: View) -> Floats:
    """An innocent score."""
    return np.abs(view.pool.features[view.unlabeled]).sum(axis=1)


# What comes back


@breaks("answers")
@geometric("positions")
def positions(view: View, n: int) -> Any:
    return np.argsort(-far(view), kind="stable")[:n]


@breaks("answers")
@geometric("short-batch")
def short_batch(view: View, n: int) -> Any:
    return view.top(far(view), n if n <= 1 else n - 1)


@breaks("answers")
@geometric("duplicates")
def duplicates(view: View, n: int) -> Any:
    rows = view.top(far(view), n)
    return np.where(np.arange(len(rows)) == 1, rows[:1], rows)


@breaks("answers")
@geometric("float-rows")
def float_rows(view: View, n: int) -> Any:
    return view.top(far(view), n).astype(float)


@breaks("answers")
@scored("misaligned")
def misaligned(view: View) -> Any:
    return far(view)[1:]


@breaks("answers")
@scored("two-classes", needs=("proba",), learner=True)
def only_two_classes(view: View) -> Any:
    _, positive = view.proba.T
    return positive


@breaks("asks-for-all")
@geometric("never-all")
def never_all(view: View, n: int) -> Any:
    return view.top(far(view), min(n, len(view.unlabeled) - 1))


@breaks("nothing-left")
@geometric("not-zero")
def not_zero(view: View, n: int) -> Any:
    return view.top(far(view), max(n, 1))


@breaks("rows-being-labeled")
@geometric("complement")
def complement(view: View, n: int) -> Any:
    rows = np.setdiff1d(np.arange(len(view.pool)), view.labeled)
    order = view.rng.permutation(len(rows))
    scores = np.abs(view.pool.features[rows]).sum(axis=1)
    return rows[order[np.argsort(-scores[order], kind="stable")[:n]]]


# Chance


@breaks("same-seed-same-rows")
@geometric("entropy-of-the-system", stochastic=True)
def entropy_of_the_system(view: View, n: int) -> Any:
    return np.random.default_rng().choice(view.unlabeled, n, replace=False)


@breaks("stochastic-if-declared")
@geometric("undeclared-chance")
def undeclared_chance(view: View, n: int) -> Any:
    return view.rng.choice(view.unlabeled, n, replace=False)


@breaks("global-random-state")
@geometric("numpy-global", stochastic=True)
def numpy_global(view: View, n: int) -> Any:
    return np.random.choice(view.unlabeled, n, replace=False)


@breaks("global-random-state")
@geometric("python-global", stochastic=True)
def python_global(view: View, n: int) -> Any:
    return random.sample(view.unlabeled.tolist(), n)


@breaks("uniform-if-declared")
@geometric("hardly-uniform", stochastic=True, uniform=True)
def hardly_uniform(view: View, n: int) -> Any:
    scores = view.rng.random(len(view.unlabeled))
    return view.top(scores + 0.3 * (view.unlabeled < 18), n)


@breaks("class-names-do-not-matter")
@scored("alphabet", needs=("proba",), learner=True)
def alphabet(view: View) -> Any:
    return view.proba[:, np.argmin([str(label) for label in view.pool.classes])]


# Memory


@breaks("hidden-labels-unseen")
@scored("peeks")
def peeks(view: View) -> Any:
    """Climb the stack to the engine and take the labels from its oracle."""
    frame = inspect.currentframe()
    while frame:
        oracle = getattr(frame.f_locals.get("self"), "oracle", None)
        if oracle is not None:
            return oracle.y[view.unlabeled]
        frame = frame.f_back
    return far(view)


@breaks("hidden-labels-unseen")
@kept("secret-truth")
class SecretTruth:
    """Is shown the hidden labels, and its spec does not say so."""

    def reveal(self, truth: Truth) -> None:
        self.y = truth.y

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.y[view.unlabeled] + 0.1 * far(view), n)


@breaks("replay")
@kept("counts-queries", stateful=True)
class CountsQueries:
    """Its state comes from being asked, so that replaying the answers does not rebuild it."""

    def setup(self, pool: Any, rng: Any) -> None:
        self.sign = 1

    def query(self, view: View, n: int) -> Rows:
        self.sign = -self.sign
        return view.top(self.sign * far(view), n)


@breaks("instances-independent")
@kept("shared-list")
class SharedList:
    """All instances write to one list."""

    seen: list[int] = []  # noqa: RUF012 - that is what is wrong with it

    def setup(self, pool: Any, rng: Any) -> None:
        self.seen.clear()

    def update(self, rows: Rows, labels: Labels) -> None:
        self.seen.extend(rows.tolist())

    def query(self, view: View, n: int) -> Rows:
        return nearest_last(view, n, self.seen)


def nearest_last(view: View, n: int, rows: list[int]) -> Rows:
    """Take the rows that are farthest from these."""
    Z = view.pool.features
    return view.top(((Z[view.unlabeled, None] - Z[rows]) ** 2).sum(axis=2).min(axis=1), n)


@breaks("setup-forgets")
@kept("remembers")
class Remembers:
    """Each instance has a list, and setup does not empty it."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def update(self, rows: Rows, labels: Labels) -> None:
        self.seen.extend(rows.tolist())

    def query(self, view: View, n: int) -> Rows:
        return nearest_last(view, n, self.seen)


@breaks("picklable")
@kept("holds-a-lambda")
class HoldsALambda:
    def __init__(self) -> None:
        self.score = lambda view: 2 * far(view)

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.score(view), n)


@breaks("stateful-if-declared")
@kept("undeclared-state", stateful=False)
class UndeclaredState(Remembers):
    def setup(self, pool: Any, rng: Any) -> None:
        self.seen = []


# Data


@breaks("one-label-in-start")
@scored("two-labels", needs=("proba",), learner=True)
def wants_two_labels(view: View) -> Any:
    return view.proba[:, int(np.flatnonzero(view.y != view.y[0])[0] >= 0)]


@breaks("one-labeled-row")
@scored("two-rows")
def wants_two_rows(view: View) -> Any:
    Z = view.pool.features
    return np.abs(Z[view.unlabeled] - Z[view.labeled[1]]).sum(axis=1)


@breaks("one-label-in-start", "class-never-seen", "more-classes-than-labels")
@scored("all-classes-seen", needs=("proba",), learner=True)
def wants_all_classes(view: View) -> Any:
    proba = view.proba
    return proba[:, 0] if len(np.unique(view.y)) == proba.shape[1] else np.full(len(proba), np.nan)


@breaks("duplicate-rows")
@scored("no-duplicates")
def wants_no_duplicates(view: View) -> Any:
    Z = view.pool.features
    gaps = np.sqrt(((Z[:, None] - Z) ** 2).sum(axis=2)) + np.diag(np.full(len(Z), np.inf))
    return (gaps.min() / gaps.min(axis=1) if gaps.min() else np.full(len(Z), np.nan))[view.unlabeled]


@breaks("constant-column")
@scored("divides-by-spread", sparse=False)
def divides_by_spread(view: View) -> Any:
    X = np.asarray(view.pool.X, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.abs((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1)[view.unlabeled]


@breaks("constant-column", "more-columns-than-rows")
@scored("inverts-covariance")
def inverts_covariance(view: View) -> Any:
    Z = view.pool.features
    root = np.linalg.cholesky(np.cov(Z, rowvar=False).reshape(Z.shape[1], -1))
    return (np.linalg.solve(root, Z[view.unlabeled].T) ** 2).sum(axis=0)


@breaks("identical-rows")
@scored("wants-spread")
def wants_spread(view: View) -> Any:
    return far(view) if np.ptp(view.pool.features) else np.full(len(view.unlabeled), np.nan)


@breaks("one-column")
@scored("second-column")
def second_column(view: View) -> Any:
    return view.pool.features[view.unlabeled, 1]


@breaks("float32")
@scored("double-only", sparse=False)
def double_only(view: View) -> Any:
    if np.asarray(view.X_unlabeled).dtype != np.float64:
        raise TypeError("X must be double")
    return far(view)


@breaks("dataframe")
@geometric("index-labels")
def index_labels(view: View, n: int) -> Any:
    rows = view.top(far(view), n)
    return np.asarray(view.pool.X.index[rows]) if is_frame(view.pool.X) else rows


@breaks("sparse-if-declared")
@scored("dense-only")
def dense_only(view: View) -> Any:
    return np.asarray(view.X_unlabeled, dtype=np.float64)[:, 0]


# Ties


@breaks("ties-are-not-file-order")
@geometric("argsort")
def argsort(view: View, n: int) -> Any:
    return view.unlabeled[np.argsort(-far(view), kind="stable")[:n]]


@breaks("ties-first-is-file-order")
@geometric("own-ties", batch="top")
def own_ties(view: View, n: int) -> Any:
    order = view.rng.permutation(len(view.unlabeled))
    return view.unlabeled[order[np.argsort(-far(view)[order], kind="stable")[:n]]]


# Manners


@breaks("inputs-unchanged")
@scored("centres-in-place", sparse=False)
def centres_in_place(view: View) -> Any:
    X = view.pool.X.to_numpy() if is_frame(view.pool.X) else view.pool.X
    X -= X.mean(axis=0)
    return np.abs(X[view.unlabeled]).sum(axis=1)


@breaks("inputs-unchanged")
@scored("writable-buffer", sparse=False)
def wants_a_writable_buffer(view: View) -> Any:
    X = view.pool.X
    if not is_frame(X):
        X[0, 0] = X[0, 0]
    return far(view)


@breaks("no-output")
@scored("prints")
def prints(view: View) -> Any:
    print("choosing")
    return far(view)


@breaks("no-output")
@scored("writes-to-descriptor")
def writes_to_descriptor(view: View) -> Any:
    os.write(2, b"choosing\n")
    return far(view)


@breaks("no-warnings")
@scored("warns")
def warns(view: View) -> Any:
    warnings.warn("be careful", UserWarning, stacklevel=2)
    return far(view)


# Claims


@breaks("needs-are-enough")
@scored("undeclared-need", learner=True)
def undeclared_need(view: View) -> Any:
    return -view.proba.max(axis=1)


@breaks("needs-are-enough")
@scored("one-alternative", needs=("proba|decision",), learner=True)
def one_alternative(view: View) -> Any:
    return -view.proba.max(axis=1)


@breaks("needs-are-needed")
@scored("needless", needs=("proba",), learner=True)
def needless(view: View) -> Any:
    return far(view)


@breaks("learner-unused-if-declared")
@scored("secret-fit")
def secret_fit(view: View) -> Any:
    return far(view) + view.model.predict(view.X_unlabeled)


@breaks("batch-is-the-top")
@geometric("not-the-top", batch="top")
def not_the_top(view: View, n: int) -> Any:
    return view.top(far(view) if n == 1 else -far(view), n)


@pytest.mark.parametrize(("strategy", "rules"), CULPRITS)
def test_the_rule_that_is_broken_is_found_and_no_other(strategy: Any, rules: set[str]) -> None:
    report = check_strategy(strategy)

    assert set(report.failed) == rules, str(report)


def test_a_strategy_for_regression_that_reads_the_targets_it_did_not_ask_for_is_found() -> None:
    spec = alcore.StrategySpec(
        name="culprit.peeks-at-targets",
        summary="Breaks one rule",
        make=spec_of(peeks).make,
        tasks=frozenset({Task.REGRESSION}),
        learner=False,
        batch="top",
    )

    report = check_strategy(spec)

    assert report.failed == ["hidden-labels-unseen"]
    assert "regression" in next(result.reason for result in report if result.status == "failed")


def test_all_rules_for_strategies_have_a_culprit() -> None:
    caught = set().union(*(param.values[1] for param in CULPRITS))

    assert set(checks("strategy")) - caught == set()
