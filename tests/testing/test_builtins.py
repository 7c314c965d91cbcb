"""What alcore comes with keeps alcore's rules."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest

from alcore import plugins
from alcore.testing import check

FOUND = [entry for entry in entry_points(group="alcore") if entry.value == "alcore.builtin"]
REGISTRY = plugins.load(FOUND, blocked=(), strict=True).registry

PARAMS: dict[str, dict[str, Any]] = {
    "labels-to": {"target": 0.7},
    "random-forest": {"n_estimators": 5},
    "random-forest-regressor": {"n_estimators": 5},
    "xgboost": {"n_estimators": 5},
}
"""Parameters without a default, and fewer trees: what is checked does not depend on how many there are."""

SLOW = {"gp-regressor": "fits its kernel by 50 evaluations of the marginal likelihood"}


def named(kind: Any) -> list[Any]:
    return [
        pytest.param(entry.spec.name, marks=pytest.mark.slow if entry.spec.name in SLOW else (), id=entry.spec.name)
        for entry in REGISTRY.entries(kind)
    ]


def found(kind: Any, name: str, params: dict[str, Any] | None) -> Any:
    return check(name, kind=kind, registry=REGISTRY, params=params)


@pytest.mark.parametrize("name", named("strategy"))
def test_strategy(name: str) -> None:
    report = found("strategy", name, PARAMS.get(name))

    assert report.ok, str(report)


@pytest.mark.parametrize("name", named("learner"))
def test_learner(name: str) -> None:
    report = found("learner", name, PARAMS.get(name))

    assert report.ok, str(report)


@pytest.mark.parametrize("name", named("metric"))
def test_metric(name: str) -> None:
    report = found("metric", name, PARAMS.get(name))

    assert report.ok, str(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, params in PARAMS.items() if "n_estimators" in params])
def test_ensemble_of_full_size(name: str) -> None:
    report = found("learner", name, None)

    assert report.ok, str(report)


@pytest.mark.parametrize(("metric", "kind"), [("aubc", kind) for kind in ("standard", "ariapoy2023", "ariapoy2025")])
def test_each_kind_of_area(metric: str, kind: str) -> None:
    published = {} if kind == "standard" else {"spacing": "published so: it counts queries, and not labels"}
    report = check(metric, kind="metric", registry=REGISTRY, params={"kind": kind}, excuses=published)

    assert report.ok, str(report)
