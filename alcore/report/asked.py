"""A question about a store and how to answer it; an answer as tables of text and as JSON values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore import stats
from alcore.registry import Registry
from alcore.report.facts import Facts, facts, read_properties
from alcore.stats import Blocks, Missing, PairedTest, Question
from alcore.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Sheet:
    """A table of text cells, the header first; its first ``labels`` columns are names."""

    title: str
    lines: Sequence[Sequence[str]]
    labels: int = 1


@dataclass(frozen=True)
class Shown:
    """An analysis: tables, notes below them, and the same as JSON values."""

    sheets: Sequence[Sheet]
    notes: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A store, a question about it, and how to answer."""

    store: Store
    registry: Registry
    records: pd.DataFrame
    question: Question
    baseline: str = "random"
    missing: Missing = "complete"
    alpha: float = 0.05
    test: PairedTest = "t"
    share: float | None = None
    slack: float | None = None
    properties: Path | None = None
    digits: int = 4

    @cached_property
    def scored(self) -> pd.DataFrame:
        """One score per run."""
        return stats.scores(self.records, self.question, self.baseline)

    @cached_property
    def by_seed(self) -> Blocks:
        """Scores of strategies by seed."""
        up = self.question.greater_is_better
        return stats.seed_blocks(self.scored, self.missing, greater_is_better=up)

    @cached_property
    def facts(self) -> Facts:
        """What the data sets are: from a file if one was given, else from the data."""
        if self.properties is not None:
            return Facts(read_properties(self.properties), stats.pool_sizes(self.records), {})
        return facts(self.store, self.registry, self.records)

    @property
    def names(self) -> list[str]:
        """What names a problem: the data set, and the learner where there are several."""
        return ["dataset"] + (["learner"] if self.records["learner"].nunique() > 1 else [])

    @property
    def up(self) -> bool:
        """Whether greater values of the recorded metric are better."""
        entry = self.registry.get("metric", self.question.of)
        return bool(entry.spec.greater_is_better) if entry else self.question.greater_is_better

    def number(self, value: Any, signed: bool = False) -> str:
        """Return a number as text; a dash where there is none."""
        if value is None or math.isnan(value):
            return "-"
        if math.isinf(value):
            return f"{'-' if value < 0 else '+'}beyond" if signed else "beyond"
        return f"{value:{'+' if signed else ''}.{self.digits}f}"


def wide(asked: Asked, found: pd.DataFrame, text: Callable[[Mapping[str, Any]], str]) -> list[list[str]]:
    """Return one line per problem, one column per strategy; a dash where there is nothing."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for row in found.to_dict("records"):
        rows.setdefault(tuple(str(row[name]) for name in asked.names), {})[str(row["strategy"])] = text(row)  # type: ignore[arg-type]
    given = [str(name) for name in dict.fromkeys(asked.records["strategy"])]
    strategies = [name for name in given if any(name in cells for cells in rows.values())]
    lines = [[*key, *(cells.get(name, "-") for name in strategies)] for key, cells in rows.items()]
    return [[*asked.names, *strategies], *lines]


def p_value(p: float | None) -> str:
    """Return a p-value as text; empty for none."""
    if p is None or math.isnan(p):
        return ""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def got_there(row: Mapping[Any, Any]) -> str:
    """Return how many runs reached their target, and how many others did not complete."""
    lost = f"; {row['left_out']} more did not complete" if row["left_out"] else ""
    return f"{row['reached']} of {row['runs']} runs got there{lost}"


def cleaned(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as JSON values."""
    return [clean(row) for row in frame.to_dict("records")]


def clean(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return values as JSON has them: no NaN and no infinity, but null."""
    return {str(key): _plain(value) for key, value in row.items()}


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
