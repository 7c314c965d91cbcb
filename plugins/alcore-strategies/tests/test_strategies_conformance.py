"""Every strategy keeps every rule of alcore's conformance suite; one excuse, for a published committee."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore.decorators import spec_of
from alcore_strategies.plugin import FAMILIES

SPECS = [spec_of(strategy) for family in FAMILIES for strategy in family.STRATEGIES]
EXCUSES = {
    "bald-published": {"class-codes-do-not-matter": "its members are equal, so that the rounding of 0 decides"},
}
CHECKS = [check for spec in SPECS for check in alcore.testing.checks_for(spec, excuses=EXCUSES.get(spec.name))]


@pytest.mark.parametrize("check", CHECKS, ids=repr)
def test_contract(check):
    check()
