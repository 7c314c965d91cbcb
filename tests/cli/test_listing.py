"""``alcore list``: every name, whose it is, whether it can be used here and why not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from alcore import plugins
from alcore.cli import main
from alcore.registry import KINDS, Registry, plural
from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, StopRuleSpec, StrategySpec
from alcore.types import Level, Task

HEAD = {"name", "summary", "distribution", "version", "state", "reason"}
MISSING = {"no_such_module": "pip install 'toy[extra]'"}
KINDS_BY_PLURAL = {plural(kind): kind for kind in KINDS}


def call(*args: str) -> Result:
    return CliRunner().invoke(main, ["list", *args])


def listed(what: str) -> list[dict[str, Any]]:
    result = call(what, "--json")
    assert result.exit_code == 0, result.output
    shown = json.loads(result.output)
    assert list(shown) == [what]
    entries: list[dict[str, Any]] = shown[what]
    return entries


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry in place of that of the plugins, to be filled."""
    registry = Registry()
    loaded = plugins.Plugins(registry, [], plugins.loaded().manager)
    monkeypatch.setattr(plugins, "loaded", lambda: loaded)
    return registry


def toy(kind: Any, name: str = "toy.one", **fields: Any) -> Any:
    return kind(**{"name": name, "summary": "A toy [of mine]", "make": "no_such_module:make"} | fields)


# --- what alcore comes with ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", KINDS_BY_PLURAL)
def test_json_has_every_entry_in_order_with_its_origin_and_state(what: str) -> None:
    entries = listed(what)
    assert [e["name"] for e in entries] == [
        e.spec.name for e in plugins.loaded().registry.entries(KINDS_BY_PLURAL[what])
    ]
    for entry in entries:
        assert set(entry) >= HEAD
        assert entry["summary"]
        assert (entry["state"], entry["reason"] is None) in {("available", True), ("unavailable", False)}


@pytest.mark.parametrize("what", KINDS_BY_PLURAL)
def test_people_see_every_name_and_summary_on_one_line(what: str) -> None:
    result = call(what)
    assert result.exit_code == 0
    lines = [line.rstrip() for line in result.output.splitlines()]
    assert lines[0] == what.capitalize()
    entries = {entry["name"]: entry for entry in listed(what)}
    shown = [line for line in lines[2:] if line.split()[0] in entries]
    assert sorted(line.split()[0] for line in shown) == sorted(entries)
    for line in shown:
        entry = entries[line.split()[0]]
        assert entry["summary"] in line
        assert line.endswith(f"{entry['distribution']} {entry['version']}")


def test_strategies_stand_in_families_plain_names_first(toys: Registry) -> None:
    hybrid = [toy(StrategySpec, name="a.one", group="hybrid"), toy(StrategySpec, name="two", group="hybrid")]
    others = [toy(StrategySpec, name="three"), toy(StrategySpec, name="four", group="uncertainty")]
    toys.add([*hybrid, *others], "toys", "1.5")
    first = [line.split()[0] for line in call("strategies").output.splitlines()[2:]]
    assert first == ["uncertainty", "four", "hybrid", "two", "a.one", "other", "three"]


@pytest.mark.parametrize(
    ("what", "name", "capabilities"),
    [
        ("strategies", "margin", {"tasks": ["classification"], "needs": ["proba|decision"], "growth": "linear"}),
        ("strategies", "random", {"learner": False, "stochastic": True, "needs": []}),
        ("learners", "rbf-svm", {"tasks": ["classification", "multilabel"], "levels": ["decision"]}),
        ("metrics", "aubc", {"scope": "curve", "greater_is_better": True}),
        ("datasets", "sklearn.iris", {"task": "classification", "rows": 150, "features": 4, "classes": 3}),
    ],
)
def test_json_says_what_an_entry_can(what: str, name: str, capabilities: dict[str, Any]) -> None:
    [entry] = [entry for entry in listed(what) if entry["name"] == name]
    assert entry["distribution"] == "alcore"
    assert {key: entry[key] for key in capabilities} == capabilities


# --- what cannot be used here ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "spec"),
    [
        ("strategies", toy(StrategySpec, requires=MISSING)),
        ("learners", toy(LearnerSpec, requires=MISSING)),
        ("metrics", toy(MetricSpec, scope="round", requires=MISSING)),
        ("datasets", toy(DatasetSpec, requires=MISSING)),
        ("stop-rules", toy(StopRuleSpec, requires=MISSING)),
    ],
)
def test_an_entry_whose_package_is_missing_says_what_to_type(toys: Registry, what: str, spec: Any) -> None:
    toys.add([spec], "toys", "1.5")
    [entry] = listed(what)
    assert (entry["name"], entry["state"], entry["distribution"]) == ("toy.one", "unavailable", "toys")
    assert entry["reason"] == "needs the package 'no_such_module', which is not installed: pip install 'toy[extra]'"
    text = " ".join(call(what).output.split())
    assert "toy.one" in text
    assert "A toy [of mine]" in text
    assert f"unavailable: {entry['reason']}" in text


def test_an_entry_that_cannot_tell_stops_nobody(toys: Registry) -> None:
    toys.add([toy(StrategySpec, unavailable=lambda: 1 / 0), toy(StrategySpec, "toy.two")], "toys", "1.5")
    assert [(e["name"], e["state"]) for e in listed("strategies")] == [
        ("toy.one", "unavailable"),
        ("toy.two", "available"),
    ]
    assert "ZeroDivisionError" in listed("strategies")[0]["reason"]
    assert "toy.two" in call("strategies").output


def test_an_empty_list_is_a_list(toys: Registry) -> None:
    assert listed("strategies") == []
    assert call("strategies").exit_code == 0


# --- what people look for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "spec", "traits"),
    [
        ("strategies", toy(StrategySpec), ""),
        (
            "strategies",
            toy(StrategySpec, needs=("proba|decision", "embedding"), max_classes=2, stateful=True, growth="cubic"),
            "needs proba or decision and embedding, 2 classes, stateful, cubic",
        ),
        ("strategies", toy(StrategySpec, stochastic=True, truth=True), "stochastic, truth"),
        (
            "learners",
            toy(LearnerSpec, tasks=[Task.REGRESSION], levels=frozenset({Level.STD})),
            "regression, std",
        ),
        ("metrics", toy(MetricSpec, scope="curve"), "curve"),
        ("metrics", toy(MetricSpec, scope="round", tasks=[Task.REGRESSION]), "round, regression"),
        ("datasets", toy(DatasetSpec, rows=150, features=4, classes=3), "classification, 150 x 4, 3 classes"),
        ("datasets", toy(DatasetSpec, task=None), ""),
        ("stop-rules", toy(StopRuleSpec), ""),
    ],
)
def test_people_see_what_they_look_for_first(toys: Registry, what: str, spec: Any, traits: str) -> None:
    toys.add([spec], "toys", "1.5")
    line = " ".join(call(what).output.splitlines()[-1].split())
    assert line == " ".join(f"toy.one A toy [of mine] {traits} toys 1.5".split())


# --- wrong input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [("nonsense",), ("strategy",), ("nonsense", "--json")])
def test_another_kind_is_refused_with_the_choices(args: tuple[str, ...]) -> None:
    result = call(*args)
    assert result.exit_code == 2
    for choice in (args[0], *KINDS_BY_PLURAL):
        assert f"'{choice}'" in result.output


def test_what_to_list_must_be_said() -> None:
    result = call()
    assert result.exit_code == 2
    assert "strategies|learners|metrics|datasets|stop-rules" in result.output
