"""Stop rules: the rounds so far -> a reason to stop, or None.

Each is a function of the history alone and keeps nothing between rounds, so that a run that is resumed by replaying
its rows stops where it would have stopped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from alcore.errors import InputError, did_you_mean
from alcore.protocols import History, Record
from alcore.spec import StopRuleSpec


def specs() -> list[StopRuleSpec]:
    """Return the specs of the core's stop rules."""
    return [
        StopRuleSpec(name="target", summary="Stop when a metric reaches a value", make=Target),
        StopRuleSpec(name="plateau", summary="Stop when a metric has not improved for some rounds", make=Plateau),
        StopRuleSpec(name="share", summary="Stop when a share of the pool is labelled", make=Share),
    ]


@dataclass(frozen=True)
class Target:
    """Stop when a metric reaches a value.

    Parameters
    ----------
    metric : str
        A round metric that the run records.
    value : float
        Reached where the metric of the newest scored round is >= value.
    greater_is_better : bool
        False for a loss: reached where the metric is <= value.

    Raises
    ------
    InputError
        If a parameter is wrong; in a run, if no round has recorded the metric.
    """

    metric: str
    value: float
    greater_is_better: bool = True

    def __post_init__(self) -> None:
        _check_metric("target", self.metric, self.greater_is_better)
        if not _is_number(self.value):
            raise InputError(f"target: value is {self.value!r}; give the finite number to reach, such as 0.9.")

    def __call__(self, history: History) -> str | None:
        """Return the reason to stop, or None."""
        for record in reversed(history.records):
            if self.metric in record.metrics:
                found = record.metrics[self.metric]
                reached = found >= self.value if self.greater_is_better else found <= self.value
                return f"{self.metric} reached {found:.6g} (target {self.value:g})" if reached else None
        _check_recorded("target", self.metric, history.records)
        return None


@dataclass(frozen=True)
class Plateau:
    """Stop when the best value of the last rounds exceeds the best before them by no more than a tolerance.

    Rounds in which the metric was not recorded, or is NaN, count neither as rounds nor as values.

    Parameters
    ----------
    metric : str
        A round metric that the run records.
    rounds : int
        The number of last rounds, 1 or more. There must be at least one round before them.
    tolerance : float
        An improvement as small as this is none; 0 or more.
    greater_is_better : bool
        False for a loss: the best value is the smallest.

    Raises
    ------
    InputError
        If a parameter is wrong; in a run, if no round has recorded the metric.
    """

    metric: str
    rounds: int = 10
    tolerance: float = 1e-3
    greater_is_better: bool = True

    def __post_init__(self) -> None:
        _check_metric("plateau", self.metric, self.greater_is_better)
        if not isinstance(self.rounds, int) or isinstance(self.rounds, bool) or self.rounds < 1:
            raise InputError(f"plateau: rounds is {self.rounds!r}; give the number of rounds to wait, 1 or more.")
        if not _is_number(self.tolerance) or self.tolerance < 0:
            raise InputError(f"plateau: tolerance is {self.tolerance!r}; give a number of 0 or more, such as 0.001.")

    def __call__(self, history: History) -> str | None:
        """Return the reason to stop, or None."""
        found = [record.metrics[self.metric] for record in history.records if self.metric in record.metrics]
        if not found:
            _check_recorded("plateau", self.metric, history.records)
        values = [value for value in found if not math.isnan(value)]
        before, recent = values[: -self.rounds], values[-self.rounds :]
        if not before:
            return None
        best = max if self.greater_is_better else min
        gain = best(recent) - best(before) if self.greater_is_better else best(before) - best(recent)
        if gain > self.tolerance:
            return None
        return (
            f"{self.metric} has not improved by more than {self.tolerance:g} in the last {self.rounds} rounds "
            f"(best {best(values):.6g})"
        )


@dataclass(frozen=True)
class Share:
    """Stop when a share of the pool is labelled, the start set included.

    Parameters
    ----------
    share : float
        Above 0, at most 1.

    Raises
    ------
    InputError
        If the share is out of range.
    """

    share: float

    def __post_init__(self) -> None:
        if not _is_number(self.share) or not 0 < self.share <= 1:
            raise InputError(
                f"share: share is {self.share!r}; give a number above 0 and up to 1, such as 0.3 for 30 %."
            )

    def __call__(self, history: History) -> str | None:
        """Return the reason to stop, or None."""
        if not history.records:
            return None
        labeled = history.records[-1].n_labeled
        # A quotient, not share * pool_size: 7/100 is 0.07 exactly as written, 0.07 * 100 is more than 7.
        if labeled / history.pool_size < self.share:
            return None
        return f"{labeled} of {history.pool_size} rows are labelled (share {self.share:g})"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check_metric(rule: str, metric: Any, greater_is_better: Any) -> None:
    if not isinstance(metric, str) or not metric:
        raise InputError(f"{rule}: metric is {metric!r}; give the name of a round metric, such as 'accuracy'.")
    if not isinstance(greater_is_better, bool):
        raise InputError(f"{rule}: greater_is_better is {greater_is_better!r}; give true, or false for a loss.")


def _check_recorded(rule: str, metric: str, records: Sequence[Record]) -> None:
    """Raise if there are rounds, since none of them has recorded this metric."""
    if not records:
        return
    known = sorted({name for record in records for name in record.metrics})
    has = f"this run records {', '.join(known)}" if known else "this run records no metric"
    raise InputError(
        f"the stop rule {rule!r} watches the metric {metric!r}; {has}. "
        f"Add {metric!r} to the run's metrics, or watch one that is there.{did_you_mean(metric, known)}"
    )
