"""Every strategy keeps every rule of alcore's conformance suite; one excuse, for the published baseline."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore_playground.border import CHECKED_WITH, EXCUSES
from alcore_playground.specs import SPECS

_bound: dict[tuple[str, str], dict[str, alcore.testing.Check]] = {}


@pytest.mark.parametrize("check", alcore.testing.checks("strategy"))
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_contract(spec, check, root):
    if (root, spec.name) not in _bound:
        name = spec.name.removeprefix("playground.")
        checks = alcore.testing.checks_for(spec, params=CHECKED_WITH.get(name), excuses=EXCUSES.get(name))
        _bound[root, spec.name] = {one.name: one for one in checks}
    _bound[root, spec.name][check]()
