"""Views, properties and correlations, by hand and against the published view scores; maps and times."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from alcore.dataset import Dataset
from alcore.errors import InputError
from alcore.stats import (
    Blocks,
    Properties,
    against_properties,
    correlations,
    incomplete,
    learner_map,
    round_times,
    view_scores,
)
from alcore.types import Task

NAN = math.nan


def blocks(values: dict[str, list[float]], datasets: list[str], *, up: bool = True) -> Blocks:
    index = pd.MultiIndex.from_tuples([(name, "svm") for name in datasets], names=["dataset", "learner"])
    frame = pd.DataFrame(values, index=index)
    return Blocks(frame, frame.isna() & False, (), up)


# --- properties ------------------------------------------------------------------------------------------------------


def test_properties_of_a_data_set():
    X, y = np.zeros((7, 3)), [0, 0, 0, 0, 1, 1, 2]
    assert Properties.of(Dataset("d", X, y)) == Properties(n=7, d=3, imbalance=4.0)
    own_test = Dataset("d", X, y, test=(np.zeros((2, 3)), [0, 1]))
    assert Properties.of(own_test).n == 9


def test_targets_have_no_imbalance():
    found = Properties.of(Dataset("d", np.zeros((4, 2, 5)), [0.5, 1.5, 2.5, 3.5], task=Task.REGRESSION))
    assert (found.n, found.d) == (4, 10)
    assert math.isnan(found.imbalance)


# --- views -----------------------------------------------------------------------------------------------------------

SMALL, LARGE = Properties(100, 10, 1.0), Properties(1000, 50, 1.5)


def test_view_scores_are_mean_distances_to_the_best():
    found = view_scores(blocks({"a": [0.9, 0.5], "b": [0.7, 0.6]}, ["x", "y"]), {"x": SMALL, "y": LARGE})
    assert found.loc["a"].to_dict() == pytest.approx(
        {"all": 0.05, "LD": 0.0, "HD": 0.1, "SS": 0.0, "LS": 0.1, "BAL": 0.0, "IMB": 0.1}
    )
    assert found.loc["b"].to_dict() == pytest.approx(
        {"all": 0.1, "LD": 0.2, "HD": 0.0, "SS": 0.2, "LS": 0.0, "BAL": 0.2, "IMB": 0.0}
    )
    assert found.attrs["counts"] == {"all": 2, "LD": 1, "HD": 1, "SS": 1, "LS": 1, "BAL": 1, "IMB": 1}


def test_view_scores_of_a_loss_are_distances_too():
    found = view_scores(blocks({"a": [0.1], "b": [0.3]}, ["x"], up=False), {"x": SMALL})
    assert found["all"].tolist() == pytest.approx([0.0, 0.2])


def test_a_view_without_a_data_set_is_empty_and_a_gap_is_left_out():
    found = view_scores(blocks({"a": [0.9, 0.5], "b": [NAN, 0.6]}, ["x", "y"]), {"x": SMALL, "y": SMALL})
    assert found["HD"].isna().all()
    assert found.loc["b", "all"] == pytest.approx(0.0)


def test_unknown_properties():
    with pytest.raises(InputError, match="the properties of x are not known; give them in a CSV file"):
        view_scores(blocks({"a": [0.9]}, ["x"]), {})


def per_cent(value: object) -> float:
    """Return a printed accuracy; "84% -> 83.95%*" is the second one, TLE is NaN."""
    found = str(value).rpartition("->")[2].strip().rstrip("*%")
    return float(found) if found[:1].isdigit() else NAN


def test_published_view_scores_are_near_what_the_published_means_give(shared: Path):
    """Table 23 from tables 19, 20 (beam search, an upper bound that is the best one where it was run) and 17.

    Its seeds are not quite those of table 19, so that digits differ: by 0.15 where 18 data sets are averaged, and more
    where few are. The order of the best strategies is the same in every view.
    """
    reference = shared / "reference"
    means = pd.read_csv(reference / "table19_rbfsvm_aubc.csv", index_col=0).map(per_cent)
    means["BSO"] = pd.read_csv(reference / "table20_rbfsvm_vs_zhan2021.csv", index_col=0)["BSO"].map(per_cent)
    facts = pd.read_csv(reference / "table17_datasets.csv", index_col=0)[["n", "d", "r"]]
    facts = facts.map(lambda text: float(str(text).rpartition("->")[2]))
    known = {str(one.Index): Properties(int(one.n), int(one.d), one.r) for one in facts.itertuples()}
    found = view_scores(blocks({name: list(means[name]) for name in means}, list(means.index)), known)
    published = pd.read_csv(reference / "table23_rbfsvm_view_scores.csv", index_col=0).rename(columns={"B": "all"})
    whole = [name for name in published.index if means[name].notna().all()]
    assert len(whole) == 12
    for view, near in {"all": 0.06, "LD": 0.06, "SS": 0.06, "LS": 0.06, "HD": 0.15}.items():
        np.testing.assert_allclose(found.loc[whole, view], published.loc[whole, view], atol=near, err_msg=view)
    for view in ("all", "LD", "HD", "SS", "LS"):
        best = found.loc[whole, view].sort_values().index[:4]
        assert set(best) == {"US-C", "InfoDiv", "MCM", "QBC"}, view


# --- improvement against properties ----------------------------------------------------------------------------------


def points(values: list[float]) -> pd.DataFrame:
    found = pd.DataFrame({"dataset": list("wxyz"[: len(values)]), "learner": "svm", "strategy": "a", "mean": values})
    return against_properties(found, {name: Properties(10 * i + 10, 5, 1.0 + i) for i, name in enumerate("wxyz")})


def test_correlations_are_spearmans():
    row = correlations(points([0.3, 0.1, 0.2, 0.4])).set_index("property").loc["n"]
    expected = scipy_stats.spearmanr([10, 20, 30, 40], [0.3, 0.1, 0.2, 0.4])
    assert (row["rho"], row["p"], row["datasets"]) == (pytest.approx(0.4), pytest.approx(expected.pvalue), 4)


def test_correlations_that_cannot_be_had():
    found = correlations(points([0.1, 0.2])).set_index("property")
    assert found.loc["n", "reason"] == "2 data sets; a correlation needs 3"
    assert found.loc["n", "rho"] is None
    assert correlations(points([0.1, 0.2, 0.3])).set_index("property").loc["d", "reason"] == "one value only"


# --- maps and times --------------------------------------------------------------------------------------------------


def test_learner_map_is_the_published_heat_map(shared: Path):
    """Nine pairs on sonar: guided by RBF-SVM, the RBF-SVM has 77.6 %, guided by LR 76 %, as in figures 13-17."""
    published = pd.read_csv(shared / "data" / "published" / "margin_aubc_per_seed.csv")
    published = published[published["dataset"] == "sonar"].rename(
        columns={"query_model": "query_learner", "task_model": "task_learner", "aubc": "score"}
    )
    found = learner_map(published.assign(strategy="margin"))
    assert len(found) == 9
    assert set(found["n"]) == {150}
    wide = found.pivot_table(index="query_learner", columns="task_learner", values="mean")
    expected = published.groupby(["query_learner", "task_learner"])["score"].mean()
    assert wide.loc["LR", "RBFSVM"] == pytest.approx(expected["LR", "RBFSVM"])
    for task in ("RBFSVM", "RandomForest"):
        assert wide[task].idxmax() == task  # compatible learners are the best pair
    assert found[found["compatible"]]["query_learner"].tolist() == ["LR", "RBFSVM", "RandomForest"]


def rounds(**columns: object) -> pd.DataFrame:
    base = {
        "run": ["a"] * 3 + ["b"] * 2, "dataset": "d", "learner": "knn", "strategy": "margin", "t": [0, 1, 2, 0, 1],
        "fit_time": [9.0, 1.0, 3.0, 9.0, 2.0], "query_time": [9.0, 0.5, 0.5, 9.0, 0.5], "update_time": 0.0,
        "score_time": 0.25, "status": ["completed"] * 3 + ["failed"] * 2, "reason": [""] * 3 + ["why"] * 2,
    }  # fmt: skip
    return pd.DataFrame(base | columns)


def test_times_are_means_per_round_without_the_start_set():
    row = round_times(rounds()).iloc[0]
    assert (row["fit_time"], row["query_time"], row["rounds"]) == (2.0, 0.5, 3)
    assert row["round"] == pytest.approx(2.75)
    assert row["run"] == pytest.approx(1.75 + 3.75)  # of the run that completed


def test_times_of_runs_that_asked_no_strategy_do_not_count():
    assert len(round_times(rounds(query_time=NAN))) == 0


def test_what_did_not_complete_has_its_reason():
    found = incomplete(rounds())
    assert found[["status", "reason", "runs"]].to_numpy().tolist() == [["failed", "why", 1]]
