"""The parameters of the presets: the keys that each gives, what is refused, and that it runs."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from alcore import plugins
from alcore.execute import execute, prepare
from alcore.experiment import Experiment, ExperimentError, parse
from alcore.plan import plan
from alcore.results import Result
from alcore_benchmark.datasets.load import BY_NAME as DATA
from alcore_benchmark.tables import remake
from alcore_benchmark.tables.targets import BY_NAME as TABLES

PRESETS = ("published", "standard")
PARTS = ("batch", "budget", "ties", "features", "split", "start", "metrics", "learners", "seeds")


def read(preset: str, given: dict[str, Any] | None = None, **keys: Any) -> Experiment:
    raw = {"name": "one", "datasets": ["sklearn.iris"], "strategies": ["margin"]} | keys
    return parse(raw | {"preset": {"name": preset} | (given or {})}, plugins.loaded().registry)


def changed(preset: str, **given: Any) -> dict[str, Any]:
    """Return the keys that these parameters change, each with its path."""
    before, after = (flat(read(preset, one).model_dump()) for one in ({}, given))
    return {key: value for key, value in after.items() if before.get(key) != value}


def flat(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {key: found for name, part in value.items() for key, found in flat(part, f"{path}.{name}").items()}
    return {path.strip("."): value}


def metrics(*names: str) -> dict[str, Any]:
    return {"metrics.round": tuple({"name": name, "label": name} for name in names)}


# --- each setting gives exactly the keys meant ---------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, {}),
        ({"size": 30}, {"start.size": 30}),
        ({"classes": 2}, {}),
        ({"classes": 7}, {"start.size": 70}),
        ({"batch": 10}, {"batch": 10}),
        ({"batch": 100}, {"batch": 100}),
        ({"fixed_split": True, "fixed_start": True}, {"split.seed": 0, "start.seed": 0}),
        ({"imbalanced": True}, metrics("f1-weighted", "accuracy")),
    ],
    ids=str,
)
def test_a_setting_of_both(preset: str, given: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert changed(preset, **given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"one_shot": True}, {"start.method": "per-class", "start.size": 1} | metrics("f1-weighted")),
        ({"fixed_split": True}, {"split.seed": 0, "start.method": "random"}),
        ({"fixed_start": True}, {"start.seed": 0, "start.method": "random"}),
        ({"fixed_split": True, "one_shot": True},
         {"split.seed": 0, "start.method": "per-class", "start.size": 1} | metrics("f1-weighted")),
        ({"one_shot": True, "imbalanced": True},
         {"start.method": "per-class", "start.size": 1} | metrics("f1-weighted", "accuracy")),
    ],
    ids=str,
)  # fmt: skip
def test_a_setting_of_published(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert changed("published", **given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"one_shot": True}, {"start.method": "per-class", "start.size": 1}),
        ({"fixed_split": True}, {"split.seed": 0}),
        ({"fixed_start": True}, {"start.seed": 0}),
    ],
    ids=str,
)
def test_a_setting_of_standard(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert changed("standard", **given) == wanted


SVM = {"gamma": "auto", "scale": False}
LOGISTIC = {"max_iter": 100, "scale": False}


@pytest.mark.parametrize("tuned", [False, True])
@pytest.mark.parametrize(
    ("model", "params"), [("rbf-svm", SVM), ("xgboost", {}), ("random-forest", {}), ("logistic-regression", LOGISTIC)]
)
def test_a_model_of_published(model: str, params: dict[str, Any], tuned: bool) -> None:
    found = read("published", {"model": model, "tuned": tuned})
    assert found.split.standardize is (model != "xgboost")
    assert pairs(found) == expected(model, tuned)
    assert all(one.params == params for pair in found.learners for one in (pair.query, pair.task))


@pytest.mark.parametrize("tuned", [False, True])
@pytest.mark.parametrize("model", ["rbf-svm", "xgboost", "random-forest", "logistic-regression"])
def test_a_model_of_standard(model: str, tuned: bool) -> None:
    found = read("standard", {"model": model, "tuned": tuned})
    assert not found.split.standardize
    assert pairs(found) == expected(model, tuned)
    assert all(one.params == {} for pair in found.learners for one in (pair.query, pair.task))


def pairs(found: Experiment) -> list[tuple[str, str, str]]:
    return [(pair.query.name, pair.task.name, pair.label) for pair in found.learners]


def expected(model: str, tuned: bool) -> list[tuple[str, str, str]]:
    best = f"tuned-{model}"
    return [(model, best, f"{model}->{best}"), (best, best, best)] if tuned else [(model, model, model)]


def test_settings_compose() -> None:
    given = {"model": "xgboost", "batch": 10, "fixed_start": True, "imbalanced": True, "classes": 3}
    wanted = {"batch": 10, "start.seed": 0, "start.size": 30} | metrics("f1-weighted", "accuracy")
    found = changed("standard", **given)
    [pair] = found.pop("learners")
    assert (pair["query"]["name"], found) == ("xgboost", wanted)


def test_the_file_has_the_last_word() -> None:
    found = read("standard", {"batch": 10, "classes": 3}, batch=5, start={"size": 6})
    assert (found.batch, found.start.size, found.start.classes) == (5, 6, "all")


@pytest.mark.parametrize(
    ("table", "column", "given"),
    [
        ("table19", "US-C", {}),
        ("table3", "US", {"model": "xgboost"}),
        ("table8", "US-SM", {"model": "xgboost", "classes": 3, "fixed_split": True}),
        ("table25", "US", {"model": "random-forest"}),
        ("table10", "US-SM", {"model": "xgboost", "one_shot": True}),
        ("table11", "100", {"model": "xgboost", "batch": 100}),
    ],
)
def test_a_published_setting_is_that_of_its_table(table: str, column: str, given: dict[str, Any]) -> None:
    entry = DATA["iris" if "classes" in given else "wdbc"]
    there = remake.experiment(TABLES[table], entry, column, range(100)).model_dump()
    here = read("published", given).model_dump()
    assert {part: here[part] for part in PARTS} == {part: there[part] for part in PARTS}


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "rbf_svm"}, "logistic-regression. Did you mean 'rbf-svm'?"),
        ({"model": 3}, "model is 3; use one of rbf-svm"),
        ({"batch": 0}, "batch is 0; give a whole number of 1 or more."),
        ({"batch": True}, "batch is True; give a whole number of 1 or more."),
        ({"batch": 2.5}, "batch is 2.5; give a whole number of 1 or more."),
        ({"size": -1}, "size is -1; give a whole number of 0 or more."),
        ({"classes": 1}, "classes is 1; give a whole number of 2 or more."),
        ({"classes": "all"}, "classes is 'all'; give a whole number of 2 or more."),
        ({"one_shot": "yes"}, "one_shot is 'yes'; give true or false."),
        ({"fixed_split": 0}, "fixed_split is 0; give true or false."),
        ({"fixed_start": 7}, "fixed_start is 7; give true or false."),
        ({"imbalanced": "f1"}, "imbalanced is 'f1'; give true or false."),
        ({"tuned": 1}, "tuned is 1; give true or false."),
        ({"size": 30, "classes": 3}, "size and classes each say how large the start set is; give one of them."),
        ({"classes": 3, "one_shot": True}, "classes and one_shot each say how large the start set is"),
        ({"one_shott": True}, "no parameter 'one_shott'"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_parameter_is_told_with_the_fix(preset: str, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        read(preset, given)
    [problem, *_] = caught.value.problems
    assert problem.startswith(f"preset: {preset}")
    assert told in problem


# --- each runs -----------------------------------------------------------------------------------------------------


def run(preset: str, given: dict[str, Any], **keys: Any) -> list[Result]:
    registry = plugins.loaded().registry
    return [execute(one) for one in plan(read(preset, given, **{"seeds": 1, "budget": 3} | keys), registry)]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("given", "labelled"),
    [
        ({"one_shot": True}, [3, 4, 5, 6]),
        ({"size": 12, "batch": 2}, [12, 14, 15]),
        ({"classes": 3, "fixed_split": True}, [30, 31, 32, 33]),
        ({"size": 12, "fixed_start": True, "imbalanced": True}, [12, 13, 14, 15]),
        ({"size": 12, "model": "random-forest", "batch": 3}, [12, 15]),
        ({"size": 12, "model": "logistic-regression", "fixed_split": True, "fixed_start": True}, [12, 13, 14, 15]),
        ({"size": 12, "model": "xgboost", "batch": 3}, [12, 15]),
    ],
    ids=str,
)
def test_a_setting_runs(preset: str, given: dict[str, Any], labelled: list[int]) -> None:
    [result] = run(preset, given)
    assert (result.status, result.reason) == ("completed", "budget_reached")
    assert [record.n_labeled for record in result.records] == labelled
    assert all(0.3 < value <= 1 for record in result.records for value in record.metrics.values())


@pytest.mark.parametrize(
    ("preset", "model"),
    [
        ("published", "rbf-svm"),
        ("published", "logistic-regression"),
        ("standard", "xgboost"),
        ("standard", "random-forest"),
        ("standard", "rbf-svm"),
    ],
)
def test_tuned_models_run(preset: str, model: str) -> None:
    results = run(preset, {"tuned": True, "model": model, "batch": 3, "size": 12}, learners=cheap(preset, model))
    assert [(result.status, len(result.records)) for result in results] == [("completed", 2)] * 2
    first, second = (result.records[0] for result in results)
    assert (first.rows.tolist(), first.metrics) == (second.rows.tolist(), second.metrics)


def cheap(preset: str, model: str) -> list[Any]:
    """Return the preset's pairs with two folds, and with five trees where there are a hundred."""
    trees = {"n_estimators": 5} if model in ("xgboost", "random-forest") else {}
    found = []
    for pair in read(preset, {"tuned": True, "model": model}).learners:
        ref = {role: getattr(pair, role) for role in ("query", "task")}
        folds = {role: {"folds": 2} if one.name.startswith("tuned") else {} for role, one in ref.items()}
        found.append({role: {"name": one.name} | one.params | folds[role] | trees for role, one in ref.items()})
    return found


# --- what is fixed is the same in all seeds ------------------------------------------------------------------------


def drawn(preset: str, **given: bool) -> tuple[list[set[int]], list[set[int]]]:
    """Return the pools and the start sets of two seeds, as rows of the data set."""
    registry = plugins.loaded().registry
    planned = plan(read(preset, given, seeds=[1, 2], budget=0, start={"classes": "any"}), registry)
    pools = [prepare(one.config, registry).rows for one in planned]
    starts = [pool[execute(one).records[0].rows] for pool, one in zip(pools, planned, strict=True)]
    return [set(pool.tolist()) for pool in pools], [set(start.tolist()) for start in starts]


@pytest.mark.parametrize(("preset", "split", "start"), list(product(PRESETS, [False, True], [False, True])))
def test_what_is_fixed_is_the_same_in_all_seeds(preset: str, split: bool, start: bool) -> None:
    pools, starts = drawn(preset, fixed_split=split, fixed_start=start)
    assert (pools[0] == pools[1]) is split
    assert (starts[0] == starts[1]) is (split and start)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_start_set_fixed_alone_is_at_the_same_places_of_each_pool(preset: str) -> None:
    first, second = (result.records[0].rows for result in run(preset, {"fixed_start": True, "size": 12}, seeds=2))
    np.testing.assert_array_equal(first, second)


def test_published_fixed_both_is_the_reference_codes_draw() -> None:
    """Seed 0 shuffles all rows and, once more, the first 60 %; the pool's first 20 are labelled."""
    rows = np.random.default_rng(0).permutation(150)[:90]
    np.random.default_rng(0).shuffle(rows)
    assert drawn("published", fixed_split=True, fixed_start=True)[1] == [set(rows[:20].tolist())] * 2


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seed_that_lacks_a_class_is_skipped_and_told(preset: str) -> None:
    [result] = run(preset, {"size": 2})
    assert (result.status, result.records) == ("skipped", [])
    assert result.reason.startswith("the start set of 2 rows lacks")
