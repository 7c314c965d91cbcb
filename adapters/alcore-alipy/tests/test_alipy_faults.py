"""Faults of the library that are fixed at the border: each is shown on the raw library, and then gone."""

from __future__ import annotations

import collections
import sys

import cvxpy
import numpy as np
import pytest
from alipy.index import MultiLabelIndexCollection
from alipy.query_strategy import multi_label, query_labels
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import alcore
from alcore.plugins import loaded
from alcore_alipy.library import calling

X, Y = load_wine(return_X_y=True)
KEEP = np.random.default_rng(0).permutation(np.flatnonzero(Y < 2))[:50]
X2, Y2 = (X[KEEP] - X.mean(axis=0)) / X.std(axis=0), Y[KEEP]
START, LEFT = np.arange(20), np.arange(20, 50)
LABELS = (X2[:, :3] > np.median(X2[:, :3], axis=0)).astype(int)


def asked(strategy, *, y=Y2, learner=None, batch=1, start=20, rounds=1, task=None, **params):
    """Return the rows of each round."""
    run = alcore.simulate(
        X2, y, strategy=loaded().registry.build("strategy", strategy, **params), learner=learner or GaussianNB(),
        start=list(range(start)) if isinstance(start, int) else start, budget=rounds * batch, batch=batch, seed=1,
        test=(X2, y), task=task,
    )  # fmt: skip
    return [record.rows.tolist() for record in run.records[1:]]


def test_names_that_python_no_longer_has():
    query = query_labels.QueryInstanceUncertainty(measure="margin")
    with pytest.raises(AttributeError, match="Iterable"):
        query.select_by_prediction_mat(LEFT, np.full((30, 2), 0.5))
    assert len(asked("alipy.margin")[0]) == 1
    assert not hasattr(collections, "Iterable")
    assert not hasattr(np, "NINF")


def test_names_go_again_when_the_library_fails():
    seen = []

    def fail():
        with calling():
            seen.extend([hasattr(collections, "Iterable"), getattr(np, "NINF")])  # noqa: B009 - gone from NumPy
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen == [True, -np.inf]
    assert not hasattr(collections, "Iterable")
    assert not hasattr(np, "NINF")


def test_entropy_writes_over_probabilities(by_hand):
    proba = np.array([[1.0, 0.0], [0.6, 0.4], [0.9, 0.1]])
    query_labels.QueryInstanceUncertainty(measure="entropy").select_by_prediction_mat([0, 1, 2], proba)
    assert proba[0, 1] == 1e-6
    seen = []

    class Watching(GaussianNB):
        def predict_proba(self, X):
            seen.append(super().predict_proba(X))
            return seen[-1]

    asked("alipy.entropy", learner=Watching())
    assert (seen[0] < 1e-6).any()


def test_expected_error_of_a_certain_learner(by_hand):
    """A tree has probabilities of 0: the raw scores are NaN, and the row is whichever a sort of them leaves first."""
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    query = query_labels.QueryExpectedErrorReduction(X2, Y2)
    with np.errstate(all="ignore"):
        assert np.isnan(query.log_loss(np.array([[1.0, 0.0]])))
    assert asked("alipy.eer", learner=tree, start=20)[0][0] in LEFT


def test_committee_of_members_that_know_different_classes(by_hand):
    """Bootstrap samples miss a class: the raw library compares matrices of different widths, and fails."""
    y = np.r_[0, np.ones(5, dtype=int)]
    np.random.seed(0)
    query = query_labels.QueryInstanceQBC(X2[:26], np.r_[y, np.zeros(20, dtype=int)], disagreement="KL_divergence")
    with pytest.raises(TypeError):  # its message fails as well
        query.select(np.arange(6), np.arange(6, 26), model=KNeighborsClassifier(1).fit(X2[:6], y))
    start = [int(np.flatnonzero(Y2 == 0)[0]), *np.flatnonzero(Y2 == 1)[:5].tolist()]
    assert len(asked("alipy.qbc-kl", start=start, rounds=2, learner=KNeighborsClassifier(1))) == 2


def test_members_of_a_seeded_committee_differ():
    """Bagging sets the seed of its members from its own, which the raw library leaves to chance."""
    forest = DecisionTreeClassifier(max_features=1, splitter="random", random_state=0)
    assert asked("alipy.qbc-vote", learner=forest, rounds=3) == asked("alipy.qbc-vote", learner=forest, rounds=3)


def test_quire_answers_one_row_whatever_the_batch(by_hand):
    signs = np.where(Y2 > 0, 1, -1)
    query = query_labels.QueryInstanceQUIRE(X2, signs, np.arange(50))
    assert len(query.select(START, LEFT, batch_size=3)) == 1
    rows = asked("alipy.quire", batch=3)[0]
    assert len(set(rows)) == 3


def test_core_set_from_nothing():
    query = query_labels.QueryInstanceCoresetGreedy(X2, Y2, np.arange(50))
    with pytest.raises(TypeError):
        query.select(np.empty(0, dtype=int), np.arange(50))
    session = alcore.Session(X2, classes=[0, 1], strategy="alipy.core-set", learner=GaussianNB(), seed=1)
    assert len(set(np.asarray(session.ask(4)).tolist())) == 4


def test_core_set_at_the_end_of_the_pool(by_hand):
    query = query_labels.QueryInstanceCoresetGreedy(X2, Y2, np.arange(50))
    with pytest.raises(AssertionError):
        query.select(np.arange(48), np.arange(48, 50), batch_size=5)
    assert sorted(asked("alipy.core-set", start=48, batch=5)[0]) == [48, 49]


@pytest.mark.parametrize("name", ["bmdr", "spal"])
def test_programs_drop_their_constraint(name, by_hand, monkeypatch):
    """cvxpy returns NumPy's floats; the raw library takes those for a failure, and leaves out sum(x) = batch."""
    constraints, solve = [], cvxpy.Problem.solve

    def counting(self, *args, **how):
        constraints.append(len(self.constraints))
        return solve(self, *args, **how)

    monkeypatch.setattr(cvxpy.Problem, "solve", counting)
    library = {"bmdr": query_labels.QueryInstanceBMDR, "spal": query_labels.QueryInstanceSPAL}[name]
    library(X2, Y2).select(START, LEFT, batch_size=2, qp_solver="OSQP")
    assert constraints.count(2) == constraints.count(3) > 0
    constraints.clear()
    asked(f"alipy.{name}", batch=2)
    assert constraints.count(3) > 0
    assert 2 not in constraints[:1]


def test_programs_ask_for_a_solver_that_is_gone(by_hand):
    with pytest.raises(cvxpy.error.SolverError):
        query_labels.QueryInstanceBMDR(X2, Y2).select(START, LEFT, batch_size=2)
    for solver in ("osqp", "clarabel"):
        assert len(asked("alipy.bmdr", batch=2, solver=solver)[0]) == 2


def test_mmc_has_a_setting_that_is_gone():
    with pytest.raises(TypeError, match="multi_class"):
        multi_label.QueryMultiLabelMMC(X2, LABELS)
    assert len(asked("alipy.mmc", y=LABELS, learner=DecisionTreeClassifier(), task="multilabel")[0]) == 1


@pytest.mark.parametrize("name", ["mmc", "adaptive"])
def test_batches_read_labels_that_nobody_gave(name, by_hand):
    """The raw library adds each row of a batch to the labelled ones, with its hidden label."""
    base, read = LogisticRegression(solver="liblinear"), []

    class Watched(np.ndarray):
        def __getitem__(self, key):
            if isinstance(key, multi_label.IndexCollection):
                read.extend(key.index)
            return super().__getitem__(key)

    if name == "mmc":
        how = {"logreg_param": {"solver": "newton-cg"}, "random_state": 0, "base_clf": base}
        query = multi_label.QueryMultiLabelMMC(X2, LABELS, **how)
    else:
        query = multi_label.QueryMultiLabelAdaptive(X2, LABELS, base, random_state=0)
    query.y = LABELS.view(Watched)
    query.select(START, LEFT, batch_size=3)
    assert max(read) >= 20
    other = LABELS.copy()
    other[LEFT] = 1 - other[LEFT]
    how = {"learner": DecisionTreeClassifier(random_state=0), "task": "multilabel", "batch": 3}
    assert asked(f"alipy.{name}", y=LABELS, **how) == asked(f"alipy.{name}", y=other, **how)


def test_multilabel_quire_mixes_up_labels(by_hand):
    """The raw library sorts the positions of the labelled pairs, and not their labels."""
    pairs = MultiLabelIndexCollection([(row,) for row in START.tolist()], 3)
    assert sorted(pairs, key=lambda pair: pair[::-1]) != list(pairs)
    given = [(row, label) for label in range(3) for row in START.tolist()]
    positions = pairs.get_onedim_index(order="F", ins_num=50)
    ordered = MultiLabelIndexCollection([(0,)], 3)
    ordered._innercontainer = given
    assert sorted(positions) == ordered.get_onedim_index(order="F", ins_num=50) != positions


def test_audi_changes_the_parameters_it_starts_from(by_hand):
    np.random.seed(0)
    model = multi_label.LabelRankingModel(X2, 2 * LABELS - 1, n_repeat=1)
    before = model._ini_parameters[0].copy()
    model.fit(X2, 2 * LABELS - 1, n_repeat=1)
    assert not np.array_equal(model._ini_parameters[0], before)
    how = {"y": LABELS, "task": "multilabel", "learner": DecisionTreeClassifier()}
    assert asked("alipy.audi", rounds=3, **how) == asked("alipy.audi", rounds=3, **how)


def test_graph_density_without_numbers():
    """Far neighbours have weight exp(-d) = 0: the raw density is 0 / 0, and its largest the first row."""
    far = np.diag(np.arange(1, 31)) * 1e6
    with pytest.raises(alcore.StrategyError, match=r"alipy.graph-density.* 30 rows is no number.*standard"):
        alcore.simulate(
            far, np.arange(30) % 2, strategy="alipy.graph-density", learner=GaussianNB(), start=4, budget=1,
            features="raw", test=(far, np.arange(30) % 2),
        )  # fmt: skip


def test_nothing_is_left_behind(capsys):
    """Neither output, nor global random state, nor changed modules of the library."""
    before = {name: dict(vars(sys.modules[name])) for name in ("alipy.query_strategy.query_labels", "collections")}
    np.random.seed(5)
    state = np.random.get_state()[1].copy()
    asked("alipy.qbc-vote")
    asked("alipy.random")
    asked("alipy.bmdr")
    assert np.array_equal(np.random.get_state()[1], state)
    assert capsys.readouterr() == ("", "")
    assert before == {name: dict(vars(sys.modules[name])) for name in before}
