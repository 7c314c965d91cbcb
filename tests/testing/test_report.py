"""The suite as others use it: by name, with excuses, as a report, and as tests of their own."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

import alcore
from alcore.decorators import spec_of
from alcore.errors import InputError, UnavailableError, UnknownNameError
from alcore.registry import Registry
from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, Spec, StrategySpec
from alcore.testing import CheckStatus, check, check_learner, check_metric, check_strategy, checks, checks_for
from alcore.testing.strategies.bench import StrategyBench
from alcore.testing.suite import Suite, on, require
from alcore.view import View


@alcore.scores("mine.far", summary="Far from the origin", learner=False)
def far(view: View) -> Any:
    return np.abs(view.pool.features[view.unlabeled]).sum(axis=1)


@alcore.scores("mine.loud", summary="Prints", learner=False)
def loud(view: View) -> Any:
    print("out loud")
    warnings.warn("careful", UserWarning, stacklevel=1)
    return far(view)


def registry(*specs: Spec) -> Registry:
    made = Registry()
    made.add(specs, "mine", "1")
    return made


def spec(cls: Any = StrategySpec, name: str = "mine.thing", **fields: Any) -> Any:
    return cls(name=name, summary="Something", make=fields.pop("make", object), **fields)


# A report


def test_a_report_lists_every_check_in_order() -> None:
    report = check_strategy(far)

    assert [result.check for result in report] == list(checks("strategy"))


def test_a_report_is_not_ok_if_a_check_failed() -> None:
    report = check_strategy(loud)

    assert (report.ok, report.failed) == (False, ["no-output", "no-warnings"])


def test_a_failed_check_says_what_happened_where() -> None:
    reason = next(result.reason for result in check_strategy(loud) if result.check == "no-output")

    assert reason.startswith("3 classes: it wrote 'out loud")


def test_a_report_reads_as_text() -> None:
    text = str(check_strategy(loud, only=["no-output", "replay", "stateful-if-declared", "uniform-if-declared"]))

    first, *lines = text.splitlines()
    assert first == "strategy mine.loud: 2 passed, 1 failed, 1 skipped"
    assert lines[0] == "  skipped  uniform-if-declared   not declared uniform"
    assert "Rule: Write nothing to stdout or stderr" in text


def test_a_report_becomes_json() -> None:
    found = json.loads(json.dumps(check_strategy(loud, only=["answers", "no-output"]).to_json()))

    assert (found["kind"], found["name"], found["ok"]) == ("strategy", "mine.loud", False)
    assert [(one["check"], one["status"]) for one in found["checks"]] == [
        ("answers", "passed"),
        ("no-output", "failed"),
    ]
    assert set(found["checks"][0]) == {"check", "status", "reason", "seconds", "rule"}


def test_a_report_is_a_sequence() -> None:
    report = check_strategy(far, only=["answers", "replay"])

    assert (len(report), report[1].check, report[0].status) == (2, "replay", CheckStatus.PASSED)


def test_every_rule_is_one_line_of_text() -> None:
    for kind in ("strategy", "learner", "metric"):
        for name, rule in checks(kind).items():
            assert rule.endswith("."), name
            assert "\n" not in rule, name


# Dependent checks


@alcore.selects("mine.empty", summary="Never answers", learner=False)
def empty(view: View, n: int) -> Any:
    return view.unlabeled[:0]


def test_nothing_else_is_judged_where_the_first_rule_is_broken() -> None:
    first, *others = check_strategy(empty)

    assert first.status is CheckStatus.FAILED
    assert {result.status for result in others} == {CheckStatus.SKIPPED}
    assert {result.reason for result in others} == {"cannot be judged where answers is broken"}


def test_what_cannot_be_judged_blocks_what_depends_on_it() -> None:
    @alcore.scores("mine.needs-spread", summary="Divides by the spread", learner=False)
    def needs_spread(view: View) -> Any:
        return far(view) / np.where(np.ptp(view.pool.features, axis=0) > 0, 1, np.nan).sum()

    found = {result.check: result for result in check_strategy(needs_spread)}

    assert found["constant-column"].status is CheckStatus.FAILED
    assert found["identical-rows"].reason == "cannot be judged where constant-column is broken"
    assert found["ties-are-not-file-order"].reason == "cannot be judged where identical-rows is broken"


# Excuses


def test_an_excused_check_does_not_make_the_report_fail() -> None:
    report = check_strategy(loud, excuses={"no-output": "that is how it is", "no-warnings": "known"})

    assert report.ok
    result = next(result for result in report if result.check == "no-output")
    assert result.status is CheckStatus.EXCUSED
    assert result.reason.startswith("that is how it is (3 classes: it wrote")


def test_an_excuse_that_is_not_needed_is_a_failure() -> None:
    report = check_strategy(far, excuses={"picklable": "it was not, once"})

    assert report.failed == ["picklable"]
    reason = next(result.reason for result in report if result.check == "picklable")
    assert reason == "passes: its excuse is no longer needed (it was not, once)"


def test_an_excuse_for_a_check_that_does_not_apply_changes_nothing() -> None:
    report = check_strategy(far, only=["uniform-if-declared"], excuses={"uniform-if-declared": "not meant to be"})

    assert report[0].status is CheckStatus.SKIPPED


def test_an_excuse_names_a_check() -> None:
    with pytest.raises(InputError, match=r"there is no check 'pickleable'. Did you mean 'picklable'"):
        check_strategy(far, excuses={"pickleable": "no"})


def test_an_excuse_has_a_reason() -> None:
    with pytest.raises(InputError, match=r"the excuse of 'picklable' is empty"):
        check_strategy(far, excuses={"picklable": " "})


def test_only_names_checks() -> None:
    with pytest.raises(InputError, match=r"there is no check 'answer'"):
        check_strategy(far, only=["answer"])


# What is checked


def test_by_name_from_a_registry() -> None:
    assert check("mine.far", registry=registry(spec_of(far)), only=["answers"]).ok


def test_by_spec() -> None:
    assert check_strategy(spec_of(far), only=["answers"]).ok


def test_the_kind_is_found_by_name() -> None:
    from sklearn.naive_bayes import GaussianNB

    found = registry(spec(LearnerSpec, "mine.bayes", make=GaussianNB, levels={"proba"}, sparse=False))

    assert check("mine.bayes", registry=found, only=["predicts"]).kind == "learner"


def test_an_ambiguous_name_asks_for_the_kind() -> None:
    both = registry(spec(StrategySpec), spec(LearnerSpec))

    with pytest.raises(InputError, match=r"'mine.thing' is the name of a strategy and of a learner; say kind="):
        check("mine.thing", registry=both)


def test_an_unknown_name_says_what_is_close() -> None:
    with pytest.raises(UnknownNameError, match=r"no learner is called 'mine.thong'. Did you mean 'mine.thing'"):
        check("mine.thong", registry=registry(spec(LearnerSpec)))


def test_a_data_set_is_not_checked() -> None:
    with pytest.raises(InputError, match=r"there are no checks for a dataset; there are for strategy, learner, metric"):
        checks_for(spec(DatasetSpec))


def test_a_data_set_s_name_says_what_it_is() -> None:
    with pytest.raises(UnknownNameError, match="There is a dataset of that name"):
        check("mine.thing", registry=registry(spec(DatasetSpec)))


def test_there_are_no_checks_of_other_kinds() -> None:
    with pytest.raises(InputError, match="there are no checks for a dataset"):
        checks("dataset")  # type: ignore[arg-type]


def test_a_metric_is_no_strategy() -> None:
    with pytest.raises(InputError, match=r"'mine.thing' is a metric, not a strategy"):
        check_strategy(spec(MetricSpec, scope="round"))


def test_what_is_not_decorated_is_refused() -> None:
    with pytest.raises(InputError, match=r"nor decorated as one"):
        check_strategy(lambda view: view)


def test_what_is_not_installed_is_unavailable() -> None:
    missing = spec(requires={"a_module_that_is_not_there": "pip install it"})

    with pytest.raises(UnavailableError, match="pip install it"):
        check_strategy(missing)


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(InputError, match=r"mine.far has no parameter 'power'"):
        check_strategy(far, params={"power": 2})


def test_a_learner_is_for_strategies() -> None:
    with pytest.raises(InputError, match=r"learner= is for strategies; 'mine.thing' is a metric"):
        checks_for(spec(MetricSpec, scope="round"), learner=object())


def test_a_learner_and_a_metric_that_are_not_there_raise_as_a_strategy_does() -> None:
    for one in (check_learner, check_metric):
        with pytest.raises(UnknownNameError, match=r"is called 'mine.nothing'"):
            one("mine.nothing", registry=registry())


# The world around


def test_output_and_warnings_of_what_is_checked_stay_inside(capfd: pytest.CaptureFixture[str]) -> None:
    check_strategy(loud, only=["answers", "replay"])  # a warning would raise here

    assert capfd.readouterr() == ("", "")


def test_the_global_random_state_is_left_as_it_was() -> None:
    np.random.seed(7)
    random.seed(7)

    check_strategy(far)

    assert (np.random.random(), random.random()) == (np.random.RandomState(7).random(), random.Random(7).random())


def test_the_package_does_not_import_pytest_or_scikit_learn() -> None:
    code = "import sys, alcore.testing; print(sorted({'pytest', 'sklearn', 'pandas', 'scipy'} & set(sys.modules)))"

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"


# Tests of their own


def test_a_check_is_called_by_its_name() -> None:
    assert [str(one) for one in checks_for(far, only=["answers", "replay"])] == ["answers", "replay"]


def test_a_check_says_whose_it_is() -> None:
    assert [repr(one) for one in checks_for(far, only=["replay"])] == ["mine.far: replay"]


def test_a_check_that_passes_returns_nothing() -> None:
    (one,) = checks_for(far, only=["answers"])

    assert one() is None


def test_a_check_that_fails_raises_with_reason_and_rule() -> None:
    (one,) = checks_for(loud, only=["no-output"])

    with pytest.raises(AssertionError, match=r"(?s)it wrote 'out loud.*Rule: Write nothing"):
        one()


def test_the_error_behind_a_failure_is_its_cause() -> None:
    @alcore.scores("mine.broken", summary="Raises", learner=False)
    def broken(view: View) -> Any:
        raise KeyError("gone")

    (one,) = checks_for(broken, only=["answers"])

    with pytest.raises(AssertionError) as caught:
        one()
    causes = []
    error: BaseException | None = caught.value
    while error is not None:
        causes.append(type(error))
        error = error.__cause__
    assert causes[-1] is KeyError


def test_a_check_that_does_not_apply_is_skipped() -> None:
    (one,) = checks_for(far, only=["uniform-if-declared"])

    with pytest.raises(SkipTest, match="not declared uniform"):
        one()


def test_an_excused_check_is_skipped() -> None:
    (one,) = checks_for(loud, only=["no-output"], excuses={"no-output": "known"})

    with pytest.raises(SkipTest, match="known"):
        one()


def test_pytest_runs_each_check_as_a_test(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        textwrap.dedent(
            """
            import pytest
            import alcore
            import alcore.testing

            @alcore.selects("mine.first", summary="The first rows", learner=False)
            def first(view, n):
                return view.unlabeled[:n]

            CHECKS = ["answers", "ties-are-not-file-order", "uniform-if-declared"]

            @pytest.mark.parametrize("check", alcore.testing.checks_for(first, only=CHECKS), ids=str)
            def test_conformance(check):
                check()
            """
        )
    )

    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", str(tmp_path)]
    plain = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=plain).stdout

    assert "test_conformance[answers] PASSED" in found
    assert "test_conformance[ties-are-not-file-order] FAILED" in found
    assert "test_conformance[uniform-if-declared] SKIPPED" in found


# Suites of rules


def test_a_suite_is_extended_by_a_function() -> None:
    mine: Suite[StrategyBench] = Suite()

    @mine.check()
    def has_a_source(bench: StrategyBench) -> None:
        """Name the paper."""
        require(bool(bench.spec.source), "source is empty")

    (one,) = mine.bind("mine.far", StrategyBench(spec_of(far)), only=None, excuses=None)

    assert (str(one), one.rule, one.result().reason) == ("has-a-source", "Name the paper.", "source is empty")


def test_where_a_rule_is_broken_is_told() -> None:
    with pytest.raises(AssertionError, match=r"toy: raised ValueError: bad"), on("toy"):
        raise ValueError("bad")
