"""What modAL's strategies are called, need and can do. Nothing of modAL is imported here."""

from __future__ import annotations

from typing import Any

from alcore import StrategySpec, Task
from alcore_modal.library import INSTALL, other_version

SETTLES = "Settles, Active Learning Literature Survey (2009), section 3.1"
QBC = "Seung, Opper and Sompolinsky, Query by Committee (1992)"
ROY = "Roy and McCallum, Toward Optimal Active Learning through Sampling Estimation of Error Reduction (2001)"
ESULI = "Esuli and Sebastiani, Active Learning Strategies for Multi-Label Text Classification (2009)"
LI = "Li, Wang and Sung, Multilabel SVM Active Learning for Image Classification (2004)"


def _spec(name: str, summary: str, make: str, **capabilities: Any) -> StrategySpec:
    return StrategySpec(
        name=f"modal.{name}",
        summary=summary,
        make=f"alcore_modal.{make}",
        requires={"modAL": INSTALL},
        unavailable=other_version,
        **{"batch": "top"} | capabilities,
    )


def _uncertainty(name: str, summary: str, make: str) -> StrategySpec:
    return _spec(name, summary, make, needs=("proba",), source=SETTLES, group="uncertainty")


def _reduction(name: str, summary: str, make: str) -> StrategySpec:
    return _spec(
        name, summary, make, needs=("proba",), stochastic=True, growth="quadratic", source=ROY, group="expected change"
    )


def _committee(name: str, summary: str, make: str, **capabilities: Any) -> StrategySpec:
    return _spec(name, summary, make, **{"stochastic": True, "source": QBC, "group": "committee"} | capabilities)


def _multilabel(name: str, summary: str, make: str, **capabilities: Any) -> StrategySpec:
    return _spec(name, summary, make, **{"tasks": {Task.MULTILABEL}, "group": "multi-label"} | capabilities)


SPECS = [
    _uncertainty("least-confident", "Smallest probability of the likeliest class", "uncertainty:least_confident"),
    _uncertainty("margin", "Smallest gap between the two likeliest classes", "uncertainty:margin"),
    _uncertainty("entropy", "Largest entropy of the predicted class", "uncertainty:entropy"),
    _spec(
        "information-density",
        "Uncertain rows in dense regions: least confidence times mean similarity",
        "uncertainty:information_density",
        needs=("proba",),
        sparse=False,
        growth="quadratic",
        source="Settles and Craven, An Analysis of Active Learning Strategies for Sequence Labeling Tasks (2008)",
        group="hybrid",
    ),
    _spec(
        "ranked-batch",
        "A batch that is uncertain, and far from the labelled rows and within itself",
        "batch:RankedBatch",
        needs=("proba",),
        batch="native",
        sparse=False,
        source="Cardoso et al., Ranked batch-mode active learning (2017)",
        group="hybrid",
    ),
    _reduction("eer", "Least expected error of the learner refitted with the row", "reduction:eer"),
    _reduction(
        "log-loss-reduction",
        "Least expected entropy of the learner refitted with the row",
        "reduction:log_loss_reduction",
    ),
    _committee("qbc-vote", "Largest entropy of a committee's votes", "committee:qbc_vote"),
    _committee(
        "consensus-entropy",
        "Largest entropy of a committee's mean probabilities",
        "committee:consensus_entropy",
        needs=("proba",),
    ),
    _committee(
        "max-disagreement",
        "Largest divergence of a committee's member from its mean",
        "committee:max_disagreement",
        needs=("proba",),
        source="McCallum and Nigam, Employing EM and Pool-Based Active Learning for Text Classification (1998)",
    ),
    _committee(
        "committee-std",
        "Largest standard deviation of a committee's predictions",
        "committee:committee_std",
        tasks={Task.REGRESSION},
        source="Burbidge, Rowland and King, Active Learning for Regression Based on Query by Committee (2007)",
    ),
    _spec(
        "gp-std",
        "Largest standard deviation of the regressor's prediction",
        "regression:gp_std",
        tasks={Task.REGRESSION},
        needs=("std",),
        source="Seo, Wallat, Graepel and Obermayer, Gaussian Process Regression: Active Data Selection (2000)",
        group="uncertainty",
    ),
    _multilabel(
        "binary-minimum",
        "Smallest distance to any label's boundary",
        "multilabel:BinaryMinimum",
        needs=("decision",),
        source="Brinker, On Active Learning in Multi-label Classification (2006)",
    ),
    _multilabel(
        "max-loss",
        "Largest loss of the predicted labels if the surest were the only one",
        "multilabel:max_loss",
        needs=("proba",),
        source=LI,
    ),
    _multilabel(
        "mean-max-loss",
        "Largest mean loss of the predicted labels, each label in turn the only one",
        "multilabel:mean_max_loss",
        source=LI,
    ),
    _multilabel(
        "min-confidence",
        "Smallest probability of any label",
        "multilabel:min_confidence",
        needs=("proba",),
        source=ESULI,
    ),
    _multilabel(
        "avg-confidence",
        "Largest mean probability of the labels",
        "multilabel:avg_confidence",
        needs=("proba",),
        source=ESULI,
    ),
    _multilabel(
        "max-score",
        "Largest signed probability of any label",
        "multilabel:max_score",
        needs=("proba",),
        source=ESULI,
    ),
    _multilabel(
        "avg-score",
        "Largest mean signed probability of the labels",
        "multilabel:avg_score",
        needs=("proba",),
        source=ESULI,
    ),
]
