"""What the tests of strategies share: the reference data, and views for strategies that are asked directly."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from alcore import Pool, Recipe, Task
from alcore.state import State

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the optional reference data, from ALCORE_SHARED; its absence skips, except in CI."""
    path = Path(os.environ.get("ALCORE_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the reference data are not at {path}; set ALCORE_SHARED")
        pytest.skip(f"the reference data are not at {path}; set ALCORE_SHARED")
    return path


class Nobody:
    """A strategy that is never asked."""

    def query(self, view, n):
        return view.unlabeled[:n]


def _view_of(X, y, labeled, learner, *, task="classification", seed=0, ties="first"):
    y = np.asarray(y)
    names = tuple(range(y.shape[1] if y.ndim == 2 else int(y.max()) + 1))
    state = State(Pool(X, Task(task), names), Nobody(), Recipe.of(learner), seed=seed, ties=ties)
    labeled = np.asarray(labeled)
    state.add(labeled, y[labeled], start=True)
    return state.view()


@pytest.fixture
def view_of():
    """A function of X, y, the labelled rows and a learner that returns the view of the first round."""
    return _view_of
