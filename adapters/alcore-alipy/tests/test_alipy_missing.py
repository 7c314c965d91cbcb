"""The library is missing or works by half: strategies are listed as unavailable, with what to type."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

import alcore
from alcore_alipy import alcore_strategies

SPECS = {spec.name: spec for spec in alcore_strategies()}


def _without(monkeypatch, *modules):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in modules else find(name, *rest))


@pytest.mark.parametrize("name", SPECS)
def test_library_missing(name, monkeypatch):
    _without(monkeypatch, "alipy")
    assert "pip install alipy==1.2.5" in SPECS[name].missing()
    with pytest.raises(alcore.UnavailableError, match=r"alipy.*pip install alipy==1\.2\.5"):
        SPECS[name].build()


def test_undeclared_dependency_missing(monkeypatch):
    _without(monkeypatch, "prettytable")
    assert "pip install prettytable" in SPECS["alipy.margin"].missing()


@pytest.mark.parametrize("name", ["alipy.bmdr", "alipy.spal"])
def test_solver_missing(name, monkeypatch):
    _without(monkeypatch, "osqp", "clarabel")
    assert "pip install osqp" in SPECS[name].missing()
    assert SPECS["alipy.margin"].missing() is None


def test_one_solver_is_enough(monkeypatch):
    _without(monkeypatch, "osqp")
    assert SPECS["alipy.bmdr"].missing() is None
    SPECS["alipy.bmdr"].build(solver="clarabel")
    with pytest.raises(alcore.UnavailableError, match="pip install osqp"):
        SPECS["alipy.bmdr"].build(solver="osqp")


def test_cvxpy_missing(monkeypatch):
    _without(monkeypatch, "cvxpy")
    assert "pip install cvxpy" in SPECS["alipy.spal"].missing()


def test_library_that_cannot_be_imported(monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] == "alipy" or name.startswith("alcore_alipy.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "alipy.query_strategy", None)
    with pytest.raises(alcore.UnavailableError, match=r"alipy\.margin.*cannot be imported"):
        SPECS["alipy.margin"].build()


def test_listing_imports_nothing_of_it():
    code = (
        "import sys; from alcore.plugins import loaded; "
        "names = [entry.spec.name for entry in loaded().registry.entries('strategy')]; "
        "assert 'alipy.margin' in names; assert not {'alipy', 'cvxpy', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("alipy.bmdr", {"solver": "ecos"}, "solver is 'ecos'; use 'osqp' or 'clarabel'"),
        ("alipy.lal", {"mode": "both"}, "mode is 'both'; use 'iterative' or 'independent'"),
        ("alipy.lal", {"points": 20}, "points is 20; use at least 25"),
        ("alipy.lal", {"tasks": 0}, "tasks is 0; use at least 1"),
    ],
)
def test_parameters_are_refused(name, params, says):
    with pytest.raises(alcore.InputError, match=says):
        SPECS[name].build(**params)
