"""Python files named by an experiment: what they decorate is registered for it, under the hash of their text."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from alcore.decorators import FunctionStrategy
from alcore.errors import InputError
from alcore.plugins import GROUP, Plugins, load, with_files
from alcore.registry import KINDS, Registry

FILE = """
import alcore
@alcore.scores("first", summary="A toy")
def first(view, weight: float = {default}):
    return [weight]
"""


@pytest.fixture(scope="module")
def builtins() -> Plugins:
    return load(entry_points(group=GROUP, name="builtin"), blocked=(), strict=True)


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Any]:
    def write(source: str, name: str = "mine.py") -> Path:
        (tmp_path / name).write_text(source)
        return tmp_path / name

    yield write
    for name in [name for name in sys.modules if name.startswith("alcore_file_")]:
        del sys.modules[name]


def names(registry: Registry) -> set[str]:
    return {entry.spec.name for kind in KINDS for entry in registry.entries(kind)}


def own(registry: Registry, builtins: Plugins) -> set[str]:
    return names(registry) - names(builtins.registry)


def test_a_file_is_registered_under_its_name_and_hash_besides_the_plugins(write: Any, builtins: Plugins) -> None:
    before = names(builtins.registry)
    versions = []
    for text in (FILE.format(default=1.0), FILE.format(default=2.0), FILE.format(default=1.0)):
        registry = with_files(builtins, [write(text)])
        entry = registry.entry("strategy", "first")
        assert entry.distribution == "mine.py"
        versions.append(entry.version)
    digest = hashlib.sha256(FILE.format(default=1.0).encode()).hexdigest()
    assert versions[0] == versions[2] == f"sha256:{digest[:16]}"
    assert versions[1] != versions[0]
    assert own(registry, builtins) == {"first"}
    assert names(builtins.registry) == before


def test_the_text_that_is_there_is_run_and_no_older_bytecode(
    write: Any, builtins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for default in (1.0, 2.0):
        file = write(FILE.format(default=default))
        os.utime(file, (1e9, 1e9))
        assert with_files(builtins, [file]).entry("strategy", "first").spec.parameters() == {"weight": default}


def test_what_a_file_imports_inherits_or_names_twice_is_no_entry_of_its_own(write: Any, builtins: Plugins) -> None:
    source = """
from alcore.builtin.strategies import margin
from alcore.metrics import accuracy
@alcore.strategy("mine.second", summary="A toy")
class Second:
    def query(self, view, n):
        return margin(view)[:n]
class Third(Second):
    pass
instance, alias, also = Second(), Second, first
enough = alcore.StopRuleSpec(name="enough", summary="A toy", make="no_such_module:make")
"""
    assert own(with_files(builtins, [write(FILE.format(default=1) + source)]), builtins) == {
        "first",
        "mine.second",
        "enough",
    }


def test_annotations_mean_what_they_mean_in_a_module(write: Any, builtins: Plugins) -> None:
    file = write(FILE.format(default=1.0) + "assert first.__annotations__ == {'weight': float}\n")
    assert own(with_files(builtins, [file]), builtins) == {"first"}


def test_two_files_add_up_and_must_not_collide(write: Any, builtins: Plugins) -> None:
    one = write(FILE.format(default=1), "one.py")
    two = write(FILE.replace('"first"', '"second"').format(default=1), "two.py")
    assert own(with_files(builtins, [one, two]), builtins) == {"first", "second"}
    write(FILE.format(default=2), "two.py")
    with pytest.raises(InputError, match=r"strategy 'first' is provided by one\.py and by two\.py"):
        with_files(builtins, [one, two])


def test_a_file_must_not_take_the_name_of_a_plugins_strategy(write: Any, builtins: Plugins) -> None:
    file = write(FILE.replace('"first"', '"margin"').format(default=1))
    with pytest.raises(InputError, match=r"strategy 'margin' is provided by alcore and by mine\.py; names are unique"):
        with_files(builtins, [file])


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("1 / 0", "mine.py", r"mine\.py failed to run: ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)", "mine.py", r"mine\.py failed to run: SystemExit: 2"),
        ("def (", "mine.py", r"mine\.py failed to run: SyntaxError: "),
        ("x = 1", "mine.py", r"mine\.py provides nothing: decorate a function with alcore\.scores"),
        ("from alcore.builtin.strategies import margin", "mine.py", r"mine\.py provides nothing"),
        (FILE, "mine.txt", r"mine\.txt is no Python file; its name must end in \.py"),
    ],
)
def test_a_file_that_cannot_serve_is_refused_each_time(
    write: Any, builtins: Plugins, source: str, name: str, message: str
) -> None:
    file = write(source, name)
    for _ in range(2):
        with pytest.raises(InputError, match=message):
            with_files(builtins, [file])


def test_a_file_that_was_interrupted_is_run_again(write: Any, builtins: Plugins) -> None:
    file = write(FILE.format(default=1) + "raise KeyboardInterrupt")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            with_files(builtins, [file])


@pytest.mark.parametrize("name", ["absent.py", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, builtins: Plugins, name: str) -> None:
    with pytest.raises(InputError, match=r"cannot read the plugin file .*: (No such file|Is a directory)"):
        with_files(builtins, [tmp_path / name])


def test_a_strategy_of_a_file_goes_through_pickle_to_a_process_that_ran_the_file(write: Any, builtins: Plugins) -> None:
    file = write(FILE.format(default=1))
    sent = pickle.dumps(with_files(builtins, [file]).build("strategy", "first", weight=2.5))
    [module] = [name for name in sys.modules if name.startswith("alcore_file_")]
    del sys.modules[module]
    with_files(builtins, [file])
    received = pickle.loads(sent)
    assert isinstance(received, FunctionStrategy)
    assert received.scores(None) == [2.5]  # type: ignore[arg-type]
