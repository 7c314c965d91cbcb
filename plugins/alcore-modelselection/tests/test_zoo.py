"""Tasks made from data sets, and the study that runs on them."""

from __future__ import annotations

import numpy as np
import pytest

from alcore.errors import InputError
from alcore_modelselection import study, zoo


@pytest.fixture
def data(monkeypatch):
    monkeypatch.setattr(zoo, "SETTINGS", [zoo.SETTINGS[3], zoo.SETTINGS[10], zoo.SETTINGS[20]])
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=1500)
    X = rng.normal(size=(1500, 4)) + y[:, None]
    X[5, 1] = np.nan
    return X, np.array(["a", "b", "c"])[y]


def test_models_of_every_size_predict_rows_they_were_not_trained_on(data):
    task = zoo.make_task(*data)
    assert (task.n_models, task.n_rows, task.n_classes) == (9, 750, 3)
    accuracy = (task.hard == task.labels).mean(axis=1)
    assert accuracy.max() > 0.7
    assert accuracy.max() < 1.0
    assert task.fingerprint == zoo.make_task(*data).fingerprint
    assert task.fingerprint != zoo.make_task(*data, seed=1).fingerprint


def test_imbalance_thins_the_other_classes_out(data):
    task = zoo.make_task(*data, condition="imbalanced")
    assert np.bincount(task.labels).max() / task.n_rows == pytest.approx(0.9, abs=0.01)
    assert len(np.unique(task.labels)) == 3


def test_biased_models_favour_the_most_common_class(data):
    task = zoo.make_task(*data, condition="biased")
    common = np.bincount(np.unique(data[1], return_inverse=True)[1]).argmax()
    share = (task.hard == common).mean(axis=1)
    biased = np.array(["biased" in name or name.startswith("always") for name in task.models])
    assert share[biased].mean() > share[~biased].mean() + 0.2
    assert task.models[-1] == "always-the-most-common"
    assert share[-1] == 1.0


def test_the_callers_features_stay_as_they_are(data):
    kept = data[0].copy()
    zoo.make_task(*data)
    np.testing.assert_array_equal(data[0], kept)


@pytest.mark.parametrize(
    ("rows", "classes", "condition", "words"),
    [(100, 2, "plain", "needs 800 rows"), (900, 1, "plain", "two classes"), (900, 2, "hard", "use one of plain")],
)
def test_what_makes_no_task(rows, classes, condition, words):
    with pytest.raises(InputError, match=words):
        zoo.make_task(np.zeros((rows, 2)), np.arange(rows) % classes, condition=condition)


def test_the_study_has_a_row_per_method(monkeypatch, data):
    class Registry:
        def build(self, kind, name):
            return type("Data", (), {"X": data[0], "y": data[1]})

    monkeypatch.setattr(study, "loaded", lambda: type("Plugins", (), {"registry": Registry()}))
    rows = study.run("toy", "biased", 2, labels=10)
    assert [row["strategy"] for row in rows] == list(study.METHODS)
    assert all(0 <= row["mean"] <= 1000 for row in rows)
    columns, table = study.summary(rows)
    assert len(table[0]) == len(columns) == 10
    assert "*" in "".join(table[0])
