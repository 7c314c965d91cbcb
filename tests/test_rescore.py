"""Rescoring equals really running the pair: the same ids, rows and metrics to the last bit, and it can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from alcore import plugins
from alcore.cli import main
from alcore.errors import InputError
from alcore.execute import Source, execute
from alcore.rescore import plan_rescore, rescore
from alcore.runner import Progress, run_experiment
from alcore.store import Store
from alcore.types import Status

CLOCKS = ["fit_time", "query_time", "update_time", "score_time"]
PAIRS = [{"query": "gaussian-nb", "task": "knn"}, {"query": "knn", "task": "gaussian-nb"}]


class Inline(Executor):
    """Runs what is submitted at once."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*args, **kwargs))
        return done


def registry(files: Sequence[Path] = ()):
    return plugins.with_files(plugins.loaded(), files)


def score(store: Store, *learners: str, into: Store | None = None, metrics: Sequence[str] = ()) -> Progress:
    plan = plan_rescore(store, registry(), learners, metrics)
    return rescore(plan, into or store, executor=Inline())


def values(store: Store, ids: set[str]) -> pd.DataFrame:
    records = store.records(ids).drop(columns=CLOCKS)
    records["rows"] = records["rows"].map(tuple)
    return records.sort_values(["run", "t"]).reset_index(drop=True)


@pytest.fixture
def queried(make_experiment, tmp_path) -> Store:
    """A store of two compatible learners."""
    store = Store(tmp_path / "queried", create=True)
    run_experiment(make_experiment(learners=["gaussian-nb", "knn"], batch=2), store, executor=Inline())
    return store


def test_rescored_runs_are_those_of_the_pairs(queried, make_experiment, tmp_path):
    done = score(queried, "gaussian-nb", "knn")
    assert (done.total, done.reused, done.ended[Status.COMPLETED]) == (16, 8, 8)
    real = Store(tmp_path / "real", create=True)
    run_experiment(make_experiment(learners=PAIRS, batch=2), real, executor=Inline())
    assert len(real.ids()) == 8
    assert real.ids() <= queried.ids()
    pd.testing.assert_frame_equal(values(queried, real.ids()), values(real, real.ids()), check_exact=True)


def test_an_experiment_knows_the_rescored_pairs_as_done(queried, make_experiment):
    score(queried, "gaussian-nb", "knn")
    done = run_experiment(make_experiment(learners=["gaussian-nb", "knn", *PAIRS], batch=2), queried, executor=Inline())
    assert (done.total, done.reused) == (16, 16)


@pytest.mark.parametrize(
    "keys",
    [
        {"start": {"size": 0, "cold_start": "random"}},
        {"datasets": ["sklearn.iris"], "start": {"method": "per-class", "size": 2}, "ties": "first"},
        {"metrics": {"round": ["accuracy", "log-loss"]}, "budget": 0.5},
        {"learners": [{"query": "gaussian-nb", "task": "knn"}]},
    ],
    ids=["cold start", "three classes", "two metrics", "from a pair"],
)  # fmt: skip
def test_other_protocols(make_experiment, tmp_path, keys):
    source, real = Store(tmp_path / "source", create=True), Store(tmp_path / "real", create=True)
    run_experiment(make_experiment(**keys), source, executor=Inline())
    score(source, "lda")
    pair = {"learners": [{"query": "gaussian-nb", "task": "lda"}]}
    run_experiment(make_experiment(**keys | pair), real, executor=Inline())
    assert real.ids() <= source.ids()
    pd.testing.assert_frame_equal(values(source, real.ids()), values(real, real.ids()), check_exact=True)


def test_no_strategy_is_asked(make_experiment, tmp_path):
    """Its plugin file is not even given."""
    file = tmp_path / "mine.py"
    file.write_text(
        'import alcore\n@alcore.scores("mine", summary="First rows")\ndef mine(view):\n    return -view.unlabeled\n'
    )
    store = Store(tmp_path / "store", create=True)
    run_experiment(make_experiment(strategies=["mine"], plugins=[str(file)]), store, executor=Inline())
    before = store.ids()
    score(store, "knn")
    records = store.records(store.ids() - before)
    assert len(records) == 12
    assert records[["query_time", "update_time"]].isna().all().all()
    assert records["fit_time"].sum() > 0
    real = run_experiment(
        make_experiment(strategies=["mine"], plugins=[str(file)], learners=[{"query": "gaussian-nb", "task": "knn"}]),
        store, executor=Inline(),
    )  # fmt: skip
    assert real.reused == real.total == 2


def test_what_has_been_scored_is_not_scored_again(queried):
    first, second = score(queried, "lda"), score(queried, "lda")
    assert (first.reused, second.reused) == (0, first.total)


def test_an_interrupted_run_goes_on(queried):
    plan = plan_rescore(queried, registry(), ["lda"])
    run = plan.runs[0]
    whole = execute(run, follow=plan.follow[run.id])
    resumed = execute(run, follow=plan.follow[run.id], replay=whole.records[:2])
    assert [record.metrics for record in resumed.records] == [record.metrics for record in whole.records]
    assert whole.status is resumed.status is Status.COMPLETED


def test_worker_processes_do_the_same(queried, tmp_path):
    plan = plan_rescore(queried, registry(), ["lda"])
    plan = replace(plan, runs=plan.runs[:1])
    inline, processes = Store(tmp_path / "inline", create=True), Store(tmp_path / "processes", create=True)
    rescore(plan, inline, executor=Inline())
    rescore(plan, processes, jobs=1)
    pd.testing.assert_frame_equal(values(inline, inline.ids()), values(processes, processes.ids()), check_exact=True)


def test_another_store_may_have_other_metrics(queried, tmp_path):
    store = Store(tmp_path / "new", create=True)
    score(queried, metrics=["balanced-accuracy", "log-loss"], into=store)
    assert len(store.ids()) == len(queried.ids())
    assert {"balanced-accuracy", "log-loss"} < set(store.records().columns)


def test_a_parameter_and_the_label_of_a_learner(queried):
    plan = plan_rescore(queried, registry(), ["knn(n_neighbors=3)"])
    assert {run.names["task_learner"] for run in plan.runs} == {"knn(n_neighbors=3)"}
    rescore(plan, queried, executor=Inline())
    again = plan_rescore(queried, registry(), ["knn(n_neighbors=3)"])
    assert {run.id for run in again.runs} <= queried.ids()


def test_a_run_that_would_go_on_is_not_kept(make_experiment, tmp_path):
    """The target is met at once by one learner, and by a weak one only later, or never."""
    store = Store(tmp_path / "store", create=True)
    stop = [{"name": "target", "metric": "accuracy", "value": 0.9}]
    keys = {
        "stop": stop,
        "seeds": 1,
        "strategies": ["random"],
        "datasets": ["synthetic.two-moons"],
        "budget": 40,
        "batch": 4,
    }
    run_experiment(make_experiment(learners=["knn"], **keys), store, executor=Inline())
    done = score(store, "gaussian-nb")
    assert done.ended[Status.SKIPPED] == 1
    assert len(store.ids()) == 1


def test_rows_of_other_versions_are_told_and_make_the_same_runs(queried, monkeypatch):
    same = {run.id for run in plan_rescore(queried, registry(), ["knn"]).runs}
    from alcore import parts

    monkeypatch.setattr(parts, "installed", lambda module: "99")
    newer = plan_rescore(queried, registry(), ["knn"]).runs
    assert same == {run.id for run in newer}
    assert set(newer[0].config["rows_from"]) == {"numpy", "scikit-learn"}
    assert newer[0].config["versions"]["numpy"] == "99"


def test_a_learner_that_goes_on_from_its_last_fit_is_left_out(make_experiment, tmp_path):
    store = Store(tmp_path / "store", create=True)
    learner = {"name": "gaussian-nb", "refit": "continue", "label": "warm"}
    run_experiment(make_experiment(learners=[learner], seeds=1, budget=1), store, executor=Inline())
    plan = plan_rescore(store, registry(), ["knn"])
    assert plan.runs == []
    assert list(plan.left_out.values()) == [2]
    assert "goes on from its last fit" in next(iter(plan.left_out))


def test_metrics_that_the_learner_cannot_have_are_told(make_experiment, tmp_path):
    store = Store(tmp_path / "store", create=True)
    run_experiment(make_experiment(metrics={"round": ["log-loss"]}, seeds=1), store, executor=Inline())
    plan = plan_rescore(store, registry(), ["rbf-svm"])
    assert (plan.runs, list(plan.left_out.values())) == ([], [2])
    assert next(iter(plan.left_out)).startswith("metric log-loss needs proba; learner rbf-svm has none")


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ([], "name task learners or metrics; there is nothing to score anew"),
        (["knnn"], r"no learner is called 'knnn'. Did you mean 'knn'\?"),
        (["knn(neighbours=3)"], "neighbours"),
    ],
)
def test_wrong_questions(queried, learners, message):
    with pytest.raises(InputError, match=message):
        plan_rescore(queried, registry(), learners)


def test_nothing_to_follow(make_experiment, tmp_path):
    store = Store(tmp_path / "store", create=True)
    keys = {"start": {"size": 1, "classes": "all"}, "seeds": 1}
    run_experiment(make_experiment(**keys), store, executor=Inline())
    with pytest.raises(InputError, match="no run has completed, so that there are no rows to follow"):
        plan_rescore(store, registry(), ["knn"])


def test_source_reads_the_rows_of_each_round(queried):
    run = min(queried.ids())
    rows = Source(queried.path, run).rows()
    assert [len(part) for part in rows] == [6, 2, 2, 1]
    assert len(np.unique(np.concatenate(rows))) == 11


# --- the command -----------------------------------------------------------------------------------------------------


def call(*args: str) -> Any:
    return CliRunner().invoke(main, ["rescore", *args])


def test_command_says_what_would_be_scored(queried):
    result = call(str(queried.path), "--learners", "knn(n_neighbors=3, weights=distance),knn", "--dry-run")
    assert result.output == f"12 runs would be scored, 4 were in {queried.path} before.\n"


def test_command_as_json(queried):
    result = call(str(queried.path), "--learners", "lda", "--dry-run", "--json")
    assert json.loads(result.stdout) == {"store": str(queried.path), "scored": 8, "reused": 0, "left_out": {}}


def test_command_refuses_other_metrics_in_the_same_store(queried):
    result = call(str(queried.path), "--metrics", "log-loss")
    assert (result.exit_code, result.stderr) == (
        2, "Error: runs with other metrics are other runs of the same names; give them a store: -o NEW.\n",
    )  # fmt: skip
