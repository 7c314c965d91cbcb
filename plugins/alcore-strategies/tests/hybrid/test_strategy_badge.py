"""BADGE against gradients that are really built, and the layers it may take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alcore import Floats, InputError, PairingError, Pool, View
from alcore.estimators import PerLabel
from alcore.layers import last_inputs
from alcore.learners import Recipe, SingleClassWarning
from alcore.state import State
from alcore.types import Task
from alcore_strategies.embedding import hidden_of
from alcore_strategies.geometry import k_plus_plus
from alcore_strategies.hybrid.badge import Gradients, badge, errors

X, Y = (part[::2] for part in load_iris(return_X_y=True))
XM = np.random.default_rng(1).normal(size=(60, 6))
YM = (XM[:, :3] + 0.5 * XM[:, 3:] > 0).astype(np.intp)
START = np.array([0, 3, 30, 33, 60, 63])


class Nothing:
    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:n]


def view_of(learner: Any, *, rows: Any = X, seed: int = 0, multilabel: bool = False, start: Any = START) -> View:
    task, y, k = (Task.MULTILABEL, YM, 3) if multilabel else (Task.CLASSIFICATION, Y, 3)
    rows = XM if multilabel and rows is X else rows
    start = np.arange(0, 60, 5) if multilabel else start
    state = State(Pool(rows, task, range(k)), Nothing(), Recipe.of(learner), seed=seed)
    state.add(start, y[start], start=True)
    return state.view()


def mlp(**more: Any) -> MLPClassifier:
    return MLPClassifier((7, 5), solver="lbfgs", max_iter=5000, alpha=1.0, random_state=0, **more)


LOGISTIC = LogisticRegression(max_iter=500)


def built(e: Floats, h: Any, bias: bool) -> Floats:
    """Return the gradients themselves, (n, C h)."""
    h = h.toarray() if sparse.issparse(h) else h
    h = np.column_stack([h, np.ones(len(h))]) if bias else h
    return (e[:, :, None] * h[:, None, :]).reshape(len(e), -1)


# --- the gradient ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [False, True])
def test_it_is_the_gradient_of_the_loss_under_the_predicted_label(bias: bool) -> None:
    """Finite differences of the cross-entropy in W and b, for softmax(W h + b)."""
    rng = np.random.default_rng(2)
    W, b, h = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=3)

    def probabilities(W: Floats, b: Floats) -> Floats:
        z = np.exp(W @ h + b)
        return z / z.sum()

    p = probabilities(W, b)
    found = built(errors(p[None], Task.CLASSIFICATION), h[None], bias).reshape(4, -1)
    label, step = p.argmax(), 1e-6
    for c in range(4):
        for j in range(3 + bias):
            dW, db = np.zeros((4, 3)), np.zeros(4)
            (dW[c] if j < 3 else db)[j if j < 3 else c] = step
            up, down = probabilities(W + dW, b + db), probabilities(W - dW, b - db)
            assert found[c, j] == pytest.approx((np.log(down[label]) - np.log(up[label])) / (2 * step), abs=1e-8)


def test_the_gradient_of_several_labels_is_that_of_their_binary_losses() -> None:
    p = np.array([[0.9, 0.2, 0.5]])
    np.testing.assert_allclose(errors(p, Task.MULTILABEL), [[-0.1, 0.2, -0.5]])
    assert p[0, 0] == 0.9


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("csr", [False, True])
@pytest.mark.parametrize("classes", [2, 5])
def test_distances_are_those_of_gradients_that_are_built(bias: bool, csr: bool, classes: int) -> None:
    rng = np.random.default_rng(classes)
    e = errors(rng.dirichlet(np.ones(classes), size=40), Task.CLASSIFICATION)
    h = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.7)
    h[7], e[7] = h[3], e[3]
    G = built(e, h, bias)
    found = Gradients(e, sparse.csr_matrix(h) if csr else h, bias)
    np.testing.assert_allclose(found.norms2, (G**2).sum(axis=1), atol=1e-13)
    for i in (0, 3, 39):
        np.testing.assert_allclose(found.to(i), ((G - G[i]) ** 2).sum(axis=1), atol=1e-12)
    assert found.to(3)[[3, 7]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("learner", "multilabel"), [(LOGISTIC, False), (mlp(), False), (mlp(), True)])
def test_the_batch_is_k_means_plus_plus_from_the_largest_gradient(learner: Any, multilabel: bool, bias: bool) -> None:
    view = view_of(learner, multilabel=multilabel)
    p, estimator = view.proba, view.model.estimator
    h = view.X_unlabeled
    if isinstance(estimator, MLPClassifier):
        for W, b in zip(estimator.coefs_[:-1], estimator.intercepts_[:-1], strict=True):
            h = np.maximum(h @ W + b, 0)
    labels = (p >= 0.5) if multilabel else np.eye(3)[p.argmax(axis=1)]
    G = built(p - labels, h, bias)
    first = int((G**2).sum(axis=1).argmax())
    slow = view_of(learner, multilabel=multilabel).rng
    expected = k_plus_plus(lambda i: ((G - G[i]) ** 2).sum(axis=1), len(G), 8, slow, first=first)
    assert badge(view, 8, bias=bias).tolist() == view.unlabeled[expected].tolist()


def test_repeated_rows_make_no_repeated_answer() -> None:
    rows = np.repeat(X[::6], 6, axis=0)[:75]
    for seed in range(3):
        assert len(set(badge(view_of(LOGISTIC, rows=rows, seed=seed), 40).tolist())) == 40


# --- what the last layer takes ---------------------------------------------------------------------------------------


class Deep(LogisticRegression):  # type: ignore[misc]
    def hidden(self, rows: Any) -> Any:
        return rows[:, :2] ** 2


class Placed(RandomForestClassifier):  # type: ignore[misc]
    def embed(self, rows: Any) -> Any:
        return rows[:, :1] + 7


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("multilabel", [False, True])
def test_the_last_layer_of_a_perceptron_gives_its_probabilities(activation: str, multilabel: bool) -> None:
    view = view_of(mlp(activation=activation), multilabel=multilabel)
    h = hidden_of(view, view.unlabeled)
    net = view.model.estimator
    assert h.shape == (len(view.unlabeled), 5)
    z = h @ net.coefs_[-1] + net.intercepts_[-1]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = 1 / (1 + np.exp(-z)) if multilabel else e / e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, view.proba, atol=1e-12)


@pytest.mark.parametrize("container", ["array", "csr", "frame"])
def test_the_last_layer_of_a_linear_model_takes_the_features_through_its_scaler(container: str) -> None:
    import pandas as pd

    rows = {"array": X, "csr": sparse.csr_array(X), "frame": pd.DataFrame(X, columns=list("abcd"))}[container]
    learner = make_pipeline(StandardScaler(with_mean=container != "csr"), LogisticRegression())
    view = view_of(learner, rows=rows)
    h = hidden_of(view, view.unlabeled)
    scaler = view.model.estimator[0]
    expected = (X[view.unlabeled] - (scaler.mean_ if container != "csr" else 0)) / scaler.scale_
    assert sparse.issparse(h) == (container == "csr")
    np.testing.assert_allclose(h.toarray() if container == "csr" else h, expected)


def test_binary_relevance_of_linear_models_has_one_last_layer() -> None:
    view = view_of(PerLabel(make_pipeline(StandardScaler(), LogisticRegression())), multilabel=True)
    np.testing.assert_allclose(
        hidden_of(view, view.unlabeled), StandardScaler().fit(view.X_labeled).transform(view.X_unlabeled)
    )
    many = MultiOutputClassifier(LogisticRegression()).fit(XM, YM)
    np.testing.assert_array_equal(last_inputs(many, XM), XM)
    behind = make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression())).fit(XM, YM)
    np.testing.assert_allclose(last_inputs(behind, XM), behind[0].transform(XM))


def test_members_that_see_rows_differently_have_not() -> None:
    chosen = make_pipeline(SelectKBest(k=2), LogisticRegression())
    assert last_inputs(MultiOutputClassifier(chosen).fit(XM, YM), XM) is None


def test_binary_relevance_of_perceptrons_has_not() -> None:
    view = view_of(PerLabel(MLPClassifier(4, max_iter=5000, alpha=1.0, solver="lbfgs")), multilabel=True)
    with pytest.raises(PairingError, match=r"PerLabel has no hidden layer and no embedding\. Use layer='features'"):
        hidden_of(view, view.unlabeled)


def test_the_learners_own_layers_come_first() -> None:
    view = view_of(Deep())
    np.testing.assert_array_equal(hidden_of(view, view.unlabeled[:3]), X[view.unlabeled[:3], :2] ** 2)
    view = view_of(Placed(5))
    np.testing.assert_array_equal(hidden_of(view, view.unlabeled), X[view.unlabeled, :1] + 7)
    np.testing.assert_array_equal(hidden_of(view, view.unlabeled, "embedding"), X[view.unlabeled, :1] + 7)


def test_a_learner_without_layers_needs_features() -> None:
    view = view_of(RandomForestClassifier(5))
    with pytest.raises(PairingError, match="RandomForestClassifier has no hidden layer and no embedding"):
        badge(view, 2)
    with pytest.raises(PairingError, match=r"RandomForestClassifier has no hidden layer\. Use"):
        badge(view, 2, layer="hidden")
    assert len(set(badge(view, 5, layer="features").tolist())) == 5


def test_while_one_class_is_labelled_rows_are_drawn_from_all() -> None:
    with pytest.warns(SingleClassWarning):
        first = {badge(view_of(LOGISTIC, start=np.array([0, 1]), seed=seed), 3)[0] for seed in range(8)}
    assert len(first) > 3


def test_layers_that_there_are_not() -> None:
    with pytest.raises(InputError, match="badge: layer is 'last'; use one of 'auto', 'hidden'"):
        badge(view_of(LOGISTIC), 2, layer="last")  # type: ignore[arg-type]


def test_an_embedding_that_is_asked_for_is_a_need() -> None:
    from alcore.decorators import spec_of

    spec = spec_of(badge)
    assert spec.given({"layer": "embedding"}).needs == ("proba", "embedding")  # type: ignore[attr-defined]
    assert spec.given({}).needs == ("proba", "hidden|embedding")  # type: ignore[attr-defined]
    assert spec.given({"layer": "features"}).needs == ("proba",)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="badge: layer is 3"):
        spec.given({"layer": 3})
