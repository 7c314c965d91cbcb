"""MMC, adaptive, BEAL and CRW against their formulas, row by row and label by label."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from alcore import Floats, InputError, PairingError, Pool, View
from alcore.decorators import spec_of
from alcore.estimators import PerLabel
from alcore.learners import Recipe
from alcore.state import State
from alcore.testing.toylearner import LEVELS, toy_learner
from alcore.types import Task
from alcore_strategies.committee.members import draws as posterior
from alcore_strategies.multilabel.adaptive import adaptive, approximate_error, separation_margin
from alcore_strategies.multilabel.beal import beal
from alcore_strategies.multilabel.crw import crw, f1_by_label, shares
from alcore_strategies.multilabel.mmc import mmc

X = np.random.default_rng(3).normal(size=(60, 6))
Y = (X[:, :4] + X[:, 2:] + np.random.default_rng(4).normal(size=(60, 4)) > 0.3).astype(np.intp)
START = np.arange(0, 60, 3)


class Nothing:
    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:n]


def view_of(learner: Any = None, *, seed: int = 0, y: Any = Y, start: Any = START, rows: Any = X) -> View:
    recipe = Recipe.of(learner or PerLabel(LogisticRegression()))
    state = State(Pool(rows, Task.MULTILABEL, range(4)), Nothing(), recipe, seed=seed)
    state.add(start, y[start], start=True)
    return state.view()


BARE = toy_learner(Task.MULTILABEL, ["proba"])
FULL = toy_learner(Task.MULTILABEL, LEVELS[Task.MULTILABEL])
VIEWS = {
    "linear": view_of,
    "probabilities only": lambda **how: view_of(BARE, **how),
    "toy": lambda **how: view_of(FULL, **how),
}


# --- mmc -------------------------------------------------------------------------------------------------------------


def slow_mmc(view: View, *, decision: bool) -> list[float]:
    def profile(p: Floats) -> list[float]:
        return [value / sum(p) for value in sorted(p, reverse=True)]

    def outputs(rows: Any) -> tuple[Floats, Floats]:
        if not decision:
            p = view.model.predict_proba(rows)
            return p, 2 * p - 1
        f = view.model.decision_function(rows)
        return 1 / (1 + np.exp(-f)), f

    p, _ = outputs(view.X_labeled)
    count = LogisticRegression(solver="newton-cg", max_iter=1000).fit([profile(one) for one in p], view.y.sum(axis=1))
    scores = []
    for p_x, f_x in zip(*outputs(view.X_unlabeled), strict=True):
        m = int(count.predict([profile(p_x)])[0])
        on = set(np.argsort(-p_x)[:m].tolist())
        scores.append(sum((1 - (1 if c in on else -1) * f_x[c]) / 2 for c in range(4)))
    return scores


@pytest.mark.parametrize("decision", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_mmc_is_the_loss_of_the_likeliest_labels(decision: bool, seed: int) -> None:
    start = np.random.default_rng(seed).choice(60, 20, replace=False)
    found = mmc(view_of(start=start), values="decision" if decision else "proba")
    np.testing.assert_allclose(found, slow_mmc(view_of(start=start), decision=decision), atol=1e-12)


def test_mmc_where_all_rows_have_as_many_labels() -> None:
    two = np.argsort(np.argsort(-(Y + 0.1 * np.abs(X[:, :4])), axis=1), axis=1) < 2
    view = view_of(y=two.astype(np.intp))
    p = view.proba
    best = np.sort(p, axis=1)
    expected = (1 - best[:, 2:]).sum(axis=1) + best[:, :2].sum(axis=1)
    np.testing.assert_allclose(mmc(view), expected)


def test_mmc_is_largest_where_every_label_is_a_toss() -> None:
    view = view_of()
    asked = mmc(view)
    doubt = (1 - np.abs(2 * view.proba - 1)).sum(axis=1)
    assert np.corrcoef(asked, doubt)[0, 1] > 0.3


def test_mmc_with_a_label_that_all_rows_share() -> None:
    y = Y.copy()
    y[:, 1] = 1
    assert np.isfinite(mmc(view_of(y=y), values="decision")).all()


@pytest.mark.parametrize("values", ["margin", None, 1])
def test_values_of_mmc(values: Any) -> None:
    with pytest.raises(InputError, match="mmc: values is"):
        mmc(view_of(), values=values)
    with pytest.raises(InputError, match="mmc: values is"):
        spec_of(mmc).given({"values": values})


def test_mmc_needs_what_its_values_need() -> None:
    assert spec_of(mmc).given({"values": "decision"}).needs == ("decision",)  # type: ignore[attr-defined]
    with pytest.raises(PairingError):
        mmc(view_of(BARE), values="decision")


# --- adaptive --------------------------------------------------------------------------------------------------------


def slow_adaptive(make: Any, betas: list[float]) -> list[float]:
    view = make()

    def real(model: Any) -> Any:
        if "decision" in model.levels:
            return model.decision_function(view.X_unlabeled)
        return 2 * model.predict_proba(view.X_unlabeled) - 1

    f = real(view.model)
    cardinality = np.mean([sum(labels) for labels in view.y])
    best = None
    for beta in betas:
        q = []
        for f_x in f:
            on, off = [v for v in f_x if v > 0], [v for v in f_x if v < 0]
            sep = min(on) - max(off) if on and off else np.inf
            q.append((1 / sep) ** beta * abs(len(on) - cardinality) ** (1 - beta))
        i = int(np.argmax(q))
        twin = view.new_learner().fit(
            np.vstack([view.X_labeled, view.X_unlabeled[i : i + 1]]), np.vstack([view.y, f[i] > 0]).astype(np.intp)
        )
        error = sum(
            max([max(0, 1 - v) for v in f_x if v > 0], default=0)
            + max([max(0, 1 + v) for v in f_x if v < 0], default=0)
            for f_x in real(twin)
        )
        if best is None or error < best[0] - 1e-12:
            best = (error, q)
    assert best is not None
    return best[1]


@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("betas", [[0.1, 0.5, 0.9], [1.0], [0.3, 0.7, 1.0]])
def test_adaptive_is_the_trade_off_that_leaves_the_least_error(make: Any, betas: list[float]) -> None:
    np.testing.assert_allclose(adaptive(make(), betas=betas), slow_adaptive(make, betas), rtol=1e-9)


def test_adaptive_at_the_ends() -> None:
    view = view_of()
    f = view.decision
    np.testing.assert_allclose(adaptive(view, betas=[1.0]), 1 / separation_margin(f))
    np.testing.assert_allclose(adaptive(view, betas=[0.0]), np.abs((f > 0).sum(axis=1) - view.y.sum() / len(view.y)))


def test_the_separation_margin_by_hand() -> None:
    f = np.array([[2.0, -1.0, 0.5, -3.0], [1.0, 2.0, 3.0, 4.0], [-1.0, -2.0, -3.0, -4.0], [0.0, 1.0, -1.0, -1.0]])
    assert separation_margin(f).tolist() == [1.5, np.inf, np.inf, 2.0]


def test_the_error_by_hand() -> None:
    """Row one: [1 - .5] + [1 - 1]; row two: both hinges are flat; infinite values are certain."""
    assert approximate_error(np.array([[2.0, 0.5, -1.0, -3.0], [1.5, np.inf, -np.inf, -2.0]])) == 0.5


def test_adaptive_fits_once_per_row_that_is_best() -> None:
    fits: list[int] = []

    class Watched(LogisticRegression):  # type: ignore[misc]
        def fit(self, rows: Any, y: Any, sample_weight: Any = None) -> Any:
            fits.append(len(y))
            return super().fit(rows, y)

    adaptive(view_of(PerLabel(Watched())), betas=[0.9, 0.95, 1.0, 1.0])
    assert fits.count(20) == 4
    assert 4 <= fits.count(21) <= 12


@pytest.mark.parametrize("betas", [[], [1.1], [-0.1], "0.5", [float("nan")]])
def test_betas_are_shares(betas: Any) -> None:
    with pytest.raises(InputError, match="adaptive: betas is"):
        adaptive(view_of(), betas=betas)


# --- beal ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [FULL, BARE])
@pytest.mark.parametrize("confidence", ["expected", "largest"])
def test_beal_is_the_expected_confidence_under_the_posterior(learner: Any, confidence: Any) -> None:
    view = view_of(learner)
    P = posterior(view_of(learner), view.X_unlabeled, 7)
    assert P.shape == (7, 40, 4)
    expected = []
    for i in range(40):
        p = P[:, i].mean(axis=0)
        if confidence == "expected":
            expected.append(-np.mean([p[c] * p[c] + (1 - p[c]) * (1 - p[c]) for c in range(4)]))
        else:
            expected.append(-np.mean([max(p[c], 1 - p[c]) for c in range(4)]))
    np.testing.assert_allclose(beal(view, draws=7, confidence=confidence), expected, atol=1e-12)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    whole = beal(view_of(FULL))
    module = sys.modules[beal.__module__]
    monkeypatch.setattr(module, "blocks", lambda n, width: [slice(0, 7), slice(7, n)])
    np.testing.assert_allclose(beal(view_of(FULL)), whole)
    np.testing.assert_allclose(beal(view_of(FULL, rows=pd.DataFrame(X))), whole)


def test_parameters_of_beal() -> None:
    with pytest.raises(InputError, match="beal: confidence is 'smallest'"):
        beal(view_of(), confidence="smallest")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="draws"):
        beal(view_of(), draws=0)


# --- crw -------------------------------------------------------------------------------------------------------------


def slow_crw(view: View, n: int, beta: float, folds: int, predicted: Any) -> list[int]:
    F1 = [f1_score(view.y[:, c], predicted[:, c]) if view.y[:, c].sum() >= 2 else 0.0 for c in range(4)]
    w = [1 - F1[c] + beta for c in range(4)]
    quota = [n * one / sum(w) for one in w]
    n_c = [int(one) for one in quota]
    for c in sorted(range(4), key=lambda c: -(quota[c] - n_c[c]))[: n - sum(n_c)]:
        n_c[c] += 1
    left, P = list(range(len(view.unlabeled))), view.proba
    chosen = []
    for c in sorted(range(4), key=lambda c: -w[c]):
        for _ in range(n_c[c]):
            i = max(left, key=lambda i: min(P[i, c], 1 - P[i, c]) / max(P[i, c], 1 - P[i, c]))
            left.remove(i)
            chosen.append(int(view.unlabeled[i]))
    return chosen


@pytest.mark.parametrize("n", [1, 5, 13])
@pytest.mark.parametrize("folds", [2, 5])
def test_crw_gives_each_label_its_share(n: int, folds: int) -> None:
    view = view_of()
    fold = view_of().rng.permutation(20) % folds
    predicted = np.zeros((20, 4), dtype=int)
    for k in range(folds):
        model = PerLabel(LogisticRegression()).fit(view.X_labeled[fold != k], view.y[fold != k])
        predicted[fold == k] = model.predict(view.X_labeled[fold == k])
    assert sorted(crw(view, n, folds=folds).tolist()) == sorted(slow_crw(view_of(), n, 0.01, folds, predicted))


def test_shares_are_rounded_by_largest_remainder() -> None:
    assert shares(np.array([0.5, 0.3, 0.2]), 7).tolist() == [4, 2, 1]  # 3.5, 2.1, 1.4
    assert shares(np.array([1.0, 1.0, 2.0]), 4).tolist() == [1, 1, 2]
    assert shares(np.array([0.3, 0.6]), 3).tolist() == [1, 2]
    assert shares(np.zeros(3), 4).tolist() == [2, 1, 1]
    for n in range(12):
        assert shares(np.array([0.61, 0.17, 0.0, 0.39]), n).sum() == n


def test_f1_of_a_label_that_is_hardly_there_is_0() -> None:
    y = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]])
    pred = np.array([[1, 0, 1], [1, 1, 1], [1, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(f1_by_label(y, pred), [6 / 7, 0.0, 0.5])


def test_one_labelled_row_is_enough() -> None:
    assert len(set(crw(view_of(BARE, start=np.array([3])), 6).tolist())) == 6


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"beta": -1}, "crw: beta is -1"), ({"beta": float("nan")}, "crw: beta is nan"),
        ({"folds": 1}, "crw: folds is 1"), ({"folds": 2.5}, "crw: folds is 2.5"), ({"folds": True}, "crw: folds is"),
    ],
)  # fmt: skip
def test_parameters_of_crw(params: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as caught:
        crw(view_of(), 2, **params)
    assert str(caught.value).startswith(why)
