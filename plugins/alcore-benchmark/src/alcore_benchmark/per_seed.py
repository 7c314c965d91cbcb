"""Margin sampling seed by seed, beside the published value of each seed."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from alcore import InputError, Store, plugins
from alcore.experiment import Experiment, parse
from alcore.plan import plan
from alcore.results import Run
from alcore.runner import Watcher
from alcore_benchmark.datasets.catalogue import Entry
from alcore_benchmark.presets import LOGISTIC, RBF_SVM
from alcore_benchmark.tables.quantities import areas
from alcore_benchmark.tables.remake import gathered, run_all

LEARNERS = {"RBFSVM": RBF_SVM, "LR": LOGISTIC}
"""The published names of the models that are deterministic; the published random forests had no seed."""

DIGITS = 5


@dataclass(frozen=True)
class Seed:
    """One run: AUBC as published and ours, to five digits; None where there is none."""

    dataset: str
    query: str
    task: str
    seed: int
    published: float | None
    ours: float | None
    note: str = ""

    @property
    def verdict(self) -> str:
        """What the two numbers mean."""
        if self.ours is None:
            return self.note.partition(":")[0]  # how the run ended
        if self.published is None:
            return "not published"
        return "same" if abs(self.ours - self.published) < 0.5 * 10**-DIGITS else "differs"


def published_file(given: Path | None) -> Path | None:
    """Return the file of published values: the one given, or that of the optional reference data, or None."""
    if given is not None:
        if not given.is_file():
            raise InputError(
                f"there is no file {given}; it has the columns dataset, query_model, task_model, seed, aubc."
            )
        return given
    shared = os.environ.get("ALCORE_SHARED")
    there = Path(shared or "", "data", "published", "margin_aubc_per_seed.csv")
    return there if shared and there.is_file() else None


@cache
def published(file: Path) -> dict[tuple[str, str, str, int], float]:
    """Return AUBC by data set, query model, task model and seed."""
    with file.open(encoding="utf8", newline="") as lines:
        return {
            (row["dataset"], row["query_model"], row["task_model"], int(row["seed"])): float(row["aubc"])
            for row in csv.DictReader(lines)
        }


def run(
    entries: Sequence[Entry],
    seeds: Sequence[int],
    store: Store,
    *,
    query: str = "RBFSVM",
    task: str = "RBFSVM",
    file: Path | None = None,
    jobs: int | None = None,
    watch: Watcher | None = None,
) -> list[Seed]:
    """Run margin sampling on these data sets with the published protocol, and return it seed by seed."""
    there = published(file) if file else {}
    planned: dict[str, list[Run]] = {}
    for entry in entries:
        one = experiment(entry, seeds, query, task)
        planned[entry.name] = plan(one, plugins.loaded().registry)
    run_all(one, planned.values(), store, jobs=jobs, watch=watch)
    records = gathered(store, {(name, "margin"): runs for name, runs in planned.items()}, task)
    scored = areas(records).to_dict("records") if len(records) else []
    ended = {(row["dataset"], row["seed"]): row for row in scored}
    found = []
    for name in planned:
        for seed in seeds:
            row = ended.get((name, seed))
            done = row is not None and row["status"] == "completed"
            ours = round(float(row["score"]), DIGITS) if row and done else None
            note = f"{row['status']}: {row['reason']}" if row and not done else ""
            found.append(Seed(name, query, task, seed, there.get((name, query, task, seed)), ours, note))
    return found


def experiment(entry: Entry, seeds: Sequence[int], query: str, task: str) -> Experiment:
    """Return the published experiment on one data set, with these models."""
    learner: Any = LEARNERS[task] if query == task else {"query": LEARNERS[query], "task": LEARNERS[task]}
    raw = {
        "name": f"margin-{entry.name}",
        "preset": {"name": "published", "size": 20 if entry.classes == 2 else 10 * entry.classes},
        "datasets": [entry.name],
        "strategies": ["margin"],
        "learners": [learner],
        "seeds": list(seeds),
    }
    return parse(raw, plugins.loaded().registry, source=f"margin on {entry.name}")
