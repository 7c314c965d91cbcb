"""Results on disk: whole or not at all, readable by pandas, and journals that survive a kill."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from alcore.errors import InputError
from alcore.protocols import Record
from alcore.results import Result, Run, record_from_json, record_to_json
from alcore.store import NO_ROUND, Store
from alcore.types import Status, Task


def make_run(seed: int = 0, position: int = 0, metrics: tuple[str, ...] = ("accuracy",)) -> Run:
    learner = {"name": "knn", "label": "knn", "params": {}, "refit": "scratch"}
    return Run(
        {
            "dataset": {"name": "d", "label": "d", "params": {}, "task": "classification", "fingerprint": "f"},
            "strategy": {"name": "margin", "label": "margin", "params": {}},
            "learner": {"label": "knn", "query": learner, "task": learner},
            "seed": seed,
            "metrics": [{"name": name, "label": name, "params": {}} for name in metrics],
        },
        position,
    )


def make_record(t: int, value: float = 0.5) -> Record:
    return Record(
        t=t,
        rows=np.array([2 * t, 2 * t + 1]),
        labels=np.array([0, 1]),
        n_labeled=2 * t + 2,
        metrics={"accuracy": value},
        fit_time=0.1,
        query_time=0.2,
        update_time=0.3,
        score_time=0.4,
    )


def test_result_comes_back_as_it_was(tmp_path):
    store = Store(tmp_path / "s", create=True)
    run = make_run()
    store.write(run, Result(Status.COMPLETED, "budget_reached", [make_record(0), make_record(1, 0.75)], ["careful"]))
    records = store.records()
    assert records["t"].tolist() == [0, 1]
    assert records["accuracy"].tolist() == [0.5, 0.75]
    assert [rows.tolist() for rows in records["rows"]] == [[0, 1], [2, 3]]
    assert records["status"].tolist() == ["completed"] * 2
    about = store.about(run.id)
    assert about["config"] == run.config
    assert about["warnings"] == ["careful"]
    assert store.ids() == {run.id}


def test_pandas_reads_the_folder(tmp_path):
    store = Store(tmp_path, create=True)
    for seed in range(3):
        store.write(make_run(seed), Result(Status.COMPLETED, "budget_reached", [make_record(0)]))
    with store.journal(make_run(9)) as journal:
        journal.begin(make_run(9))
    store.save_note("experiment.toml", "name = 'x'")
    frame = pd.read_parquet(tmp_path)
    assert sorted(frame["seed"]) == [0, 1, 2]


def test_run_without_rounds_is_kept_with_its_reason(tmp_path):
    store = Store(tmp_path)
    store.write(make_run(), Result(Status.SKIPPED, "a class is missing"))
    records = store.records()
    assert records["t"].tolist() == [NO_ROUND]
    assert records["reason"].tolist() == ["a class is missing"]
    assert math.isnan(records["accuracy"][0])
    assert store.runs().loc[0, "rounds"] == 0


def test_runs_with_other_metrics_share_a_store(tmp_path):
    store = Store(tmp_path)
    store.write(make_run(0), Result(Status.COMPLETED, "", [make_record(0)]))
    other = Record(0, np.array([1]), np.array([0]), 1, {"brier": 0.1})
    store.write(make_run(1, 1, ("brier",)), Result(Status.COMPLETED, "", [other]))
    records = store.records()
    assert records["accuracy"].isna().tolist() == [False, True]
    assert records["brier"].isna().tolist() == [True, False]


def test_records_are_in_the_order_of_the_experiment(tmp_path):
    store = Store(tmp_path)
    for seed in (2, 0, 1):
        store.write(make_run(seed, position=seed), Result(Status.COMPLETED, "", [make_record(0)]))
    assert store.records()["seed"].tolist() == [0, 1, 2]
    assert store.records({make_run(1).id})["seed"].tolist() == [1]


def test_a_failed_write_leaves_nothing(tmp_path):
    store = Store(tmp_path)
    bad = Record(0, np.array([1]), np.array([0]), 1, {"accuracy": "not a number"})  # type: ignore[dict-item]
    with pytest.raises(Exception, match="not a number"):
        store.write(make_run(), Result(Status.COMPLETED, "", [bad]))
    assert store.ids() == set()


def test_journal_comes_back_up_to_the_last_whole_line(tmp_path):
    store, run = Store(tmp_path), make_run()
    with store.journal(run) as journal:
        journal.begin(run)
        journal.add(make_record(0))
        journal.add(make_record(1))
    text = journal.path.read_text()
    journal.path.write_text(text[:-20])  # as if the process had been killed while it wrote
    back = store.progress(run)
    assert [record.t for record in back] == [0]
    assert back[0].rows.tolist() == [0, 1]
    assert back[0].metrics == {"accuracy": 0.5}


def test_journal_of_another_configuration_is_not_used(tmp_path):
    store = Store(tmp_path)
    with store.journal(make_run(0)) as journal:
        journal.begin(make_run(1))
        journal.add(make_record(0))
    assert store.progress(make_run(0)) == []


def test_longest_journal_wins_and_all_go_when_the_run_ends(tmp_path):
    store, run = Store(tmp_path), make_run()
    for rounds in (1, 3, 2):
        with store.journal(run) as journal:
            journal.begin(run)
            for t in range(rounds):
                journal.add(make_record(t))
    assert len(store.progress(run)) == 3
    store.write(run, Result(Status.COMPLETED, "", [make_record(0)]))
    assert store.progress(run) == []
    assert list((tmp_path / "_journal").iterdir()) == []


def test_record_survives_json_exactly():
    value = 0.1 + 0.2
    record = Record(3, np.array([5]), np.array([[0, 1]]), 4, {"a": value, "b": float("nan")}, fit_time=1 / 3)
    back = record_from_json(json.loads(json.dumps(record_to_json(record))), Task.MULTILABEL)
    assert back.metrics["a"] == value
    assert math.isnan(back.metrics["b"])
    assert back.fit_time == 1 / 3
    assert back.labels.tolist() == [[0, 1]]
    assert back.rows.dtype == np.intp


def test_one_writer_at_a_time(tmp_path):
    first, second = Store(tmp_path), Store(tmp_path)
    with first.locked(), pytest.raises(InputError, match="being written by another"), second.locked():
        pass
    with second.locked():
        pass


def test_missing_store_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match=r"no store at .*alcore run"):
        Store(tmp_path / "nowhere")


def test_file_in_the_way_of_a_store(tmp_path):
    (tmp_path / "s").write_text("")
    with pytest.raises(InputError, match="in the way"):
        Store(tmp_path / "s", create=True)


def test_empty_store_says_so(tmp_path):
    with pytest.raises(InputError, match="no finished run"):
        Store(tmp_path).records()
