"""alcore's picks equal the playground's, imported and called by hand on the same rows, seeds and learner."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe, rng
from alcore.engine import ArrayOracle, simulate
from alcore.interop import seeded_globals
from alcore_playground.specs import SPECS

ROUNDS, SEED, START = 4, 3, 15
DATA = {"wine": load_wine, "breast-cancer": load_breast_cancer}


def rows(name, size):
    X, y = DATA[name](return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(X))[:size]
    return StandardScaler().fit_transform(X[chosen]), y[chosen]


def chance(t=None):
    return rng.stream(SEED, "strategy", *([] if t is None else [t]))


def alcore_picks(strategy, X, y, batch, rounds=ROUNDS, **params):
    spec = next(spec for spec in SPECS if spec.name == f"playground.{strategy}")
    pool = Pool(X, "classification", tuple(np.unique(y)), features="raw")
    run = simulate(
        pool, ArrayOracle(y), spec.build(**params), Recipe(LogisticRegression()), start=np.arange(START), seed=SEED,
        batch=batch, budget=batch * rounds, ties="first",
    )  # fmt: skip
    return [set(record.rows.tolist()) for record in run][1:]


def raw_picks(choose, X, y, rounds=ROUNDS):
    """Run the playground's loop: ``choose`` gets the round, one list of what is labelled, and a fitted learner."""
    labeled, picks = list(range(START)), []
    for t in range(1, rounds + 1):
        model = LogisticRegression().fit(X[labeled], y[labeled])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [int(row) for row in choose(t, labeled, model)]
        picks.append(set(found))
        labeled.extend(found)
    return picks


@pytest.fixture(autouse=True)
def _global_state():
    """Restore what the playground's constructors, called by hand, leave in NumPy's global random state."""
    with seeded_globals(0):
        yield


both = pytest.mark.parametrize("data", DATA)
batches = pytest.mark.parametrize("batch", [1, 4])


@both
@batches
def test_uniform(data, batch, raw):
    X, y = rows(data, 120)
    order = chance().permutation(len(X))
    made = raw("uniform_sampling", "UniformSampling")(X[order], y[order], 0)
    position = np.argsort(order)

    def choose(t, labeled, model):
        return order[made.select_batch(already_selected=position[labeled].tolist(), N=batch)]

    assert alcore_picks("uniform", X, y, batch) == raw_picks(choose, X, y)


@both
@batches
def test_uniform_unshuffled(data, batch, raw):
    X, y = rows(data, 120)
    made = raw("uniform_sampling", "UniformSampling")(X, y, 0)
    ours = alcore_picks("uniform-unshuffled", X, y, batch)
    assert ours == raw_picks(lambda t, labeled, model: made.select_batch(already_selected=labeled, N=batch), X, y)


@both
@batches
def test_margin(data, batch, raw):
    X, y = rows(data, 120)
    made = raw("margin_AL", "MarginAL")(X, y, 0)

    def choose(t, labeled, model):
        return made.select_batch(model=model, already_selected=labeled, N=batch)

    assert alcore_picks("margin", X, y, batch) == raw_picks(choose, X, y)


@both
@batches
def test_informative_cluster_diverse(data, batch, raw):
    X, y = rows(data, 120)
    seed = int(chance().integers(2**31))
    np.random.seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = raw("informative_diverse", "InformativeClusterDiverseSampler")(X, y, seed)

    def choose(t, labeled, model):
        return made.select_batch(model=model, already_selected=labeled, N=batch)

    assert alcore_picks("informative-cluster-diverse", X, y, batch) == raw_picks(choose, X, y)


class TwoColumns:
    """With two classes the playground fails unless decision values have a column per class."""

    def __init__(self, model):
        self.model = model

    def decision_function(self, X):
        values = self.model.decision_function(X)
        return np.column_stack([-values, values]) if values.ndim == 1 else values


@both
@batches
def test_cluster_means(data, batch, raw):
    X, y = rows(data, 120)
    made = raw("represent_cluster_centers", "RepresentativeClusterMeanSampling")(X, y, 0)

    def choose(t, labeled, model):
        np.random.seed(chance(t).integers(2**31))
        asked = model if data == "wine" else TwoColumns(model)
        return made.select_batch(model=asked, already_selected=labeled, N=batch)

    assert alcore_picks("mcm", X, y, batch) == raw_picks(choose, X, y)


@both
@batches
def test_core_set(data, batch, raw):
    X, y = rows(data, 120)
    made = raw("kcenter_greedy", "kCenterGreedy")(X, y, 0)

    def choose(t, labeled, model):  # the sampler keeps the list and sees it grow, as in the playground's own loop
        return made.select_batch(model=model, already_selected=labeled, N=batch)

    assert alcore_picks("core-set", X, y, batch) == raw_picks(choose, X, y)


@both
@batches
def test_graph_density(data, batch, raw):
    X, y = rows(data, 120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = raw("graph_density", "GraphDensitySampler")(X, y, 0)
    ours = alcore_picks("graph-density", X, y, batch, rounds=8)
    assert ours == raw_picks(lambda t, labeled, _: made.select_batch(already_selected=labeled, N=batch), X, y, rounds=8)


@both
@batches
def test_hierarchical(data, batch, raw):
    X, y = rows(data, 60)
    seed = int(chance().integers(2**31))
    made = raw("hierarchical_clustering_AL", "HierarchicalClusterAL")(X, y, seed)

    def choose(t, labeled, model):
        np.random.seed(np.random.SeedSequence([seed, t - 1]).generate_state(1)[0])
        known = dict(zip(labeled, y[labeled].tolist(), strict=True))
        return made.select_batch(N=batch, already_selected=labeled, labeled=known, y=y)

    assert alcore_picks("hierarchical", X, y, batch) == raw_picks(choose, X, y)


@both
@batches
def test_mixture(data, batch, raw):
    X, y = rows(data, 120)
    make = raw("mixture_of_samplers", "MixtureOfSamplers")

    def choose(t, labeled, model):
        order = chance(t).permutation(len(X))
        made = make(X[order], y[order], 0, mixture={"methods": ["margin", "uniform"], "weights": [0.75, 0.25]})
        taken = np.argsort(order)[labeled].tolist()
        return order[made.select_batch(model=model, already_selected=taken, N=batch)]

    assert alcore_picks("mixture", X, y, batch, weights=(0.75, 0.25)) == raw_picks(choose, X, y)


@both
def test_bandit(data, raw):
    X, y = rows(data, 120)
    arms = [{"methods": ["margin", "uniform"], "weights": weights} for weights in ([0, 1], [1, 0])]
    made = raw("bandit_discrete", "BanditDiscreteSampler")(X, y, 0, samplers=arms)

    def accuracy(labeled, generator):
        labeled, hits = np.array(labeled), 0
        for part in np.array_split(generator.permutation(len(labeled)), 3):
            rest = np.delete(labeled, part)[np.argsort(np.delete(np.arange(len(labeled)), part))]
            twin = LogisticRegression().fit(X[rest], y[rest])
            hits += (twin.predict(X[labeled[part]]) == y[labeled[part]]).sum()
        return hits / len(labeled)

    def choose(t, labeled, model):
        generator = chance(t)
        order = generator.permutation(len(X))
        for one in made.base_samplers.values():
            one.X = X[order]
        reward = accuracy(labeled, generator)
        np.random.seed(generator.integers(2**31))
        taken = np.argsort(order)[labeled].tolist()
        return order[made.select_batch(model=model, already_selected=taken, N=3, eval_acc=reward)]

    assert alcore_picks("bandit", X, y, 3, rounds=8) == raw_picks(choose, X, y, rounds=8)
    assert len(set(made.pull_history)) == 2


class HeldOut(LogisticRegression):
    """A learner that leaves the validation rows out of its fits."""

    held = ()

    def fit(self, X, y):
        used = [not any(np.array_equal(row, other) for other in self.held) for row in X]
        return super().fit(X[used], y[used])


@both
@pytest.mark.parametrize("kind", ["best_sim", "frequency"])
def test_simulate_batch(data, kind, raw, monkeypatch):
    X, y = rows(data, 80)
    how = {"n_sims": 3, "train_per_sim": 2, "return_type": kind}
    arms = [{"methods": ["margin", "uniform"], "weights": weights} for weights in ([1, 0], [0.5, 0.5])]
    make = raw("simulate_batch", "SimulateBatchSampler")

    def choose(t, labeled, model):
        generator = chance(t)
        order, seed = generator.permutation(len(X)), generator.integers(2**31)
        held = np.array(labeled)[generator.permutation(len(labeled))[: round(0.3 * len(labeled))]]
        made = make(X[order], y[order], 0, samplers=arms, **how)
        monkeypatch.setattr(HeldOut, "held", X[held])
        asked = HeldOut()
        vars(asked).update(vars(model))
        taken = np.argsort(order)[labeled].tolist()
        np.random.seed(seed)
        return order[
            made.select_batch(
                model=asked, already_selected=sorted(taken), N=4, y=y[order], X_test=X[held], y_test=y[held]
            )
        ]

    ours = alcore_picks("simulate-batch", X, y, 4, arms=((1, 0), (0.5, 0.5)), **how)
    assert ours == raw_picks(choose, X, y)
