"""Chance is even, and the measures of uncertainty are what their definitions say, by hand and by SciPy."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from alcore import rng
from alcore.builtin.strategies import specs
from alcore.decorators import FunctionStrategy
from alcore.errors import InputError, PairingError
from alcore.learners import Lent, Model, Recipe
from alcore.pool import Pool
from alcore.spec import StrategySpec
from alcore.state import State
from alcore.types import Level, Task
from alcore.view import View

SPECS: dict[str, Any] = {spec.name: spec for spec in specs()}


class Says(Lent):
    """A fitted model that says what it is told to."""

    def __init__(self, **said: Any) -> None:
        self.said = {name: np.array(values, dtype=np.float64) for name, values in said.items()}
        self.levels = {Level(name) for name in said}

    def predict_proba(self, X: Any, **how: Any) -> Any:
        return self.said["proba"]

    def decision_function(self, X: Any, **how: Any) -> Any:
        return self.said["decision"]


def view_of(m: int, model: Any = None, seed: int = 0, labeled: int = 2) -> View:
    """Return a view of m unlabelled rows, all but the first ones."""

    def fitted() -> Model:
        assert model is not None, "no learner is needed here"
        fitted: Model = model
        return fitted

    return View(
        pool=Pool(np.zeros((m + labeled, 1)), classes=(0, 1, 2)),
        labeled=np.arange(labeled),
        unlabeled=np.arange(labeled, m + labeled),
        y=np.zeros(labeled, dtype=int),
        t=1,
        ties="first",
        rng=lambda: rng.stream(seed, "strategy", 1),
        fitted=fitted,
        twin=lambda number: fitted(),
    )


def built(name: str) -> FunctionStrategy:
    made: FunctionStrategy = SPECS[name].build()
    return made


def scores(name: str, **said: Any) -> Any:
    model = Says(**said)
    return built(name).scores(view_of(len(next(iter(model.said.values()))), model))


def test_the_four_are_listed() -> None:
    assert set(SPECS) == {"random", "margin", "entropy", "least-confident"}
    assert all(isinstance(spec, StrategySpec) for spec in SPECS.values())


@pytest.mark.parametrize("name", ["random", "margin", "entropy", "least-confident"])
def test_none_takes_a_parameter(name: str) -> None:
    assert SPECS[name].parameters() == {}
    with pytest.raises(InputError, match=f"{name} has no parameter 'k'; it takes none"):
        SPECS[name].build(k=3)


# Margin ------------------------------------------------------------------------------------------------------------


def test_margin_of_two_classes() -> None:
    assert scores("margin", proba=[[0.5, 0.5], [0.9, 0.1], [0.3, 0.7]]) == pytest.approx([0.0, -0.8, -0.4])


def test_margin_of_three_classes() -> None:
    proba = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.0, 0.0, 1.0], [0.25, 0.5, 0.25]]
    assert scores("margin", proba=proba) == pytest.approx([-0.2, -0.3, -1.0, -0.25])


def test_margin_of_flat_decision_values() -> None:
    assert scores("margin", decision=[-2.0, 0.5, 0.0]).tolist() == [-2.0, -0.5, 0.0]


def test_margin_of_decision_values_per_class() -> None:
    decision = [[-1.0, 2.0, 1.5], [3.0, -4.0, -5.0], [-1.0, -1.0, -3.0]]
    assert scores("margin", decision=decision).tolist() == [-0.5, -7.0, 0.0]


def test_margin_of_decision_values_with_a_class_never_seen() -> None:
    unseen = -np.inf
    decision = [[-1.0, 1.0, unseen], [0.25, -0.25, unseen], [unseen, 3.0, 1.0]]
    assert scores("margin", decision=decision).tolist() == [-2.0, -0.5, -2.0]


def test_margin_prefers_probabilities() -> None:
    assert scores("margin", proba=[[0.5, 0.5], [0.9, 0.1]], decision=[5.0, 0.0]) == pytest.approx([0.0, -0.8])


def test_margin_of_one_class() -> None:
    assert scores("margin", proba=[[1.0], [1.0]]).tolist() == [0.0, 0.0]


def test_margin_asks_where_the_gap_is_smallest() -> None:
    model = Says(proba=[[0.9, 0.1], [0.55, 0.45], [0.4, 0.6], [0.0, 1.0]])
    assert built("margin").query(view_of(4, model), 2).tolist() == [3, 4]  # two rows are labelled before them


# Entropy and least-confident ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 10])
def test_entropy_is_scipys(k: int) -> None:
    proba = np.random.default_rng(k).dirichlet(np.full(k, 0.3), size=30)
    assert np.allclose(scores("entropy", proba=proba), stats.entropy(proba, axis=1))


def test_entropy_with_zeros() -> None:
    proba = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    assert scores("entropy", proba=proba) == pytest.approx([0.0, np.log(2), np.log(3)])
    assert np.allclose(scores("entropy", proba=proba), stats.entropy(proba, axis=1))


def test_least_confident_by_hand() -> None:
    proba = [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.4, 0.3, 0.3]]
    assert scores("least-confident", proba=proba) == pytest.approx([0.5, 0.0, 0.6])


def test_the_three_agree_on_two_classes() -> None:
    p = np.random.default_rng(0).random(20)
    proba = np.column_stack([p, 1 - p])
    order = [np.argsort(scores(name, proba=proba)).tolist() for name in ("margin", "entropy", "least-confident")]
    assert order[0] == order[1] == order[2]


@pytest.mark.parametrize(
    ("name", "picked"), [("margin", 0), ("entropy", 1), ("least-confident", 2)], ids=["margin", "entropy", "least"]
)
def test_the_three_differ_on_more(name: str, picked: int) -> None:
    """Worked out by hand: margins .01, .12, .05; entropies .74, 1.28, 1.09; largest .50, .42, .39."""
    proba = [[0.5, 0.49, 0.01, 0.0], [0.42, 0.3, 0.14, 0.14], [0.39, 0.34, 0.0, 0.27]]
    assert int(np.argmax(scores(name, proba=proba))) == picked


# With real learners ------------------------------------------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)


def query(name: str, learner: Any, n: int = 3) -> list[int]:
    state = State(Pool(X, classes=(0, 1)), built(name), Recipe(learner), seed=0)
    state.add(np.arange(8), Y[:8], start=True)
    return [int(row) for row in state.query(n)]


def test_margin_of_a_machine_asks_nearest_to_its_border() -> None:
    distance = np.abs(SVC().fit(X[:8], Y[:8]).decision_function(X[8:]))
    assert query("margin", SVC()) == (8 + np.argsort(distance)[:3]).tolist()


@pytest.mark.parametrize("name", ["margin", "entropy", "least-confident"])
def test_measures_of_a_logistic_regression(name: str) -> None:
    doubt = LogisticRegression().fit(X[:8], Y[:8]).predict_proba(X[8:]).max(axis=1)
    assert query(name, LogisticRegression()) == (8 + np.argsort(doubt)[:3]).tolist()


@pytest.mark.parametrize("name", ["entropy", "least-confident"])
def test_what_needs_probabilities_says_so(name: str) -> None:
    assert SPECS[name].lacks({Level.DECISION}) == "proba"
    with pytest.raises(PairingError, match="SVC has no predict_proba"):
        query(name, SVC())


def test_margin_takes_either_level() -> None:
    assert SPECS["margin"].lacks({Level.DECISION}) is None
    assert SPECS["margin"].lacks({Level.PROBA}) is None
    assert SPECS["margin"].lacks({Level.STD}) == "proba or decision"


# Chance ------------------------------------------------------------------------------------------------------------


def test_random_needs_no_learner_and_serves_every_task() -> None:
    spec = SPECS["random"]
    assert not spec.learner
    assert spec.uniform
    assert spec.tasks == set(Task)
    assert len(built("random").query(view_of(5), 2)) == 2


@pytest.mark.parametrize("n", [1, 4, 5])
def test_random_asks_distinct_unlabelled_rows(n: int) -> None:
    rows = built("random").query(view_of(5), n)
    assert len(set(rows.tolist())) == n
    assert set(rows.tolist()) <= {2, 3, 4, 5, 6}


def test_random_is_uniform_over_rows() -> None:
    counts = Counter(int(built("random").query(view_of(8, seed=seed), 1)[0]) for seed in range(2000))
    assert len(counts) == 8
    assert stats.chisquare(list(counts.values())).pvalue > 0.01


def test_random_is_uniform_over_batches() -> None:
    """Each of the ten pairs of five rows is equally likely."""
    counts = Counter(tuple(sorted(built("random").query(view_of(5, seed=seed), 2).tolist())) for seed in range(2000))
    assert set(counts) == set(combinations(range(2, 7), 2))
    assert stats.chisquare(list(counts.values())).pvalue > 0.01


def test_random_is_the_same_for_the_same_seed() -> None:
    draws = [built("random").query(view_of(40, seed=seed), 10).tolist() for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
