"""Tables never average two configurations: what a selection keeps, what it leaves out and says; what prune removes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import InputError, resultfile, selected
from alcore.cli import main
from alcore.protocols import Record
from alcore.results import Result, Run
from alcore.runner import note_plan
from alcore.selection import prune
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)


def named(name: str, label: str = "", **params: Any) -> dict[str, Any]:
    return {"name": name, "label": label or name, "params": params}


def make_run(
    dataset: str = "wine", strategy: Any = "random", seed: int = 0, *, budget: Any = 5, task: str = "classification",
    metrics: tuple[str, ...] = ("accuracy",), fingerprint: str = "f", revision: Any = 1, learner: Any = "knn",
    **keys: Any,
) -> Run:  # fmt: skip
    one = named(strategy) if isinstance(strategy, str) else strategy
    taught = (named(learner) if isinstance(learner, str) else learner) | {"refit": "scratch"}
    return Run(
        {
            "protocol": 3, "budget": budget, "batch": 1, "split": {"method": "random", "test_size": 0.4}, "stop": [],
            "dataset": named(dataset) | {"task": task, "fingerprint": fingerprint, "where": {"path": str(id(one))}},
            "strategy": one, "seed": seed, "learner": {"label": taught["label"], "query": taught, "task": taught},
            "metrics": [named(metric) for metric in metrics], "versions": {"numpy": "2.0"},
            "revisions": {"strategy": {f"strategy {one['name']}": revision}},
        }
        | keys
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store", create=True)


def put(store: Store, *runs: Run, value: float = 0.5) -> list[str]:
    for run in runs:
        metrics = {metric["label"]: value for metric in run.config["metrics"]}
        records = [Record(t, NO_ROWS, NO_ROWS, 5 + t, metrics) for t in range(2)]
        store.write(run, Result(Status.COMPLETED, "budget_reached", records))
    return [run.id for run in runs]


# --- which protocol --------------------------------------------------------------------------------------------------


def test_without_a_note_it_is_that_of_the_run_written_last(store):
    old, new = put(store, make_run()), put(store, make_run(budget=60))
    assert selected(store).ids() == set(new)
    put(store, make_run(seed=1))
    assert selected(store).ids() == {*old, make_run(seed=1).id}


def test_the_last_plan_decides_also_where_nothing_was_left_to_do(store):
    old, new = put(store, make_run(), make_run(seed=1)), put(store, make_run(budget=60))
    note_plan(store, [make_run(), make_run(seed=1)])
    assert selected(store).ids() == set(old)
    assert selected(store).superseded == set(new)


def test_a_plan_without_a_finished_run_decides_nothing(store):
    old = put(store, make_run())
    note_plan(store, [make_run(budget=60)])
    assert selected(store).ids() == set(old)
    assert selected(store).superseded == frozenset()


def test_what_the_edited_file_no_longer_names_still_belongs_to_it(store):
    all_of_them = put(store, make_run("wine"), make_run("iris"), make_run("iris", "margin", learner="lda", seed=7))
    note_plan(store, [make_run("wine")])
    assert selected(store).ids() == set(all_of_them)
    assert selected(store).notes == []


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"budget": "all"}, "budget = all"),
        ({"split": {"method": "random", "test_size": 0.3}}, "split.test_size = 0.3"),
        ({"stop": [named("share", share=0.5)]}, "stop = share(share=0.5)"),
        ({"metrics": ("f1", "accuracy")}, "metrics.classification = f1, accuracy"),
        ({"start": {"size": 5, "cold_start": named("core-set")}}, "start.cold_start = core-set, start.size = 5"),
        ({"protocol": 2, "versions": {}}, "protocol = 2"),
        ({"reuse": "exact", "versions": {}}, "reuse = exact"),
    ],
)
def test_every_other_key_makes_another_protocol_and_is_told(store, keys, words):
    put(store, make_run(**{"start": {"size": 6}} | keys))
    put(store, make_run(start={"size": 6}))
    (note,) = selected(store).notes
    assert note == (
        f"1 run of another protocol ({words}) left out; --protocol 2 shows them, "
        f"alcore prune {store.path} removes superseded runs."
    )


def test_metrics_may_differ_by_task(store):
    both = put(store, make_run(), make_run("diabetes", task="regression", metrics=("r2",)))
    assert selected(store).ids() == set(both)
    newer = put(store, make_run(metrics=("accuracy", "f1")))
    assert selected(store).ids() == {both[1], *newer}
    assert selected(store, 2).ids() == {both[0]}


def test_a_protocol_is_chosen_by_number_or_id(store):
    old, new = put(store, make_run()), put(store, make_run(budget=60))
    latest = selected(store)
    assert [(one.number, one.differs) for one in latest.protocols] == [(1, {}), (2, {"budget": "5"})]
    second = latest.protocols[1]
    for how in (2, "2", second.id, second.id[:5]):
        assert selected(store, how).ids() == set(old)
        assert selected(store, how).notes == [
            "1 run of another protocol (budget = 60) left out; --protocol 1 shows them."
        ]
    assert selected(store, 1).ids() == set(new)
    for how in (3, "x", ""):
        with pytest.raises(InputError, match=f"protocol '{how}' is none of this store; give the number or"):
            selected(store, how)


def test_many_protocols_are_counted(store):
    for budget in range(6):
        put(store, make_run(budget=budget))
    assert len(selected(store).notes) == 4
    assert selected(store).notes[-1] == f"2 runs more left out for 2 other reasons: alcore status {store.path}"


# --- one configuration under each label, one revision of each part ----------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            {"strategy": named("qbc", "Q", members=10)},
            {"strategy": named("qbc", "Q", members=20)},
            "another strategy called 'Q' before (members = 10)",
        ),
        ({"fingerprint": "f"}, {"fingerprint": "g"}, "another data set called 'wine' before (fingerprint = f)"),
        (
            {"learner": named("knn", "L", n=3)},
            {"learner": named("knn", "L", n=5)},
            "another learner called 'L' before (query = knn(n=3), task = knn(n=3))",
        ),
        ({"revision": 1}, {"revision": 2}, "revision 1 of strategy random, not 2 as the latest,"),
        ({"revision": "sha256:a"}, {"revision": 1}, "revision sha256:a of strategy random, not 1 as the latest,"),
        (
            {"protocol": 2, "versions": {"toys": "1"}},
            {"protocol": 2, "versions": {"toys": "2"}},
            "toys 1, not 2 as the latest,",
        ),
    ],
)
def test_the_latest_stands_in_tables(store, before, after, words):
    put(store, make_run(**before), make_run(seed=1, **before))
    new = put(store, make_run(**after))
    kept = selected(store)
    assert kept.ids() == set(new)
    assert kept.notes == [f"2 runs of {words} left out; alcore prune {store.path} removes superseded runs."]
    assert len(kept.protocols) == 1


def test_where_the_data_lie_and_versions_are_no_difference(store):
    first, second = make_run(seed=0, versions={"numpy": "2.0"}), make_run(seed=1, versions={"numpy": "2.1"})
    ids = put(store, first, second)
    assert first.config["dataset"]["where"] != second.config["dataset"]["where"]
    assert selected(store).ids() == set(ids)


def test_a_revision_counts_for_all_that_use_the_part(store):
    """The strategy was run anew under one label only; another label's runs are of its older revision."""
    put(store, make_run(strategy=named("qbc", "a")), make_run(strategy=named("qbc", "b")))
    new = put(store, make_run(strategy=named("qbc", "a"), revision=2))
    assert selected(store).ids() == set(new)


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_selection_reads_as_a_store_and_refuses_to_write(store):
    put(store, make_run(), value=0.1)
    new = put(store, make_run(budget=60), value=0.9)
    kept = selected(store)
    assert set(kept.records()["accuracy"]) == {0.9}
    assert list(kept.runs()["run"]) == new
    assert kept.about(new[0])["config"]["budget"] == 60
    assert len(store.records()) == 4  # a store as it is has everything
    assert selected(kept) is kept
    with pytest.raises(InputError, match="is for reading; write to"), kept.locked():
        pass
    with pytest.raises(InputError, match="is for reading; write to"):
        kept.write(make_run(), Result(Status.FAILED, "no"))


def test_files_of_earlier_versions_that_do_not_say_when_they_were_written(store, monkeypatch):
    import os

    import alcore.store

    monkeypatch.setattr(alcore.store.time, "time", lambda: 0.0)
    (old,), (new,) = put(store, make_run()), put(store, make_run(budget=60))
    os.utime(store.file(old), (1, 1))
    os.utime(store.file(new), (2, 2))
    assert selected(store).ids() == {new}


@pytest.mark.parametrize("text", ["", "{}", "[]", "\0"])
def test_a_damaged_note_is_named(store, text):
    put(store, make_run())
    store.save_note("plan.json", text)
    with pytest.raises(InputError, match=r"_plan\.json is damaged; delete it"):
        selected(store)


@pytest.mark.parametrize("command", ["table", "status", "report"])
def test_every_file_is_read_once(store, command, monkeypatch, tmp_path):
    put(store, *(make_run(strategy=name, seed=seed) for name in ("random", "margin") for seed in range(3)))
    read: list[str] = []
    whole = resultfile._bytes
    monkeypatch.setattr(resultfile, "_bytes", lambda file: (read.append(str(file)), whole(file))[1])
    options = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    assert CliRunner().invoke(main, [command, str(store.path), *options]).exit_code == 0
    assert sorted(read) == sorted(str(file) for file in store.path.glob("*.parquet"))


# --- the commands ----------------------------------------------------------------------------------------------------


def call(*args: Any) -> Any:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def mixed(store: Store) -> Store:
    """Two budgets, two strategies, two seeds; the latest is 60."""
    runs = [make_run(strategy=name, seed=seed) for name in ("random", "margin") for seed in (0, 1)]
    put(store, *runs, value=0.2)
    put(store, *(Run(dict(run.config) | {"budget": 60}) for run in runs), value=0.8)
    return store


@pytest.mark.parametrize(
    "show", ["means", "best", "utilisation", "improvement", "ranks", "pairs", "times", "labels-to"]
)
def test_every_table_selects_the_same_and_says_so(mixed, show):
    share = ["--share", "0.9"] if show in ("utilisation", "labels-to") else []
    told = json.loads(call("table", mixed.path, "--show", show, "--json", *share).stdout)
    assert told["protocol"] == {"number": 1, "id": selected(mixed).protocol.id}
    assert told["left_out"] == [{"runs": 4, "why": "another protocol (budget = 5)", "protocol": 2}]
    assert told["notes"][-1].startswith("4 runs of another protocol (budget = 5) left out; --protocol 2 shows them")
    note = call("table", mixed.path, "--show", show, *share).stdout.splitlines()[-1]
    assert note == told["notes"][-1]
    assert "left out" in call("table", mixed.path, "--show", show, "--format", "csv", *share).stderr


def test_the_table_is_that_of_one_protocol(mixed):
    def means(*options: Any) -> set[float]:
        cells = json.loads(call("table", mixed.path, "--json", *options).stdout)["cells"]
        return {cell["mean"] for cell in cells}

    assert means() == {0.8}
    assert means("--protocol", 2) == {0.2}


def test_status_lists_protocols(mixed):
    told = json.loads(call("status", mixed.path, "--json").stdout)
    assert told["counts"] == {"completed": 4}
    ids = [one.id for one in selected(mixed).protocols]
    assert told["protocols"] == [
        {"number": 1, "id": ids[0], "runs": 4, "differs": {}},
        {"number": 2, "id": ids[1], "runs": 4, "differs": {"budget": "5"}},
    ]
    lines = [line.split() for line in call("status", mixed.path).stdout.splitlines()]
    assert ["1", "(shown)", ids[0], "4"] in lines
    assert ["2", ids[1], "4", "budget", "=", "5"] in lines


def test_the_report_says_what_is_left_out(mixed, tmp_path):
    result = call("report", mixed.path, "-o", tmp_path / "page.html")
    assert result.stderr.startswith("4 runs of another protocol (budget = 5) left out; ")
    assert "4 runs of another protocol (budget = 5) left out" in (tmp_path / "page.html").read_text(encoding="utf8")


def test_prune_lists_and_removes_only_with_yes(mixed):
    before, kept = mixed.ids(), selected(mixed).ids()
    listed = call("prune", mixed.path)
    rows = [line.split() for line in listed.stdout.splitlines()]
    assert ["wine", "knn", "random", "another", "protocol", "(budget", "=", "5)", "2"] in rows
    assert rows[-1] == f"4 runs of {mixed.path}; remove them with --yes.".split()
    assert mixed.ids() == before
    told = json.loads(call("prune", mixed.path, "--yes", "--json").stdout)
    assert {one["run"] for one in told["runs"]} == before - kept
    assert (told["removed"], told["store"]) == (True, str(mixed.path))
    assert mixed.ids() == kept
    assert call("prune", mixed.path, "--yes").stdout == f"{mixed.path}: no run is superseded.\n"


def test_prune_keeps_all_runs_of_the_last_plan(store):
    """One plan may have several protocols, as the published tables do."""
    put(store, make_run("old", budget=1))
    plan = [make_run("a", budget=5), make_run("b", budget=6), make_run("b", budget=6, seed=1)]
    put(store, *plan)
    note_plan(store, plan)
    assert selected(store).ids() == {plan[1].id, plan[2].id}
    assert prune(store) == [make_run("old", budget=1).id]
    assert store.ids() == {run.id for run in plan}


def test_prune_waits_for_nobody(mixed):
    with mixed.locked():
        result = CliRunner().invoke(main, ["prune", str(mixed.path), "--yes"])
    assert result.exit_code == 2
    assert "is being written by another alcore run" in result.stderr
    assert len(mixed.ids()) == 8
