"""Parameters decide what some strategies need: the spec that counts is the one with the parameters given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from numpy.random import Generator
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import alcore
from alcore import plugins
from alcore.decorators import spec_of
from alcore.errors import InputError, PairingError, UnavailableError
from alcore.execute import execute
from alcore.experiment import Experiment, ExperimentError, parse
from alcore.pairing import Facts, as_strategy, mismatch
from alcore.plan import plan
from alcore.pool import Pool
from alcore.registry import Registry
from alcore.results import Run
from alcore.spec import StrategySpec
from alcore.testing import check_strategy
from alcore.types import Rows, Task
from alcore.view import View

KINDS: dict[str, dict[str, Any]] = {
    "binary": {"max_classes": 2, "parts": ("toy.inner",)},
    "unsure": {"needs": ("proba",), "parts": ("toy.inner", "margin")},
    "lone": {"batch": "single", "resumable": False},
    "guess": {"learner": False},
    "numbers": {"tasks": {"regression"}},
}


def adapted(params: Mapping[str, Any]) -> Mapping[str, Any]:
    if params["kind"] == "absent":
        raise UnavailableError("the kind 'absent' needs a package: pip install absent")
    if params["kind"] not in KINDS:
        raise InputError(f"no kind is called {params['kind']!r}")
    return KINDS[params["kind"]]


@alcore.strategy("toy.outer", summary="A toy", adapt=adapted)
class Outer:
    def __init__(self, kind: str = "guess", offset: int = 0) -> None:
        self.kind, self.offset = kind, offset

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.asked = 0

    def query(self, view: View, n: int) -> Rows:
        self.asked += self.kind == "lone"  # not resumable: what it asks depends on what it asked
        return view.unlabeled[self.offset + self.asked :][:n]


@alcore.selects("toy.function", summary="A toy", adapt=adapted)
def function(view: View, n: int, *, kind: str = "guess") -> Rows:
    return view.unlabeled[:n]


@alcore.selects("toy.inner", summary="A toy")
def inner(view: View, n: int) -> Rows:
    return view.unlabeled[:n]


OUTER = spec_of(Outer)
SMALL = {"name": "x", "datasets": ["sklearn.iris"], "learners": ["lda"], "seeds": [0], "budget": 4, "batch": 1}


@pytest.fixture
def registry() -> Registry:
    """The plugins' registry, with the toys."""
    own = plugins.loaded().registry.copy()
    own.add([OUTER, spec_of(function)], "toys", "1")
    own.add([spec_of(inner)], "inner-toys", "7")
    return own


def outer(kind: str, **more: Any) -> dict[str, Any]:
    return {"name": "toy.outer", "kind": kind} | more


def made(registry: Registry, *strategies: Any, **keys: Any) -> Experiment:
    return parse(SMALL | {"strategies": list(strategies)} | keys, registry)


def mistakes(registry: Registry, *strategies: Any, **keys: Any) -> list[str]:
    with pytest.raises(ExperimentError) as caught:
        made(registry, *strategies, **keys)
    return caught.value.problems


# --- the spec --------------------------------------------------------------------------------------------------------


def test_parameters_change_the_fields_that_depend_on_them() -> None:
    given = OUTER.given({"kind": "binary"})
    assert isinstance(given, StrategySpec)
    assert (given.name, given.max_classes, given.parts, given.batch) == ("toy.outer", 2, ("toy.inner",), "native")
    assert OUTER.given({"kind": "numbers"}).tasks == {Task.REGRESSION}


def test_defaults_are_parameters_too() -> None:
    assert (OUTER.learner, OUTER.given({"offset": 3}).learner) == (True, False)


def test_a_given_spec_makes_the_same_thing_and_stays_as_it_is() -> None:
    given = OUTER.given({"kind": "binary"})
    assert given.given({"kind": "lone"}) is given
    assert given.build(kind="binary", offset=2).offset == 2


def test_without_adapt_a_spec_is_its_own() -> None:
    spec = spec_of(inner)
    assert spec.given({"nonsense": 1}) is spec


def test_wrong_parameters_are_told() -> None:
    with pytest.raises(InputError, match=r"toy\.outer has no parameter 'kid'"):
        OUTER.given({"kid": "binary"})
    with pytest.raises(InputError, match="no kind is called 'x'"):
        OUTER.given({"kind": "x"})


def test_it_can_be_listed() -> None:
    assert OUTER.to_json()["parts"] == []
    assert "adapt" not in OUTER.to_json()


# --- wrong pairings --------------------------------------------------------------------------------------------------


def test_what_parameters_need_is_refused_with_its_parts(registry: Registry) -> None:
    facts = Facts("flowers", Task.CLASSIFICATION, 3)
    assert mismatch(registry, facts, "toy.outer", "lda", "lda", batch=9) == []
    (misfit,) = mismatch(registry, facts, "toy.outer", "lda", "lda", params={"kind": "binary"})
    assert misfit.why.startswith("strategy toy.outer of toy.inner takes 2 classes at most; flowers has 3. Use '")
    (misfit,) = mismatch(registry, facts, "toy.outer", "rbf-svm", "lda", params={"kind": "unsure"})
    assert misfit.why.startswith("toy.outer of toy.inner and margin needs proba; rbf-svm offers predict and decision.")


def test_an_experiment_refuses_them_where_they_stand(registry: Registry) -> None:
    told = mistakes(registry, "toy.outer", outer("binary"), outer("lone"), batch=5)
    assert [one.split(": ")[0] for one in told] == ["strategies[1] with datasets[0]", "strategies[2] with batch"]


def test_an_experiment_tells_a_wrong_parameter_once(registry: Registry) -> None:
    (problem,) = mistakes(registry, outer("x"))
    assert problem.startswith("strategies[0]: no kind is called 'x'")
    (problem,) = mistakes(registry, outer("absent"))
    assert problem.startswith("strategies[0]: the kind 'absent' needs a package: pip install absent")


def test_a_plan_refuses_what_only_the_data_tell(registry: Registry) -> None:
    keys = {"datasets": [{"name": "synthetic.clouds", "n": 30}], "learners": ["ridge"]}
    with pytest.raises(ExperimentError, match=r"strategy toy\.outer serves regression"):
        plan(made(registry, outer("numbers"), **keys), registry)


@pytest.mark.parametrize("how", ["by parameters", "an object's own", "a function's own"])
def test_a_simulation_refuses_them(how: str) -> None:
    X, y = load_iris(return_X_y=True)
    strategy: Any = {"by parameters": Outer, "an object's own": Outer("binary"), "a function's own": function}[how]
    params = {"kind": "binary"}
    if how == "an object's own":  # a class that knows its parameters says so on the object
        strategy.__alcore_spec__, params = OUTER.given(params), {}
    if how == "a function's own":
        strategy, params = spec_of(function).build(**params), {}
    with pytest.raises(PairingError, match=r"of toy\.inner takes 2 classes at most; this pool has 3"):
        alcore.simulate(X, y, strategy=strategy, strategy_params=params, learner=GaussianNB(), budget=2)


def test_a_session_refuses_them() -> None:
    X = load_iris().data
    session = alcore.Session(X, strategy=Outer, strategy_params={"kind": "lone"}, learner=GaussianNB(), classes=[0, 1])
    session.tell([0, 60], [0, 1])
    with pytest.raises(PairingError, match=r"toy\.outer chooses one row at a time; n is 2"):
        session.ask(2)
    with pytest.raises(PairingError, match=r"toy\.outer of toy\.inner and margin needs proba; KMeans offers predict"):
        alcore.Session(X, strategy=Outer, strategy_params={"kind": "unsure"}, learner=KMeans(), classes=[0, 1])


def test_a_strategy_comes_with_the_spec_of_its_parameters(registry: Registry) -> None:
    spec, strategy = as_strategy(registry, "toy.outer", {"kind": "lone", "offset": 1})
    assert spec is not None
    assert (spec.batch, spec.resumable) == ("single", False)
    assert isinstance(strategy, Outer)
    assert strategy.offset == 1


# --- runs ------------------------------------------------------------------------------------------------------------


def test_a_strategy_that_needs_no_learner_can_start_without_labels(registry: Registry) -> None:
    start = {"start": {"size": 0}}
    assert plan(made(registry, "toy.outer", **start), registry)
    with pytest.raises(ExperimentError, match=r"toy\.outer\(kind=unsure\) needs a learner, and nothing is labelled"):
        plan(made(registry, outer("unsure"), **start), registry)


def test_versions_are_those_of_the_parts_too(registry: Registry) -> None:
    def versions(*strategies: Any) -> Any:
        return plan(made(registry, *strategies, datasets=[{"name": "synthetic.clouds", "n": 30}]), registry)[0].config

    assert "inner-toys" not in versions("toy.outer")["versions"]
    assert versions(outer("unsure"))["versions"]["inner-toys"] == "7"


def test_a_run_is_resumed_only_if_its_parameters_allow_it(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "loaded", lambda: plugins.Plugins(registry, [], plugins.load([]).manager))

    def resumed(run: Run) -> list[list[int]]:
        whole = execute(run)
        assert whole.reason == "budget_reached"
        mixed = [*whole.records[:1], *whole.records[2:3]]  # not what the run did: taken over, or not
        mixed[1] = alcore.Record(1, mixed[1].rows, mixed[1].labels, mixed[1].n_labeled - 1)
        again = execute(run, replay=mixed)
        return [record.rows.tolist() for record in again.records[1:]]

    guess, lone = plan(made(registry, "toy.outer", outer("lone")), registry)
    assert resumed(guess)[0] != execute(guess).records[1].rows.tolist()
    assert resumed(lone) == [record.rows.tolist() for record in execute(lone).records[1:]]


def test_the_conformance_suite_judges_the_spec_of_the_parameters() -> None:
    report = check_strategy(OUTER, params={"kind": "guess"}, only=["learner-unused-if-declared"])
    assert [result.status for result in report] == ["passed"]
    report = check_strategy(OUTER, params={"kind": "binary"}, only=["learner-unused-if-declared"])
    assert [result.status for result in report] == ["skipped"]


def test_unknown_kinds_are_no_spec() -> None:
    with pytest.raises(InputError, match="no kind is called 'x'"):
        check_strategy(OUTER, params={"kind": "x"})
