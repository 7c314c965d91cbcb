"""Every strategy of libact 0.1.6: what it is called here, needs and can do. Imports nothing of libact."""

from __future__ import annotations

from functools import partial

from alcore import StrategySpec
from alcore.types import Growth, Task
from alcore_libact.install import REQUIRES, without_hintsvm, without_variance_reduction

SETTLES = "Settles, Active Learning Literature Survey (2009), section "
_spec = partial(StrategySpec, requires=REQUIRES)

UNCERTAINTY = [
    _spec(
        name="libact.least-confident",
        summary="Least probability of the likeliest class (libact UncertaintySampling, lc)",
        make="alcore_libact.uncertainty:least_confident",
        needs=("proba|decision",),
        batch="top",
        source=SETTLES + "3.1",
        group="uncertainty",
    ),
    _spec(
        name="libact.margin",
        summary="Smallest gap between the two likeliest classes (libact UncertaintySampling, sm)",
        make="alcore_libact.uncertainty:margin",
        needs=("proba|decision",),
        batch="top",
        source=SETTLES + "3.1",
        group="uncertainty",
    ),
    _spec(
        name="libact.entropy",
        summary="Largest entropy of the predicted class (libact UncertaintySampling, entropy)",
        make="alcore_libact.uncertainty:entropy",
        needs=("proba",),
        batch="top",
        source=SETTLES + "3.1",
        group="uncertainty",
    ),
    _spec(
        name="libact.density-weighted",
        summary="Uncertainty times the similarity of a row to its cluster's centre (libact DensityWeightedMeta)",
        make="alcore_libact.uncertainty:density_weighted",
        needs=("proba",),
        batch="top",
        sparse=False,
        stochastic=True,
        source=SETTLES + "3.6",
        group="representation",
    ),
    _spec(
        name="libact.random",
        summary="Every unlabelled row is equally likely (libact RandomSampling)",
        make="alcore_libact.chance:RandomSampling",
        tasks=frozenset(Task),
        learner=False,
        stochastic=True,
        uniform=True,
        group="baseline",
    ),
]

COMMITTEES = [
    _spec(
        name="libact.qbc-vote",
        summary="Largest vote entropy of a bagged committee (libact QueryByCommittee, vote)",
        make="alcore_libact.committee:vote",
        batch="top",
        stochastic=True,
        source="Seung, Opper and Sompolinsky, Query by committee (1992)",
        group="committee",
    ),
    _spec(
        name="libact.qbc-kl",
        summary="Largest mean KL divergence of a bagged committee to its consensus (libact QueryByCommittee)",
        make="alcore_libact.committee:kl",
        needs=("proba",),
        batch="top",
        stochastic=True,
        source="McCallum and Nigam, Employing EM and pool-based active learning for text classification (1998)",
        group="committee",
    ),
]

BINARY = [
    _spec(
        name="libact.quire",
        summary="Informative and representative by a min-max of kernel ridge regression (libact QUIRE, as published)",
        make="alcore_libact.quire:QUIRE",
        learner=False,
        max_classes=2,
        sparse=False,
        stateful=True,
        growth=Growth.CUBIC,
        source="Huang, Jin and Zhou, Active learning by querying informative and representative examples (2010)",
        group="representation",
    ),
    _spec(
        name="libact.dwus",
        summary="Density times expected error under a logistic regression of clusters (libact DWUS)",
        make="alcore_libact.dwus:DWUS",
        learner=False,
        max_classes=2,
        batch="top",
        sparse=False,
        stochastic=True,
        source="Donmez, Carbonell and Bennett, Dual strategy active learning (2007)",
        group="representation",
    ),
    _spec(
        name="libact.hint-svm",
        summary="Farthest from the boundary of an SVM that unlabelled rows pull at (libact HintSVM, as published)",
        make="alcore_libact.hintsvm:hint_svm",
        unavailable=without_hintsvm,
        learner=False,
        max_classes=2,
        batch="top",
        sparse=False,
        stochastic=True,
        growth=Growth.QUADRATIC,
        source="Li, Ferng and Lin, Active learning with hinted support vector machine (2012)",
        group="representation",
    ),
]

OTHERS = [
    _spec(
        name="libact.albl",
        summary="A bandit over strategies, rewarded by weighted accuracy (libact ActiveLearningByLearning)",
        make="alcore_libact.bandit:ALBL",
        needs=("proba",),
        batch="single",
        sparse=False,
        stateful=True,
        stochastic=True,
        resumable=False,
        source="Hsu and Lin, Active learning by learning (2015)",
        group="learned",
    ),
    _spec(
        name="libact.variance-reduction",
        summary="Least expected variance of a logistic regression's outputs (libact VarianceReduction)",
        make="alcore_libact.variance:variance_reduction",
        unavailable=without_variance_reduction,
        learner=False,
        batch="top",
        sparse=False,
        source="Schein and Ungar, Active learning for logistic regression: an evaluation (2007)",
        group="expected change",
    ),
    _spec(
        name="libact.eer",
        summary="Least expected loss over the pool after one more label (libact EER)",
        make="alcore_libact.multiclass:EER",
        needs=("proba",),
        growth=Growth.QUADRATIC,
        source="Roy and McCallum, Toward optimal active learning through sampling estimation of error reduction (2001)",
        group="expected change",
    ),
    _spec(
        name="libact.hierarchical",
        summary="Draws from the impure parts of a cluster tree (libact HierarchicalSampling)",
        make="alcore_libact.hierarchical:HierarchicalSampling",
        learner=False,
        sparse=False,
        stateful=True,
        stochastic=True,
        growth=Growth.QUADRATIC,
        source="Dasgupta and Hsu, Hierarchical sampling for active learning (2008)",
        group="representation",
    ),
    _spec(
        name="libact.alce",
        summary="Predicted embedding farthest from all classes' (libact ActiveLearningWithCostEmbedding)",
        make="alcore_libact.multiclass:ALCE",
        learner=False,
        sparse=False,
        stochastic=True,
        source="Huang and Lin, A novel uncertainty sampling algorithm for cost-sensitive multiclass active learning "
        "(2016)",
        group="uncertainty",
    ),
]

_labels = partial(_spec, tasks=frozenset({Task.MULTILABEL}))

MULTILABEL = [
    _labels(
        name="libact.mmc",
        summary="Largest loss reduction with maximal confidence (libact MMC)",
        make="alcore_libact.multilabel:MMC",
        needs=("proba",),
        source="Yang et al., Effective multi-label active learning for text classification (2009)",
        group="multi-label",
    ),
    _labels(
        name="libact.binary-minimization",
        summary="Nearest to the boundary of any label (libact BinaryMinimization)",
        make="alcore_libact.multilabel:BinaryMinimization",
        needs=("proba|decision",),
        source="Brinker, On active learning in multi-label classification (2006)",
        group="multi-label",
    ),
    _labels(
        name="libact.adaptive",
        summary="Margin and label cardinality, by the error that each would leave (libact AdaptiveActiveLearning)",
        make="alcore_libact.multilabel:Adaptive",
        needs=("proba|decision",),
        source="Li and Guo, Active learning with multi-label SVM classification (2013)",
        group="multi-label",
    ),
    _labels(
        name="libact.multilabel-with-auxiliary-learner",
        summary="Disagreement of the learner and a second one (libact MultilabelWithAuxiliaryLearner)",
        make="alcore_libact.multilabel:AuxiliaryLearner",
        sparse=False,
        source="Hung and Lin, Multi-label active learning with auxiliary learner (2011)",
        group="multi-label",
    ),
    _labels(
        name="libact.cost-sensitive-reference-pair-encoding",
        summary="Disagreement of the learner and a code of its labels (libact CostSensitiveReferencePairEncoding)",
        make="alcore_libact.multilabel:ReferencePairs",
        sparse=False,
        stochastic=True,
        source="Yang et al., Cost-sensitive reference pair encoding for multi-label learning (2018)",
        group="multi-label",
    ),
]

SPECS = (*UNCERTAINTY, *COMMITTEES, *BINARY, *OTHERS, *MULTILABEL)
