"""When each stop rule stops, what it says, and what it refuses."""

from __future__ import annotations

import inspect
import math
import pickle
from typing import Any

import numpy as np
import pytest

from alcore.builtin.stop_rules import specs
from alcore.errors import InputError
from alcore.protocols import History, Record, StopRule

SPECS = {spec.name: spec for spec in specs()}
NO_ROWS = np.empty(0, dtype=np.intp)


def rule(name: str, **params: Any) -> StopRule:
    built: StopRule = SPECS[name].build(**params)
    return built


def history(*values: float | None, metric: str = "accuracy", pool_size: int = 100) -> History:
    """Return rounds with these values of a metric, None = not scored; 10 labelled rows at the start, 1 more a round."""
    records = [
        Record(t, NO_ROWS, NO_ROWS, 10 + t, {} if value is None else {metric: value, "f1-macro": 0.5})
        for t, value in enumerate(values)
    ]
    return History(records, pool_size)


RULES = {
    "target": {"metric": "accuracy", "value": 0.9},
    "plateau": {"metric": "accuracy", "rounds": 2},
    "share": {"share": 0.5},
}


def test_the_three_rules_are_listed() -> None:
    assert set(SPECS) == set(RULES)


def test_parameters_and_their_defaults() -> None:
    empty = inspect.Parameter.empty
    assert SPECS["target"].parameters() == {"metric": empty, "value": empty, "greater_is_better": True}
    assert SPECS["plateau"].parameters() == {
        "metric": empty, "rounds": 10, "tolerance": 1e-3, "greater_is_better": True,
    }  # fmt: skip
    assert SPECS["share"].parameters() == {"share": empty}


@pytest.mark.parametrize("name", RULES)
def test_no_round_is_no_reason(name: str) -> None:
    assert rule(name, **RULES[name])(history()) is None


@pytest.mark.parametrize("name", RULES)
def test_a_rule_can_be_sent_to_a_worker(name: str) -> None:
    made = rule(name, **RULES[name])
    assert pickle.loads(pickle.dumps(made)) == made


# -------------------------------------------------------------------------------------------------------------- target


def test_target_goes_on_below_the_value() -> None:
    assert rule("target", metric="accuracy", value=0.9)(history(0.5, 0.89)) is None


@pytest.mark.parametrize("reached", [0.9, 0.95])
def test_target_stops_at_or_above_the_value_and_says_so(reached: float) -> None:
    reason = rule("target", metric="accuracy", value=0.9)(history(0.5, reached))
    assert reason == f"accuracy reached {reached} (target 0.9)"


def test_target_looks_at_the_newest_round() -> None:
    assert rule("target", metric="accuracy", value=0.9)(history(0.95, 0.8)) is None


def test_target_looks_past_rounds_that_were_not_scored() -> None:
    assert rule("target", metric="accuracy", value=0.9)(history(0.5, 0.92, None)) is not None


def test_target_of_a_loss_stops_at_or_below_the_value() -> None:
    loss = rule("target", metric="log-loss", value=0.3, greater_is_better=False)
    assert loss(history(0.5, 0.31, metric="log-loss")) is None
    assert loss(history(0.5, 0.3, metric="log-loss")) == "log-loss reached 0.3 (target 0.3)"


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_target_is_not_reached_by_nan(greater_is_better: bool) -> None:
    made = rule("target", metric="accuracy", value=0.9, greater_is_better=greater_is_better)
    assert made(history(math.nan)) is None


# ------------------------------------------------------------------------------------------------------------- plateau


def test_plateau_waits_for_its_rounds_and_one_before_them() -> None:
    made = rule("plateau", metric="accuracy", rounds=3)
    assert made(history(0.5, 0.5, 0.5)) is None
    assert made(history(0.5, 0.5, 0.5, 0.5)) is not None


def test_plateau_says_what_has_not_happened() -> None:
    reason = rule("plateau", metric="accuracy", rounds=2)(history(0.7, 0.75, 0.74, 0.7505))
    assert reason == "accuracy has not improved by more than 0.001 in the last 2 rounds (best 0.7505)"


def test_plateau_goes_on_while_one_of_the_last_rounds_is_better() -> None:
    assert rule("plateau", metric="accuracy", rounds=3)(history(0.5, 0.7, 0.5, 0.5)) is None


def test_plateau_compares_with_the_best_before_and_not_the_last_before() -> None:
    """0.6 is better than 0.5, but 0.8 was had before."""
    assert rule("plateau", metric="accuracy", rounds=2)(history(0.8, 0.5, 0.6, 0.6)) is not None


@pytest.mark.parametrize(("tolerance", "stops"), [(0.125, True), (0.124, False), (0, False)])
def test_plateau_stops_at_an_improvement_no_larger_than_the_tolerance(tolerance: float, stops: bool) -> None:
    made = rule("plateau", metric="accuracy", rounds=1, tolerance=tolerance)
    assert (made(history(0.5, 0.625)) is not None) is stops


def test_plateau_without_tolerance_stops_at_equal_values() -> None:
    assert rule("plateau", metric="accuracy", rounds=1, tolerance=0)(history(0.5, 0.5)) is not None


def test_plateau_of_a_loss_wants_it_to_fall() -> None:
    made = rule("plateau", metric="mse", rounds=2, greater_is_better=False)
    assert made(history(3.0, 1.0, 3.0, metric="mse")) is None
    reason = made(history(3.0, 1.0, 2.0, 4.0, metric="mse"))
    assert reason == "mse has not improved by more than 0.001 in the last 2 rounds (best 1)"


@pytest.mark.parametrize("gap", [None, math.nan])
def test_plateau_does_not_count_rounds_without_a_value(gap: float | None) -> None:
    made = rule("plateau", metric="accuracy", rounds=2)
    assert made(history(0.5, gap, 0.5, gap)) is None
    assert made(history(0.5, gap, 0.5, gap, 0.5)) is not None


def test_plateau_of_a_metric_that_is_always_nan_goes_on() -> None:
    assert rule("plateau", metric="accuracy", rounds=1)(history(*[math.nan] * 5)) is None


# --------------------------------------------------------------------------------------------------------------- share


def test_share_stops_when_that_share_of_the_pool_is_labelled() -> None:
    made = rule("share", share=0.12)
    assert made(history(0.5, 0.5)) is None
    assert made(history(0.5, 0.5, 0.5)) == "12 of 100 rows are labelled (share 0.12)"


def test_share_stops_at_the_very_row_despite_rounding() -> None:
    def first_stop(share: float) -> int:
        made = rule("share", share=share)
        return next(n for n in range(101) if made(History([Record(0, NO_ROWS, NO_ROWS, n)], 100)))

    assert [first_stop(float(f"0.{percent:02}")) for percent in range(1, 100)] == list(range(1, 100))


def test_share_needs_no_metric() -> None:
    assert rule("share", share=0.1)(history(None)) is not None


# -------------------------------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize("name", ["target", "plateau"])
def test_a_metric_that_is_not_recorded_is_refused_with_those_that_are(name: str) -> None:
    made = rule(name, **RULES[name] | {"metric": "acuracy"})
    with pytest.raises(
        InputError, match=rf"'{name}' watches the metric 'acuracy'; this run records accuracy, f1-macro.*'accuracy'\?"
    ):
        made(history(0.5, None))


@pytest.mark.parametrize("name", ["target", "plateau"])
def test_a_run_that_records_no_metric_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="this run records no metric"):
        rule(name, **RULES[name])(history(None))


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("target", {"metric": "", "value": 1}, "target: metric is ''"),
        ("target", {"metric": 3, "value": 1}, "target: metric is 3"),
        ("target", {"metric": "accuracy", "value": "0.9"}, "target: value is '0.9'"),
        ("target", {"metric": "accuracy", "value": math.nan}, "target: value is nan"),
        ("target", {"metric": "accuracy", "value": True}, "target: value is True"),
        ("target", {"metric": "mse", "value": 1, "greater_is_better": "no"}, "target: greater_is_better is 'no'"),
        ("plateau", {"metric": None}, "plateau: metric is None"),
        ("plateau", {"metric": "accuracy", "rounds": 0}, "plateau: rounds is 0"),
        ("plateau", {"metric": "accuracy", "rounds": 2.5}, "plateau: rounds is 2.5"),
        ("plateau", {"metric": "accuracy", "rounds": True}, "plateau: rounds is True"),
        ("plateau", {"metric": "accuracy", "tolerance": -0.1}, "plateau: tolerance is -0.1"),
        ("plateau", {"metric": "accuracy", "tolerance": math.inf}, "plateau: tolerance is inf"),
        ("plateau", {"metric": "accuracy", "greater_is_better": 1}, "plateau: greater_is_better is 1"),
        ("share", {"share": 0}, "share: share is 0"),
        ("share", {"share": 1.1}, "share: share is 1.1"),
        ("share", {"share": math.nan}, "share: share is nan"),
        ("share", {"share": "0.5"}, "share: share is '0.5'"),
    ],
)
def test_a_wrong_parameter_is_refused_when_the_rule_is_made(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        rule(name, **params)
    assert str(caught.value).startswith(message)


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(InputError, match="target needs the parameter 'value'"):
        SPECS["target"].build(metric="accuracy")
