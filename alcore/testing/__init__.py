"""The conformance suite tells whether a strategy, a learner or a metric keeps the rules that alcore relies on.

On the command line it is ``alcore check NAME``. In Python, one call gives a report::

    report = alcore.testing.check_strategy("example.nearest")
    print(report)
    assert report.ok

and in a plugin's tests each rule is a test of its own::

    @pytest.mark.parametrize("check", alcore.testing.checks_for("example.nearest"), ids=str)
    def test_conformance(check):
        check()

What is checked may be a name, a ``Spec``, or a function or class that is decorated as one. A rule that a thing cannot
keep is excused with a reason, ``excuses={"picklable": "holds a CUDA handle"}``; an excuse that is no longer needed is
a failure. Checks run on toy pools of 36 rows and take the process's output while they run: not for threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

from alcore.decorators import spec_of
from alcore.errors import InputError, did_you_mean
from alcore.plugins import loaded
from alcore.registry import Registry, plural
from alcore.spec import Kind, MetricSpec, Spec, StrategySpec
from alcore.testing.report import CheckResult, CheckStatus, Report
from alcore.testing.suite import Check, Suite

__all__ = [
    "check",
    "check_strategy",
    "check_learner",
    "check_metric",
    "checks_for",
    "checks",
    "Check",
    "CheckResult",
    "CheckStatus",
    "Report",
]

CheckedKind: TypeAlias = Literal["strategy", "learner", "metric"]
KINDS: tuple[CheckedKind, ...] = get_args(CheckedKind)


def check_strategy(
    strategy: Any,
    *,
    registry: Registry | None = None,
    params: Mapping[str, Any] | None = None,
    learner: Any = None,
    only: Iterable[str] | None = None,
    excuses: Mapping[str, str] | None = None,
) -> Report:
    """Check a strategy.

    Parameters
    ----------
    strategy : str, StrategySpec, or decorated function or class
    registry : Registry or None
        Where a name is looked up; None takes the plugins of this environment.
    params : mapping or None
        The strategy's parameters.
    learner : estimator, factory or Recipe, or None
        The query learner, for a strategy that needs a particular one; None takes toy learners that have every level.
    only : names of checks, or None for all
    excuses : mapping of a check's name to the reason why it may fail

    Raises
    ------
    InputError
        If there is no such strategy, check or parameter.
    UnavailableError
        If it cannot be used here; the message says what to install.
    """
    return _report(*_bound(strategy, "strategy", registry, params, learner, only, excuses))


def check_learner(
    learner: Any,
    *,
    registry: Registry | None = None,
    params: Mapping[str, Any] | None = None,
    only: Iterable[str] | None = None,
    excuses: Mapping[str, str] | None = None,
) -> Report:
    """Check a learner, given by name or as a ``LearnerSpec``; see ``check_strategy``.

    Examples
    --------
    >>> from alcore.spec import LearnerSpec
    >>> from sklearn.neighbors import NearestCentroid
    >>> spec = LearnerSpec(name="mine.centroid", summary="Nearest centroid", make=NearestCentroid)
    >>> check_learner(spec, only=["predicts"]).ok
    True
    """
    return _report(*_bound(learner, "learner", registry, params, None, only, excuses))


def check_metric(
    metric: Any,
    *,
    registry: Registry | None = None,
    params: Mapping[str, Any] | None = None,
    only: Iterable[str] | None = None,
    excuses: Mapping[str, str] | None = None,
) -> Report:
    """Check a metric, given by name, as a ``MetricSpec`` or as a decorated function; see ``check_strategy``."""
    return _report(*_bound(metric, "metric", registry, params, None, only, excuses))


def check(
    name: str,
    *,
    kind: CheckedKind | None = None,
    registry: Registry | None = None,
    params: Mapping[str, Any] | None = None,
    learner: Any = None,
    only: Iterable[str] | None = None,
    excuses: Mapping[str, str] | None = None,
) -> Report:
    """Check a strategy, learner or metric by name; ``kind`` is needed where the name stands for two of them.

    Raises
    ------
    InputError
        As ``check_strategy``, and if the name is ambiguous.
    UnavailableError
        As ``check_strategy``.
    """
    return _report(*_bound(name, kind, registry, params, learner, only, excuses))


def checks_for(
    thing: Any,
    *,
    kind: CheckedKind | None = None,
    registry: Registry | None = None,
    params: Mapping[str, Any] | None = None,
    learner: Any = None,
    only: Iterable[str] | None = None,
    excuses: Mapping[str, str] | None = None,
) -> list[Check]:
    """Return the checks of a strategy, learner or metric, to be called one by one; parameters as ``check_strategy``.

    Nothing is run yet. A call raises AssertionError if the rule is broken, and ``unittest.SkipTest``, which pytest
    takes for a skipped test, if it does not apply or is excused.
    """
    return _bound(thing, kind, registry, params, learner, only, excuses)[1]


def checks(kind: CheckedKind) -> dict[str, str]:
    """Return the names of all checks of a kind, each with its rule, in order (those of every scope for metrics)."""
    suites = _home(kind).SUITES.values()
    return {name: rule.text for suite in suites for name, rule in suite.rules.items()}


def _report(spec: Spec, bound: list[Check]) -> Report:
    return Report(spec.kind, spec.name, [one.result() for one in bound])


def _bound(
    thing: Any,
    kind: CheckedKind | None,
    registry: Registry | None,
    params: Mapping[str, Any] | None,
    learner: Any,
    only: Iterable[str] | None,
    excuses: Mapping[str, str] | None,
) -> tuple[Spec, list[Check]]:
    spec = _found(thing, kind, registry)
    params = dict(params or {})
    spec.check_params(params)  # imports it, too: what is unavailable here is not broken
    spec = spec.given(params)
    if learner is not None and not isinstance(spec, StrategySpec):
        raise InputError(f"learner= is for strategies; {spec.name!r} is a {spec.kind}.")
    home, given = _home(spec.kind), {"learner": learner} if isinstance(spec, StrategySpec) else {}
    suite: Suite[Any] = home.SUITES[spec.scope if isinstance(spec, MetricSpec) else "all"]
    return spec, suite.bind(spec.name, home.Bench(spec, params, **given), only=only, excuses=excuses)


def _home(kind: Kind) -> Any:
    """Return the module of a kind: ``SUITES`` of rules, by scope for metrics, and the ``Bench`` they are tried on."""
    if kind not in KINDS:
        raise InputError(f"there are no checks for a {kind}; there are for {', '.join(KINDS)}.")
    return import_module(f"alcore.testing.{plural(kind)}")


def _found(thing: Any, kind: CheckedKind | None, registry: Registry | None) -> Spec:
    if not isinstance(thing, str):
        spec = spec_of(thing)
        if kind is not None and spec.kind != kind:
            raise InputError(f"{spec.name!r} is a {spec.kind}, not a {kind}.")
        return spec
    registry = loaded().registry if registry is None else registry
    names = {one: [entry.spec.name for entry in registry.entries(one)] for one in KINDS}
    kinds = [one for one in KINDS if thing in names[one]]
    if kind is None and len(kinds) > 1:
        raise InputError(f"{thing!r} is the name of a {' and of a '.join(kinds)}; say kind={kinds[0]!r}, for one.")
    if kind is None and not kinds:
        near = [one for one in KINDS if did_you_mean(thing, names[one])]
        kinds = [*near, "strategy"]  # for the message: where a name is much like it
    found: Spec = registry.entry(kind or kinds[0], thing).spec
    return found
