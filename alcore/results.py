"""What one run leaves behind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alcore.protocols import Record
from alcore.types import Status, Task

PROTOCOL = 3
"""Raised whenever the same configuration would give other records than before: old results are then not reused.

What a single part gives is told by the revision that its spec states. Up to 2, the versions of all distributions were
part of an id; from 3 on, the revisions of its parts are.
"""

REVISIONS_SINCE = 3
BESIDE = ("versions", "rows_from")
"""Keys of a configuration that are recorded beside what a run's id depends on, unless it asks for exact reuse."""


def canonical(config: Mapping[str, Any]) -> str:
    """Return a configuration as JSON text that is equal for equal configurations."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), default=str)


def versions_count(config: Mapping[str, Any]) -> bool:
    """Return whether versions are part of the id of a run with this configuration."""
    return config.get("reuse") == "exact" or config.get("protocol", PROTOCOL) < REVISIONS_SINCE


@dataclass(frozen=True)
class Run:
    """One run, fully specified: ``config`` is all that its result depends on, as JSON values, and versions beside it.

    ``position`` is its place in the experiment, for the order of tables; no result depends on it.
    """

    config: Mapping[str, Any]
    position: int = field(default=0, compare=False)

    @property
    def id(self) -> str:
        """A hash of the configuration, 16 hexadecimal digits.

        Where the data lie does not count, and versions only where the run asks for exact reuse.
        """
        what = {key: value for key, value in self.config["dataset"].items() if key != "where"}
        kept = {key: value for key, value in self.config.items() if key not in BESIDE or versions_count(self.config)}
        return hashlib.sha256(canonical(kept | {"dataset": what}).encode()).hexdigest()[:16]

    @property
    def names(self) -> dict[str, Any]:
        """The labels that tell runs apart in tables: dataset, strategy, learner, query_learner, task_learner, seed.

        A strategy that sees hidden labels is marked as the upper bound it is.
        """
        learner, strategy = self.config["learner"], self.config["strategy"]
        upper = " (upper bound)" if strategy.get("truth") else ""
        return {
            "dataset": self.config["dataset"]["label"],
            "strategy": strategy["label"] + upper,
            "learner": learner["label"],
            "query_learner": learner["query"]["label"],
            "task_learner": learner["task"]["label"],
            "seed": self.config["seed"],
        }

    def __str__(self) -> str:
        names = self.names
        return f"{names['strategy']} with {names['learner']} on {names['dataset']}, seed {names['seed']}"


@dataclass(frozen=True)
class Result:
    """How a run ended, why, and its records; warnings and a traceback where there were any."""

    status: Status
    reason: str
    records: Sequence[Record] = ()
    warnings: Sequence[str] = ()
    traceback: str = ""
    seconds: float = 0.0


def record_to_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON values; floats survive exactly."""
    return {
        "t": record.t,
        "rows": record.rows.tolist(),
        "labels": record.labels.tolist(),
        "n": record.n_labeled,
        "metrics": dict(record.metrics),
        "times": [record.fit_time, record.query_time, record.update_time, record.score_time],
    }


def record_from_json(value: Mapping[str, Any], task: Task) -> Record:
    """Return the record that ``record_to_json`` wrote."""
    fit, query, update, score = value["times"]
    return Record(
        t=value["t"],
        rows=np.array(value["rows"], dtype=np.intp),
        labels=np.array(value["labels"], dtype=np.float64 if task is Task.REGRESSION else np.intp),
        n_labeled=value["n"],
        metrics=value["metrics"],
        fit_time=fit,
        query_time=query,
        update_time=update,
        score_time=score,
    )
