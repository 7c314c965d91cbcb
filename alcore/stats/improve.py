"""Improvement over a baseline: paired differences, their tests, and wins, ties and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from alcore.errors import InputError, did_you_mean
from alcore.stats.blocks import PROBLEM, Blocks
from alcore.stats.equal import differences, settled
from alcore.stats.ranks import check_alpha
from alcore.stats.significance import Tested, holm_known, t_test, wilcoxon_test
from alcore.types import TOLERANCE, Floats

if TYPE_CHECKING:
    import pandas as pd

PairedTest: TypeAlias = Literal["t", "wilcoxon"]
VERDICTS = ("win", "tie", "loss", "untested")


def improvement(blocks: Blocks, baseline: str, *, alpha: float = 0.05, test: PairedTest = "t") -> pd.DataFrame:
    """Compare every strategy with a baseline on each problem, seed by seed.

    Of many comparisons some come out below any level by chance. The verdicts rest on p-values that are adjusted by
    Holm's method for all comparisons that are returned, so that where no strategy differs from the baseline, a win or a
    loss is among them with a probability of ``alpha`` at most.

    Parameters
    ----------
    blocks : scores by seed
    baseline : a strategy
    alpha : level of ``verdict``
    test : what decides ``verdict``, and what ``p_holm`` is of; both tests are reported

    Returns
    -------
    DataFrame
        One row per data set, learner and other strategy: ``pairs``; ``mean``, ``sd`` of the differences, positive
        where the strategy is the better one, whatever the direction of the score; ``low``, ``high`` of the 95 % t
        interval, not adjusted; ``p_t`` and ``p_wilcoxon`` (two-sided, not adjusted) and ``p_holm``, the deciding one's
        adjusted; ``verdict``: win, tie or loss, "untested" where a test has nothing to say, and ``reason``, why not.
        All pairs equal is a tie. A target that was not reached (an infinite score) leaves no mean.

    Raises
    ------
    InputError
        If the baseline is not among the strategies, alpha is no level or the test is unknown.
    """
    check_alpha(alpha)
    check_baseline(blocks.strategies, baseline)
    if test not in ("t", "wilcoxon"):
        raise InputError(f'test is {test!r}; use "t" or "wilcoxon".')
    import pandas as pd

    sign = 1.0 if blocks.greater_is_better else -1.0
    rows: list[dict[str, Any]] = []
    for problem, part in blocks.values.groupby(level=list(PROBLEM), sort=False):
        for strategy in blocks.strategies:
            if strategy == baseline or part[strategy].isna().all():
                continue
            both = part[[strategy, baseline]].dropna().to_numpy(dtype=float)
            names = dict(zip(PROBLEM, problem, strict=True)) | {"strategy": strategy}
            rows.append(names | _compared(sign * differences(both[:, 0], both[:, 1]), np.abs(both), test))
    _judge(rows, alpha)
    columns = [
        *PROBLEM, "strategy", "pairs", "mean", "sd", "low", "high", "p_t", "p_wilcoxon", "p_holm", "verdict", "reason",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def check_baseline(strategies: list[str], baseline: str) -> None:
    """Raise InputError if the baseline is none of the strategies."""
    if baseline not in strategies:
        raise InputError(
            f"the baseline {baseline!r} is none of the strategies {', '.join(strategies)}."
            f"{did_you_mean(baseline, strategies)}"
        )


def _compared(difference: Floats, sizes: Floats, test: PairedTest) -> dict[str, Any]:
    """Return the numbers of one comparison, ``sizes`` being what its differences are of; ``p`` is what decides."""
    from scipy.stats import t as student

    n = len(difference)
    tests = {"t": t_test(difference), "wilcoxon": wilcoxon_test(difference)}
    mean, sd = _mean(difference), float("nan")
    if n and np.isfinite(mean) and abs(mean) <= TOLERANCE * sizes.max():
        mean = 0.0  # differences that cancel but for rounding
    if n > 1 and np.isfinite(difference).all():
        sd = float(difference.std(ddof=1))
    half = float(student.ppf(0.975, n - 1)) * sd / n**0.5 if n > 1 else float("nan")
    decides: Tested = tests[test]
    equal = bool(n) and not difference.any()
    return {
        "pairs": n, "mean": mean, "sd": sd, "low": mean - half, "high": mean + half,
        "p_t": tests["t"].p, "p_wilcoxon": tests["wilcoxon"].p, "p": decides.p, "reason": decides.reason,
        "verdict": "tie" if equal else "untested", "better": float(np.sign(difference).sum()),
    }  # fmt: skip


def _mean(values: Floats) -> float:
    """Return the mean; infinite where one side has targets that were not reached, NaN where both have or for none."""
    with np.errstate(invalid="ignore"):
        return float(values.mean()) if len(values) else float("nan")


def _judge(rows: list[dict[str, Any]], alpha: float) -> None:
    """Give the rows that were tested their adjusted p-value and their verdict."""
    for row, p in zip(rows, holm_known([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
        if p is not None:
            side = row["better"] if np.isnan(row["mean"]) else row["mean"]
            row["verdict"] = ("win" if side > 0 else "loss") if p < alpha else "tie"


def overall(found: pd.DataFrame) -> pd.DataFrame:
    """Return one row per learner and strategy: win, tie and loss counts, and the mean over data sets with a test.

    The test is Wilcoxon's over the data sets' mean differences: it asks whether the strategy is better on data sets in
    general, which no test within one of them can. Learners are kept apart: two on one data set are not two data sets.
    ``p_holm`` is ``p_wilcoxon`` adjusted for all rows, the comparisons with one baseline.

    Parameters
    ----------
    found : as ``improvement`` returns it
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for (learner, strategy), part in found.groupby(["learner", "strategy"], sort=False):
        means = part["mean"].dropna().to_numpy(dtype=float)
        means = np.sign(means) * settled(np.abs(means))
        tested = wilcoxon_test(means)
        counts = {verdict: int((part["verdict"] == verdict).sum()) for verdict in VERDICTS}
        mean = _mean(means)
        rows.append(
            {"learner": learner, "strategy": strategy}
            | counts
            | {"datasets": len(means), "mean": mean, "p_wilcoxon": tested.p, "reason": tested.reason}
        )
    for row, p in zip(rows, holm_known([row["p_wilcoxon"] for row in rows]), strict=True):
        row["p_holm"] = p
    columns = ["learner", "strategy", *VERDICTS, "datasets", "mean", "p_wilcoxon", "p_holm", "reason"]
    return pd.DataFrame(rows, columns=columns)


def extremes(blocks: Blocks) -> pd.DataFrame:
    """Return one row per problem: the best and the worst strategy, with mean and standard deviation over its blocks.

    Strategies whose means are equal but for rounding share the place: "margin = info-div". One that lacks blocks which
    others have, as the policy "available" allows, has no place: the mean of its luckiest seed is no mean of theirs.

    Parameters
    ----------
    blocks : scores by seed
    """
    import pandas as pd

    rows = []
    for problem, part in blocks.values.groupby(level=list(PROBLEM), sort=False):
        counts = part.notna().sum()
        whole = part.loc[:, counts == counts.max()]
        means = whole.mean()
        mean, sd = pd.Series(settled(means), means.index), whole.loc[:, np.isfinite(means)].std(ddof=1)
        row: dict[str, Any] = dict(zip(PROBLEM, problem, strict=True)) | {"blocks": len(part)}
        for word, up in (("best", blocks.greater_is_better), ("worst", not blocks.greater_is_better)):
            value = mean.max() if up else mean.min()
            names = [str(name) for name in mean.index[mean == value]]
            row |= {word: " = ".join(names), f"{word}_mean": float(value)}
            row |= {f"{word}_sd": float(sd.get(names[0], np.nan)) if names else float("nan")}
        rows.append(row)
    columns = ["dataset", "learner", "blocks", "best", "best_mean", "best_sd", "worst", "worst_mean", "worst_sd"]
    return pd.DataFrame(rows, columns=columns)
