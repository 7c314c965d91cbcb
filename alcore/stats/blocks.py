"""Scores of strategies side by side: a row per block (a seed, or a data set), and what a gap in it means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from alcore.errors import InputError
from alcore.stats.equal import settled

if TYPE_CHECKING:
    import pandas as pd

Missing: TypeAlias = Literal["complete", "available", "drop", "worst"]
POLICIES: tuple[Missing, ...] = get_args(Missing)
PROBLEM = ("dataset", "learner")
"""What makes a problem: strategies are compared on one data set, with one learner."""


@dataclass(frozen=True)
class Blocks:
    """Scores of strategies in blocks.

    Parameters
    ----------
    values : DataFrame
        Index: the blocks; columns: the strategies, in order of appearance; NaN where there is no score, infinity
        where a target was not reached.
    failed : DataFrame of bool
        Where the value stands for a run that failed, and ranks last.
    notes : what was left out, in words
    greater_is_better : direction of the scores
    """

    values: pd.DataFrame
    failed: pd.DataFrame
    notes: tuple[str, ...] = ()
    greater_is_better: bool = True

    @property
    def strategies(self) -> list[str]:
        """The strategies that are compared."""
        return [str(name) for name in self.values.columns]

    @property
    def complete(self) -> pd.DataFrame:
        """The blocks in which every strategy has a value."""
        return self.values.dropna()

    def ranks(self) -> pd.DataFrame:
        """Return the rank of each strategy in its block, 1 the best; ties share the mean of their ranks.

        Scores that are equal but for rounding tie (``alcore.stats.equal``).
        """
        import pandas as pd

        last = -np.inf if self.greater_is_better else np.inf
        values = pd.DataFrame(settled(self.values), self.values.index, self.values.columns).mask(self.failed, last)
        ranks: pd.DataFrame = values.rank(axis=1, ascending=not self.greater_is_better)
        return ranks

    def lacking(self) -> dict[str, list[tuple[str, ...]]]:
        """Return, by strategy, the problems on which it has no score though it has one elsewhere, and others there."""
        there = self.values.notna().groupby(level=list(PROBLEM), sort=False).any()
        there = there[there.any(axis=1)]
        gone = {str(name): [tuple(map(str, key)) for key in there.index[~there[name]]] for name in there.columns}
        return {name: keys for name, keys in gone.items() if 0 < len(keys) < len(there)}


def check_missing(missing: str) -> None:
    """Raise InputError if this is no policy for gaps."""
    if missing not in POLICIES:
        raise InputError(f"missing is {missing!r}; use {', '.join(POLICIES)}.")


def seed_blocks(scored: pd.DataFrame, missing: Missing = "complete", *, greater_is_better: bool = True) -> Blocks:
    """Return the scores by data set, learner and seed.

    Parameters
    ----------
    scored : as ``scores`` returns them, one row per run
    missing : what is done about a strategy without a score where others have one
        *complete*: the block is left out, for all. *available*: each strategy keeps what it has. *drop*: the strategy
        is left out on that data set with that learner. *worst*: a run that failed, was stopped by a limit or was
        skipped counts as the worst score of its block, and ranks last; a run that was never planned stays a gap, and
        its block is left out.

        A strategy that has no score at all on a data set with a learner is a gap there, whatever the policy (but
        "worst"), and does not cost the others their seeds.

    Raises
    ------
    InputError
        If the policy is unknown, or the store holds several runs of the same names.
    """
    check_missing(missing)
    _check_unique(scored)
    import pandas as pd

    wide = _wide(scored, "score", [*PROBLEM, "seed"])
    ended = scored.assign(ended=(scored["status"] != "completed").astype(float))
    failed = _wide(ended, "ended", [*PROBLEM, "seed"]).eq(1.0) & wide.isna()
    if missing == "worst":
        worst = wide.min(axis=1) if greater_is_better else wide.max(axis=1)
        wide = wide.mask(failed, worst, axis=0)
    else:
        failed &= False
    parts, notes = [], []
    for problem, part in wide.groupby(level=list(PROBLEM), sort=False):
        kept, told = _settled(part, missing)
        parts.append(kept)
        notes += [f"{' / '.join(map(str, problem))}: {text}" for text in told]
    values = pd.concat(parts)
    return Blocks(values, failed.loc[values.index], tuple(notes), greater_is_better)


def _settled(part: pd.DataFrame, missing: Missing) -> tuple[pd.DataFrame, list[str]]:
    """Return one problem's blocks with its gaps dealt with, and what was left out."""
    there = part.notna()
    some = there.columns[there.any()]
    gaps = there[some].sum() < there[some].any(axis=1).sum()
    if missing == "drop" and gaps.any():
        lacking = [str(name) for name in some[gaps]]
        return part.assign(**dict.fromkeys(lacking, np.nan)), [f"{', '.join(lacking)} left out: a seed has no score"]
    if missing in ("complete", "worst"):
        whole = there[some].all(axis=1)
        if not whole.all():
            of = f"{int((~whole).sum())} of {len(part)} seeds left out: not every strategy has a score there"
            return part[whole], [of]
    return part, []


def problem_blocks(by_seed: Blocks, missing: Missing = "complete") -> Blocks:
    """Return the mean scores by data set and learner, from those by seed, with the same policy for gaps.

    Under "worst", a strategy whose every run failed on a problem ranks last there. Under "drop", a strategy that has
    a gap on any problem is left out altogether.
    """
    check_missing(missing)
    level = list(PROBLEM)
    values = by_seed.values.groupby(level=level, sort=False).mean()
    failed = by_seed.failed.groupby(level=level, sort=False).all()
    notes = list(by_seed.notes)
    empty = [str(name) for name in values.columns[values.isna().all()]]
    if empty:
        notes.append(f"{', '.join(empty)} left out: no score anywhere")
        values = values.drop(columns=empty)
    gaps = values.isna()
    if missing == "drop" and gaps.any().any():
        lacking = [str(name) for name in values.columns[gaps.any()]]
        notes.append(f"{', '.join(lacking)} left out: no score on some data set")
        values = values.drop(columns=lacking)
    elif missing in ("complete", "worst") and gaps.any().any():
        lacking = [" / ".join(map(str, key)) for key in values.index[gaps.any(axis=1)]]
        notes.append(f"{', '.join(lacking)} left out: not every strategy has a score there")
        values = values.dropna()
    return Blocks(values, failed.reindex(values.index)[values.columns], tuple(notes), by_seed.greater_is_better)


FEW = 5
"""Seeds below which a test or an interval says little."""


def few_seeds(by_seed: Blocks) -> list[str]:
    """Return a line about problems with fewer than five seeds; none where there are enough everywhere."""
    counts = by_seed.values.groupby(level=list(PROBLEM), sort=False).size()
    few = counts[counts < FEW]
    if not len(few):
        return []
    low, high = int(few.min()), int(few.max())
    seeds = f"{low} seed{'s' if low > 1 else ''}" if low == high else f"{low} to {high} seeds"
    where = "" if len(few) == len(counts) else f" on {', '.join(' / '.join(map(str, key)) for key in few.index)}"
    return [f"{seeds} only{where}: with fewer than {FEW}, what a test or an interval says rests on its assumptions"]


def by_learner(blocks: Blocks) -> dict[str, Blocks]:
    """Return the blocks of each learner: two learners on one data set are not two data sets, where tests count them."""
    found: dict[str, Blocks] = {}
    for learner, values in blocks.values.groupby(level="learner", sort=False):
        notes = () if found else blocks.notes
        found[str(learner)] = replace(blocks, values=values, failed=blocks.failed.loc[values.index], notes=notes)
    return found


def _wide(scored: pd.DataFrame, what: str, by: list[str]) -> pd.DataFrame:
    """Return one column of the runs by block and strategy, both in order of appearance."""
    means = scored.groupby([*by, "strategy"], sort=False)[what].mean()
    wide = means.unstack("strategy")
    order = list(dict.fromkeys(key[:-1] for key in means.index))
    return wide.reindex(index=order, columns=list(dict.fromkeys(scored["strategy"])))


def _check_unique(scored: pd.DataFrame) -> None:
    names = [*PROBLEM, "strategy", "seed"]
    twice = scored[scored.duplicated(names)]
    if len(twice):
        one = twice.iloc[0]
        raise InputError(
            f"the store has several runs of {one['strategy']} with {one['learner']} on {one['dataset']}, seed "
            f"{one['seed']}: another budget, batch, metric or version, perhaps. They cannot be compared as one; keep "
            "experiments with other protocols in stores of their own: alcore run EXPERIMENT.toml --store DIR."
        )
