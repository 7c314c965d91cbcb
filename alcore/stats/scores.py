"""Numbers out of a store: one score per run, and tables of their means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError, did_you_mean
from alcore.protocols import Curve
from alcore.registry import Registry
from alcore.spec import MetricSpec

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("dataset", "strategy", "learner", "query_learner", "task_learner", "seed")
NOT_METRICS = {"run", *NAMES, "t", "n_labeled", "rows", "status", "reason"} | {
    f"{clock}_time" for clock in ("fit", "query", "update", "score")
}

EXHAUSTED = "pool_exhausted"
"""The reason of runs that labelled their whole pool."""


def recorded(records: pd.DataFrame) -> list[str]:
    """Return the round metrics that the records hold, in their order."""
    return [column for column in records.columns if column not in NOT_METRICS]


def curves(records: pd.DataFrame, of: str) -> dict[str, Curve]:
    """Return the learning curve of every run that has one, by run id.

    It begins with the first round that has a value: nothing can be fitted before something is labelled. A value that
    is undefined later on stays in it as NaN.

    Parameters
    ----------
    records : as ``Store.records`` returns them
    of : a recorded round metric

    Raises
    ------
    InputError
        If the metric was not recorded.
    """
    known = recorded(records)
    if of not in known:
        raise InputError(f"{of!r} was not recorded; there is {', '.join(known)}.{did_you_mean(of, known)}")
    rounds = records[records["t"] >= 0].sort_values(["run", "t"])
    scored = rounds[rounds[of].notna().groupby(rounds["run"]).cummax()]
    return {
        str(run): Curve(
            part["n_labeled"].to_numpy(np.float64),
            part[of].to_numpy(np.float64),
            int(part["seed"].iloc[0]),
            part["reason"].iloc[0] == EXHAUSTED,
        )
        for run, part in scored.groupby("run", sort=False)
    }


@dataclass(frozen=True)
class Question:
    """What a table shows: a metric and, if it is one of curves, the round metric whose curves it scores.

    ``greater_is_better`` is the direction of the score: that of the metric, and of an area or a mean of a curve that
    of the round metric.
    """

    metric: str
    spec: MetricSpec
    of: str
    params: Mapping[str, Any]
    greater_is_better: bool = True

    @property
    def title(self) -> str:
        """The question in words."""
        if self.spec.scope == "round":
            return f"{self.metric} at the end"
        return f"{self.metric} of {self.of}"


def question(registry: Registry, records: pd.DataFrame, metric: str, of: str | None, **params: Any) -> Question:
    """Check what is asked of the records.

    Parameters
    ----------
    metric : str
        A recorded label, or the name of a metric, with parameters as its label shows them or in ``params``:
        ``labels-to(target=0.9)``.
    of : str or None
        The round metric whose curves are scored; None takes the first that was recorded.

    Raises
    ------
    InputError
        If the metric is unknown or its parameters are, or if the round metric was not recorded.
    """
    known = recorded(records)
    if not known:
        raise InputError("no metric was recorded; set metrics.round in the experiment, and run it again.")
    if metric in known:
        spec = _recorded_spec(registry, metric)
    else:
        name, given = parsed(metric)
        spec, params = registry.entry("metric", name).spec, given | params
    of = metric if spec.scope == "round" else of or known[0]
    if of not in known:
        raise InputError(f"{of!r} was not recorded; there is {', '.join(known)}.{did_you_mean(of, known)}")
    spec.check_params(params)
    up = spec.greater_is_better
    if spec.scope == "curve" and up:
        up = _recorded_spec(registry, of).greater_is_better
    return Question(metric, spec, of, params, up)


def parsed(metric: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters in ``name(key=value,...)``, as labels show them."""
    match = re.fullmatch(r"([^()]+)\((.*)\)", metric)
    if not match:
        return metric, {}
    params: dict[str, Any] = {}
    for part in re.split(r",\s*(?=\w+\s*=)", match[2]):
        key, _, value = (text.strip() for text in part.partition("="))
        try:
            params[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:  # labels show texts without quotes
            params[key] = value
    return match[1], params


def _recorded_spec(registry: Registry, label: str) -> MetricSpec:
    entry = registry.get("metric", label)
    if entry is not None:
        return entry.spec  # type: ignore[no-any-return]
    # Recorded under a label of the experiment's, or by a plugin that is not here now: its values are all it takes.
    return MetricSpec(name="recorded", summary=label, make=float, scope="round")


def scores(records: pd.DataFrame, asked: Question, baseline: str = "random") -> pd.DataFrame:
    """Return one row per run: names, status, ``score``, NaN for a run that has none, and ``told``, words about it.

    A round metric scores a run by its last round; a comparison metric scores strategies, so that all runs of a
    strategy on one data set with one learner share its score, and what the metric tells of it. A run that completed and
    did not reach a target (``MetricSpec.censored``) has an infinite score, the worst there is.

    Raises
    ------
    InputError
        If no strategy is the baseline of a comparison metric.
    """
    runs = records.drop_duplicates("run")[["run", *NAMES, "status", "reason"]].reset_index(drop=True)
    found, told = curves(records, asked.of), dict[str, str]()
    if asked.spec.scope == "round":
        by_run = {run: float(curve.values[-1]) for run, curve in found.items()}
    elif asked.spec.scope == "curve":
        metric = asked.spec.build(**asked.params)
        by_run = {run: float(metric(curve)) for run, curve in found.items()}
        if asked.spec.censored:
            beyond = -np.inf if asked.greater_is_better else np.inf
            by_run = {run: beyond if np.isnan(value) else value for run, value in by_run.items()}
    else:
        by_run, told = _compared(runs, found, asked.spec.build(**asked.params), baseline)
    # A curve that a failure or a limit cut short is not comparable with whole ones: it is counted, not averaged.
    whole = runs["status"] == "completed"
    runs["score"] = [by_run.get(run, np.nan) if done else np.nan for run, done in zip(runs["run"], whole, strict=True)]
    runs["told"] = [told.get(run, "") for run in runs["run"]]
    return runs


def _compared(
    runs: pd.DataFrame, found: Mapping[str, Curve], metric: Any, baseline: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the score of each run's strategy, and what the metric tells of it."""
    known = list(dict.fromkeys(runs["strategy"]))
    if baseline not in known:
        raise InputError(
            f"the baseline {baseline!r} is none of the strategies {', '.join(known)}.{did_you_mean(baseline, known)}"
        )
    by_run: dict[str, float] = {}
    told: dict[str, str] = {}
    for _, group in runs[runs["status"] == "completed"].groupby(["dataset", "learner"], sort=False):
        strategies = {
            str(strategy): [found[run] for run in part["run"] if run in found]
            for strategy, part in group.groupby("strategy", sort=False)
        }
        if not strategies.get(baseline):
            continue  # where no run of the baseline has completed there is nothing to compare with
        values = metric(strategies, baseline)
        by_run |= {run: values[s] for run, s in zip(group["run"], group["strategy"], strict=True) if s in values}
        words = getattr(values, "reasons", {})
        told |= {run: words[s] for run, s in zip(group["run"], group["strategy"], strict=True) if s in words}
    return by_run, told


def words(scored: pd.DataFrame) -> list[str]:
    """Return one line for each strategy of a data set with a learner of which a comparison metric told something."""
    told = scored[scored["told"] != ""].drop_duplicates(["dataset", "learner", "strategy"])
    several = scored["learner"].nunique() > 1
    names = ["dataset", *(["learner"] if several else []), "strategy"]
    return [" / ".join(row[name] for name in names) + f": {row['told']}" for row in told.to_dict("records")]


@dataclass(frozen=True)
class Cell:
    """One cell of a table: mean and standard deviation over ``n`` scored runs of ``total``; statuses of the others.

    ``beyond`` counts those of the scored runs that did not reach a target. The mean is infinite then, and withheld
    where it is shown: one over the runs that got there would flatter whoever often fails.
    """

    mean: float
    sd: float
    n: int
    total: int
    ended: Mapping[str, int]
    beyond: int = 0

    @property
    def whole(self) -> bool:
        """Whether every run was scored, and none is beyond."""
        return self.n == self.total and not self.beyond

    @property
    def half_width(self) -> float:
        """Half the 95 % t interval of the mean; NaN where there is no deviation."""
        from scipy.stats import t as student

        return float(student.ppf(0.975, self.n - 1)) * self.sd / self.n**0.5 if self.n > 1 else float("nan")


def table(
    scored: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]
) -> dict[tuple[str, ...], dict[tuple[str, ...], Cell]]:
    """Return cells by the values of ``rows`` and of ``columns`` (names of the runs), in order of first appearance.

    Raises
    ------
    InputError
        If a name is none of the runs' names, or is used twice.
    """
    for name in (*rows, *columns):
        if name not in NAMES:
            raise InputError(
                f"{name!r} cannot make rows or columns; use {', '.join(NAMES)}.{did_you_mean(name, NAMES)}"
            )
    both = [*rows, *columns]
    twice = [name for name in dict.fromkeys(both) if both.count(name) > 1]
    if twice:
        raise InputError(f"{', '.join(twice)} makes rows or columns twice; use it once.")
    cells: dict[tuple[str, ...], dict[tuple[str, ...], Cell]] = {}
    for key, part in scored.groupby([*rows, *columns], sort=False):
        names = tuple(str(value) for value in key)
        values = part["score"].dropna().to_numpy()
        ended = part.loc[part["status"] != "completed", "status"].value_counts().to_dict()
        cells.setdefault(names[: len(rows)], {})[names[len(rows) :]] = Cell(
            mean=float(values.mean()) if len(values) else float("nan"),
            sd=float(values.std(ddof=1)) if len(values) > 1 and np.isfinite(values).all() else float("nan"),
            n=len(values),
            total=len(part),
            ended={str(status): int(count) for status, count in ended.items()},
            beyond=int(np.isinf(values).sum()),
        )
    return cells


def band(found: Sequence[Curve], level: float = 0.95) -> tuple[Any, Any, Any, Any]:
    """Return label counts that all curves share, the mean, and the ends of its t interval (NaN for one curve).

    Raises
    ------
    InputError
        If there is no curve.
    """
    if not found:
        raise InputError("there is no curve to average.")
    from scipy.stats import t as student

    grid = found[0].labeled
    for curve in found[1:]:
        grid = np.intersect1d(grid, curve.labeled)
    values = np.array([curve.values[np.isin(curve.labeled, grid)] for curve in found])
    mean, k = values.mean(axis=0), len(values)
    half = np.full_like(mean, np.nan)
    if k > 1:
        half = student.ppf(0.5 + level / 2, k - 1) * values.std(axis=0, ddof=1) / np.sqrt(k)
    return grid, mean, mean - half, mean + half
