"""Rules, and what becomes of them: a rule is a small function that raises if what it is shown breaks it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, Generic, TypeVar
from unittest import SkipTest

from alcore.errors import InputError, did_you_mean
from alcore.testing.guards import captured, one_thread
from alcore.testing.report import CheckResult, CheckStatus

B = TypeVar("B")


def require(holds: bool, reason: str) -> None:
    """Raise AssertionError with this reason unless it holds (``assert`` would be gone under ``python -O``)."""
    if not holds:
        raise AssertionError(reason)


@contextmanager
def on(where: str) -> Iterator[None]:
    """Say where a rule was broken: every failure of the body names the toy it happened on."""
    try:
        yield
    except SkipTest:
        raise
    except Exception as error:
        raise AssertionError(f"{where}: {_told(error)}") from error


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, AssertionError) else f"raised {type(error).__name__}: {error}"


@dataclass(frozen=True)
class Rule(Generic[B]):
    """A named rule; ``after`` names the rules without which it cannot be judged."""

    name: str
    text: str
    function: Callable[[B], None]
    after: tuple[str, ...]


class Suite(Generic[B]):
    """The rules for one kind of thing, in order. Where the first is broken, no other can be judged."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule[B]] = {}

    def check(self, *, after: Iterable[str] = ()) -> Callable[[Callable[[B], None]], Callable[[B], None]]:
        """Add a function as a rule: its name with dashes is the rule's name, its docstring the rule."""

        def add(function: Callable[[B], None]) -> Callable[[B], None]:
            name = function.__name__.replace("_", "-")
            needed = dict.fromkeys([*list(self.rules)[:1], *after])
            self.rules[name] = Rule(name, (function.__doc__ or "").strip(), function, tuple(needed))
            return function

        return add

    def bind(
        self, thing: str, bench: B, *, only: Iterable[str] | None, excuses: Mapping[str, str] | None
    ) -> list[Check]:
        """Return the checks of one thing, by its name and on its bench.

        Raises
        ------
        InputError
            If ``only`` or ``excuses`` names a check that there is not, or an excuse gives no reason.
        """
        only = None if only is None else [only] if isinstance(only, str) else list(only)
        excuses = dict(excuses or {})
        for name in [*(only or ()), *excuses]:
            if name not in self.rules:
                raise InputError(f"there is no check {name!r}.{did_you_mean(name, self.rules)}")
        for name, excuse in excuses.items():
            if not excuse.strip():
                raise InputError(f"the excuse of {name!r} is empty; say why it may fail.")
        made: dict[str, Check] = {}
        for name, rule in self.rules.items():
            made[name] = Check(thing, rule, bench, excuses.get(name), [made[other] for other in rule.after])
        return [check for name, check in made.items() if only is None or name in only]


@dataclass(frozen=True)
class Verdict:
    """What became of a check, with the error that says so, if any; ``judged`` is False where it could not be tried."""

    status: CheckStatus
    reason: str = ""
    error: BaseException | None = None
    judged: bool = True


class Check:
    """One rule, ready to be tried on one thing: call it, and it raises if the rule is broken.

    ``str(check)`` is its name and ``repr(check)`` also says whose it is: ``ids=str`` and ``ids=repr`` make the ids of
    parametrised tests. It is tried once, when it is first called or its result is first asked for.

    Attributes
    ----------
    thing : str
        The name of what is checked.
    name, rule : str
    excuse : str or None
        Why it may fail. A check that has an excuse and passes is a failure: the excuse must go.
    """

    def __init__(self, thing: str, rule: Rule[Any], bench: Any, excuse: str | None, after: list[Check]) -> None:
        self.thing = thing
        self.name = rule.name
        self.rule = rule.text
        self.excuse = excuse
        self._function = rule.function
        self._bench = bench
        self._after = after
        self._seconds = 0.0

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self.thing}: {self.name}"

    def __call__(self) -> None:
        """Try it.

        Raises
        ------
        AssertionError
            If the rule is broken, or is kept in spite of an excuse.
        unittest.SkipTest
            If it does not apply, cannot be judged, or is excused; pytest and unittest count it as skipped.
        """
        verdict = self._verdict
        if verdict.status is CheckStatus.FAILED:
            raise AssertionError(f"{verdict.reason}\nRule: {self.rule}") from verdict.error
        if verdict.status is not CheckStatus.PASSED:
            raise SkipTest(verdict.reason)

    def result(self) -> CheckResult:
        """Try it, and return what became of it."""
        verdict = self._verdict
        return CheckResult(self.name, verdict.status, verdict.reason, self._seconds, self.rule)

    @cached_property
    def _verdict(self) -> Verdict:
        for other in self._after:
            found = other._verdict
            if found.status in (CheckStatus.FAILED, CheckStatus.EXCUSED) or not found.judged:
                reason = f"cannot be judged where {other.name} is broken"
                return Verdict(CheckStatus.SKIPPED, reason, judged=False)
        began = perf_counter()
        verdict = self._tried()
        self._seconds = perf_counter() - began
        if self.excuse is None or verdict.status is CheckStatus.SKIPPED:
            return verdict
        if verdict.status is CheckStatus.PASSED:
            return Verdict(CheckStatus.FAILED, f"passes: its excuse is no longer needed ({self.excuse})")
        return Verdict(CheckStatus.EXCUSED, f"{self.excuse} ({verdict.reason})", verdict.error)

    def _tried(self) -> Verdict:
        try:
            # Output and warnings are rules of their own; here they would only spoil the report.
            with one_thread(), captured(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._function(self._bench)
        except SkipTest as skip:
            return Verdict(CheckStatus.SKIPPED, str(skip))
        except Exception as error:  # noqa: BLE001 - whatever is raised is the finding
            return Verdict(CheckStatus.FAILED, _told(error), error)
        return Verdict(CheckStatus.PASSED)
