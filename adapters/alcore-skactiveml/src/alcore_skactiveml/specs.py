"""What each strategy is called, needs and can do. Imports nothing of scikit-activeml."""

from __future__ import annotations

from typing import Any

from alcore import StrategySpec, Task

INSTALL = "pip install 'scikit-activeml>=1.0,<2'"
WRAPPER = "combinator"

CLASSES = frozenset({Task.CLASSIFICATION})
TARGETS = frozenset({Task.REGRESSION})
BOTH = CLASSES | TARGETS
ALL = frozenset(Task)

PROBA, STD = ("proba",), ("std",)


def _one(name: str, summary: str, make: str, source: str, group: str, **fields: Any) -> StrategySpec:
    """Return a spec. Unless ``fields`` say otherwise: classification, the n best scores, dense X."""
    defaults: dict[str, Any] = {"batch": "top", "sparse": False}
    return StrategySpec(
        name=f"skactiveml.{name}",
        summary=summary,
        make=f"alcore_skactiveml.{make}",
        requires={"skactiveml": INSTALL},
        source=source,
        group=group,
        **defaults | fields,
    )


def _uncertainty() -> list[StrategySpec]:
    group, settles = "uncertainty", "Settles (2009), section 3.1"
    likely: dict[str, Any] = {"needs": PROBA, "sparse": True}
    return [
        _one("least-confident", "UncertaintySampling: smallest probability of the likeliest class",
             "uncertainty:LeastConfident", settles, group, **likely),
        _one("margin", "UncertaintySampling: smallest gap between the two likeliest classes",
             "uncertainty:Margin", settles, group, **likely),
        _one("entropy", "UncertaintySampling: largest entropy of the predicted class",
             "uncertainty:Entropy", settles, group, **likely),
        _one("expected-average-precision", "UncertaintySampling: largest expected average precision",
             "uncertainty:ExpectedAveragePrecision", "Wang et al. (2018)", group, growth="cubic", **likely),
        _one("epistemic-uncertainty-sampling", "EpistemicUncertaintySampling: doubt that more labels would remove",
             "uncertainty:Epistemic", "Nguyen, Destercke and Hüllermeier (2019)", group, learner=False, max_classes=2),
        _one("probabilistic-al", "ProbabilisticAL: expected gain in accuracy near the row (McPAL)",
             "uncertainty:Probabilistic", "Kottke et al. (2016)", group, needs=PROBA, growth="quadratic"),
        _one("contrastive-al", "ContrastiveAL: predictions unlike those of the nearest labelled rows",
             "uncertainty:Contrastive", "Margatina et al. (2021)", group, needs=PROBA),
        _one("drop-query", "DropQuery: clusters of the rows whose class changes when features are dropped",
             "batches:Dropout", "Gupte et al. (2024)", group, batch="native", stochastic=True),
    ]  # fmt: skip


def _committee() -> list[StrategySpec]:
    group, drawn = "committee", {"stochastic": True, "sparse": True}
    return [
        _one("qbc-kl", "QueryByCommittee: mean divergence of the members from their mean",
             "committee:KullbackLeibler", "McCallum and Nigam (1998)", group, needs=PROBA, **drawn),
        _one("qbc-vote", "QueryByCommittee: entropy of the members' votes",
             "committee:VoteEntropy", "Engelson and Dagan (1996)", group, **drawn),
        _one("qbc-variation-ratios", "QueryByCommittee: share of members that disagree with most of them",
             "committee:VariationRatios", "Beluch et al. (2018)", group, **drawn),
        _one("qbc-std", "QueryByCommittee: standard deviation of the members' predictions",
             "committee:StandardDeviation", "Burbidge, Rowland and King (2007)", group, tasks=TARGETS, **drawn),
        _one("bald", "GreedyBALD: mutual information between the class and the member",
             "committee:Bald", "Houlsby et al. (2011)", group, needs=PROBA, **drawn),
        _one("batch-bald", "BatchBALD: mutual information between the classes of a batch and the member",
             "committee:Batch", "Kirsch, van Amersfoort and Gal (2019)", group, needs=PROBA, batch="native", **drawn),
    ]  # fmt: skip


def _expected() -> list[StrategySpec]:
    group = "expected change"
    each: dict[str, Any] = {"growth": "quadratic"}
    return [
        _one("eer", "MonteCarloEER: least expected error on the pool once the label is known",
             "expected:ErrorReduction", "Roy and McCallum (2001)", group, needs=PROBA, sparse=True, **each),
        _one("value-of-information-eer", "ValueOfInformationEER: the same, labelled and unlabelled rows apart",
             "expected:ValueOfInformation", "Kapoor, Horvitz and Basu (2007)", group, needs=PROBA, sparse=True, **each),
        _one("expected-model-change-maximization", "ExpectedModelChangeMaximization: change over bootstrap members",
             "expected:ModelChange", "Cai, Zhang and Zhou (2013)", group, tasks=TARGETS, stochastic=True),
        _one("expected-model-output-change", "ExpectedModelOutputChange: change of the predictions",
             "expected:OutputChange", "Käding et al. (2018)", group, tasks=TARGETS, needs=STD, sparse=True, **each),
        _one("expected-model-variance-reduction", "ExpectedModelVarianceReduction: decrease of predictive variance",
             "expected:VarianceReduction", "Cohn, Ghahramani and Jordan (1996)", group, tasks=TARGETS, needs=STD,
             sparse=True, **each),
        _one("kl-divergence-maximization", "KLDivergenceMaximization: divergence of the predictions",
             "expected:KullbackLeiblerMaximization", "Elreedy, Atiya and Shaheen (2019)", group, tasks=TARGETS,
             needs=STD, sparse=True, **each),
    ]  # fmt: skip


def _representation() -> list[StrategySpec]:
    group = "representation"
    free: dict[str, Any] = {"tasks": ALL, "learner": False, "batch": "native"}
    return [
        _one("core-set", "CoreSet: the row farthest from all labelled rows (greedy k-center)",
             "geometry:CoreSets", "Sener and Savarese (2018)", group, **free),
        _one("typiclust", "TypiClust: the most typical row of each cluster without a label",
             "geometry:TypiClusts", "Hacohen, Dekel and Weinshall (2022)", group, stochastic=True, **free),
        _one("prob-cover", "ProbCover: the row whose ball covers most rows not covered yet",
             "geometry:ProbCovers", "Yehuda et al. (2022)", group, stochastic=True, growth="quadratic",
             **free | {"tasks": CLASSES}),
        _one("max-herding", "MaxHerding: largest gain in similarity of the candidates to labelled rows",
             "geometry:Herding", "Bae, Noh and Sutherland (2024)", group, stochastic=True, growth="quadratic",
             **free),  # stochastic, because symmetric kernels make many ties, and the library breaks them
        _one("greedy-sampling-x", "GreedySamplingX: the row farthest from all labelled rows (GSx)",
             "geometry:GreedyX", "Wu, Lin and Huang (2019)", group, growth="quadratic", **free),
        _one("greedy-sampling-target", "GreedySamplingTarget: farthest in row and predicted target (GSi, GSy)",
             "batches:GreedyTarget", "Wu, Lin and Huang (2019)", group, tasks=TARGETS, batch="native",
             growth="quadratic"),
        _one("discriminative-al", "DiscriminativeAL: rows least like labelled ones, to a classifier of the two",
             "batches:Discriminative", "Gissin and Shalev-Shwartz (2019)", group, needs=PROBA, batch="native",
             sparse=True),
        _one("regression-tree-based-al", "RegressionTreeBasedAL: a batch shared out to the leaves of a tree",
             "batches:RegressionTree", "Jose et al. (2023)", group, tasks=TARGETS, learner=False, batch="native",
             stochastic=True),
    ]  # fmt: skip


def _mixed() -> list[StrategySpec]:
    group = "hybrid"
    native: dict[str, Any] = {"batch": "native"}
    return [
        _one("badge", "Badge: k-means++ on the gradients of the likeliest labels",
             "batches:Gradients", "Ash et al. (2020)", group, needs=PROBA, stochastic=True, **native),
        _one("clue", "Clue: centres of clusters weighted by doubt",
             "batches:Clues", "Prabhu et al. (2021)", group, tasks=BOTH, needs=("proba|std",), stochastic=True,
             **native),
        _one("falcun", "Falcun: drawn by doubt and by distance between predictions",
             "batches:Falcuns", "Gilhuber et al. (2024)", group, needs=PROBA, stochastic=True,
             **native | {"sparse": True}),
        _one("quire", "Quire: informative and representative, by the worst label",
             "geometry:MinMax", "Huang, Jin and Zhou (2010)", group, learner=False, growth="cubic"),
        _one("four-ds", "FourDs: distance, density, distribution and diversity under a mixture",
             "geometry:FourD", "Reitmaier and Sick (2013)", group, learner=False, stochastic=True, **native),
        _one("alce", "CostEmbeddingAL: distance to the nearest class, classes as far apart as they cost",
             "geometry:CostEmbedding", "Huang and Lin (2016)", group, learner=False, stochastic=True),
    ]  # fmt: skip


def _wrappers() -> list[StrategySpec]:
    library = "scikit-activeml"
    return [
        _one("sub-sampling-wrapper", "SubSamplingWrapper: another strategy among candidates drawn at random",
             "wrappers:SubSampling", library, WRAPPER, tasks=ALL, batch="native", sparse=True, stochastic=True),
        _one("parallel-utility-estimation-wrapper",
             "ParallelUtilityEstimationWrapper: another strategy's scores on several threads",
             "wrappers:Parallel", library, WRAPPER, tasks=ALL, batch="single", sparse=True, stochastic=True),
    ]  # fmt: skip


STRATEGIES: list[StrategySpec] = [
    _one("random", "RandomSampling: every unlabelled row is equally likely", "geometry:Random", "", "baseline",
         tasks=ALL, learner=False, batch="native", sparse=True, stochastic=True, uniform=True),
    *_uncertainty(),
    *_committee(),
    *_expected(),
    *_representation(),
    *_mixed(),
    *_wrappers(),
]  # fmt: skip
"""Every strategy that ``skactiveml.pool`` exports, by alcore's names."""
