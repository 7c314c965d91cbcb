"""What cannot work together: each reason, with the fix, and silence where all is well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import alcore
from alcore.dataset import Dataset
from alcore.decorators import FunctionStrategy, spec_of
from alcore.errors import InputError, PairingError, UnknownNameError
from alcore.learners import Recipe
from alcore.pairing import Facts, Misfit, as_count, as_recipe, as_strategy, as_task, metric_mismatch, mismatch, refuse
from alcore.pool import Pool
from alcore.registry import Registry
from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, StrategySpec
from alcore.types import Level, Rows, Task
from alcore.view import View

CLASSES, TARGETS, ALL = frozenset({Task.CLASSIFICATION}), frozenset({Task.REGRESSION}), frozenset(Task)


@alcore.selects("any", summary="s", tasks=ALL, learner=False)
def take(view: View, n: int, offset: int = 0) -> Rows:
    return view.unlabeled[offset : offset + n]


@alcore.strategy("one", summary="s", batch="single", learner=False)
class One:
    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:1]


def strategy(name: str, **fields: Any) -> StrategySpec:
    return StrategySpec(name=name, summary="s", make=One, **fields)


def learner(name: str, *levels: Level, make: Any = GaussianNB, **fields: Any) -> LearnerSpec:
    return LearnerSpec(name=name, summary="s", make=make, levels=frozenset(levels), **fields)


def metric(name: str, scope: Any = "round", **fields: Any) -> MetricSpec:
    return MetricSpec(name=name, summary="s", make=dict, scope=scope, **fields)


REGISTRY = Registry()
REGISTRY.add(
    [
        spec_of(take),
        spec_of(One),
        strategy("unsure", needs=("proba|decision",)),
        strategy("bayes", needs=("proba", "draws")),
        strategy("two", max_classes=2),
        strategy("dense", sparse=False),
        learner("bare", make=KMeans),
        learner("nb", Level.PROBA),
        learner("svm", Level.DECISION, sparse=False),
        learner("line", tasks=TARGETS, make=Ridge),
        metric("share", tasks=CLASSES),
        metric("loss", tasks=CLASSES, needs=("proba",)),
        metric("positive", tasks=CLASSES, max_classes=2),
        metric("error", tasks=TARGETS),
        metric("area", scope="curve"),
        DatasetSpec(name="flowers", summary="s", make=dict, classes=3),
        DatasetSpec(name="family", summary="s", make=dict, task=None),
        DatasetSpec(name="prices", summary="s", make=dict, task=Task.REGRESSION),
    ],
    "toys",
    "1",
)
FLOWERS = Facts("flowers", Task.CLASSIFICATION, 3)
PRICES = Facts("prices", Task.REGRESSION, 0)


def pool(k: int = 3, rows: Any = None, task: Task = Task.CLASSIFICATION) -> Pool:
    return Pool(np.zeros((4, 1)) if rows is None else rows, task, range(k))


@pytest.mark.parametrize(
    ("name", "query", "task", "facts"),
    [
        ("any", "bare", "bare", FLOWERS),
        ("any", "line", "line", PRICES),
        ("unsure", "nb", "bare", FLOWERS),
        ("unsure", "svm", "nb", FLOWERS),
        ("two", "bare", "bare", Facts("flowers", Task.CLASSIFICATION, 2)),
        ("two", "bare", "bare", Facts("family")),
        ("dense", "svm", "svm", FLOWERS),
        ("unsure", "nb", "nb", Facts("flowers", Task.CLASSIFICATION, 3, sparse=True)),
        ("nothing", "known", "here", FLOWERS),
    ],
)
def test_what_can_work_together(name: str, query: str, task: str, facts: Facts) -> None:
    assert mismatch(REGISTRY, facts, name, query, task) == []


@pytest.mark.parametrize(
    ("name", "query", "task", "facts", "expected"),
    [
        ("unsure", "bare", "nb", FLOWERS, Misfit(
            "unsure needs proba or decision; bare offers predict. "
            "Use learner 'nb' or 'svm', or strategy 'any', 'dense', 'one' or 'two'.", ("strategy", "query"))),
        ("bayes", "nb", "nb", FLOWERS, Misfit(
            "bayes needs draws; nb offers predict and proba. Use learner another one (none is loaded), or strategy "
            "'any', 'dense', 'one' or 'two'.", ("strategy", "query"))),
        ("two", "nb", "nb", FLOWERS, Misfit(
            "strategy two takes 2 classes at most; flowers has 3. Use 'any', 'bayes', 'dense' or 'one'.",
            ("strategy", "dataset"))),
        ("dense", "nb", "nb", Facts("flowers", Task.CLASSIFICATION, 3, sparse=True), Misfit(
            "strategy dense takes no sparse X, and flowers is sparse. Make it dense.", ("strategy", "dataset"))),
        ("any", "svm", "nb", Facts("flowers", Task.CLASSIFICATION, 3, sparse=True), Misfit(
            "learner svm takes no sparse X, and flowers is sparse. Make it dense.", ("query", "dataset"))),
        ("any", "nb", "svm", Facts("flowers", Task.CLASSIFICATION, 3, sparse=True), Misfit(
            "learner svm takes no sparse X, and flowers is sparse. Make it dense.", ("task", "dataset"))),
        ("dense", "line", "line", PRICES, Misfit(
            "strategy dense serves classification; prices is regression. Use 'any'.", ("strategy", "dataset"))),
        ("unsure", "line", "line", PRICES, Misfit(
            "strategy unsure serves classification; prices is regression. Use 'any'.", ("strategy", "dataset"))),
        ("any", "nb", "line", PRICES, Misfit(
            "learner nb serves classification; prices is regression. Use 'line'.", ("query", "dataset"))),
    ],
)  # fmt: skip
def test_each_mismatch_and_its_fix(name: str, query: str, task: str, facts: Facts, expected: Misfit) -> None:
    assert mismatch(REGISTRY, facts, name, query, task) == [expected]


def test_single_queries_in_batches() -> None:
    why = "one chooses one row at a time; batch is 5. Use batch = 1, or leave one out."
    assert mismatch(REGISTRY, FLOWERS, "one", "nb", "nb", batch=5) == [Misfit(why, ("strategy", "batch"))]
    assert mismatch(REGISTRY, FLOWERS, "one", "nb", "nb", batch=1) == []
    assert mismatch(REGISTRY, FLOWERS, "any", "nb", "nb", batch=5) == []


def test_all_mismatches_are_told() -> None:
    facts = Facts("prices", Task.REGRESSION, 0, sparse=True)
    found = mismatch(REGISTRY, facts, "dense", "svm", "svm")
    assert [one.parts for one in found] == [("strategy", "dataset")] * 2 + [("query", "dataset")] * 2


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("strategy", "query"), 'Why. Or leave the pair out: exclude = [{strategies = "s", learners = "l"}]'),
        (("strategy", "dataset"), 'Why. Or leave the pair out: exclude = [{datasets = "d", strategies = "s"}]'),
        (("task", "dataset"), 'Why. Or leave the pair out: exclude = [{datasets = "d", learners = "l"}]'),
        (("strategy", "batch"), "Why."),
        (("metric", "dataset"), "Why."),
    ],
)
def test_how_a_pair_is_left_out(parts: Any, expected: str) -> None:
    assert Misfit("Why.", parts).told(dataset="d", strategy="s", learner="l") == expected


@pytest.mark.parametrize(
    ("name", "by", "expected"),
    [
        ("error", "nb", Misfit(
            "metric error does not serve classification, the task of flowers. Use 'loss', 'positive' or 'share'.",
            ("metric", "dataset"))),
        ("positive", "nb", Misfit(
            "metric positive takes 2 classes; flowers has 3. Leave it out.", ("metric", "dataset"))),
        ("loss", "svm", Misfit(
            "metric loss needs proba; learner svm has none. Leave out one of them.", ("metric", "task"))),
    ],
)  # fmt: skip
def test_each_metric_that_does_not_fit(name: str, by: str, expected: Misfit) -> None:
    assert metric_mismatch(REGISTRY, FLOWERS, name, by) == [expected]


@pytest.mark.parametrize(
    ("name", "by", "facts"),
    [
        ("share", "bare", FLOWERS),
        ("loss", "nb", FLOWERS),
        ("positive", "nb", Facts("d", Task.CLASSIFICATION, 2)),
        ("loss", "unknown", FLOWERS),
        ("unknown", "nb", FLOWERS),
        ("positive", "nb", Facts("family")),
    ],
)
def test_metrics_that_fit(name: str, by: str, facts: Facts) -> None:
    assert metric_mismatch(REGISTRY, facts, name, by) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flowers", Facts("flowers", Task.CLASSIFICATION, 3)),
        ("family", Facts("family", None, None)),
        ("prices", Facts("prices", Task.REGRESSION, None)),
        ("unknown", Facts("unknown")),
    ],
)
def test_what_a_spec_says_of_a_data_set(name: str, expected: Facts) -> None:
    assert Facts.of_spec(REGISTRY, name) == expected


def test_what_a_loaded_data_set_is() -> None:
    rows = sparse.csr_array(np.eye(3))
    assert Facts.of_data(Dataset("d", rows, ["a", "b", "a"])) == Facts("d", Task.CLASSIFICATION, 2, sparse=True)
    assert Facts.of_data(Dataset("d", np.eye(3), [0.5, 1.5, 2.5])) == Facts("d", Task.REGRESSION, 0)


def refused(spec: Any, recipe: Any = "nb", on: Pool | None = None, **more: Any) -> str | None:
    on = on or pool()
    try:
        named = [(name, {}) for name in more.pop("metrics", ())]
        refuse(REGISTRY, spec, as_recipe(REGISTRY, recipe, on.task), on, metrics=named, **more)
    except PairingError as error:
        return str(error)
    return None


def of(name: str) -> StrategySpec:
    found: StrategySpec = REGISTRY.entry("strategy", name).spec
    return found


def test_a_good_pairing_is_not_refused() -> None:
    assert refused(of("unsure"), metrics=["share", "loss"], batch=4) is None
    assert refused(of("unsure"), GaussianNB()) is None
    assert refused(of("one"), LogisticRegression) is None
    assert refused(None, KMeans(), batch=4) is None


SPARSE = pool(rows=sparse.csr_array(np.eye(4)))
NUMBERS = pool(0, task=Task.REGRESSION)


@pytest.mark.parametrize(
    ("spec", "more", "why"),
    [
        (
            of("unsure"),
            {"recipe": KMeans()},
            "unsure needs proba or decision; KMeans offers predict. Use learner 'nb' or",
        ),
        (of("two"), {}, "strategy two takes 2 classes at most; this pool has 3. Use 'any'"),
        (of("one"), {"batch": 2}, "one chooses one row at a time; batch is 2. Use batch=1."),
        (of("dense"), {"on": SPARSE}, "strategy dense takes no sparse X, and this pool is sparse. Make it dense."),
        (of("any"), {"on": SPARSE, "recipe": "svm"}, "learner svm takes no sparse X, and this pool is sparse."),
        (None, {"on": SPARSE, "recipe": "svm"}, "learner svm takes no sparse X"),
        (None, {"on": SPARSE, "cold_start": of("dense")}, "strategy dense takes no sparse X"),
        (
            of("unsure"),
            {"on": NUMBERS, "recipe": "line"},
            "strategy unsure serves classification; this pool is regression",
        ),
        (of("any"), {"metrics": ["error"]}, "metric error does not serve classification, the task of this pool. Use"),
        (
            of("any"),
            {"metrics": ["share", "positive"]},
            "metric positive takes 2 classes; this pool has 3. Leave it out.",
        ),
        (of("any"), {"metrics": ["loss"], "recipe": KMeans()}, "metric loss needs proba; KMeans has none. Use another"),
        (
            None,
            {"recipe": Ridge()},
            "Ridge is a regressor; the task is classification. Use learner 'bare', 'nb' or 'svm'",
        ),
        (None, {"recipe": make_pipeline(StandardScaler(), Ridge())}, "Pipeline is a regressor"),
        (None, {"recipe": lambda: Ridge(alpha=2)}, "Ridge is a regressor"),
        (
            None,
            {"on": NUMBERS, "recipe": GaussianNB()},
            "GaussianNB is a classifier; the task is regression. Use learner 'l",
        ),
        (None, {"task_learner": Recipe(Ridge())}, "Ridge is a regressor"),
    ],
)
def test_each_refusal_and_its_fix(spec: StrategySpec | None, more: dict[str, Any], why: str) -> None:
    told = refused(spec, **more)
    assert told is not None
    assert told.startswith(why)


def test_the_task_learner_is_the_one_that_metrics_need() -> None:
    recipe = as_recipe(REGISTRY, "nb", Task.CLASSIFICATION)
    assert refused(None, KMeans(), task_learner=recipe, metrics=["loss"]) is None
    assert "metric loss needs proba" in str(refused(None, "nb", task_learner=Recipe(KMeans()), metrics=["loss"]))


def test_learners_in_their_ways() -> None:
    mine = Recipe(GaussianNB())
    assert as_recipe(REGISTRY, mine, Task.CLASSIFICATION) is mine
    assert as_recipe(REGISTRY, "nb", Task.CLASSIFICATION).name == "nb"
    assert as_recipe(REGISTRY, GaussianNB, Task.CLASSIFICATION).name == "GaussianNB"
    with pytest.raises(InputError, match="learner 'line' serves regression, not classification"):
        as_recipe(REGISTRY, "line", Task.CLASSIFICATION)
    with pytest.raises(UnknownNameError, match=r"no learner is called 'lines'\. Did you mean 'line'"):
        as_recipe(REGISTRY, "lines", Task.CLASSIFICATION)


@pytest.mark.parametrize(
    "given", ["any", take, spec_of(take), spec_of(take).build()], ids=["name", "function", "spec", "made"]
)
def test_a_function_as_a_strategy(given: Any) -> None:
    spec, chooser = as_strategy(REGISTRY, given)
    assert spec is spec_of(take)
    assert isinstance(chooser, FunctionStrategy)


@pytest.mark.parametrize("given", ["one", One, One()], ids=["name", "class", "object"])
def test_a_class_as_a_strategy(given: Any) -> None:
    spec, chooser = as_strategy(REGISTRY, given)
    assert spec is spec_of(One)
    assert isinstance(chooser, One)
    assert chooser is not given


def test_an_object_without_a_spec() -> None:
    class Plain:
        def query(self, view: View, n: int) -> Rows:
            return view.unlabeled[:n]

    mine = Plain()
    mine.kept = [1]  # type: ignore[attr-defined]
    spec, chooser = as_strategy(REGISTRY, mine)
    assert spec is None
    assert chooser.kept == [1]  # type: ignore[attr-defined]
    assert chooser.kept is not mine.kept  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"Plain'> is no strategy: give an object of it: Plain\(\)\."):
        as_strategy(REGISTRY, Plain)


@pytest.mark.parametrize("given", [3, None, len, REGISTRY.entry("learner", "nb").spec], ids=repr)
def test_what_is_no_strategy(given: Any) -> None:
    with pytest.raises(InputError, match="is no strategy: give a name, an object with query"):
        as_strategy(REGISTRY, given)


def test_an_unknown_strategy() -> None:
    with pytest.raises(UnknownNameError, match=r"no strategy is called 'unsur'\. Did you mean 'unsure'"):
        as_strategy(REGISTRY, "unsur")


@pytest.mark.parametrize("given", ["regression", Task.REGRESSION])
def test_a_task(given: Any) -> None:
    assert as_task(given) is Task.REGRESSION


def test_no_task() -> None:
    with pytest.raises(InputError, match="task is 'Regression'; use one of classification, regression, multilabel"):
        as_task("Regression")


@pytest.mark.parametrize("given", [3, np.int8(3), np.array(3)], ids=repr)
def test_a_whole_number(given: Any) -> None:
    assert as_count("n", given) == 3
    assert type(as_count("n", given)) is int


@pytest.mark.parametrize("given", [-1, 1.0, "1", None, True, [1]], ids=repr)
def test_no_whole_number(given: Any) -> None:
    with pytest.raises(InputError, match=r"n is .*; give a whole number, 0 or more"):
        as_count("n", given)
