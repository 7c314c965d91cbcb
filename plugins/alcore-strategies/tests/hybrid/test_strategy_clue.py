"""CLUE against its algorithm, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from alcore import InputError, Pool, View
from alcore.estimators import PerLabel
from alcore.learners import Recipe
from alcore.state import State
from alcore.types import Task
from alcore_strategies.hybrid.clue import clue, weights

X, Y = (part[::2] for part in load_iris(return_X_y=True))
START = np.array([0, 3, 30, 33, 60, 63])


class Nothing:
    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:n]


def view_of(*, rows: Any = X, y: Any = Y, learner: Any = None, seed: int = 0, start: Any = START) -> View:
    task = Task.MULTILABEL if y.ndim == 2 else Task.CLASSIFICATION
    state = State(Pool(rows, task, range(3)), Nothing(), Recipe.of(learner or LogisticRegression()), seed=seed)
    state.add(start, y[start], start=True)
    return state.view()


def slow(view: View, n: int, temperature: float, seed: int) -> list[set[int]]:
    """Algorithm 1: for each centre the rows that may be taken, those within rounding of the nearest one left."""
    phi = view.model.estimator
    logits = view.model.decision_function(view.X_unlabeled) / temperature
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    H = -(p * np.log(p)).sum(axis=1)
    phi = view.X_unlabeled
    centres = KMeans(n, n_init=1, random_state=seed).fit(phi, sample_weight=np.maximum(H, 1e-9 * H.max()))
    found, taken = [], np.zeros(len(phi), dtype=bool)
    for centre in centres.cluster_centers_:
        gap = np.where(taken, np.inf, ((phi - centre) ** 2).sum(axis=1))
        near = np.flatnonzero(gap <= gap.min() + 1e-9)
        found.append(set(view.unlabeled[near].tolist()))
        taken[near[0]] = len(near) == 1 or taken[near[0]]
    return found


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("temperature", [1.0, 0.3, 4.0])
def test_rows_are_those_nearest_to_weighted_centres(n: int, temperature: float) -> None:
    view = view_of()
    seed = int(view_of().rng.integers(2**31))
    chosen = clue(view, n, temperature=temperature).tolist()
    assert len(set(chosen)) == n
    for row, allowed in zip(chosen, slow(view, n, temperature, seed), strict=True):
        assert row in allowed


def test_the_weight_is_the_entropy() -> None:
    p = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(weights(p, Task.CLASSIFICATION, 1.0), [np.log(2), 0, np.log(3)])
    np.testing.assert_allclose(weights(p[:2], Task.MULTILABEL, 1.0), [2 * np.log(2), 0])


def test_the_weight_at_a_temperature_is_that_of_the_softened_probabilities() -> None:
    p = np.array([[0.8, 0.2], [0.5, 0.5]])
    q = 0.8**2 / (0.8**2 + 0.2**2)
    np.testing.assert_allclose(
        weights(p, Task.CLASSIFICATION, 0.5), [-q * np.log(q) - (1 - q) * np.log(1 - q), np.log(2)]
    )
    np.testing.assert_allclose(weights(np.array([[1e-200, 1.0]]), Task.CLASSIFICATION, 0.01), [0.0], atol=1e-12)


def test_uncertain_rows_pull_the_centre() -> None:
    """One centre: the mean, or the place where the learner is in doubt."""
    view = view_of()
    (row,) = clue(view, 1, temperature=0.1)
    sure = view.proba.max(axis=1)[view.unlabeled == row][0]
    (middle,) = view_of().unlabeled[[((X[view.unlabeled] - X[view.unlabeled].mean(axis=0)) ** 2).sum(axis=1).argmin()]]
    assert sure < view.proba.max(axis=1)[view.unlabeled == middle][0] + 1e-12
    assert sure < np.median(view.proba.max(axis=1))


def test_several_labels_and_sparse_rows() -> None:
    rows = np.random.default_rng(1).normal(size=(60, 6))
    y = (rows[:, :3] + 0.5 * rows[:, 3:] > 0).astype(np.intp)
    learner = PerLabel(LogisticRegression(max_iter=1000))
    start = np.arange(0, 60, 5)
    dense = clue(view_of(rows=rows, y=y, learner=learner, start=start), 6).tolist()
    csr = clue(view_of(rows=sparse.csr_array(rows), y=y, learner=learner, start=start), 6).tolist()
    assert len(set(dense)) == 6
    assert set(dense) == set(csr)


def test_of_many_rows_a_sample_makes_the_centres() -> None:
    view = view_of()
    rng = view_of().rng
    some = rng.choice(len(view.unlabeled), size=20, replace=False)
    H = weights(view.proba, Task.CLASSIFICATION, 1.0)[some]
    phi, seed = view.X_unlabeled, int(rng.integers(2**31))
    centres = KMeans(3, n_init=1, random_state=seed).fit(phi[some], sample_weight=H).cluster_centers_
    expected = [int(view.unlabeled[((phi - centre) ** 2).sum(axis=1).argmin()]) for centre in centres]
    assert clue(view, 3, sample=20).tolist() == expected
    assert len(set(clue(view, 30, sample=20).tolist())) == 30
    with pytest.raises(InputError, match="clue: sample is 0"):
        clue(view, 3, sample=0)


def test_the_last_rows_are_all_asked() -> None:
    view = view_of()
    assert sorted(clue(view, len(view.unlabeled)).tolist()) == view.unlabeled.tolist()
    assert len(set(clue(view, len(view.unlabeled) - 1).tolist())) == len(view.unlabeled) - 1


@pytest.mark.parametrize("temperature", [0, -1.0, float("inf"), float("nan")])
def test_a_temperature_is_positive(temperature: float) -> None:
    with pytest.raises(InputError, match="clue: temperature is"):
        clue(view_of(), 2, temperature=temperature)


def test_layers_that_there_are_not() -> None:
    with pytest.raises(InputError, match="clue: layer is 'last'"):
        clue(view_of(), 2, layer="last")  # type: ignore[arg-type]
