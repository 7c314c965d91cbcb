"""Plugins load one at a time: one that fails leaves nothing behind, stops nobody, and what it lacks is told."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, distributions, entry_points
from pathlib import Path

import pytest

from alcore.errors import AlcoreError, InputError, UnknownNameError
from alcore.plugins import GROUP, PluginError, PluginReport, Plugins, PluginState, load
from alcore.registry import KINDS, Registry

HEAD = """
import alcore, pluggy
from alcore import hookimpl
alcore_api = 1
def strategy(name):
    return alcore.StrategySpec(name=name, summary="A toy", make="no_such_module:make")
def learner(name):
    return alcore.LearnerSpec(name=name, summary="A toy", make="no_such_module:make")
"""
ALL_KINDS = """
@alcore.scores("good.margin", summary="A toy")
def margin(view):
    return view.proba
@alcore.round_metric("good.hits", summary="A toy")
def hits(scored):
    return 1.0
def other(kind, name):
    return kind(name=name, summary="A toy", make="no_such_module:make")
@hookimpl
def alcore_strategies():
    yield margin
    yield strategy("good.lazy")
@hookimpl
def alcore_learners():
    return [learner("good.tree")]
@hookimpl
def alcore_metrics():
    return (hits,)
@hookimpl
def alcore_datasets():
    return [other(alcore.DatasetSpec, "good.table")]
@hookimpl
def alcore_stop_rules():
    return {other(alcore.StopRuleSpec, "good.enough")}
"""


def strategies(*names: str) -> str:
    return f"{HEAD}\n@hookimpl\ndef alcore_strategies():\n    return [strategy(name) for name in {names}]\n"


def hook(body: str, name: str = "alcore_strategies") -> str:
    return f"{HEAD}\n@hookimpl\ndef {name}():\n    {body}\n"


class Site:
    """A folder of installed distributions, as pip leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, entry: str, source: str, *, dist: str | None = None, value: str | None = None) -> None:
        dist, module = dist or f"dist-{entry}", f"toyplugin_{entry}"
        (self.folder / f"{module}.py").write_text(source)
        about = self.folder / f"{dist.replace('-', '_')}-1.5.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.5\n")
        (about / "entry_points.txt").write_text(f"[{GROUP}]\n{entry} = {value or module}\n")

    def found(self) -> list[EntryPoint]:
        importlib.invalidate_caches()
        here = distributions(path=[str(self.folder)])
        return sorted((e for d in here for e in d.entry_points if e.group == GROUP), key=lambda e: e.name)

    def load(self, *, blocked: Iterable[str] | None = (), strict: bool | None = False) -> Plugins:
        return load(self.found(), blocked=blocked, strict=strict)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Site(tmp_path)
    for name in [name for name in sys.modules if name.startswith("toyplugin_")]:
        del sys.modules[name]


def names(registry: Registry) -> set[str]:
    return {entry.spec.name for kind in KINDS for entry in registry.entries(kind)}


def modules(loaded: Plugins) -> list[str]:
    return [name for name, _ in loaded.manager.list_name_plugin()]


def report(loaded: Plugins, entry: str) -> PluginReport:
    return next(report for report in loaded.reports if report.entry == entry)


# --- what loads ------------------------------------------------------------------------------------------------------


def test_all_that_a_plugin_provides_is_registered_with_its_origin(site: Site) -> None:
    site.add("good", ALL_KINDS.join([HEAD, ""]), dist="alcore-good")
    loaded = site.load()
    assert loaded.reports == [
        PluginReport(
            "good",
            "alcore-good",
            "1.5",
            PluginState.LOADED,
            "",
            {
                "strategies": ["good.margin", "good.lazy"],
                "learners": ["good.tree"],
                "metrics": ["good.hits"],
                "datasets": ["good.table"],
                "stop-rules": ["good.enough"],
            },
        )
    ]
    entries = [entry for kind in KINDS for entry in loaded.registry.entries(kind)]
    assert {(entry.distribution, entry.version) for entry in entries} == {("alcore-good", "1.5")}
    assert loaded.registry.build("strategy", "good.margin").query
    assert loaded.registry.absences == []


@pytest.mark.parametrize(
    "source", [HEAD, hook("return []"), hook("pass"), hook("return iter(())", "alcore_metrics")], ids=range(4)
)
def test_a_plugin_that_provides_nothing_is_reported_so(site: Site, source: str) -> None:
    site.add("idle", source)
    [only] = site.load().reports
    assert (only.state, only.reason) == (PluginState.LOADED, "provides nothing: no hook returned anything")


@pytest.mark.parametrize("marker", ["@hookimpl", '@hookimpl(specname="alcore_commands")'])
def test_a_plugin_that_only_adds_commands_is_not_idle(site: Site, marker: str) -> None:
    name = "add" if "specname" in marker else "alcore_commands"
    site.add("tool", f"{HEAD}\n{marker}\ndef {name}(cli):\n    pass\n")
    [only] = site.load().reports
    assert (only.state, only.reason) == (PluginState.LOADED, "")


def test_a_hook_may_have_another_name_in_the_module(site: Site) -> None:
    source = strategies("toy.margin").replace("@hookimpl", '@hookimpl(specname="alcore_strategies")')
    site.add("toy", source.replace("def alcore_strategies", "def ours"))
    assert names(site.load().registry) == {"toy.margin"}


# --- what fails ------------------------------------------------------------------------------------------------------

FAILURES: dict[str, tuple[str, str]] = {
    "raises at import": ("raise RuntimeError('no GPU')", "RuntimeError: no GPU"),
    "exits at import": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "lacks a dependency": ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
    "is no Python": ("def (", "SyntaxError: "),
    "states no version": (HEAD.replace("alcore_api = 1", ""), "toyplugin_bad states no alcore_api; .* speaks 1"),
    "wants another version": (HEAD.replace("api = 1", "api = '2'"), "written for alcore_api = '2'; .* speaks 1"),
    "misspells a hook": (
        hook("return []", "alcore_stratgies"),
        "bad.alcore_stratgies is no hook.* Did you mean 'alcore_strategies'",
    ),
    "misses a hook's prefix": (
        hook("return []", "strategies"),
        "bad.strategies is no hook.* Did you mean 'alcore_strategies'",
    ),
    "has another project's marker": (
        hook("return []").replace("@hookimpl", "@pluggy.HookimplMarker('pytest')"),
        r"alcore_strategies is not marked with @alcore\.hookimpl",
    ),
    "marks nothing": (hook("return []").replace("@hookimpl", ""), r"is not marked with @alcore\.hookimpl"),
    "asks a hook for too much": (hook("return []").replace("strategies()", "strategies(view)"), "'view'"),
    "raises in a hook": (hook("raise ZeroDivisionError('nought')"), "ZeroDivisionError: nought"),
    "raises in a generator": (hook("yield strategy('bad.one'); raise KeyError('two')"), "KeyError: 'two'"),
    "exits in a hook": (hook("raise SystemExit(3)"), "SystemExit: 3"),
    "returns a number": (hook("return 42"), "alcore_strategies returned 42; it must return a list"),
    "returns text": (hook("return 'bad.margin'"), "alcore_strategies returned 'bad.margin'; it must return a list"),
    "returns one spec": (hook("return strategy('bad.margin')"), "alcore_strategies returned .*; it must return a list"),
    "returns junk": (hook("return ['bad.margin']"), "'bad.margin' is no Spec, nor decorated as one"),
    "makes a bad spec": (hook("return [strategy('Bad Name')]"), "'Bad Name' is no name for a strategy"),
    "returns another kind": (
        hook("return [strategy('bad.margin'), learner('bad.tree')]"),
        "alcore_strategies returned 'bad.tree', which is a learner: return it from alcore_learners",
    ),
    "uses a plain name": (strategies("bad.margin", "margin"), r"strategy 'margin' has no prefix; .* 'prefix\.name'"),
    "uses a name twice": (strategies("bad.margin", "bad.margin"), "'bad.margin' is provided by dist-bad and by dist-b"),
    "takes another's name": (
        strategies("bad.margin", "ante.one"),
        "'ante.one' is provided by dist-ante and by dist-bad; names are unique: .*ALCORE_PLUGINS=-NAME",
    ),
}
AFTER_COLLECTING = ["uses a plain name", "uses a name twice", "takes another's name"]


@pytest.fixture(params=FAILURES)
def around(request: pytest.FixtureRequest, site: Site) -> tuple[Plugins, str]:
    """A plugin that fails, between two that do not, and the reason it should give."""
    source, reason = FAILURES[request.param]
    site.add("ante", strategies("ante.one"))
    site.add("bad", source)
    site.add("post", strategies("post.one"))
    return site.load(), reason


def test_a_plugin_that_fails_says_why_and_stops_nobody(around: tuple[Plugins, str]) -> None:
    loaded, reason = around
    assert [(r.entry, r.state.value) for r in loaded.reports] == [
        ("ante", "loaded"),
        ("bad", "failed"),
        ("post", "loaded"),
    ]
    bad = report(loaded, "bad")
    assert (bad.dist, bad.version, bad.provides) == ("dist-bad", "1.5", {})
    with pytest.raises(AlcoreError, match=reason):
        raise AlcoreError(bad.reason)


def test_a_plugin_that_fails_leaves_nothing_behind(around: tuple[Plugins, str]) -> None:
    loaded, _ = around
    assert names(loaded.registry) == {"ante.one", "post.one"}
    assert modules(loaded) == ["toyplugin_ante", "toyplugin_post"]
    assert [impl.plugin_name for impl in loaded.manager.hook.alcore_strategies.get_hookimpls()] == modules(loaded)


def test_a_name_with_its_prefix_says_why_it_is_missing(around: tuple[Plugins, str]) -> None:
    loaded, reason = around
    why = rf"(?s)learner 'bad\.any' is missing because plugin 'bad' \(dist-bad 1\.5\) failed to load: .*{reason}.*"
    with pytest.raises(UnknownNameError, match=why + r"[.?] See: alcore plugins$"):
        loaded.registry.entry("learner", "bad.any")


@pytest.mark.parametrize("failure", AFTER_COLLECTING)
def test_a_name_that_was_collected_says_why_it_is_missing(site: Site, failure: str) -> None:
    site.add("ante", strategies("ante.one"))
    site.add("bad", FAILURES[failure][0].replace("'bad.", "'elsewhere."))
    with pytest.raises(UnknownNameError, match=r"strategy 'elsewhere\.margin' is missing because plugin 'bad'"):
        site.load().registry.entry("strategy", "elsewhere.margin")


def test_an_entry_point_names_a_module(site: Site) -> None:
    site.add("bad", HEAD + "class Plugin:\n    pass\n", value="toyplugin_bad:Plugin")
    [only] = site.load().reports
    assert only.state == PluginState.FAILED
    assert only.reason == "the entry point names <class 'toyplugin_bad.Plugin'>; it must name a module."


@pytest.mark.parametrize("value", ["toyplugin_bad:Absent", "no_such_module", "no-module"])
def test_an_entry_point_that_leads_nowhere_fails(site: Site, value: str) -> None:
    site.add("bad", HEAD, value=value)
    [only] = site.load().reports
    assert only.state == PluginState.FAILED
    assert only.reason


def test_one_module_is_one_plugin(site: Site) -> None:
    site.add("first", strategies("first.one"))
    site.add("second", HEAD, value="toyplugin_first")
    loaded = site.load()
    assert "the module toyplugin_first is that of another plugin too" in report(loaded, "second").reason
    assert modules(loaded) == ["toyplugin_first"]
    assert names(loaded.registry) == {"first.one"}


def test_a_distribution_without_a_name_stops_nobody(site: Site) -> None:
    site.add("good", strategies("good.one"))
    site.add("torn", strategies("torn.one"))
    (site.folder / "dist_torn-1.5.dist-info" / "METADATA").unlink()
    loaded = site.load()
    assert names(loaded.registry) == {"good.one", "torn.one"}
    assert (report(loaded, "torn").dist, report(loaded, "torn").version) == ("unknown", "unknown")


def test_which_plugin_keeps_a_name_does_not_depend_on_the_order_of_discovery(site: Site) -> None:
    site.add("c", strategies("shared.one", "shared.c"), dist="aaa")
    site.add("a", strategies("shared.one", "shared.a"), dist="bbb")
    site.add("b", strategies("shared.one", "shared.b"), dist="ccc")
    for found in itertools.permutations(site.found()):
        loaded = load(found, blocked=(), strict=False)
        assert [(r.entry, r.state.value) for r in loaded.reports] == [("c", "loaded"), ("a", "failed"), ("b", "failed")]
        assert loaded.registry.entry("strategy", "shared.one").distribution == "aaa"
        assert "'shared.one' is provided by aaa and by bbb" in report(loaded, "a").reason
        assert "'shared.one' is provided by aaa and by ccc" in report(loaded, "b").reason


# --- the built-ins, and the environment ------------------------------------------------------------------------------


@pytest.fixture
def ours() -> EntryPoint:
    [entry] = entry_points(group=GROUP, name="builtin")
    return entry


def test_the_built_ins_come_through_the_same_door_and_first(site: Site, ours: EntryPoint) -> None:
    site.add("a", strategies("margin", "kmeans"), dist="alcore-strategies")
    loaded = load([*site.found(), ours], blocked=(), strict=False)
    assert [(r.entry, r.dist, r.state.value) for r in loaded.reports] == [
        ("builtin", "alcore", "loaded"),
        ("a", "alcore-strategies", "failed"),
    ]
    assert "'margin' is provided by alcore and by alcore-strategies" in report(loaded, "a").reason
    assert loaded.registry.entry("strategy", "margin").distribution == "alcore"


def test_built_ins_that_are_blocked_are_gone_and_say_so(ours: EntryPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALCORE_PLUGINS", "-builtin")
    loaded = load([ours])
    assert names(loaded.registry) == set()
    why = r"no strategy is called 'margin'\. It may be missing because plugin 'builtin' \(alcore .*\) is blocked by"
    with pytest.raises(UnknownNameError, match=why):
        loaded.registry.entry("strategy", "margin")


def test_a_plain_name_may_be_that_of_a_plugin_of_ours_that_failed(site: Site) -> None:
    site.add("fast", "import no_such_package", dist="alcore-strategies")
    site.add("foreign", "import no_such_package")
    registry = site.load().registry
    with pytest.raises(UnknownNameError, match=r"'kmeans'\. It may be missing because plugin 'fast' .*no_such_pack"):
        registry.entry("strategy", "kmeans")
    with pytest.raises(UnknownNameError, match=r"^no strategy is called 'x\.kmeans'\. See: alcore list strategies$"):
        registry.entry("strategy", "x.kmeans")


@pytest.mark.parametrize(
    ("value", "left"), [("-a", "bc"), ("-a,-c", "b"), (" -b , ,", "ac"), ("", "abc"), ("-z", "abc")]
)
def test_plugins_are_blocked_by_name(site: Site, monkeypatch: pytest.MonkeyPatch, value: str, left: str) -> None:
    for entry in "abc":
        site.add(entry, strategies(f"{entry}.one"))
    monkeypatch.setenv("ALCORE_PLUGINS", value)
    loaded = site.load(blocked=None)
    assert {r.entry for r in loaded.reports if r.state == PluginState.LOADED} == set(left)
    assert {r.entry for r in loaded.reports if r.state == PluginState.BLOCKED} == set("abc") - set(left)
    assert names(loaded.registry) == {f"{entry}.one" for entry in left}


def test_a_blocked_plugin_is_not_imported_and_its_names_say_so(site: Site) -> None:
    site.add("bad", "raise RuntimeError('imported')")
    loaded = site.load(blocked=["bad"], strict=True)
    assert loaded.reports == [
        PluginReport("bad", "dist-bad", "1.5", PluginState.BLOCKED, "blocked by ALCORE_PLUGINS", {})
    ]
    why = r"strategy 'bad\.one' is missing because plugin 'bad' \(dist-bad 1\.5\) is blocked by ALCORE_PLUGINS; unblock"
    with pytest.raises(UnknownNameError, match=why):
        loaded.registry.entry("strategy", "bad.one")


@pytest.mark.parametrize(
    ("value", "fix"),
    [("libact", "-libact"), ("-a,libact", "-libact"), ("-a -b", "-a,-b"), ("--a", "-a"), ("-", "-NAME")],
)
def test_a_value_that_does_not_block_is_refused(monkeypatch: pytest.MonkeyPatch, value: str, fix: str) -> None:
    monkeypatch.setenv("ALCORE_PLUGINS", value)
    with pytest.raises(InputError, match=f"ALCORE_PLUGINS has '.*'; it blocks plugins by name: ALCORE_PLUGINS={fix}$"):
        load([])


@pytest.mark.parametrize(("value", "raises"), [("1", True), ("0", False), ("", False)])
def test_strict_raises_at_the_first_that_fails(
    site: Site, monkeypatch: pytest.MonkeyPatch, value: str, raises: bool
) -> None:
    site.add("bad", "raise RuntimeError('no GPU')")
    monkeypatch.setenv("ALCORE_STRICT", value)
    if not raises:
        assert report(site.load(strict=None), "bad").state == PluginState.FAILED
        return
    with pytest.raises(PluginError, match=r"plugin 'bad' \(dist-bad 1\.5\) failed to load: RuntimeError: no GPU") as e:
        site.load(strict=None)
    assert isinstance(e.value.__cause__, RuntimeError)
