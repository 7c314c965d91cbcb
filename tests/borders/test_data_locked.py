"""Who may write to what: strategies to nothing, learners to rows of their own, nobody to the caller's rows."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import cluster, decomposition, impute, preprocessing
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import all_estimators

import alcore
from alcore.errors import EvaluationError, InputError, LearnerError, StrategyError
from alcore.estimators import PerLabel
from alcore.learners import Recipe
from alcore.memory import frozen, locked

X, Y = load_wine(return_X_y=True)
X = X[::2, :6].copy()
Y = Y[::2].copy()
CONTAINERS: dict[str, Callable[[], Any]] = {
    "array": X.copy,
    "Fortran": lambda: np.asfortranarray(X),
    "csr": lambda: sp.csr_array(X),
    "frame": lambda: pd.DataFrame(X, columns=list("abcdef")),
}
METRICS = ["accuracy", "log-loss", "roc-auc"]


def run(X: Any, strategy: Any, learner: Any, **more: Any) -> Any:
    given = {"budget": 3, "start": 12, "seed": 1, "metrics": METRICS} | more
    return alcore.simulate(X, Y, strategy=strategy, learner=learner, **given)


def outcome(done: Any) -> tuple[Any, ...]:
    return done.queried.tolist(), [dict(record.metrics) for record in done.records]


# Learners that write --------------------------------------------------------------------------------------------------

IN_PLACE = {
    "MinMaxScaler": (preprocessing.MinMaxScaler, {}, "array Fortran"),
    "MaxAbsScaler": (preprocessing.MaxAbsScaler, {}, "array Fortran csr"),
    "RobustScaler": (preprocessing.RobustScaler, {"with_centering": False}, "array Fortran csr"),
    "StandardScaler": (preprocessing.StandardScaler, {"with_mean": False}, "array Fortran csr"),
    "Normalizer": (preprocessing.Normalizer, {}, "array Fortran csr"),
    "Binarizer": (preprocessing.Binarizer, {"threshold": 3.0}, "array Fortran csr"),
    "QuantileTransformer": (preprocessing.QuantileTransformer, {"n_quantiles": 5, "random_state": 0}, "array csr"),
    "PowerTransformer": (preprocessing.PowerTransformer, {}, "array Fortran"),
    "SimpleImputer": (impute.SimpleImputer, {}, "array Fortran"),
    "KNNImputer": (impute.KNNImputer, {}, "array"),
    "PCA": (decomposition.PCA, {"n_components": 3, "random_state": 0}, "array Fortran"),
    "KernelPCA": (decomposition.KernelPCA, {"n_components": 3, "copy_X": True, "random_state": 0}, "array"),
    "Birch": (cluster.Birch, {}, "array"),
}
ELSEWHERE = {
    # In a pipeline of scikit-learn alone these differ already: their fit changes what their transform is then given.
    "FactorAnalysis", "IncrementalPCA",
    # In-place parameters that are of something else, or of what is no step before a classifier.
    "PLSRegression",
    "CCA", "PLSCanonical", "PLSSVD", "FastICA", "KMeans", "MiniBatchKMeans", "BisectingKMeans", "TfidfTransformer",
    "TfidfVectorizer", "DBSCAN", "HDBSCAN", "KernelCenterer", "AdditiveChi2Sampler", "FunctionTransformer",
}  # fmt: skip


def switch(kind: Any) -> str:
    """Return the parameter that lets a transformer write to what it is given."""
    return next(name for name in ("copy", "copy_X", "copy_x") if name in inspect.signature(kind).parameters)


def steps(name: str, copies: bool) -> Any:
    kind, params, _ = IN_PLACE[name]
    params = {key: value for key, value in params.items() if key != "copy_X"}
    made = kind(**params)
    try:
        made.set_params(**{switch(kind): copies})
    except StopIteration:
        pytest.skip(f"this scikit-learn has no in-place {name}")
    return make_pipeline(made, LogisticRegression(max_iter=5000, tol=1e-2))


def test_every_transformer_that_writes_in_place_is_tried() -> None:
    found = set()
    for name, kind in all_estimators("transformer"):
        if not {"copy", "copy_X", "copy_x"}.isdisjoint(inspect.signature(kind).parameters):
            found.add(name)
    assert found <= IN_PLACE.keys() | ELSEWHERE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", IN_PLACE)
def test_a_learner_that_writes_in_place_is_as_one_that_copies(name: str, container: str) -> None:
    if container not in IN_PLACE[name][2]:
        pytest.skip("not for this container")
    given = CONTAINERS[container]()
    before = copy.deepcopy(given)
    here, there = (run(given, "margin", steps(name, copies), features="raw") for copies in (False, True))
    assert outcome(here) == outcome(there)
    same = (given != before).nnz == 0 if sp.issparse(given) else np.array_equal(given, before)
    assert same


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["MinMaxScaler"])
@pytest.mark.parametrize(
    ("strategy", "params"),
    [("qbc", {"members": 2}), ("bald", {}), ("badge", {}), ("expected-gradient-length", {})],
)
def test_it_is_so_inside_strategies_that_fit_or_predict(name: str, strategy: str, params: Any) -> None:
    pytest.importorskip("alcore_strategies")
    here, there = (run(X, strategy, steps(name, copies), strategy_params=params, budget=2) for copies in (False, True))
    assert outcome(here) == outcome(there)


class Scribbler(GaussianNB):  # type: ignore[misc]
    """Writes to all that it is given."""

    def fit(self, X: Any, y: Any) -> Self:
        super().fit(X, y)
        X[:] = 0
        y[:] = 0
        return self

    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        X[:] = -1
        return p


def test_a_learner_may_write_to_all_that_it_is_given() -> None:
    assert outcome(run(X, "margin", Scribbler())) == outcome(run(X, "margin", GaussianNB()))
    targets = np.column_stack([Y == 0, Y == 1]).astype(int)
    curves = [
        alcore.simulate(
            X, targets, strategy="random", learner=PerLabel(make_pipeline(one, GaussianNB())),
            start=20, budget=2,
        ).curve.values.tolist()
        for one in (preprocessing.MinMaxScaler(copy=False), preprocessing.MinMaxScaler())
    ]  # fmt: skip
    assert curves[0] == curves[1]


# Strategies that write ------------------------------------------------------------------------------------------------


def unlocked(get: Callable[[Any], Any]) -> Callable[[Any], None]:
    def act(view: Any) -> None:
        array = get(view)
        array.setflags(write=True)
        array[:] = 0

    return act


def zeroed(get: Callable[[Any], Any]) -> Callable[[Any], None]:
    def act(view: Any) -> None:
        get(view)[:] = 0

    return act


SEEN: dict[str, Callable[[Any], Any]] = {
    "pool.X": lambda view: view.pool.X,
    "pool.features": lambda view: view.pool.features,
    "y": lambda view: view.y,
    "labeled": lambda view: view.labeled,
    "unlabeled": lambda view: view.unlabeled,
    "proba": lambda view: view.proba,
    "X_unlabeled": lambda view: view.X_unlabeled,
    "X_labeled": lambda view: view.X_labeled,
    "a memo": lambda view: view.pool.memo("mine", lambda: np.ones(3)),
    "a tuple of a memo": lambda view: view.pool.memo("two", lambda: (np.ones(3), 1))[0],
}


class Acts:
    name = "acts"

    def __init__(self, act: Callable[[Any], None]) -> None:
        self.act = act

    def query(self, view: Any, n: int) -> Any:
        self.act(view)
        return view.unlabeled[:n]


@pytest.mark.parametrize("how", [zeroed, unlocked], ids=["written", "unlocked"])
@pytest.mark.parametrize("what", SEEN)
def test_a_strategy_that_writes_is_named(what: str, how: Any) -> None:
    given = X.copy()
    with pytest.raises(StrategyError, match=r"acts failed in round 1: ValueError: .*(read-only|WRITEABLE)"):
        run(given, Acts(how(SEEN[what])), GaussianNB())
    assert np.array_equal(given, X)
    assert given.flags.writeable


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
@pytest.mark.parametrize("how", [zeroed, unlocked], ids=["written", "unlocked"])
def test_sparse_rows_are_locked(part: str, how: Any) -> None:
    act = how(lambda view: getattr(view.pool.X, part))
    with pytest.raises(StrategyError, match="acts failed in round 1: ValueError"):
        run(sp.csr_array(X), Acts(act), LogisticRegression(max_iter=5000, tol=1e-2))


def replaced(view: Any) -> None:
    view.pool.X.data = np.zeros(3)


def reshaped(view: Any) -> None:
    view.pool.X.shape = (-1,)


def column(view: Any) -> None:
    view.pool.X["a"] = 0.0
    view.pool.X.to_numpy()[:] = 0
    view.X_unlabeled.iloc[:] = 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("container", "act"), [("csr", replaced), ("array", reshaped), ("frame", column)])
def test_what_is_set_on_a_container_stays_with_who_sets_it(container: str, act: Any) -> None:
    learner = make_pipeline(preprocessing.StandardScaler(with_mean=False), LogisticRegression())
    given = CONTAINERS[container]()
    assert outcome(run(given, Acts(act), learner)) == outcome(run(given, Acts(lambda view: None), learner))


def test_a_pool_is_locked_again_after_a_pickle() -> None:
    pool = pickle.loads(pickle.dumps(alcore.Pool(X.copy(), classes=(0, 1))))
    with pytest.raises(ValueError, match="WRITEABLE"):
        pool.X.setflags(write=True)


@pytest.mark.parametrize(
    "given",
    [np.array(["2020-01-01"], dtype="M8[D]"), np.array(["a", None], dtype=object), np.array([1 + 2j]), X[::2, ::-1]],
    ids=["dates", "objects", "complex", "strided"],
)
def test_memory_of_any_kind_is_locked_where_it_is(given: Any) -> None:
    held = locked(given)
    assert np.array_equal(held, given)
    assert (held.dtype, held.strides) == (given.dtype, given.strides)
    assert np.shares_memory(held, given)
    assert np.shares_memory(locked(held), given)
    for array in (held, held.view(), held[:1]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    assert frozen(("text", 3)) == ("text", 3)


# The model ------------------------------------------------------------------------------------------------------------


def refitted(view: Any) -> None:
    view.model.fit(view.X_labeled, view.y)


def went_on(view: Any) -> None:
    view.model.fit_further(view.X_labeled, view.y)


def edited(view: Any) -> None:
    view.model.estimator.coef_[:] = 0
    view.model.estimator.fit(X[:6], [0, 1, 2] * 2)
    view.model.constant = 1
    assert view.proba.shape == (len(view.unlabeled), 3)


@pytest.mark.parametrize("refit", ["scratch", "continue"])
@pytest.mark.parametrize("act", [refitted, went_on])
def test_the_runs_own_model_is_not_fitted_by_a_strategy(act: Any, refit: Any) -> None:
    recipe = Recipe(SGDClassifier(loss="log_loss"), refit=refit)
    with pytest.raises(StrategyError, match=r"SGDClassifier is the run's own learner.*view.new_learner\(\)"):
        run(X, Acts(act), recipe)


@pytest.mark.parametrize("refit", ["scratch", "continue"])
def test_an_edit_of_the_estimator_is_without_effect(refit: Any) -> None:
    recipe = Recipe(SGDClassifier(loss="log_loss"), refit=refit)
    assert outcome(run(X, Acts(edited), recipe)) == outcome(run(X, Acts(lambda view: None), recipe))


@pytest.mark.filterwarnings("ignore")
def test_a_prefit_estimator_is_shown_as_a_copy() -> None:
    fitted = SGDClassifier(loss="log_loss", random_state=0).fit(X, Y)
    before = fitted.coef_.copy()

    def act(view: Any) -> None:
        view.model.estimator.fitted.coef_[:] = 0

    run(X, Acts(act), Recipe(fitted, prefit=True), start=0, budget=1)
    assert np.array_equal(fitted.coef_, before)


def test_what_cannot_be_copied_is_not_shown() -> None:
    class Holder(GaussianNB):  # type: ignore[misc]
        def __deepcopy__(self, memo: Any) -> Self:
            raise TypeError("it holds a socket")

    with pytest.raises(LearnerError, match=r"Holder cannot be copied \(TypeError: it holds a socket\)"):
        run(X, Acts(lambda view: view.model.estimator), Holder)
    assert len(run(X, "margin", Holder).records) == 4


def test_a_metric_cannot_write_to_the_truth() -> None:
    def bad(scored: Any) -> float:
        scored.y[:] = 0
        return 0.0

    with pytest.raises(EvaluationError, match=r"the metric bad failed after round 0: ValueError: .* read-only"):
        run(X, "random", GaussianNB(), metrics={"bad": bad})


# Sessions -------------------------------------------------------------------------------------------------------------


def session_of(X: Any) -> alcore.Session:
    session = alcore.Session(
        X, strategy="margin", learner=LogisticRegression(max_iter=5000, tol=1e-2), classes=[0, 1, 2]
    )
    session.tell(np.arange(0, 60, 5), Y[:60:5].tolist())
    return session


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_session_sees_that_its_rows_were_changed(container: str, tmp_path: Any) -> None:
    given = CONTAINERS[container]()
    session = session_of(given)
    session.ask(2)
    if container == "csr":
        given.data[:] = 0
    elif container == "frame":
        given.iloc[:] = 0.0
    else:
        given[:] = 0
    for act in (lambda: session.ask(1), session.scores, lambda: session.save(tmp_path / "session.json")):
        with pytest.raises(InputError, match=r"X was changed after the session was made.*Session\(X.copy\(\)"):
            act()


def test_the_callers_rows_are_neither_flagged_nor_copied() -> None:
    given = X.copy()
    session = session_of(given)
    assert given.flags.writeable
    assert np.shares_memory(session.pool.X, given)
    with pytest.raises(StrategyError, match="is the run's own learner"):
        session.model.fit(X, Y)
