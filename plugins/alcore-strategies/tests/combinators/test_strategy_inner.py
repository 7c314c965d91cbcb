"""Strategies inside a strategy: made by name, with what they need, and passed what they are owed."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from sklearn.datasets import load_iris

import alcore
from alcore import InputError, Labels, PairingError, Pool, Rows, StrategyError, UnknownNameError, View, plugins
from alcore.decorators import spec_of
from alcore.engine import ArrayOracle, Test, simulate
from alcore.experiment import Experiment, ExperimentError, parse
from alcore.learners import Recipe
from alcore.plan import plan
from alcore.protocols import NeedsTruth, Truth
from alcore.testing.toylearner import LEVELS, toy_learner
from alcore.types import Growth, Task
from alcore_strategies import combinators
from alcore_strategies.combinators.inner import Outer, ask, make, merged, scores

SPECS = [spec_of(one) for one in combinators.STRATEGIES]
X, Y = (part[::3] for part in load_iris(return_X_y=True))


@alcore.strategy(
    "toy.logged", summary="Logs what it is told", max_classes=2, growth="quadratic", sparse=False, learner=False
)
class Logged:
    def __init__(self) -> None:
        self.log: list[Any] = []

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.log += ["setup", rng.random()]

    def update(self, rows: Rows, labels: Labels) -> None:
        self.log += ["update", rows.tolist(), labels.tolist()]

    def query(self, view: View, n: int) -> Rows:
        self.log += ["query", view.rng.random()]
        return view.unlabeled[:n]


@alcore.strategy("toy.told", summary="Knows the labels", truth=True, learner=False, batch="single")
class Told:
    def reveal(self, truth: Truth) -> None:
        self.y = truth.y

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[np.argsort(self.y[view.unlabeled], kind="stable")[-n:]]


@alcore.selects("toy.twice", summary="One row twice", learner=False)
def twice(view: View, n: int) -> Rows:
    return np.repeat(view.unlabeled[:1], n)


@alcore.selects("toy.sparse-only", summary="Regression", tasks="regression", learner=False)
def regress(view: View, n: int) -> Rows:
    return view.unlabeled[:n]


def run(strategy: Any, *, budget: int = 4, batch: int = 2) -> list[list[int]]:
    y = (Y > 0).astype(np.intp)
    recipe = toy_learner(Task.CLASSIFICATION, LEVELS[Task.CLASSIFICATION])
    found = simulate(
        Pool(X, Task.CLASSIFICATION, [0, 1]), ArrayOracle(y), strategy, recipe, start=np.array([0, 20, 40]), seed=3,
        budget=budget, batch=batch, test=Test(X, y), truth=Truth(y, X, y),
    )  # fmt: skip
    return [record.rows.tolist() for record in found][1:]


# --- by name ---------------------------------------------------------------------------------------------------------


def test_a_name_alone_or_with_parameters() -> None:
    spec, strategy = make({"name": "explore", "strategy": "entropy", "epsilon": 0.5})
    assert (spec.name, spec.needs, spec.parts) == ("explore", ("proba",), ("entropy",))
    assert strategy.epsilon == 0.5  # type: ignore[attr-defined]
    assert make("margin")[0].name == "margin"


def test_a_decorated_class_and_an_object_serve_too() -> None:
    mine = Logged()
    spec, strategy = make(mine)
    assert spec.max_classes == 2
    assert strategy is not mine
    assert make(Logged)[0] is spec


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ("entropi", UnknownNameError, "no strategy is called 'entropi'. Did you mean 'entropy'"),
        ({"name": "entropy", "x": 1}, InputError, "entropy has no parameter 'x'"),
        ({"strategy": "entropy"}, InputError, "give its name, or {name = "),
        ({"name": "explore", "strategy": "lda"}, UnknownNameError, "no strategy is called 'lda'. There is a learner"),
        ({"name": "explore", "epsilon": 2}, InputError, "explore: epsilon is 2; give a share"),
        (3, InputError, "3 is no strategy: give a name"),
    ],
)
def test_what_is_no_strategy(given: Any, error: type[Exception], why: str) -> None:
    with pytest.raises(error) as caught:
        make(given)
    assert why in str(caught.value)


def test_an_object_without_a_spec_is_refused() -> None:
    class Bare:
        def query(self, view: View, n: int) -> Rows:
            return view.unlabeled[:n]

    with pytest.raises(InputError, match="says nothing of what it needs; give a name, or decorate its class"):
        make(Bare())


# --- what it is made of decides what it needs ------------------------------------------------------------------------


def test_needs_of_all_count() -> None:
    found = merged([spec_of(Logged), make("entropy")[0], make("margin")[0]])
    assert found["needs"] == ("proba", "proba|decision")
    assert (found["max_classes"], found["learner"], found["sparse"]) == (2, True, False)
    assert (found["stateful"], found["growth"], found["batch"]) == (True, Growth.QUADRATIC, "native")
    assert found["parts"] == ("toy.logged", "entropy", "margin")


def test_tasks_in_common_count() -> None:
    assert merged([make("random")[0], make("margin")[0]])["tasks"] == {Task.CLASSIFICATION}
    with pytest.raises(InputError, match=r"must have a task in common: .*toy\.sparse-only serves regression"):
        merged([make("margin")[0], spec_of(regress)])


def test_parts_of_parts_count() -> None:
    spec, _ = make({"name": "explore", "strategy": {"name": "subsample", "strategy": "entropy"}})
    assert spec.parts == ("subsample", "entropy")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_what_is_listed_is_what_the_defaults_give(spec: Any) -> None:
    given = spec.given({})
    differ = [one.name for one in fields(spec) if getattr(spec, one.name) != getattr(given, one.name)]
    assert differ == ["adapt"]


@pytest.mark.parametrize("name", ["explore", "subsample", "mixture"])
@pytest.mark.parametrize("how", ["by name", "an object"])
def test_a_binary_strategy_inside_is_refused_on_three_classes(name: str, how: str) -> None:
    params = {"strategies": ["margin", "quire"]} if name == "mixture" else {"strategy": "quire"}
    strategy: Any = make({"name": name, **params})[1] if how == "an object" else name
    how_given: dict[str, Any] = {} if how == "an object" else {"strategy_params": params}
    with pytest.raises(
        PairingError, match=rf"strategy {name} of .*quire takes 2 classes at most; this pool has 3. Use"
    ):
        alcore.simulate(X, Y, strategy=strategy, learner="lda", budget=2, **how_given)


def experiment(*strategies: Any, **keys: Any) -> Experiment:
    raw = {"name": "x", "datasets": ["sklearn.wine"], "learners": ["lda"], "seeds": 1, "strategies": list(strategies)}
    return parse(raw | keys, plugins.loaded().registry)


def test_an_experiment_refuses_it_before_the_run_with_the_fix() -> None:
    subsampled = {"name": "subsample", "strategy": {"name": "quire", "lam": 2.0}}
    with pytest.raises(ExperimentError) as caught:
        experiment("explore", subsampled)
    (problem,) = caught.value.problems
    assert problem.startswith("strategies[1] with datasets[0]: strategy subsample of quire takes 2 classes at most; ")
    assert "leave the pair out: exclude = [" in problem
    assert len(list(experiment(subsampled, datasets=["sklearn.breast-cancer"]).combinations())) == 1


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("quirre", "strategies[0]: no strategy is called 'quirre'. Did you mean 'quire'"),
        ({"name": "quire", "lambda": 1}, "strategies[0]: quire has no parameter 'lambda'; it takes"),
        ({"name": "quire", "lam": -1}, "strategies[0]: quire: lam is -1; give a positive number"),
    ],
)
def test_an_experiment_tells_what_is_wrong_inside(inside: Any, why: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        experiment({"name": "subsample", "strategy": inside})
    (problem,) = caught.value.problems
    assert problem.startswith(why)


def test_a_run_depends_on_the_version_of_what_is_inside() -> None:
    pytest.importorskip("alcore_skactiveml")
    data = [{"name": "synthetic.clouds", "n": 30}]
    run, other = (
        plan(experiment({"name": "explore", "strategy": name}, datasets=data), plugins.loaded().registry)[0].config
        for name in ("skactiveml.typiclust", "margin")
    )
    assert "alcore-skactiveml" in run["versions"]
    assert "skactiveml" in run["versions"]
    assert "alcore-skactiveml" not in other["versions"]


# --- what is passed on -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["explore", "subsample"])
def test_setup_and_updates_are_passed_on(name: str) -> None:
    more = {"epsilon": 0.0} if name == "explore" else {"pool": "whole"}
    strategy = make({"name": name, "strategy": Logged, **more})[1]
    asked = run(strategy)
    log = strategy.inner[0].log  # type: ignore[attr-defined]
    assert log[::2].count("setup") == 0 or log[0] == "setup"
    assert [one for one in log if isinstance(one, str)] == ["setup", "update", "query", "update", "query", "update"]
    assert [one for one in log if isinstance(one, list)][::2] == [[0, 20, 40], *asked]


def test_every_part_has_a_generator_of_its_own() -> None:
    class Noisy(Outer):
        __alcore_spec__ = spec_of(Logged)

        def setup(self, pool: Pool, rng: Generator) -> None:
            super().setup(pool, rng)
            self.own = [rng.random()]

        def query(self, view: View, n: int) -> Rows:
            self.own.append(view.rng.random())
            found = [ask(one, spec, view.among(), n) for one, spec in zip(self.inner, self.specs, strict=True)]
            return found[0]

    outer = Noisy([Logged, Logged], {})
    run(outer)
    drawn = [*outer.own, *(x for one in outer.inner for x in one.log if isinstance(x, float))]  # type: ignore[attr-defined]
    assert len(drawn) == 3 + 2 * 3
    assert len(set(drawn)) == len(drawn)
    again = Noisy([Logged, Logged], {})
    run(again)
    assert again.own == outer.own
    assert [one.log for one in again.inner] == [one.log for one in outer.inner]  # type: ignore[attr-defined]


def test_the_truth_is_passed_on_where_it_is_needed() -> None:
    strategy = make({"name": "explore", "strategy": Told, "epsilon": 0.0})[1]
    spec = make({"name": "explore", "strategy": Told})[0]
    assert (spec.truth, spec.batch) == (True, "single")
    assert isinstance(strategy, NeedsTruth)
    assert run(strategy, batch=1, budget=2) == [[len(X) - 1], [len(X) - 2]]
    assert not isinstance(make("explore")[1], NeedsTruth)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("strategy", [{"name": "explore", "strategy": Told}, "mixture", "subsample"])
def test_it_can_be_copied(copied: Any, strategy: Any) -> None:
    made = make(strategy)[1]
    twin = copied(made)
    assert run(twin, batch=1) == run(made, batch=1)
    assert isinstance(twin, NeedsTruth) == isinstance(made, NeedsTruth)
    if isinstance(twin, NeedsTruth):
        assert twin.reveal.__self__ is twin  # type: ignore[attr-defined]


def test_a_part_that_answers_wrongly_is_named() -> None:
    with pytest.raises(StrategyError, match=r"toy\.twice answered row 1 more than once"):
        run(make({"name": "explore", "strategy": twice, "epsilon": 0.0})[1])


def test_a_part_that_scores_wrongly_is_named() -> None:
    @alcore.scores("toy.short", summary="Too few", learner=False)
    def short(view: View) -> Any:
        return np.zeros(len(view.unlabeled) - 1)

    spec, strategy = make(short)
    pool = Pool(X, Task.CLASSIFICATION, range(3))
    view = alcore.state.State(pool, strategy, Recipe(lambda: None), seed=0).view()  # type: ignore[attr-defined]
    with pytest.raises(StrategyError, match=r"toy\.short gave"):
        scores(strategy, spec, view)
