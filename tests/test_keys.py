"""What makes a result stale: the revision or the hashed code of a part, declared or not; a version is shown only."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import alcore
from alcore import parts, plugins, selected
from alcore.cli import main
from alcore.execute import execute
from alcore.experiment import parse
from alcore.parts import UnseenCodeWarning, made, undeclared
from alcore.plan import plan
from alcore.plugins import Plugins, load
from alcore.registry import Registry
from alcore.results import Run
from alcore.runner import Progress, run_experiment
from alcore.spec import StrategySpec
from alcore.stats import question, scores
from alcore.store import Store
from alcore.types import Status

KEYS: dict[str, Any] = {
    "name": "keys",
    "datasets": [{"name": "synthetic.clouds", "n": 60}],
    "strategies": ["random"],
    "learners": ["gaussian-nb"],
    "seeds": 1,
    "budget": 4,
    "start": {"size": 6},
}
PLUGIN = """
import alcore
alcore_api = 1

@alcore.scores("edit.mine", summary="The last rows first")
def mine(view):
    from edit.scoring import sign
    return sign() * view.unlabeled

@alcore.hookimpl
def alcore_strategies():
    return [mine]
"""


class Inline(Executor):
    """Runs what is submitted at once."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*args, **kwargs))
        return done


def go(store: Store, registry: Registry, **keys: Any) -> Progress:
    """Plan and run in this process."""
    experiment = parse(KEYS | keys, registry)
    return run_experiment(experiment, store, runs=plan(experiment, registry), executor=Inline())


def with_plugins(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> Registry:
    """Make a registry that of the plugins."""
    own = Plugins(registry, [], plugins.loaded().manager)
    monkeypatch.setattr(plugins, "loaded", lambda: own)
    return registry


# --- editable distributions ------------------------------------------------------------------------------------------


class Editable:
    """A package ``edit`` in a folder, and what ``pip install -e`` leaves in another: alcore-edit 1.0."""

    def __init__(self, folder: Path) -> None:
        self.source, self.site = folder / "project", folder / "site"
        about = self.site / "alcore_edit-1.0.dist-info"
        (self.source / "edit").mkdir(parents=True)
        about.mkdir(parents=True)
        self.write("__init__.py", PLUGIN)
        self.write("scoring.py", "def sign():\n    return 1.0\n")
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: alcore-edit\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("[alcore]\nedit = edit\n")
        self.about = about
        self.installed(self.source.as_uri())

    def write(self, name: str, text: str) -> None:
        (self.source / "edit" / name).write_text(text)

    def installed(self, url: str, *, editable: bool = True) -> None:
        (self.about / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {"editable": editable}}))

    def load(self) -> Plugins:
        """Load it as a new process would, with alcore's own."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "edit"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        shutil.rmtree(self.source / "edit" / "__pycache__", ignore_errors=True)  # as old as an edit within a second
        (one,) = distributions(path=[str(self.site)])
        ours = importlib.metadata.entry_points(group="alcore")
        return load([*ours, *one.entry_points])

    def id(self) -> str:
        registry = self.load().registry
        (run,) = plan(parse(KEYS | {"strategies": ["edit.mine"]}, registry), registry)
        return run.id


@pytest.fixture
def editable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Editable]:
    made = Editable(tmp_path)
    monkeypatch.syspath_prepend(str(made.site))
    monkeypatch.syspath_prepend(str(made.source))
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "edit"]:
        del sys.modules[name]


def test_a_score_that_is_negated_in_an_editable_package_runs_again(editable, tmp_path, monkeypatch):
    store = Store(tmp_path / "store", create=True)
    rows = []
    for sign in ("1.0", "-1.0"):
        editable.write("scoring.py", f"def sign():\n    return {sign}\n")
        registry = with_plugins(monkeypatch, editable.load().registry)
        done = go(store, registry, strategies=["edit.mine"])
        assert (done.reused, done.ended[Status.COMPLETED]) == (0, 1)
        rows.append([list(part) for part in selected(store).records()["rows"]])
        assert go(store, registry, strategies=["edit.mine"]).reused == 1
    assert rows[0] != rows[1]
    assert len(store.ids()) == 2
    (note,) = selected(store).notes
    assert note.startswith("1 run of revision sha256:")
    assert "of strategy edit.mine, not sha256:" in note


def test_all_python_files_of_an_editable_package_count_and_nothing_else(editable):
    before = editable.id()
    (editable.source / "edit" / "readme.txt").write_text("a word")
    (editable.source / "setup.py").write_text("1")
    assert editable.id() == before
    editable.write("more.py", "x = 1\n")
    assert editable.id() != before


def test_an_editable_folder_that_is_moved_keeps_its_ids(editable, tmp_path, monkeypatch):
    before = editable.id()
    editable.source = editable.source.rename(tmp_path / "elsewhere")
    editable.installed(editable.source.as_uri())
    monkeypatch.syspath_prepend(str(editable.source))
    assert editable.id() == before


def test_a_distribution_that_is_not_editable_is_not_hashed(editable):
    editable.installed(editable.source.as_uri(), editable=False)
    before = editable.id()
    editable.write("scoring.py", "def sign():\n    return -1.0\n")
    assert editable.id() == before


def test_an_editable_distribution_whose_source_is_not_found_is_warned_about_by_name(editable, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    editable.installed((tmp_path / "elsewhere").as_uri())
    with pytest.warns(UnseenCodeWarning, match="changes of alcore-edit are not noticed.* no Python source of edit is"):
        editable.id()
    report = next(one for one in editable.load().reports if one.entry == "edit")
    assert report.reason.startswith("changes of its code are not noticed: it is installed editable, and no Python")


def test_our_own_distributions_are_not_hashed():
    ours = [entry for kind in ("strategy", "learner", "metric") for entry in plugins.loaded().registry.entries(kind)
            if entry.distribution in plugins.PLAIN_NAMES]  # fmt: skip
    assert ours
    assert {entry.revision for entry in ours if not isinstance(entry.revision, int)} == set()


def test_code_that_was_edited_after_planning_fails_the_run(editable, monkeypatch):
    registry = with_plugins(monkeypatch, editable.load().registry)
    (run,) = plan(parse(KEYS | {"strategies": ["edit.mine"]}, registry), registry)
    editable.write("scoring.py", "def sign():\n    return -1.0\n")
    with_plugins(monkeypatch, editable.load().registry)
    result = execute(run)
    assert result.status is Status.FAILED
    assert result.reason.startswith(
        "strategy edit.mine has changed since the run was planned: its revision was sha256:"
    )


def test_a_plugin_file_that_is_moved_or_renamed_keeps_its_ids(tmp_path):
    text = 'import alcore\n@alcore.scores("mine", summary="My own")\ndef mine(view):\n    return view.unlabeled\n'
    found = []
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(text)
        registry = plugins.with_files(plugins.loaded(), [tmp_path / name])
        found.append(plan(parse(KEYS | {"strategies": ["mine"]}, registry), registry)[0].id)
    assert found[0] == found[1]


# --- revisions and versions ------------------------------------------------------------------------------------------


def rows_in(order: float) -> Callable[[], Any]:
    """Make a strategy that asks for the last rows first, or the first."""

    @alcore.scores("toy.inner", summary="In order")
    def ordered(view: alcore.View) -> Any:
        return order * view.unlabeled

    from alcore.decorators import spec_of

    return lambda: spec_of(ordered).build()


ours = plugins.loaded
"""Where tests put something in its place, this is still the first one."""


def toys(version: str = "1", revision: int = 1, order: float = 1.0) -> Registry:
    """The plugins' registry, with a strategy of the distribution toys, and one that makes it by name and hides it."""
    registry = ours().registry.copy()

    def outer() -> Any:
        return registry.build("strategy", "toy.inner")

    registry.add(
        [StrategySpec(name="toy.inner", summary="A toy", make=rows_in(order), revision=revision)], "toys", version
    )
    registry.add([StrategySpec(name="toy2.outer", summary="A toy of a toy", make=outer)], "other-toys", "1")
    return registry


def test_a_raised_version_runs_nothing_and_is_shown(tmp_path, monkeypatch):
    store = Store(tmp_path / "store", create=True)
    truly = parts.installed
    monkeypatch.setattr(parts, "installed", lambda name: "2" if name == "toys" else truly(name))
    go(store, with_plugins(monkeypatch, toys("1")), strategies=["toy.inner"])
    registry = with_plugins(monkeypatch, toys("2"))
    assert go(store, registry, strategies=["toy.inner"]).reused == 1
    told = CliRunner().invoke(main, ["status", str(store.path)]).stdout
    assert "Versions differ, which is shown only; nothing is run again for it" in told
    assert [line.split() for line in told.splitlines() if line.startswith("toys")] == [
        ["toys", "1", "(1", "runs)", "2"]
    ]
    shown = json.loads(CliRunner().invoke(main, ["status", str(store.path), "--json"]).stdout)
    assert shown["versions"] == [{"package": "toys", "recorded": {"1": 1}, "installed": "2"}]
    go(store, registry, strategies=["toy.inner"], seeds=2)
    shown = json.loads(CliRunner().invoke(main, ["status", str(store.path), "--json"]).stdout)
    assert shown["versions"] == [{"package": "toys", "recorded": {"1": 1, "2": 1}, "installed": "2"}]
    assert shown["counts"] == {"completed": 2}  # both are shown in one table: they are of one revision


def test_a_raised_version_runs_again_where_reuse_is_exact(tmp_path, monkeypatch):
    store = Store(tmp_path / "store", create=True)
    for version in ("1", "2"):
        done = go(store, with_plugins(monkeypatch, toys(version)), strategies=["toy.inner"], reuse="exact")
        assert done.reused == 0
    assert len(selected(store).ids()) == 1
    (note,) = selected(store).notes
    assert note.startswith("1 run of toys 1, not 2 as the latest, left out; alcore prune ")


def test_a_raised_revision_runs_again_and_leaves_the_old_out(tmp_path, monkeypatch):
    store = Store(tmp_path / "store", create=True)
    keys = {"strategies": ["random", "toy.inner"], "seeds": 2}
    go(store, with_plugins(monkeypatch, toys()), **keys)
    done = go(store, with_plugins(monkeypatch, toys(revision=2, order=-1.0)), **keys)
    assert (done.total, done.reused) == (4, 2)
    kept = selected(store)
    assert {kept.about(run)["config"]["revisions"]["strategy"].get("strategy toy.inner", 2) for run in kept.ids()} == {
        2
    }
    assert len(kept.ids()) == 4
    (note,) = kept.notes
    assert note == (
        "2 runs of revision 1 of strategy toy.inner, not 2 as the latest, left out; alcore prune "
        f"{store.path} removes superseded runs."
    )


def test_status_tells_of_a_revision_that_is_another_here(tmp_path, monkeypatch):
    store = Store(tmp_path / "store", create=True)
    go(store, with_plugins(monkeypatch, toys()), strategies=["toy.inner"])
    with_plugins(monkeypatch, toys(revision=2))
    told = CliRunner().invoke(main, ["status", str(store.path)]).stdout
    assert "strategy toy.inner has revision 2 here and 1 in the store: alcore run makes its runs anew." in told


# --- parts that no spec declares -------------------------------------------------------------------------------------


def planned(registry: Registry, strategy: str) -> Run:
    return plan(parse(KEYS | {"strategies": [strategy]}, registry), registry)[0]


def test_what_a_strategy_makes_by_name_is_part_of_its_key():
    before, after = planned(toys(), "toy2.outer"), planned(toys(revision=2), "toy2.outer")
    assert before.config["revisions"]["strategy"] == {"strategy toy.inner": 1, "strategy toy2.outer": 1}
    assert "toys" in before.config["versions"]
    assert before.id != after.id


def test_an_undeclared_part_is_named():
    assert undeclared(toys(), "strategy", "toy2.outer", {}) == [("strategy", "toy.inner")]
    assert undeclared(toys(), "strategy", "toy.inner", {}) == []


def test_a_strategy_that_cannot_be_made_has_the_key_of_what_it_asked_for():
    registry = plugins.loaded().registry.copy()

    def broken() -> Any:
        registry.build("strategy", "margin")
        raise SystemExit(0)

    registry.add([StrategySpec(name="toy.broken", summary="A toy", make=broken)], "toys", "1")
    assert list(made(registry, "strategy", "toy.broken", {})) == [("strategy", "margin")]
    assert planned(registry, "toy.broken").config["revisions"]["strategy"] == {
        "strategy margin": 1, "strategy toy.broken": 1,
    }  # fmt: skip


def test_what_is_made_only_while_the_run_goes_on_is_warned_about(monkeypatch):
    registry = toys()

    class Late:
        def query(self, view: alcore.View, n: int) -> Any:
            return registry.build("strategy", "toy.inner").query(view, n)

    registry.add([StrategySpec(name="toy3.late", summary="A toy", make=Late)], "late-toys", "1")
    with_plugins(monkeypatch, registry)
    result = execute(planned(registry, "toy3.late"))
    assert result.status is Status.COMPLETED
    (warning,) = result.warnings
    assert warning.startswith("UserWarning: strategy toy.inner took part without being declared: a change of it is not")


def test_our_own_strategies_declare_what_they_are_made_of():
    registry = plugins.loaded().registry
    hidden = {}
    for entry in registry.entries("strategy"):
        if entry.distribution in plugins.PLAIN_NAMES and not entry.spec.missing():
            hidden[entry.spec.name] = undeclared(registry, "strategy", entry.spec.name, {})
    assert {name: parts for name, parts in hidden.items() if parts} == {}


# --- two budgets -----------------------------------------------------------------------------------------------------

WINE = {"name": "wine", "datasets": ["sklearn.wine"], "strategies": ["random", "margin"], "start": {"size": 5}}


def test_a_table_is_of_the_budget_that_was_run_last(tmp_path):
    store, registry = Store(tmp_path / "store", create=True), plugins.loaded().registry

    def cells(*options: str) -> dict[str, float]:
        call = CliRunner().invoke(main, ["table", str(store.path), "--json", *options])
        return {cell["strategy"]: round(cell["mean"], 4) for cell in json.loads(call.stdout)["cells"]}

    go(store, registry, **WINE, budget=5)
    small = cells()
    go(store, registry, **WINE, budget=60)
    assert cells()["random"] == 0.8511
    own = store.records({run.id for run in plan(parse(KEYS | WINE | {"budget": 60}, registry), registry)})
    alone = scores(own, question(registry, own, "aubc", None)).groupby("strategy")["score"].mean().round(4).to_dict()
    assert cells() == alone != small
    told = CliRunner().invoke(main, ["table", str(store.path)]).stdout.splitlines()[-1]
    assert told == (
        "2 runs of another protocol (budget = 5) left out; --protocol 2 shows them, "
        f"alcore prune {store.path} removes superseded runs."
    )
    assert cells("--protocol", "2") == small
    assert go(store, registry, **WINE, budget=5).reused == 2  # all is done, and this is the last run now
    assert cells() == small
