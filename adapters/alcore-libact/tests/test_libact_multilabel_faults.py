"""Faults of libact's multi-label strategies and of variance reduction: shown in libact, and gone in the adapter."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from alcore import Recipe
from alcore.estimators import PerLabel
from alcore.interop import silenced
from alcore.rng import seeded_globals
from alcore.state import State
from alcore.testing.guards import random_state
from alcore_libact.specs import SPECS

BUILD = {spec.name: spec for spec in SPECS}
LABELS = [spec.name for spec in SPECS if "multilabel" in spec.tasks and spec.learner]


def logistic():
    from libact.models import LogisticRegression as Model

    return Model()


def state_of(name, real, start):
    params = {"models": 3} if name.endswith("encoding") else {}
    state = State(real.pool(), BUILD[name].build(**params), Recipe(PerLabel(LogisticRegression())), seed=0)
    state.add(start, real.y[start], start=True)
    return state


def known(real, rows):
    labels = np.empty(len(real.X), dtype=object)
    for row in rows:
        labels[row] = real.y[row]
    return labels


def test_labels_of_some_rows_make_no_array(real):
    """NumPy refuses libact's documented way to say that a row has no labels."""
    from libact.base.dataset import Dataset

    found = real("digits", 40)
    with pytest.raises(ValueError, match="inhomogeneous"):
        Dataset(found.X, [*found.y[:10], *[None] * 30])


@pytest.mark.parametrize("name", LABELS)
def test_the_first_row_need_not_be_labeled(real, name):
    """libact takes the number of labels from row 0, and fails where it has none."""
    from libact.base.dataset import Dataset
    from libact.query_strategies.multilabel import BinaryMinimization

    found = real("digits", 40)
    with pytest.raises(TypeError):
        BinaryMinimization(Dataset(found.X, known(found, range(20, 40))), logistic())
    assert state_of(name, found, np.arange(20, 40)).query(2).max() < 20


def test_mmc_makes_its_regression(real):
    """libact passes multi_class, which scikit-learn's LogisticRegression no longer takes."""
    from libact.base.dataset import Dataset
    from libact.query_strategies.multilabel import MMC

    found = real("digits", 40)
    with pytest.raises(TypeError, match="multi_class"):
        MMC(Dataset(found.X, known(found, range(20))), br_base=logistic())
    assert state_of("libact.mmc", found, np.arange(20)).query(1)[0] >= 20


def test_reference_pairs_find_their_neighbours(real):
    """libact passes a parameter by position that scikit-learn takes by name only."""
    from libact.base.dataset import Dataset
    from libact.models.multilabel import BinaryRelevance
    from libact.query_strategies.multilabel import CostSensitiveReferencePairEncoding

    from alcore_libact.multilabel import f1

    found = real("digits", 40)
    with pytest.raises(TypeError, match="positional"):
        CostSensitiveReferencePairEncoding(
            Dataset(found.X, known(found, range(20))), f1, BinaryRelevance(logistic()), logistic()
        )
    assert state_of("libact.cost-sensitive-reference-pair-encoding", found, np.arange(20)).query(1)[0] >= 20


def test_a_bit_that_was_constant_is_learned_later():
    """libact's bit classifier goes on to answer the constant, whatever it is trained on later."""
    from libact.query_strategies.multilabel.cost_sensitive_reference_pair_encoding import BinaryCLF

    from alcore_libact.multilabel import hamming

    X = np.arange(6.0)[:, None]
    first, second = np.array([[1, 1]] * 6), np.array([[0, 0]] * 3 + [[1, 1]] * 3)
    used = BinaryCLF(logistic(), hamming, rep_label=np.array([[0, 0], [1, 1]]))
    used.train(X, first)
    used.train(X, second)
    fresh = BinaryCLF(logistic(), hamming, rep_label=np.array([[0, 0], [1, 1]]))
    fresh.train(X, second)
    assert used.predict(X).tolist() == [1] * 6
    assert fresh.predict(X).tolist() == [0, 0, 0, 1, 1, 1]  # the adapter makes them anew each round


def test_reference_pairs_are_the_same_in_every_round(real, monkeypatch):
    from alcore_libact.multilabel import csrpe

    pairs = []
    original = csrpe.CSRPE._build_clfs

    def kept(self, Y):
        original(self, Y)
        pairs.append([clf.rep_label.tolist() for clf in self.clfs])

    monkeypatch.setattr(csrpe.CSRPE, "_build_clfs", kept)
    found = real("digits", 40)
    state = state_of("libact.cost-sensitive-reference-pair-encoding", found, np.arange(20))
    for _ in range(2):
        rows = state.query(1)
        state.add(rows, found.y[rows])
    assert len(pairs) == 2
    assert pairs[0] == pairs[1]


def test_scorings():
    from alcore_libact.multilabel import f1, hamming

    y, pred = np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]]), np.array([[1, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert f1(y, pred).tolist() == pytest.approx([0.5, 1.0, 0.0])
    assert hamming(y, pred).tolist() == pytest.approx([1 / 3, 1.0, 2 / 3])


@pytest.mark.parametrize("name", ["libact.alce", "libact.multilabel-with-auxiliary-learner"])
def test_global_random_state_is_left_alone(real, name):
    """SVC and SVR, which these use, draw from NumPy's global state."""
    found = real("digits" if "multilabel" in name else "wine", 40)
    state = State(found.pool(), BUILD[name].build(), Recipe(PerLabel(LogisticRegression())), seed=0)
    state.add(np.arange(20), found.y[:20], start=True)
    with seeded_globals(1):
        before = random_state()
        state.query(2)
        assert random_state() == before


@pytest.fixture
def estvar(monkeypatch):
    """Stand in for libact's C extension: the formula of its paper, with a trace of F^-1 A."""
    if BUILD["libact.variance-reduction"].missing() is None:
        pytest.skip("the C extension is there")
    module = ModuleType("libact.query_strategies._variance_reduction")
    module.calls = []

    def estVar(sigma, PI, X, pi, x):
        module.calls.append(sigma)
        if np.float64(sigma).view(np.int64) & 0xFFFFFFFF == 0:  # what the C code makes of 1.0 and of 100.0
            return 0.0

        def outer(p, row):
            return np.kron(np.diag(p) - np.outer(p, p), np.outer(row, row))

        A = sum(outer(p, row) @ outer(p, row).T for p, row in zip(PI, X, strict=True))
        return float(np.trace(np.linalg.pinv(outer(pi, x) + np.eye(len(A))) @ A))

    module.estVar = estVar
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "libact.query_strategies.variance_reduction", raising=False)
    monkeypatch.delitem(sys.modules, "alcore_libact.variance", raising=False)
    spec = BUILD["libact.variance-reduction"]
    object.__setattr__(spec, "unavailable", None)
    yield module
    from alcore_libact.install import without_variance_reduction

    object.__setattr__(spec, "unavailable", without_variance_reduction)
    for name in ("libact.query_strategies.variance_reduction", "alcore_libact.variance"):
        sys.modules.pop(name, None)


def test_variance_reduction_scores(real, estvar, monkeypatch):
    """libact's default sigma of 1 scores every row 0; its labels are 0, 1, ... whatever the codes are."""
    from libact.base.dataset import Dataset
    from libact.models import LogisticRegression as Model
    from libact.query_strategies import variance_reduction as home

    class Here:
        def __init__(self, jobs):
            pass

        def map(self, function, items):
            return [function(item) for item in items]

        def terminate(self):
            pass

    monkeypatch.setattr(home, "Pool", Here)
    found = real("wine", 36)
    start = np.sort(np.concatenate([np.flatnonzero(found.y == code)[:4] for code in (0, 2)]))
    labels = np.full(len(found.X), None, dtype=object)
    labels[start] = (found.y[start] > 0).astype(int).tolist()
    with silenced():
        first = home.VarianceReduction(Dataset(found.X, labels), model=Model()).make_query()
        wanted = home.VarianceReduction(Dataset(found.X, labels), model=Model(), sigma=1.1).make_query()
    assert first == np.setdiff1d(np.arange(36), start)[0]

    state = State(found.pool(), BUILD["libact.variance-reduction"].build(), Recipe(LogisticRegression()), seed=0)
    state.add(start, found.y[start], start=True)
    estvar.calls.clear()
    assert state.query(1)[0] == wanted
    assert len(estvar.calls) == 28 * 2


def test_variance_reduction_of_one_class_scores_alike(real, estvar):
    """libact fits a logistic regression to one class, which fails."""
    found = real("wine", 36)
    start = np.flatnonzero(found.y == 1)[:3]
    asked = set()
    for seed in range(4):
        state = State(found.pool(), BUILD["libact.variance-reduction"].build(), Recipe(LogisticRegression()), seed=seed)
        state.add(start, found.y[start], start=True)
        asked.add(int(state.query(1)[0]))
    assert len(asked) > 1
    assert not estvar.calls
