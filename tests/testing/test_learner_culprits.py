"""Learners that break one rule each: the suite finds that rule broken, and no other."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

import numpy as np
import pytest

from alcore.pool import is_frame, is_sparse
from alcore.spec import LearnerSpec
from alcore.testing import check_learner, checks
from alcore.types import Floats, Labels, Level, Task

CULPRITS: list[Any] = []


def breaks(*rules: str, **fields: Any) -> Any:
    """Note which rules the decorated estimator breaks; ``fields`` are those of its spec."""

    def note(cls: Any) -> Any:
        CULPRITS.append(pytest.param(spec_for(cls, **fields), set(rules), id=cls.__name__))
        return cls

    return note


def spec_for(cls: Any, **fields: Any) -> LearnerSpec:
    fields = {"levels": frozenset({Level.PROBA})} | fields
    return LearnerSpec(name=f"culprit.{cls.__name__.lower()}", summary="Breaks one rule", make=cls, **fields)


def numbers(X: Any) -> Floats:
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


class Means:
    """Softmax of minus the squared distances to the means of the classes: it keeps all rules."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"random_state": self.random_state}

    def set_params(self, **params: Any) -> Self:
        self.random_state = params.get("random_state")
        return self

    def fit(self, X: Any, y: Labels) -> Self:
        Z = numbers(X)
        self.classes = np.unique(y)
        self.means = np.stack([Z[y == code].mean(axis=0) for code in self.classes])
        return self

    def predict_proba(self, X: Any) -> Floats:
        logits = -((numbers(X)[:, None] - self.means) ** 2).sum(axis=2)
        exp = np.exp(logits - logits.max(axis=1, keepdims=True))
        return exp / exp.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Labels:
        return self.classes[Means.predict_proba(self, X).argmax(axis=1)]


class Line:
    """A regression that keeps all rules."""

    def fit(self, X: Any, y: Labels) -> Self:
        A = np.column_stack([numbers(X), np.ones(X.shape[0])])
        self.weights = np.linalg.lstsq(A, y, rcond=None)[0]
        return self

    def predict(self, X: Any) -> Floats:
        return np.column_stack([numbers(X), np.ones(X.shape[0])]) @ self.weights


@breaks("predicts")
class ShortPrediction(Means):
    def predict(self, X: Any) -> Labels:
        return super().predict(X)[:-1]


@breaks("predicts", levels=frozenset(), tasks={Task.REGRESSION})
class InfiniteTargets(Line):
    def predict(self, X: Any) -> Floats:
        return np.full(X.shape[0], np.inf)


@breaks("same-seed-same-predictions")
class EntropyOfTheSystem(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        super().fit(X, y)
        self.means = self.means + np.random.default_rng().normal(size=self.means.shape)
        return self


@breaks("levels-as-declared", levels=frozenset({Level.PROBA, Level.DECISION}))
class NoDecision(Means):
    pass


@breaks("levels-as-declared", levels=frozenset())
class UndeclaredProbabilities(Means):
    pass


@breaks("predicts", levels=frozenset({Level.PROBA, Level.EMBEDDING}))
class FlatEmbedding(Means):
    def embed(self, X: Any) -> Floats:
        return numbers(X)[:, 0]


@breaks("predicts", levels=frozenset({Level.STD}), tasks={Task.REGRESSION})
class NegativeStd(Line):
    def predict(self, X: Any, return_std: bool = False) -> Any:
        mean = super().predict(X)
        return (mean, -np.ones_like(mean)) if return_std else mean


@breaks("predicts")
class Unnormalised(Means):
    def predict_proba(self, X: Any) -> Floats:
        return super().predict_proba(X) / 2


@breaks("likeliest-is-predicted", tasks={Task.CLASSIFICATION})
class TurnedColumns(Means):
    def predict_proba(self, X: Any) -> Floats:
        return super().predict_proba(X)[:, ::-1]


@breaks("class-unseen")
class MixesLabels(Means):
    """Its labels are those of the next class: consistent, and wrong."""

    def fit(self, X: Any, y: Labels) -> Self:
        super().fit(X, y)
        self.means = np.roll(self.means, 1, axis=0)
        return self


@breaks("few-rows")
class WantsTenRows(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        if len(y) < 10:
            raise ValueError("ten rows at least")
        return super().fit(X, y)


@breaks("no-output")
class Prints(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        print("fitting")
        return super().fit(X, y)


@breaks("no-output")
class WritesToDescriptor(Means):
    def predict(self, X: Any) -> Labels:
        os.write(1, b"predicting")
        return super().predict(X)


@breaks("no-warnings")
class Warns(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        warnings.warn("not converged", UserWarning, stacklevel=2)
        return super().fit(X, y)


@breaks("global-random-state")
class NumpyGlobal(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        super().fit(X, y)
        self.means = self.means + 0.1 * np.random.normal(size=self.means.shape)
        return self


@breaks("picklable")
class HoldsALambda(Means):
    def __init__(self, random_state: int | None = None) -> None:
        super().__init__(random_state)
        self.link = lambda x: x


@breaks("copies-independent")
class SharedMeans(Means):
    shared: dict[str, Any] = {}  # noqa: RUF012 - that is what is wrong with it

    def fit(self, X: Any, y: Labels) -> Self:
        super().fit(X, y)
        self.shared["means"] = self.means
        return self

    def predict(self, X: Any) -> Labels:
        self.means = self.shared["means"]
        return super().predict(X)


@breaks("fit-forgets")
class NeverForgets(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        before = getattr(self, "means", None)
        super().fit(X, y)
        if before is not None:
            self.means = (self.means + before) / 2
        return self


@breaks("rows-predicted-alone")
class CentresTheBatch(Means):
    def predict_proba(self, X: Any) -> Floats:
        Z = numbers(X)
        return super().predict_proba(Z - Z.mean(axis=0) / 2)

    def predict(self, X: Any) -> Labels:
        return self.classes[self.predict_proba(X).argmax(axis=1)]


@breaks("float32", sparse=False)
class DoubleOnly(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        if np.asarray(X).dtype != np.float64:
            raise TypeError("X must be double")
        return super().fit(X, y)


@breaks("dataframe")
class ArraysOnly(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        if is_frame(X):
            raise TypeError("X must be an array")
        return super().fit(X, y)


@breaks("sparse-if-declared", sparse=True)
class DenseOnly(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        return super().fit(np.asarray(X, dtype=np.float64), y)


@breaks("nan-if-declared", nan=True)
class NoGaps(Means):
    def fit(self, X: Any, y: Labels) -> Self:
        if np.isnan(numbers(X)).any():
            raise ValueError("X contains NaN")
        return super().fit(X, y)


@pytest.mark.parametrize(("spec", "rules"), CULPRITS)
def test_the_rule_that_is_broken_is_found_and_no_other(spec: LearnerSpec, rules: set[str]) -> None:
    report = check_learner(spec)

    assert set(report.failed) == rules, str(report)


@pytest.mark.parametrize(
    "spec",
    [
        spec_for(Means),
        spec_for(Means, tasks={Task.CLASSIFICATION, Task.MULTILABEL}),
        spec_for(Means, tasks={Task.MULTILABEL}),
        spec_for(Line, tasks={Task.REGRESSION}, levels=frozenset()),
    ],
    ids=["classifier", "classifier and multi-label", "multi-label", "regressor"],
)
def test_a_good_learner_passes(spec: LearnerSpec) -> None:
    report = check_learner(spec)

    assert report.ok, str(report)


def test_all_rules_for_learners_but_the_core_s_own_have_a_culprit() -> None:
    caught = set().union(*(param.values[1] for param in CULPRITS))

    # One class is the core's own case: a learner never sees it, whatever it would do.
    assert set(checks("learner")) - caught == {"single-class"}
