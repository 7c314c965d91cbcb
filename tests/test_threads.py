"""One BLAS/OpenMP thread while alcore works, and as many as before afterwards."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import numpy as np
import pytest
import sklearn.naive_bayes  # noqa: F401 - loads an OpenMP library
from threadpoolctl import threadpool_info, threadpool_limits

import alcore
from alcore.threads import limited
from alcore.view import View

X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(int)


def counts(api: str = "") -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"].startswith(api)}


@pytest.fixture(autouse=True)
def three() -> Any:
    with threadpool_limits(3):
        assert counts() == {3}
        yield


def test_inside_one_and_afterwards_as_before() -> None:
    with limited():
        assert counts() == {1}
        with limited(2):
            assert counts() == {2}
        assert counts("blas") == {1}
        with limited(None):
            assert counts("blas") == {1}
    assert counts() == {3}


def test_threads_that_overlap_leave_what_was_before() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with limited():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with limited():
        thread.start()
        inside.wait(10)
    assert counts("blas") == {1}  # the other one is at work
    leave.set()
    thread.join()
    assert counts() == {3}


class Counting:
    seen: ClassVar[list[set[int]]] = []

    def query(self, view: View, n: int) -> Any:
        Counting.seen.append(counts())
        return view.unlabeled[:n]


@pytest.mark.parametrize(("given", "seen"), [({}, {1}), ({"threads": 2}, {2}), ({"threads": None}, {3})])
def test_simulate_and_sessions_use_one_unless_told(given: Any, seen: set[int]) -> None:
    Counting.seen = []
    alcore.simulate(X, Y, strategy=Counting(), learner="gaussian-nb", budget=2, **given)
    session = alcore.Session(X, strategy=Counting(), learner="gaussian-nb", classes=[0, 1], cold_start=None, **given)
    session.ask(2)
    assert Counting.seen == [seen] * 3
    assert counts() == {3}
