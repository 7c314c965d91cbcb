"""Functions and classes become strategies and metrics, and stay functions and classes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from alcore.decorators import comparison_metric, curve_metric, round_metric, scores, selects, spec_of, strategy
from alcore.errors import InputError, StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.protocols import Curve, Scored, Strategy
from alcore.spec import MetricSpec, StrategySpec
from alcore.state import State
from alcore.types import Growth, Task
from alcore.view import View


@scores("toy.far", summary="The rows far from a point", needs=("proba",), growth=Growth.QUADRATIC)
def far(view: View, centre: float = 0.0, *, power: int = 1) -> Any:
    return abs(view.pool.X[view.unlabeled, 0] - centre) ** power


@selects("toy.first", summary="The first rows", learner=False)
def first(view: View, n: int, *, skip: int = 0) -> Any:
    return view.unlabeled[skip : skip + n]


@strategy("toy.last", summary="The last rows", tasks="regression")
class Last:
    def __init__(self, step: int = 1) -> None:
        self.step = step

    def query(self, view: View, n: int) -> Any:
        return view.unlabeled[:: -self.step][:n]


@strategy("toy.counting", summary="Counts what is labelled")
class Counting(Last):
    def update(self, rows: Any, labels: Any) -> None:
        self.count = len(rows)


@round_metric("toy.accuracy", summary="How many are right", tasks={Task.CLASSIFICATION})
def accuracy(scored: Scored, *, scale: float = 1.0) -> float:
    return scale * float((scored.y == scored.pred).mean())


@curve_metric("toy.last-value", summary="The last value")
def last_value(curve: Curve, *, power: int = 1) -> float:
    return float(curve.values[-1]) ** power


@comparison_metric("toy.gap", summary="Distance to the baseline", greater_is_better=False)
def gap(curves: Any, baseline: str, *, scale: float = 1.0) -> dict[str, float]:
    return {name: scale * (value - curves[baseline]) for name, value in curves.items()}


DECORATED = [far, first, Last, Counting, accuracy, last_value, gap]
SCORED = Scored(Task.CLASSIFICATION, 2, np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
CURVE = Curve(np.array([1.0, 2.0]), np.array([0.25, 0.5]))


def view_of(ties: Any = "first") -> View:
    X = np.array([[0.0], [1.0], [-5.0], [3.0], [2.0], [3.0]])
    state = State(Pool(X, classes="ab"), Last(), Recipe(GaussianNB()), seed=0, ties=ties)
    state.add(np.array([4, 0]), np.array([0, 1]), start=True)
    return state.view()


# --- functions stay functions --------------------------------------------------------------------------------------


def test_decorated_functions_stay_callable() -> None:
    assert far(view_of(), centre=1.0, power=2).tolist() == [0.0, 36.0, 4.0, 4.0]
    assert first(view_of(), 2, skip=1).tolist() == [2, 3]
    assert Last(2).step == 2
    assert accuracy(SCORED) == 0.75
    assert last_value(CURVE, power=2) == 0.25
    assert gap({"a": 1.0, "b": 3.0}, "a") == {"a": 0.0, "b": 2.0}


@pytest.mark.parametrize("thing", DECORATED, ids=lambda thing: thing.__name__)
def test_decorated_things_are_picklable(thing: Any) -> None:
    assert pickle.loads(pickle.dumps(thing)) is thing


@pytest.mark.parametrize("thing", DECORATED, ids=lambda thing: thing.__name__)
def test_their_specs_are_picklable(thing: Any) -> None:
    spec = spec_of(thing)
    copy = pickle.loads(pickle.dumps(spec))
    assert copy.to_json() == spec.to_json()
    assert copy.parameters() == spec.parameters()


def test_a_strategy_that_was_built_is_picklable() -> None:
    copy = pickle.loads(pickle.dumps(spec_of(far).build(centre=1.0)))
    assert copy.query(view_of(), 1).tolist() == [2]
    assert repr(copy) == "far(centre=1.0)"


# --- strategies ----------------------------------------------------------------------------------------------------


def test_a_scores_strategy_asks_for_the_largest_scores() -> None:
    built = spec_of(far).build(centre=1.0)
    assert isinstance(built, Strategy)
    assert built.query(view_of(), 3).tolist() == [2, 3, 5]
    assert built.scores(view_of()).tolist() == [0.0, 6.0, 2.0, 2.0]


def test_a_scores_strategy_breaks_ties_as_the_view_does() -> None:
    built = spec_of(far).build()
    answers = [built.query(view_of("random"), 3).tolist() for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0][0] == 2
    assert set(answers[0]) == {2, 3, 5}


def test_a_selects_strategy_asks_for_what_the_function_selects() -> None:
    assert spec_of(first).build(skip=1).query(view_of(), 2).tolist() == [2, 3]


def test_a_selects_strategy_has_no_scores() -> None:
    with pytest.raises(StrategyError, match="first selects rows and has no scores"):
        spec_of(first).build().scores(view_of())


def test_a_class_is_built_anew_each_time() -> None:
    one, other = spec_of(Last).build(step=2), spec_of(Last).build(step=2)
    assert one is not other
    assert one.query(view_of(), 2).tolist() == [5, 2]


def test_two_strategies_of_one_function_have_their_own_parameters() -> None:
    one, other = spec_of(far).build(centre=1.0), spec_of(far).build(centre=-9.0)
    assert one.query(view_of(), 1).tolist() == [2]
    assert other.query(view_of(), 1).tolist() == [3]


@pytest.mark.parametrize(
    ("thing", "parameters"),
    [
        (far, {"centre": 0.0, "power": 1}),
        (first, {"skip": 0}),
        (Last, {"step": 1}),
        (accuracy, {"scale": 1.0}),
        (last_value, {"power": 1}),
        (gap, {"scale": 1.0}),
    ],
)
def test_parameters_are_what_alcore_does_not_give(thing: Any, parameters: dict[str, Any]) -> None:
    assert spec_of(thing).parameters() == parameters


@pytest.mark.parametrize("given", ["view", "n", "curves", "scored"])
@pytest.mark.parametrize("thing", DECORATED, ids=lambda thing: thing.__name__)
def test_what_alcore_gives_is_no_parameter(thing: Any, given: str) -> None:
    with pytest.raises(InputError, match=f"has no parameter '{given}'"):
        spec_of(thing).build(**{given: 1})


def test_a_parameter_without_a_default_must_be_given() -> None:
    @scores("toy.needy", summary="Needs a parameter")
    def needy(view: View, *, k: int) -> Any:
        return np.full(len(view.unlabeled), k)

    assert spec_of(needy).build(k=2).query(view_of(), 1).tolist() == [1]
    with pytest.raises(InputError, match=r"toy\.needy needs the parameter 'k'"):
        spec_of(needy).build()


def test_capabilities_are_in_the_spec() -> None:
    scored, selected, made = spec_of(far), spec_of(first), spec_of(Last)
    assert isinstance(scored, StrategySpec)
    assert (scored.name, scored.summary) == ("toy.far", "The rows far from a point")
    assert (scored.needs, scored.growth, scored.batch) == (("proba",), Growth.QUADRATIC, "top")
    assert (selected.learner, selected.batch) == (False, "native")
    assert made.tasks == {Task.REGRESSION}


def test_a_class_with_update_is_stateful_unless_it_says_otherwise() -> None:
    @strategy("toy.stateless", summary="Updates nothing that matters", stateful=False)
    class Stateless(Counting):
        pass

    assert [spec_of(cls).stateful for cls in (Last, Counting, Stateless)] == [False, True, False]


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [lambda: None, lambda *, view: None, lambda **rest: None])
def test_scores_must_take_the_view(function: Any) -> None:
    with pytest.raises(InputError, match=r"must take \(view\) and its own parameters after that, by keyword"):
        scores("toy.wrong", summary="Wrong")(function)


@pytest.mark.parametrize("function", [lambda: None, lambda view: None, lambda view, *, n: None, lambda n, **rest: None])
def test_selects_must_take_the_view_and_n(function: Any) -> None:
    with pytest.raises(InputError, match=r"must take \(view, n\) and its own parameters after that"):
        selects("toy.wrong", summary="Wrong")(function)


@pytest.mark.parametrize(
    ("decorate", "function", "takes"),
    [
        (round_metric, lambda: 0.0, "scored"),
        (curve_metric, lambda *, power: 0.0, "curve"),
        (comparison_metric, lambda curves: {}, "curves, baseline"),
    ],
)
def test_a_metric_must_take_what_it_scores(decorate: Any, function: Any, takes: str) -> None:
    with pytest.raises(InputError, match=rf"must take \({takes}\)"):
        decorate("toy.wrong", summary="Wrong")(function)


def test_a_strategy_class_must_have_a_query() -> None:
    with pytest.raises(InputError, match=r"Wrong has no query\(self, view, n\); a strategy has one"):

        @strategy("toy.wrong", summary="Wrong")
        class Wrong:
            def ask(self) -> None: ...


@pytest.mark.parametrize("decorate", [scores, selects, round_metric, curve_metric, comparison_metric])
def test_an_unknown_capability_is_refused(decorate: Any) -> None:
    with pytest.raises(TypeError, match="colour"):
        decorate("toy.wrong", summary="Wrong", colour="red")(lambda view, n: None)


@pytest.mark.parametrize("thing", [np.mean, Recipe, "margin", None, lambda view: None])
def test_what_is_not_decorated_has_no_spec(thing: Any) -> None:
    with pytest.raises(InputError, match="is no Spec, nor decorated as one"):
        spec_of(thing)


def test_a_spec_is_its_own_spec() -> None:
    spec = spec_of(far)
    assert spec_of(spec) is spec


# --- metrics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "scope"), [(accuracy, "round"), (last_value, "curve"), (gap, "comparison")])
def test_a_metric_knows_what_it_scores(metric: Any, scope: str) -> None:
    spec = spec_of(metric)
    assert isinstance(spec, MetricSpec)
    assert spec.scope == scope
    assert spec.greater_is_better is (metric is not gap)


def test_a_metric_without_parameters_is_the_function_itself() -> None:
    assert [spec_of(metric).build() for metric in (accuracy, last_value, gap)] == [accuracy, last_value, gap]


def test_a_metric_with_parameters_is_called_with_them() -> None:
    assert spec_of(accuracy).build(scale=100.0)(SCORED) == 75.0
    assert spec_of(last_value).build(power=2)(CURVE) == 0.25
    assert spec_of(gap).build(scale=2.0)({"a": 1.0, "b": 3.0}, "a") == {"a": 0.0, "b": 4.0}


def test_a_metric_that_was_built_is_picklable() -> None:
    assert pickle.loads(pickle.dumps(spec_of(accuracy).build(scale=100.0)))(SCORED) == 75.0
