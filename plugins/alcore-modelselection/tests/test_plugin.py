"""The door through which selectors come, ours and everybody's."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from alcore import plugins
from alcore.errors import InputError
from alcore.hooks import hookimpl
from alcore.spec import MetricSpec, SelectorSpec
from alcore_modelselection import Selection, Selector, selection

NAMES = ["active-testing", "coda", "model-selector", "random", "uncertainty", "vma"]


def test_ours_are_loaded():
    report = next(r for r in plugins.loaded().reports if r.dist == "alcore-modelselection")
    assert report.state == "loaded"
    assert sorted(report.provides["selectors"]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_selector_and_says_the_truth_of_itself(name, toy):
    spec = plugins.loaded().registry.entry("selector", name).spec
    one = spec.build()
    assert isinstance(one, Selector)
    assert hasattr(one, "posterior") == spec.posterior
    params = {"epsilon": 0.4} if name == "model-selector" else {}
    for loss in spec.losses:
        given = 2.0 - 2.0 * np.eye(3) if loss == "cost" else loss
        assert np.isfinite(Selection(toy(), name, loss=given, params=params).best().quality).all()


def module(things):
    made = types.ModuleType("thirdparty")
    made.alcore_api = 1
    made.alcore_selectors = hookimpl(lambda: things)
    made.alcore_selectors.__name__ = "alcore_selectors"
    return made


def load(monkeypatch, things):
    monkeypatch.setitem(sys.modules, "thirdparty", module(things))
    return plugins.load([EntryPoint("third", "thirdparty", "alcore")], blocked=[], strict=False)


class Last:
    def setup(self, predictions, loss, rng):
        self.models = predictions.n_models

    def query(self, unlabeled, n, rng):
        return np.flatnonzero(unlabeled)[::-1][:n]

    def update(self, row, label, unlabeled):
        pass

    def quality(self):
        return np.zeros(self.models)


def test_a_third_party_adds_one_by_the_hook(monkeypatch, toy):
    spec = SelectorSpec(name="third.last", summary="Asks from the end", make=Last)
    found = load(monkeypatch, [spec])
    assert found.reports[0].provides == {"selectors": ["third.last"]}
    monkeypatch.setattr(selection, "loaded", lambda: found)
    assert Selection(toy(), "third.last").ask()[0] == 39


def test_a_name_without_prefix_and_a_wrong_kind_are_refused(monkeypatch):
    bare = load(monkeypatch, [SelectorSpec(name="last", summary="Asks from the end", make=Last)])
    assert "has no prefix" in bare.reports[0].reason
    wrong = load(monkeypatch, [MetricSpec(name="third.m", summary="A metric", make=Last, scope="curve")])
    assert "alcore_selectors returned 'third.m', which is a metric" in wrong.reports[0].reason


def test_listing_imports_neither_pandas_nor_scipy_for_this_plugin():
    code = (
        "import sys, alcore_modelselection, alcore_modelselection.plugin as p; p.alcore_selectors(); "
        "print([m for m in ('pandas', 'pyarrow', 'scipy', 'sklearn', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_params_for_an_object_are_refused(toy):
    with pytest.raises(InputError, match="give them to your own selector"):
        Selection(toy(), Last(), params={"x": 1})
