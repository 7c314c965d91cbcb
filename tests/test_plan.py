"""Runs are the experiment's combinations; the id of a run changes with what its result depends on, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alcore import plugins
from alcore.dataset import Dataset
from alcore.execute import execute
from alcore.experiment import Experiment, ExperimentError, load, parse
from alcore.plan import plan
from alcore.registry import Registry
from alcore.results import Run, canonical
from alcore.spec import DatasetSpec, LearnerSpec, Spec, StrategySpec
from alcore.types import Task

CLOUDS = {"name": "synthetic.clouds", "n": 30}
SMALL: dict[str, Any] = {
    "name": "small",
    "datasets": [CLOUDS],
    "strategies": ["margin"],
    "learners": ["lda"],
    "seeds": [0],
    "budget": 5,
    "start": {"size": 6},
}
MINE = '''
import alcore

@alcore.scores("mine", summary="My own")
def mine(view):
    """{}"""
    return view.proba.max(axis=1)
'''


@pytest.fixture
def registry() -> Registry:
    """The plugins' registry, to be added to."""
    return plugins.loaded().registry.copy()


@pytest.fixture
def runs(registry: Registry) -> Callable[..., list[Run]]:
    """Plan the small experiment with these keys."""

    def planned(**keys: Any) -> list[Run]:
        return plan(parse(SMALL | keys, registry), registry)

    return planned


def write(path: Path, *rows: str) -> dict[str, Any]:
    """Write a CSV file, and name it as a data set."""
    path.write_text("\n".join(["a,b,y", *rows]), encoding="utf8")
    return {"name": "file", "path": str(path), "target": "y", "label": path.stem}


CLASSES = [f"{i},{i % 4},{'xyz'[i % 3]}" for i in range(12)]
TARGETS = [f"{i},{i % 4},{i / 7}" for i in range(12)]


# --- which runs ------------------------------------------------------------------------------------------------------


def test_seeds_are_outermost(runs):
    found = runs(
        datasets=[CLOUDS | {"label": "a"}, CLOUDS | {"label": "b"}],
        strategies=["random", "margin"],
        learners=["lda", "knn"],
        seeds=[7, 3],
    )
    names = [tuple(run.names[key] for key in ("seed", "dataset", "learner", "strategy")) for run in found]
    assert names == [
        (seed, dataset, learner, strategy)
        for seed in (7, 3)
        for dataset in ("a", "b")
        for learner in ("lda", "knn")
        for strategy in ("random", "margin")
    ]
    assert [run.position for run in found] == list(range(16))


def test_what_is_excluded_is_no_run(runs):
    found = runs(strategies=["random", "entropy"], learners=["lda", "rbf-svm"], seeds=2,
                 exclude=[{"strategies": "entropy", "learners": "rbf-svm"}])  # fmt: skip
    assert {(run.names["strategy"], run.names["learner"]) for run in found} == {
        ("random", "lda"), ("entropy", "lda"), ("random", "rbf-svm"),
    }  # fmt: skip
    assert len(found) == 6


def test_config_is_json_and_says_it_all(runs):
    (run,) = runs(learners=[{"query": "lda", "task": {"name": "knn", "n_neighbors": 3}}])
    config = json.loads(canonical(run.config))
    assert config == run.config
    assert config["strategy"] == {"name": "margin", "label": "margin", "params": {}}
    assert config["learner"]["label"] == "lda->knn(n_neighbors=3)"
    assert config["learner"]["task"] == {
        "name": "knn", "label": "knn(n_neighbors=3)", "params": {"n_neighbors": 3}, "refit": "scratch",
    }  # fmt: skip
    assert config["dataset"]["params"] == {"n": 30}
    assert config["dataset"]["task"] == "classification"
    assert (config["seed"], config["batch"], config["budget"]) == (0, 1, 5)


@pytest.mark.parametrize(
    ("dataset", "learner", "metric"),
    [
        ("synthetic.clouds", "lda", "accuracy"),
        ("synthetic.sinusoid", "ridge", "r2"),
        ("synthetic.multilabel", "lda", "multilabel-f1-macro"),
    ],
)
def test_default_metric_is_that_of_the_task(runs, dataset, learner, metric):
    (run,) = runs(datasets=[{"name": dataset, "n": 30}], strategies=["random"], learners=[learner])
    assert run.config["metrics"] == [{"name": metric, "label": metric, "params": {}}]


# --- what an id depends on -------------------------------------------------------------------------------------------


def test_ids_are_the_same_in_every_process(runs):
    script = (
        "import json, sys; from alcore import plugins\n"
        "from alcore.experiment import parse; from alcore.plan import plan\n"
        "r = plugins.loaded().registry; print(*(run.id for run in plan(parse(json.loads(sys.argv[1]), r), r)))"
    )
    keys = {"learners": [{"name": "knn", "weights": "distance", "n_neighbors": 3}], "seeds": 2}
    told = subprocess.run(
        [sys.executable, "-c", script, json.dumps(SMALL | keys)],
        env=os.environ | {"PYTHONHASHSEED": "4321"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == [run.id for run in runs(**keys)]


def test_ids_do_not_depend_on_the_rest_of_the_experiment(runs):
    alone = {run.id for run in runs()}
    among = {
        run.id: run.position
        for run in runs(
            datasets=[CLOUDS | {"n": 40}, CLOUDS],
            strategies=["random", "margin", "entropy"],
            learners=["knn", "lda"],
            seeds=[4, 0],
        )
    }
    assert alone < among.keys()
    assert among[next(iter(alone))] > 0


def test_ids_do_not_depend_on_the_order_of_parameters(runs):
    one, other = {"n_neighbors": 3, "weights": "distance"}, {"weights": "distance", "n_neighbors": 3}
    assert runs(learners=[{"name": "knn"} | one])[0].id == runs(learners=[{"name": "knn"} | other])[0].id


@pytest.mark.parametrize(
    "keys",
    [
        {"name": "another"},
        {"limits": {"seconds": 5, "retries": 0}},
        {"metrics": {"curve": ["aubc"]}},
        {"metrics": {"round": ["accuracy"]}},  # what is recorded by default
        {
            "exclude": [{"strategies": "margin", "learners": "knn"}],
            "learners": ["lda", "knn"],
            "strategies": ["margin"],
        },
        {"start": {"size": 6, "method": "random"}},  # the default, written out
    ],
    ids=",".join,
)
def test_id_stays_with(runs, keys):
    assert runs(**keys)[0].id == runs()[0].id


CHANGES: dict[str, dict[str, Any]] = {
    "data set": {"datasets": ["synthetic.two-moons"]},
    "parameter of a data set": {"datasets": [CLOUDS | {"n": 31}]},
    "strategy": {"strategies": ["entropy"]},
    "learner": {"learners": ["knn"]},
    "parameter of a learner": {"learners": [{"name": "lda", "shrinkage": 0.5, "label": "lda"}]},
    "query learner": {"learners": [{"query": "knn", "task": "lda", "label": "lda"}]},
    "task learner": {"learners": [{"query": "lda", "task": "knn", "label": "lda"}]},
    "refit": {"learners": [{"name": "gaussian-nb", "refit": "continue", "label": "gaussian-nb"}]},
    "label": {"strategies": [{"name": "margin", "label": "gap"}]},
    "seed": {"seeds": [1]},
    "batch": {"batch": 2},
    "budget": {"budget": 6},
    "budget as a share": {"budget": 0.5},
    "whole budget": {"budget": "all"},
    "ties": {"ties": "first"},
    "features": {"features": "raw"},
    "split": {"split": {"method": "stratified"}},
    "test size": {"split": {"test_size": 0.3}},
    "start": {"start": {"size": 7}},
    "start method": {"start": {"size": 6, "method": "stratified"}},
    "start's classes": {"start": {"size": 6, "classes": "all"}},
    "cold start": {"start": {"size": 6, "cold_start": "random"}},
    "metric": {"metrics": {"round": ["f1-macro"]}},
    "more metrics": {"metrics": {"round": ["accuracy", "f1-macro"]}},
    "stop rule": {"stop": [{"name": "share", "share": 0.5}]},
}


def test_id_changes_with(runs):
    ids = {"nothing": runs()[0].id} | {change: runs(**keys)[0].id for change, keys in CHANGES.items()}
    assert len(set(ids.values())) == len(ids), ids


def test_id_changes_with_the_content_of_a_file(runs, tmp_path):
    def of(*rows: str) -> str:
        return runs(datasets=[write(tmp_path / "d.csv", *rows)])[0].id

    before = of(*CLASSES)
    assert of(*CLASSES) == before
    assert of(*CLASSES[:-1], "11,3.5,z") != before
    assert of(*CLASSES[:-1], "11,3,x") != before


def test_id_changes_with_the_text_of_a_plugin_file(tmp_path):
    file = tmp_path / "mine.py"

    def of(text: str) -> str:
        file.write_text(MINE.format(text), encoding="utf8")
        registry = plugins.with_files(plugins.loaded(), [file])
        return plan(parse(SMALL | {"strategies": ["mine"]}, registry), registry)[0].id

    assert len({of("one"), of("another"), of("one")}) == 2


def with_version(registry: Registry, number: str) -> Registry:
    """Return these entries as of another version of alcore."""
    other = Registry()
    for kind in ("strategy", "learner", "metric", "dataset", "stop-rule"):
        for entry in registry.entries(kind):
            one = number if entry.distribution == "alcore" else entry.version
            other.add([entry.spec], entry.distribution, one)
    return other


def test_a_version_is_recorded_and_changes_no_id(registry):
    def of(number: str) -> Run:
        versioned = with_version(registry, number)
        return plan(parse(SMALL, versioned), versioned)[0]

    assert of("98").config["versions"]["alcore"] == "98"
    assert len({of("98").id, of("99").id}) == 1


def test_exact_reuse_has_the_versions_in_the_id(registry):
    def of(number: str, reuse: str) -> str:
        versioned = with_version(registry, number)
        return plan(parse(SMALL | {"reuse": reuse}, versioned), versioned)[0].id

    assert len({of("98", "exact"), of("99", "exact"), of("98", "revisions"), of("99", "revisions")}) == 3


def toy(kind: type[Spec], name: str, make: Any, **fields: Any) -> Spec:
    return kind(name=name, summary="A toy", make=make, **fields)


def random_toy() -> Any:
    from alcore.builtin.strategies import random

    return random


def lda_toy() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def test_versions_are_those_of_all_parts_and_of_what_they_require(runs, registry):
    registry.add([toy(StrategySpec, "toy.random", random_toy, requires={"sklearn": "pip install it"})], "toys", "7")
    registry.add([toy(LearnerSpec, "toys.lda", lda_toy)], "other-toys", "8")
    keys: dict[str, Any] = {"strategies": ["toy.random"], "learners": ["toys.lda"]}
    (run,) = runs(**keys)
    assert run.config["revisions"] == {
        "strategy": {"strategy toy.random": 1}, "query": {"learner toys.lda": 1}, "task": {"learner toys.lda": 1},
        "metrics": {"metric accuracy": 1},
    }  # fmt: skip
    assert run.config["versions"] == {
        "alcore": version("alcore"),  # for the default metric
        "numpy": version("numpy"),
        "other-toys": "8",
        "scikit-learn": version("scikit-learn"),
        "sklearn": version("scikit-learn"),  # the module has another name than its distribution
        "toys": "7",
    }
    assert runs(**keys, metrics={"round": ["accuracy"]})[0].id == run.id


def test_version_of_what_takes_no_part_does_not_matter(runs, registry):
    before = runs()[0].id
    registry.add([toy(StrategySpec, "toy.random", random_toy)], "toys", "7")
    assert runs()[0].id == before
    assert runs(strategies=["toy.random", "margin"])[1].id == before


# --- what only the data tell -----------------------------------------------------------------------------------------


def problems(experiment: Experiment, registry: Registry) -> list[str]:
    with pytest.raises(ExperimentError) as caught:
        plan(experiment, registry)
    return caught.value.problems


def test_data_sets_of_unknown_task_are_checked_once_loaded_all_at_once(registry, tmp_path):
    data = [write(tmp_path / "classes.csv", *CLASSES), write(tmp_path / "targets.csv", *TARGETS)]
    missing = {"name": "file", "path": str(tmp_path / "tragets.csv"), "target": "y", "label": "missing"}
    experiment = parse(
        SMALL | {"datasets": [*data, missing], "strategies": ["random", "margin"], "learners": ["lda", "ridge"],
                 "metrics": {"round": ["accuracy", "f1"]}, "exclude": [{"strategies": "margin", "learners": "ridge"}]},
        registry,
    )  # fmt: skip
    found = problems(experiment, registry)
    assert [problem.partition(". Use ")[0] for problem in found] == [
        f"datasets: missing: there is no file {tmp_path / 'tragets.csv'}. Did you mean 'targets.csv' or 'classes.csv'?",
        'metric f1 takes 2 classes; classes has 3. Say which one counts, as in positive = "yes", or leave it out.',
        "learner ridge serves regression; classes is classification",
        "learner lda serves classification and multilabel; targets is regression",
        "metric accuracy does not serve regression, the task of targets",
        "metric f1 does not serve regression, the task of targets",
        "strategy margin serves classification; targets is regression",
    ]
    assert found[2].endswith('Or leave the pair out: exclude = [{datasets = "classes", learners = "ridge"}]')
    assert found[6].endswith('exclude = [{datasets = "targets", strategies = "margin"}]')


def test_number_of_classes_of_the_data(registry):
    registry.add([toy(StrategySpec, "toy.binary", random_toy, max_classes=2)], "toys", "1")
    experiment = parse(SMALL | {"strategies": ["toy.binary"]}, registry)
    assert problems(experiment, registry)[0].startswith(
        "strategy toy.binary takes 2 classes at most; synthetic.clouds(n=30) has 3. Use 'entropy', "
    )
    binary = parse(SMALL | {"strategies": ["toy.binary"], "datasets": [CLOUDS | {"classes": 2}]}, registry)
    assert len(plan(binary, registry)) == 1


def test_sparse_data(registry):
    def make() -> Dataset:
        from scipy.sparse import csr_matrix

        return Dataset("any", csr_matrix(np.eye(12)), ["a", "b"] * 6)

    registry.add([toy(DatasetSpec, "toy.sparse", make)], "toys", "1")
    experiment = parse(SMALL | {"datasets": ["toy.sparse"], "learners": ["lda", "linear-svm"]}, registry)
    (problem,) = problems(experiment, registry)
    assert problem == (
        "learner lda takes no sparse X, and toy.sparse is sparse. Make it dense. "
        'Or leave the pair out: exclude = [{datasets = "toy.sparse", learners = "lda"}]'
    )


def test_data_set_that_refuses_its_parameters(registry):
    experiment = parse(SMALL | {"datasets": [CLOUDS | {"classes": 0}, CLOUDS]}, registry)
    (problem,) = problems(experiment, registry)
    assert problem.startswith("datasets: synthetic.clouds(classes=0,n=30): ")


def test_what_is_excluded_is_not_refused(registry, tmp_path):
    data = [write(tmp_path / "classes.csv", *CLASSES), write(tmp_path / "targets.csv", *TARGETS)]
    experiment = parse(
        SMALL | {"datasets": data, "learners": ["lda", "ridge"], "strategies": ["random"],
                 "exclude": [{"datasets": "targets", "learners": "lda"}, {"datasets": "classes", "learners": "ridge"}]},
        registry,
    )  # fmt: skip
    found = plan(experiment, registry)
    assert [(run.names["dataset"], run.names["learner"]) for run in found] == [("classes", "lda"), ("targets", "ridge")]
    assert [Task(run.config["dataset"]["task"]) for run in found] == [Task.CLASSIFICATION, Task.REGRESSION]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"start": {"size": 0}}, "start.size: margin needs a learner, and nothing is labelled"),
        ({"split": {"method": "given"}}, "split.method: synthetic.clouds(n=60) has no test part of its own"),
    ],
)
def test_protocol_that_cannot_be_had_is_refused(make_experiment, keys, told):
    experiment = make_experiment(strategies=["margin", "random"], **keys)
    with pytest.raises(ExperimentError) as caught:
        plan(experiment, plugins.loaded().registry)
    assert told in str(caught.value)
    assert len(caught.value.problems) == 1


def test_where_a_file_lies_does_not_change_the_run(tmp_path):
    text = "a,b,y\n" + "".join(f"{i * i % 41},{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(40))
    found = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.csv").write_text(text)
        (tmp_path / folder / "e.toml").write_text(
            'name = "e"\ndatasets = [{ name = "file", path = "mine.csv", target = "y" }]\n'
            'strategies = ["random"]\nlearners = ["gaussian-nb"]\nseeds = 1\nbudget = 2\n'
        )
        experiment = load(tmp_path / folder / "e.toml", plugins.loaded())
        (run,) = plan(experiment, plugins.loaded().registry)
        assert run.names["dataset"] == "mine(target=y)"
        assert execute(run).status == "completed"
        found.append(run.id)
    assert found[0] == found[1]
