"""What the tests share: threads, a cache of their own, and the names that the library misses when called by hand."""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import collections
import collections.abc

import numpy as np
import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    before = os.environ.get("ALCORE_CACHE")
    os.environ["ALCORE_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["ALCORE_CACHE"]
    if before is not None:
        os.environ["ALCORE_CACHE"] = before


@pytest.fixture
def by_hand(monkeypatch):
    """Let the raw library be called: only names that Python and NumPy no longer have are put back."""
    monkeypatch.setattr(collections, "Iterable", collections.abc.Iterable, raising=False)
    monkeypatch.setattr(np, "NINF", -np.inf, raising=False)
