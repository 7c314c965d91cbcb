"""Every strategy keeps every rule of alcore's conformance suite; one excuse, for the published baseline."""

from __future__ import annotations

import pytest

import alcore.testing
from alcore_playground.specs import SPECS

EXCUSES = {
    "playground.uniform-unshuffled": {
        "ties-are-not-file-order": "published: the rows come in the order of the file, which playground.uniform mends"
    }
}
PARAMS = {"playground.simulate-batch": {"n_sims": 3, "train_per_sim": 3}}  # ten times ten fits a batch otherwise
_bound: dict[tuple[str, str], dict[str, alcore.testing.Check]] = {}


@pytest.mark.parametrize("check", alcore.testing.checks("strategy"))
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_contract(spec, check, root):
    if (root, spec.name) not in _bound:
        checks = alcore.testing.checks_for(spec, params=PARAMS.get(spec.name), excuses=EXCUSES.get(spec.name))
        _bound[root, spec.name] = {one.name: one for one in checks}
    _bound[root, spec.name][check]()
