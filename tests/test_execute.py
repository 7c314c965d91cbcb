"""One run from its configuration: what it gives, and what becomes of everything that goes wrong in it."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from alcore import plugins
from alcore.errors import InputError
from alcore.execute import assemble, execute, prepare
from alcore.plan import plan
from alcore.results import PROTOCOL, Run
from alcore.types import Status

REGISTRY = plugins.loaded().registry


def same(a, b):
    """Equal but for the times."""
    return len(a) == len(b) and all(
        x.t == y.t
        and x.rows.tolist() == y.rows.tolist()
        and x.labels.tolist() == y.labels.tolist()
        and x.n_labeled == y.n_labeled
        and x.metrics == y.metrics
        for x, y in zip(a, b, strict=True)
    )


def changed(run: Run, **keys) -> Run:
    return dataclasses.replace(run, config=dict(run.config) | keys)


@pytest.fixture
def run(make_experiment):
    return plan(make_experiment(strategies=["margin"]), REGISTRY)[0]


def test_completes_with_its_records(run):
    result = execute(run)
    assert result.status is Status.COMPLETED
    assert result.reason == "budget_reached"
    assert [record.t for record in result.records] == [0, 1, 2, 3, 4, 5]
    assert set(result.records[0].metrics) == {"accuracy"}


def test_runs_again_from_the_stored_configuration_alone(run):
    again = Run(json.loads(json.dumps(run.config)))
    assert again.id == run.id
    assert same(execute(run).records, execute(again).records)


@pytest.mark.parametrize("have", [1, 3, 6])
def test_goes_on_from_a_journal(run, have):
    whole = execute(run)
    kept = []
    rest = execute(run, replay=whole.records[:have], keep=kept.append)
    assert same(whole.records, rest.records)
    assert same(whole.records, kept)


def test_equal_learners_are_one_learner(run):
    simulation = assemble(run.config, REGISTRY)
    assert simulation.task_learner is simulation.state.learner


def test_different_learners_are_two(make_experiment):
    run = plan(make_experiment(learners=[{"query": "gaussian-nb", "task": "knn"}]), REGISTRY)[0]
    simulation = assemble(run.config, REGISTRY)
    assert simulation.task_learner is not simulation.state.learner


def test_budget_as_a_share_of_the_pool(make_experiment):
    run = plan(make_experiment(budget=0.5, split={"test_size": 0.5}), REGISTRY)[0]
    assert execute(run).records[-1].n_labeled == 6 + 15


def test_rows_are_those_of_the_split(run):
    prepared = prepare(run.config, REGISTRY)
    data = REGISTRY.build("dataset", "synthetic.clouds", n=60)
    np.testing.assert_array_equal(prepared.pool.X, data.X[prepared.rows])
    np.testing.assert_array_equal(prepared.y, data.codes[prepared.rows])


def test_strategies_share_split_start_and_pool(make_experiment):
    runs = plan(make_experiment(seeds=1), REGISTRY)
    random, margin = (execute(run).records for run in runs)
    assert random[0].rows.tolist() == margin[0].rows.tolist()
    assert random[0].metrics == margin[0].metrics
    assert prepare(runs[0].config, REGISTRY) is prepare(runs[1].config, REGISTRY)


def test_start_without_a_class_is_skipped(make_experiment):
    experiment = make_experiment(start={"size": 1, "classes": "all"})
    result = execute(plan(experiment, REGISTRY)[0])
    assert result.status is Status.SKIPPED
    assert "lacks" in result.reason
    assert result.records == []


def test_cold_start(make_experiment):
    run = plan(make_experiment(strategies=["margin"], start={"size": 0, "cold_start": "random"}), REGISTRY)[0]
    records = execute(run).records
    assert [record.n_labeled for record in records] == [0, 1, 2, 3, 4, 5]
    assert np.isnan(records[0].metrics["accuracy"])


def test_no_start_and_no_cold_start_fails_with_the_way_out(run):
    start = dict(run.config["start"]) | {"size": 0}
    result = execute(changed(run, start=start))
    assert result.status is Status.FAILED
    assert "cold_start" in result.reason


def test_warnings_are_kept(make_experiment):
    result = execute(plan(make_experiment(start={"size": 1}), REGISTRY)[0])
    assert result.status is Status.COMPLETED
    assert any(text.startswith("SingleClassWarning: all 1 labelled rows") for text in result.warnings)


def test_soft_limit_keeps_the_curve(run):
    result = execute(run, time_limit=0.0)
    assert result.status is Status.TIMEOUT
    assert "limit of 0 s passed after round 0" in result.reason
    assert len(result.records) == 1


def test_stop_rule_is_the_reason(make_experiment):
    run = plan(make_experiment(stop=[{"name": "share", "share": 0.2}]), REGISTRY)[0]
    result = execute(run)
    assert result.status is Status.COMPLETED
    assert "8 of 36 rows" in result.reason
    assert result.records[-1].n_labeled == 8  # of a pool of 36 rows


def test_changed_data_are_noticed(run):
    data = dict(run.config["dataset"]) | {"fingerprint": "0" * 16}
    result = execute(changed(run, dataset=data))
    assert result.status is Status.FAILED
    assert "has changed since the run was planned" in result.reason
    with pytest.raises(InputError, match="has changed"):
        prepare(changed(run, dataset=data).config, REGISTRY)


FAULTY = """
import alcore

@alcore.scores("faulty", summary="Raises in its third round")
def faulty(view):
    if view.t == 3:
        raise ZeroDivisionError("on purpose")
    return view.unlabeled * 1.0
"""


def test_failure_keeps_its_reason_traceback_and_curve(make_experiment, tmp_path):
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    experiment = make_experiment(strategies=["faulty"], plugins=[str(file)])
    run = plan(experiment, plugins.with_files(plugins.loaded(), [file]))[0]
    result = execute(run, [file])
    assert result.status is Status.FAILED
    assert result.reason == "faulty failed in round 3: ZeroDivisionError: on purpose"
    assert "faulty.py" in result.traceback
    assert [record.t for record in result.records] == [0, 1, 2]


def test_given_test_part(make_experiment, monkeypatch):
    from alcore.dataset import Dataset
    from alcore.registry import Registry

    X = np.arange(40.0).reshape(20, 2)
    data = Dataset("own", X, np.arange(20) % 2, test=(X[:4] + 1, np.array([0, 1, 0, 1])))
    run = plan(make_experiment(split={"method": "random"}), REGISTRY)[0]
    config = dict(run.config) | {
        "split": {"method": "given", "test_size": 0.4, "standardize": False, "seed": None},
        "dataset": dict(run.config["dataset"]) | {"fingerprint": data.fingerprint(), "label": "own"},
    }
    monkeypatch.setattr(Registry, "build", lambda self, kind, name, **params: data)
    prepared = prepare(config, REGISTRY)
    assert len(prepared.pool) == 20
    assert prepared.test.y.tolist() == [0, 1, 0, 1]


def test_a_fixed_split_or_start_is_that_of_its_seed(make_experiment):
    def parts(seed, **keys):
        run = plan(make_experiment(seeds=[seed], strategies=["random"], **keys), REGISTRY)[0]
        return prepare(run.config, REGISTRY).rows.tolist(), execute(run).records[0].rows.tolist()

    first, second = parts(0), parts(1)
    assert parts(1, split={"seed": 0}, start={"size": 6, "seed": 0}) == first
    split_only = parts(1, split={"seed": 0})
    assert split_only[0] == first[0]
    assert split_only[1] == second[1]


def test_standardize_uses_the_pool_for_the_test_set_too(make_experiment):
    plain = prepare(plan(make_experiment(), REGISTRY)[0].config, REGISTRY)
    scaled = prepare(plan(make_experiment(split={"standardize": True}), REGISTRY)[0].config, REGISTRY)
    X = np.asarray(plain.pool.X)
    assert np.allclose(scaled.pool.X, (X - X.mean(axis=0)) / X.std(axis=0))
    assert np.allclose(scaled.test.X, (plain.test.X - X.mean(axis=0)) / X.std(axis=0))
    assert scaled.rows.tolist() == plain.rows.tolist()


def test_standardize_refuses_what_has_gaps(make_experiment, tmp_path):
    (tmp_path / "gap.csv").write_text("a,b,y\n" + "".join(f"{i * i % 31},,{i % 2}\n" for i in range(30)))
    data = [{"name": "file", "path": str(tmp_path / "gap.csv"), "target": "y"}]
    keys = {"datasets": data, "learners": ["random-forest"], "strategies": ["random"], "split": {"standardize": True}}
    result = execute(plan(make_experiment(**keys), REGISTRY)[0])
    assert result.status is Status.FAILED
    assert "split.standardize needs an array (n, d) of numbers without gaps" in result.reason


def test_a_published_split_has_the_pool_in_its_own_order(make_experiment):
    keys = {"split": {"method": "published"}, "start": {"method": "first", "size": 6}, "ties": "first"}
    run = plan(make_experiment(**keys, strategies=["margin"]), REGISTRY)[0]
    prepared = prepare(run.config, REGISTRY)
    assert np.diff(prepared.rows).min() < 0
    assert execute(run).records[0].rows.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_run_of_another_protocol_says_so(run):
    result = execute(changed(run, protocol=1))
    assert result.status is Status.FAILED
    assert f"planned with protocol 1; this alcore has {PROTOCOL}" in result.reason
