"""Numbers out of a store: scores of runs, tables of them, and what can be said of strategies with them.

Plain functions on the frame of records (``Store.records``) and on the frame of scores that ``scores`` makes of it.
"""

from alcore.stats.blocks import (
    FEW,
    POLICIES,
    PROBLEM,
    Blocks,
    Missing,
    by_learner,
    few_seeds,
    problem_blocks,
    seed_blocks,
)
from alcore.stats.equal import differences, settled
from alcore.stats.improve import VERDICTS, PairedTest, extremes, improvement, overall
from alcore.stats.labels import kaplan_meier_median, labels_needed, pool_sizes, summarised, utilisation, value_at
from alcore.stats.overview import CLOCKS, incomplete, learner_map, round_times
from alcore.stats.ranks import Place, PostHoc, Ranking, critical_difference, ranking
from alcore.stats.scores import (
    EXHAUSTED,
    NAMES,
    NOT_METRICS,
    Cell,
    Question,
    band,
    curves,
    question,
    recorded,
    scores,
    table,
    words,
)
from alcore.stats.significance import Tested, friedman_test, holm, t_test, wilcoxon_test
from alcore.stats.views import VIEWS, Properties, against_properties, correlations, view_scores

__all__ = [
    # scores of runs
    "EXHAUSTED",
    "NAMES",
    "NOT_METRICS",
    "Cell",
    "Question",
    "band",
    "curves",
    "question",
    "recorded",
    "scores",
    "table",
    "words",
    # strategies side by side
    "POLICIES",
    "PROBLEM",
    "Blocks",
    "Missing",
    "seed_blocks",
    "problem_blocks",
    "by_learner",
    "FEW",
    "few_seeds",
    "extremes",
    # when two numbers are one
    "settled",
    "differences",
    # against a baseline
    "VERDICTS",
    "PairedTest",
    "improvement",
    "overall",
    # ranks
    "Place",
    "PostHoc",
    "Ranking",
    "ranking",
    "critical_difference",
    # labels
    "value_at",
    "pool_sizes",
    "labels_needed",
    "summarised",
    "kaplan_meier_median",
    "utilisation",
    # views
    "VIEWS",
    "Properties",
    "view_scores",
    "against_properties",
    "correlations",
    # the rest
    "CLOCKS",
    "learner_map",
    "round_times",
    "incomplete",
    # tests
    "Tested",
    "t_test",
    "wilcoxon_test",
    "friedman_test",
    "holm",
]
