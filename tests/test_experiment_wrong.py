"""A wrong experiment is one error, which lists every mistake with its place, its line and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alcore import plugins
from alcore.errors import InputError
from alcore.experiment import ExperimentError, load, parse
from alcore.registry import Registry
from alcore.spec import MetricSpec, Spec, StrategySpec

SMALL = {"name": "x", "datasets": ["sklearn.wine"], "strategies": ["random"], "learners": ["lda"]}


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


def mistakes(registry: Registry, **keys: Any) -> list[str]:
    """Return the mistakes of the small experiment with these keys, None for a key left out."""
    raw = {key: value for key, value in (SMALL | keys).items() if value is not None}
    with pytest.raises(ExperimentError) as caught:
        parse(raw, registry)
    return caught.value.problems


def mistakes_in(path: Path) -> list[str]:
    with pytest.raises(ExperimentError) as caught:
        load(path, plugins.loaded())
    return caught.value.problems


def make(size: int = 1) -> int:
    return size


def toy(kind: type[Spec], name: str = "toy.one", **fields: Any) -> Spec:
    return kind(**{"name": name, "summary": "A toy", "make": make} | fields)


# --- all mistakes at once ---------------------------------------------------------------------------------------------

WRONG = """name = "two words"
datasets = ["sklearn.wine"]
strategies = [
  "random",
  "margn",     # a close match
  "entropy",
  { name = "margin", members = 3 },
  "random",
]
learners = ["lda", "rbf-svm"]
bach = 3
batch = 0

[start]
siz = 5
size = "many"

[metrics]
round = ["accuracy", "f1"]

[[stop]]
name = "share"

[[stop]]
value = 0.5
"""


def test_every_mistake_has_its_place_and_line_and_comes_once(written):
    problems = mistakes_in(written(WRONG))
    assert [problem.partition(": ")[0] for problem in problems] == [
        "name (line 1)",
        "strategies[1] (line 5)",
        "strategies[2] (line 6) with learners[1] (line 10)",
        "strategies[3] (line 7)",
        "strategies[4] (line 8)",
        "bach (line 11)",
        "batch (line 12)",
        "start.siz (line 15)",
        "start.size (line 16)",
        "metrics.round[1] (line 19) with datasets[0] (line 2)",
        "stop[0] (line 21)",
        "stop[1] (line 24)",
    ]


def test_every_mistake_says_what_is_wrong_and_what_to_do(written):
    told = dict(problem.split(": ", 1) for problem in mistakes_in(written(WRONG)))
    assert told["name (line 1)"] == (
        "must be of letters, digits, '.', '_' and '-', and begin with a letter or digit; it is \"two words\"."
    )
    assert told["strategies[1] (line 5)"].startswith("no strategy is called 'margn'. Did you mean 'margin'?")
    assert told["strategies[3] (line 7)"] == "margin has no parameter 'members'; it takes none."
    assert told["strategies[4] (line 8)"] == (
        "the label 'random' is that of strategies[0] already; give another: label = \"...\""
    )
    assert told["bach (line 11)"] == "there is no such key. Did you mean 'batch'?"
    assert told["batch (line 12)"] == "must be at least 1; it is 0."
    assert told["start.siz (line 15)"] == "there is no such key. Did you mean 'size'?"
    assert told["start.size (line 16)"] == 'must be a whole number; it is "many".'
    assert told["stop[0] (line 21)"] == "share needs the parameter 'share'."
    assert told["stop[1] (line 24)"] == 'give a name, or a table with one: {name = "..."}; it is {"value": 0.5}.'
    pairing = told["strategies[2] (line 6) with learners[1] (line 10)"]
    assert pairing.startswith("entropy needs proba; rbf-svm offers predict and decision. Use learner 'gaussian-nb', ")
    assert ", or strategy " in pairing
    assert pairing.endswith('Or leave the pair out: exclude = [{strategies = "entropy", learners = "rbf-svm"}]')


def test_error_lists_its_mistakes(written):
    path = written('name = "x"\ndatasets = []\nstrategies = ["random"]\nlearners = ["lda"]\nseeds = 0')
    with pytest.raises(ExperimentError) as caught:
        load(path, plugins.loaded())
    assert str(caught.value) == (
        f"{path} has 2 mistakes:\n"
        "  - datasets (line 2): give one at least; the list is empty.\n"
        "  - seeds (line 5): give how many seeds, or a list of seeds; it is 0."
    )


def test_one_mistake_is_one(registry):
    with pytest.raises(ExperimentError, match="the experiment has one mistake:\n  - batch: must be at least 1; it is"):
        parse(SMALL | {"batch": 0}, registry)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("split = { test_size = 1.5 }", ["split.test_size (line 5)"]),
        ("split.test_size = 1.5", ["split.test_size (line 5)"]),
        ("exclude = [\n  {strategies = 'random', learners = 'lda'},\n  {strategies = 'x'}\n]",
         ["exclude[1].strategies (line 7)"]),
        ("[[exclude]]\nstrategies = 'x'\n[[exclude]]\n\nlearners = 'y'",
         ["exclude[0].strategies (line 6)", "exclude[1].learners (line 9)"]),
        ("[metrics]\nround = [\n  'accuracy',  # ] comment\n  'aubc',\n]", ["metrics.round[1] (line 8)"]),
        ('[limits]\n# """\nseconds = 0', ["limits.seconds (line 7)"]),
        ("seeds = [\n  0,\n  1,\n\n  1,\n]", ["seeds[2] (line 9)"]),
        ("start.cold_start = { name = 'margin', x = [\n  1,\n  2] }", ["start.cold_start (line 5)"]),
    ],
)  # fmt: skip
def test_line_is_where_it_stands_however_it_is_written(written, text, heads):
    head = 'name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["random"]\nlearners = ["lda"]\n'
    assert [problem.partition(": ")[0] for problem in mistakes_in(written(head + text))] == heads


def test_line_is_found_before_and_behind_a_text_of_several_lines(written):
    path = written(
        'batch = 0\ndatasets = ["sklearn.wine"]\nstrategies = ["random"]\n'
        'learners = [{ name = "lda", label = """\na\nb\nc\nd\n"""}]\nname = "x"\nbudget = -1'
    )
    heads = [problem.partition(": ")[0] for problem in mistakes_in(path)]
    assert heads == ["batch (line 1)", "budget (line 11)"]


def test_syntax_error_has_its_line(written):
    path = written('name = "x"\ndatasets = [sklearn.wine]\n')
    with pytest.raises(ExperimentError, match=r"has one mistake:\n  - not TOML: .*\(at line 2, column 13\)"):
        load(path, plugins.loaded())


def test_lists_without_end(written):
    assert mistakes_in(written("a = " + "[" * 5000))[0].startswith("not TOML: lists in lists too deep. Mend it")


def test_a_pair_of_which_one_learner_is_missing(written):
    path = written('name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["random"]\nlearners = [{ task = "lda" }]\n')
    assert any("learners[0]" in mistake for mistake in mistakes_in(path))


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(
        InputError, match=r"cannot read the experiment .*x\.toml: No such file or directory\. Give UTF-8"
    ):
        load(tmp_path / "x.toml", plugins.loaded())


def test_file_that_is_no_text(tmp_path):
    (tmp_path / "x.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(InputError, match=r"cannot read the experiment .*'utf-8' codec can't decode"):
        load(tmp_path / "x.toml", plugins.loaded())


@pytest.mark.parametrize("key", ["name", "datasets", "strategies", "learners"])
def test_required_key(registry, key):
    assert mistakes(registry, **{key: None}) == [f"{key}: missing; it has to be given."]


# --- one mistake at a time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"name": 3}, "name: must be a text; it is 3."),
        ({"datasets": "sklearn.wine"}, 'datasets: give a list; it is "sklearn.wine".'),
        ({"datasets": {"name": "sklearn.wine"}},
         "datasets: this is one table; for a list of them write its head with two brackets, [[...]]."),
        ({"strategies": []}, "strategies: give one at least; the list is empty."),
        ({"strategies": [3]}, 'strategies[0]: give a name, or a table with one: {name = "..."}; it is 3.'),
        ({"strategies": [{"name": "random", "label": 3}]}, "strategies[0].label: must be a text; it is 3."),
        ({"strategies": [{"name": ["random"]}]}, 'strategies[0].name: must be a text; it is ["random"].'),
        ({"learners": []}, "learners: give one at least; the list is empty."),
        ({"learners": [{"query": "lda"}]}, "learners[0].task: missing; it has to be given."),
        ({"learners": [{"query": "lda", "task": "knn", "lable": "x"}]},
         "learners[0].lable: there is no such key. Did you mean 'label'?"),
        ({"learners": [{"name": "lda", "task": "knn"}]},
         "learners[0]: task goes with two learners and name with one; leave out one of them."),
        ({"learners": [{"label": "lda"}]},
         'learners[0]: give a learner, {name = "..."}, or two, {query = "...", task = "..."}; it is {"label": "lda"}.'),
        ({"learners": [{"name": "lda", "refit": "agin"}]},
         "learners[0].refit: must be 'scratch' or 'continue'; it is \"agin\"."),
        ({"seeds": "five"}, 'seeds: give how many seeds, or a list of seeds; it is "five".'),
        ({"seeds": -1}, "seeds: give how many seeds, or a list of seeds; it is -1."),
        ({"seeds": True}, "seeds: give how many seeds, or a list of seeds; it is true."),
        ({"seeds": []}, "seeds: give how many seeds, or a list of seeds; it is []."),
        ({"seeds": [0, 1.0]}, "seeds[1]: must be a whole number; it is 1.0."),
        ({"seeds": [0, True]}, "seeds[1]: must be a whole number; it is true."),
        ({"seeds": [-1]}, "seeds[0]: must be at least 0; it is -1."),
        ({"seeds": [4, 2, 4]}, "seeds[2]: the seed 4 occurs twice."),
        ({"batch": True}, "batch: must be a whole number; it is true."),
        ({"batch": 2.0}, "batch: must be a whole number; it is 2.0."),
        ({"ties": "last"}, "ties: must be 'random', 'first' or 'exact'; it is \"last\"."),
        ({"split": "random"}, 'split: must be a table; it is "random".'),
        ({"split": {"method": "stratifed"}},
         ("split.method: must be 'random', 'stratified', 'given' or 'published'; it is \"stratifed\". "
         "Did you mean 'stratified'?")),
        ({"split": {"test_size": 0}}, "split.test_size: must be above 0.0; it is 0."),
        ({"split": {"test_size": "0.4"}}, 'split.test_size: must be a number; it is "0.4".'),
        ({"start": {"size": -1}}, "start.size: must be at least 0; it is -1."),
        ({"start": {"cold_start": 1}}, 'start.cold_start: give a name, or a table with one: {name = "..."}; it is 1.'),
        ({"limits": {"seconds": 0}}, "limits.seconds: must be above 0.0; it is 0."),
        ({"limits": {"retries": 1.5}}, "limits.retries: must be a whole number; it is 1.5."),
        ({"limits": {"memory": 2000}},
         'limits.memory: give a size with its unit, such as "2 GB" or "500 MB"; it is 2000.'),
        ({"limits": {"memory": "2 gigs"}},
         'limits.memory: give a size with its unit, such as "2 GB" or "500 MB"; it is "2 gigs".'),
        ({"limits": {"memory": "0 GB"}}, 'limits.memory: must be above 0; it is "0 GB".'),
        ({"limits": {"memori": 1}},
         "limits.memori: there is no such key. Did you mean 'memory'?"),
        ({"metrics": ["accuracy"]}, 'metrics: must be a table; it is ["accuracy"].'),
        ({"metrics": {"round": "accuracy"}}, 'metrics.round: give a list; it is "accuracy".'),
        ({"metrics": {"round": ["aubc"]}},
         "metrics.round[0]: 'aubc' is a curve metric; list it under metrics.curve."),
        ({"metrics": {"curve": ["accuracy"]}},
         "metrics.curve[0]: 'accuracy' is a round metric; list it under metrics.round."),
        ({"metrics": {"round": ["accuracy", "accuracy"]}},
         "metrics.round[1]: the label 'accuracy' is that of metrics.round[0] already; give another: label = \"...\""),
        ({"metrics": {"round": [{"name": "accuracy", "label": "seed"}]}},
         "metrics.round[0]: 'seed' is another column of every record; give the metric another label."),
        ({"exclude": {"learners": "lda"}},
         "exclude: this is one table; for a list of them write its head with two brackets, [[...]]."),
        ({"exclude": [{}]},
         "exclude[0]: this names nothing, which leaves out everything; name datasets, strategies or learners."),
        ({"exclude": [{"learners": 3}]}, "exclude[0].learners: must be a list; it is 3."),
        ({"exclude": [{"learner": "lda"}]}, "exclude[0].learner: there is no such key. Did you mean 'learners'?"),
        ({"exclude": [{"learners": "lda"}]}, "exclude: this leaves out everything, so that nothing would be run."),
        ({"plugins": "mine.py"}, 'plugins: give a list; it is "mine.py".'),
        ({"plugins": [3]}, "plugins[0]: must be a text, the path of a file; it is 3."),
    ],
)  # fmt: skip
def test_one_mistake(registry, keys, problem):
    assert mistakes(registry, **keys) == [problem]


@pytest.mark.parametrize("budget", ["most", -1, 0.0, 1.0, 60.5, True, [5]])
def test_wrong_budget_is_told_once(registry, budget):
    (problem,) = mistakes(registry, budget=budget)
    assert problem.startswith('budget: give a number of labels, a share of the pool above 0 and below 1, or "all"; it')


@pytest.mark.parametrize(
    ("field", "item", "start"),
    [
        ("datasets", "sklearn.wien", "datasets[0]: no dataset is called 'sklearn.wien'. Did you mean 'sklearn.wine'"),
        ("strategies", "lda", "strategies[0]: no strategy is called 'lda'. There is a learner of that name."),
        ("learners", "ldaa", "learners[0]: no learner is called 'ldaa'. Did you mean 'lda'?"),
        ("learners", {"query": "lda", "task": "ldaa"}, "learners[0].task: no learner is called 'ldaa'."),
        ("learners", {"name": "knn", "n_neighbours": 3},
         "learners[0]: knn has no parameter 'n_neighbours'; it takes n_neighbors, weights. Did you mean 'n_neigh"),
        ("stop", "shar", "stop[0]: no stop-rule is called 'shar'. Did you mean 'share'?"),
    ],
)  # fmt: skip
def test_unknown_name_is_told_once_with_a_close_match(registry, field, item, start):
    (problem,) = mistakes(registry, **{field: [item]})
    assert problem.startswith(start)


def test_unknown_label_in_exclude_has_a_close_match(registry):
    problems = mistakes(
        registry,
        strategies=["random", {"name": "margin", "label": "gap"}],
        exclude=[{"strategies": ["gapp", "margin"], "learners": "lda"}],
    )
    assert problems == [
        "exclude[0].strategies: 'gapp' is none of the labels random, gap. Did you mean 'gap'?",
        "exclude[0].strategies: 'margin' is none of the labels random, gap.",
    ]


def test_thing_that_cannot_be_had_here(registry):
    registry.add([toy(StrategySpec, requires={"no_such_module": "pip install toy"})], "toy", "1")
    assert mistakes(registry, strategies=["toy.one"]) == [
        "strategies[0]: strategy 'toy.one' needs the package 'no_such_module', which is not installed: pip install toy"
    ]


def test_thing_that_cannot_be_imported(registry):
    registry.add([toy(StrategySpec, make="no_such_module:make")], "toy", "1")
    (problem,) = mistakes(registry, strategies=["toy.one"])
    assert problem.startswith("strategies[0]: strategy 'toy.one' cannot be imported from no_such_module:make: ")


def test_comparison_metric_is_for_tables(registry):
    registry.add([toy(MetricSpec, "toy.gain", scope="comparison")], "toy", "1")
    (problem,) = mistakes(registry, metrics={"curve": ["toy.gain"]})
    assert problem == (
        "metrics.curve[0]: 'toy.gain' is a comparison metric; ask for it when the runs are done: "
        "alcore table STORE --metric toy.gain"
    )


# --- plugin files -----------------------------------------------------------------------------------------------------


def test_plugin_files_that_fail_are_told_with_the_rest(written, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0", encoding="utf8")
    path = written('name = "x"\ndatasets = ["sklearn.wine"]\nstrategies = ["random", "mine"]\nlearners = ["lda"]\n'
                   'plugins = [\n  "none.py",\n  "broken.py",\n]\nbatch = 0')  # fmt: skip
    folder = re.escape(str(tmp_path))
    none, broken, batch = mistakes_in(path)  # that "mine" is unknown may be for want of a file, and is not told
    assert re.fullmatch(rf"plugins\[0\] \(line 6\): cannot read the plugin file {folder}/none.py: No such.*", none)
    assert re.fullmatch(rf"plugins\[1\] \(line 7\): {folder}/broken.py failed to run: ZeroDivisionError.*", broken)
    assert batch == "batch (line 9): must be at least 1; it is 0."
