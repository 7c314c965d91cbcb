"""What stands between alcore and ALiPy, as data: the docs make their tables of it."""

from __future__ import annotations

from typing import Any

LIBRARY = "ALiPy"
DISTRIBUTION: str | None = "alipy"
"""What it is called on PyPI, if it is there."""

SHIMS: dict[str, str] = {
    "collections.Iterable": "gone since Python 3.10",
    "numpy.NINF": "gone since NumPy 2.0",
}
"""Names that are lent to it, and why."""

FIXES: dict[str, str] = {
    "full y is handed over": "labels of labelled rows; a hidden row has the label of the first labelled one",
    "global random state is drawn from": "seeded by the run, and restored",
    "ties go to the first row of the file": "`view.top`, or an order drawn from the seed",
    "writes into the probabilities it is given": "a copy",
    "prints": "silence",
    "ECOS, gone from cvxpy": "OSQP or Clarabel",
    "0 log 0 is NaN": "0",
    "LAL downloads its training set": "one made locally, and kept",
    "binary codes read as {-1, +1}": "given as such, where it expects them",
}
"""What the library does, and what is there instead."""

CALLS: dict[str, str] = {
    "random": "`QueryInstanceRandom`",
    "least-confident": '`QueryInstanceUncertainty(measure="least_confident")`',
    "margin": '`QueryInstanceUncertainty(measure="margin")`',
    "entropy": '`QueryInstanceUncertainty(measure="entropy")`',
    "distance-to-boundary": '`QueryInstanceUncertainty(measure="distance_to_boundary")`',
    "qbc-vote": '`QueryInstanceQBC(disagreement="vote_entropy")`',
    "qbc-kl": '`QueryInstanceQBC(disagreement="KL_divergence")`',
    "eer": "`QueryExpectedErrorReduction`",
    "density-weighted": "`QueryInstanceDensityWeighted`",
    "core-set": "`QueryInstanceCoresetGreedy`",
    "graph-density": "`QueryInstanceGraphDensity`",
    "quire": "`QueryInstanceQUIRE`",
    "bmdr": "`QueryInstanceBMDR`",
    "spal": "`QueryInstanceSPAL`",
    "lal": "`QueryInstanceLAL`",
    "multilabel-random": '`QueryMultiLabelRandom(select_type="ins")`',
    "audi": "`QueryMultiLabelAUDI`",
    "multilabel-quire": "`QueryMultiLabelQUIRE`",
    "mmc": "`QueryMultiLabelMMC`",
    "adaptive": "`QueryMultiLabelAdaptive`",
}
"""What each strategy is in the library."""

NOTES: dict[str, str] = {
    "random": "seeded",
    "entropy": "takes 0 for 1e-6, as there; the learner's own array stays as it is",
    "distance-to-boundary": "two classes, decision values",
    "qbc-vote": "bagging is seeded, each member has a seed of its own, a sample may lack a class; `members`",
    "qbc-kl": "as `qbc-vote`; probabilities",
    "eer": "0 log 0 = 0 (there: NaN); a class without a label is not tried",
    "density-weighted": 'weights by mean *distance*, not similarity; with `measure="margin"` far rows lose, as there',
    "core-set": "starts from nothing labelled (any row); keeps its distances between rounds",
    "graph-density": (
        "at least 11 rows; the graph is built once per pool; densities follow from the labelled rows "
        "alone, of which the start set lowers none, as there; 0 / 0 is an error"
    ),
    "quire": (
        "two classes, coded -1 and +1; a batch is the n best (there: one row, whatever is asked); not"
        " the paper's inverses"
    ),
    "bmdr": ('two classes; `solver="osqp"` (default) or `"clarabel"`, as ECOS is gone; keeps sum(x) = batch'),
    "spal": "as `bmdr`; its pace never moves, as there",
    "lal": "two classes; makes its own training set",
    "multilabel-random": "seeded",
    "audi": (
        "the row of the pair; the label-ranking model is made anew in each round, seeded; needs features on one scale"
    ),
    "multilabel-quire": "the row of the best pair; labels go with their own positions",
    "mmc": ("the query learner in place of an SVM per label; a batch is the n best, and reads no hidden label"),
    "adaptive": (
        "the query learner in place of a logistic regression per label; a batch is asked for row by "
        "row, and reads no hidden label"
    ),
}
"""What differs, is fixed, declared or needed, strategy by strategy."""

CHECKED_WITH: dict[str, dict[str, Any]] = {
    "lal": {"tasks": 2, "candidates": 2, "largest": 5, "points": 30, "trees": 10, "regressor_trees": 20}
}
"""Parameters that the conformance suite is run with; they only save time."""

EXCUSES: dict[str, dict[str, str]] = {}
"""Rules of the suite that a strategy breaks on purpose, and why."""
