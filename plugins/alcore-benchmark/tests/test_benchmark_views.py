"""The views of Table 23: which data sets are in them, and the printed numbers."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from alcore import plugins
from alcore.stats import Properties
from alcore_benchmark.datasets.load import BY_NAME as DATA
from alcore_benchmark.tables import views
from alcore_benchmark.tables.published import table, value


@pytest.fixture
def means(shared: Path) -> pd.DataFrame:
    """The README's means, by data set and strategy; NaN where a strategy was not finished."""
    long = pd.read_csv(shared / "data" / "published" / "rbfsvm_summary_mean_sd.csv")
    return long.assign(mean=pd.to_numeric(long["mean_aubc"], errors="coerce")).pivot(
        index="data", columns="strategy", values="mean"
    )


def scored(means: pd.DataFrame, seeds: int = 1) -> pd.DataFrame:
    rows = [
        {"dataset": name, "learner": "rbf-svm", "strategy": column, "seed": seed, "status": "completed", "score": score}
        for (name, column), score in means.stack().items()
        for seed in range(seeds)
    ]
    return pd.DataFrame(rows)


def printed(column: str, view: str) -> float:
    found = value(table(23)[column][view])
    assert found is not None
    return found.mean


def test_all_printed_scores_come_out(means: pd.DataFrame) -> None:
    """They are to two digits, of means to two digits."""
    found = views.view_cells(scored(means))
    gaps = [abs(100 * found[pair].mean - printed(*pair)) for pair in product(table(23), views.NAMES)]
    assert len(gaps) == 17 * 7
    assert max(gaps) < 0.0051


@pytest.mark.parametrize("view", ["BAL", "IMB"])
def test_breast_is_balanced_in_no_other_way(means: pd.DataFrame, view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the class sizes of the 683 rows that were run, printed scores do not come out."""
    monkeypatch.setitem(views.RATIOS, "breast", 444 / 239)
    found = views.view_cells(scored(means))
    assert max(abs(100 * found[column, view].mean - printed(column, view)) for column in table(23)) > 0.1


def test_what_was_not_finished_is_known(means: pd.DataFrame) -> None:
    lacking = {str(column): frozenset(means.index[means[column].isna()]) for column in means}
    assert {column: names for column, names in lacking.items() if names} == views.UNFINISHED


def test_the_oracle_is_the_best_where_it_was_finished(means: pd.DataFrame) -> None:
    finished = means.dropna(subset="BSO")
    assert (finished["BSO"] == finished.max(axis=1)).all()


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", sorted(set(views.RATIOS) - {"breast"}))
def test_ratios_are_those_of_the_files(name: str) -> None:
    dataset = plugins.loaded().registry.entry("dataset", name).spec.build()
    assert Properties.of(dataset).imbalance == views.RATIOS[name]


def test_every_ratio_that_the_table_cuts_off_is_known() -> None:
    assert {name for name in table(19) if DATA[name].imbalance == 1} == set(views.RATIOS)


def test_views_split_the_data_sets() -> None:
    sizes = {view: len(views.members(view)) for view in views.NAMES}
    assert sizes == {"B": 26, "LD": 22, "HD": 4, "SS": 15, "LS": 11, "BAL": 14, "IMB": 12}


def test_the_spread_is_that_of_seeds_and_not_of_data_sets() -> None:
    """Two data sets far apart, on each two seeds: distances 0.1 and 0.3 on the one, 0.5 and 0.5 on the other."""
    rows = [
        ("sonar", "BSO", [0.9, 0.9]), ("sonar", "US-C", [0.8, 0.6]), ("heart", "BSO", [0.9, 0.9]),
        ("heart", "US-C", [0.4, 0.4]),
    ]  # fmt: skip
    frame = pd.DataFrame(
        [
            {
                "dataset": name,
                "learner": "rbf-svm",
                "strategy": column,
                "seed": seed,
                "status": "completed",
                "score": score,
            }
            for name, column, scores in rows
            for seed, score in enumerate(scores)
        ]
    )
    cell = views.view_cells(frame)["US-C", "B"]
    error = math.sqrt(np.var([0.1, 0.3], ddof=1) / 2) / 2
    assert (cell.mean, cell.sd / math.sqrt(cell.n), cell.n) == (pytest.approx(0.35), pytest.approx(error), 2)


def test_a_data_set_where_nothing_completed_is_left_out(means: pd.DataFrame) -> None:
    frame = scored(means)
    frame.loc[frame["dataset"] == "tic", ["score", "status"]] = [math.nan, "skipped"]
    delta = means["BSO"].fillna(means.max(axis=1)) - means["US-C"]
    found = views.view_cells(frame)["US-C", "B"]
    assert found.mean == pytest.approx(delta.drop("tic").mean())


def test_one_seed_has_no_spread(means: pd.DataFrame) -> None:
    assert math.isnan(views.view_cells(scored(means))["US-C", "B"].sd)


@pytest.mark.parametrize(
    ("strategy", "view", "more", "expected"),
    [
        ("US-C", "SS", {}, []),
        ("US-C", "HD", {}, ["with spambase"]),
        ("US-C", "HD", {"spambase": set(table(23)) - {"EER", "BMDR", "SPAL", "QUIRE", "VR"}}, []),
        ("US-C", "HD", {"spambase": {"US-C"}}, ["with spambase"]),
        ("EER", "HD", {"spambase": {"EER", "US-C"}}, ["without spambase"]),
        ("US-C", "SS", {"sonar": {"US-C"}}, ["with sonar"]),
        ("US-C", "LS", {}, ["with spambase, banana, phoneme and 3 more"]),
    ],
)
def test_a_view_is_compared_over_the_published_data_sets(
    strategy: str, view: str, more: dict[str, set[str]], expected: list[str]
) -> None:
    there = {name: {"BSO", strategy} for name in table(19) if DATA[name].rows < 2000} | more
    assert views.missing(strategy, view, there) == expected
