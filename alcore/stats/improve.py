"""Improvement over a baseline: paired differences, their tests, and wins, ties and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from alcore.errors import InputError, did_you_mean
from alcore.stats.blocks import PROBLEM, Blocks
from alcore.stats.ranks import check_alpha
from alcore.stats.significance import t_test, wilcoxon_test
from alcore.types import Floats

if TYPE_CHECKING:
    import pandas as pd

PairedTest: TypeAlias = Literal["t", "wilcoxon"]
VERDICTS = ("win", "tie", "loss", "untested")


def improvement(blocks: Blocks, baseline: str, *, alpha: float = 0.05, test: PairedTest = "t") -> pd.DataFrame:
    """Compare every strategy with a baseline on each problem, seed by seed.

    Parameters
    ----------
    blocks : scores by seed
    baseline : a strategy
    alpha : level of ``verdict``
    test : what decides ``verdict``; both tests are reported

    Returns
    -------
    DataFrame
        One row per data set, learner and other strategy: ``pairs``; ``mean``, ``sd`` of the differences, positive
        where the strategy is the better one, whatever the direction of the score; ``low``, ``high`` of the 95 % t
        interval; ``p_t`` and ``p_wilcoxon`` (two-sided, not adjusted); ``verdict``: win, tie or loss, "untested" where
        a test has nothing to say, and ``reason``, why not. All pairs equal is a tie.

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
            difference = sign * (part[strategy] - part[baseline]).dropna().to_numpy(dtype=float)
            names = dict(zip(PROBLEM, problem, strict=True)) | {"strategy": strategy}
            rows.append(names | _compared(np.round(difference, 12), alpha, test))
    columns = [*PROBLEM, "strategy", "pairs", "mean", "sd", "low", "high", "p_t", "p_wilcoxon", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def check_baseline(strategies: list[str], baseline: str) -> None:
    """Raise InputError if the baseline is none of the strategies."""
    if baseline not in strategies:
        raise InputError(
            f"the baseline {baseline!r} is none of the strategies {', '.join(strategies)}."
            f"{did_you_mean(baseline, strategies)}"
        )


def _compared(difference: Floats, alpha: float, test: PairedTest) -> dict[str, Any]:
    from scipy.stats import t as student

    n = len(difference)
    tests = {"t": t_test(difference), "wilcoxon": wilcoxon_test(difference)}
    mean = float(difference.mean()) if n else float("nan")
    sd = float(difference.std(ddof=1)) if n > 1 else float("nan")
    half = float(student.ppf(0.975, n - 1)) * sd / n**0.5 if n > 1 else float("nan")
    decides = tests[test]
    if decides.p is not None:
        verdict = ("win" if mean > 0 else "loss") if decides.p < alpha else "tie"
    else:
        verdict = "tie" if n and not difference.any() else "untested"
    return {
        "pairs": n, "mean": mean, "sd": sd, "low": mean - half, "high": mean + half,
        "p_t": tests["t"].p, "p_wilcoxon": tests["wilcoxon"].p, "verdict": verdict, "reason": decides.reason,
    }  # fmt: skip


def overall(found: pd.DataFrame) -> pd.DataFrame:
    """Return one row per learner and strategy: win, tie and loss counts, and the mean over data sets with a test.

    The test is Wilcoxon's over the data sets' mean differences: it asks whether the strategy is better on data sets in
    general, which no test within one of them can. Learners are kept apart: two on one data set are not two data sets.

    Parameters
    ----------
    found : as ``improvement`` returns it
    """
    import pandas as pd

    rows = []
    for (learner, strategy), part in found.groupby(["learner", "strategy"], sort=False):
        means = part["mean"].dropna().to_numpy(dtype=float)
        tested = wilcoxon_test(means)
        counts = {verdict: int((part["verdict"] == verdict).sum()) for verdict in VERDICTS}
        mean = float(means.mean()) if len(means) else float("nan")
        rows.append(
            {"learner": learner, "strategy": strategy}
            | counts
            | {"datasets": len(means), "mean": mean, "p_wilcoxon": tested.p, "reason": tested.reason}
        )
    columns = ["learner", "strategy", *VERDICTS, "datasets", "mean", "p_wilcoxon", "reason"]
    return pd.DataFrame(rows, columns=columns)


def extremes(blocks: Blocks) -> pd.DataFrame:
    """Return one row per problem: the best and the worst strategy, with mean and standard deviation over its blocks.

    Strategies whose means are equal share the place: "margin = info-div".

    Parameters
    ----------
    blocks : scores by seed
    """
    import pandas as pd

    rows = []
    for problem, part in blocks.values.groupby(level=list(PROBLEM), sort=False):
        mean, sd = part.mean().round(12), part.std(ddof=1)
        row: dict[str, Any] = dict(zip(PROBLEM, problem, strict=True)) | {"blocks": len(part)}
        for word, up in (("best", blocks.greater_is_better), ("worst", not blocks.greater_is_better)):
            value = mean.max() if up else mean.min()
            names = [str(name) for name in mean.index[mean == value]]
            row |= {word: " = ".join(names), f"{word}_mean": float(value)}
            row |= {f"{word}_sd": float(sd[names[0]]) if names else float("nan")}
        rows.append(row)
    columns = ["dataset", "learner", "blocks", "best", "best_mean", "best_sd", "worst", "worst_mean", "worst_sd"]
    return pd.DataFrame(rows, columns=columns)
