"""What stands between alcore and modAL, as data: the docs make their tables of it."""

from __future__ import annotations

from typing import Any

LIBRARY = "modAL"
DISTRIBUTION: str | None = "modAL-python"
"""What it is called on PyPI, if it is there."""

SHIMS: dict[str, str] = {
    "numpy.float": "gone since NumPy 1.24",
}
"""Names that are lent to it, and why."""

FIXES: dict[str, str] = {
    "ties go to the first row of the file": "`view.top`, or an order drawn from the seed",
    "an unfitted learner answers the first rows": "an error that names start set and `cold_start`",
    "a batch larger than the pool is an AssertionError": "what is left",
    "NaN is the largest number to `argmax`": "an error that names the strategy",
    "it compares the loss by `is`, and fails for a string that was pickled": "the string is interned",
    "error reduction looks rows of a DataFrame up by label, and fails on the last candidate": (
        "modAL gets row numbers; no row has no error"
    ),
    "bootstrap draws from global state, and can lose a class": "from `view.rng`, within each class",
    "members made of one seed are one model": "twins, each with a seed of its own",
    "`CommitteeRegressor` takes no sparse X": "modAL gets row numbers",
    "`random_tie_break` of `SVM_binary_minimum` asks the farthest row": "not used",
    "`max_loss` and `mean_max_loss` fail on modAL's own `ActiveLearner`": "they get a learner with `classes_`",
    "`max_score` draws from global state by default": "told not to",
}
"""What the library does, and what is there instead."""

CALLS: dict[str, str] = {
    "least-confident": "`uncertainty.classifier_uncertainty`",
    "margin": "`uncertainty.classifier_margin`",
    "entropy": "`uncertainty.classifier_entropy`",
    "information-density": "`density.information_density`",
    "ranked-batch": "`batch.ranked_batch`",
    "eer": '`expected_error.expected_error_reduction(loss="binary")`',
    "log-loss-reduction": '`expected_error.expected_error_reduction(loss="log")`',
    "qbc-vote": "`disagreement.vote_entropy`",
    "consensus-entropy": "`disagreement.consensus_entropy`",
    "max-disagreement": "`disagreement.KL_max_disagreement`",
    "committee-std": "`disagreement.max_std_sampling` of a `CommitteeRegressor`",
    "gp-std": "`disagreement.max_std_sampling`",
    "binary-minimum": "`multilabel.SVM_binary_minimum`",
    "max-loss": "`multilabel.max_loss`",
    "mean-max-loss": "`multilabel.mean_max_loss`",
    "min-confidence": "`multilabel.min_confidence`",
    "avg-confidence": "`multilabel.avg_confidence`",
    "max-score": "`multilabel.max_score`",
    "avg-score": "`multilabel.avg_score`",
}
"""What each strategy is in the library."""

NOTES: dict[str, str] = {
    "least-confident": "probabilities",
    "margin": "probabilities; never decision values",
    "entropy": "probabilities",
    "information-density": (
        "times `classifier_uncertainty`, by `make_product`; `beta` is the density's exponent, "
        "`metric` a distance; n x n"
    ),
    "ranked-batch": "`metric`; equal rows in an order drawn from the seed",
    "eer": "a fit per row and class; `p_subsample` is the chance of a row to be a candidate",
    "log-loss-reduction": "a fit per row and class; `p_subsample`",
    "qbc-vote": "`members=10` twins of the query learner",
    "consensus-entropy": "`members=10` twins; probabilities",
    "max-disagreement": "`members=10` twins; probabilities",
    "committee-std": "`members=10` twins; regression",
    "gp-std": "regression; a learner with standard deviations, such as `gp-regressor`",
    "binary-minimum": "decision values; modAL answers one row and is asked again for a batch",
    "max-loss": "the loss of hard predictions, not of decision values as in the paper",
    "mean-max-loss": "the loss of hard predictions; predictions only",
    "min-confidence": "the least probability of a label, which is a sure *no*",
    "avg-confidence": "the largest mean probability",
    "max-score": "p (yhat - 1/2): the surest *yes*",
    "avg-score": "its mean over labels",
}
"""What differs, is fixed, declared or needed, strategy by strategy."""

CHECKED_WITH: dict[str, dict[str, Any]] = {}
"""Parameters that the conformance suite is run with; they only save time."""

EXCUSES: dict[str, dict[str, str]] = {}
"""Rules of the suite that a strategy breaks on purpose, and why."""
