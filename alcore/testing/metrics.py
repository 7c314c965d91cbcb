"""The rules for metrics: of a round (``Scored``), of a curve (``Curve``) and of a comparison (curves by strategy)."""

from __future__ import annotations

import itertools
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import SkipTest

import numpy as np

from alcore.errors import AlcoreError, PairingError
from alcore.protocols import Scored
from alcore.rng import seeded_globals
from alcore.spec import MetricSpec
from alcore.testing.guards import captured, copied, frozen, random_state
from alcore.testing.predictions import (
    BOTH,
    Hold,
    compared,
    contents,
    curve,
    curves,
    extremes,
    predictions,
    recoded,
    reordered,
)
from alcore.testing.suite import Suite, on, require
from alcore.types import Level, Task


@dataclass(frozen=True)
class MetricBench:
    """A metric on the bench."""

    spec: MetricSpec
    params: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Callable[..., Any]:
        """Return a new metric."""
        metric: Callable[..., Any] = self.spec.build(**self.params)
        return metric

    def predictions(self, hold: Hold = copied) -> Iterator[tuple[str, Scored]]:
        """Yield predictions of the tasks and numbers of classes that the metric serves."""
        return predictions(self.spec.tasks, most=self.spec.max_classes, hold=hold)

    def extremes(self, levels: frozenset[Level] = BOTH) -> Iterator[tuple[str, Scored, Scored]]:
        """Yield right and wrong predictions of the same."""
        return extremes(self.spec.tasks, most=self.spec.max_classes, levels=levels)

    def samples(self, hold: Hold = copied) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield arguments, new ones each time, with what they are."""
        if self.spec.scope == "round":
            yield from ((name, (scored,)) for name, scored in self.predictions(hold))
        elif self.spec.scope == "curve":
            yield from ((name, (one,)) for name, one in curves(hold).items())
        else:
            yield "three strategies, four seeds", (compared(hold=hold), "a")

    def value(self, *arguments: Any) -> Any:
        """Return the metric's answer."""
        with seeded_globals(0):
            return self.make()(*arguments)


Bench = MetricBench
ROUND: Suite[MetricBench] = Suite()
CURVE: Suite[MetricBench] = Suite()
COMPARISON: Suite[MetricBench] = Suite()
SUITES = {"round": ROUND, "curve": CURVE, "comparison": COMPARISON}
"""The rules, by the scope of the metric."""


def _every_scope(function: Callable[[MetricBench], None]) -> Callable[[MetricBench], None]:
    for suite in SUITES.values():
        suite.check()(function)
    return function


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int | np.floating | np.integer) and not isinstance(value, bool)


def _close(a: Any, b: Any, rtol: float = 1e-9) -> bool:
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(_close(a[key], b[key], rtol) for key in a)
    return bool(np.isclose(a, b, rtol=rtol, atol=rtol, equal_nan=True))


@ROUND.check()
def returns_a_number(bench: MetricBench) -> None:
    """Return one number for the tasks and numbers of classes declared, NaN where it is undefined."""
    for name, scored in bench.predictions():
        with on(name):
            value = bench.value(scored)
            require(_is_number(value), f"it returned {value!r}, which is no number")


@CURVE.check()
def returns_a_number_for_a_curve(bench: MetricBench) -> None:
    """Return one number for a curve, NaN where it is undefined."""
    for name, one in curves().items():
        with on(name):
            value = bench.make()(one)
            require(_is_number(value), f"it returned {value!r}, which is no number")


@COMPARISON.check()
def returns_a_number_for_each_strategy(bench: MetricBench) -> None:
    """Return one number for each strategy, NaN where it is undefined; the baseline's own may be left out."""
    for seeds in (4, 1):
        with on(f"curves of {seeds} seeds"):
            found = bench.make()(compared(seeds), "a")
            require(isinstance(found, Mapping), f"it returned {found!r}, which is no mapping")
            require(set(found) | {"a"} == set("abc"), f"it returned numbers for {sorted(found)}, not for a, b and c")
            require(all(map(_is_number, found.values())), f"it returned {found!r}: one number per strategy is wanted")


@_every_scope
def deterministic(bench: MetricBench) -> None:
    """Give one answer in two calls, whatever the global random state, and leave that alone."""
    for (name, first), (_, second) in zip(bench.samples(), bench.samples(), strict=True):
        with on(name):
            answers = []
            for world, arguments in ((1, first), (2, second)):
                with seeded_globals(world):
                    before = random_state()
                    answers.append(bench.make()(*arguments))
                    require(random_state() == before, "it changed the global random state")
            require(_close(answers[0], answers[1], rtol=0.0), f"it returned {answers[0]!r}, and then {answers[1]!r}")


@_every_scope
def inputs_unchanged(bench: MetricBench) -> None:
    """Change nothing of what is given, and be content with read-only arrays."""
    for hold in (copied, frozen):
        for (name, given), (_, untouched) in zip(bench.samples(hold), bench.samples(hold), strict=True):
            with on(f"{name}, {'read-only' if hold is frozen else 'writable'}"):
                bench.value(*given)
                require(contents(given) == contents(untouched), "it changed its input")


@_every_scope
def no_output(bench: MetricBench) -> None:
    """Write nothing to stdout or stderr, by print or by file descriptor: they belong to the program around."""
    for name, arguments in bench.samples():
        with on(name):
            with captured() as output:
                bench.value(*arguments)
            require(not output.text, f"it wrote {output.text.strip()[:200]!r}")


@_every_scope
def no_warnings(bench: MetricBench) -> None:
    """Raise no warning: NaN says that a value is undefined."""
    for name, arguments in bench.samples():
        with on(name), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bench.value(*arguments)
            require(not caught, "; ".join(f"{w.category.__name__}: {w.message}" for w in caught[:1]))


@_every_scope
def picklable(bench: MetricBench) -> None:
    """Be picklable: runs are sent to workers with their metrics."""
    pickle.dumps(bench.make())


@ROUND.check(after=["deterministic"])
def direction(bench: MetricBench) -> None:
    """Score a right prediction better than a wrong one, in the direction that greater_is_better says."""
    for name, right, wrong in bench.extremes():
        with on(name):
            good, bad = bench.value(right), bench.value(wrong)
            greater = bench.spec.greater_is_better
            require(
                good > bad if greater else good < bad,
                f"a right prediction scores {good:g} and a wrong one {bad:g}, with greater_is_better={greater}",
            )


@ROUND.check(after=["deterministic"])
def order_of_rows(bench: MetricBench) -> None:
    """Give the same score, but for rounding, whatever the order of the test rows."""
    for name, scored in bench.predictions():
        with on(name):
            turned, given = bench.value(reordered(scored)), bench.value(scored)
            require(_close(given, turned), f"it returned {given!r}, and with the rows in another order {turned!r}")


@ROUND.check(after=["deterministic"])
def classes_alike(bench: MetricBench) -> None:
    """Give the same score, but for rounding, with three classes or more whose codes are exchanged: none is special."""
    spec = bench.spec
    if Task.CLASSIFICATION not in spec.tasks or (spec.max_classes or 3) < 3 or spec.one_class:
        raise SkipTest("it is of one class" if spec.one_class else "it is not of three classes or more")
    for name, scored in bench.predictions():
        if scored.task is Task.CLASSIFICATION and scored.n_classes > 2:
            with on(name):
                turned, given = bench.value(recoded(scored)), bench.value(scored)
                reason = f"it returned {given!r}, and {turned!r} where each class has the code of another"
                require(_close(given, turned), f"{reason}; declare max_classes=2 for a score of one class")


@ROUND.check()
def needs_are_enough(bench: MetricBench) -> None:
    """Do with a learner that has what ``needs`` names, and nothing else."""
    for choice in itertools.product(*(need.split("|") for need in bench.spec.needs)):
        levels = frozenset(Level(level) for level in choice)
        if not levels <= BOTH:
            raise SkipTest(f"no toy prediction has {', '.join(sorted(levels - BOTH))}")
        with on(f"a learner with {' and '.join(sorted(levels)) or 'nothing but predict'}"):
            for name, right, _ in bench.extremes(levels):
                value = bench.value(right)
                require(bool(np.isfinite(value)), f"{name}: it returned {value!r}")


@ROUND.check()
def needs_are_needed(bench: MetricBench) -> None:
    """Raise PairingError or return NaN without a level that ``needs`` names."""
    if not bench.spec.needs:
        raise SkipTest("it needs no level")
    for need in bench.spec.needs:
        without = BOTH - {Level(level) for level in need.split("|")}
        with on(f"a learner without {need.replace('|', ' or ')}"):
            for name, right, _ in bench.extremes(without):
                try:
                    value = bench.value(right)
                except PairingError:
                    continue
                require(bool(np.isnan(value)), f"{name}: it returned {value!r}")


@CURVE.check()
def one_point(bench: MetricBench) -> None:
    """Give a number for a curve of one point, or NaN if a second is needed."""
    value = bench.make()(curve([10], [0.8]))
    require(_is_number(value), f"it returned {value!r}, which is no number")


@CURVE.check()
def constant_curve(bench: MetricBench) -> None:
    """Give a finite number for a constant curve."""
    value = bench.make()(curve([10, 15, 20, 25, 27], [0.8] * 5))
    require(bool(np.isfinite(value)), f"it returned {value!r}")


@CURVE.check(after=["deterministic"])
def higher_curve(bench: MetricBench) -> None:
    """Score a curve that is higher at every point no worse, in the direction that greater_is_better says."""
    for name, low in curves().items():
        with on(name):
            below, above = bench.value(low), bench.value(curve(low.labeled, low.values + 0.05))
            greater = bench.spec.greater_is_better
            worse = above < below if greater else above > below  # False where one is NaN
            require(not worse, f"it returned {below:g}, and {above:g} for 0.05 more, with greater_is_better={greater}")


@CURVE.check(after=["deterministic"])
def spacing(bench: MetricBench) -> None:
    """Give the same for points in between that say nothing new, where spacing=False is declared."""
    if bench.spec.spacing:
        raise SkipTest("declared to depend on the spacing of a curve's points")
    labeled = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
    few = curve(labeled, 0.5 + labeled / 200)
    more = np.sort(np.append(labeled, [12.0, 14.0, 16.0, 18.0, 45.0]))
    many = curve(more, 0.5 + more / 200)
    given, found = bench.value(few), bench.value(many)
    reason = f"it returned {given!r} for 5 points of a straight line, and {found!r} for 10 of the same line"
    require(_close(given, found), f"{reason}; weigh points by the labels between them, or declare spacing=True")


@COMPARISON.check(after=["deterministic"])
def order_of_strategies(bench: MetricBench) -> None:
    """Give the same numbers whatever the order of the strategies."""
    given = compared()
    turned = {name: given[name] for name in "cab"}
    first, second = bench.value(given, "a"), bench.value(turned, "a")
    require(_close(first, second), f"it returned {first}, and for the order c, a, b {second}")


@COMPARISON.check()
def baseline_missing(bench: MetricBench) -> None:
    """Raise an error that names the baseline where it is not among the strategies."""
    try:
        value = bench.make()(compared(), "nobody")
    except (AlcoreError, ValueError) as error:
        require("nobody" in str(error), f"the error does not name the baseline: {error}")
        return
    require(False, f"it returned {value!r}")
