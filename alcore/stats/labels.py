"""How many labels a value takes, and what a number of labels buys. A target that is not reached is censored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError
from alcore.protocols import Curve
from alcore.stats.blocks import PROBLEM, Missing, check_missing
from alcore.stats.improve import check_baseline
from alcore.stats.scores import NAMES, curves
from alcore.types import TOLERANCE, Floats

if TYPE_CHECKING:
    import pandas as pd


def value_at(records: pd.DataFrame, of: str, share: float, pools: Mapping[str, int]) -> pd.DataFrame:
    """Return one row per run, as ``scores`` does: ``score`` is the value when a share of the pool is labelled.

    It is the value after the last round with at most round(share * pool) labelled rows, start set included; NaN where
    the start set alone has more, or the curve ends before.

    Parameters
    ----------
    records : as ``Store.records`` returns them
    of : a recorded round metric
    share : in (0, 1]
    pools : rows in the pool, by data set; see ``pool_sizes``

    Raises
    ------
    InputError
        If the share is none, the metric was not recorded, or a data set has no pool size.
    """
    if not 0 < share <= 1:
        raise InputError(f"share is {share}; give a share of the pool above 0 and up to 1, such as 0.2.")
    runs = records.drop_duplicates("run")[["run", *NAMES, "status", "reason"]].reset_index(drop=True)
    if unknown := sorted(set(runs["dataset"]) - set(pools)):
        raise InputError(f"the pool size of {', '.join(unknown)} is not known: no run there has exhausted its pool.")
    found = curves(records, of)
    values = []
    for run, dataset, status in zip(runs["run"], runs["dataset"], runs["status"], strict=True):
        curve = found.get(run) if status == "completed" else None
        values.append(_value_at(curve, round(share * pools[dataset])) if curve else float("nan"))
    return runs.assign(score=values)


def _value_at(curve: Curve, labels: int) -> float:
    if labels > curve.labeled[-1]:
        return float("nan")
    at = int(np.searchsorted(curve.labeled, labels, side="right")) - 1
    return float(curve.values[at]) if at >= 0 else float("nan")


def pool_sizes(records: pd.DataFrame) -> dict[str, int]:
    """Return the rows of each data set's pool, as far as the records tell: where a run has exhausted it."""
    whole = records[records["reason"] == "pool_exhausted"]
    return {str(dataset): int(n) for dataset, n in whole.groupby("dataset", sort=False)["n_labeled"].max().items()}


def labels_needed(
    records: pd.DataFrame,
    of: str,
    *,
    baseline: str = "random",
    share: float | None = None,
    slack: float | None = None,
    missing: Missing = "complete",
    greater_is_better: bool = True,
) -> pd.DataFrame:
    """Return how many labels every run took to get near the value that the whole budget buys.

    The target is set seed by seed by the baseline's last value f, so that it is one for all strategies: share * f
    (f / share for a loss), or f - slack (f + slack).

    Parameters
    ----------
    records : as ``Store.records`` returns them
    of : a recorded round metric
    baseline : the strategy whose last value counts as that of the full budget
    share, slack : one of them; ``share`` in (0, 1], ``slack`` >= 0
    missing : policy for gaps
        "worst" takes a run that did not complete as one that never reaches its target; all others leave it out.

    Returns
    -------
    DataFrame
        One row per run that has a target: names, ``target``, ``reached``, ``labels`` (start set included; where the
        target was not reached, the last label count, beyond which the number lies); ``left_out``, how many other runs
        of its strategy there have a target and did not complete.

    Raises
    ------
    InputError
        If not one of share and slack is given, or one out of range; the metric was not recorded; the baseline is
        none of the strategies.
    """
    check_missing(missing)
    _check_target(share, slack)
    import pandas as pd

    runs = records.drop_duplicates("run")[["run", *NAMES, "status"]]
    check_baseline([str(name) for name in dict.fromkeys(runs["strategy"])], baseline)
    found = curves(records, of)
    key = [*PROBLEM, "seed"]
    final = {
        tuple(names): float(found[run].values[-1])
        for run, status, *names in runs[runs["strategy"] == baseline][["run", "status", *key]].itertuples(index=False)
        if status == "completed" and run in found
    }
    rows = []
    left_out: dict[tuple[Any, ...], int] = {}
    for one in runs.to_dict("records"):
        target = _target(final.get(tuple(one[name] for name in key)), share, slack, greater_is_better)
        curve = found.get(one["run"])
        done = one["status"] == "completed"
        if target is None or (curve is None and done):
            continue
        if not done and missing != "worst":
            names = tuple(one[name] for name in (*PROBLEM, "strategy"))
            left_out[names] = left_out.get(names, 0) + 1
            continue
        reached, labels = _labels(curve, target, greater_is_better) if done and curve else (False, np.inf)
        rows.append({name: one[name] for name in ("run", *NAMES)} | _row(target, reached, labels))
    for row in rows:
        row["left_out"] = left_out.get(tuple(row[name] for name in (*PROBLEM, "strategy")), 0)
    return pd.DataFrame(rows, columns=["run", *NAMES, "target", "reached", "labels", "left_out"])


def _row(target: float, reached: bool, labels: float) -> dict[str, Any]:
    return {"target": target, "reached": reached, "labels": labels}


def _check_target(share: float | None, slack: float | None) -> None:
    if (share is None) == (slack is None):
        raise InputError("give share or slack: one says how near to the full budget's value the target is.")
    if share is not None and not 0 < share <= 1:
        raise InputError(f"share is {share}; give a share of the full budget's value, above 0 and up to 1.")
    if slack is not None and not slack >= 0:
        raise InputError(f"slack is {slack}; give how far below the full budget's value is near enough, 0 or more.")


def _target(final: float | None, share: float | None, slack: float | None, up: bool) -> float | None:
    if final is None or np.isnan(final):
        return None
    if share is not None:
        return final * share if up else final / share
    return final - float(slack or 0) if up else final + float(slack or 0)


def _labels(curve: Curve, target: float, up: bool) -> tuple[bool, float]:
    near = TOLERANCE * abs(target)
    there = np.flatnonzero(curve.values >= target - near if up else curve.values <= target + near)
    return (True, float(curve.labeled[there[0]])) if len(there) else (False, float(curve.labeled[-1]))


def kaplan_meier_median(labels: Sequence[float] | Floats, reached: Sequence[bool] | Any) -> float:
    """Return the fewest labels by which half of the runs get there, as Kaplan and Meier estimate it.

    Parameters
    ----------
    labels : (n,)
        Label counts; of a run that did not get there, the last one.
    reached : (n,) of bool

    Returns
    -------
    float
        inf if fewer than half get there within what was observed, NaN for no run.
    """
    from scipy.stats import CensoredData, ecdf

    labels, reached = np.asarray(labels, dtype=float), np.asarray(reached, dtype=bool)
    if not len(labels):
        return float("nan")
    if not reached.any():
        return float("inf")
    beyond = float(labels[np.isfinite(labels)].max()) + 1  # for runs of which nothing is known
    labels = np.where(np.isfinite(labels), labels, beyond)
    survival = ecdf(CensoredData(labels[reached], right=labels[~reached])).sf
    half = np.flatnonzero(survival.probabilities <= 0.5 + 1e-12)
    return float(survival.quantiles[half[0]]) if len(half) else float("inf")


def summarised(needed: pd.DataFrame) -> pd.DataFrame:
    """Return labels needed by data set, learner and strategy.

    Parameters
    ----------
    needed : as ``labels_needed`` returns them

    Returns
    -------
    DataFrame
        ``runs``, ``reached``, ``left_out`` (runs that did not complete); ``median`` (Kaplan and Meier, inf if fewer
        than half got there); ``mean`` and ``sd``, NaN unless every run got there: a mean over those that did would
        flatter whoever often fails.
    """
    import pandas as pd

    rows = []
    for names, part in needed.groupby([*PROBLEM, "strategy"], sort=False):
        rows.append(dict(zip([*PROBLEM, "strategy"], names, strict=True)) | _summary(part, part["labels"]))
    return pd.DataFrame(rows, columns=[*PROBLEM, "strategy", *SUMMARY])


SUMMARY = ("runs", "reached", "left_out", "median", "mean", "sd")


def _summary(part: pd.DataFrame, of: Any) -> dict[str, Any]:
    values, reached = of.to_numpy(dtype=float), part["reached"].to_numpy(dtype=bool)
    all_of_them = bool(len(values)) and bool(reached.all())
    return {
        "runs": len(values),
        "reached": int(reached.sum()),
        "left_out": int(part["left_out"].iloc[0]),
        "median": kaplan_meier_median(values, reached),
        "mean": float(values.mean()) if all_of_them else float("nan"),
        "sd": float(values.std(ddof=1)) if all_of_them and len(values) > 1 else float("nan"),
    }


def utilisation(needed: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return data-utilisation rates: labels that a strategy needs, as a share of those that the baseline needs.

    After Culver, Kun and Scott: Active learning to maximize area under the ROC curve (2006). Below 1 saves labels.

    Parameters
    ----------
    needed : as ``labels_needed`` returns them
    baseline : a strategy

    Returns
    -------
    DataFrame
        One row per data set, learner and other strategy, over the seeds on which the baseline reached its target:
        ``runs``, ``reached``, ``left_out``; ``median`` of the seeds' rates (censored as in ``summarised``); ``mean``
        and ``sd`` of them and ``ratio_of_means``, NaN unless the strategy got there on all of these seeds.
    """
    import pandas as pd

    key = [*PROBLEM, "seed"]
    base = needed[(needed["strategy"] == baseline) & needed["reached"]][[*key, "labels"]]
    joined = needed[needed["strategy"] != baseline].merge(base, on=key, suffixes=("", "_baseline"))
    rows = []
    for names, part in joined.groupby([*PROBLEM, "strategy"], sort=False):
        reached = part["reached"].to_numpy(dtype=bool)
        rates = part["labels"] / part["labels_baseline"]
        ratio = float(part["labels"].mean() / part["labels_baseline"].mean()) if reached.all() else float("nan")
        found = _summary(part, rates) | {"ratio_of_means": ratio}
        rows.append(dict(zip([*PROBLEM, "strategy"], names, strict=True)) | found)
    return pd.DataFrame(rows, columns=[*PROBLEM, "strategy", *SUMMARY, "ratio_of_means"])
