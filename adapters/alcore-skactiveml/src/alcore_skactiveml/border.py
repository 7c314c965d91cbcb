"""What stands between alcore and scikit-activeml, as data: the docs make their tables of it."""

from __future__ import annotations

from typing import Any

LIBRARY = "scikit-activeml"
DISTRIBUTION: str | None = "scikit-activeml"
"""What it is called on PyPI, if it is there."""

SHIMS: dict[str, str] = {}
"""Names that are lent to it, and why."""

FIXES: dict[str, str] = {
    "1. `Badge`, `TypiClust`, and among ties `FourDs` and `BatchBALD`, repeat rows in a batch": (
        "what is missing is asked for again, among the rows that are left"
    ),
    "2. `TypiClust` crashes where every cluster has a labelled row": "any row is as good then, as the library means",
    "3. `Clue` and `DropQuery` leave their clusters unseeded": "seeded",
    "4. `Badge` opens with the first and `DropQuery` keeps the last of equal rows in the file": "rows are shuffled",
    "5. `SklearnClassifier` and `SklearnRegressor` swallow a fit that fails and predict class frequencies": "an error",
    "6. sparse X, missing values and text are refused even where the learner takes them": "they reach the learner",
    "7. `Quire` scores a part of the unlabelled rows by other rows' numbers": (
        "scored among all, then restricted; last digits, in which equal rows differ, are dropped, as "
        "for strategies that refit a regressor"
    ),
    "8. `expected_average_precision` refuses probabilities when every row's sum is off by the last bit": (
        "one row sums to 1 exactly"
    ),
    "9. `ExpectedModelChangeMaximization` draws n ⌈n/2⌉ + 1 of n rows, labelled or not": (
        "it is given the labelled rows, and draws as many plus one"
    ),
    "10. `ExpectedModelOutputChange` tries the predicted target by default, which changes no "
    "least-squares fit, so that scores are rounding": 'three targets per candidate (`integration="gauss_hermite"`)',
    "11. `RegressionTreeBasedAL` answers fewer rows than asked for where leaves have no variance": "asked again",
    "12. `EpistemicUncertaintySampling` with logistic regression scores 0 where class 0 is the likelier": (
        "declared, not fixed"
    ),
    "13. `ParallelUtilityEstimationWrapper(n_jobs=-1)` fails with fewer candidates than processors, and "
    "its threads overwrite each other's random state": "fewer jobs; copies of the strategy",
    "14. `batch_bald` writes into the probabilities it is given": "its own copy",
}
"""What the library does, and what is there instead."""

CALLS: dict[str, str] = {
    "random": "`RandomSampling`",
    "least-confident": '`UncertaintySampling(method="least_confident")`',
    "margin": '`UncertaintySampling(method="margin_sampling")`',
    "entropy": '`UncertaintySampling(method="entropy")`',
    "expected-average-precision": '`UncertaintySampling(method="expected_average_precision")`',
    "epistemic-uncertainty-sampling": "`EpistemicUncertaintySampling`",
    "probabilistic-al": "`ProbabilisticAL` (McPAL)",
    "contrastive-al": "`ContrastiveAL` (CAL)",
    "drop-query": "`DropQuery`",
    "qbc-kl": '`QueryByCommittee(method="KL_divergence")`',
    "qbc-vote": '`QueryByCommittee(method="vote_entropy")`',
    "qbc-variation-ratios": '`QueryByCommittee(method="variation_ratios")`',
    "qbc-std": "`QueryByCommittee` of regressors",
    "bald": "`GreedyBALD`",
    "batch-bald": "`BatchBALD`",
    "eer": "`MonteCarloEER`",
    "value-of-information-eer": "`ValueOfInformationEER`",
    "expected-model-change-maximization": "`ExpectedModelChangeMaximization` (EMCM)",
    "expected-model-output-change": "`ExpectedModelOutputChange` (EMOC)",
    "expected-model-variance-reduction": "`ExpectedModelVarianceReduction`",
    "kl-divergence-maximization": "`KLDivergenceMaximization`",
    "core-set": "`CoreSet`",
    "typiclust": "`TypiClust`",
    "prob-cover": "`ProbCover`",
    "max-herding": "`MaxHerding`",
    "greedy-sampling-x": "`GreedySamplingX` (GSx)",
    "greedy-sampling-target": "`GreedySamplingTarget`",
    "discriminative-al": "`DiscriminativeAL`",
    "regression-tree-based-al": "`RegressionTreeBasedAL`",
    "badge": "`Badge`",
    "clue": "`Clue`",
    "falcun": "`Falcun`",
    "quire": "`Quire`",
    "four-ds": "`FourDs` (4DS)",
    "alce": "`CostEmbeddingAL` (ALCE)",
    "sub-sampling-wrapper": "`SubSamplingWrapper`",
    "parallel-utility-estimation-wrapper": "`ParallelUtilityEstimationWrapper`",
}
"""What each strategy is in the library."""

NOTES: dict[str, str] = {
    "least-confident": "`cost_matrix=`",
    "margin": "`cost_matrix=`",
    "expected-average-precision": "O(m³) in Python; one row's probabilities are made to sum to 1 exactly (fault 8)",
    "epistemic-uncertainty-sampling": '`model="parzen-window"` or `"logistic-regression"` (fault 12)',
    "probabilistic-al": 'kernel counts on features, `metric="rbf"`',
    "drop-query": "drops values of X itself; seeded clusters, shuffled rows (faults 3, 4)",
    "qbc-kl": "`members=10` twins on bootstrap samples",
    "qbc-vote": "`members=10` twins on bootstrap samples",
    "qbc-variation-ratios": "`members=10` twins on bootstrap samples",
    "qbc-std": "`members=10` twins on bootstrap samples",
    "bald": "`members=10` twins; the batch is the n best",
    "batch-bald": "`members=10` twins; `n_mc_samples=`",
    "eer": '`method="misclassification_loss"` or `"log_loss"`; m·K fits',
    "value-of-information-eer": "m·K fits",
    "expected-model-change-maximization": "labelled rows only (fault 9)",
    "expected-model-output-change": "three targets per candidate (fault 10)",
    "expected-model-variance-reduction": "a fit per candidate",
    "kl-divergence-maximization": "a fit per candidate",
    "typiclust": "distinct rows, no crash (faults 1, 2)",
    "prob-cover": "`deltas=` suit features of length 1 by default; distances are kept",
    "max-herding": "the library's seed breaks its many ties",
    "greedy-sampling-x": "n x n distances",
    "greedy-sampling-target": '`method="GSi"` or `"GSy"`',
    "discriminative-al": "the discriminator is a twin of the query learner; a fit per pick",
    "regression-tree-based-al": (
        'completed batches (fault 11); `method="representativity"` raises where a leaf is asked for '
        "more rows than it has"
    ),
    "badge": "distinct rows, shuffled (faults 1, 4)",
    "clue": "seeded clusters (fault 3)",
    "quire": "O(m³) per query; scores of a part of the candidates (fault 7)",
    "four-ds": "the mixture is fitted once per run",
    "alce": '`mds_params={"n_init": 1}` takes an eighth of the time',
    "sub-sampling-wrapper": (
        '`base="skactiveml.margin"`, `base_params=`; draws again where a batch is larger than the draw'
    ),
    "parallel-utility-estimation-wrapper": "threads; a base that scores rows one by one",
}
"""What differs, is fixed, declared or needed, strategy by strategy."""

CHECKED_WITH: dict[str, dict[str, Any]] = {"alce": {"mds_params": {"n_init": 1, "max_iter": 20}}}
"""Parameters that the conformance suite is run with; they only save time."""

EXCUSES: dict[str, dict[str, str]] = {}
"""Rules of the suite that a strategy breaks on purpose, and why."""
