"""Strategies that break one rule about data, ties, manners or claims each: it is found broken, and no other."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pytest

import alcore
from alcore.pool import is_frame
from alcore.testing import check_strategy
from alcore.testing.strategies import RULES
from alcore.types import Floats
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


def far(view: View) -> Floats:
    """An innocent score."""
    return np.abs(view.pool.features[view.unlabeled]).sum(axis=1)


# Data


@breaks("one-label-in-start")
@scored("two-labels", needs=("proba",), learner=True)
def wants_two_labels(view: View) -> Any:
    return view.proba.max(axis=1) + int(np.flatnonzero(view.y != view.y[0])[0])


@breaks("one-labeled-row")
@scored("two-rows")
def wants_two_rows(view: View) -> Any:
    Z = view.pool.features
    return np.abs(Z[view.unlabeled] - Z[view.labeled[1]]).sum(axis=1)


@breaks("one-label-in-start", "class-never-seen", "more-classes-than-labels", "class-codes-do-not-matter")
@scored("all-classes-seen", needs=("proba",), learner=True)
def wants_all_classes(view: View) -> Any:
    proba = view.proba
    return proba[:, 0] if len(np.unique(view.y)) == proba.shape[1] else np.full(len(proba), np.nan)


@breaks("duplicate-rows")
@scored("no-duplicates", growth="quadratic")
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


@breaks("answers")
@scored("centres-in-place", sparse=False)
def centres_in_place(view: View) -> Any:
    X = view.pool.X.to_numpy() if is_frame(view.pool.X) else view.pool.X
    X -= X.mean(axis=0)
    return np.abs(X[view.unlabeled]).sum(axis=1)


@breaks("answers")
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


@breaks("model-unchanged")
@alcore.selects("culprit.refits", summary="Breaks one rule", needs=("proba",))
def refits(view: View, n: int) -> Any:
    """Fits the learner that is scored to half of the labelled rows."""
    rows = view.top(-view.proba.max(axis=1), n)
    half = len(view.labeled) // 2 + 1
    view.model._estimator.fit(view.X_labeled[:half], view.y[:half])
    return rows


@breaks("learner-unused-if-declared")
@scored("secret-fit")
def secret_fit(view: View) -> Any:
    return far(view) + (view.model.predict(view.X_unlabeled) == view.y[0])


@breaks("batch-is-the-top")
@geometric("not-the-top", batch="top")
def not_the_top(view: View, n: int) -> Any:
    return view.top(far(view) if n == 1 else -far(view), n)


@pytest.mark.parametrize(("strategy", "rules"), CULPRITS)
def test_the_rule_that_is_broken_is_found_and_no_other(strategy: Any, rules: set[str]) -> None:
    report = check_strategy(strategy)

    assert set(report.failed) == rules, str(report)


def test_all_rules_about_data_ties_manners_and_claims_have_a_culprit() -> None:
    caught = set().union(*(param.values[1] for param in CULPRITS))
    modules = {f"alcore.testing.strategies.{name}" for name in ("data", "ties", "manners", "claims")}
    rules = {name for name, rule in RULES.rules.items() if rule.function.__module__ in modules}

    assert rules <= caught
