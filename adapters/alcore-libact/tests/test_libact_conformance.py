"""Every strategy of libact keeps every rule of alcore's conformance suite."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore_libact.border import CHECKED_WITH
from alcore_libact.specs import SPECS

QUICK = {
    "libact.least-confident", "libact.margin", "libact.entropy", "libact.random", "libact.qbc-vote", "libact.qbc-kl",
    "libact.hint-svm", "libact.hierarchical", "libact.binary-minimization",
}  # fmt: skip
BUILT = [spec for spec in SPECS if spec.missing() is None]
CHECKS = [
    pytest.param(check, id=repr(check), marks=() if spec.name in QUICK else pytest.mark.slow)
    for spec in BUILT
    for check in alcore.testing.checks_for(spec, params=CHECKED_WITH.get(spec.name.removeprefix("libact.")))
]


@pytest.mark.parametrize("check", CHECKS)
def test_contract(check):
    check()


def test_the_plugin_provides_them_all():
    from alcore.plugins import loaded

    names = {entry.spec.name for entry in loaded().registry.entries("strategy")}
    assert {spec.name for spec in SPECS} <= names
    assert len(SPECS) == len({spec.name for spec in SPECS}) == 20


@pytest.mark.parametrize("arms", [["hint-svm", "quire"], ["qbc-vote", "margin", "dwus"]])
@pytest.mark.slow
def test_a_bandit_of_arms_with_state_keeps_the_rules(arms):
    spec = next(spec for spec in SPECS if spec.name == "libact.albl")
    only = ["answers", "asks-for-all", "same-seed-same-rows", "picklable", "instances-independent", "setup-forgets"]
    report = alcore.testing.check_strategy(_two_classes(spec), params={"arms": arms}, only=only)
    assert report.ok, str(report)


def _two_classes(spec):
    from dataclasses import replace

    return replace(spec, max_classes=2)
