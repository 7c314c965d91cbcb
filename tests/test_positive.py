"""Which class is the positive one: said by its label in TOML and in Python, refused before a run where it is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import alcore
from alcore import experiment, plugins
from alcore.errors import InputError, PairingError
from alcore.execute import execute
from alcore.experiment import ExperimentError
from alcore.plan import plan
from alcore.positive import bound
from alcore.rescore import plan_rescore, rescore
from alcore.results import Run
from alcore.store import Store

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=120) > 1.1, "many", np.where(X[:, 1] > 0.6, "rare", "other"))
TWO = np.where(X[:, 0] > 1.2, "a-yes", "no")  # the rare class is the first by the alphabet


def run_of(y: Any, metrics: Any) -> alcore.Finished:
    return alcore.simulate(X, y, strategy="random", learner="gaussian-nb", budget=5, seed=1, metrics=metrics)


def test_a_label_chooses_the_class_in_python():
    yes, no, default = (run_of(TWO, [m]).curve.values for m in ({"name": "f1", "positive": "a-yes"}, {"name": "f1", "positive": "no"}, "f1"))  # fmt: skip # noqa: E501
    assert np.array_equal(no, default)  # the second, as for all metrics of two classes
    assert not np.array_equal(yes, default)


@pytest.mark.parametrize("name", ["f1", "recall", "precision"])
def test_it_is_scikit_learns_pos_label(name):
    seen: list[tuple[Any, Any]] = []

    def spy(scored: alcore.Scored) -> float:
        seen.append((scored.y, scored.pred))
        return 0.0

    run_of(TWO, {"spy": spy})
    found = run_of(TWO, {"name": name, "positive": "a-yes"}).curve.values
    score = getattr(sk, f"{name}_score")
    assert found == pytest.approx([score(y, pred, pos_label=0, zero_division=0) for y, pred in seen])


def test_one_class_of_many_and_the_mean_of_all():
    run = run_of(
        Y, [{"name": "recall", "positive": "rare"}, {"name": "recall", "average": "macro"}, "balanced-accuracy"]
    )
    assert list(run.records[0].metrics) == ["recall(positive=rare)", "recall(average=macro)", "balanced-accuracy"]
    last = run.records[-1].metrics
    assert last["recall(average=macro)"] == pytest.approx(last["balanced-accuracy"])


@pytest.mark.parametrize(
    ("metrics", "error", "says"),
    [
        (
            {"name": "f1", "positive": "yes"},
            InputError,
            "positive is 'yes', which is none of the classes 'a-yes', 'no'",
        ),
        ({"name": "recall", "average": "micro"}, InputError, "average is 'micro'; use \"macro\""),
        ({"name": "recall", "average": "macro", "positive": "no"}, InputError, "give one of them"),
        ({"name": "recall", "positiv": "no"}, InputError, "recall has no parameter 'positiv'"),
        ({"name": "accuracy", "positive": "no"}, InputError, "accuracy has no parameter 'positive'"),
        (["f1", "f1"], InputError, "metrics has 'f1' twice"),
        ([3], InputError, "metrics: give a name, or a table with one"),
    ],
)
def test_what_is_wrong_is_refused_before_the_run(metrics, error, says):
    with pytest.raises(error, match=says):
        run_of(TWO, metrics)


def test_more_than_two_classes_without_one_that_counts():
    with pytest.raises(
        PairingError, match=r'takes 2 classes; this pool has 3\. Say which one counts, as in positive = "yes"'
    ):
        run_of(Y, "recall")


def test_types_tell_apart():
    spec = plugins.loaded().registry.entry("metric", "f1").spec
    assert bound(spec, {"positive": 3}, (1, 3)) == {"positive": 1}
    assert bound(spec, {}, (1, 3)) == {}
    with pytest.raises(InputError, match="positive is '3', which is none of the classes 1, 3"):
        bound(spec, {"positive": "3"}, (1, 3))


# --- in experiments ---------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = ["a,b,c,bought", *(",".join([*map(str, row), str(label)]) for row, label in zip(X, TWO, strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    return tmp_path


def planned(folder: Path, metric: str) -> list[Run]:
    (folder / "e.toml").write_text(
        f"""name = "e"
datasets = [{{name = "file", path = "data.csv", target = "bought"}}]
strategies = ["random"]
learners = ["gaussian-nb"]
seeds = 1
budget = 4
metrics.round = [{metric}]
"""
    )
    loaded = plugins.loaded()
    return plan(experiment.load(folder / "e.toml", loaded), loaded.registry)


def test_a_label_chooses_the_class_in_toml(table):
    (run,) = planned(table, '"f1", {name = "f1", positive = "a-yes"}, {name = "average-precision", positive = "a-yes"}')
    result = execute(run)
    assert result.status == "completed", result.reason
    last = result.records[-1].metrics
    assert list(last) == ["f1", "f1(positive=a-yes)", "average-precision(positive=a-yes)"]
    assert last["f1"] != last["f1(positive=a-yes)"]


def test_an_unknown_label_is_refused_when_the_run_is_planned(table):
    with pytest.raises(ExperimentError, match="none of the classes 'a-yes', 'no'"):
        planned(table, '{name = "f1", positive = "yes"}')


def test_rescoring_takes_the_label_too(table, tmp_path):
    (run,) = planned(table, '"f1"')
    store = Store(tmp_path / "store", create=True)
    store.write(run, execute(run))
    work = plan_rescore(store, plugins.loaded().registry, metrics=["recall(positive=a-yes)"])
    rescore(work, store, jobs=1)
    records = store.records([made.id for made in work.runs])
    assert records["recall(positive=a-yes)"].notna().all()
    wrong = plan_rescore(store, plugins.loaded().registry, metrics=["recall(positive=yes)"])
    assert not wrong.runs
    assert "none of the classes" in next(iter(wrong.left_out))
