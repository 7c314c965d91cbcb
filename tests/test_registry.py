"""The registry: unique names within a kind, all or none of a plugin's, and messages that lead to the right name."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from alcore.errors import InputError, PairingError, UnavailableError, UnknownNameError
from alcore.estimators import PerLabel
from alcore.registry import KINDS, Absence, Registry, plural
from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, StopRuleSpec, StrategySpec
from alcore.types import Level, Task

MISSING = {"no_such_module": "pip install 'toy[extra]'"}


def make(size: int = 3) -> int:
    return size


def strategy(name: str, **fields: Any) -> StrategySpec:
    all_fields: dict[str, Any] = {"name": name, "summary": "A toy", "make": make} | fields
    return StrategySpec(**all_fields)


def learner(name: str, *tasks: Task, **fields: Any) -> LearnerSpec:
    of = frozenset(tasks or (Task.CLASSIFICATION,))
    return LearnerSpec(**{"name": name, "summary": "A toy", "make": GaussianNB, "tasks": of} | fields)


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.add([strategy("margin"), strategy("entropy"), learner("tree")], "alcore", "1.0")
    registry.add([strategy("libact.quire"), strategy("alipy.quire")], "wrappers", "2.0")
    return registry


# --- what is there ---------------------------------------------------------------------------------------------------


def test_kinds_have_plurals() -> None:
    assert [plural(kind) for kind in KINDS] == [
        "strategies",
        "learners",
        "metrics",
        "datasets",
        "stop-rules",
        "selectors",
        "presets",
    ]


def test_an_entry_is_found_by_kind_and_name_with_its_origin(registry: Registry) -> None:
    entry = registry.entry("strategy", "libact.quire")
    assert (entry.spec.name, entry.distribution, entry.version) == ("libact.quire", "wrappers", "2.0")
    assert registry.get("strategy", "libact.quire") is entry
    assert registry.get("learner", "libact.quire") is None


def test_entries_are_sorted_by_name(registry: Registry) -> None:
    found = [entry.spec.name for entry in registry.entries("strategy")]
    assert found == ["alipy.quire", "entropy", "libact.quire", "margin"]
    assert [entry.spec.name for entry in registry.entries("learner")] == ["tree"]
    assert registry.entries("metric") == []


def test_one_name_may_be_of_several_kinds(registry: Registry) -> None:
    registry.add([learner("margin")], "other", "1")
    assert registry.entry("strategy", "margin").distribution == "alcore"
    assert registry.entry("learner", "margin").distribution == "other"


def test_build_makes_the_thing_from_its_parameters(registry: Registry) -> None:
    assert registry.build("strategy", "margin") == 3
    assert registry.build("strategy", "margin", size=5) == 5
    with pytest.raises(InputError, match=r"margin has no parameter 'sise'; .* Did you mean 'size'\?"):
        registry.build("strategy", "margin", sise=5)


def test_a_parameter_may_be_called_kind_or_name() -> None:
    registry = Registry()
    registry.add([strategy("toy", make=lambda kind, name: (kind, name))], "toys", "1")
    assert registry.build("strategy", "toy", kind=1, name=2) == (1, 2)


def test_a_copy_grows_on_its_own(registry: Registry) -> None:
    copy = registry.copy()
    copy.add([strategy("new")], "file.py", "1")
    copy.absences.append(Absence("gone", frozenset(), "it is."))
    assert copy.get("strategy", "margin") is registry.get("strategy", "margin")
    assert registry.get("strategy", "new") is None
    assert registry.absences == []
    registry.add([strategy("newer")], "file.py", "1")
    assert copy.get("strategy", "newer") is None


def test_a_copy_knows_what_is_absent(registry: Registry) -> None:
    registry.absences.append(Absence("gone", frozenset(), "it is."))
    with pytest.raises(UnknownNameError, match=r"strategy 'gone\.one' is missing because it is\."):
        registry.copy().entry("strategy", "gone.one")


# --- what is added ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("new", "margin"), ("new", "new")])
def test_all_are_added_or_none(registry: Registry, names: tuple[str, ...]) -> None:
    before = registry.entries("strategy")
    with pytest.raises(InputError, match=f"strategy '{names[1]}' is provided by .* and by other; names are unique"):
        registry.add([learner("new"), *(strategy(name) for name in names)], "other", "1")
    assert registry.entries("strategy") == before
    assert registry.get("learner", "new") is None
    assert registry.get("strategy", "margin") is before[-1]


def test_a_collision_names_both_distributions_and_the_way_out(registry: Registry) -> None:
    with pytest.raises(InputError) as caught:
        registry.add([strategy("libact.quire")], "other", "1")
    assert str(caught.value) == (
        "strategy 'libact.quire' is provided by wrappers and by other; "
        "names are unique: rename one, or block a plugin with ALCORE_PLUGINS=-NAME."
    )


# --- what is not there -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        ("strategy", "margn", " Did you mean 'margin'?"),
        ("strategy", "quire", " Did you mean 'libact.quire' or 'alipy.quire'?"),
        ("strategy", "tree", " There is a learner of that name."),
        ("learner", "entropy", " There is a strategy of that name."),
        ("strategy", "nothing-like-it", ""),
        ("stop-rule", "margin-of-all", ""),
    ],
)
def test_an_unknown_name_is_told_with_what_is_near(registry: Registry, kind: Any, name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        registry.entry(kind, name)
    assert str(caught.value) == f"no {kind} is called {name!r}.{hint} See: alcore list {plural(kind)}"


@pytest.mark.parametrize("call", [Registry.build, Registry.entry])
def test_an_unknown_name_is_wrong_input_and_a_failed_lookup(registry: Registry, call: Any) -> None:
    with pytest.raises(InputError):
        call(registry, "metric", "margin")
    with pytest.raises(LookupError):
        call(registry, "metric", "margin")


@pytest.mark.parametrize("name", ["gone.anything", "known.name"])
def test_an_absent_name_says_why(registry: Registry, name: str) -> None:
    registry.absences.append(Absence("gone", frozenset({"known.name"}), "plugin 'gone' failed. See: alcore plugins"))
    with pytest.raises(UnknownNameError) as caught:
        registry.entry("strategy", name)
    assert str(caught.value) == f"strategy {name!r} is missing because plugin 'gone' failed. See: alcore plugins"


def test_what_is_there_is_found_although_another_plugin_lost_the_name(registry: Registry) -> None:
    registry.absences.append(Absence("libact", frozenset({"margin"}), "it failed."))
    assert registry.entry("strategy", "margin").distribution == "alcore"
    assert registry.entry("strategy", "libact.quire").distribution == "wrappers"


def test_a_plain_name_may_be_one_of_an_absent_plugin_of_plain_names(registry: Registry) -> None:
    registry.absences.append(Absence("fast", frozenset(), "plugin 'fast' failed.", plain=True))
    registry.absences.append(Absence("gone", frozenset(), "plugin 'gone' failed."))
    with pytest.raises(UnknownNameError) as caught:
        registry.entry("strategy", "margn")
    assert str(caught.value) == (
        "no strategy is called 'margn'. Did you mean 'margin'? "
        "It may be missing because plugin 'fast' failed. See: alcore list strategies"
    )


# --- learners --------------------------------------------------------------------------------------------------------


def test_a_learner_is_a_recipe_of_that_name(registry: Registry) -> None:
    registry.add([learner("nb")], "toys", "1")
    recipe = registry.learner("nb", Task.CLASSIFICATION, var_smoothing=0.5)
    assert type(recipe.source) is GaussianNB
    assert recipe.source.var_smoothing == 0.5
    assert (recipe.name, recipe.refit, recipe.prefit) == ("nb", "scratch", False)


def test_refit_is_passed_on(registry: Registry) -> None:
    assert registry.learner("tree", Task.CLASSIFICATION, refit="continue").refit == "continue"


def test_a_classifier_serves_a_multilabel_task_once_per_label(registry: Registry) -> None:
    registry.add([learner("nb", Task.CLASSIFICATION, Task.MULTILABEL)], "toys", "1")
    recipe = registry.learner("nb", Task.MULTILABEL, var_smoothing=0.5)
    assert isinstance(recipe.source, PerLabel)
    assert recipe.name == "nb"
    with pytest.raises(PairingError, match="needs partial_fit"):
        registry.learner("nb", Task.MULTILABEL, refit="continue")
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.integers(0, 2, size=(30, 2))
    ours = recipe.make(Task.MULTILABEL, 2, 0).fit(X, Y)
    direct = [GaussianNB(var_smoothing=0.5).fit(X, column) for column in Y.T]
    np.testing.assert_array_equal(ours.predict(X), np.column_stack([one.predict(X) for one in direct]))
    np.testing.assert_array_equal(
        ours.predict_proba(X), np.column_stack([one.predict_proba(X)[:, 1] for one in direct])
    )


def test_a_learner_of_another_task_is_refused_with_those_that_serve(registry: Registry) -> None:
    registry.add([learner("ridge", Task.REGRESSION), learner("bayes", Task.MULTILABEL, Task.CLASSIFICATION)], "t", "1")
    with pytest.raises(InputError) as caught:
        registry.learner("ridge", Task.CLASSIFICATION)
    assert str(caught.value) == "learner 'ridge' serves regression, not classification. Use one of bayes, tree."
    with pytest.raises(InputError, match=r"'bayes' serves classification, multilabel, not regression\. Use .* ridge\."):
        registry.learner("bayes", Task.REGRESSION)


def test_a_learner_whose_package_is_missing_is_refused_with_the_fix(registry: Registry) -> None:
    registry.add([learner("boost", requires=MISSING)], "toys", "1")
    with pytest.raises(UnavailableError, match=r"learner 'boost' needs the package .*: pip install 'toy\[extra\]'"):
        registry.learner("boost", Task.CLASSIFICATION)


# --- as JSON ---------------------------------------------------------------------------------------------------------


def shown(spec: Any) -> Any:
    registry = Registry()
    registry.add([spec], "toys", "1.5")
    return json.loads(json.dumps(registry.entry(spec.kind, spec.name).to_json()))


def test_an_entry_says_what_it_is_whose_and_what_it_can() -> None:
    spec = strategy(
        "toy", tasks=[Task.REGRESSION, Task.CLASSIFICATION], needs=("proba|std",), max_classes=2, source="S"
    )
    assert shown(spec) == {
        "name": "toy",
        "summary": "A toy",
        "distribution": "toys",
        "version": "1.5",
        "state": "available",
        "reason": None,
        "source": "S",
        "revision": 1,
        "tasks": ["classification", "regression"],
        "needs": ["proba|std"],
        "learner": True,
        "max_classes": 2,
        "batch": "native",
        "sparse": True,
        "stateful": False,
        "stochastic": False,
        "growth": "linear",
        "resumable": True,
        "truth": False,
        "uniform": False,
        "group": "",
        "parts": [],
    }


@pytest.mark.parametrize(
    ("spec", "own"),
    [
        (learner("toy", levels=frozenset({Level.PROBA, Level.DECISION})), {"levels": ["decision", "proba"]}),
        (MetricSpec(name="toy", summary="A", make=make, scope="curve"), {"scope": "curve", "greater_is_better": True}),
        (DatasetSpec(name="toy", summary="A", make=make, rows=7), {"task": "classification", "rows": 7}),
        (StopRuleSpec(name="toy", summary="A", make=make), {"state": "available"}),
    ],
)
def test_each_kind_shows_its_own_fields(spec: Any, own: dict[str, Any]) -> None:
    entry = shown(spec)
    assert {key: entry[key] for key in own} == own
    assert list(entry)[:6] == ["name", "summary", "distribution", "version", "state", "reason"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"requires": MISSING}, "needs the package 'no_such_module', which is not installed: pip install 'toy[extra]'"),
        ({"unavailable": lambda: "needs a GPU"}, "needs a GPU"),
        (
            {"unavailable": lambda: 1 / 0},
            "cannot tell whether it can be used here: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_what_cannot_be_used_here_is_unavailable_and_says_why(fields: Any, reason: str) -> None:
    entry = shown(strategy("toy", **fields))
    assert (entry["state"], entry["reason"]) == ("unavailable", reason)


def test_a_learner_that_takes_the_label_matrix_is_not_copied_per_label() -> None:
    registry = Registry()
    tree = LearnerSpec(
        name="tree",
        summary="A tree",
        make="sklearn.tree:DecisionTreeClassifier",
        tasks={Task.MULTILABEL},
        per_label=False,
    )
    registry.add([tree], "mine", "1")
    assert type(registry.learner("tree", Task.MULTILABEL).source).__name__ == "DecisionTreeClassifier"
