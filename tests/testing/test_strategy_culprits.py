"""Strategies that break one rule of conduct each: the suite finds that rule broken, and no other."""

from __future__ import annotations

import inspect
import random
from typing import Any

import numpy as np
import pytest

import alcore
from alcore.decorators import spec_of
from alcore.protocols import Truth
from alcore.testing import check_strategy
from alcore.testing.strategies import RULES
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
@kept("not-zero")
class NotZero:
    """Asks for a row when none is wanted; a class, because a function is not called then."""

    def query(self, view: View, n: int) -> Rows:
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


@breaks("seed-decides")
@geometric("fixed-seed", stochastic=True)
def fixed_seed(view: View, n: int) -> Any:
    return np.random.default_rng(0).choice(view.unlabeled, n, replace=False)


@breaks("class-codes-do-not-matter")
@scored("first-class", needs=("proba",), learner=True)
def first_class(view: View) -> Any:
    return view.proba[:, 0]


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


# Another process


@breaks("hash-seed")
@scored("hashes")
def hashes(view: View) -> Any:
    Z = view.pool.features[view.unlabeled]
    return Z @ [hash(f"column {i}") % 1000 for i in range(Z.shape[1])]


# Growth


@breaks("growth-as-declared")
@scored("all-pairs")
def all_pairs(view: View) -> Any:
    """Holds the distances of all rows."""
    Z = view.pool.features
    return np.sqrt(np.maximum((Z**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * Z @ Z.T, 0)).sum(axis=1)[
        view.unlabeled
    ]


@breaks("growth-as-declared")
@scored("pair-by-pair")
def pair_by_pair(view: View) -> Any:
    """Holds no pairs, and goes through all of them."""
    Z = view.pool.features
    return [float(((Z - row) ** 2).sum(axis=1).mean()) for row in Z[view.unlabeled]]


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


@breaks("hidden-labels-unseen", "class-codes-do-not-matter")
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


def test_all_rules_of_conduct_have_a_culprit() -> None:
    caught = set().union(*(param.values[1] for param in CULPRITS))
    about = ("answers", "chance", "memory", "process", "growth")
    modules = {f"alcore.testing.strategies.{name}" for name in about}
    rules = {name for name, rule in RULES.rules.items() if rule.function.__module__ in modules}

    assert caught == rules
