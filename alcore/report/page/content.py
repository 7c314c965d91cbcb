"""What the page says: numbers of a store in the order and the words of its sections."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from alcore import stats
from alcore.errors import InputError
from alcore.parts import installed
from alcore.protocols import Curve
from alcore.report.asked import Asked
from alcore.report.page import charts
from alcore.report.rankings import overall_rankings, ranking_notes

if TYPE_CHECKING:
    import pandas as pd

BYTES = 2_200_000
"""What all curves together may take; the points of each are thinned to that."""


@dataclass(frozen=True)
class Content:
    """The numbers of a page."""

    asked: Asked
    slugs: dict[str, str] = field(default_factory=dict)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run."""
        return self.asked.records.drop_duplicates("run")

    def listed(self, name: str) -> list[str]:
        """Return the values of a name, in order of appearance."""
        return [str(value) for value in dict.fromkeys(self.runs[name])]

    @cached_property
    def strategies(self) -> list[str]:
        """All strategies, the baseline first: it has the neutral colour."""
        found = self.listed("strategy")
        first = [self.asked.baseline] if self.asked.baseline in found else []
        return first + [name for name in found if name not in first]

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each strategy, which is its colour and its dashes."""
        return {name: position for position, name in enumerate(self.strategies)}

    @cached_property
    def datasets(self) -> list[str]:
        """All data sets."""
        return self.listed("dataset")

    @cached_property
    def learners(self) -> list[str]:
        """All learners."""
        return self.listed("learner")

    @property
    def has_baseline(self) -> bool:
        """Whether there is something to compare with."""
        return self.asked.baseline in self.positions

    @cached_property
    def statuses(self) -> dict[str, int]:
        """Runs by status."""
        return {str(status): int(count) for status, count in self.runs["status"].value_counts().items()}

    def slug(self, *words: str) -> str:
        """Return an address within the page, one for each thing."""
        key = "\n".join(words)
        if key not in self.slugs:
            plain = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
            taken = set(self.slugs.values())
            number = next(i for i in range(1, len(taken) + 2) if (plain if i == 1 else f"{plain}-{i}") not in taken)
            self.slugs[key] = plain if number == 1 else f"{plain}-{number}"
        return self.slugs[key]

    @cached_property
    def improvement(self) -> pd.DataFrame:
        """Improvement over the baseline; without one, no row."""
        asked = self.asked
        if not self.has_baseline:
            return stats.improvement(asked.by_seed, self.strategies[0]).iloc[:0]
        return stats.improvement(asked.by_seed, asked.baseline, alpha=asked.alpha, test=asked.test)

    @cached_property
    def rankings(self) -> dict[str, stats.Ranking]:
        """The ranking over data sets of each learner."""
        return overall_rankings(self.asked.by_seed, self.asked.missing, self.asked.alpha)

    def diagrams(self, learner: str) -> list[tuple[str, str]]:
        """Return the critical-difference diagrams of a learner, with their titles."""
        ranking = self.rankings[learner]
        return [(one.name, charts.critical_difference(ranking, one, self.positions)) for one in ranking.posthoc]

    def rank_notes(self, learner: str) -> list[str]:
        """Return what the tests say, and what was left out."""
        ranking = self.rankings[learner]
        return [*ranking_notes(ranking), *ranking.notes]

    @cached_property
    def curves(self) -> dict[str, Curve]:
        """The curves of the runs that completed."""
        records = self.asked.records
        return stats.curves(records[records["status"] == "completed"], self.asked.question.of)

    def by_seed(self, dataset: str, learner: str) -> dict[str, dict[int, Curve]]:
        """Return the curves of each strategy on one data set with one learner, by seed."""
        part = self.runs[(self.runs["dataset"] == dataset) & (self.runs["learner"] == learner)]
        found: dict[str, dict[int, Curve]] = {name: {} for name in self.strategies}
        for run, strategy, seed in part[["run", "strategy", "seed"]].itertuples(index=False):
            if run in self.curves:
                found[strategy][seed] = self.curves[run]
        return found

    def panels(self, learner: str, *, difference: bool = False) -> list[tuple[str, str, str]]:
        """Return learning curves, or their differences to the baseline: data set, note and picture of each panel."""
        own = self.runs[self.runs["learner"] == learner]
        total = 2 * len(self.datasets) * len(self.learners) * len(self.strategies)
        points = int(min(max(BYTES / total / 24, 16), 90))
        sign = 1.0 if self.asked.up else -1.0
        found = []
        for dataset in dict.fromkeys(own["dataset"]):
            part = own[own["dataset"] == dataset]
            by_seed = self.by_seed(str(dataset), learner)
            base = by_seed.get(self.asked.baseline, {})
            lines = []
            for name, at in self.positions.items():
                if difference and name == self.asked.baseline:
                    continue
                if difference:
                    lines.append(charts.difference_line(at, name, by_seed[name], base, sign))
                elif by_seed[name]:
                    lines.append(charts.mean_line(at, name, list(by_seed[name].values())))
            done = int((part["status"] == "completed").sum())
            note = "" if done == len(part) else f"{done} of {len(part)} runs"
            title = f"{dataset}, {learner}: {self.asked.question.of}"
            drawn = charts.panel([line for line in lines if line], title, points=points, zero=difference)
            found.append((str(dataset), note, drawn))
        return found

    def scatters(self) -> list[tuple[str, str]]:
        """Return improvement against properties, or nothing where a data set's are not known."""
        known = self.asked.facts.properties
        there = self.improvement["mean"].abs() < math.inf
        found = self.improvement[there & self.improvement["dataset"].isin(list(known))]
        if not len(found):
            return []

        def told(row: Mapping[Any, Any]) -> str:
            return f"{row['dataset']}, {row['strategy']}, {row['learner']}: {row['mean']:+.4f}"

        pictures = []
        for name, words in (("d", "features d"), ("n", "rows n"), ("imbalance", "largest class / smallest")):
            points = [
                (self.positions[str(row["strategy"])], told(row), float(row[name]), float(row["mean"]))
                for row in stats.against_properties(found, known).to_dict("records")
            ]
            pictures.append((words, charts.scatter(points, f"improvement against {words}")))
        return pictures

    def times(self) -> list[tuple[str, str]]:
        """Return mean seconds per round by learner, over data sets."""
        found = stats.round_times(self.asked.records)
        pictures = []
        for learner, part in found.groupby("learner", sort=False):
            means = part.groupby("strategy", sort=False)[list(stats.CLOCKS)].mean()
            by_name = {
                str(name): [float(value) for value in row]
                for name, row in zip(means.index, means.to_numpy(), strict=True)
            }
            rows = [(at, name, by_name[name]) for name, at in self.positions.items() if name in by_name]
            pictures.append((str(learner), charts.bars(rows, f"seconds per round with {learner}")))
        return pictures

    def provenance(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return the protocol's keys with their values, and packages with their versions; several where runs differ."""
        protocol: dict[str, dict[str, None]] = {}
        versions: dict[str, dict[str, None]] = {}
        for run in self.runs["run"]:
            config = self.asked.store.about(run)["config"]
            for key in ("split", "start", "budget", "batch", "ties", "features", "stop", "metrics"):
                value = config.get(key)
                if key == "metrics":
                    value = ", ".join(str(metric["label"]) for metric in value or ())
                protocol.setdefault(key, {})[value if isinstance(value, str) else json.dumps(value)] = None
            for package, version in config.get("versions", {}).items():
                versions.setdefault(package, {})[str(version)] = None
        return (
            [(key, " | ".join(values)) for key, values in protocol.items()],
            [(package, _with_installed(package, found)) for package, found in sorted(versions.items())],
        )


def _with_installed(package: str, recorded: Iterable[str]) -> str:
    """Return recorded versions, with the installed one where that is another: it is shown, not a reason to rerun."""
    listed, here = list(recorded), installed(package)
    other = here not in (*listed, "unknown") and not any(one.startswith("sha256:") for one in listed)
    return ", ".join(listed) + (f" (installed: {here})" if other else "")


def check_scores(asked: Asked) -> None:
    """Raise InputError if no run has completed: there is nothing to report but failures."""
    if not (asked.records["status"] == "completed").any():
        raise InputError("no run has completed, so that there is nothing to report; see: alcore status STORE")
