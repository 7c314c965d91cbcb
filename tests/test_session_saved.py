"""A session that is saved goes on as if it had never stopped; one that is corrected, as if it had been right before."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore.errors import InputError, StorageError, StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.session import Session
from alcore.types import Labels, Rows
from alcore.view import View

X = np.random.default_rng(5).normal(size=(50, 2))
Y = np.where(X @ [1.0, 0.5] > 0, "yes", "no").tolist()
NO, YES = Y.index("no"), Y.index("yes")


class KCenter:
    """The rows farthest from those labelled as yes, or labelled at all; keeps what it needs for that."""

    def __init__(self, only: int | None = None) -> None:
        self.only = only

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.X = pool.features
        self.distance = rng.uniform(10.0, 20.0, size=len(pool))

    def update(self, rows: Rows, labels: Labels) -> None:
        for row in rows[[self.only is None or label == self.only for label in labels]]:
            self.distance = np.minimum(self.distance, np.linalg.norm(self.X - self.X[row], axis=1))

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.distance[view.unlabeled], n)


@alcore.strategy("toy.counter", summary="Its state is made by its queries", learner=False, resumable=False)
class Counter:
    """Takes every second row, from an offset that grows with each query."""

    def __init__(self) -> None:
        self.queries = 0

    def query(self, view: View, n: int) -> Rows:
        self.queries += 1
        return np.roll(view.unlabeled, 7 * self.queries**2)[:n]


KINDS: dict[str, dict[str, Any]] = {
    "margin": {"strategy": "margin", "learner": "logistic-regression"},
    "forest": {"strategy": "margin", "learner": RandomForestClassifier(n_estimators=3, max_depth=2)},
    "random": {"strategy": "random", "learner": GaussianNB()},
    "k-center": {"strategy": KCenter(), "learner": GaussianNB()},
    "k-center of yes": {"strategy": KCenter(only=1), "learner": GaussianNB()},
    "counter": {"strategy": Counter, "learner": GaussianNB()},
    "fitted": {"strategy": "margin", "learner": Recipe(LogisticRegression().fit(X, Y), prefit=True)},
}


def made(kind: str, **more: Any) -> Session:
    return Session(X, classes=["no", "yes"], **(KINDS[kind] | more))


def begun(kind: str, **more: Any) -> Session:
    """A session in the midst of work: rows are told, pending, skipped and given back."""
    session = made(kind, seed=11, **more)
    session.tell([NO, YES], ["no", "yes"])
    rows = session.ask(6)
    session.tell(rows[[4, 1]], [Y[row] for row in rows[[4, 1]]])
    session.skip(rows[0])
    session.ask(2)
    session.release(rows[2])
    return session


def rest(session: Session) -> list[Any]:
    """What the session goes on to do."""
    told: list[Any] = [session.predict(X), session.pending.tolist(), session.skipped.tolist(), session.labeled.tolist()]
    for _ in range(3):
        rows = session.ask(4)
        told.append(rows.tolist())
        session.tell(rows[:3], [Y[row] for row in rows[:3]])
    return [*told, session.predict(X)]


def loaded(path: Path, kind: str, **more: Any) -> Session:
    return Session.load(path, **({"X": X} | KINDS[kind] | more))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What saved sessions go on to do in a process of their own, by kind."""
    folder = tmp_path_factory.mktemp("saved")
    for kind in KINDS:
        begun(kind).save(folder / kind)
    done = subprocess.run([sys.executable, __file__, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_process_goes_on(kind: str, elsewhere: Any) -> None:
    assert elsewhere[kind] == rest(begun(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_saving_leaves_the_session_as_it_was(kind: str, tmp_path: Path) -> None:
    session = begun(kind)
    session.save(tmp_path / "s")
    assert rest(session) == rest(begun(kind))


def test_a_session_without_a_label_goes_on(tmp_path: Path) -> None:
    session = made("margin", cold_start=None)
    session.save(tmp_path / "s")
    with pytest.raises(InputError, match="cold_start"):  # saved as None, so it stays None
        loaded(tmp_path / "s", "margin").ask()
    made("margin").save(tmp_path / "s")
    assert loaded(tmp_path / "s", "margin").ask(5).tolist() == made("margin").ask(5).tolist()


@pytest.mark.parametrize("given", [{"cold_start": KCenter()}, {"features": np.asarray}])
def test_objects_are_given_again(given: dict[str, Any], tmp_path: Path) -> None:
    (name,) = given
    made("margin", **given).save(tmp_path / "s")
    with pytest.raises(InputError, match=f"was saved with {name}=.*; give {name} again"):
        loaded(tmp_path / "s", "margin")
    assert loaded(tmp_path / "s", "margin", **given).ask(5).tolist() == made("margin", **given).ask(5).tolist()


def test_the_features_are_those_it_was_saved_with(tmp_path: Path) -> None:
    made("k-center", features="raw").save(tmp_path / "s")
    assert np.array_equal(loaded(tmp_path / "s", "k-center").pool.features, X)


def test_settings_are_saved(tmp_path: Path) -> None:
    begun("margin", ties="first").save(tmp_path / "s")
    about = json.loads((tmp_path / "s").read_text())
    assert (about["seed"], about["ties"], about["classes"]) == (11, "first", ["no", "yes"])
    assert loaded(tmp_path / "s", "margin").seed == 11


@pytest.mark.parametrize("task", ["regression", "multilabel"])
def test_other_tasks_are_saved(task: str, tmp_path: Path) -> None:
    y: Any = X[:, 0] / 3 if task == "regression" else (X > 0).astype(int)
    learner = "ridge" if task == "regression" else "gaussian-nb"
    classes = () if task == "regression" else ["a", "b"]
    session = Session(X, strategy="random", learner=learner, task=task, classes=classes)
    session.tell(range(30), y[:30])
    session.save(str(tmp_path / "s"))
    again = Session.load(str(tmp_path / "s"), X, strategy="random", learner=learner)
    assert again.y == y[:30].tolist()
    assert again.predict(X) == session.predict(X)


@pytest.mark.parametrize("classes", [[False, True], [3, 7], [0.5, 1.5], np.array(["nö", 'y"es'])], ids=str)
def test_classes_are_saved_as_they_are(classes: Any, tmp_path: Path) -> None:
    session = Session(X, strategy="random", learner=GaussianNB(), classes=classes)
    session.tell([0, 1], list(classes))
    session.save(tmp_path / "s")
    assert loaded(tmp_path / "s", "random").y == list(classes)


@pytest.mark.parametrize("classes", [[b"no", b"yes"], [(1, 2), (3, 4)], pd.to_datetime(["2020-01-01", "2021-01-01"])])
def test_classes_that_cannot_be_saved(classes: Any, tmp_path: Path) -> None:
    session = Session(X, strategy="random", learner=GaussianNB(), classes=classes)
    with pytest.raises(InputError, match="cannot be saved as JSON; use strings or numbers as classes"):
        session.save(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "rows", [X + 1e-9, X[:49], X[::-1], pd.DataFrame(X), sparse.csr_array(X)], ids=lambda x: str(type(x))
)
def test_other_rows_are_refused(rows: Any, tmp_path: Path) -> None:
    begun("margin").save(tmp_path / "s")
    with pytest.raises(InputError, match=r"X is not the one that .* was saved with; rows are positions in that X"):
        loaded(tmp_path / "s", "margin", X=rows)


def test_equal_rows_are_taken(tmp_path: Path) -> None:
    begun("margin").save(tmp_path / "s")
    assert loaded(tmp_path / "s", "margin", X=X.copy(order="F")).n_labeled == 4


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"", "is no saved session"),
        (b'{"format": 1, "data"', "is no saved session"),
        (b"\xff\xfe\x00", "is no saved session"),
        (b"[1, 2]", "is no saved session: it has no format"),
        (b'{"name": "something else"}', "is no saved session: it has no format"),
        (b'{"format": 99, "events": 5}', "has format 99; this alcore reads 1 and 2"),
        (b'{"format": 1, "events": []}', "is damaged: it has no 'data'"),
    ],
)
def test_a_file_that_is_no_session(text: bytes, match: str, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(text)
    with pytest.raises(InputError, match=match):
        loaded(tmp_path / "s", "margin")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no saved session: .*No such file"):
        loaded(tmp_path / "s", "margin")


@pytest.mark.parametrize(
    "event",
    [
        ["forget", [1], None],
        ["ask", [50], None],
        ["ask", "all", None],
        ["tell", [1]],
        ["tell", [1], [2]],
        ["tell", [1], []],
    ],
    ids=str,
)
def test_a_damaged_event(event: Any, tmp_path: Path) -> None:
    begun("margin").save(tmp_path / "s")
    about = json.loads((tmp_path / "s").read_text())
    (tmp_path / "s").write_text(json.dumps(about | {"events": [*about["events"], event]}))
    with pytest.raises(InputError, match="s is damaged: "):
        loaded(tmp_path / "s", "margin")


def test_saving_replaces_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begun("margin")
    session.save(tmp_path / "s")
    before = (tmp_path / "s").read_text()
    session.ask(3)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match=r"s: No space left on device. Free space there, and save again"):
            session.save(tmp_path / "s")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert (tmp_path / "s").read_text() == before
    session.save(tmp_path / "s")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert (tmp_path / "s").read_text() != before


@pytest.mark.parametrize("kind", ["margin", "k-center", "k-center of yes"])
def test_relabelling_is_as_if_told_so(kind: str) -> None:
    rows = [NO, YES, 20, 21, 22, 23]
    wrong = ["yes" if row == NO else Y[row] for row in rows]
    session, right, left = made(kind), made(kind), made(kind)
    session.tell(rows, wrong)
    right.tell(rows, [Y[row] for row in rows])
    left.tell(rows, wrong)
    session.relabel(NO, "no")
    assert session.y == right.y
    assert rest(session) == rest(right)
    assert rest(left) != rest(right)


def test_relabelling_in_the_midst_of_work() -> None:
    session, other = begun("k-center of yes"), begun("k-center of yes")
    flipped = {row: {"no": "yes", "yes": "no"}[label] for row, label in zip(other.labeled, other.y, strict=True)}
    session.relabel(session.labeled, list(flipped.values()))
    assert session.y == list(flipped.values())
    session.relabel(session.labeled[::-1], other.y[::-1])
    assert rest(session) == rest(other)


def test_a_relabelling_is_saved(tmp_path: Path) -> None:
    session = begun("margin")
    session.relabel(YES, "no")
    session.save(tmp_path / "s")
    assert rest(loaded(tmp_path / "s", "margin")) == rest(session)


@pytest.mark.parametrize("kind", ["forest", "k-center of yes"])
def test_taking_a_label_back_is_as_if_it_was_never_told(kind: str) -> None:
    session, other = begun(kind), begun(kind)
    before = rest(other)
    session.tell([30, 31], ["no", "yes"])
    session.tell(session.pending[0], "yes")
    session.untell([30, 31, int(session.labeled[-1])])
    assert rest(session) == before


def test_a_row_whose_label_was_taken_back_is_asked_again() -> None:
    session = made("margin")
    session.tell(range(50), Y)
    session.untell([7, 3])
    assert sorted(session.ask(5)) == [3, 7]


def test_models_follow_a_relabelling() -> None:
    session = made("margin", learner=LogisticRegression())
    session.tell(range(50), Y)
    session.relabel(range(50), ["no" if label == "yes" else "yes" for label in Y])
    swapped = LogisticRegression().fit(X, np.array(Y) == "no").predict(X)
    assert session.predict(X) == ["yes" if code else "no" for code in swapped]


def test_a_strategy_that_fails_to_take_up_its_past(tmp_path: Path) -> None:
    class Broken(KCenter):
        def update(self, rows: Rows, labels: Labels) -> None:
            raise OSError("gone")

    begun("k-center").save(tmp_path / "s")
    with pytest.raises(StrategyError, match="Broken failed in update"):
        loaded(tmp_path / "s", "k-center", strategy=Broken())


if __name__ == "__main__":
    saved = {kind: loaded(Path(sys.argv[1]) / kind, kind) for kind in KINDS}
    print(json.dumps({kind: rest(session) for kind, session in saved.items()}))
