"""What stands between alcore and libact, as data: the docs make their tables of it."""

from __future__ import annotations

from typing import Any

LIBRARY = "libact"
DISTRIBUTION: str | None = "libact"
"""What it is called on PyPI, if it is there."""

SHIMS: dict[str, str] = {
    "sklearn.externals.joblib": "gone since scikit-learn 0.23; `joblib` stands in",
}
"""Names that are lent to it, and why."""

FIXES: dict[str, str] = {
    "trains its model, often twice a round": "the query learner, fitted already, answers",
    "any label in the data set is read": "rows without a label are `None`",
    "0 log 0 is NaN, which is asked for": "a probability of 0 is the smallest positive number",
    "labels must be -1 and +1": "given as such, where it expects them",
    "a batch is one row": "the n best scores, or asked again without the rows it gave",
    "SVMs draw from global random state": "seeded by the run, and restored",
    "row 0 must be labelled in multi-label tasks": "labelled rows come first",
    "lists of label vectors, and comparison with None, that NumPy refuses": "arrays of objects",
    "prints, logs and warns": "silence",
    "arguments gone from scikit-learn (`multi_class`, `NearestNeighbors` by position)": "not passed, or by name",
}
"""What the library does, and what is there instead."""

CALLS: dict[str, str] = {
    "least-confident": '`UncertaintySampling(method="lc")`',
    "margin": '`UncertaintySampling(method="sm")`',
    "entropy": '`UncertaintySampling(method="entropy")`',
    "density-weighted": "`DensityWeightedMeta`",
    "random": "`RandomSampling`",
    "qbc-vote": '`QueryByCommittee(disagreement="vote")`',
    "qbc-kl": '`QueryByCommittee(disagreement="kl_divergence")`',
    "quire": "`QUIRE`",
    "dwus": "`DWUS`",
    "hint-svm": "`HintSVM`",
    "albl": "`ActiveLearningByLearning`",
    "variance-reduction": "`VarianceReduction`",
    "eer": "`multiclass.EER`",
    "hierarchical": "`multiclass.HierarchicalSampling`",
    "alce": "`multiclass.ActiveLearningWithCostEmbedding`",
    "mmc": "`multilabel.MMC`",
    "binary-minimization": "`multilabel.BinaryMinimization`",
    "adaptive": "`multilabel.AdaptiveActiveLearning`",
    "multilabel-with-auxiliary-learner": "`multilabel.MultilabelWithAuxiliaryLearner`",
    "cost-sensitive-reference-pair-encoding": "`multilabel.CostSensitiveReferencePairEncoding`",
}
"""What each strategy is in the library."""

NOTES: dict[str, str] = {
    "entropy": (
        "a probability of 0 is made the smallest positive number: 0 log 0 is NaN in libact, which "
        "then asks for a certain row"
    ),
    "density-weighted": (
        '`base="entropy"` by default; `margin` and `least-confident` have negative scores, for which '
        "the product with a similarity prefers rows unlike the others"
    ),
    "qbc-vote": (
        "`members` twins of the learner, each with a seed of its own; after 1,000 bags per member "
        "that lack a class, one row of each class is drawn first (libact draws for ever); scores that"
        " `np.isclose` takes for the best are ties, as in libact"
    ),
    "qbc-kl": "as the vote; probabilities of 0 as for entropy",
    "quire": (
        "labels are given as -1 and +1; [not the paper's](libact.md#where-the-result-is-not-the-algorithm-of-the-paper)"
    ),
    "dwus": (
        "labels as -1 and +1; a density that underflows to 0/0 is an error that says to raise `sigma`"
        " (libact scores all rows NaN and asks for the first)"
    ),
    "hint-svm": (
        "labels as -1 and +1; parameters are given anew for each query (libact's C code empties "
        "them); one class labelled: all rows score alike; "
        "[not the paper's](libact.md#where-the-result-is-not-the-algorithm-of-the-paper)"
    ),
    "albl": (
        "arms are names of the strategies here; `T` is the number of unlabelled rows unless given; "
        "asked twice without a label, it draws again (libact fails); the smallest probability is at "
        "most 1/arms (libact's is larger for few queries); cannot be resumed, because its weights "
        "follow from what the arms advised with the learners of each round"
    ),
    "variance-reduction": (
        "its C extension; [not the paper's](libact.md#where-the-result-is-not-the-algorithm-of-the-paper)"
    ),
    "eer": (
        "tries the classes that are labelled (libact tries 0, 1, ... up to their number); all rows "
        "and labels are tried with one seed"
    ),
    "hierarchical": "draws again where a row is out for labelling already; `subsample_qs` is not offered",
    "alce": "`costs` of 1 per error and `SVR()` unless given",
    "mmc": ("the learner in place of linear SVMs; `multi_class` is not passed on (scikit-learn has it no more)"),
    "multilabel-with-auxiliary-learner": "the learner is the major one; `auxiliary` is `SVC()` per label unless given",
    "cost-sensitive-reference-pair-encoding": (
        "reference pairs are drawn once per run, classifiers made anew each round (a bit that was "
        "constant once stays so in libact); `NearestNeighbors` gets its parameter by name"
    ),
}
"""What differs, is fixed, declared or needed, strategy by strategy."""

CHECKED_WITH: dict[str, dict[str, Any]] = {
    "qbc-vote": {"members": 4},
    "qbc-kl": {"members": 4},
    "alce": {"restarts": 1},
    "cost-sensitive-reference-pair-encoding": {"models": 4},
}
"""Parameters that the conformance suite is run with; they only save time."""

EXCUSES: dict[str, dict[str, str]] = {}
"""Rules of the suite that a strategy breaks on purpose, and why."""
