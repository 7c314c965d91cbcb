"""Every strategy keeps every rule of alcore, without an excuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import alcore.testing
from alcore_skactiveml.border import CHECKED_WITH
from alcore_skactiveml.specs import STRATEGIES

SPECS = {spec.name.removeprefix("skactiveml."): spec for spec in STRATEGIES}

SISTERS = {
    "expected-average-precision": "margin",
    "value-of-information-eer": "eer",
    "kl-divergence-maximization": "expected-model-variance-reduction",
    "expected-model-output-change": "expected-model-variance-reduction",
}
"""Costly strategies that are asked by the code of another one, which is tried on everything."""

OWN = ["one-label-in-start", "class-never-seen", "duplicate-rows", "constant-column", "identical-rows",
       "needs-are-needed", "ties-first-is-file-order"]  # fmt: skip
"""What the library's part of such a strategy could break."""

SLOW = {"epistemic-uncertainty-sampling", "eer", "expected-model-variance-reduction",
        "alce", "typiclust", "core-set", "prob-cover", "max-herding", "greedy-sampling-x", "four-ds",
        "probabilistic-al", "qbc-kl", "qbc-variation-ratios", "batch-bald", "sub-sampling-wrapper", "quire", "clue",
        "parallel-utility-estimation-wrapper", "least-confident", "entropy", *SISTERS}  # fmt: skip

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("epistemic-uncertainty-sampling", {"precompute": True}),
    ("discriminative-al", {"greedy_selection": True}),
    ("regression-tree-based-al", {"method": "diversity"}),
    ("regression-tree-based-al", {"min_samples_leaf": 1}),
    ("greedy-sampling-target", {"method": "GSy"}),
    ("sub-sampling-wrapper", {"base": "skactiveml.badge"}),
    ("sub-sampling-wrapper", {"base": "skactiveml.expected-model-change-maximization"}),
    ("sub-sampling-wrapper", {"base": "skactiveml.typiclust", "exclude_non_subsample": True, "max_candidates": 9}),
    ("parallel-utility-estimation-wrapper", {"base": "skactiveml.qbc-kl", "n_jobs": -1}),
]
"""Other ways of a strategy, on the rules that they could break."""

PAIRED = ["same-seed-same-rows", "replay", "asks-for-all", "rows-being-labeled", "duplicate-rows", "picklable",
          "global-random-state"]  # fmt: skip


def checks() -> list[Any]:
    found = []
    for name, spec in SPECS.items():
        only = OWN if name in SISTERS else None
        marks = pytest.mark.slow if name in SLOW else ()
        bound = alcore.testing.checks_for(spec, params=CHECKED_WITH.get(name), only=only)
        found += [pytest.param(check, marks=marks, id=f"{name}-{check}") for check in bound]
    return found


@pytest.mark.parametrize("check", checks())
def test_rule(check):
    check()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "params"), VARIANTS, ids=str)
def test_other_ways_of_a_strategy(name, params):
    spec = SPECS[name]
    if "base" in params:  # what a wrapper can do is what its base can
        base = SPECS[params["base"].removeprefix("skactiveml.")]
        spec = replace(spec, tasks=base.tasks, needs=base.needs, sparse=base.sparse)
    report = alcore.testing.check_strategy(spec, params=params, only=PAIRED)

    assert report.ok, str(report)
