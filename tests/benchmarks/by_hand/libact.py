"""libact: its data set and its object are made once and told each label; its model is fitted outside."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.svm import SVR

from alcore.interop import patched
from alcore_libact.library import SHIMS, Dataset, ProbabilisticModel, pool_based, quiet
from tests.benchmarks.by_hand.now import Now

with quiet(), patched(modules=SHIMS):
    from libact.models import SVM, SklearnProbaAdapter
    from libact.models import LogisticRegression as Logistic
    from libact.models.multilabel import BinaryRelevance
    from libact.query_strategies import multiclass, multilabel


class Fitted(ProbabilisticModel):
    """An estimator that is fitted already, as libact's model."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def train(self, dataset: Any, *args: Any, **kwargs: Any) -> Self:
        return self

    def predict(self, feature: Any, *args: Any, **kwargs: Any) -> Any:
        return self.model.predict(feature)

    def predict_proba(self, feature: Any, *args: Any, **kwargs: Any) -> Any:
        return self.model.predict_proba(feature)

    def predict_real(self, feature: Any, *args: Any, **kwargs: Any) -> Any:
        values = self.model.decision_function(feature)
        return np.column_stack([-values, values])

    def score(self, dataset: Any, *args: Any, **kwargs: Any) -> float:
        return float(self.model.score(*dataset.format_sklearn()))


def told(now: Now, labels: Any = None) -> Any:
    """Return libact's data set, which knows what was labelled since."""
    labels = now.y if labels is None else labels

    def make() -> Any:
        known = np.full(len(now.X), None, dtype=object)
        for row in now.labeled:
            known[row] = labels[row] if labels.ndim > 1 else int(labels[row])
        return Dataset(now.X, known)

    new = now.labeled[now.kept.get("told", len(now.labeled)) :]
    data = now.once("data", make)
    for row in new:
        data.update(row, labels[row] if labels.ndim > 1 else int(labels[row]))
    now.kept["told"] = len(now.labeled)
    return data


def uncertainty(method: str) -> Any:
    def call(now: Now) -> Any:
        return pool_based.UncertaintySampling(told(now), model=Fitted(now.model), method=method).make_query()

    return call


def density_weighted(now: Now) -> Any:
    inner = pool_based.UncertaintySampling(told(now), model=Fitted(now.model), method="entropy")
    return pool_based.DensityWeightedMeta(told(now), inner, random_state=0).make_query()


def committee(disagreement: str) -> Any:
    def call(now: Now) -> Any:
        data = told(now)
        members = [SklearnProbaAdapter(now.seeded(seed)) for seed in range(10)]
        return pool_based.QueryByCommittee(data, models=members, disagreement=disagreement).make_query()

    return call


def kept(home: Any, name: str, *, signs: bool = False, anew: bool = False, **params: Any) -> Any:
    """Ask an object that lives through the run, or is made ``anew`` where it loses its parameters."""

    def call(now: Now) -> Any:
        data = told(now, now.signs if signs else None)
        make = getattr(home, name)
        return (make(data, **params) if anew else now.once("object", lambda: make(data, **params))).make_query()

    return call


def albl(now: Now) -> Any:
    model, data = now.once("model", lambda: Fitted(now.model)), told(now)
    model.model = now.model

    def make() -> Any:
        inner = [pool_based.UncertaintySampling(data, model=model, method=method) for method in ("lc", "entropy")]
        arms = [inner[0], pool_based.DensityWeightedMeta(data, inner[1], random_state=0)]
        return pool_based.ActiveLearningByLearning(data, T=data.len_unlabeled(), query_strategies=arms, model=model)

    return now.once("object", make).make_query()


def eer(now: Now) -> Any:
    return multiclass.EER(told(now), model=SklearnProbaAdapter(now.seeded()), loss="log").make_query()


def hierarchical(now: Now) -> Any:
    data = told(now)
    return now.once("object", lambda: multiclass.HierarchicalSampling(data, [0, 1], active_selecting=True)).make_query()


def alce(now: Now) -> Any:
    data = told(now)
    make = multiclass.ActiveLearningWithCostEmbedding
    return now.once("object", lambda: make(data, 1.0 - np.eye(2), SVR(), mds_params={"n_init": 8})).make_query()


def of_labels(make: Any) -> Any:
    return lambda now: make(told(now)).make_query()


def auxiliary(data: Any) -> Any:
    return multilabel.MultilabelWithAuxiliaryLearner(
        data, BinaryRelevance(Logistic(random_state=0)), BinaryRelevance(SVM())
    )


def reference_pairs(data: Any) -> Any:
    from alcore_libact.library import replaced
    from alcore_libact.multilabel import _neighbors, csrpe, f1

    with replaced(csrpe, "NearestNeighbors", _neighbors):
        return csrpe.CostSensitiveReferencePairEncoding(
            data, f1, BinaryRelevance(Logistic(random_state=0)), Logistic(random_state=0), n_models=100, random_state=0
        )


NEWTON = {"solver": "newton-cg"}
CALLS = {
    "least-confident": uncertainty("lc"),
    "margin": uncertainty("sm"),
    "entropy": uncertainty("entropy"),
    "density-weighted": density_weighted,
    "random": kept(pool_based, "RandomSampling"),
    "qbc-vote": committee("vote"),
    "qbc-kl": committee("kl_divergence"),
    "quire": kept(pool_based, "QUIRE", signs=True),
    "dwus": kept(pool_based, "DWUS", signs=True, sigma=10.0),
    "hint-svm": kept(pool_based, "HintSVM", signs=True, anew=True),
    "albl": albl,
    "eer": eer,
    "hierarchical": hierarchical,
    "alce": alce,
    "mmc": of_labels(lambda data: multilabel.MMC(data, br_base=Logistic(random_state=0), logreg_param=NEWTON)),
    "binary-minimization": of_labels(lambda data: multilabel.BinaryMinimization(data, Logistic(random_state=0))),
    "adaptive": of_labels(lambda data: multilabel.AdaptiveActiveLearning(data, Logistic(random_state=0))),
    "multilabel-with-auxiliary-learner": of_labels(auxiliary),
    "cost-sensitive-reference-pair-encoding": of_labels(reference_pairs),
}
