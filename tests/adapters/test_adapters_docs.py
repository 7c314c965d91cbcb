"""The pages that are made of the Specs and of what the adapters say of themselves are those that would be made now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("alcore_alipy", reason="needs the group adapters")
DOCS = Path(__file__).parents[2] / "docs" / "adapters"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_adapters_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


support, aliases = script("support"), script("aliases")
RESULTS: dict[str, Any] = json.loads((DOCS / "support.json").read_text(encoding="utf8"))
adapters = pytest.mark.parametrize("adapter", support.ADAPTERS)


def committed(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf8")


def names(adapter: str) -> set[str]:
    return {support.short(spec) for spec in support.specs(adapter)}


def test_the_suite_was_run_on_every_strategy():
    assert set(RESULTS["strategies"]) == {spec.name for one in support.ADAPTERS for spec in support.specs(one)}


def test_nothing_was_broken():
    assert [name for name, result in RESULTS["strategies"].items() if result.get("broken")] == []


def test_the_support_table_says_what_the_specs_say():
    assert committed("support.md") == support.page(RESULTS), "run docs/adapters/support.py --render"


@adapters
def test_a_border_tells_of_every_strategy_and_no_other(adapter):
    told = support.border(adapter)
    assert set(told.CALLS) == names(adapter)
    assert set(told.NOTES) | set(told.CHECKED_WITH) | set(told.EXCUSES) <= names(adapter)


def lent(adapter: str) -> set[str]:
    """Return the names that an adapter's code lends to its library."""
    if adapter in ("alipy", "modal"):
        library = importlib.import_module(f"alcore_{adapter}.library")
        return {f"{owner.__name__}.{name}" for owner, name in library.SHIMS}
    if adapter == "libact":
        return set(importlib.import_module("alcore_libact.library").SHIMS)
    if adapter == "playground":
        checkout = importlib.import_module("alcore_playground.checkout")
        inside = {f"{module}.{name}" for module, names in checkout.SHIMS.items() for name in names}
        return {checkout.PACKAGE} | inside | {f"numpy.{name}" for name in checkout.NUMPY}
    return set()


@adapters
def test_a_border_tells_of_every_name_that_is_lent(adapter):
    assert set(support.border(adapter).SHIMS) == lent(adapter)


def test_every_name_that_libraries_share_is_explained_in_a_line():
    assert set(aliases.DIFFER) == set(aliases.shared())
    assert all("\n" not in line for line in aliases.DIFFER.values())


def test_the_names_are_those_of_the_specs():
    """Of alcore's own, more may have come since."""
    there, now = committed("aliases.md").splitlines(), aliases.page().splitlines()
    prefixes = tuple(f"`{adapter}." for adapter in support.ADAPTERS)

    def rows(lines: list[str]) -> list[str]:
        cells = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("|")]
        return [" ".join(cell[2:]) for cell in cells if cell[2].startswith(prefixes)]

    assert rows(there) == rows(now), "run docs/adapters/aliases.py"
    assert all(f"| `{name}` | {line}" in committed("aliases.md") for name, line in aliases.DIFFER.items())
