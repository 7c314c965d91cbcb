"""What cannot work together is told before anything is loaded or run, with a fix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from alcore import plugins
from alcore.experiment import Experiment, ExperimentError, parse
from alcore.registry import Registry
from alcore.spec import DatasetSpec, Spec, StrategySpec

SMALL = {"name": "x", "datasets": ["sklearn.wine"], "strategies": ["random"], "learners": ["lda"]}


@pytest.fixture
def registry() -> Registry:
    """The plugins' registry, to be added to."""
    return plugins.loaded().registry.copy()


def made(registry: Registry, **keys: Any) -> Experiment:
    return parse(SMALL | keys, registry)


def mistakes(registry: Registry, **keys: Any) -> list[str]:
    """Return the mistakes of the small experiment with these keys, None for a key left out."""
    raw = {key: value for key, value in (SMALL | keys).items() if value is not None}
    with pytest.raises(ExperimentError) as caught:
        parse(raw, registry)
    return caught.value.problems


def make(size: int = 1) -> int:
    return size


def toy(kind: type[Spec], name: str = "toy.one", **fields: Any) -> Spec:
    return kind(**{"name": name, "summary": "A toy", "make": make} | fields)


def pairings(registry: Registry, **keys: Any) -> Mapping[str, str]:
    return dict(problem.split(": ", 1) for problem in mistakes(registry, **keys))


def test_wrong_task(registry):
    told = pairings(registry, datasets=["sklearn.diabetes"], strategies=["random", "margin"], learners=["ridge", "lda"])
    assert set(told) == {
        "strategies[1] with datasets[0]",
        "learners[1] with datasets[0]",
    }  # and not, besides, that ridge has no probabilities for margin
    assert told["strategies[1] with datasets[0]"].startswith(
        "strategy margin serves classification; sklearn.diabetes is regression. Use 'random'"
    )
    assert told["strategies[1] with datasets[0]"].endswith(
        'exclude = [{datasets = "sklearn.diabetes", strategies = "margin"}]'
    )
    assert "Use 'gp-regressor', 'random-forest-regressor' or 'ridge'" in told["learners[1] with datasets[0]"]


def test_too_many_classes(registry):
    registry.add([toy(StrategySpec, max_classes=2)], "toy", "1")
    registry.add([toy(DatasetSpec, "toy.many", classes=150)], "toys", "1")
    told = pairings(registry, datasets=["sklearn.breast-cancer", "toy.many"], strategies=["toy.one"])
    (place,) = told
    assert place == "strategies[0] with datasets[1]"
    assert told[place].startswith("strategy toy.one takes 2 classes at most; toy.many has 150. Use 'entropy', ")


def test_one_row_at_a_time(registry):
    registry.add([toy(StrategySpec, batch="single")], "toy", "1")
    assert made(registry, strategies=["toy.one"], batch=1).batch == 1
    assert mistakes(registry, strategies=["toy.one"], batch=5) == [
        "strategies[0] with batch: toy.one chooses one row at a time; batch is 5. Use batch = 1, or leave toy.one out."
    ]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"metrics": {"round": ["accuracy", "f1"]}},
         ("metrics.round[1] with datasets[0]: metric f1 takes 2 classes; sklearn.wine has 3. "
          'Say which one counts, as in positive = "yes", or leave it out.')),
        ({"metrics": {"round": ["log-loss"]}, "learners": [{"query": "lda", "task": "rbf-svm"}]},
         "metrics.round[0] with learners[0].task: metric log-loss needs proba; learner rbf-svm has none. Leave out"),
    ],
)  # fmt: skip
def test_metric_that_cannot_score(registry, keys, problem):
    (told,) = mistakes(registry, **keys)
    assert told.startswith(problem)


def test_metric_of_another_task(registry):
    (problem,) = mistakes(registry, metrics={"round": ["r2"]})
    assert problem.startswith(
        "metrics.round[0] with datasets[0]: metric r2 does not serve classification, the task of sklearn.wine. Use '"
    )


def test_mistake_is_told_once_however_many_data_sets_it_concerns(registry):
    told = pairings(registry, datasets=["sklearn.wine", "sklearn.iris"], strategies=["entropy"], learners=["rbf-svm"])
    assert list(told) == ["strategies[0] with learners[0]"]


def test_pairing_is_told_of_entries_that_are_wrong_themselves(registry):
    told = pairings(registry, strategies=[{"name": "entropy", "x": 1}], learners=["rbf-svm"], datasets=["sklearn.w"])
    assert list(told) == ["datasets[0]", "strategies[0]", "strategies[0] with learners[0]"]


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"strategies": ["random", {"name": "entropy", "label": "H"}], "learners": ["lda", "rbf-svm"]},
         "strategies[1] with learners[1]"),
        ({"strategies": ["random", "entropy"], "learners": [{"query": "rbf-svm", "task": "lda"}]},
         "strategies[1] with learners[0].query"),
        ({"datasets": ["sklearn.wine", {"name": "sklearn.diabetes", "label": "D"}]}, "learners[0] with datasets[1]"),
    ],
)  # fmt: skip
def test_the_fix_that_is_offered_is_one(registry, keys, place):
    told = pairings(registry, **keys)
    assert list(told) == [place]
    inside = dict(re.findall(r'(\w+) = "([^"]+)"', told[place].partition("exclude = ")[2]))
    assert made(registry, **keys, exclude=[inside]).exclude[0].model_dump(exclude_defaults=True).keys() == inside.keys()


def test_pairings_wait_for_what_is_excluded_to_be_right(registry):
    told = pairings(registry, strategies=["random", "entropy"], learners=["lda", "rbf-svm"],
                    exclude=[{"strategies": "entropi", "learners": "rbf-svm"}])  # fmt: skip
    assert list(told) == ["exclude[0].strategies"]
