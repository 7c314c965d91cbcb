"""alcore's picks equal those of the library called by hand: same rows, labels, seeds and model, over several rounds.

By hand, the library is given all labels, hidden ones too, as its users give them: it must make no difference.
"""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest
from alipy.index import IndexCollection
from alipy.query_strategy import query_labels as raw
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import alcore
from alcore.plugins import loaded
from alcore.rng import stream

pytestmark = pytest.mark.usefixtures("by_hand")
SEED, ROUNDS = 3, 4


def _rows(load, n, classes):
    X, y = load(return_X_y=True)
    keep = np.flatnonzero(np.isin(y, classes))
    keep = np.random.default_rng(7).permutation(keep)[:n]
    return StandardScaler().fit_transform(X[keep]), y[keep]


DATA = {
    "wine": lambda n: _rows(load_wine, n, (0, 1, 2)),
    "wine, two classes": lambda n: _rows(load_wine, n, (0, 1)),
    "breast cancer": lambda n: _rows(load_breast_cancer, n, (0, 1)),
}
TWO, ALL = ("wine, two classes", "breast cancer"), tuple(DATA)


def _seed(t):
    return int(stream(SEED, "strategy", t).integers(2**31))


def _model():
    return LogisticRegression(max_iter=1000)


def _hear(monkeypatch):
    """Return the list to which the raw library's scores will be added."""
    heard, largest = [], raw.nlargestarg
    monkeypatch.setattr(raw, "nlargestarg", lambda a, n: (heard.append(a), largest(a, n))[1])
    return heard


def agree(strategy, data, by_hand, *, n=80, start=24, batch=1, params=None, same_score=None):
    """Run alcore, and ask the library by hand at each of its labelled sets."""
    X, y = DATA[data](n)
    run = alcore.simulate(
        X, y, strategy=loaded().registry.build("strategy", strategy, **(params or {})), learner=_model(),
        start=list(range(start)), budget=ROUNDS * batch, batch=batch, seed=SEED, ties="first", test=(X, y),
        features="raw",
    )  # fmt: skip
    labeled = list(range(start))
    for record in run.records[1:]:
        unlabeled = np.setdiff1d(np.arange(n), labeled)
        picked = by_hand(X, y, np.array(labeled), unlabeled, _seed(record.t), batch)
        ours = record.rows
        if same_score is not None:
            score = dict(zip(unlabeled.tolist(), same_score(), strict=True))
            wanted = sorted(score[int(row)] for row in picked)
            assert sorted(score[row] for row in ours.tolist()) == pytest.approx(wanted, abs=1e-9)
        else:
            assert sorted(ours.tolist()) == sorted(int(row) for row in picked)
        labeled += ours.tolist()
    assert len(labeled) == start + ROUNDS * batch


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("data", ALL)
@pytest.mark.parametrize("measure", ["least_confident", "margin", "entropy"])
def test_uncertainty(measure, data, batch):
    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryInstanceUncertainty(X, y, measure=measure)
        return query.select(labeled, unlabeled, model=_model().fit(X[labeled], y[labeled]), batch_size=batch)

    agree(f"alipy.{measure.replace('_', '-')}", data, by_hand, batch=batch)


@pytest.mark.parametrize("data", TWO)
def test_distance_to_boundary(data):
    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryInstanceUncertainty(X, y, measure="distance_to_boundary")
        return query.select(labeled, unlabeled, model=_model().fit(X[labeled], y[labeled]), batch_size=batch)

    agree("alipy.distance-to-boundary", data, by_hand, batch=2)


@pytest.mark.parametrize("data", ALL)
def test_random(data):
    def by_hand(X, y, labeled, unlabeled, seed, batch):
        np.random.seed(seed)
        return raw.QueryInstanceRandom(X, y).select(
            IndexCollection(labeled.tolist()), IndexCollection(unlabeled.tolist()), batch_size=batch
        )

    agree("alipy.random", data, by_hand, batch=3)


@pytest.mark.parametrize("data", ALL)
@pytest.mark.parametrize(("name", "disagreement"), [("qbc-vote", "vote_entropy"), ("qbc-kl", "KL_divergence")])
def test_committee(name, disagreement, data, monkeypatch):
    """Votes tie, and the library takes the last of equal rows: its pick and alcore's must have the same score."""
    heard = _hear(monkeypatch)

    def by_hand(X, y, labeled, unlabeled, seed, batch):
        np.random.seed(seed)
        query = raw.QueryInstanceQBC(X, y, disagreement=disagreement)
        return query.select(labeled, unlabeled, model=_model().fit(X[labeled], y[labeled]), batch_size=batch)

    agree(f"alipy.{name}", data, by_hand, same_score=lambda: heard[-1])


@pytest.mark.parametrize("data", ALL)
def test_expected_error_reduction(data):
    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryExpectedErrorReduction(X, y)
        return query.select(labeled, unlabeled, model=_model().fit(X[labeled], y[labeled]), batch_size=batch)

    agree("alipy.eer", data, by_hand, n=36)


@pytest.mark.parametrize("params", [{}, {"measure": "margin", "distance": "l1", "beta": 0.5}], ids=str)
@pytest.mark.parametrize("data", ALL)
def test_density_weighted(data, params):
    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryInstanceDensityWeighted(
            X, y, params.get("measure", "entropy"), params.get("distance", "euclidean"), params.get("beta", 1.0)
        )
        return query.select(labeled, unlabeled, batch, model=_model().fit(X[labeled], y[labeled]))

    agree("alipy.density-weighted", data, by_hand, batch=2, params=params)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("data", ALL)
@pytest.mark.parametrize("kind", ["core-set", "graph-density"])
def test_what_keeps_its_state(kind, data, batch):
    kept = []

    def by_hand(X, y, labeled, unlabeled, seed, batch):
        if not kept:
            library = {"core-set": raw.QueryInstanceCoresetGreedy, "graph-density": raw.QueryInstanceGraphDensity}[kind]
            kept.append(library(X, y, np.arange(len(X))))
        return kept[0].select(labeled, unlabeled, batch_size=batch)

    agree(f"alipy.{kind}", data, by_hand, batch=batch)


@pytest.mark.parametrize("params", [{}, {"lmbda": 0.5, "kernel": "poly", "degree": 2, "gamma": 0.1}], ids=str)
@pytest.mark.parametrize("data", TWO)
def test_quire(data, params):
    options = {"lambda" if key == "lmbda" else key: value for key, value in params.items()}

    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryInstanceQUIRE(X, np.where(y > 0, 1, -1), np.arange(len(X)), **options)
        return query.select(labeled, unlabeled)

    agree("alipy.quire", data, by_hand, params=params)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("data", TWO)
@pytest.mark.parametrize("kind", ["bmdr", pytest.param("spal", marks=pytest.mark.slow)])
def test_quadratic_programs(kind, data, batch, monkeypatch):
    """Named exception: the library takes cvxpy's NumPy floats for failures. By hand, they are made Python's here.

    Weights are often 0, and tie.
    """
    heard = _hear(monkeypatch)
    solve = cvxpy.Problem.solve
    monkeypatch.setattr(cvxpy.Problem, "solve", lambda *args, **how: float(solve(*args, **how)))

    def by_hand(X, y, labeled, unlabeled, seed, batch):
        library = {"bmdr": raw.QueryInstanceBMDR, "spal": raw.QueryInstanceSPAL}[kind]
        return library(X, y, gamma_ker=0.1).select(labeled, unlabeled, batch_size=batch, qp_solver="OSQP")

    agree(f"alipy.{kind}", data, by_hand, n=60, batch=batch, params={"gamma_ker": 0.1}, same_score=lambda: heard[-1])


@pytest.mark.parametrize("data", TWO)
@pytest.mark.parametrize("mode", ["iterative", pytest.param("independent", marks=pytest.mark.slow)])
def test_lal(mode, data, tmp_path, monkeypatch):
    """By hand, the library is given the file that alcore made, under the name that it looks for; predictions tie."""
    from alcore_alipy.lal_data import Simulation, saved

    size = {"tasks": 2, "candidates": 2, "largest": 6, "points": 30, "trees": 20}
    file = saved(Simulation(mode, **size, seed=0))
    tree = {"iterative": "iterativetree", "independent": "randomtree"}[mode]
    heard = _hear(monkeypatch)
    (tmp_path / f"LAL-{tree}-simulatedunbalanced-big.npz").write_bytes(file.read_bytes())

    def by_hand(X, y, labeled, unlabeled, seed, batch):
        query = raw.QueryInstanceLAL(X, y, f"LAL_{mode}", str(tmp_path), cls_est=20, train_slt=False)
        np.random.seed(0)
        query.train_selector_from_file(reg_est=30)
        np.random.seed(seed)
        return query.select(labeled, unlabeled, batch_size=batch)

    params = {"mode": mode, **size, "regressor_trees": 30}
    agree("alipy.lal", data, by_hand, params=params, same_score=lambda: heard[-1])
