"""The training set of LAL: made once, the same from the same values, without network."""

from __future__ import annotations

import dataclasses
import socket

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore.plugins import loaded
from alcore_alipy.lal_data import Simulation, saved, simulate

SMALL = Simulation("iterative", tasks=2, candidates=2, largest=4, points=30, trees=10, seed=0)
X, Y = (part[:60] for part in load_breast_cancer(return_X_y=True))


def _run(**params):
    chosen = {"tasks": 2, "candidates": 2, "largest": 4, "points": 30, "trees": 10, "regressor_trees": 10} | params
    strategy = loaded().registry.build("strategy", "alipy.lal", **chosen)
    return alcore.simulate(
        X, Y, strategy=strategy, learner=GaussianNB(), start=8, budget=2, test=(X, Y)
    ).queried.tolist()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALCORE_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("mode", ["iterative", "independent"])
def test_one_trial_per_size_task_and_candidate(mode):
    features, gains = simulate(dataclasses.replace(SMALL, mode=mode))
    assert features.shape == (3 * 2 * 2, 8)
    assert gains.shape == (12,)
    assert np.unique(features[:, 7]).tolist() == [2, 3, 4]  # labelled rows
    assert ((features[:, 0] >= 0) & (features[:, 0] <= 1)).all()  # a probability
    assert (np.abs(gains) <= 1).all()
    assert gains.any()


def test_same_values_same_set():
    again = simulate(SMALL)
    for one, other in zip(simulate(SMALL), again, strict=True):
        assert np.array_equal(one, other)
    assert not np.array_equal(simulate(dataclasses.replace(SMALL, seed=1))[1], again[1])


def test_made_once_and_without_network(cache, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    first = _run()
    (file,) = (path for path in cache.rglob("*") if path.is_file())
    made = file.stat().st_mtime_ns
    assert _run() == first
    assert file.stat().st_mtime_ns == made
    with np.load(file) as held:
        assert held["arr_0"].shape == (12, 8)


def test_a_file_of_ones_own(cache):
    file = saved(SMALL)
    mine = file.with_name("mine.npz")
    file.rename(mine)
    assert len(_run(data=str(mine))) == 10
    assert not file.exists()
    with pytest.raises(alcore.InputError, match=r"no file .*nowhere\.npz"):
        _run(data=cache / "nowhere.npz")


def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ALCORE_CACHE", str(blocked))
    with pytest.raises(alcore.UnavailableError, match=r"cannot be written.*ALCORE_CACHE"):
        saved(SMALL)


def test_cache_folder_by_default(tmp_path, monkeypatch):
    monkeypatch.delenv("ALCORE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert saved(SMALL).is_relative_to(tmp_path / "alcore")
