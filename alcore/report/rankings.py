"""Average ranks of strategies, and what their tests say in words."""

from __future__ import annotations

from typing import Any

from alcore import stats
from alcore.report.asked import Asked, Sheet, Shown, clean, p_value, wide
from alcore.stats import Blocks, Missing


def ranks(asked: Asked) -> Shown:
    """Show average ranks over data sets with their tests, and those over the seeds of each data set."""
    overall = overall_rankings(asked.by_seed, asked.missing, asked.alpha)
    each = problem_rankings(asked.by_seed, asked.alpha)
    several = len(overall) > 1
    sheets, notes = [], []
    for learner, one in overall.items():
        places = [
            [place.strategy, asked.number(place.rank), asked.number(place.sd), str(place.first), str(place.n)]
            for place in one.places
        ]
        told = f", {learner}" if several else ""
        title = f"Average ranks of mean {asked.question.title} over data sets{told}"
        sheets.append(Sheet(title, [["strategy", "rank", "sd", "first", "data sets"], *places]))
        head = f"{learner}: " if several else ""
        lost = lacking_note(stats.by_learner(asked.by_seed)[learner], one)
        notes += [head + note for note in (*ranking_notes(one), *one.notes, *([lost] if lost else []))]
    rows = [
        dict(zip(stats.PROBLEM, problem, strict=True)) | {"strategy": place.strategy, "rank": place.rank}
        for problem, one in each.items()
        for place in one.places
    ]
    import pandas as pd

    frame = pd.DataFrame(rows, columns=[*stats.PROBLEM, "strategy", "rank"])
    by_seed = wide(asked, frame, lambda row: asked.number(row["rank"]))
    sheets.append(Sheet("Average ranks over seeds", by_seed, len(asked.names)))
    data = {
        "overall": [{"learner": learner} | ranking_json(one) for learner, one in overall.items()],
        "rows": [dict(zip(stats.PROBLEM, problem, strict=True)) | ranking_json(one) for problem, one in each.items()],
    }
    return Shown(sheets, notes, data)


def overall_rankings(by_seed: Blocks, missing: Missing, alpha: float) -> dict[str, stats.Ranking]:
    """Return the ranking over data sets of each learner."""
    return {
        learner: stats.ranking(stats.problem_blocks(blocks, missing), alpha)
        for learner, blocks in stats.by_learner(by_seed).items()
    }


def problem_rankings(by_seed: Blocks, alpha: float) -> dict[tuple[str, ...], stats.Ranking]:
    """Return the ranking over seeds of each problem; strategies without a score there have no place."""
    found = {}
    for problem, part in by_seed.values.groupby(level=list(stats.PROBLEM), sort=False):
        there = part.loc[:, part.notna().any()]
        failed = by_seed.failed.loc[part.index, there.columns]
        found[tuple(map(str, problem))] = stats.ranking(Blocks(there, failed, (), by_seed.greater_is_better), alpha)
    return found


def lacking_note(by_seed: Blocks, found: stats.Ranking) -> str:
    """Return which strategies cost a ranking some of its data sets, and how to do without them; empty if none does.

    Parameters
    ----------
    by_seed : the scores of one learner
    found : their ranking over data sets
    """
    problems = by_seed.values.groupby(level=list(stats.PROBLEM), sort=False).size().index
    lacking = by_seed.lacking()
    if not lacking or found.blocks == len(problems):
        return ""
    told = "; ".join(f"{name} has no score on {', '.join(key[0] for key in keys)}" for name, keys in lacking.items())
    return (
        f"ranks are over {found.blocks} of {len(problems)} data sets, since {told}: --missing drop ranks the others on "
        "all that they have"
    )


def ranking_notes(found: stats.Ranking) -> list[str]:
    """Return what the tests of a ranking say, in words."""
    notes = []
    for name, test in (("Friedman", found.friedman), ("Iman-Davenport", found.iman_davenport)):
        if test.p is None:
            notes.append(f"{name}: {test.reason}")
        else:
            notes.append(f"{name}: statistic {test.statistic:.4g}, p = {p_value(test.p)}, {found.blocks} blocks")
    for posthoc in found.posthoc:
        cd = "" if posthoc.critical_difference is None else f", critical difference {posthoc.critical_difference:.4g}"
        groups = "; ".join(" = ".join(group) for group in posthoc.groups)
        said = f"not shown to differ: {groups}" if groups else "all pairs are shown to differ"
        notes.append(f"{posthoc.name} at {found.alpha:g}{cd}: {said}")
    if found.reason and found.reason != found.friedman.reason:
        notes.append(f"pairs: {found.reason}")
    return notes


def ranking_json(found: stats.Ranking) -> dict[str, Any]:
    """Return a ranking as JSON values."""

    def tested(test: stats.Tested) -> dict[str, Any]:
        return {"statistic": test.statistic, "p": test.p, "reason": test.reason or None}

    return {
        "places": [clean(vars(place)) for place in found.places],
        "blocks": found.blocks,
        "alpha": found.alpha,
        "friedman": tested(found.friedman),
        "iman_davenport": tested(found.iman_davenport),
        "posthoc": [
            {
                "name": one.name,
                "critical_difference": one.critical_difference,
                "groups": [list(group) for group in one.groups],
                "pairs": [{"a": a, "b": b, "p": p} for (a, b), p in one.p.items()],
            }
            for one in found.posthoc
        ],
        "reason": found.reason or None,
    }
