"""What a conformance check found, check by check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, overload


class CheckStatus(StrEnum):
    """What became of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    EXCUSED = "excused"


@dataclass(frozen=True)
class CheckResult:
    """One check: its name, what became of it, why, how long it took, and the rule that it is about.

    ``reason`` is empty for a check that passed.
    """

    check: str
    status: CheckStatus
    reason: str
    seconds: float
    rule: str = ""


class Report(Sequence[CheckResult]):
    """The results of all checks of one strategy, learner or metric, in order.

    Attributes
    ----------
    kind, name : str
        What was checked.
    """

    def __init__(self, kind: str, name: str, results: Sequence[CheckResult]) -> None:
        self.kind = kind
        self.name = name
        self._results = tuple(results)

    @overload
    def __getitem__(self, index: int) -> CheckResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CheckResult]: ...
    def __getitem__(self, index: int | slice) -> CheckResult | Sequence[CheckResult]:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[CheckResult]:
        return iter(self._results)

    def __repr__(self) -> str:
        return f"Report({self._headline()})"

    @property
    def ok(self) -> bool:
        """Whether no check failed; a skipped or excused one did not."""
        return not self.failed

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [result.check for result in self if result.status is CheckStatus.FAILED]

    def to_json(self) -> dict[str, Any]:
        """Return ``{"kind", "name", "ok", "checks": [{"check", "status", "reason", "seconds", "rule"}]}``."""
        checks = [asdict(result) | {"status": str(result.status)} for result in self]
        return {"kind": self.kind, "name": self.name, "ok": self.ok, "checks": checks}

    def _headline(self) -> str:
        count = Counter(result.status for result in self)
        return f"{self.kind} {self.name}: " + ", ".join(f"{count[s]} {s}" for s in CheckStatus if count[s])

    def __str__(self) -> str:
        width = max((len(result.check) for result in self), default=0)
        lines = [self._headline()]
        for result in self:
            lines.append(f"  {result.status:<8} {result.check:<{width}}  {result.reason}".rstrip())
            if result.status is CheckStatus.FAILED:
                lines.append(f"           {'':{width}}  Rule: {result.rule}")
        return "\n".join(lines)
