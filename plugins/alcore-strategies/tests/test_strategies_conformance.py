"""Every strategy keeps every rule of alcore's conformance suite, without an excuse."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore.decorators import spec_of
from alcore_strategies.plugin import FAMILIES

SPECS = [spec_of(strategy) for family in FAMILIES for strategy in family.STRATEGIES]
CHECKS = [check for spec in SPECS for check in alcore.testing.checks_for(spec)]


@pytest.mark.parametrize("check", CHECKS, ids=repr)
def test_contract(check):
    check()
