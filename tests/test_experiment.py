"""An experiment file becomes an experiment: data sets, strategies, learners and how they are run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alcore import plugins
from alcore.experiment import Experiment, Limits, Split, Start, load, parse
from alcore.registry import Registry

SMALL = {"name": "x", "datasets": ["sklearn.wine"], "strategies": ["random"], "learners": ["lda"]}
MINE = """
import alcore

@alcore.scores("mine", summary="My own")
def mine(view, *, power=1.0):
    return view.proba.max(axis=1) ** power
"""


@pytest.fixture
def registry() -> Registry:
    """The plugins' registry, to be added to."""
    return plugins.loaded().registry.copy()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Write an experiment file."""

    def write(text: str) -> Path:
        path = tmp_path / "x.toml"
        path.write_text(text, encoding="utf8")
        return path

    return write


def made(registry: Registry, **keys: Any) -> Experiment:
    return parse(SMALL | keys, registry)


def test_smallest_file_and_its_defaults(written):
    found = load(written('name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["random"]\nlearners = ["lda"]'),
                 plugins.loaded())  # fmt: skip
    assert [ref.name for ref in found.datasets] == ["sklearn.wine"]
    assert [ref.name for ref in found.strategies] == ["random"]
    assert [(pair.query.name, pair.task.name) for pair in found.learners] == [("lda", "lda")]
    assert (found.seeds, found.batch, found.budget) == ((0, 1, 2, 3, 4), 1, "all")
    assert (found.ties, found.features) == ("random", "standard")
    assert found.split == Split(method="random", test_size=0.4)
    assert found.start == Start(method="random", size=20, classes="any", cold_start=None)
    assert found.limits == Limits(seconds=None, retries=1)
    assert (found.metrics.round, found.metrics.curve) == ((), ())
    assert (found.stop, found.exclude, found.plugins) == ((), (), ())


def test_file_with_every_key(written):
    found = load(
        written(
            """
        name = "all-of.it_2"
        datasets = ["sklearn.wine", { name = "synthetic.clouds", n = 100, label = "clouds" }]
        strategies = ["random", "margin"]
        learners = ["lda", { query = "lda", task = { name = "rbf-svm", C = 2.0 } }]
        seeds = [3, 1]
        batch = 5
        budget = 50
        ties = "first"
        features = "raw"
        stop = [{ name = "share", share = 0.5 }]
        exclude = [{ datasets = "clouds", learners = ["lda"] }]
        plugins = []
        split = { method = "stratified", test_size = 0.25 }
        [start]
        method = "per-class"
        size = 2
        classes = "all"
        cold_start = "random"
        [limits]
        seconds = 60
        retries = 0
        [metrics]
        round = ["accuracy", { name = "f1-macro", label = "F1" }]
        curve = ["aubc", { name = "labels-to", target = 0.9 }]
        """
        ),
        plugins.loaded(),
    )
    assert found.name == "all-of.it_2"
    assert [ref.label for ref in found.datasets] == ["sklearn.wine", "clouds"]
    assert (found.seeds, found.batch, found.budget, found.ties, found.features) == ((3, 1), 5, 50, "first", "raw")
    assert (found.split.method, found.split.test_size) == ("stratified", 0.25)
    assert (found.start.method, found.start.size, found.start.classes) == ("per-class", 2, "all")
    assert found.start.cold_start is not None
    assert found.start.cold_start.name == "random"
    assert (found.limits.seconds, found.limits.retries) == (60, 0)

    assert [ref.label for ref in found.metrics.round] == ["accuracy", "F1"]
    assert [(ref.name, ref.params) for ref in found.metrics.curve] == [("aubc", {}), ("labels-to", {"target": 0.9})]
    assert [(ref.name, ref.params) for ref in found.stop] == [("share", {"share": 0.5})]
    assert found.exclude[0].learners == ("lda",)


@pytest.mark.parametrize(
    ("written", "label", "params"),
    [
        ("knn", "knn", {}),
        ({"name": "knn"}, "knn", {}),
        ({"name": "knn", "n_neighbors": 3}, "knn(n_neighbors=3)", {"n_neighbors": 3}),
        ({"name": "knn", "weights": "distance", "n_neighbors": 3}, "knn(n_neighbors=3,weights=distance)",
         {"n_neighbors": 3, "weights": "distance"}),
        ({"name": "knn", "n_neighbors": 3, "label": "near"}, "near", {"n_neighbors": 3}),
        ({"name": "lda", "shrinkage": True}, "lda(shrinkage=true)", {"shrinkage": True}),
        ({"name": "gaussian-nb", "refit": "continue"}, "gaussian-nb(refit=continue)", {}),
        ({"name": "gaussian-nb", "refit": "scratch"}, "gaussian-nb", {}),
    ],
)  # fmt: skip
def test_reference_is_a_name_or_a_table_and_has_a_label(registry, written, label, params):
    pair = made(registry, learners=[written]).learners[0]
    assert pair.query == pair.task
    assert (pair.label, pair.task.params) == (label, params)


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ({"query": "lda", "task": "knn"}, "lda->knn"),
        ({"query": "lda", "task": "lda"}, "lda"),
        ({"query": "lda", "task": {"name": "knn", "n_neighbors": 3}, "label": "both"}, "both"),
        ({"query": {"name": "lda", "label": "L"}, "task": "knn"}, "L->knn"),
    ],
)
def test_learners_can_be_two(registry, written, label):
    pair = made(registry, learners=[written]).learners[0]
    assert pair.label == label
    assert pair.query.name == "lda"


@pytest.mark.parametrize(("given", "seeds"), [(1, (0,)), (3, (0, 1, 2)), ([7, 0], (7, 0))])
def test_seeds_are_a_number_or_a_list(registry, given, seeds):
    assert made(registry, seeds=given).seeds == seeds


@pytest.mark.parametrize("budget", ["all", 0, 60, 0.5])
def test_budget_is_all_or_a_number_or_a_share(registry, budget):
    found = made(registry, budget=budget).budget
    assert (found, type(found)) == (budget, type(budget))


def test_combinations_leave_out_what_is_excluded(registry):
    found = made(
        registry,
        datasets=["sklearn.wine", "sklearn.iris"],
        strategies=["random", "margin", "entropy"],
        learners=["lda", {"query": "lda", "task": "knn"}],
        exclude=[
            {"strategies": ["margin", "entropy"], "learners": "lda->knn"},
            {"datasets": "sklearn.iris", "strategies": "entropy"},
        ],
    )
    assert [(d.label, s.label, p.label) for d, s, p in found.combinations()] == [
        ("sklearn.wine", "random", "lda"),
        ("sklearn.wine", "margin", "lda"),
        ("sklearn.wine", "entropy", "lda"),
        ("sklearn.wine", "random", "lda->knn"),
        ("sklearn.iris", "random", "lda"),
        ("sklearn.iris", "margin", "lda"),
        ("sklearn.iris", "random", "lda->knn"),
    ]


def test_plugin_file_beside_the_experiment(written, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(MINE, encoding="utf8")
    path = written('name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["mine", {name = "mine", power = 2.0}]\n'
                   'learners = ["lda"]\nplugins = ["own/mine.py"]')  # fmt: skip
    monkeypatch.chdir(tmp_path.parent)
    found = load(path, plugins.loaded())
    assert [ref.label for ref in found.strategies] == ["mine", "mine(power=2.0)"]
    assert found.plugins == (tmp_path / "own" / "mine.py",)


def test_what_was_given_is_left_as_it_is(registry):
    raw = {**SMALL, "learners": [{"name": "knn", "label": "k"}], "exclude": [], "seeds": [1, 2]}
    before = repr(raw)
    parse(raw, registry)
    assert repr(raw) == before


def test_plugins_of_the_environment_are_not_changed_by_a_file(written, tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf8")
    loaded = replace(plugins.loaded())
    load(written('name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["mine"]\nlearners = ["lda"]\n'
                 'plugins = ["mine.py"]'), loaded)  # fmt: skip
    assert loaded.registry.get("strategy", "mine") is None


@pytest.mark.parametrize(("given", "size"), [("2 GB", 2 * 10**9), ("500MB", 5 * 10**8), ("1.5 GiB", 3 * 2**29)])
def test_memory_is_a_size_with_its_unit(given: str, size: int) -> None:
    assert Limits(memory=given).memory == size
