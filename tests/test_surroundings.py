"""What a run changes in a process of the caller's own is set back and named; drawing from global state is no news."""

from __future__ import annotations

import gc
import locale
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore.surroundings import Surroundings, SurroundingsWarning, undisturbed
from alcore.view import View


def patched_class() -> None:
    LogisticRegression.predict_proba = None


def added_method() -> None:
    GaussianNB.predict_proba = lambda self, X: X


def patched_alcore() -> None:
    import alcore.select

    alcore.select.check = lambda *given, **more: given[0]


CHANGES: dict[str, Callable[[], Any]] = {
    "the working directory": lambda: os.chdir("/"),
    "the environment": os.environ.clear,
    "NumPy's error state": lambda: np.seterr(all="ignore"),
    "the recursion limit": lambda: sys.setrecursionlimit(5000),
    "garbage collection": gc.disable,
    "scikit-learn's configuration": lambda: sklearn.set_config(assume_finite=True),
    "the locale": lambda: locale.setlocale(locale.LC_ALL, "C"),
    "numpy.argsort": lambda: setattr(np, "argsort", None),
    "sklearn.linear_model._logistic.LogisticRegression.predict_proba": patched_class,
    "sklearn.naive_bayes.GaussianNB.predict_proba": added_method,
    "alcore.select.check": patched_alcore,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_named_and_set_back(name: str) -> None:
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
    before = Surroundings.now()
    told = pytest.warns(SurroundingsWarning, match=r"somebody: .*changed inside, and was set back$")
    with told as caught, undisturbed("somebody"):
        CHANGES[name]()
    assert f" {name} changed" in str(caught[0].message)
    assert before.changes() == []


def test_what_cannot_be_set_back_is_named_too() -> None:
    stay = threading.Event()
    before = signal.getsignal(signal.SIGTERM)
    told = pytest.warns(SurroundingsWarning, match="signal handlers changed inside.*; signal handlers cannot be")
    with told, undisturbed("somebody"):
        signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGTERM, before)
    look = Surroundings.now()
    thread = threading.Thread(target=stay.wait)
    thread.start()
    assert look.changes() == ["threads"]
    stay.set()
    thread.join()


def test_global_random_state_is_set_back_without_a_word() -> None:
    np.random.seed(1)
    random.seed(1)
    expected = np.random.rand(), random.random()
    np.random.seed(1)
    random.seed(1)
    with undisturbed("somebody"):
        np.random.seed(7)
        random.seed(7)
    assert (np.random.rand(), random.random()) == expected


def test_simulate_sets_back_what_a_strategy_changes() -> None:
    class Changing:
        def query(self, view: View, n: int) -> Any:
            np.seterr(all="raise")
            return view.unlabeled[:n]

    X = np.arange(40.0)[:, None]
    before = np.geterr()
    with pytest.warns(SurroundingsWarning, match="Changing: NumPy's error state changed inside, and was set back"):
        alcore.simulate(X, X[:, 0] > 20, strategy=Changing(), learner="gaussian-nb", budget=2)
    assert np.geterr() == before


def test_an_innocent_run_changes_nothing() -> None:
    X = np.arange(60.0)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alcore.simulate(X, X[:, 0] > 30, strategy="margin", learner="logistic-regression", budget=2)
