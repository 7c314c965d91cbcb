"""Learners that tune themselves: those of the paper, each with a grid small enough to be searched in every round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from alcore.builtin import learners
from alcore.spec import LearnerSpec, Spec
from alcore.types import Level, Task

SOURCE = "Lu, Li and Lin 2023, section 5.3.2, without its test rows"


def specs() -> list[Spec]:
    """Return the tuned learners."""
    here = "alcore_benchmark.learners"

    def one(name: str, summary: str, make: str, levels: set[Level], **more: Any) -> LearnerSpec:
        return LearnerSpec(
            name=name, summary=f"{summary}, chosen by cross-validation on the labelled rows", make=f"{here}:{make}",
            tasks=frozenset({Task.CLASSIFICATION, Task.MULTILABEL}), levels=frozenset(levels), source=SOURCE, **more,
        )  # fmt: skip

    return [
        one("tuned-rbf-svm", "RBF-SVM with C and gamma", "rbf_svm", {Level.DECISION}),
        one("tuned-xgboost", "XGBoost with depth and child weight", "xgboost", {Level.PROBA},
            requires=learners.XGBOOST, nan=True),
        one("tuned-random-forest", "Random forest with leaf size and features", "random_forest", {Level.PROBA},
            nan=True),
        one("tuned-logistic-regression", "Logistic regression with C", "logistic_regression",
            {Level.PROBA, Level.DECISION}),
    ]  # fmt: skip


def rbf_svm(folds: int = 3, gamma: Any = "scale", scale: bool = True) -> Any:
    """SVM with C of 1, 10 and 100, and the given gamma, 0.1 and 1; by default the first of each."""
    grid = {"C": (1.0, 10.0, 100.0), "gamma": _first(gamma, 0.1, 1.0)}
    return _tuned(learners.rbf_svm(gamma=gamma, scale=scale), grid, folds, "svc__" if scale else "")


def xgboost(folds: int = 3, n_estimators: int = 100) -> Any:
    """XGBoost with max_depth none (its 6) and 2, and min_child_weight none (its 1) and 0.1."""
    grid = {"max_depth": (None, 2), "min_child_weight": (None, 0.1)}
    return _tuned(learners.xgboost(n_estimators=n_estimators), grid, folds)


def random_forest(folds: int = 3, n_estimators: int = 100) -> Any:
    """Random forest with max_features "sqrt" and none (all), and min_samples_leaf 1 and 3."""
    grid = {"max_features": ("sqrt", None), "min_samples_leaf": (1, 3)}
    return _tuned(learners.random_forest(n_estimators=n_estimators), grid, folds)


def logistic_regression(folds: int = 3, max_iter: int = 1000, scale: bool = True) -> Any:
    """L2 logistic regression with C of 1, 0.01, 0.1, 10 and 100; by default 1."""
    grid = {"C": (1.0, 0.01, 0.1, 10.0, 100.0)}
    inner = learners.logistic_regression(max_iter=max_iter, scale=scale)
    return _tuned(inner, grid, folds, "logisticregression__" if scale else "")


def _first(value: Any, *others: Any) -> tuple[Any, ...]:
    """Return the default with the other values after it, each once."""
    return (value, *(other for other in others if other != value))


def _tuned(estimator: Any, grid: Mapping[str, Sequence[Any]], folds: int, prefix: str = "") -> Any:
    """Return the estimator with its grid; ``prefix`` leads to it where it scales in a pipeline."""
    from alcore_benchmark.tuned import Tuned

    return Tuned(estimator, {f"{prefix}{name}": values for name, values in grid.items()}, folds)
