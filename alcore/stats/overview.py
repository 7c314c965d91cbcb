"""Maps of query and task learners, and what a round costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

CLOCKS = ("fit_time", "query_time", "update_time", "score_time")


def learner_map(scored: pd.DataFrame) -> pd.DataFrame:
    """Return mean scores by data set, strategy, query learner and task learner.

    Parameters
    ----------
    scored : as ``scores`` returns them

    Returns
    -------
    DataFrame
        Names, ``mean``, ``sd``, ``n`` scored runs of ``total``, and ``compatible``: both learners are the same.
    """
    import pandas as pd

    names = ["dataset", "strategy", "query_learner", "task_learner"]
    groups = scored.groupby(names, sort=False)["score"]
    found = pd.DataFrame(groups.agg(mean="mean", n="count", total="size"))
    finite = scored["score"].where(scored["score"].abs() < math.inf)
    sd = finite.groupby([scored[name] for name in names], sort=False).std()
    found = found.assign(sd=sd.where(found["mean"].abs() < math.inf)).reset_index()
    return found.assign(compatible=found["query_learner"] == found["task_learner"])


def round_times(records: pd.DataFrame) -> pd.DataFrame:
    """Return mean seconds per round by data set, learner and strategy, the start set left out.

    Runs that followed the rows of another one asked no strategy: they have no query time and are left out.

    Parameters
    ----------
    records : as ``Store.records`` returns them

    Returns
    -------
    DataFrame
        Names, the four clocks, their sum ``round``, ``rounds`` averaged over and ``run``, mean seconds of all rounds
        of a completed run.
    """
    names = ["dataset", "learner", "strategy"]
    rounds = records[(records["t"] > 0) & records["query_time"].notna()]
    rounds = rounds.assign(round=rounds[list(CLOCKS)].sum(axis=1))
    groups = rounds.groupby(names, sort=False)
    found = groups[[*CLOCKS, "round"]].mean().assign(rounds=groups.size())
    completed = rounds[rounds["status"] == "completed"]
    totals = completed.groupby([*names, "run"], sort=False)["round"].sum().groupby(level=names, sort=False).mean()
    return found.assign(run=totals.reindex(found.index)).reset_index()


def incomplete(records: pd.DataFrame) -> pd.DataFrame:
    """Return what did not complete: ``runs`` by data set, learner, strategy, status and reason."""
    runs = records.drop_duplicates("run")
    names = ["dataset", "learner", "strategy", "status", "reason"]
    ended = runs[runs["status"] != "completed"].groupby(names, sort=False)
    return ended.size().reset_index(name="runs")
