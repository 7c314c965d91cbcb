"""What is wrong in the playground and mended at its border: each fault shown in itself, then the adapter's answer."""

from __future__ import annotations

import inspect
import sys
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import LearnerError, Pool, Recipe
from alcore.interop import seeded_globals
from alcore.state import State
from alcore.testing.guards import captured, random_state
from alcore_playground.specs import SPECS

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)


def begin(name, X=X, y=Y, *, labeled, learner=None, seed=1, ties="random", **params):
    spec = next(spec for spec in SPECS if spec.name == f"playground.{name}")
    pool = Pool(X, "classification", tuple(np.unique(y)), features="raw")
    state = State(pool, spec.build(**params), Recipe(learner or LogisticRegression()), seed=seed, ties=ties)
    state.add(np.asarray(labeled), y[labeled], start=True)
    return state


def ask(name, n, X=X, y=Y, **how):
    return begin(name, X, y, **how).query(n)


def quietly(call, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(**given)


def test_uniform_is_not_uniform_on_a_pool_sorted_by_class(raw):
    y = np.repeat([0, 1, 2, 3], 25)
    many, labeled = RNG.normal(size=(100, 2)), np.array([0, 25, 50, 75])
    made = raw("uniform_sampling", "UniformSampling")(many, y, 1)
    assert set(y[made.select_batch(already_selected=labeled.tolist(), N=20)]) == {0}
    assert set(y[ask("uniform-unshuffled", 20, many, y, labeled=labeled)]) == {0}
    counts = np.zeros(4)
    for seed in range(40):
        counts += np.bincount(y[ask("uniform", 20, many, y, labeled=labeled, seed=seed)], minlength=4)
    assert counts.min() > 150  # 200 of each are expected


def test_uniform_ignores_its_seed(raw):
    make = raw("uniform_sampling", "UniformSampling")
    assert len({tuple(make(X, Y, seed).select_batch(already_selected=[0], N=5)) for seed in range(5)}) == 1
    assert len({tuple(ask("uniform", 5, labeled=[0], seed=seed)) for seed in range(5)}) == 5


class Failing(GaussianNB):
    def decision_function(self, X):
        raise ValueError("no room left on the device")


@pytest.mark.parametrize(
    ("name", "module", "kind"),
    [
        ("margin", "margin_AL", "MarginAL"),
        ("informative-cluster-diverse", "informative_diverse", "InformativeClusterDiverseSampler"),
    ],
)
def test_errors_of_the_learner_are_swallowed(name, module, kind, raw):
    labeled = list(range(10))
    made = quietly(raw(module, kind), X=X, y=Y, seed=0)
    assert made.select_batch(model=Failing().fit(X[:10], Y[:10]), already_selected=labeled, N=2)
    with pytest.raises(LearnerError, match="no room left on the device"):
        ask(name, 2, labeled=labeled, learner=Failing())


def test_hidden_labels_are_counted(raw):
    hidden = [0, 1, *[object() for _ in range(38)]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = raw("informative_diverse", "InformativeClusterDiverseSampler")(X, hidden, 0)
    assert made.n_clusters == 40
    state = begin("informative-cluster-diverse", labeled=[0, 1, 2, 3])
    assert state.strategy.made.n_clusters == 2


def test_a_cluster_without_rows_shifts_the_shares_of_others(raw):
    far = np.array([[0.0], [1.0], [5.0]] * 13)
    made = quietly(raw("informative_diverse", "InformativeClusterDiverseSampler"), X=far, y=list(range(6)) * 6, seed=0)
    assert len(made.cluster_prob) < made.n_clusters
    y = np.arange(39) % 6
    state = begin("informative-cluster-diverse", far, y, labeled=np.arange(12))
    assert len(state.query(5)) == 5
    assert len(state.strategy.made.cluster_prob) == 6


def test_cluster_means_fail_with_two_classes(raw):
    model, labeled = LogisticRegression().fit(X[:10], Y[:10]), list(range(10))
    made = raw("represent_cluster_centers", "RepresentativeClusterMeanSampling")(X, Y, 0)
    with pytest.raises(TypeError, match="not iterable"):
        made.select_batch(model=model, already_selected=labeled, N=2)
    assert len(ask("mcm", 2, labeled=labeled)) == 2


def test_cluster_means_need_decision_values():
    spec = next(spec for spec in SPECS if spec.name == "playground.mcm")
    assert spec.needs == ("decision",)


def test_k_center_prints_an_array_as_a_number(raw):
    made = raw("kcenter_greedy", "kCenterGreedy", current=False)(X, Y, 0)
    with captured() as output:
        if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4):
            with pytest.raises(TypeError):
                made.select_batch(model=None, already_selected=[0, 1], N=2)
        else:
            quietly(made.select_batch, model=None, already_selected=[0, 1], N=2)
    with captured() as output:
        assert len(ask("core-set", 2, labeled=[0, 1])) == 2
    assert output.text == ""


def test_k_center_with_several_new_centres_compares_columns(raw):
    made = raw("kcenter_greedy", "kCenterGreedy")(X, Y, 0)
    made.update_distances([0, 1])
    made.already_selected = [0, 1]
    made.update_distances([2, 3, 4])
    assert made.min_distances.shape == (40, 3)  # and argmax over it is no row
    state = begin("core-set", labeled=[0, 1])
    state.add(np.array([2, 3, 4]), Y[[2, 3, 4]])
    nearest = np.linalg.norm(X[:, None] - X[None, :5], axis=2).min(axis=1)
    assert state.query(1).tolist() == [nearest.argmax()]


def test_k_center_without_labels_fails(raw):
    made = raw("kcenter_greedy", "kCenterGreedy")(X, Y, 0)
    made.select_batch(model=None, already_selected=[], N=1)
    first = {int(ask("core-set", 1, labeled=np.arange(0), seed=seed)[0]) for seed in range(8)}
    assert len(first) > 1


def test_k_center_asks_for_a_labelled_row_where_all_rows_equal_labelled_ones(raw):
    same = np.repeat([[0.0, 1.0], [2.0, 3.0]], 20, axis=0)
    made = raw("kcenter_greedy", "kCenterGreedy")(same, Y, 0)
    with pytest.raises(AssertionError):
        made.select_batch(model=None, already_selected=[0, 20], N=2)
    assert len(set(ask("core-set", 5, same, labeled=[0, 20])) - {0, 20}) == 5


def test_graph_density_answers_labelled_rows_when_too_few_are_left(raw):
    made = quietly(raw("graph_density", "GraphDensitySampler"), X=X, y=Y, seed=0)
    assert set(made.select_batch(already_selected=list(range(38)), N=5)) & set(range(38))
    assert sorted(ask("graph-density", 5, labeled=np.arange(38))) == [38, 39]


def test_graph_density_needs_eleven_rows(root):
    with pytest.raises(alcore.InputError, match="give a pool of 11 rows or more"):
        begin("graph-density", X[:10], Y[:10], labeled=[0])


def test_hierarchical_fails_on_this_scikit_learn(raw):
    with pytest.raises(TypeError, match="affinity"):
        raw("hierarchical_clustering_AL", "HierarchicalClusterAL", current=False)(X, Y, 0)
    assert len(ask("hierarchical", 3, labeled=np.arange(6))) == 3


def test_hierarchical_fails_with_one_class(raw):
    made = raw("hierarchical_clustering_AL", "HierarchicalClusterAL")(X, Y, 0)
    rows = np.flatnonzero(Y == 1)[:3].tolist()
    with pytest.raises(ValueError, match="empty"):
        made.select_batch(N=1, already_selected=rows, labeled=dict.fromkeys(rows, 1), y=Y)
    assert len(ask("hierarchical", 1, labeled=rows)) == 1


def test_hierarchical_without_labels_is_told_what_to_do(root):
    with pytest.raises(alcore.InputError, match="begins with labels: give a start set"):
        ask("hierarchical", 1, labeled=np.arange(0))


def test_hierarchical_on_a_tree_that_is_deeper_than_the_recursion_limit(root):
    chain, y = 1.2 ** np.arange(120.0)[:, None], np.arange(120) % 2
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        limit = sys.getrecursionlimit()
        assert len(ask("hierarchical", 1, chain, y, labeled=np.arange(4), linkage="single")) == 1
        assert sys.getrecursionlimit() == limit
    finally:
        sys.setrecursionlimit(before)


def test_constructors_seed_the_global_state(raw):
    with seeded_globals(0):
        before = random_state()
        raw("uniform_sampling", "UniformSampling")(X, Y, 3)
        assert random_state() != before
    before = random_state()
    for name in ("uniform", "hierarchical", "mcm", "mixture"):
        ask(name, 2, labeled=np.arange(10))
    assert random_state() == before


def test_the_default_mixture_has_no_weights(raw):
    with pytest.raises(KeyError, match="weights"):
        raw("mixture_of_samplers", "MixtureOfSamplers")(X, Y, 0)
    assert len(ask("mixture", 3, labeled=np.arange(10))) == 3


ARMS = [{"methods": ["margin", "uniform"], "weights": weights} for weights in ([0, 1], [1, 0])]


def test_weights_of_a_bandit_grow_to_infinity(raw):
    made = raw("bandit_discrete", "BanditDiscreteSampler")(X, Y, 0, samplers=ARMS)
    model = LogisticRegression().fit(X[:10], Y[:10])
    with captured(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)
        made.pull_history.append(0)
        made.w[:], made.p = [np.inf, 1.0], np.array([0.5, 0.5])
        with pytest.raises(ValueError, match="NaN"):
            made.select_batch(already_selected=list(range(10)), N=1, eval_acc=1.0, model=model)
    state = begin("bandit", labeled=np.arange(10))
    state.query(1)
    state.strategy.kept["w"] = np.array([1e200, 1e199])
    state.query(1)
    assert state.strategy.kept["w"].max() == 1.0


def test_simulations_that_are_all_wrong_give_no_row(raw):
    class Wrong(LogisticRegression):
        def score(self, X, y):
            return 0.0

    made = raw("simulate_batch", "SimulateBatchSampler")(X, Y, 0, samplers=ARMS[1:], n_sims=2, train_per_sim=2)
    with captured():
        found = made.select_batch(
            N=2, already_selected=list(range(10)), y=Y, model=Wrong().fit(X[:10], Y[:10]), X_test=X[:3], y_test=Y[:3]
        )
    assert list(found) == []

    class Blind(LogisticRegression):
        def predict(self, X):
            return 1 - Y[:1].repeat(len(X))

    rows = np.flatnonzero(Y[0] == Y)[:4].tolist() + np.flatnonzero(Y[0] != Y)[:1].tolist()
    how = {"labeled": rows, "learner": Blind(), "n_sims": 2, "train_per_sim": 2, "validation": 0.1}
    wrong = [seed for seed in range(8) if len(ask("simulate-batch", 2, seed=seed, **how)) == 2]
    assert wrong == list(range(8))


def test_rows_out_for_labelling_are_not_asked_for(root):
    for name in ("core-set", "graph-density", "hierarchical", "mcm", "uniform"):
        state = begin(name, labeled=np.arange(8))
        seen = []
        for _ in range(4):
            rows = state.query(3)
            state.close(rows.tolist())
            seen += rows.tolist()
        assert len(set(seen)) == 12
        assert min(seen) >= 8
