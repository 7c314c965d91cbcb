"""Session files mutated in every way: alcore's own error, which names the file and the way out, or an equal session."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alcore.errors import InputError
from alcore.session import Session

X = np.random.default_rng(5).normal(size=(30, 2))
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**30, -(10**30), 1e308, float("nan"), float("inf"), 0.5, "", "x", "ask", "\0",
    "\ud800", [], [0], [[]], [None], {}, {"a": 1}, {"object": "x"}, {"object": 3}, [[0, 1]], [["ask", [3], None]],
)  # fmt: skip
"""Each of JSON's types, and what is odd in it."""


def begun(task: str) -> Session:
    """A session in the midst of work."""
    learner = "ridge" if task == "regression" else "gaussian-nb"
    classes = {"classification": ["no", "yes", "perhaps"], "multilabel": ["a", "b"], "regression": ()}[task]
    session = Session(X, strategy="random", learner=learner, task=task, classes=classes, seed=3)
    label: Callable[[int], Any] = {
        "classification": lambda row: classes[row % 3],
        "multilabel": lambda row: [row % 2, 1],
        "regression": lambda row: row / 7,
    }[task]
    for _ in range(2):
        rows = session.ask(4).tolist()
        session.tell(rows[:2], [label(row) for row in rows[:2]])
        session.skip(rows[2])
    session.release(session.skipped[0])
    session.untell(session.labeled[0])
    return session


def state(session: Session) -> list[Any]:
    return [
        session.labeled.tolist(), session.y, session.pending.tolist(), session.skipped.tolist(), session.seed,
        list(session.pool.classes), session._ties, session._given, session._events, str(session.pool.task),
    ]  # fmt: skip


TASKS = ("classification", "multilabel", "regression")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, list[Any]]]:
    """What the files are, and what they hold."""
    folder = tmp_path_factory.mktemp("sessions")
    found = {}
    for task in TASKS:
        session = begun(task)
        session.save(folder / task)
        found[task] = (folder / task).read_bytes(), state(session)
    return found


def load(path: Path, task: str) -> list[Any]:
    learner = "ridge" if task == "regression" else "gaussian-nb"
    return state(Session.load(path, X, strategy="random", learner=learner))


def outcome(path: Path, data: bytes, task: str) -> list[Any] | None:
    """The state that mutated bytes load as, or None where they are refused by name."""
    path.write_bytes(data)
    try:
        return load(path, task)
    except InputError as error:
        told = str(error)
    assert str(path) in told
    assert len(told) < 600, told
    return None


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value is in JSON."""
    found = [at] if at else []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += places(value[key], (*at, key))
    return found


def put(value: Any, at: tuple[Any, ...], new: Any) -> None:
    for key in at[:-1]:
        value = value[key]
    value[at[-1]] = new


def mutated(data: bytes, chance: np.random.Generator) -> bytes:
    """One byte, bit or block of bytes changed, lost or doubled."""
    at, end = sorted(int(one) for one in chance.integers(0, len(data), 2))
    kind = chance.integers(6)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << int(chance.integers(8)))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + chance.bytes(1) + data[at + 1 :]
    if kind == 2:
        return data[:at]
    if kind == 3:
        return data[:at] + data[end:]
    if kind == 4:
        return data[:end] + data[at:]
    return data[:at] + chance.bytes(8) + data[at + 8 :]


def without_digest(about: Any) -> bytes:
    """A file as it was before it had a digest: only what it says can tell that it is damaged."""
    return json.dumps({key: value for key, value in about.items() if key != "digest"} | {"format": 1}).encode()


def resealed(about: Any) -> bytes:
    """A file with another content and the right digest for it, as no accident makes it."""
    rest = {key: value for key, value in about.items() if key not in ("digest", "format")}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    return json.dumps({"format": 2, "digest": digest} | rest).encode()


LONG = pytest.mark.skipif("ALCORE_FUZZ" not in os.environ, reason="ten seconds; ALCORE_FUZZ=100 runs it")
COUNTS = [100, pytest.param(2000, marks=[pytest.mark.slow, LONG])]


@pytest.mark.parametrize("n", COUNTS)
def test_bytes_that_changed(n: int, saved: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(2026)
    refused = 0
    for number in range(n):
        task = TASKS[number % 3]
        data, was = saved[task]
        new = mutated(data, chance)
        loaded = outcome(tmp_path / "s", new, task)
        assert loaded in (None, was), new
        refused += loaded is None
    assert refused > 0.9 * n


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("sealed", [False, True])
def test_values_that_changed(n: int, sealed: bool, saved: Any, tmp_path: Path) -> None:
    """Where nothing but the content can tell, an impossible content is refused, and no other error is raised."""
    chance = np.random.default_rng(2027)
    for number in range(n):
        task = TASKS[number % 3]
        about = json.loads(saved[task][0])
        spots = [at for at in places(about) if at[0] not in ("format", "digest")]
        put(about, spots[int(chance.integers(len(spots)))], copy.deepcopy(ODD[int(chance.integers(len(ODD)))]))
        loaded = outcome(tmp_path / "s", resealed(about) if sealed else without_digest(about), task)
        if loaded is not None:  # what it says is possible: then it is what was loaded, and can be saved again
            assert [list(event) for event in loaded[8]] == about["events"]


@pytest.mark.parametrize("key", ["data", "task", "classes", "seed", "ties", "cold_start", "features", "events"])
@pytest.mark.parametrize("task", TASKS)
def test_each_value_of_each_type(key: str, task: str, saved: Any, tmp_path: Path) -> None:
    data, was = saved[task]
    for odd in ODD:
        about = json.loads(data)
        right = about[key]
        about[key] = odd
        assert outcome(tmp_path / "s", json.dumps(about).encode(), task) in (None, was)
        loaded = outcome(tmp_path / "s", without_digest(about), task)
        if key in ("data", "task") and odd != right:
            assert loaded is None


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_events_that_were_shuffled_doubled_or_lost(data: Any, saved: Any, tmp_path: Path) -> None:
    task = data.draw(st.sampled_from(TASKS))
    text, was = saved[task]
    about = json.loads(text)
    events = about["events"]
    about["events"] = data.draw(st.lists(st.sampled_from(events), max_size=len(events) + 2))
    assert outcome(tmp_path / "s", json.dumps(about).encode(), task) in (None, was)  # the digest tells
    loaded = outcome(tmp_path / "s", without_digest(about), task)
    if loaded is not None:  # a history that can have been: no row is told twice, or asked while it was out
        told = [row for kind, rows, _ in loaded[8] if kind == "tell" for row in rows]
        assert len(told) == len(set(told)) == len(loaded[0])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda events: [*events, ["tell", [29, 29], [0, 0]]], "has a row more than once"),
        (lambda events: [*events, ["tell", [30], [0]]], "row 30 is outside X, which has rows 0 to 29"),
        (lambda events: [*events, ["ask", [-1], None]], "rows are integers, positions in X"),
        (lambda events: [*events, ["ask", [True], None]], "rows are integers, positions in X"),
        (lambda events: [*events, ["ask", [10**30], None]], "is outside X"),
        (lambda events: [*events, events[1]], "is told, and was told before"),
        (lambda events: [*events, events[0]], "is asked, and was asked, skipped or told before"),
        (lambda events: [*events, ["release", [29], None]], "is released, and is neither pending nor skipped"),
        (lambda events: [["tell", [29], [3]]], "has a label 3, which no row of a classification with 3 classes can"),
        (lambda events: [["tell", [29], [0.0]]], "has a label 0.0"),
        (lambda events: [["tell", [29], [True]]], "has a label True"),
        (lambda events: [["tell", [29], 0]], "has labels 0 for 1 rows"),
        (lambda events: [["ask", [29], [0]]], "has labels, which only tell has"),
        (lambda events: [["tell", [29]]], "none of ask, tell, skip, release with rows and labels"),
        (lambda events: [{"ask": 1}], "none of ask, tell, skip, release"),
        (lambda events: [[["ask"], [1], None]], "none of ask, tell, skip, release"),
    ],
)
def test_events_that_cannot_have_happened(change: Any, why: str, saved: Any, tmp_path: Path) -> None:
    about = json.loads(saved["classification"][0])
    about["events"] = change(about["events"])
    for text in (without_digest(about), resealed(about)):
        (tmp_path / "s").write_bytes(text)
        with pytest.raises(InputError) as caught:
            load(tmp_path / "s", "classification")
        assert why in str(caught.value)
        assert str(caught.value).startswith(f"{tmp_path / 's'} is damaged: event ")
        assert str(caught.value).endswith("Take a copy that is whole, or begin a new session.")


def test_one_label_that_changed_is_seen(saved: Any, tmp_path: Path) -> None:
    about = json.loads(saved["classification"][0])
    codes = next(event for event in about["events"] if event[0] == "tell" and event[2])[2]
    codes[0] = (codes[0] + 1) % 3
    (tmp_path / "s").write_text(json.dumps(about))
    with pytest.raises(InputError, match=r"is damaged: what it says is not what was saved \(its digest differs\)"):
        load(tmp_path / "s", "classification")


@pytest.mark.parametrize("task", TASKS)
def test_files_without_a_digest_are_read(task: str, saved: Any, tmp_path: Path) -> None:
    data, was = saved[task]
    (tmp_path / "s").write_bytes(without_digest(json.loads(data)))
    assert load(tmp_path / "s", task) == was


def test_spaces_and_order_do_not_count(saved: Any, tmp_path: Path) -> None:
    data, was = saved["classification"]
    (tmp_path / "s").write_text(json.dumps(json.loads(data), indent=2, sort_keys=True))
    assert load(tmp_path / "s", "classification") == was


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"format": ' + b"9" * 5000 + b"}", b'{"format": 1e999}', b'{"format": NaN}', b'{"format": true}',
     b'{"format": 2, "format": 1}', b"\xef\xbb\xbf{}", b"null", b"\0" * 100],
    ids=lambda data: str(data[:20]),
)  # fmt: skip
def test_files_of_something_else(data: bytes, tmp_path: Path) -> None:
    assert outcome(tmp_path / "s", data, "classification") is None


def test_a_cold_start_that_is_not_here_is_named(saved: Any, tmp_path: Path) -> None:
    about = json.loads(saved["classification"][0]) | {"cold_start": "nobody.knows"}
    (tmp_path / "s").write_bytes(resealed(about))
    with pytest.raises(InputError, match=r"s was saved with cold_start='nobody.knows': "):
        load(tmp_path / "s", "classification")


@pytest.mark.parametrize("path", ["x" * 300, "a\0b", "."])
def test_paths_that_can_be_no_session(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is no saved session"):
        load(Path(path), "classification")
