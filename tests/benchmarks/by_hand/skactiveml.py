"""scikit-activeml: an object per run, y with NaN, estimators in its own wrappers and fitted outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import skactiveml.pool as library
from skactiveml.classifier import MixtureModelClassifier, ParzenWindowClassifier, SklearnClassifier
from skactiveml.regressor import SklearnNormalRegressor, SklearnRegressor
from sklearn.mixture import BayesianGaussianMixture
from sklearn.tree import DecisionTreeRegressor

from tests.benchmarks.by_hand.now import Now

CLASSES = [0, 1]


def ask(now: Now, name: str, params: dict[str, Any], **how: Any) -> Any:
    strategy = now.once("strategy", lambda: getattr(library, name)(random_state=0, **params))
    y = np.full(len(now.X), np.nan)
    y[now.labeled] = now.y[now.labeled]
    return strategy.query(**{"X": now.X, "y": y, "batch_size": 1} | how)


def alone(name: str, **params: Any) -> Any:
    return lambda now: ask(now, name, params)


def with_classifier(name: str, argument: str = "clf", **params: Any) -> Any:
    def call(now: Now) -> Any:
        wrapped = SklearnClassifier(now.model, classes=CLASSES)
        return ask(now, name, params, **{argument: wrapped, f"fit_{argument}": False})

    return call


def with_regressor(name: str, **params: Any) -> Any:
    def call(now: Now) -> Any:
        wrapped = SklearnNormalRegressor(now.model)
        wrapped.estimator_ = now.model
        wrapped = wrapped.fit(now.X[now.labeled], now.y[now.labeled])
        return ask(now, name, params, reg=wrapped, fit_reg=False)

    return call


def committee(name: str, *, classes: bool = True, **params: Any) -> Any:
    def call(now: Now) -> Any:
        chance, labeled, members = np.random.default_rng(0), np.array(now.labeled), []
        for seed in range(10):
            rows = chance.choice(labeled, size=len(labeled))
            new = (
                SklearnClassifier(now.seeded(seed), classes=CLASSES) if classes else SklearnRegressor(now.seeded(seed))
            )
            members.append(new.fit(now.X[rows], now.y[rows]))
        return ask(now, name, params, ensemble=members, fit_ensemble=False)

    return call


def fitting(name: str, argument: str = "clf", **params: Any) -> Any:
    def call(now: Now) -> Any:
        of_classes = {"classes": CLASSES} if argument == "clf" else {}
        return ask(now, name, params, **{argument: SklearnClassifier(now.seeded(), **of_classes)})

    return call


def epistemic(now: Now) -> Any:
    clf = ParzenWindowClassifier(classes=CLASSES).fit(now.X[now.labeled], now.y[now.labeled])
    return ask(now, "EpistemicUncertaintySampling", {}, clf=clf, fit_clf=False)


def four_ds(now: Now) -> Any:
    mixture = now.once("mixture", lambda: BayesianGaussianMixture(n_components=2, random_state=0).fit(now.X))
    y = np.full(len(now.X), np.nan)
    y[now.labeled] = now.y[now.labeled]
    clf = MixtureModelClassifier(mixture, classes=CLASSES).fit(now.X, y)
    return ask(now, "FourDs", {}, clf=clf, fit_clf=False)


def model_change(now: Now) -> Any:
    X, y = now.X[now.labeled], now.y[now.labeled]
    reg = SklearnNormalRegressor(now.fresh()).fit(X, y)
    return ask(
        now, "ExpectedModelChangeMaximization", {"n_train": 1}, X=X, y=y, candidates=now.X[now.unlabeled], reg=reg,
        fit_reg=False,
    )  # fmt: skip


def tree(now: Now) -> Any:
    reg = SklearnRegressor(DecisionTreeRegressor(min_samples_leaf=2)).fit(now.X[now.labeled], now.y[now.labeled])
    return ask(now, "RegressionTreeBasedAL", {}, reg=reg, fit_reg=False)


def sub_sampling(now: Now) -> Any:
    inner = library.UncertaintySampling(method="margin_sampling", random_state=0)
    clf = SklearnClassifier(now.model, classes=CLASSES)
    return ask(now, "SubSamplingWrapper", {"query_strategy": inner, "max_candidates": 0.5}, clf=clf, fit_clf=False)


def parallel(now: Now) -> Any:
    inner = library.ContrastiveAL(random_state=0)
    clf = SklearnClassifier(now.model, classes=CLASSES)
    how = {"query_strategy": inner, "n_jobs": 2, "parallel_dict": {"backend": "threading"}}
    return ask(now, "ParallelUtilityEstimationWrapper", how, clf=clf, fit_clf=False)


LINEAR = {"method": "assume_linear"}
HERMITE = {"method": "gauss_hermite", "n_integration_samples": 3}
CALLS = {
    "random": alone("RandomSampling"),
    "least-confident": with_classifier("UncertaintySampling", method="least_confident"),
    "margin": with_classifier("UncertaintySampling", method="margin_sampling"),
    "entropy": with_classifier("UncertaintySampling", method="entropy"),
    "expected-average-precision": with_classifier("UncertaintySampling", method="expected_average_precision"),
    "epistemic-uncertainty-sampling": epistemic,
    "probabilistic-al": with_classifier("ProbabilisticAL", metric="rbf"),
    "contrastive-al": with_classifier("ContrastiveAL"),
    "drop-query": with_classifier("DropQuery"),
    "qbc-kl": committee("QueryByCommittee", method="KL_divergence"),
    "qbc-vote": committee("QueryByCommittee", method="vote_entropy"),
    "qbc-variation-ratios": committee("QueryByCommittee", method="variation_ratios"),
    "qbc-std": committee("QueryByCommittee", classes=False),
    "bald": committee("GreedyBALD"),
    "batch-bald": committee("BatchBALD"),
    "eer": fitting("MonteCarloEER"),
    "value-of-information-eer": fitting("ValueOfInformationEER"),
    "expected-model-change-maximization": model_change,
    "expected-model-output-change": with_regressor("ExpectedModelOutputChange", integration_dict=HERMITE),
    "expected-model-variance-reduction": with_regressor("ExpectedModelVarianceReduction", integration_dict=LINEAR),
    "kl-divergence-maximization": with_regressor("KLDivergenceMaximization", integration_dict_target_val=LINEAR),
    "core-set": alone("CoreSet"),
    "typiclust": alone("TypiClust"),
    "prob-cover": alone("ProbCover", n_classes=2),
    "max-herding": alone("MaxHerding"),
    "greedy-sampling-x": alone("GreedySamplingX"),
    "greedy-sampling-target": with_regressor("GreedySamplingTarget"),
    "discriminative-al": fitting("DiscriminativeAL", "discriminator"),
    "regression-tree-based-al": tree,
    "badge": with_classifier("Badge"),
    "clue": with_classifier("Clue", "estimator"),
    "falcun": with_classifier("Falcun"),
    "quire": alone("Quire", classes=CLASSES),
    "four-ds": four_ds,
    "alce": alone("CostEmbeddingAL", classes=CLASSES),
    "sub-sampling-wrapper": sub_sampling,
    "parallel-utility-estimation-wrapper": parallel,
}
