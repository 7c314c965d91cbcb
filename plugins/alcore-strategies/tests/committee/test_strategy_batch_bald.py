"""batch-bald: joint information against the sum over all labels, and batches that do not repeat themselves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from alcore import InputError
from alcore_strategies.committee.bald import Bald
from alcore_strategies.committee.batch_bald import BatchBald, Joint
from alcore_strategies.committee.members import stacked, trees

X, y = load_iris(return_X_y=True)
START = [0, 1, 60, 61, 120, 121]


def joint_entropy(p):
    """H(y_1, ..., y_n) of probabilities (T, n, K), label by label."""
    total = 0.0
    for labels in product(range(p.shape[2]), repeat=p.shape[1]):
        q = np.mean([np.prod([p[t, i, k] for i, k in enumerate(labels)]) for t in range(len(p))])
        total -= q * np.log(q) if q > 0 else 0.0
    return total


def random_p(members=6, rows=9, k=3, seed=0, sharpness=2.0):
    rng = np.random.default_rng(seed)
    p = np.exp(sharpness * rng.normal(size=(members, rows, k)))
    return p / p.sum(axis=2, keepdims=True)


def test_joint_entropy_is_exact_while_all_configurations_are_kept():
    p, joint = random_p(), Joint(6, 3, 1000, np.random.default_rng(0))
    for n in range(4):
        assert joint.entropy == pytest.approx(joint_entropy(p[:, :n]), abs=1e-12)
        wanted = [joint_entropy(np.concatenate([p[:, :n], p[:, i : i + 1]], axis=1)) for i in range(9)]
        assert joint.entropies_with(p) == pytest.approx(wanted, abs=1e-12)
        joint.add(p[:, n])


def test_drawn_configurations_estimate_it():
    p, joint = random_p(), Joint(6, 3, 60, np.random.default_rng(0))
    for n in range(5):
        joint.add(p[:, n])
    assert len(joint.log_p) == 60
    estimates = []
    for seed in range(30):
        joint = Joint(6, 3, 60, np.random.default_rng(seed))
        for n in range(5):
            joint.add(p[:, n])
        estimates.append(joint.entropies_with(p[:, 5:6])[0])
    assert np.mean(estimates) == pytest.approx(joint_entropy(p[:, :6]), abs=0.05)


def test_long_batches_do_not_underflow():
    p, joint = random_p(rows=400, sharpness=0.1), Joint(6, 3, 60, np.random.default_rng(0))
    for n in range(399):
        joint.add(p[:, n])
    assert joint.entropy == pytest.approx(399 * np.log(3), rel=0.05)
    assert np.isfinite(joint.entropies_with(p[:, 399:])).all()


def test_impossible_labels_are_left_out():
    p, joint = np.zeros((4, 1, 3)), Joint(4, 3, 100, np.random.default_rng(0))
    p[:, 0, :2] = 0.5
    joint.add(p[:, 0])
    assert len(joint.log_p) == 2
    assert joint.entropy == pytest.approx(np.log(2))


def test_a_batch_is_greedy_in_the_joint_information(view_of):
    view = view_of(X, y, START, RandomForestClassifier(8, max_depth=2, random_state=0))
    p = stacked(trees(view), view.X_unlabeled)
    given = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=2).mean(axis=0)
    chosen: list[int] = []
    for _ in range(3):
        left = [i for i in range(len(view.unlabeled)) if i not in chosen]
        gain = [joint_entropy(p[:, [*chosen, i]]) - given[[*chosen, i]].sum() for i in left]
        chosen.append(left[int(np.argmax(np.round(gain, 12)))])
    assert BatchBald("forest", members=8).query(view, 3).tolist() == view.unlabeled[chosen].tolist()


def test_a_twin_of_a_chosen_row_is_not_the_second_choice(view_of):
    doubled, labels = np.concatenate([X, X]), np.concatenate([y, y])
    view = view_of(doubled, labels, START, RandomForestClassifier(30, random_state=0))
    top = Bald("forest").query(view, 2)
    batch = BatchBald("forest").query(view, 2)
    assert top[0] == batch[0]
    assert (doubled[top[0]] == doubled[top[1]]).all()
    assert (doubled[batch[0]] != doubled[batch[1]]).any()


def test_scores_are_balds(view_of):
    one, other = (view_of(X, y, START, LogisticRegression()) for _ in range(2))
    assert BatchBald(members=5).scores(one).tolist() == Bald(members=5).scores(other).tolist()


@pytest.mark.parametrize("params", [{"ensemble": "choir"}, {"members": 1}, {"configurations": 5}])
def test_refuses(params):
    with pytest.raises(InputError, match="batch-bald"):
        BatchBald(**params)


def test_rows_that_gain_the_same_but_for_rounding_are_left_to_the_rule_of_ties(view_of):
    """Four members in two pairs that say the opposite: all rows of one distance from 1/2 gain the same."""

    class Opposites(LogisticRegression):
        def sample_proba(self, X, draws, rng):
            lean = np.round(0.1 + 0.2 * (np.arange(len(X)) % 2), 1)
            p = np.stack([0.5 + lean, 0.5 - lean] * (draws // 2))
            return np.stack([p, 1.0 - p], axis=2)

    keep = y < 2
    view = view_of(X[keep], y[keep], [0, 60], Opposites())
    asked = BatchBald("draws", members=4).query(view, 3)
    wide = view.unlabeled[np.arange(len(view.unlabeled)) % 2 == 1]
    assert asked.tolist() == wide[:3].tolist()
