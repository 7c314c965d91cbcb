"""Journals damaged in every way: the rounds before the damage are used, and the run ends as if nothing had been."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import plugins
from alcore.cli import main
from alcore.execute import execute
from alcore.plan import plan
from alcore.results import Run, canonical, record_to_json
from alcore.store import Store

ROUNDS = 5


@pytest.fixture
def run(make_experiment: Any) -> Run:
    return plan(make_experiment(strategies=["margin"], seeds=1, budget=ROUNDS), plugins.loaded().registry)[0]


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Store:
    """A store with the whole journal of a run that has not ended, and the result of another."""
    store = Store(tmp_path / "store", create=True)
    with store.journal(run) as journal:
        journal.begin(run)
        execute(run, keep=journal.add)
    other = Run(dict(run.config) | {"seed": 1})
    store.write(other, execute(other))
    return store


def path(store: Store) -> Path:
    (file,) = (store.path / "_journal").iterdir()
    return file


def lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def joined(parts: list[bytes]) -> bytes:
    return b"".join(part + b"\n" for part in parts)


def middle(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Change the line of round 2."""
    return lambda data: joined([*lines(data)[:3], change(lines(data)[3]), *lines(data)[4:]])


HARMS: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "garbage": (middle(lambda line: np.random.default_rng(0).bytes(50).replace(b"\n", b"")), 2),
    "NUL": (middle(lambda line: b"\0" * len(line)), 2),
    "an empty line": (middle(lambda line: b""), 2),
    "no JSON": (middle(lambda line: b"{" + line), 2),
    "JSON of another shape": (middle(lambda line: b"[1, 2]"), 2),
    "no UTF-8": (middle(lambda line: b"\xff" + line), 2),
    "a digit": (middle(lambda line: line.replace(b'"rows": [', b'"rows": [1')), 2),
    "a checksum": (middle(lambda line: line[:-1] + (b"1" if line[-1:] == b"0" else b"0")), 2),
    "a line lost": (lambda data: joined([*lines(data)[:3], *lines(data)[4:]]), 2),
    "a line doubled": (lambda data: joined([*lines(data)[:4], *lines(data)[3:]]), 3),
    "lines swapped": (
        lambda data: joined([*lines(data)[:2], lines(data)[3], lines(data)[2], *lines(data)[4:]]), 1
    ),
    "two lines in one": (lambda data: data.replace(b"\n", b"", 4).replace(b"}\t", b"}\t", 1), 0),
    "the first line": (lambda data: b"garbage\n" + data.partition(b"\n")[2], 0),
    "all of it": (lambda data: np.random.default_rng(1).bytes(len(data)) + b"\n", 0),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARMS)
def test_the_rounds_before_the_damage_are_used(harm: str, store: Store, run: Run) -> None:
    change, left = HARMS[harm]
    file, whole = path(store), store.progress(run)
    assert len(whole) == ROUNDS + 1
    file.write_bytes(change(file.read_bytes()))
    back = store.progress(run)
    assert [record_to_json(record) for record in back] == [record_to_json(record) for record in whole[:left]]
    assert [one.file for one in store.damaged()] == [file]

    shown = CliRunner().invoke(main, ["status", str(store.path)])
    assert shown.exit_code == 0, shown.exception
    assert "1 run, 1 completed" in shown.stdout
    assert file.name in shown.stdout
    assert CliRunner().invoke(main, ["table", str(store.path)]).stderr == ""  # no result is lacking

    assert CliRunner().invoke(main, ["repair", str(store.path), "--yes"]).exit_code == 0
    assert store.damaged() == []
    assert len(store.progress(run)) == left  # what was whole is still there
    assert (store.path / "_damaged" / file.name).exists()

    result = execute(run, replay=store.progress(run))
    asked = [record.rows.tolist() for record in [*store.progress(run), *result.records][-ROUNDS - 1 :]]
    assert asked == [record.rows.tolist() for record in whole]
    store.write(run, result)
    assert len(store.ids()) == 2


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "another round": {"t": 7},
    "a round that is text": {"t": "2"},
    "rows that were labelled": {"rows": None},
    "a row below zero": {"rows": [-1]},
    "too many labels": {"labels": [0, 1]},
    "another count": {"n": 99},
    "a metric that is text": {"metrics": {"accuracy": "good"}},
    "metrics that are a list": {"metrics": [1]},
    "a clock lacking": {"times": [0.1, 0.2, 0.3]},
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_rounds_that_contradict_each_other(what: str, store: Store, run: Run) -> None:
    whole = store.progress(run)
    values = [record_to_json(record) for record in whole]
    new = CONTRADICTIONS[what]
    values[2] |= {key: values[0]["rows"][:1] if value is None else value for key, value in new.items()}
    text = "\n".join([canonical(run.config), *map(json.dumps, values)]) + "\n"  # as before there were checksums
    path(store).write_text(text)
    assert len(store.progress(run)) == 2
    assert "line 4 is damaged" in store.damaged()[0].why


def test_a_journal_without_checksums_is_read(store: Store, run: Run) -> None:
    values = [record_to_json(record) for record in store.progress(run)]
    path(store).write_text("\n".join([canonical(run.config), *map(json.dumps, values)]) + "\n")
    assert len(store.progress(run)) == ROUNDS + 1
    assert store.damaged() == []


def test_a_line_that_was_cut_short_is_no_damage(store: Store, run: Run) -> None:
    file = path(store)
    data = file.read_bytes()
    for cut in (1, 20, len(data) // 2, len(data) - 5, len(data)):
        file.write_bytes(data[:-cut])
        assert store.damaged() == []
        assert len(store.progress(run)) <= ROUNDS


def test_every_changed_byte_of_a_journal_is_seen_or_ends_it(store: Store, run: Run) -> None:
    file, whole = path(store), store.progress(run)
    data, chance = file.read_bytes(), np.random.default_rng(3)
    values = [record_to_json(record) for record in whole]
    for at in range(0, len(data), 17):
        changed = bytearray(data)
        changed[at] ^= int(chance.integers(1, 256))
        file.write_bytes(bytes(changed))
        back = [record_to_json(record) for record in store.progress(run)]
        assert back == values[: len(back)]
        assert len(back) < len(values)


@pytest.mark.parametrize("how", ["folder", "dangling link", "loop", "journals are a file", "journals are a loop"])
def test_what_is_no_file(how: str, store: Store, run: Run) -> None:
    file, folder = path(store), store.path / "_journal"
    shutil.rmtree(folder)
    if how.startswith("journals"):
        bad = folder
        folder.write_text("") if how.endswith("file") else folder.symlink_to("_journal")
    else:
        folder.mkdir()
        bad = file
        file.mkdir() if how == "folder" else file.symlink_to("nowhere" if how == "dangling link" else file.name)
    assert [one.file for one in store.damaged()] == [bad]
    assert store.progress(run) == []
    assert CliRunner().invoke(main, ["repair", str(store.path), "--yes"]).exit_code == 0
    assert store.damaged() == []
    store.write(run, execute(run))
    with store.journal(run) as journal:
        journal.begin(run)
