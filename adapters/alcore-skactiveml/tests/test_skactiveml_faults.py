"""What scikit-activeml 1.0.1 gets wrong, seen in the library itself, and what alcore makes of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skactiveml.pool as library
from scipy.sparse import csr_matrix
from skactiveml.classifier import SklearnClassifier
from skactiveml.regressor import SklearnNormalRegressor, SklearnRegressor
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import alcore
from alcore.rng import seeded_globals
from alcore_skactiveml.batches import RegressionTree
from alcore_skactiveml.expected import OutputChange
from alcore_skactiveml.mended import SubsetQuire
from alcore_skactiveml.uncertainty import Epistemic
from alcore_skactiveml.wrappers import Parallel

LEARNER = LogisticRegression()


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def masked(y: Any, labeled: Any) -> Any:
    known = np.full(len(y), np.nan)
    known[labeled] = np.asarray(y)[labeled]
    return known


def queried(X: Any, y: Any, strategy: str, start: Any, *, learner: Any = LEARNER, **how: Any) -> list[int]:
    done = alcore.simulate(
        X, y, strategy=f"skactiveml.{strategy}", learner=learner, start=list(start), test=(X, y), features="raw", **how
    )
    return done.queried.tolist()[len(start) :]


REPEATED = np.repeat([[0.0, 0.0], [1.0, 1.0]], 6, axis=0)
CLASSES = np.repeat([0, 1], 6)


@pytest.mark.parametrize(("name", "here"), [("Badge", "badge"), ("TypiClust", "typiclust")])
def test_rows_are_repeated_in_a_batch_where_positions_are(name, here):
    y, repeats = masked(CLASSES, [0, 6]), 0
    for seed in range(10):
        kwargs = {}
        if name == "Badge":
            kwargs = {"clf": SklearnClassifier(LogisticRegression(), classes=[0, 1])}
        try:
            picks = getattr(library, name)(random_state=seed).query(REPEATED, y, batch_size=6, **kwargs)
        except UnboundLocalError:
            continue
        repeats += len(set(map(int, picks))) < 6
    assert repeats or name == "TypiClust"

    for seed in range(10):
        rows = queried(REPEATED, CLASSES, here, [0, 6], budget=6, batch=6, seed=seed)
        assert len(set(rows)) == 6


def test_typiclust_repeats_rows_while_clusters_are_left():
    X, y = np.repeat(np.arange(4.0)[:, None], 3, axis=0), masked(np.arange(12) % 2, [0])
    picks = [library.TypiClust(random_state=seed).query(X, y, batch_size=8) for seed in range(10)]

    assert any(len(set(one.tolist())) < 8 for one in picks)
    rows = queried(X, np.arange(12) % 2, "typiclust", [0, 1], budget=8, batch=8)
    assert len(set(rows)) == 8


def test_typiclust_crashes_where_all_rows_are_the_same():
    X, y = np.ones((10, 2)), np.arange(10) % 2

    with pytest.raises(UnboundLocalError):
        library.TypiClust(random_state=0).query(X, masked(y, [0, 1]))
    assert len(queried(X, y, "typiclust", [0, 1], budget=4, batch=2)) == 4


@pytest.mark.parametrize(("name", "here"), [("Clue", "clue"), ("DropQuery", "drop-query")])
def test_clusters_are_unseeded(name, here):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)
    estimator = "estimator" if name == "Clue" else "clf"

    def by_hand(world: int) -> tuple[int, ...]:
        clf = SklearnClassifier(LogisticRegression(), classes=[0, 1])
        with seeded_globals(world):
            strategy = getattr(library, name)(random_state=0)
            return tuple(strategy.query(X, masked(y, np.arange(6)), batch_size=8, **{estimator: clf}).tolist())

    def ours(world: int) -> list[int]:
        with seeded_globals(world):
            return queried(X, y, here, range(6), budget=8, batch=8)

    worlds = range(5)
    assert len({by_hand(world) for world in worlds}) > 1
    assert len({tuple(ours(world)) for world in worlds}) == 1


def test_a_fit_that_fails_is_swallowed():
    class Broken(LogisticRegression):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise ValueError("too bad")

    X, y = REPEATED + np.arange(12)[:, None], CLASSES
    clf = SklearnClassifier(Broken(), classes=[0, 1]).fit(X, masked(y, [0, 6]))
    assert clf.predict_proba(X).tolist() == [[0.5, 0.5]] * 12

    with pytest.raises(alcore.LearnerError, match="too bad"):
        queried(X, y, "margin", [0, 6], learner=Broken(), budget=1)


def test_sparse_rows_are_refused():
    X, y = csr_matrix(REPEATED + np.arange(12)[:, None]), CLASSES
    clf = SklearnClassifier(LogisticRegression(), classes=[0, 1])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        library.UncertaintySampling().query(X, masked(y, [0, 6]), clf=clf)

    assert queried(X, y, "margin", [0, 6], budget=3) == queried(X.toarray(), y, "margin", [0, 6], budget=3)
    with pytest.raises(alcore.PairingError, match="sparse"):
        queried(X, y, "core-set", [0, 6], budget=3)


def test_missing_values_are_refused_where_the_learner_takes_them():
    X, y = REPEATED + np.arange(12)[:, None], CLASSES
    X[3, 0] = np.nan
    learner = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=1)
    with pytest.raises(ValueError, match="NaN"):
        library.UncertaintySampling().query(X, masked(y, [0, 6]), clf=SklearnClassifier(learner, classes=[0, 1]))

    assert len(queried(X, y, "margin", [0, 6], budget=3, learner=learner)) == 3


def test_frames_of_text_are_refused():
    X, y = pd.DataFrame({"size": np.arange(12.0), "colour": list("aabbcabcabca")}), CLASSES
    learner = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough"),
        LogisticRegression(),
    )
    with pytest.raises(ValueError, match="could not convert string"):
        library.UncertaintySampling().query(X, masked(y, [0, 6]), clf=SklearnClassifier(learner, classes=[0, 1]))

    for name in ("margin", "core-set", "badge", "eer", "qbc-kl", "contrastive-al", "probabilistic-al"):
        done = alcore.simulate(
            X, y, strategy=f"skactiveml.{name}", learner=learner, start=[0, 6], budget=3, test=(X, y)
        )
        assert len(done.queried) == 5, name
    with pytest.raises(alcore.InputError, match="must be numbers"):
        queried(X, y, "drop-query", [0, 6], learner=learner, budget=1)


def test_quire_scores_a_part_of_the_candidates_wrongly():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(16, 3)), masked(rng.integers(2, size=16), np.arange(4))
    some = np.array([6, 9, 13])
    whole = library.Quire(classes=[0, 1], random_state=0).query(X, y, return_utilities=True)[1][0][some]
    part = library.Quire(classes=[0, 1], random_state=0).query(X, y, some, return_utilities=True)[1][0][some]
    ours = SubsetQuire(classes=[0, 1], random_state=0).query(X, y, some, return_utilities=True)[1][0]

    assert not np.allclose(whole, part)
    np.testing.assert_array_equal(ours[some], whole)
    assert np.isnan(np.delete(ours, some)).all()


def test_expected_average_precision_fails_by_rounding():
    proba = np.array([[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]]) * (1 + 1e-15)
    with pytest.raises(ValueError, match="must be one"):
        library.expected_average_precision(list(range(10)), proba)

    class Uneven(LogisticRegression):
        def predict_proba(self, X: Any) -> Any:
            return np.repeat(proba, len(X), axis=0)

    X, y = np.arange(13.0)[:, None], np.arange(13) % 10
    rows = queried(X, y, "expected-average-precision", range(10), learner=Uneven(), budget=3)
    assert sorted(rows) == [10, 11, 12]


class Counting(RegressorMixin, BaseEstimator):
    sizes: list[int] = []  # noqa: RUF012 - shared by copies on purpose

    def fit(self, X: Any, y: Any) -> Any:
        self.sizes.append(len(y))
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def test_model_change_draws_the_square_of_the_rows():
    X, y = np.arange(40.0)[:, None], np.arange(40.0)
    Counting.sizes.clear()
    library.ExpectedModelChangeMaximization(random_state=0).query(
        X, masked(y, np.arange(10)), reg=SklearnRegressor(Counting())
    )
    assert min(Counting.sizes[1:]) > 150  # of the 10 labelled rows, as 801 of 40 are drawn

    Counting.sizes.clear()
    queried(X, y, "expected-model-change-maximization", range(10), learner=Counting(), budget=1, task="regression")
    assert Counting.sizes[1:4] == [11, 11, 11]


def test_the_default_of_output_change_scores_rounding():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X.sum(axis=1) + rng.normal(size=30)
    reg = SklearnNormalRegressor(GaussianProcessRegressor(alpha=0.1, optimizer=None)).fit(X[:8], y[:8])

    def best(**how: Any) -> float:
        strategy = library.ExpectedModelOutputChange(random_state=0, **how)
        known = masked(y, np.arange(8))
        return float(np.nanmax(strategy.query(X, known, reg=reg, fit_reg=False, return_utilities=True)[1]))

    assert best() < 1e-20
    assert best(integration_dict=OutputChange().how) > 1e-3


def test_bald_writes_into_the_probabilities_it_is_given():
    proba = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    library.batch_bald(proba, batch_size=1)

    assert proba.min() > 0


def test_a_batch_of_the_regression_tree_comes_back_short():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    reg = SklearnRegressor(DecisionTreeRegressor(random_state=0))
    lengths = {
        len(library.RegressionTreeBasedAL(random_state=seed).query(X, masked(y, np.arange(10)), reg=reg, batch_size=4))
        for seed in range(10)
    }
    assert min(lengths) < 4

    done = alcore.simulate(
        X, y, strategy=RegressionTree(min_samples_leaf=1), learner=BayesianRidge(), start=list(range(10)), budget=12,
        batch=4, test=(X, y),
    )  # fmt: skip
    assert len(set(done.queried.tolist())) == 22


def test_parallel_scoring_fails_near_the_end_of_a_pool(monkeypatch):
    monkeypatch.setattr("skactiveml.pool._wrapper.cpu_count", lambda: 4)
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    wrapper = library.ParallelUtilityEstimationWrapper(
        library.CoreSet(), n_jobs=-1, parallel_dict={"backend": "threading"}
    )
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        wrapper.query(X, masked(y, np.arange(6)))

    done = alcore.simulate(
        X, y, strategy=Parallel("skactiveml.core-set", n_jobs=-1), learner=LEARNER, start=[0, 1], test=(X, y)
    )
    assert len(done.queried) == 8


def test_the_first_row_of_a_file_opens_every_batch_of_equal_rows():
    X, y = np.ones((12, 2)), CLASSES
    clf = SklearnClassifier(LogisticRegression(), classes=[0, 1])
    firsts = {int(library.Badge(random_state=s).query(X, masked(y, [0, 6]), clf=clf)[0]) for s in range(10)}
    assert firsts == {1}

    assert len({queried(X, y, "badge", [0, 6], budget=1, seed=seed)[0] for seed in range(10)}) > 1


def test_epistemic_uncertainty_of_logistic_regression_is_0_where_class_0_is_likelier():
    rng = np.random.default_rng(3)
    X, y, labeled = rng.normal(size=(9, 2)), np.arange(9) % 2, np.arange(4)
    signs = masked(2 * y - 1, labeled)
    clf = SklearnClassifier(LogisticRegression(), classes=[-1, 1]).fit(X, signs)
    strategy = library.EpistemicUncertaintySampling(random_state=0)
    scores = strategy.query(X, signs, clf=clf, fit_clf=False, return_utilities=True)[1][0][4:]
    ours = alcore.simulate(
        X, y, strategy=Epistemic(model="logistic-regression"), learner=LEARNER, start=labeled.tolist(), budget=5,
        batch=5, test=(X, y), features="raw",
    ).queried[4:]  # fmt: skip

    likelier = clf.predict_proba(X)[4:, 0] > 0.5
    assert likelier.any()
    assert not scores[likelier].any()
    np.testing.assert_allclose(np.sort(scores)[::-1], scores[ours - 4])
