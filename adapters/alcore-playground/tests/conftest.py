"""Both playgrounds: the stand-in, and the checkout that ALCORE_PLAYGROUND_PATH names, if any."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

VARIABLE = "ALCORE_PLAYGROUND_PATH"
REAL = os.environ.get(VARIABLE, "")
ROOTS = [
    pytest.param(str(Path(__file__).parent / "standin"), id="stand-in"),
    pytest.param(
        REAL, id="checkout", marks=[pytest.mark.slow, pytest.mark.skipif(not REAL, reason=f"{VARIABLE} is not set")]
    ),
]


@pytest.fixture(params=ROOTS)
def root(request, monkeypatch):
    monkeypatch.setenv(VARIABLE, request.param)
    return request.param


class OldClustering(AgglomerativeClustering):
    """scikit-learn's class by the names of 2018."""

    def __init__(self, affinity="euclidean", linkage="ward", n_clusters=2):
        super().__init__(metric=affinity, linkage=linkage, n_clusters=n_clusters)
        self.affinity = affinity

    @property
    def n_components_(self):
        return self.n_connected_components_


@pytest.fixture
def raw(root, monkeypatch):
    """Return a function that imports a class of the playground by hand, from sys.path, as its README says."""
    monkeypatch.syspath_prepend(root)
    loaded = [name for name in sys.modules if name.partition(".")[0] == "sampling_methods"]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)

    def find(module, name, *, current=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = importlib.import_module(f"sampling_methods.{module}")
        if current and module == "kcenter_greedy":  # prints an array of one number with %f
            monkeypatch.setattr(found, "max", np.max, raising=False)
        if current and module == "hierarchical_clustering_AL":
            monkeypatch.setattr(found, "AgglomerativeClustering", OldClustering)
        return getattr(found, name)

    yield find
    for name in [name for name in sys.modules if name.partition(".")[0] == "sampling_methods"]:
        del sys.modules[name]
