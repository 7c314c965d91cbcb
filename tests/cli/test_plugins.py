"""``alcore plugins``, and what the environment says of plugins: real distributions, found by a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = """
import alcore
from alcore import hookimpl
alcore_api = 1
@alcore.scores("aaa.margin", summary="A toy")
def margin(view):
    return view.proba
@hookimpl
def alcore_strategies():
    return [margin]
@hookimpl
def alcore_learners():
    return [alcore.LearnerSpec(name=f"aaa.{i}", summary="A toy", make="no_such_module:make") for i in range(2)]
"""
BAD = GOOD.replace("alcore_strategies", "alcore_stratgies").replace("aaa.", "bbb.")
IDLE = "alcore_api = 1"

Shell = Callable[..., subprocess.CompletedProcess[str]]


def install(folder: Path, entry: str, source: str) -> None:
    """Put a plugin and its metadata where pip would."""
    (folder / f"toyplugin_{entry}.py").write_text(source)
    about = folder / f"toy_{entry}-1.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: toy-{entry}\nVersion: 1.5\n")
    (about / "entry_points.txt").write_text(f"[alcore]\n{entry} = toyplugin_{entry}\n")


@pytest.fixture(scope="module")
def alcore(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The command in a process of its own, with plugins aaa (good), bbb (misspelt) and ccc (idle) installed."""
    folder = tmp_path_factory.mktemp("site")
    for entry, source in (("aaa", GOOD), ("bbb", BAD), ("ccc", IDLE)):
        install(folder, entry, source)

    def call(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("ALCORE_")}
        path = os.pathsep.join(filter(None, [str(folder), env.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-m", "alcore", *args],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=env | {"PYTHONPATH": path} | environment,
        )

    return call


def reports(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, "")
    return {report["entry"]: report for report in json.loads(done.stdout)["plugins"]}


@pytest.fixture(scope="module")
def found(alcore: Shell) -> dict[str, Any]:
    return reports(alcore("plugins", "--json"))


def test_a_plugin_that_loads_shows_what_it_provides(found: dict[str, Any]) -> None:
    assert found["aaa"] == {
        "entry": "aaa",
        "dist": "toy-aaa",
        "version": "1.5",
        "state": "loaded",
        "reason": "",
        "provides": {"strategies": ["aaa.margin"], "learners": ["aaa.0", "aaa.1"]},
    }


def test_a_plugin_that_fails_shows_why(found: dict[str, Any]) -> None:
    assert found["bbb"] == {
        "entry": "bbb",
        "dist": "toy-bbb",
        "version": "1.5",
        "state": "failed",
        "reason": "toyplugin_bbb.alcore_stratgies is no hook of alcore. Did you mean 'alcore_strategies'?",
        "provides": {},
    }


def test_a_plugin_that_provides_nothing_is_shown(found: dict[str, Any]) -> None:
    assert (found["ccc"]["state"], found["ccc"]["provides"]) == ("loaded", {})
    assert found["ccc"]["reason"] == "provides nothing: no hook returned anything"


def test_the_built_ins_are_shown_first(found: dict[str, Any]) -> None:
    assert next(iter(found)) == "builtin"
    assert found["builtin"]["dist"] == "alcore"
    assert found["builtin"]["provides"]["strategies"] == ["random", "margin", "entropy", "least-confident"]


def test_people_see_the_same(alcore: Shell) -> None:
    done = alcore("plugins")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line for line in done.stdout.splitlines()[2:]}
    assert lines["aaa"].split() == ["aaa", "toy-aaa", "1.5", "loaded", "1", "strategies,", "2", "learners"]
    assert "failed" in lines["bbb"]
    assert "Did you mean 'alcore_strategies'?" in lines["bbb"]
    assert "provides nothing" in lines["ccc"]


def test_what_loads_is_listed_and_what_fails_is_not(alcore: Shell) -> None:
    done = alcore("list", "strategies", "--json")
    listed = {entry["name"]: entry for entry in json.loads(done.stdout)["strategies"]}
    assert {"aaa.margin", "margin"} <= set(listed)
    assert (listed["aaa.margin"]["distribution"], listed["aaa.margin"]["version"]) == ("toy-aaa", "1.5")
    assert "bbb.margin" not in listed


def test_asking_for_what_failed_says_why(alcore: Shell) -> None:
    done = alcore("check", "bbb.margin", "--kind", "strategy")
    assert done.returncode == 2
    assert "plugin 'bbb' (toy-bbb 1.5) failed to load: toyplugin_bbb.alcore_stratgies is no hook" in done.stderr
    assert "See: alcore plugins" in done.stderr


def test_plugins_are_blocked_by_name(alcore: Shell) -> None:
    found = reports(alcore("plugins", "--json", ALCORE_PLUGINS="-aaa,-bbb"))
    for entry in ("aaa", "bbb"):
        assert (found[entry]["state"], found[entry]["reason"]) == ("blocked", "blocked by ALCORE_PLUGINS")
        assert found[entry]["provides"] == {}
    assert found["ccc"]["state"] == found["builtin"]["state"] == "loaded"


def test_built_ins_that_are_blocked_say_so(alcore: Shell) -> None:
    done = alcore("check", "margin", "--kind", "strategy", ALCORE_PLUGINS="-builtin")
    assert done.returncode == 2
    assert "plugin 'builtin' (alcore " in done.stderr
    assert "is blocked by ALCORE_PLUGINS; unblock it there." in done.stderr


@pytest.mark.parametrize("args", [("plugins",), ("--help",)])
def test_a_value_that_cannot_be_read_is_wrong_input(alcore: Shell, args: tuple[str, ...]) -> None:
    done = alcore(*args, ALCORE_PLUGINS="aaa")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: ALCORE_PLUGINS has 'aaa'; it blocks plugins by name: ALCORE_PLUGINS=-aaa\n"


def test_strict_fails_and_names_the_plugin(alcore: Shell) -> None:
    done = alcore("plugins", ALCORE_STRICT="1", ALCORE_PLUGINS="-example")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: plugin 'bbb' (toy-bbb 1.5) failed to load: toyplugin_bbb.alcore_stratgies is")
