"""Every strategy has a page of one shape, a picture, and its place in the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from alcore.decorators import spec_of
from alcore.spec import GROUPS
from alcore_strategies.plugin import FAMILIES

DOCS = Path(__file__).parents[3] / "docs"
SPECS = [spec_of(strategy) for family in FAMILIES for strategy in family.STRATEGIES]
PAGES = [spec.name for spec in SPECS if not spec.name.endswith("-published")]
SECTIONS = ["Formula", "Cost", "When to use it", "Parameters", "References"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_every_section_and_its_picture(name: str) -> None:
    text = (DOCS / "strategies" / f"{name}.md").read_text(encoding="utf8")
    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
    [picture] = re.findall(r"!\[.*\]\((images/.*\.png)\)", text)
    assert (DOCS / "strategies" / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_page_names_every_parameter(spec) -> None:
    text = (
        DOCS / "strategies" / f"{spec.name.removesuffix('-published').replace('vr', 'variance-reduction')}.md"
    ).read_text()
    for parameter in spec.parameters():
        assert re.search(rf"`{parameter}`", text), f"{parameter} of {spec.name}"


def test_a_published_variant_is_on_the_page_of_its_strategy() -> None:
    for spec in SPECS:
        if spec.name.endswith("-published"):
            page = {"vr-published": "variance-reduction"}.get(spec.name, spec.name.removesuffix("-published"))
            assert f"`{spec.name}`" in (DOCS / "strategies" / f"{page}.md").read_text(encoding="utf8")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_index_has_it_in_its_family(spec) -> None:
    assert spec.group in GROUPS
    index = (DOCS / "strategies" / "index.md").read_text(encoding="utf8")
    family = index.partition(f"## {spec.group.capitalize()}\n")[2].partition("\n## ")[0]
    assert f"`{spec.name}`" in family or f"[`{spec.name}`]({spec.name}.md)" in family


def test_every_strategy_names_its_source() -> None:
    assert [spec.name for spec in SPECS if not spec.source] == []
