"""Set-ups whose numbers mean little: each is a warning by name, in Python, in the store and where a store is shown."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import alcore
from alcore import experiment, plugins
from alcore.cli import main
from alcore.doubts import (
    IdTargetWarning,
    SetupWarning,
    SingleRowWarning,
    UnseenClassWarning,
    UntestedClassWarning,
    WholePoolWarning,
    doubts,
)
from alcore.execute import execute
from alcore.plan import plan
from alcore.store import Store
from alcore.types import Task

X = np.random.default_rng(0).normal(size=(150, 3))
HALVES = [0, 1] * 75
RARE = [0, 1] * 73 + [2, 3, 4, 5]
THREE = np.array([0, 1] * 72 + [2] * 6)
HOW = {"strategy": "random", "learner": "gaussian-nb", "budget": 2}


@pytest.mark.parametrize(
    ("y", "more", "kind", "says"),
    [
        (HALVES, {"start": 200}, WholePoolWarning, "takes all 90 rows of the pool"),
        (list(range(150)), {"task": "classification"}, IdTargetWarning, "150 classes in 150 rows"),
        (
            [f"id-{i // 2}" if i % 2 else f"x{i}" for i in range(150)],
            {"task": "classification"},
            IdTargetWarning,
            "looks like an id",
        ),
        (RARE, {}, SingleRowWarning, "4 of 6 classes have a single row"),
        (
            THREE[:144],
            {"test": (X, THREE), "X": X[:144], "classes": [0, 1, 2]},
            UnseenClassWarning,
            "1 of 3 classes are",
        ),
        (THREE, {"test": (X[:144], THREE[:144])}, UntestedClassWarning, "have no row in the test set of 144"),
    ],
    ids=["whole pool", "id", "id of pairs", "single rows", "unseen", "untested"],
)
def test_simulate_warns_by_name(y, more, kind, says):
    given = dict(more)
    rows = given.pop("X", X)
    with warnings.catch_warnings(record=True) as every:
        warnings.simplefilter("always")
        alcore.simulate(rows, y, **HOW, **given)
    caught = [w for w in every if issubclass(w.category, SetupWarning)]
    assert [w.category for w in caught] == [kind]
    assert says in str(caught[0].message)
    assert caught[0].filename == __file__


def test_what_means_something_is_quiet():
    codes = np.array(HALVES)
    assert doubts(Task.CLASSIFICATION, 2, codes[:90], codes[90:], 20, None) == []
    assert doubts(Task.CLASSIFICATION, 2, codes[:90], codes[90:], 90, 0) == []  # one fit to all was asked for
    assert doubts(Task.CLASSIFICATION, 5, codes[:90], codes[90:], 0, 5) == []  # classes that nobody has
    assert doubts(Task.CLASSIFICATION, 1, codes[:90:2], codes[90::2], 2, 5) == []
    assert doubts(Task.REGRESSION, 0, X[:90, 0], X[90:, 0], 20, None) == []
    assert doubts(Task.MULTILABEL, 3, X[:90] > 0, X[90:] > 0, 20, None) == []


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doubts")
    lines = ["a,b,c,y", *(",".join([*map(str, row), f"n{label}"]) for row, label in zip(X, HALVES, strict=True))]
    (folder / "data.csv").write_text("\n".join(lines))
    raw = {
        "name": "e", "datasets": [{"name": "file", "path": str(folder / "data.csv"), "target": "y"}],
        "strategies": ["random", "margin"], "learners": ["gaussian-nb"], "seeds": 2, "start": {"size": 200},
    }  # fmt: skip
    registry = plugins.loaded().registry
    made = Store(folder / "store", create=True)
    for run in plan(experiment.parse(raw, registry), registry):
        made.write(run, execute(run))
    return made.path


def test_they_are_kept_with_the_run(store):
    (found, *_) = (Store(store).about(run)["warnings"] for run in sorted(Store(store).ids()))
    assert found[0].startswith("WholePoolWarning: the start set takes all 90 rows")


def test_status_shows_them_by_name(store):
    result = CliRunner().invoke(main, ["status", str(store)])
    assert "WholePoolWarning in 4 runs: the start set takes all 90 rows of the pool" in result.stderr
    (told,) = json.loads(CliRunner().invoke(main, ["status", str(store), "--json"]).stdout)["doubts"]
    assert (told["name"], told["runs"]) == ("WholePoolWarning", 4)
