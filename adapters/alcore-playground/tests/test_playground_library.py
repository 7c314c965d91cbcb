"""A checkout that is missing, wrong or broken, beside other modules of the same names."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from types import ModuleType

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import alcore
from alcore import Pool, Recipe, plugins
from alcore.state import State
from alcore_playground import checkout
from alcore_playground.specs import SPECS

STANDIN = Path(__file__).parent / "standin"
CLONE = "git clone https://github.com/google/active-learning"


def test_every_strategy_is_listed_without_a_checkout(monkeypatch):
    monkeypatch.delenv(checkout.VARIABLE, raising=False)
    entries = {entry.spec.name: entry.spec for entry in plugins.load().registry.entries("strategy")}
    assert {spec.name for spec in SPECS} <= set(entries)
    for spec in SPECS:
        reason = entries[spec.name].missing()
        assert reason is not None
        assert reason.startswith("needs a checkout of google/active-learning, which has no package: ")
        assert CLONE in reason
        assert checkout.VARIABLE in reason
        with pytest.raises(alcore.UnavailableError, match=CLONE):
            entries[spec.name].build()


def test_listing_imports_nothing_heavy():
    code = "import sys, alcore_playground; alcore_playground.alcore_strategies(); print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_wrong_folder(monkeypatch, tmp_path):
    monkeypatch.setenv(checkout.VARIABLE, str(tmp_path))
    reason = SPECS[0].missing()
    assert reason is not None
    assert f"finds no {Path('sampling_methods', 'sampling_def.py')} in '{tmp_path}'" in reason
    assert CLONE in reason


def copied(tmp_path, monkeypatch):
    root = copytree(STANDIN, tmp_path / "playground")
    monkeypatch.setenv(checkout.VARIABLE, str(root))
    return root / "sampling_methods"


def test_a_file_that_is_missing_takes_away_what_needs_it(tmp_path, monkeypatch):
    (copied(tmp_path, monkeypatch) / "graph_density.py").unlink()
    gone = {spec.name for spec in SPECS if spec.missing()}
    wrappers = {"playground.mixture", "playground.bandit", "playground.simulate-batch"}  # they import all the others
    assert gone == {"playground.graph-density", *wrappers}


def test_a_module_that_fails_says_why_and_what_to_type(tmp_path, monkeypatch):
    (copied(tmp_path, monkeypatch) / "margin_AL.py").write_text("import a_module_of_2018")
    specs = {spec.name: spec for spec in SPECS}
    with pytest.raises(alcore.UnavailableError, match=r"MarginAL fails to import.*a_module_of_2018.*git clone"):
        specs["playground.margin"].build()
    assert "sampling_methods" not in sys.modules
    assert specs["playground.uniform"].build().name == "playground.uniform"


def test_other_modules_of_the_same_names_stay(root, monkeypatch):
    theirs, inside, utils = (ModuleType(name) for name in ("sampling_methods", "sampling_methods.margin_AL", "utils"))
    for module in (theirs, inside, utils):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    path = list(sys.path)
    monkeypatch.setattr(checkout, "_modules", {})
    assert checkout.sampler("simulate_batch", "SimulateBatchSampler").__module__.startswith("alcore_playground.")
    assert sys.modules["sampling_methods"] is theirs
    assert sys.modules["sampling_methods.margin_AL"] is inside
    assert sys.modules["utils"] is utils
    assert [name for name in sys.modules if name.startswith("sampling_methods.")] == ["sampling_methods.margin_AL"]
    assert sys.path == path


def test_shims_reach_no_further_than_the_checkout(root, monkeypatch):
    from sklearn.cluster import AgglomerativeClustering

    monkeypatch.setattr(checkout, "_modules", {})
    checkout.sampler("simulate_batch", "SimulateBatchSampler")
    assert not hasattr(np, "product")
    assert not hasattr(np, "float")
    assert not hasattr(AgglomerativeClustering, "n_components_")
    values = np.random.default_rng(0).normal(size=50)
    assert np.argsort(values, kind="stable").tolist() == np.argsort(values).tolist()


def test_rows_of_more_than_one_axis(root):
    made = checkout.sampler("sampling_def", "SamplingMethod")(np.zeros((4, 3, 2)), None, 0)
    assert made.flatten_X().shape == (4, 6)  # by np.product, which NumPy dropped


ELSEWHERE = """
import pickle, sys
import numpy as np
from sklearn.linear_model import LogisticRegression
from alcore import Pool, Recipe
from alcore.state import State
from alcore.testing.strategies.bench import Relay

with open(sys.argv[1], "rb") as file:
    X, y, runs = pickle.load(file)
for strategy, batches in runs.values():
    relay = Relay(strategy)
    relay.setup = relay.update = lambda *given: None  # it has seen all this
    state = State(Pool(X, "classification", (0, 1)), relay, Recipe(LogisticRegression()), seed=2)
    for number, rows in enumerate(batches):
        state.add(np.array(rows), y[rows], start=number == 0)
    print(state.query(2).tolist())
"""


def test_runs_go_on_in_another_process(root, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    states = {}
    for spec in SPECS:
        params = {"n_sims": 2, "train_per_sim": 2} if spec.name == "playground.simulate-batch" else {}
        state = State(Pool(X, "classification", (0, 1)), spec.build(**params), Recipe(LogisticRegression()), seed=2)
        state.add(np.arange(8), y[:8], start=True)
        for _ in range(2):
            rows = state.query(2)
            state.add(rows, y[rows])
        states[spec.name] = state
    labeled = {name: state.labeled.tolist() for name, state in states.items()}
    batches = {name: [rows[:8], rows[8:10], rows[10:]] for name, rows in labeled.items()}
    file = tmp_path / "runs.pickle"
    file.write_bytes(pickle.dumps((X, y, {name: (states[name].strategy, batches[name]) for name in states})))
    found = subprocess.run([sys.executable, "-c", ELSEWHERE, str(file)], capture_output=True, text=True, check=False)
    assert found.stdout.splitlines() == [str(state.query(2).tolist()) for state in states.values()], found.stderr


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("hierarchical", {"beta": 0}, "beta is 0"),
        ("mixture", {"methods": ("margin", "core-set")}, "methods is .*choose among margin, uniform"),
        ("mixture", {"weights": (0.5, 0.6)}, "are not 2 shares that sum to 1"),
        ("bandit", {"arms": ()}, "arms is empty"),
        ("bandit", {"gamma": 0.0}, "gamma is 0.0"),
        ("bandit", {"folds": 1}, "folds is 1"),
        ("simulate-batch", {"methods": ("mcm", "uniform")}, "cannot mix mcm"),
        ("simulate-batch", {"n_sims": 0}, "n_sims is 0"),
        ("simulate-batch", {"return_type": "worst"}, "return_type is 'worst'"),
        ("simulate-batch", {"validation": 1.0}, "validation is 1.0"),
    ],
)
def test_refused_parameters(name, params, says, monkeypatch):
    monkeypatch.setenv(checkout.VARIABLE, str(STANDIN))
    spec = next(spec for spec in SPECS if spec.name == f"playground.{name}")
    with pytest.raises(alcore.InputError, match=says):
        spec.build(**params)
