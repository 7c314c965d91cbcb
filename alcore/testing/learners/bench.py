"""Where a learner is tried: made as the registry makes it, fitted to toys, and asked for all that it can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore.interop import dense
from alcore.learners import Model, Recipe
from alcore.registry import Registry
from alcore.rng import seeded_globals
from alcore.spec import LearnerSpec
from alcore.testing import toys
from alcore.testing.guards import copied
from alcore.testing.suite import Suite, require
from alcore.testing.toys import Toy
from alcore.types import Level, Task

DRAWS = 5
SAME = "same-seed-same-predictions"
"""The rule without which no two fits can be compared."""


@dataclass(frozen=True)
class LearnerBench:
    """A learner on the bench: made as the registry makes it, and fitted to toys in seeded surroundings."""

    spec: LearnerSpec
    params: Mapping[str, Any] = field(default_factory=dict)

    def recipe(self, task: Task) -> Recipe:
        """Return its recipe: a classifier serves a multi-label task once per label."""
        registry = Registry()
        registry.add([self.spec], "the learner's own", "")
        return registry.learner(self.spec.name, task, **self.params)

    def estimator(self) -> Any:
        """Return a new estimator."""
        return self.spec.build(**self.params)

    def toys(self) -> list[Toy]:
        """Return a toy for each task, and two for classification."""
        made = {
            Task.CLASSIFICATION: [toys.classification(2), toys.classification(3)],
            Task.REGRESSION: [toys.regression()],
            Task.MULTILABEL: [toys.multilabel()],
        }
        return [toy for task, several in made.items() if task in self.spec.tasks for toy in several]

    def few_toys(self) -> list[Toy]:
        """Return one toy for each kind of estimator: a multi-label task fits the same classifier once per label."""
        made = {
            Task.CLASSIFICATION: toys.classification(3),
            Task.REGRESSION: toys.regression(),
            Task.MULTILABEL: toys.multilabel(),
        }
        if Task.CLASSIFICATION in self.spec.tasks and self.spec.per_label:
            del made[Task.MULTILABEL]
        return [toy for task, toy in made.items() if task in self.spec.tasks]

    def model(self, toy: Toy, *, seed: int = 0) -> Model:
        """Return an unfitted model."""
        return self.recipe(toy.task).make(toy.task, len(toy.classes), seed, 1)

    def fitted(self, toy: Toy, *, seed: int = 0, model: Model | None = None) -> Model:
        """Return a model, a new one by default, fitted to a copy of all rows of the toy's pool."""
        with seeded_globals(0):
            return (model or self.model(toy, seed=seed)).fit(copied(toy.X), copied(toy.y))


def said(model: Model, X: Any) -> dict[str, Any]:
    """Return all that the model says about a copy of these rows, by the name of the method."""
    with seeded_globals(0):
        return everything(model, copied(X))


def everything(model: Model, X: Any) -> dict[str, Any]:
    """Return all that the model says about these rows, by the name of the method."""
    found: dict[str, Any] = {"predict": model.predict(X)}
    if Level.PROBA in model.levels:
        found["predict_proba"] = model.predict_proba(X)
    if Level.DECISION in model.levels:
        found["decision_function"] = model.decision_function(X)
    if Level.STD in model.levels:
        found["mean"], found["std"] = model.predict_std(X)
    if model.constant is None:
        if Level.EMBEDDING in model.levels:
            found["embed"] = model.embed(X)
        if Level.HIDDEN in model.levels:
            found["hidden"] = dense(model.hidden(X))
        if Level.DRAWS in model.levels:
            found["sample_proba"] = model.sample_proba(X, DRAWS, np.random.default_rng(0))
    return found


def require_same(found: Mapping[str, Any], wanted: Mapping[str, Any], why: str, *, exact: bool = True) -> None:
    """Raise AssertionError if two models, or one of them twice, say different things."""
    for method, values in wanted.items():
        same = np.array_equal if exact or (method == "predict" and values.dtype.kind in "iu") else _close
        require(same(found[method], values), f"{why}: {method} differs")


def _close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-6))


RULES: Suite[LearnerBench] = Suite()
"""What every learner must keep."""
