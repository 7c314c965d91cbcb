"""Committees and ensembles against the libraries' own formulas, on the same members."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from alcore import Pool, Recipe, Task
from alcore.state import State
from alcore_strategies.committee.bald import Bald
from alcore_strategies.committee.batch_bald import BatchBald, Joint
from alcore_strategies.committee.members import bagged, stacked, trees
from alcore_strategies.committee.published import BaldPublished
from alcore_strategies.committee.qbc import QueryByCommittee

X, y = load_iris(return_X_y=True)
START = np.array([0, 1, 2, 60, 61, 62, 120, 121, 122])


class Nobody:
    def query(self, view, n):
        return view.unlabeled[:n]


def view_of(X, y, labeled, learner, seed=0):
    state = State(
        Pool(X, Task.CLASSIFICATION, tuple(range(y.max() + 1))), Nobody(), Recipe(learner), seed=seed, ties="first"
    )
    state.add(labeled, y[labeled], start=True)
    return state.view()


def members(seed=0):
    view = view_of(X, y, START, LogisticRegression(), seed)
    return bagged(view, 6), view.X_unlabeled


@pytest.mark.parametrize("seed", range(2))
def test_the_three_disagreements_are_modals(seed):
    disagreement = pytest.importorskip("modAL.disagreement")
    models, rows = members(seed)

    class Committee:
        classes_ = np.arange(3)

        def __len__(self):
            return len(models)

        def __iter__(self):
            return iter(models)

        def vote(self, X):
            return np.stack([model.predict(X) for model in models], axis=1)

        def vote_proba(self, X):
            return np.stack([model.predict_proba(X) for model in models], axis=1)

        def predict_proba(self, X):
            return self.vote_proba(X).mean(axis=1)

    def ours(name):
        view = view_of(X, y, START, LogisticRegression(), seed)
        return QueryByCommittee(name, members=6).scores(view)

    assert ours("vote-entropy") == pytest.approx(disagreement.vote_entropy(Committee(), rows))
    p = Committee().predict_proba(rows)
    assert ours("consensus-entropy") == pytest.approx(-(p * np.log(p)).sum(axis=1))
    # modAL's own KL measure takes the largest divergence of a member; ours, McCallum and Nigam's, their mean.
    worst = disagreement.KL_max_disagreement(Committee(), rows)
    assert (ours("kl") <= worst + 1e-9).all()


def test_mean_divergence_is_scikit_activemls():
    peer = pytest.importorskip("skactiveml.pool")
    models, rows = members()
    view = view_of(X, y, START, LogisticRegression())
    p = stacked(models, rows)
    wanted = peer.average_kl_divergence(p)
    assert QueryByCommittee("kl", members=6).scores(view) == pytest.approx(wanted, abs=1e-9)


def forest(view):
    return stacked(trees(view), view.X_unlabeled)


def test_bald_is_scikit_activemls():
    peer = pytest.importorskip("skactiveml.pool._bald")
    view = view_of(X, y, START, RandomForestClassifier(20, max_depth=2, random_state=0))
    wanted = peer.batch_bald(forest(view), 1)[0]
    assert Bald("forest").scores(view) == pytest.approx(wanted, abs=1e-5)  # it raises probabilities to 1e-7


def test_batches_are_scikit_activemls_where_both_are_exact():
    peer = pytest.importorskip("skactiveml.pool._bald")
    view = view_of(X, y, START, RandomForestClassifier(20, max_depth=2, random_state=0))
    wanted = peer.batch_bald(forest(view), 4, n_MC_samples=1000)
    found = BatchBald("forest").query(view, 4)
    assert found.tolist() == [int(view.unlabeled[np.nanargmax(row)]) for row in wanted]


def test_joint_entropy_is_scikit_activemls():
    peer = pytest.importorskip("skactiveml.pool._bald")
    view = view_of(X, y, START, RandomForestClassifier(20, max_depth=2, random_state=0))
    p = np.clip(forest(view), 1e-7, 1)
    theirs, ours = peer._ExactJointEntropy.empty(20), Joint(20, 3, 1000, np.random.default_rng(0))
    for row in (0, 50, 100):
        log_p = np.log(p.swapaxes(0, 1))
        theirs.add_variables(log_p[row : row + 1])
        ours.add(p[:, row])
        assert ours.entropies_with(p) == pytest.approx(theirs.compute_batch(log_p), abs=1e-9)


def test_published_bald_is_scikit_activemls_rounding_to_the_last_bit():
    peer = pytest.importorskip("skactiveml.pool._bald")
    rows, labels = load_breast_cancer(return_X_y=True)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    view = view_of(rows, labels, np.arange(0, 569, 20), LogisticRegression())
    wanted = peer.batch_bald(np.stack([view.proba] * 100), 1)[0]
    assert BaldPublished().scores(view).tolist() == wanted.tolist()
