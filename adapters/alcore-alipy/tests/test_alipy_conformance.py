"""Every strategy keeps every rule of the conformance suite; nothing is excused."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore_alipy import alcore_strategies
from alcore_alipy.border import CHECKED_WITH

SLOW = {
    "alipy.random", "alipy.core-set", "alipy.graph-density", "alipy.qbc-vote", "alipy.qbc-kl", "alipy.eer",
    "alipy.lal", "alipy.bmdr", "alipy.spal", "alipy.audi", "alipy.quire", "alipy.adaptive",
}  # fmt: skip
CHECKS = [
    pytest.param(check, id=repr(check), marks=[pytest.mark.slow] * (spec.name in SLOW))
    for spec in alcore_strategies()
    for check in alcore.testing.checks_for(spec.name, params=CHECKED_WITH.get(spec.name.removeprefix("alipy.")))
]


@pytest.mark.parametrize("check", CHECKS)
def test_contract(check):
    check()


def test_all_strategies_are_there():
    names = {spec.name.removeprefix("alipy.") for spec in alcore_strategies()}
    assert names == {
        "random", "least-confident", "margin", "entropy", "distance-to-boundary", "qbc-vote", "qbc-kl", "eer", "lal",
        "density-weighted", "core-set", "graph-density", "quire", "bmdr", "spal",
        "multilabel-random", "audi", "multilabel-quire", "mmc", "adaptive",
    }  # fmt: skip
