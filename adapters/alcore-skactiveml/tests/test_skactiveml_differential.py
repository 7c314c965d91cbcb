"""Every strategy picks what scikit-activeml picks when it is called by hand, on real data, round after round.

By hand means: the library's own classes, its own wrappers of scikit-learn's estimators, X with all its features, and
the seeds that the run's streams give. Where a fault of the library is fixed, the call by hand is the fixed one, and
the test of the fault is in ``test_skactiveml_faults.py``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pytest
import skactiveml.pool as library
from skactiveml.classifier import MixtureModelClassifier, ParzenWindowClassifier, SklearnClassifier
from skactiveml.regressor import SklearnNormalRegressor, SklearnRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.mixture import BayesianGaussianMixture
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeRegressor

import alcore
from alcore.rng import seeded_globals, stream
from alcore_skactiveml.committee import draw
from alcore_skactiveml.specs import STRATEGIES

SEED, ROUNDS = 3, 3
CLASSIFIER = LogisticRegression(max_iter=1000)
REGRESSOR = BayesianRidge()


def wine() -> tuple[Any, Any]:
    return load_wine(return_X_y=True)


def cancer() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True)


def diabetes() -> tuple[Any, Any]:
    return load_diabetes(return_X_y=True)


def proline() -> tuple[Any, Any]:
    X = load_wine().data
    return X[:, :-1], X[:, -1] / 100.0


def sample(load: Callable[[], tuple[Any, Any]], rows: int, *, two: bool = False) -> tuple[Any, Any, list[int]]:
    """Return rows of a data set, standardised, their labels and a start set that has every class."""
    X, y = load()
    chosen = np.random.default_rng(0).permutation(len(X))[:rows]
    X, y = scale(X[chosen]), y[chosen]
    if two:
        y = (y == y[0]).astype(int)
    labels = np.unique(y) if y.dtype.kind == "i" else np.array([])
    start = [int(row) for label in labels for row in np.flatnonzero(y == label)[:3]] or list(range(8))
    return X, y, start


@dataclass
class Round:
    """What is known when a query is made: everything that a call by hand needs."""

    X: Any
    labeled: Any
    y_labeled: Any
    t: int
    batch: int
    kept: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def rng(self) -> Any:
        return stream(SEED, "strategy", self.t)

    @cached_property
    def setup_seed(self) -> int:
        return int(stream(SEED, "strategy").integers(2**31))

    def seed(self) -> int:
        return int(self.rng.integers(2**31))

    @cached_property
    def y(self) -> Any:
        y = np.full(len(self.X), np.nan)
        y[self.labeled] = self.y_labeled
        return y

    @property
    def unlabeled(self) -> Any:
        return np.flatnonzero(np.isnan(self.y))

    @property
    def classes(self) -> list[int]:
        return self.kept["classes"]

    def classifier(self) -> Any:
        fitted = LogisticRegression(max_iter=1000).fit(self.X[self.labeled], self.y_labeled)
        return SklearnClassifier(fitted, classes=self.classes)

    def regressor(self, wrapper: Any = SklearnNormalRegressor) -> Any:
        return wrapper(BayesianRidge()).fit(self.X[self.labeled], self.y_labeled)

    def committee(self, *, classes: bool = True) -> list[Any]:
        members = []
        for _ in range(10):
            rows = draw(self.y_labeled, self.rng, classes=classes)
            new = SklearnClassifier(LogisticRegression(max_iter=1000), classes=self.classes)
            new = new if classes else SklearnRegressor(BayesianRidge())
            members.append(new.fit(self.X[self.labeled[rows]], self.y_labeled[rows]))
        return members

    def ask(self, strategy: Any, **how: Any) -> Any:
        given = {"X": self.X, "y": self.y, "batch_size": self.batch} | how
        return strategy.query(return_utilities=True, **given)


def uncertainty(method: str) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        strategy = library.UncertaintySampling(method=method, random_state=now.seed())
        return now.ask(strategy, clf=now.classifier(), fit_clf=False)

    return by_hand


def with_classifier(name: str, *, shuffle: bool = False, **params: Any) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        order = now.rng.permutation(len(now.X)) if shuffle else np.arange(len(now.X))
        seed = now.seed()
        clusters = {"cluster_algo_dict": {"random_state": seed}} if name in ("Clue", "DropQuery") else {}
        strategy = getattr(library, name)(random_state=seed, **clusters, **params)
        estimator = {"Clue": "estimator"}.get(name, "clf")
        kwargs = {estimator: now.classifier(), f"fit_{estimator}": False}
        picks, utilities = now.ask(strategy, X=now.X[order], y=now.y[order], **kwargs)
        back = np.full_like(utilities, np.nan)
        back[:, order] = utilities
        return order[picks], back

    return by_hand


def alone(name: str, **params: Any) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        of_classes = {"classes": now.classes} if name in ("Quire", "CostEmbeddingAL") else {}
        return now.ask(getattr(library, name)(random_state=now.seed(), **of_classes, **params))

    return by_hand


def committee(name: str, *, classes: bool = True, **params: Any) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        ensemble = now.committee(classes=classes)
        return now.ask(getattr(library, name)(random_state=now.seed(), **params), ensemble=ensemble, fit_ensemble=False)

    return by_hand


def fitting(name: str, **params: Any) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        clf = SklearnClassifier(LogisticRegression(max_iter=1000), classes=now.classes)
        return now.ask(getattr(library, name)(random_state=now.seed(), **params), clf=clf)

    return by_hand


def with_regressor(name: str, **params: Any) -> Callable[[Round], Any]:
    def by_hand(now: Round) -> Any:
        return now.ask(getattr(library, name)(random_state=now.seed(), **params), reg=now.regressor(), fit_reg=False)

    return by_hand


def epistemic(now: Round) -> Any:
    clf = ParzenWindowClassifier(classes=now.classes).fit(now.X, now.y)
    return now.ask(library.EpistemicUncertaintySampling(random_state=now.seed()), clf=clf, fit_clf=False)


def discriminative(now: Round) -> Any:
    strategy = library.DiscriminativeAL(random_state=now.seed())
    return now.ask(strategy, discriminator=SklearnClassifier(LogisticRegression(max_iter=1000)))


def prob_cover(now: Round) -> Any:
    if "strategy" not in now.kept:
        now.kept["strategy"] = library.ProbCover(n_classes=len(now.classes), random_state=now.setup_seed)
    return now.ask(now.kept["strategy"])


def four_ds(now: Round) -> Any:
    if "mixture" not in now.kept:
        mixture = BayesianGaussianMixture(n_components=len(now.classes), random_state=now.setup_seed)
        with seeded_globals(now.setup_seed):
            now.kept["mixture"] = mixture.fit(now.X)
    clf = MixtureModelClassifier(now.kept["mixture"], classes=now.classes).fit(now.X, now.y)
    return now.ask(library.FourDs(random_state=now.seed()), clf=clf, fit_clf=False)


def model_change(now: Round) -> Any:
    strategy = library.ExpectedModelChangeMaximization(n_train=1, random_state=now.seed())
    X, y, rows = now.X[now.labeled], now.y_labeled, now.unlabeled
    picks, utilities = now.ask(strategy, X=X, y=y, candidates=now.X[rows], reg=now.regressor(), fit_reg=False)
    full = np.full((now.batch, len(now.X)), np.nan)
    full[:, rows] = utilities
    return rows[picks], full


def clue_of_targets(now: Round) -> Any:
    class WithDoubt(SklearnRegressor):  # a regressor must say its doubt unasked
        def predict(self, X: Any) -> Any:
            return self.estimator_.predict(X, return_std=True)

    seed = now.seed()
    strategy = library.Clue(cluster_algo_dict={"random_state": seed}, random_state=seed)
    return now.ask(strategy, estimator=now.regressor(WithDoubt), fit_estimator=False)


def tree(now: Round) -> Any:
    seed = now.seed()
    reg = SklearnRegressor(DecisionTreeRegressor(min_samples_leaf=2, random_state=seed)).fit(now.X, now.y)
    picks, utilities = now.ask(library.RegressionTreeBasedAL(random_state=seed), reg=reg, fit_reg=False)
    return np.ravel(picks), utilities


def sub_sampling(now: Round) -> Any:
    seed = now.seed()
    inner = library.UncertaintySampling(method="margin_sampling", random_state=seed)
    wrapper = library.SubSamplingWrapper(inner, max_candidates=0.5, random_state=seed)
    return now.ask(wrapper, clf=now.classifier(), fit_clf=False)


def parallel(now: Round) -> Any:
    seed = now.seed()
    inner = library.ContrastiveAL(random_state=seed)
    wrapper = library.ParallelUtilityEstimationWrapper(inner, n_jobs=1, random_state=seed)
    return now.ask(wrapper, clf=now.classifier(), fit_clf=False)


INTEGRATED = {"method": "assume_linear"}
HERMITE = {"method": "gauss_hermite", "n_integration_samples": 3}
BY_HAND: dict[str, Callable[[Round], Any]] = {
    "random": alone("RandomSampling"),
    "least-confident": uncertainty("least_confident"),
    "margin": uncertainty("margin_sampling"),
    "entropy": uncertainty("entropy"),
    "expected-average-precision": uncertainty("expected_average_precision"),
    "epistemic-uncertainty-sampling": epistemic,
    "probabilistic-al": with_classifier("ProbabilisticAL", metric="rbf"),
    "contrastive-al": with_classifier("ContrastiveAL"),
    "drop-query": with_classifier("DropQuery", shuffle=True),
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
    "expected-model-variance-reduction": with_regressor("ExpectedModelVarianceReduction", integration_dict=INTEGRATED),
    "kl-divergence-maximization": with_regressor("KLDivergenceMaximization", integration_dict_target_val=INTEGRATED),
    "core-set": alone("CoreSet"),
    "typiclust": alone("TypiClust"),
    "prob-cover": prob_cover,
    "max-herding": alone("MaxHerding"),
    "greedy-sampling-x": alone("GreedySamplingX"),
    "greedy-sampling-target": with_regressor("GreedySamplingTarget"),
    "discriminative-al": discriminative,
    "regression-tree-based-al": tree,
    "badge": with_classifier("Badge", shuffle=True),
    "clue": with_classifier("Clue"),
    "falcun": with_classifier("Falcun"),
    "quire": alone("Quire"),
    "four-ds": four_ds,
    "alce": alone("CostEmbeddingAL"),
    "sub-sampling-wrapper": sub_sampling,
    "parallel-utility-estimation-wrapper": parallel,
}
PARAMS = {
    "sub-sampling-wrapper": {"base": "skactiveml.margin", "max_candidates": 0.5},
    "parallel-utility-estimation-wrapper": {"base": "skactiveml.contrastive-al", "n_jobs": 2},
}
HEAVY = {"value-of-information-eer", "eer", "kl-divergence-maximization",
         "expected-model-output-change", "expected-model-variance-reduction", "expected-average-precision",
         "alce"}  # fmt: skip
"""Strategies that cost a fit per candidate, or as much: tried on fewer rows."""

SPECS = {spec.name.removeprefix("skactiveml."): spec for spec in STRATEGIES}


def run(name: str, load: Any, by_hand: Any, learner: Any, batch: int, params: dict[str, Any] | None = None) -> None:
    spec = SPECS[name]
    X, y, start = sample(load, 25 if name in HEAVY else 60, two=spec.max_classes == 2)
    strategy = spec.build(**(params or PARAMS.get(name, {})))
    done = alcore.simulate(
        X, y, strategy=strategy, learner=learner, start=start, budget=ROUNDS * batch, batch=batch, seed=SEED,
        test=(X, y), features="raw", task="classification" if y.dtype.kind == "i" else "regression",
    )  # fmt: skip
    kept: dict[str, Any] = {"classes": np.unique(y).tolist()}
    labeled = np.array(start)
    for record in done.records[1:]:
        now = Round(X, labeled, y[labeled], record.t, batch, kept)
        with warnings.catch_warnings(), seeded_globals(0):
            warnings.simplefilter("ignore")
            picks, utilities = by_hand(now)
        require_same(record.rows.tolist(), np.ravel(picks).tolist(), np.asarray(utilities), spec.batch)
        labeled = np.concatenate([labeled, record.rows])
    assert len(done.records) == ROUNDS + 1


def require_same(found: list[int], wanted: list[int], utilities: Any, mode: str) -> None:
    """Require the same rows; where the best scores tie, any of them."""
    if mode != "native" and set(found) != set(wanted):
        values = np.sort(utilities[0][wanted])
        span = np.ptp(utilities[0][np.isfinite(utilities[0])])
        assert np.allclose(np.sort(utilities[0][found]), values, rtol=0, atol=1e-9 * span), (found, wanted)
    elif mode == "native":
        assert found == wanted


CLASSES = [name for name, spec in SPECS.items() if "classification" in spec.tasks]
TARGETS = [name for name, spec in SPECS.items() if spec.tasks == {"regression"}]


SLOW = HEAVY | {"qbc-kl", "qbc-variation-ratios", "batch-bald"}


def named(names: list[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in names]


def test_every_exported_strategy_is_wrapped_and_compared():
    exported = {
        name
        for name in library.__all__
        if isinstance(getattr(library, name), type) and hasattr(getattr(library, name), "query")
    }
    named_in_summaries = {spec.summary.partition(":")[0] for spec in STRATEGIES}

    assert exported - {"ExpectedErrorReduction"} == named_in_summaries  # the base class of two others
    assert set(BY_HAND) == set(SPECS)


@pytest.mark.parametrize("load", [wine, cancer])
@pytest.mark.parametrize("name", named(CLASSES))
def test_same_picks_for_classes(name, load):
    run(name, load, BY_HAND[name], CLASSIFIER, 1 if SPECS[name].batch == "single" else 3)


@pytest.mark.parametrize("load", [diabetes, proline])
@pytest.mark.parametrize("name", named(TARGETS))
def test_same_picks_for_targets(name, load):
    run(name, load, BY_HAND[name], REGRESSOR, 3)


@pytest.mark.parametrize("load", [diabetes, proline])
@pytest.mark.parametrize("name", ["random", "core-set", "typiclust", "max-herding", "greedy-sampling-x"])
def test_same_picks_for_targets_without_a_learner(name, load):
    run(name, load, BY_HAND[name], REGRESSOR, 3)


@pytest.mark.parametrize("load", [diabetes, proline])
def test_clue_uses_the_standard_deviation_of_a_regressor(load):
    run("clue", load, clue_of_targets, REGRESSOR, 3)
