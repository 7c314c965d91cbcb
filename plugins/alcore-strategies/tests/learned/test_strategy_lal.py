"""LAL: its forest and features against scikit-learn's, its regressor against the forest it was made of."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from alcore import InputError, Pool, Recipe
from alcore.state import State
from alcore_strategies.combinators.inner import make
from alcore_strategies.learned import lal_training
from alcore_strategies.learned.lal_features import Forest, describe, single
from alcore_strategies.learned.lal_regressor import Trees


def moons(n=60, seed=0):
    return make_moons(n, noise=0.3, random_state=seed)


def small_training(path, seed="3"):
    numbers = ["--tasks", "2", "--largest", "4", "--candidates", "3", "--trees", "5", "--regressor-trees", "4"]
    lal_training.main([*numbers, "--seed", seed, "--output", str(path)])
    return path


def asked_with(regressor=None, seed=0, n=3, learner=None):
    X, y = moons()
    strategy = make({"name": "lal", "trees": 10, "regressor": regressor})[1]
    state = State(Pool(X, "classification", (0, 1)), strategy, Recipe.of(LogisticRegression()), seed=seed)
    state.add(np.arange(10), y[:10], start=True)
    return state.query(n).tolist()


def test_trees_of_the_forest_are_classification_trees():
    """Grown on the same rows with the same chance, Gini and variance split alike."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = single(X[:80]), y[:80]
    forest = Forest(X, y, 6, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    chance = np.random.RandomState(int(rng.integers(2**31)))
    drawn = rng.integers(80, size=(6, 80))
    for votes, rows in zip(forest.votes(X), drawn, strict=True):
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=chance).fit(X[rows], y[rows])
        np.testing.assert_allclose(votes, tree.predict_proba(X)[:, 1])


def test_features_are_what_they_say():
    X, y = moons(80)
    known, y_known, unknown = X[:30], y[:30], X[30:]
    found, forest = describe(known, y_known, unknown, 20, np.random.default_rng(1))
    votes = np.array([[tree.predict(single(x[None]))[0, 0] for x in unknown] for tree in forest.trees])
    right = []
    for i in range(30):
        unseen = [
            t.predict(single(known[i : i + 1]))[0, 0]
            for t, out in zip(forest.trees, forest.left_out, strict=True)
            if out[i]
        ]
        right += [(np.mean(unseen) > 0.5) == y_known[i]] if unseen else []
    importances = np.mean([t.compute_feature_importances() for t in forest.trees], axis=0)
    np.testing.assert_allclose(found[:, 0], votes.mean(axis=0))
    np.testing.assert_allclose(found[:, 1], votes.std(axis=0))
    state = [
        np.mean(y_known), np.mean(right), np.var(importances), votes.std(axis=0).mean(),
        np.mean([t.max_depth for t in forest.trees]), 30,
    ]  # fmt: skip
    np.testing.assert_allclose(found[:, 2:], np.tile(state, (50, 1)))


def test_left_out_are_the_rows_that_a_bootstrap_left_out():
    X, y = moons(25)
    forest = Forest(single(X), y, 40, np.random.default_rng(0))
    assert forest.left_out.mean() == pytest.approx((1 - 1 / 25) ** 25, abs=0.04)


def test_one_class_is_certain_everywhere():
    X, _ = moons()
    found, _ = describe(X[:5], np.ones(5, dtype=int), X[5:], 7, np.random.default_rng(0))
    np.testing.assert_array_equal(found[:, :2], np.tile([1.0, 0.0], (55, 1)))
    assert np.isfinite(found).all()


@pytest.mark.parametrize("leaf", [1, 10])
def test_the_regressor_predicts_as_the_forest_it_was_made_of(tmp_path, leaf):
    rng = np.random.default_rng(0)
    X = rng.random((300, 8)).astype(np.float32).astype(float)
    y = X[:, 0] * X[:, 3] + np.sin(5 * X[:, 1]) + 0.1 * rng.normal(size=300)
    forest = RandomForestRegressor(15, min_samples_leaf=leaf, random_state=0).fit(X, y)
    Trees.of(forest).save(tmp_path / "trees.npz")
    trees = Trees.load(tmp_path / "trees.npz")
    for state in X[:5, 2:]:
        rows = np.column_stack([X[:40, :2], np.tile(state, (40, 1))])
        np.testing.assert_allclose(trees.predict(rows[:, :2], state), forest.predict(rows), rtol=1e-5)


def test_the_shipped_regressor_is_small_and_prefers_doubt():
    file = resources.files("alcore_strategies") / "data" / "lal.npz"
    assert len(file.read_bytes()) < 1_000_000
    share = np.array([0.02, 0.5, 0.98])
    rows = np.column_stack([share, np.sqrt(share * (1 - share))])
    sure, doubtful, sure_too = Trees.load().predict(rows, np.array([0.5, 0.8, 0.03, 0.3, 5.0, 20.0]))
    assert doubtful > 2 * max(sure, sure_too)


def test_training_is_repeatable_and_follows_the_seed(tmp_path):
    files = [small_training(tmp_path / f"{k}.npz", seed) for k, seed in enumerate(("3", "3", "4"))]
    values = [Trees.load(file).value for file in files]
    np.testing.assert_array_equal(values[0], values[1])
    assert values[2].shape != values[0].shape or (values[2] != values[0]).any()


def test_trials_measure_what_a_label_takes_off_the_error():
    """In a task of two clouds far apart the first labels leave nothing to be gained."""
    task = lal_training.Task(20, np.random.default_rng(5))
    task.X[:, 0] += 100 * task.y
    task.test_X[:, 0] += 100 * task.test_y
    task.known = [*np.flatnonzero(task.y == 0)[:4], *np.flatnonzero(task.y == 1)[:4]]
    features, gains = task.trials(6)
    assert features.shape == (6, 8)
    np.testing.assert_allclose(gains, 0.0, atol=0.02)
    task.grow(Trees.load())
    assert len(set(task.known)) == 9


@pytest.mark.parametrize(
    ("given", "said"), [({"tasks": 0}, "tasks"), ({"largest": 1}, "largest"), ({"largest": 95}, "has 100 rows")]
)
def test_training_refuses_numbers_out_of_range(given, said):
    sizes = {"tasks": 1, "largest": 3, "candidates": 10, "trees": 2} | given
    with pytest.raises(InputError, match=said):
        lal_training.simulate(**sizes, rng=np.random.default_rng(0))


def test_the_rows_are_those_of_the_largest_prediction(tmp_path):
    file = small_training(tmp_path / "own.npz")
    X, y = moons()
    strategy = make({"name": "lal", "trees": 10, "regressor": str(file)})[1]
    pool = Pool(X, "classification", (0, 1))
    state = State(pool, strategy, Recipe.of(LogisticRegression()), seed=0, ties="first")
    state.add(np.arange(10), y[:10], start=True)
    phi, _ = describe(pool.features[:10], y[:10], pool.features[10:], 10, state.view().rng)
    gains = Trees.load(file).predict(phi[:, :2], phi[0, 2:])
    assert state.query(1)[0] == 10 + gains.argmax()


def test_chance_is_the_runs():
    assert asked_with(seed=1) == asked_with(seed=1)
    assert len({tuple(asked_with(seed=seed)) for seed in range(6)}) > 1


def test_what_is_no_regressor_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file"):
        asked_with(str(tmp_path / "none.npz"))
    (tmp_path / "text.npz").write_text("no")
    with pytest.raises(InputError, match="no regressor"):
        asked_with(str(tmp_path / "text.npz"))


def test_it_needs_a_label_and_a_tree():
    X, _ = moons()
    state = State(Pool(X, "classification", (0, 1)), make("lal")[1], Recipe.of(LogisticRegression()), seed=0)
    with pytest.raises(InputError, match="start set"):
        state.query(1)
    with pytest.raises(InputError, match="trees"):
        State(
            Pool(X, "classification", (0, 1)),
            make({"name": "lal", "trees": 0})[1],
            Recipe.of(LogisticRegression()),
            seed=0,
        ).query(1)
