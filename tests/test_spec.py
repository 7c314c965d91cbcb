"""Specs say what a thing is called, needs and takes, before it is imported; errors say what to do."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alcore import errors
from alcore.errors import AlcoreError, InputError, UnavailableError, did_you_mean
from alcore.protocols import Strategy
from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, Spec, StopRuleSpec, StrategySpec
from alcore.types import Growth, Level, Task


def make_toy(members: int = 20, *, scale: float) -> tuple[int, float]:
    return members, scale


def toy(**fields: Any) -> StrategySpec:
    return StrategySpec(**{"name": "toy", "summary": "A toy", "make": make_toy} | fields)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder that modules toy_* can be imported from, and forget them afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("toy_")]:
        del sys.modules[name]


# --- names and fields ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["margin", "least-confident", "libact.quire", "a.b-c", "k2", "2d", "with_underscore"])
def test_a_name_is_lower_case_words(name: str) -> None:
    assert toy(name=name).name == name


@pytest.mark.parametrize("name", ["", "Margin", "two words", "-a", "a-", "a..b", ".a", "a--b", "é", "a\n", "a/b"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is no name for a strategy: use lower-case words joined by '-'"):
        toy(name=name)


@pytest.mark.parametrize("summary", ["", "two\nlines"])
def test_a_summary_is_one_line(summary: str) -> None:
    with pytest.raises(InputError, match="toy: the summary is one line of text"):
        toy(summary=summary)


@pytest.mark.parametrize("make", ["module", "module:", ":attribute", "module.attribute", "module:a.b"])
def test_a_text_that_is_no_target_is_refused(make: str) -> None:
    with pytest.raises(InputError, match=r"toy: make is '.*'; use a callable or 'module:attribute'"):
        toy(make=make)


@pytest.mark.parametrize("make", [StrategySpec, LearnerSpec, lambda **fields: MetricSpec(scope="round", **fields)])
def test_tasks_are_checked(make: Any) -> None:
    for tasks in ("regression", ["regression"], {Task.REGRESSION}):
        assert make(name="toy", summary="A toy", make=make_toy, tasks=tasks).tasks == {Task.REGRESSION}
    with pytest.raises(InputError, match="toy: 'ranking' is no task; use one of classification, regression"):
        make(name="toy", summary="A toy", make=make_toy, tasks=["ranking"])


@pytest.mark.parametrize("make", [StrategySpec, lambda **fields: MetricSpec(scope="round", **fields)])
def test_needs_are_levels(make: Any) -> None:
    with pytest.raises(InputError, match="toy: needs 'probability', which is none of proba, decision, std"):
        make(name="toy", summary="A toy", make=make_toy, needs=("decision|probability",))


@pytest.mark.parametrize(
    ("needs", "levels", "lacks"),
    [
        ((), [], None),
        (("proba",), [Level.PROBA], None),
        (("proba",), [Level.DECISION], "proba"),
        (("proba|decision",), [Level.DECISION], None),
        (("proba|decision",), [Level.STD], "proba or decision"),
        (("proba|decision", "embedding"), [Level.PROBA], "embedding"),
        (("proba|decision", "embedding"), iter([Level.EMBEDDING, Level.DECISION]), None),
    ],
)
def test_a_need_is_met_by_one_of_its_alternatives(needs: Any, levels: Any, lacks: str | None) -> None:
    levels = list(levels)
    metric = MetricSpec(name="toy", summary="A toy", make=make_toy, scope="round", needs=needs)
    assert toy(needs=needs).lacks(iter(levels)) == lacks
    assert metric.lacks(iter(levels)) == lacks


@pytest.mark.parametrize("revision", [0, -1, True, 1.0, "2", None])
def test_a_revision_is_a_whole_number_from_1_on(revision: Any) -> None:
    assert (toy().revision, toy(revision=3).to_json()["revision"]) == (1, 3)
    with pytest.raises(InputError, match=r"toy: revision is .*; it is a whole number from 1 on"):
        toy(revision=revision)


def test_specs_are_frozen() -> None:
    with pytest.raises(AttributeError):
        toy().name = "other"  # type: ignore[misc]


# --- what can be had here ------------------------------------------------------------------------------------------


def test_a_module_that_is_not_installed_is_missing_with_the_fix() -> None:
    reason = toy(requires={"json": "nothing", "no_such_module": "pip install no-such"}).missing()
    assert reason == "needs the package 'no_such_module', which is not installed: pip install no-such"


def test_a_submodule_of_a_package_that_is_not_installed_is_missing() -> None:
    assert "no_such_module.part" in str(toy(requires={"no_such_module.part": "pip install no-such"}).missing())


def test_what_is_installed_is_not_missing_and_not_imported(modules: Path) -> None:
    (modules / "toy_heavy.py").write_text("raise RuntimeError('imported')")
    assert toy(requires={"toy_heavy": "nothing"}).missing() is None
    assert "toy_heavy" not in sys.modules


@pytest.mark.parametrize("reason", [None, "needs a GPU"])
def test_unavailable_gives_its_own_reason(reason: str | None) -> None:
    assert toy(unavailable=lambda: reason).missing() == reason


@pytest.mark.parametrize("call", [Spec.target, Spec.parameters, lambda spec: spec.build(scale=1.0)])
def test_what_is_missing_cannot_be_made(call: Any) -> None:
    with pytest.raises(UnavailableError, match=r"strategy 'toy' needs the package 'no_such_module'.*: pip install"):
        call(toy(requires={"no_such_module": "pip install no-such"}))


def test_a_text_is_imported_on_first_use(modules: Path) -> None:
    (modules / "toy_lazy.py").write_text("def make(k=3):\n    return k\n")
    spec = toy(make="toy_lazy:make")
    spec.to_json()
    spec.missing()
    assert "toy_lazy" not in sys.modules
    assert spec.build(k=5) == 5
    assert "toy_lazy" in sys.modules


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "No module named 'no_such_module'"),
        ("other = 1", "has no attribute 'make'"),
        ("raise ValueError('numpy.dtype size changed')", "numpy.dtype size changed"),
    ],
)
def test_a_failed_import_is_unavailable_with_its_cause(modules: Path, source: str, reason: str) -> None:
    (modules / "toy_broken.py").write_text(source)
    with pytest.raises(UnavailableError, match=rf"'toy' cannot be imported from toy_broken:make: .*{reason}") as caught:
        toy(make="toy_broken:make").target()
    assert caught.value.__cause__ is not None


# --- parameters ----------------------------------------------------------------------------------------------------


def test_a_spec_builds_with_its_parameters() -> None:
    assert toy().build(scale=0.5) == (20, 0.5)
    assert toy().build(scale=0.5, members=3) == (3, 0.5)


def test_parameters_have_their_defaults() -> None:
    parameters = toy().parameters()
    assert list(parameters) == ["members", "scale"]
    assert parameters["members"] == 20


@pytest.mark.parametrize("call", [lambda spec, **p: spec.build(**p), lambda spec, **p: spec.check_params(p)])
def test_an_unknown_parameter_gets_the_closest_name(call: Any) -> None:
    with pytest.raises(
        InputError, match=r"toy has no parameter 'member'; it takes members, scale\. Did you mean 'members'\?"
    ):
        call(toy(), member=3, scale=1.0)


def test_an_unknown_parameter_of_what_takes_none_says_so() -> None:
    with pytest.raises(InputError, match=r"^toy has no parameter 'k'; it takes none\.$"):
        toy(make=lambda: None).build(k=3)


@pytest.mark.parametrize("call", [lambda spec, **p: spec.build(**p), lambda spec, **p: spec.check_params(p)])
def test_a_parameter_that_lacks_is_named(call: Any) -> None:
    with pytest.raises(InputError, match="toy needs the parameter 'scale'"):
        call(toy(), members=3)


def test_a_maker_of_any_keyword_takes_any_parameter() -> None:
    assert toy(make=lambda **rest: rest).build(anything=1) == {"anything": 1}
    assert toy(make=lambda k=1, **rest: (k, rest)).build(k=2, more=3) == (2, {"more": 3})


def test_only_what_can_be_given_by_name_is_a_parameter() -> None:
    class Inherits(Strategy):  # a class that inherits from a protocol has the signature (*args, **kwargs)
        def query(self, view: Any, n: int) -> Any: ...

    assert toy(make=Inherits).parameters() == {}
    assert toy(make=lambda *rows, k=1: (rows, k)).build(k=2) == ((), 2)


def test_a_class_builds_an_object() -> None:
    class Toy:
        def __init__(self, k: int = 2) -> None:
            self.k = k

    assert toy(make=Toy).build().k == 2
    assert toy(make=Toy).parameters() == {"k": 2}


# --- JSON ----------------------------------------------------------------------------------------------------------

ALL = [
    toy(tasks=set(Task), needs=("proba|decision",), max_classes=2, growth=Growth.CUBIC, requires={"json": "nothing"}),
    LearnerSpec(name="toy", summary="A toy", make=make_toy, levels={Level.STD, Level.PROBA}),
    MetricSpec(name="toy", summary="A toy", make="a:b", scope="curve", greater_is_better=False),
    DatasetSpec(name="toy", summary="A toy", make="a:b", task=None, rows=10, source="A paper"),
    StopRuleSpec(name="toy", summary="A toy", make=make_toy, unavailable=lambda: None),
]


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.kind)
def test_every_spec_is_json(spec: Spec) -> None:
    described = spec.to_json()
    assert json.loads(json.dumps(described)) == described
    assert (described["name"], described["summary"]) == ("toy", "A toy")
    assert not {"make", "requires", "unavailable"} & set(described)


def test_json_holds_the_capabilities_as_plain_values() -> None:
    described = ALL[0].to_json()
    assert described["tasks"] == ["classification", "multilabel", "regression"]
    assert described["needs"] == ["proba|decision"]
    assert (described["max_classes"], described["growth"], described["batch"]) == (2, "cubic", "native")
    assert type(described["growth"]) is str
    assert ALL[1].to_json()["levels"] == ["proba", "std"]


# --- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("margn", ["margin", "entropy"], " Did you mean 'margin'?"),
        ("quire", ["libact.quire", "squire", "entropy"], " Did you mean 'libact.quire' or 'squire'?"),
        ("zzz", ["margin"], ""),
        ("margin", [], ""),
    ],
)
def test_close_names_are_offered(name: str, known: list[str], text: str) -> None:
    assert did_you_mean(name, iter(known)) == text


def test_no_more_names_are_offered_than_asked_for() -> None:
    assert did_you_mean("name", [f"plugin{i}.name" for i in range(9)], limit=2).count(".name") == 2


def test_every_error_is_one_family_and_a_builtin_where_one_fits() -> None:
    raised = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert all(issubclass(error, AlcoreError | Warning) for error in raised)
    assert issubclass(errors.InputError, ValueError)
    assert issubclass(errors.UnknownNameError, LookupError)
    assert issubclass(errors.UnavailableError, ImportError)
    assert issubclass(errors.StrategyError, RuntimeError)
