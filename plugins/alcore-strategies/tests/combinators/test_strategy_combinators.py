"""diverse, explore, mixture and subsample, around several strategies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import InputError, Labels, PairingError, Pool, Rows, View
from alcore.learners import Recipe
from alcore.pool import is_sparse
from alcore.state import State
from alcore.testing.toylearner import toy_learner
from alcore.types import Task
from alcore_strategies.combinators.inner import make
from alcore_strategies.geometry import k_means

X, Y = make_blobs(60, centers=3, random_state=4, cluster_std=2.5)
START = np.array([0, 1, 2, 3, 4, 5, 6, 7])


def state_of(
    strategy: Any, *, seed: int = 0, learner: Any = None, k: int = 3, rows: Any = X, ties: Any = "random"
) -> State:
    pool = Pool(rows, Task.CLASSIFICATION, range(k))
    state = State(pool, make(strategy)[1], Recipe.of(learner or GaussianNB()), seed=seed, ties=ties)
    state.add(START, Y[START] % k, start=True)
    return state


def ask(strategy: Any, n: int, **how: Any) -> list[int]:
    return state_of(strategy, **how).query(n).tolist()


@alcore.selects("toy.seen", summary="Logs what it may ask", learner=False)
def seen(view: View, n: int) -> Rows:
    SEEN.append((view.unlabeled.tolist(), view.pending.tolist(), len(view.pool)))
    return view.unlabeled[:n]


SEEN: list[Any] = []


@pytest.fixture(autouse=True)
def _forget() -> None:
    SEEN.clear()


# --- explore ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "n", "counts"), [(0.5, 5, {2, 3}), (0.25, 8, {2}), (0.3, 4, {1, 2}), (0.0, 3, {0})]
)
def test_the_random_rows_are_the_expected_share(epsilon: float, n: int, counts: set[int]) -> None:
    found = []
    for seed in range(40):
        SEEN.clear()
        rows = ask({"name": "explore", "strategy": seen, "epsilon": epsilon}, n, seed=seed)
        free, pending, _ = SEEN[0]
        assert sorted(free + pending) == list(range(8, 60))  # what is random is out for labelling to the strategy
        assert rows == free[: n - len(pending)] + rows[n - len(pending) :]
        assert sorted(rows[n - len(pending) :]) == pending
        found.append(len(pending))
    assert set(found) == counts
    assert abs(np.mean(found) - epsilon * n) < 0.25


def test_random_rows_come_from_all_rows_alike() -> None:
    drawn = Counter(row for seed in range(150) for row in ask({"name": "explore", "epsilon": 0.99}, 3, seed=seed)[-2:])
    assert len(drawn) == 52
    assert max(drawn.values()) < 4 * min(drawn.values()) + 8


@pytest.mark.parametrize("inner", ["margin", "entropy", {"name": "core-set"}])
def test_without_exploration_it_is_the_strategy(inner: Any) -> None:
    assert ask({"name": "explore", "strategy": inner, "epsilon": 0.0}, 5) == ask(inner, 5)


@pytest.mark.parametrize("epsilon", [-0.1, 1, 1.0, "0.1", None, float("nan")])
def test_a_share_is_below_one(epsilon: Any) -> None:
    with pytest.raises(InputError, match="explore: epsilon is"):
        make({"name": "explore", "epsilon": epsilon})


# --- mixture ---------------------------------------------------------------------------------------------------------


def test_rows_come_from_each_in_proportion_to_its_weight() -> None:
    strategies = [{"name": "explore", "strategy": seen, "epsilon": 0.0}, "entropy"]
    top = ask("entropy", 1)[0]
    firsts = Counter()
    for seed in range(80):
        rows = ask({"name": "mixture", "strategies": strategies, "weights": [3, 1]}, 1, seed=seed)
        firsts[rows[0]] += 1
    assert set(firsts) == {8, top}
    assert 0.15 < firsts[top] / 80 < 0.35


def test_no_row_is_asked_twice_and_the_later_ones_know() -> None:
    for seed in range(20):
        SEEN.clear()
        rows = ask({"name": "mixture", "strategies": [seen, "margin", seen, "random"]}, 12, seed=seed)
        assert len(set(rows)) == 12
        for free, pending, _ in SEEN:
            assert pending == sorted(rows[: len(pending)])
            assert sorted(free + pending) == list(range(8, 60))


def test_one_strategy_alone_is_the_strategy() -> None:
    assert ask({"name": "mixture", "strategies": ["margin"]}, 5) == ask("margin", 5)
    assert ask({"name": "mixture", "strategies": ["random", "margin"], "weights": [0, 2.5]}, 5) == ask("margin", 5)


def test_a_missing_level_is_told_whoever_is_drawn() -> None:
    params = {"name": "mixture", "strategies": ["random", "entropy"], "weights": [1, 0]}
    with pytest.raises(PairingError, match="entropy needs proba; ToyClassifier has none"):
        ask(params, 2, learner=toy_learner(Task.CLASSIFICATION, ["decision"]))


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, float("nan")], "ab", [1, "x"], 3])
def test_weights_are_one_per_strategy(weights: Any) -> None:
    with pytest.raises(InputError, match=r"mixture: weights is .*one number of 0 or more for each of 2 strategies"):
        make({"name": "mixture", "weights": weights})


@pytest.mark.parametrize("strategies", ["margin", [], {"name": "margin"}, 3])
def test_strategies_are_a_list(strategies: Any) -> None:
    with pytest.raises(InputError, match=r"mixture: strategies is .*give a list"):
        make({"name": "mixture", "strategies": strategies})


# --- subsample -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("candidates", "size"), [(10, 10), (0.5, 26), (1, 3), (0.001, 3), (1000, 52)])
def test_the_strategy_sees_so_many_rows(candidates: float, size: int) -> None:
    rows = ask({"name": "subsample", "strategy": seen, "candidates": candidates}, 3)
    free, pending, pool = SEEN[0]
    assert (len(free), pending, pool) == (size, [], 60)
    assert rows == free[:3]


@pytest.mark.parametrize("pool", ["whole", "candidates"])
@pytest.mark.parametrize("inner", ["margin", "entropy", "core-set", {"name": "diverse", "method": "k-center"}])
def test_it_asks_what_the_strategy_asks_among_them(inner: Any, pool: str) -> None:
    """With all rows as candidates it is the strategy itself; with some, no row of them is better than the best."""
    params = {"name": "subsample", "strategy": inner, "pool": pool}
    assert ask(params | {"candidates": 52}, 4, ties="first") == ask(inner, 4, ties="first")


@pytest.mark.parametrize("pool", ["whole", "candidates"])
def test_the_best_of_the_candidates_is_asked(pool: str) -> None:
    scores = dict(zip(range(8, 60), make("margin")[1].scores(state_of("margin").view()), strict=True))  # type: ignore[attr-defined]
    for seed in range(5):
        SEEN.clear()
        ask({"name": "subsample", "strategy": seen, "candidates": 6}, 1, seed=seed)
        candidates = SEEN[0][0]  # the draw depends on the seed alone
        (row,) = ask({"name": "subsample", "strategy": "margin", "candidates": 6, "pool": pool}, 1, seed=seed)
        assert row == max(candidates, key=lambda one: scores[one])


def test_candidates_are_drawn_anew_in_each_round() -> None:
    state = state_of({"name": "subsample", "strategy": seen, "candidates": 6})
    for _ in range(3):
        rows = state.query(2)
        state.add(rows, Y[rows])
    assert len({tuple(free) for free, *_ in SEEN}) == 3


@pytest.mark.parametrize("pool", ["whole", "candidates"])
def test_a_strategy_with_state_stays_as_if_from_scratch(pool: str) -> None:
    state = state_of({"name": "subsample", "strategy": "core-set", "candidates": 7, "pool": pool})
    for _ in range(4):
        SEEN.clear()
        other = State(
            state.pool, make({"name": "subsample", "strategy": seen, "candidates": 7})[1], state.learner, seed=0
        )
        other.add(state.labeled, state.y, start=True)
        other.t = state.t
        other.query(1)
        candidates, Z = np.array(SEEN[0][0]), state.pool.features
        farthest = candidates[cdist(Z[candidates], Z[state.labeled]).min(axis=1).argmax()]
        rows = state.query(1)
        assert rows.tolist() == [farthest]
        state.add(rows, Y[rows])


def test_a_pool_of_candidates_is_small_and_like_the_whole() -> None:
    log: list[Any] = []

    @alcore.strategy("toy.cubic", summary="A toy", growth="cubic", learner=False)
    class Cubic:
        def setup(self, pool: Pool, rng: Any) -> None:
            log.append((pool, rng.random()))

        def update(self, rows: Rows, labels: Labels) -> None:
            log.append((rows, labels))

        def query(self, view: View, n: int) -> Rows:
            log.append((view, view.rng.random()))
            return view.unlabeled[:n]

    spec, strategy = make({"name": "subsample", "strategy": Cubic, "candidates": 5})
    assert (spec.growth, spec.stateful, spec.resumable) == ("linear", True, True)
    whole = Pool(X, Task.CLASSIFICATION, range(3))
    state = State(whole, strategy, Recipe(GaussianNB()), seed=0)
    state.add(START[::-1].copy(), Y[START[::-1]], start=True)
    state.close([20, 30])
    (row,) = state.query(1)
    (small, a), (rows, labels), (view, b) = log
    assert len(small) == 8 + 5 + 2
    assert small.classes == whole.classes
    assert a != b
    np.testing.assert_array_equal(small.X[rows], X[START[::-1]])
    np.testing.assert_array_equal(labels, Y[START[::-1]])
    np.testing.assert_array_equal(view.X_labeled, X[START[::-1]])
    np.testing.assert_array_equal(small.X[view.pending], X[[20, 30]])
    np.testing.assert_array_equal(small.features[view.unlabeled[0]], whole.features[row])
    np.testing.assert_array_equal(view.proba, view.model.predict_proba(view.X_unlabeled))
    np.testing.assert_array_equal(view.model.predict_proba(X), state.model().predict_proba(X))
    assert not is_sparse(small.X)


def test_a_pool_of_candidates_is_told_the_labels_round_by_round() -> None:
    log: list[Any] = []

    @alcore.strategy("toy.log", summary="A toy", learner=False)
    class Log:
        def update(self, rows: Rows, labels: Labels) -> None:
            log.append((rows.tolist(), labels.tolist()))

        def query(self, view: View, n: int) -> Rows:
            log.append((view.labeled.tolist(), view.y.tolist()))
            return view.unlabeled[:n]

    state = state_of({"name": "subsample", "strategy": Log, "candidates": 5})
    for _ in range(3):
        log.clear()
        rows = state.query(2)
        state.add(rows, Y[rows])
    *told, (labeled, y) = log
    assert [len(rows) for rows, _ in told] == [8, 2, 2]
    assert [row for rows, _ in told for row in rows] == labeled
    assert [label for _, labels in told for label in labels] == y


@pytest.mark.parametrize(
    ("inner", "whole"), [("margin", True), ("core-set", False), ("random", True), ("graph-density", False)]
)
def test_the_pool_is_small_where_a_strategy_would_keep_much(inner: str, whole: bool) -> None:
    assert make({"name": "subsample", "strategy": inner})[1].whole is whole  # type: ignore[attr-defined]


@pytest.mark.parametrize("candidates", [0, -1, 0.0, 1.0, 1.5, True, "10", None])
def test_candidates_are_a_number_or_a_share(candidates: Any) -> None:
    with pytest.raises(InputError, match="subsample: candidates is"):
        make({"name": "subsample", "candidates": candidates})


def test_pool_is_one_of_three() -> None:
    with pytest.raises(InputError, match="subsample: pool is 'all'; give one of"):
        make({"name": "subsample", "pool": "all"})


def test_what_remembers_its_queries_needs_the_whole_pool() -> None:
    @alcore.selects("toy.memory", summary="A toy", resumable=False, growth="quadratic", learner=False)
    def memory(view: View, n: int) -> Rows:
        return view.unlabeled[:n]

    with pytest.raises(InputError, match=r"toy\.memory remembers what it asked"):
        make({"name": "subsample", "strategy": memory})
    assert make({"name": "subsample", "strategy": memory, "pool": "whole"})[0].resumable is False


# --- diverse ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["margin", "entropy", "least-confident"])
@pytest.mark.parametrize("factor", [2, 3.5])
def test_rows_are_those_nearest_to_the_centres_of_the_best(inner: str, factor: float) -> None:
    n = 5
    state = state_of({"name": "diverse", "strategy": inner, "factor": factor})
    view = state_of(inner).view()
    best = view.top(make(inner)[1].scores(view), int(np.ceil(factor * n)))  # type: ignore[attr-defined]
    Z = state.pool.features[best]
    centres, _ = k_means(Z, n, state.view().rng)
    chosen = [best.tolist().index(row) for row in state.query(n)]
    for i, centre in enumerate(centres):
        gaps = np.linalg.norm(Z - centre, axis=1)
        assert gaps[chosen[i]] == pytest.approx(np.delete(gaps, chosen[:i]).min())  # two rows in a cluster are a tie


def test_k_center_takes_the_best_row_and_then_the_farthest_among_the_best() -> None:
    state = state_of({"name": "diverse", "strategy": "entropy", "method": "k-center", "factor": 4})
    view = state_of("entropy").view()
    best = view.top(make("entropy")[1].scores(view), 16)  # type: ignore[attr-defined]
    D = cdist(state.pool.features[best], state.pool.features[best])
    chosen = [0]
    while len(chosen) < 4:
        chosen.append(int(D[:, chosen].min(axis=1).argmax()))
    assert state.query(4).tolist() == best[chosen].tolist()


@pytest.mark.parametrize("method", ["k-means", "k-center"])
def test_one_row_is_the_best_and_the_last_rows_are_all(method: str) -> None:
    params = {"name": "diverse", "method": method}
    assert ask(params, 1) == ask("margin", 1)
    assert sorted(ask(params, 52)) == list(range(8, 60))
    assert len(set(ask(params, 50))) == 50


def test_rows_are_farther_apart_than_the_best_alone() -> None:
    def spread(rows: list[int]) -> float:
        return float(cdist(X[rows], X[rows])[np.triu_indices(len(rows), 1)].min())

    best = spread(ask("margin", 6))
    assert spread(ask({"name": "diverse", "factor": 5}, 6)) > best
    assert spread(ask({"name": "diverse", "factor": 5, "method": "k-center"}, 6)) > best


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"strategy": "random"}, "diverse: random chooses rows without scoring them"),
        ({"strategy": "mixture"}, "diverse: mixture chooses rows without scoring them"),
        ({"method": "k-medoids"}, "diverse: method is 'k-medoids'; give one of 'k-means', 'k-center'"),
        ({"factor": 0.5}, "diverse: factor is 0.5; give a number of 1 or more"),
        ({"factor": "2"}, "diverse: factor is '2'; give a number"),
    ],
)
def test_what_cannot_be_made_diverse(params: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as caught:
        make({"name": "diverse", **params})
    assert str(caught.value).startswith(why)
