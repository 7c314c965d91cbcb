"""Sections of plugins: asked for one plugin at a time, so that one that fails becomes a note and stops nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from alcore.errors import InputError
from alcore.plugins import Plugins
from alcore.protocols import Curve
from alcore.stats import curves
from alcore.store import Store

if TYPE_CHECKING:
    import pandas as pd

VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "source", "track", "wbr"})
REFUSED = frozenset({"base", "body", "frame", "head", "html", "iframe", "link", "meta", "script"})


@dataclass(frozen=True)
class Results:
    """What a plugin's ``alcore_report_sections`` is given.

    Parameters
    ----------
    store : the store, to read whatever else is in it
    records : all records, one row per round, as ``store.records`` returns them
    of : the round metric that the report is about
    baseline : the strategy that others are compared with
    """

    store: Store
    records: pd.DataFrame
    of: str
    baseline: str

    def curves(self) -> dict[str, Curve]:
        """Return the learning curve of every run, by run id."""
        return curves(self.records, self.of)


@dataclass(frozen=True)
class Section:
    """A section of a plugin: HTML, or a note that says why there is none."""

    plugin: str
    title: str
    html: str = ""
    note: str = ""


def plugin_sections(plugins: Plugins, results: Results) -> list[Section]:
    """Return the sections of all plugins.

    A plugin that raises, returns something else than pairs of a title and HTML (or a function without arguments that
    makes it), or HTML that is not whole, gets a note instead: under the section's title where that is known, else under
    the plugin's, ``alcore_title`` of its module or the name of its package.
    """
    found = []
    for name, module in plugins.manager.list_name_plugin():
        others = [other for other in plugins.manager.get_plugins() if other is not module]
        package = name.partition(".")[0].replace("_", "-")
        title = getattr(module, "alcore_title", package)
        unknown = Section(package, title if isinstance(title, str) else package)
        try:
            for listed in plugins.manager.subset_hook_caller("alcore_report_sections", others)(results=results):
                found += [_section(unknown, one) for one in _listed(listed)]
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises must not cost the report
            found.append(replace(unknown, note=_told(error)))
    return found


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _listed(given: object) -> Iterable[object]:
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(f"alcore_report_sections returned {given!r}; it returns a list of (title, HTML) pairs.")
    return given


def _section(unknown: Section, one: object) -> Section:
    """Return one section of a plugin; ``unknown`` is what it is where it has no title of its own."""
    if not (isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[0], str)):
        return replace(unknown, note=f"{one!r} is no pair of a title and HTML")
    section, html = replace(unknown, title=one[0]), one[1]
    if callable(html):
        try:
            html = html()
        except Exception as error:  # noqa: BLE001 - one section that fails must not cost the others
            return replace(section, note=_told(error))
    if not isinstance(html, str):
        return replace(section, note=f"{html!r} is no HTML; give a text, or a function that returns one")
    wrong = mistake(html)
    return replace(section, note=f"its HTML is left out: {wrong}") if wrong else replace(section, html=str(html))


def mistake(html: str) -> str:
    """Return what would make this HTML break the page around it; empty if nothing does.

    Each element that is opened is closed, in order, and none is a script or of those that belong to a whole page.
    """
    reader = _Balance()
    reader.feed(html)
    reader.close()
    if not reader.wrong and reader.open:
        return f"<{reader.open[-1]}> is not closed"
    return reader.wrong


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in REFUSED:
            self.wrong = self.wrong or f"<{tag}> is not allowed"
        if handler := next((name for name, _ in attrs if name.startswith("on")), None):
            self.wrong = self.wrong or f"the attribute {handler} is a script, which is not allowed"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID and "svg" in self.open:  # elsewhere browsers read <div/> as <div>
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong = self.wrong or f"</{tag}> closes what is not open"
