"""A committee whose members are all the same is warned of, once per run, and no other is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import alcore
from alcore.committees import EqualMembersWarning, warn_if_equal

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
y = (X[:, 0] > 0).astype(int)
PAIR = [int(np.flatnonzero(y == 0)[0]), int(np.flatnonzero(y)[0])]
"""One row per class: a stratified bag has only one form."""


@alcore.selects("mine.equals", summary="Five regressions fitted to the same rows", stochastic=True)
def equals(view: Any, n: int) -> Any:
    members = [view.new_learner().fit(view.X_labeled, view.y) for _ in range(5)]
    assert warn_if_equal(view, members, [view.labeled] * 5)
    return view.top(-np.var([one.predict(view.X_unlabeled) for one in members], axis=0), n)


def run(name: Any, learner: Any, start: list[int] = PAIR, **params: Any) -> list[Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alcore.simulate(
            X, y, strategy=name, strategy_params=params, learner=learner, start=start, budget=3, test=(X, y)
        )
    return [one.message for one in caught if issubclass(one.category, EqualMembersWarning)]


@pytest.mark.parametrize("name", ["qbc", "bald", "batch-bald"])
def test_bags_of_one_row_per_class(name: str) -> None:
    (message,) = run(name, LogisticRegression(), members=4)
    assert f"{name}: all 4 members of the committee are the same (LogisticRegression fitted to the same 2" in str(
        message
    )


def test_own_code_is_warned_once_per_run() -> None:
    assert len(run(equals, LogisticRegression(), [*range(20)])) == 1


def test_inside_another_strategy_it_is_once_too() -> None:
    assert len(run("subsample", LogisticRegression(), strategy="qbc", candidates=5, pool="candidates")) == 1


@pytest.mark.parametrize("name", ["qbc", "bald", "batch-bald"])
def test_members_that_differ_are_not(name: str) -> None:
    assert run(name, RandomForestClassifier(5), members=4) == []
    assert run(name, LogisticRegression(), [*range(20)], members=4) == []


def test_published_committees_are_equal_by_definition() -> None:
    assert run("qbc-published", "logistic-regression") == []
    assert run("bald-published", "logistic-regression") == []


def test_members_that_agree_honestly_are_not() -> None:
    """Bags differ, and all trees of a stump that splits two far groups say the same."""
    from sklearn.tree import DecisionTreeClassifier

    assert run("qbc", DecisionTreeClassifier(max_depth=1, random_state=0), [*range(30)]) == []
