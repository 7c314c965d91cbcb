"""MaxHerding gains what the kernel of all pairs says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

import alcore
from alcore_strategies.representation import MaxHerding

X = load_wine().data[np.random.default_rng(3).permutation(178)[:80]]
Z = alcore.Pool(X, "regression").features


def herd(K, labeled, n):
    """Greedy maximisation of sum_j max_l k(x_j, x_l), coverage computed anew for every row."""
    labeled, asked = list(labeled), []
    for _ in range(n):
        cover = [-1.0 if i in labeled else K[:, [*labeled, i]].max(axis=1).sum() for i in range(len(K))]
        asked.append(int(np.argmax(cover)))
        labeled.append(asked[-1])
    return asked


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize(("params", "width"), [({"sigma": 1.5}, 2.25), ({}, 13.0)])  # 13 columns of variance 1
@pytest.mark.parametrize("start", [[], [4, 9, 60]])
def test_asks_for_what_raises_coverage_most(begin, params, width, batch, start):
    K = np.exp(-cdist(Z, Z, "sqeuclidean") / width)
    assert begin(X, MaxHerding(**params), start=start).ask(batch, 20 // batch) == herd(K, start, 20)


def test_default_sigma_is_half_the_mean_squared_distance(begin):
    raw = alcore.Pool(X, "regression", features="raw")
    width = begin(raw, MaxHerding(), start=[0]).state.strategy.width
    assert width == pytest.approx(cdist(X, X, "sqeuclidean").mean() / 2)


def test_rows_out_for_labelling_cover_and_leave_no_trace(begin):
    state = begin(X, MaxHerding(), start=[4]).state
    K = np.exp(-cdist(Z, Z, "sqeuclidean") / 13.0)
    out = state.query(2)
    state.close(out)
    assert state.query(2).tolist() == herd(K, [4, *out.tolist()], 2)
    assert state.strategy.query(begin(X, MaxHerding(), start=[4]).state.view(), 2).tolist() == out.tolist()


def test_only_few_rows_are_evaluated(begin, monkeypatch):
    run = begin(X, MaxHerding(), start=[4])
    evaluated = []
    gains = MaxHerding._gains
    monkeypatch.setattr(MaxHerding, "_gains", lambda self, rows, h: evaluated.append(len(rows)) or gains(self, rows, h))
    run.ask(1, 10)
    assert sum(evaluated) < 10 * 79


@pytest.mark.parametrize("sigma", [0.0, -1.0])
def test_sigma_out_of_range_is_refused(sigma):
    with pytest.raises(alcore.InputError, match="max-herding: sigma"):
        MaxHerding(sigma=sigma)
