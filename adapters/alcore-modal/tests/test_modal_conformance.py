"""Every strategy keeps every rule of alcore's conformance suite, without an excuse."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore_modal.specs import SPECS

DEAR = {"modal.eer", "modal.log-loss-reduction"}  # a fit per row and class in each query
CHECKS = [
    pytest.param(check, marks=pytest.mark.slow if spec.name in DEAR else ())
    for spec in SPECS
    for check in alcore.testing.checks_for(spec)
]


@pytest.mark.parametrize("check", CHECKS, ids=repr)
def test_contract(check):
    check()
