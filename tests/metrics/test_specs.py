"""What the metrics say of themselves, and that they can be built from it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from alcore import metrics
from alcore.builtin.metrics import specs
from alcore.errors import InputError
from alcore.protocols import Curve
from alcore.spec import MetricSpec
from alcore.types import Level, Task

SPECS = {spec.name: spec for spec in specs()}
CLASSIFICATION = {
    "accuracy", "balanced-accuracy", "f1-macro", "f1-weighted", "f1", "recall", "precision", "average-precision",
    "roc-auc", "log-loss", "brier",
}  # fmt: skip
REGRESSION = {"mse", "mae", "r2"}
MULTILABEL = {"multilabel-average-precision", "multilabel-f1-macro", "multilabel-f1-micro", "hamming-loss"}
CURVE = {"aubc", "start-quality", "average-end-quality", "final", "labels-to"}
SMALLER_IS_BETTER = {"log-loss", "brier", "mse", "mae", "hamming-loss", "labels-to"}


def test_every_metric_is_listed_once() -> None:
    assert len(specs()) == len(SPECS)
    assert set(SPECS) == CLASSIFICATION | REGRESSION | MULTILABEL | CURVE


@pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
def test_a_metric_is_named_after_its_function(spec: MetricSpec) -> None:
    assert spec.target().function is getattr(metrics, spec.name.replace("-", "_"))


@pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
def test_scope_and_tasks(spec: MetricSpec) -> None:
    if spec.name in CURVE:
        assert (spec.scope, spec.tasks) == ("curve", frozenset(Task))
    else:
        task = (
            Task.REGRESSION if spec.name in REGRESSION
            else Task.MULTILABEL if spec.name in MULTILABEL
            else Task.CLASSIFICATION
        )  # fmt: skip
        assert (spec.scope, spec.tasks) == ("round", {task})


def test_direction() -> None:
    assert {name for name, spec in SPECS.items() if not spec.greater_is_better} == SMALLER_IS_BETTER


def test_what_the_task_learner_must_offer() -> None:
    needs = {name: spec.needs for name, spec in SPECS.items() if spec.needs}
    assert needs == {
        "average-precision": ("proba|decision",), "roc-auc": ("proba|decision",), "log-loss": ("proba",),
        "brier": ("proba",),
        "multilabel-average-precision": ("proba|decision",),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("level", "lacking"), [(Level.PROBA, set()), (Level.DECISION, {"log-loss", "brier"})], ids=["proba", "decision"]
)
def test_needs_are_refused_before_the_run(level: Level, lacking: set[str]) -> None:
    assert {name for name, spec in SPECS.items() if spec.lacks([level])} == lacking


def test_a_metric_with_parameters_is_built_with_them() -> None:
    curve = Curve(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.6, 0.7]))
    assert SPECS["labels-to"].build(target=0.6)(curve) == 2.0
    assert SPECS["aubc"].build(kind="ariapoy2023")(curve) == pytest.approx(0.325)


def test_a_metric_without_its_parameter_is_refused() -> None:
    with pytest.raises(InputError, match="labels-to needs the parameter 'target'"):
        SPECS["labels-to"].build()


@pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
def test_a_metric_can_be_sent_to_a_worker(spec: MetricSpec) -> None:
    params = {"target": 0.5} if spec.name == "labels-to" else {}
    assert callable(pickle.loads(pickle.dumps(spec.build(**params))))


def test_listing_imports_nothing_heavy() -> None:
    code = (
        "import sys; from alcore.builtin import metrics, stop_rules; metrics.specs(), stop_rules.specs(); "
        "print(sorted({'scipy', 'sklearn', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
