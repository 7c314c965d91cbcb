"""Metrics that break one rule each: the suite finds that rule broken, and no other."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import alcore
from alcore.protocols import Curve, Curves, Scored
from alcore.testing import check_metric, checks
from alcore.types import Floats, Task

CULPRITS: list[Any] = []


def breaks(*rules: str) -> Any:
    """Note which rules the decorated metric breaks."""

    def note(metric: Any) -> Any:
        CULPRITS.append(pytest.param(metric, set(rules), id=metric.__name__))
        return metric

    return note


def of_round(name: str, **more: Any) -> Any:
    return alcore.round_metric(f"culprit.{name}", summary="Breaks one rule", **{"tasks": Task.CLASSIFICATION} | more)


def of_curve(name: str, **more: Any) -> Any:
    return alcore.curve_metric(f"culprit.{name}", summary="Breaks one rule", **more)


def of_comparison(name: str, **more: Any) -> Any:
    return alcore.comparison_metric(f"culprit.{name}", summary="Breaks one rule", **more)


def hits(scored: Scored) -> float:
    return float((scored.y == scored.pred).mean())


# Of a round


@breaks("returns-a-number")
@of_round("an-array")
def an_array(scored: Scored) -> Any:
    return scored.y == scored.pred


@breaks("returns-a-number")
@of_round("recall")
def missing_class(scored: Scored) -> float:
    return sum(1 / int((scored.y == k).sum()) for k in range(scored.n_classes))


@breaks("returns-a-number")
@of_round("undeclared-binary")
def undeclared_binary(scored: Scored) -> float:
    if scored.n_classes > 2:
        raise alcore.PairingError("two classes, please")
    return hits(scored)


@breaks("deterministic")
@of_round("bootstrap")
def bootstrap(scored: Scored) -> float:
    chosen = np.random.default_rng().integers(len(scored.y), size=1000)
    return float((scored.y == scored.pred)[chosen].mean()) + 0.1 * hits(scored)


@breaks("deterministic")
@of_round("global-state")
def global_state(scored: Scored) -> float:
    np.random.random()
    return hits(scored)


@breaks("inputs-unchanged")
@of_round("sorts-in-place", needs=("proba",))
def sorts_in_place(scored: Scored) -> float:
    if scored.proba is None:
        raise alcore.PairingError("needs probabilities")
    if scored.proba.flags.writeable:
        scored.proba[:] = np.sort(scored.proba, axis=1)
    return hits(scored)


@breaks("inputs-unchanged")
@of_round("writable-only")
def writable_only(scored: Scored) -> float:
    scored.y[0] = scored.y[0]
    return hits(scored)


@breaks("no-output")
@of_round("prints")
def prints(scored: Scored) -> float:
    print(hits(scored))
    return hits(scored)


@breaks("no-warnings")
@of_round("divides-by-zero")
def divides_by_zero(scored: Scored) -> float:
    support = scored.confusion.sum(axis=1)
    return float(np.nanmean(scored.confusion.diagonal() / support))


@breaks("no-warnings")
@of_curve("warns")
def warns(curve: Curve) -> float:
    warnings.warn("deprecated", DeprecationWarning, stacklevel=2)
    return float(curve.values[-1])


@breaks("direction")
@of_round("loss-that-says-score")
def loss_that_says_score(scored: Scored) -> float:
    return 1 - hits(scored)


@breaks("direction")
@of_round("score-that-says-loss", greater_is_better=False)
def score_that_says_loss(scored: Scored) -> float:
    return hits(scored)


@breaks("order-of-rows")
@of_round("weighs-the-first-rows")
def weighs_the_first_rows(scored: Scored) -> float:
    return float(np.average(scored.y == scored.pred, weights=np.arange(len(scored.y), 0, -1)))


@breaks("needs-are-enough")
@of_round("undeclared-need")
def undeclared_need(scored: Scored) -> float:
    return float(scored.proba[np.arange(len(scored.y)), scored.y].mean())  # type: ignore[index]


@breaks("needs-are-needed")
@of_round("needless", needs=("proba",))
def needless(scored: Scored) -> float:
    return hits(scored)


@breaks("classes-alike")
@of_round("second-class")
def second_class(scored: Scored) -> float:
    """The recall of class 1, whatever the number of classes."""
    positive = scored.y == 1
    return float((scored.pred[positive] == 1).mean()) if positive.any() else float("nan")


class Unpicklable:
    """A metric that holds a function without a name."""

    def __init__(self) -> None:
        self.score = lambda scored: 2 * hits(scored)

    def __call__(self, scored: Scored) -> float:
        return self.score(scored)


CULPRITS.append(
    pytest.param(
        alcore.MetricSpec(
            name="culprit.unpicklable",
            summary="Breaks one rule",
            make=Unpicklable,
            scope="round",
            tasks=Task.CLASSIFICATION,
        ),
        {"picklable"},
        id="unpicklable",
    )
)


# Of a curve


@breaks("returns-a-number-for-a-curve")
@of_curve("all-values")
def all_values(curve: Curve) -> Any:
    return curve.values


@breaks("one-point")
@of_curve("slope", spacing=True)
def slope(curve: Curve) -> float:
    return float(curve.values[1]) + float(curve.values.max())


@breaks("constant-curve")
@of_curve("relative")
def relative(curve: Curve) -> float:
    spread = float(np.ptp(curve.values))
    return float(curve.values[-1]) if spread else float("nan")


@breaks("higher-curve")
@of_curve("reversed", spacing=True)
def reversed_area(curve: Curve) -> float:
    return -float(curve.values.mean())


@breaks("spacing")
@of_curve("mean-of-points")
def mean_of_points(curve: Curve) -> float:
    return float(curve.values.mean())


@breaks("inputs-unchanged")
@of_curve("cumulates", spacing=True)
def cumulates(curve: Curve) -> float:
    if curve.values.flags.writeable:
        np.cumsum(curve.values, out=curve.values)
    return float(curve.values[-1])


# Of a comparison


def mean_values(curves: Mapping[str, Curves], baseline: str) -> dict[str, float]:
    if baseline not in curves:
        raise alcore.InputError(f"the baseline {baseline!r} has no curves; there are {', '.join(curves)}.")
    return {name: float(np.mean([c.values.mean() for c in several])) for name, several in curves.items()}


@breaks("returns-a-number-for-each-strategy")
@of_comparison("forgets-one")
def forgets_one(curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
    return dict(list(mean_values(curves, baseline).items())[:2])


@breaks("returns-a-number-for-each-strategy")
@of_comparison("a-list")
def a_list(curves: Mapping[str, Curves], baseline: str) -> Any:
    return list(mean_values(curves, baseline).values())


@breaks("order-of-strategies")
@of_comparison("ahead-of-the-first")
def ahead_of_the_first(curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
    means = mean_values(curves, baseline)
    first = next(iter(means.values()))
    return {name: value - first for name, value in means.items()}


@breaks("baseline-missing")
@of_comparison("silent")
def silent(curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
    return mean_values(curves, next(iter(sorted(curves))))


@breaks("baseline-missing")
@of_comparison("unclear")
def unclear(curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
    reference = mean_values(curves, next(iter(sorted(curves))))
    return {name: value - reference[baseline] for name, value in reference.items()}


@pytest.mark.parametrize(("metric", "rules"), CULPRITS)
def test_the_rule_that_is_broken_is_found_and_no_other(metric: Any, rules: set[str]) -> None:
    report = check_metric(metric)

    assert set(report.failed) == rules, str(report)


@alcore.comparison_metric("good.lead", summary="Mean lead over the baseline")
def lead(curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
    means = mean_values(curves, baseline)
    return {name: value - means[baseline] for name, value in means.items() if name != baseline}


@alcore.round_metric("good.positives", summary="Share of positives", tasks=Task.CLASSIFICATION, max_classes=2)
def recall(scored: Scored) -> float:
    if scored.n_classes != 2:
        raise AssertionError("declared for two classes")
    positive = scored.y == 1
    return float((scored.pred[positive] == 1).mean()) if positive.any() else float("nan")


@alcore.round_metric("good.squares", summary="Mean squared error", tasks=Task.REGRESSION, greater_is_better=False)
def squares(scored: Scored) -> Floats:
    return ((scored.y - scored.pred) ** 2).mean()


@pytest.mark.parametrize("metric", [lead, recall, squares], ids=lambda metric: metric.__name__)
def test_a_good_metric_passes(metric: Any) -> None:
    report = check_metric(metric)

    assert report.ok, str(report)


def test_all_rules_for_metrics_have_a_culprit() -> None:
    caught = set().union(*(param.values[1] for param in CULPRITS))

    assert set(checks("metric")) - caught == set()
