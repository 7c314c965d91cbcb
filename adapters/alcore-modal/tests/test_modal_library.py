"""modAL missing, of another version or broken: the adapter loads, and says what to type."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest

import alcore
from alcore import plugins
from alcore_modal import library
from alcore_modal.specs import SPECS

NAMES = [spec.name for spec in SPECS]


def test_every_strategy_is_listed():
    listed = {entry.spec.name for entry in plugins.load().registry.entries("strategy")}
    assert set(NAMES) <= listed
    assert len(set(NAMES)) == 19


def test_listing_imports_neither_modal_nor_scikit_learn():
    code = "import sys, alcore_modal; alcore_modal.alcore_strategies(); print({'modAL', 'sklearn'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_missing_library(spec, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "modAL" else found(name, *rest)
    )
    entry = plugins.load().registry.get("strategy", spec.name)
    assert entry is not None
    assert entry.spec.missing() == f"needs the package 'modAL', which is not installed: {library.INSTALL}"
    with pytest.raises(alcore.UnavailableError, match="pip install 'modAL-python"):
        spec.build()


@pytest.mark.parametrize(("found", "serves"), [("0.4.1", False), ("0.4.2", True), ("0.4.2.1", True), ("0.5.0", False)])
def test_other_version(found, serves, monkeypatch):
    monkeypatch.setattr(library, "version", lambda name: found)
    reason = SPECS[0].missing()
    if serves:
        assert reason is None
    else:
        assert reason == f"needs modAL-python 0.4.2 or later, below 0.5, and finds {found}: {library.INSTALL}"


def test_copy_without_metadata_is_tried(monkeypatch):
    def unknown(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(library, "version", unknown)
    assert SPECS[0].missing() is None


def test_half_working_library(monkeypatch):
    real = importlib.import_module

    def half(name, *rest):
        if name == "modAL.expected_error":
            raise AttributeError("gone")
        return real(name, *rest)

    specs = {spec.name: spec for spec in SPECS}
    monkeypatch.delitem(sys.modules, "alcore_modal.reduction", raising=False)
    monkeypatch.setattr(library.importlib, "import_module", half)
    with pytest.raises(alcore.UnavailableError, match=r"modAL\.expected_error does not import.*gone.*try pip install"):
        specs["modal.eer"].build()
    assert specs["modal.margin"].build().name == "modal.margin"


def test_shims_are_undone():
    for name in [name for name in sys.modules if name == "modAL.expected_error"]:
        del sys.modules[name]
    assert library.load("modAL.expected_error").expected_error_reduction
    assert not hasattr(np, "float")


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("modal.qbc-vote", {"members": 1}, "members is 1; a committee has 2 or more"),
        ("modal.committee-std", {"members": 2.5}, "members is 2.5"),
        ("modal.eer", {"p_subsample": 0.0}, "p_subsample is 0.0; give the share of candidates"),
        ("modal.information-density", {"beta": -1.0}, "beta is -1.0"),
    ],
)
def test_refused_parameters(name, params, says):
    spec = next(spec for spec in SPECS if spec.name == name)
    with pytest.raises(alcore.InputError, match=says):
        spec.build(**params)
