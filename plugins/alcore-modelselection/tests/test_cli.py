"""The commands, as they are typed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from alcore.cli import main
from alcore_modelselection.cli.reproduce import verdict
from alcore_modelselection.published import Value, published


@pytest.fixture
def file(tmp_path, toy):
    given = toy(5, 30, 3, seed=4)
    np.savez(tmp_path / "task.npz", hard=given.hard, labels=given.labels, C=3)
    return tmp_path / "task.npz"


def run(*words, **more):
    return CliRunner().invoke(main, [str(word) for word in words], **more)


def test_simulation_in_json_keeps_the_contract(file):
    result = run("select-model", file, "--simulate", "--steps", 8, "--seed", 3, "--json")
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert all(len(shown[key]) == 8 for key in ("chosen", "regret", "cumulative_regret", "best"))
    assert max(shown["regret"]) <= 1
    assert shown["cumulative_regret"][-1] == pytest.approx(sum(shown["regret"]))


@pytest.mark.parametrize("method", ["coda", "random", "uncertainty", "active-testing", "vma"])
def test_simulation_as_a_table(file, method):
    result = run("select-model", file, "--method", method, "--simulate", "--steps", 3)
    assert result.exit_code == 0, result.output
    assert "cumulative x 100" in result.stdout


def test_settings_reach_the_method(file):
    words = ("select-model", file, "--simulate", "--steps", 3, "--json")
    plain, changed = run(*words), run(*words, "--set", "acquisition=uncertainty", "--set", "grid=64")
    assert json.loads(plain.stdout)["chosen"] != json.loads(changed.stdout)["chosen"]
    wrong = run(*words, "--set", "variant=none")
    assert wrong.exit_code == 2
    assert "use one of 'code', 'paper'" in wrong.output
    assert run(*words, "--set", "grid").exit_code == 2


def test_losses_by_name_and_by_file(file, tmp_path):
    (tmp_path / "costs.csv").write_text("0,1,1\n5,0,5\n1,1,0\n")
    for loss in ("balanced-accuracy", tmp_path / "costs.csv"):
        assert run("select-model", file, "--simulate", "--steps", 2, "--loss", loss).exit_code == 0
    (tmp_path / "costs.csv").write_text("a,b\n")
    assert "give a CSV of C rows" in run("select-model", file, "--loss", tmp_path / "costs.csv").output


def test_a_conversation_stops_and_goes_on(file, tmp_path):
    first = run("select-model", file, input="0\nbird\n1\n:s\n:q\n")
    assert first.exit_code == 0, first.output
    assert "'bird' is none of the classes 0, 1, 2" in first.output
    assert "After 2 labels" in first.stdout
    assert "P(best)" in first.stdout
    state = json.loads((tmp_path / "task.coda.json").read_text())
    assert state["labels"] == [0, 1, None]
    second = run("select-model", file, "--json", input="2\n")
    assert "Resumed" in second.stderr
    shown = json.loads(second.stdout)
    assert shown["labels"] == [0, 1, 2]
    assert shown["skipped"] == [state["rows"][2]]
    assert sum(shown["posterior"]) == pytest.approx(1)


def test_a_conversation_ends_after_its_steps(file):
    result = run("select-model", file, "--method", "random", "--steps", 2, input="0\n1\n2\n")
    assert "After 2 labels" in result.stdout
    assert "P(best)" not in result.stdout


def test_selection_without_labels(file, tmp_path, toy):
    shown = run("select-model", file, "--unsupervised")
    assert "needs probabilities" in shown.stdout
    given = toy(5, 30, 3, soft=True)
    np.save(tmp_path / "soft.npy", given.soft)
    rows = json.loads(run("select-model", tmp_path / "soft.npy", "--unsupervised", "--json").stdout)["rows"]
    assert [row["method"] for row in rows] == ["coda", "ensv", "entropy", "bnm"]
    assert all(0 <= row["best"] < 5 and row["regret"] is None for row in rows)


def test_other_settings_do_not_go_on_with_a_kept_state(file):
    run("select-model", file, input="0\n")
    result = run("select-model", file, "--seed", 5, input="0\n")
    assert result.exit_code == 2
    assert "or --restart" in result.output
    assert run("select-model", file, "--seed", 5, "--restart", input="0\n").exit_code == 0


def test_rows_are_shown_with_the_question(file, tmp_path):
    pd.DataFrame({"text": [f"sentence {i}" for i in range(30)]}).to_csv(tmp_path / "rows.csv", index=False)
    result = run("select-model", file, "--show", tmp_path / "rows.csv", input="0\n")
    assert "(text: sentence " in result.stderr
    (tmp_path / "rows.txt").write_text("only one\n")
    assert "--show has 1 rows" in run("select-model", file, "--show", tmp_path / "rows.txt", "--restart").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.npz",), "there is no file nowhere.npz"),
        (("task.npz", "--method", "codda"), "Did you mean 'coda'"),
        (("task.npz", "--loss", "f1"), "no loss is called 'f1'"),
    ],
)
def test_wrong_input_ends_with_code_two_and_a_message(file, words, said, monkeypatch):
    monkeypatch.chdir(file.parent)
    result = run("select-model", *words, "--simulate")
    assert result.exit_code == 2
    assert said in result.output


def test_selectors_are_listed():
    shown = json.loads(run("list", "selectors", "--json").stdout)["selectors"]
    assert {"random", "uncertainty", "active-testing", "vma", "model-selector", "coda"} <= {e["name"] for e in shown}
    assert next(e for e in shown if e["name"] == "coda")["losses"] == ["accuracy", "balanced-accuracy", "cost"]


def test_reproduce_a_table_in_json(file):
    result = run(
        "reproduce", "coda-table1", "--data", file.parent, "--strategies", "random,coda", "--seeds", 2, "--json"
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [(r["dataset"], r["strategy"], r["seed"]) for r in rows] == [
        ("task", m, s) for m in ("random", "coda") for s in (0, 1, None)
    ]
    assert rows[2]["ours"] == pytest.approx((rows[0]["ours"] + rows[1]["ours"]) / 2)
    assert rows[2]["verdict"] == "not published"


def test_reproduce_names_what_is_there(file):
    for words, said in (
        (("--datasets", "pacs"), "there are no predictions of 'pacs'"),
        (("--strategies", "margin"), "no column 'margin'"),
        (("--data", "nowhere"), "there is no folder nowhere"),
    ):
        result = run("reproduce", "coda-table3", "--data", file.parent, *words)
        assert result.exit_code == 2
        assert said in result.output


@pytest.mark.parametrize("table", ["1", "3", "4"])
def test_the_published_tables_for_coda(reference, table):
    words = ("--data", reference, "--datasets", "mrpc", "--strategies", "coda", "--seeds", 1, "--json")
    rows = json.loads(run("reproduce", f"coda-table{table}", *words).stdout)["rows"]
    means = [r for r in rows if r["seed"] is None]
    assert [r["verdict"] for r in means] == ["same"]


def test_table_5_as_a_table(reference):
    result = run("reproduce", "coda-table5", "--data", reference)
    assert result.stdout.count("same") == 6
    assert "needs probabilities" in result.stdout


def test_all_26_tasks_are_there_with_their_published_values():
    values = published()
    assert len({task for table, task, _ in values if table == "1"}) == 26
    assert values["1", "cola", "coda"] == Value(2226.7, 0.0)
    assert values["5", "painting->real", "entropy"] == Value(3.3, None)


@pytest.mark.parametrize(
    ("mean", "sd", "there", "said"),
    [
        (57.89, 0.0, Value(57.9, 0.0), "same"),
        (57.8, 0.0, Value(57.9, 0.0), "differs"),
        (110.0, 40.0, Value(120.0, 40.0), "within noise"),
        (220.0, 40.0, Value(120.0, 40.0), "differs"),
        (1.0, None, None, "not published"),
    ],
)
def test_verdicts(mean, sd, there, said):
    assert verdict(mean, sd, 5, there) == said
