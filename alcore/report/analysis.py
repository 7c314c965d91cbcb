"""What ``alcore table --show`` shows: an analysis of a store as tables of text, and as JSON values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from alcore import stats
from alcore.errors import InputError
from alcore.report import tables
from alcore.report.asked import Asked, Sheet, Shown, clean, cleaned, got_there, p_value, wide
from alcore.report.rankings import ranks

if TYPE_CHECKING:
    import pandas as pd


def best(asked: Asked) -> Shown:
    """Show the best and the worst strategy of each problem."""
    found = stats.extremes(asked.by_seed)
    header = [*asked.names, "seeds", "best", "mean", "sd", "worst", "mean", "sd"]
    lines = [
        [
            *(str(row[name]) for name in asked.names), str(row["blocks"]),
            str(row["best"]), asked.number(row["best_mean"]), asked.number(row["best_sd"]),
            str(row["worst"]), asked.number(row["worst_mean"]), asked.number(row["worst_sd"]),
        ]
        for row in found.to_dict("records")
    ]  # fmt: skip
    sheet = Sheet(f"Best and worst mean {asked.question.title}", [header, *lines], len(asked.names))
    return Shown([sheet], asked.by_seed.notes, {"rows": cleaned(found)})


def value_at(asked: Asked) -> Shown:
    """Show the mean value with a share of the pool labelled."""
    share = 0.2 if asked.share is None else asked.share
    pools = stats.pool_sizes(asked.records)
    if set(asked.records["dataset"]) - set(pools):
        pools = dict(asked.facts.pools) | pools
    scored = stats.value_at(asked.records, asked.question.of, share, pools)
    cells = stats.table(scored, asked.names, ["strategy"])
    title = f"Mean {asked.question.of} with {100 * share:g} % of the pool labelled"
    sheet = Sheet(title, tables.lines(cells, asked.names, digits=asked.digits), len(asked.names))
    data = {"share": share, "pools": pools, "rows": tables.to_json(cells, asked.names, ["strategy"])}
    return Shown([sheet], tables.notes(cells), data)


def labels_to(asked: Asked) -> Shown:
    """Show the median number of labels that it takes to get near the full budget's value."""
    share = 0.99 if asked.share is None and asked.slack is None else asked.share
    found = stats.summarised(_needed(asked, share, asked.slack))
    near = f"{100 * share:g} % of" if share is not None else f"within {asked.slack:g} of"
    title = f"Median number of labelled rows at which {asked.question.of} is {near} {asked.baseline}'s last value"
    lines = wide(asked, found, lambda row: _count(row["median"]) + _star(row))
    notes = _unreached(asked, found)
    data = {"share": share, "slack": asked.slack, "rows": cleaned(found)}
    return Shown([Sheet(title, lines, len(asked.names))], notes, data)


def utilisation(asked: Asked) -> Shown:
    """Show labels needed as a share of those that the baseline needs."""
    slack = 0.01 if asked.share is None and asked.slack is None else asked.slack
    needed = _needed(asked, asked.share, slack)
    found = stats.utilisation(needed, asked.baseline)
    title = f"Median data-utilisation rate: labels needed, as a share of those that {asked.baseline} needs"
    lines = wide(asked, found, lambda row: asked.number(row["median"]) + _star(row))
    base = needed[needed["strategy"] == asked.baseline]
    notes = _unreached(asked, found)
    if len(base) and not base["reached"].all():
        notes.append(f"{asked.baseline} itself got there in {int(base['reached'].sum())} of {len(base)} runs")
    data = {"share": asked.share, "slack": slack, "rows": cleaned(found)}
    return Shown([Sheet(title, lines, len(asked.names))], notes, data)


def _needed(asked: Asked, share: float | None, slack: float | None) -> pd.DataFrame:
    return stats.labels_needed(
        asked.records, asked.question.of, baseline=asked.baseline, share=share, slack=slack, missing=asked.missing,
        greater_is_better=asked.up,
    )  # fmt: skip


def _count(labels: float) -> str:
    return "beyond" if math.isinf(labels) else f"{labels:g}"


def _star(row: Mapping[Any, Any]) -> str:
    return "" if row["reached"] == row["runs"] and not row["left_out"] else "*"


def _unreached(asked: Asked, found: pd.DataFrame) -> list[str]:
    return [
        f"* {' / '.join([*(str(row[name]) for name in asked.names), str(row['strategy'])])}: {got_there(row)}"
        for row in found.to_dict("records")
        if _star(row)
    ]


BEYOND = "beyond: a run did not reach its target, so that there is no mean; +beyond where it is one of the baseline"
MARKS: Mapping[str, str] = {"win": " +", "loss": " -", "tie": "", "untested": " ?"}


def improvement(asked: Asked) -> Shown:
    """Show improvement over the baseline with wins and losses, and over all problems."""
    found = stats.improvement(asked.by_seed, asked.baseline, alpha=asked.alpha, test=asked.test)
    total = stats.overall(found)
    lines = wide(asked, found, lambda row: asked.number(row["mean"], signed=True) + MARKS[str(row["verdict"])])
    names = [*asked.names[1:], "strategy"]
    header = [*names, *stats.VERDICTS, "mean", "p (Wilcoxon)", "p (Holm)"]
    overall = [
        [
            *(str(row[name]) for name in (*names, *stats.VERDICTS)), asked.number(row["mean"], signed=True),
            p_value(row["p_wilcoxon"]) or f"- ({row['reason']})", p_value(row["p_holm"]) or "-",
        ]
        for row in total.to_dict("records")
    ]  # fmt: skip
    test = {"t": "paired t test", "wilcoxon": "Wilcoxon signed ranks"}[asked.test]
    title = f"Improvement of {asked.question.title} over {asked.baseline} (positive is better)"
    sheets = [Sheet(title, lines, len(asked.names)), Sheet("Over data sets", [header, *overall], len(names))]
    told = (
        f"+ win, - loss, ? untested: {test} over seeds, two-sided, at {asked.alpha:g}, adjusted by Holm's method for "
        "all comparisons with the baseline in this table"
    )
    reasons = [
        f"? {row['dataset']} / {row['strategy']}: {row['reason']}"
        for row in found.to_dict("records")
        if row["verdict"] == "untested"
    ]
    if found["mean"].abs().eq(math.inf).any():
        reasons.append(BEYOND)
    data = {"test": asked.test, "alpha": asked.alpha, "rows": cleaned(found), "overall": cleaned(total)}
    return Shown(sheets, [told, *reasons, *stats.few_seeds(asked.by_seed), *asked.by_seed.notes], data)


def views(asked: Asked) -> Shown:
    """Show how far strategies are behind the best, by views of data sets."""
    blocks = stats.problem_blocks(asked.by_seed, asked.missing)
    found = stats.view_scores(blocks, _properties(asked))
    lines = [[str(name), *(asked.number(value) for value in row)] for name, row in found.iterrows()]
    counts = found.attrs["counts"]
    sheet = Sheet(f"Distance from the best mean {asked.question.title}, by views", [["strategy", *found], *lines])
    told = ", ".join(f"{view} {count}" for view, count in counts.items())
    notes = [
        "LD, HD: d below 50 or not. SS, LS: n below 1000 or not. BAL, IMB: largest class below 1.5 smallest ones",
        f"averaged over: {told}",
        *blocks.notes,
    ]
    rows = [{"strategy": str(name)} | clean(row.to_dict()) for name, row in found.iterrows()]
    return Shown([sheet], notes, {"counts": counts, "rows": rows})


def _properties(asked: Asked) -> Mapping[str, stats.Properties]:
    """Return the properties of all data sets, or raise with the reason for one that has none."""
    known = asked.facts
    if known.unknown:
        told = "; ".join(f"{dataset}: {reason}" for dataset, reason in known.unknown.items())
        raise InputError(f"the properties of some data sets are not known ({told}). Give them: --properties FILE.csv.")
    return known.properties


def pairs(asked: Asked) -> Shown:
    """Show mean scores by query learner and task learner."""
    found = stats.learner_map(asked.scored)
    tasks = [str(name) for name in dict.fromkeys(found["task_learner"])]
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    place = {str(name): i for i, name in enumerate(dict.fromkeys(asked.records["strategy"]))}
    for row in found.sort_values("strategy", key=lambda names: names.map(place), kind="stable").to_dict("records"):
        star = "" if row["n"] == row["total"] else "*"
        key = (str(row["dataset"]), str(row["strategy"]), str(row["query_learner"]))
        rows.setdefault(key, {})[str(row["task_learner"])] = asked.number(row["mean"]) + star
    order = {str(name): i for i, name in enumerate(dict.fromkeys(asked.records["dataset"]))}
    by_dataset = sorted(rows.items(), key=lambda item: order[item[0][0]])
    lines = [[*key, *(cells.get(task, "-") for task in tasks)] for key, cells in by_dataset]
    header = ["dataset", "strategy", "query learner", *tasks]
    title = f"Mean {asked.question.title}, by query learner (down) and task learner (across)"
    notes = ["* over fewer runs than there are"] if (found["n"] < found["total"]).any() else []
    return Shown([Sheet(title, [header, *lines], 3)], notes, {"rows": cleaned(found)})


def properties(asked: Asked) -> Shown:
    """Show improvement against properties of the data sets."""
    found = stats.improvement(asked.by_seed, asked.baseline, alpha=asked.alpha, test=asked.test)
    points = stats.against_properties(found, _properties(asked))
    rho = stats.correlations(points)
    names = [*asked.names, "strategy"]
    lines = [
        [*(str(row[name]) for name in names), str(row["n"]), str(row["d"]), f"{row['imbalance']:.2f}",
         asked.number(row["mean"], signed=True)]
        for row in points.to_dict("records")
    ]  # fmt: skip
    told = [
        [*(str(row[name]) for name in (*names[1:], "property", "datasets")), asked.number(row["rho"], signed=True),
         p_value(row["p"]) or f"- ({row['reason']})", p_value(row["p_holm"]) or "-"]
        for row in rho.to_dict("records")
    ]  # fmt: skip
    title = f"Improvement of {asked.question.title} over {asked.baseline}, and what its data set is"
    sheets = [
        Sheet(title, [[*names, "n", "d", "imbalance", "improvement"], *lines], len(names)),
        Sheet(
            "Spearman's correlation", [[*names[1:], "property", "data sets", "rho", "p", "p (Holm)"], *told], len(names)
        ),
    ]
    return Shown(sheets, asked.by_seed.notes, {"rows": cleaned(points), "correlations": cleaned(rho)})


def times(asked: Asked) -> Shown:
    """Show seconds per round."""
    found = stats.round_times(asked.records)
    clocks = [clock.removesuffix("_time") for clock in stats.CLOCKS]
    names = [*asked.names, "strategy"]
    lines = [
        [*(str(row[name]) for name in names),
         *(asked.number(row[key]) for key in (*stats.CLOCKS, "round")), str(row["rounds"]), asked.number(row["run"])]
        for row in found.to_dict("records")
    ]  # fmt: skip
    sheet = Sheet("Mean seconds per round", [[*names, *clocks, "round", "rounds", "whole run"], *lines], len(names))
    return Shown([sheet], (), {"rows": cleaned(found)})


SHOWS: Mapping[str, Callable[[Asked], Shown]] = {
    "best": best,
    "value-at": value_at,
    "labels-to": labels_to,
    "utilisation": utilisation,
    "improvement": improvement,
    "ranks": ranks,
    "views": views,
    "pairs": pairs,
    "properties": properties,
    "times": times,
}
"""All analyses, by name."""
