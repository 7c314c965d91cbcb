"""From records to curves, scores of runs, cells of tables and bands of curves, against values worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from alcore import plugins
from alcore.decorators import comparison_metric, spec_of
from alcore.errors import InputError
from alcore.protocols import Curve, Curves
from alcore.registry import Registry
from alcore.stats import band, curves, question, recorded, scores, table

NAN = math.nan


def run(
    values: Sequence[float] = (),
    *,
    dataset: str = "d",
    strategy: str = "margin",
    learner: str = "knn",
    seed: int = 0,
    status: str = "completed",
    step: int = 1,
    **more: Sequence[float],
) -> pd.DataFrame:
    """Return the records of one run: 10 labelled rows at the start, then ``step`` more a round."""
    names = {"dataset": dataset, "strategy": strategy, "learner": learner}
    names |= {"query_learner": learner, "task_learner": learner}
    head: dict[str, Any] = {"run": f"{dataset}/{strategy}/{learner}/{seed}"} | names | {"seed": seed}
    rounds = list(range(len(values))) or [-1]
    columns = {"accuracy": list(values) or [NAN]} | {name: list(given) for name, given in more.items()}
    return pd.DataFrame(
        head
        | {"t": rounds, "n_labeled": [10 + step * t if t >= 0 else 0 for t in rounds], "rows": [[]] * len(rounds)}
        | columns
        | {f"{clock}_time": 0.1 for clock in ("fit", "query", "update", "score")}
        | {"status": status, "reason": "why"}
    )


def records(*runs: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(runs, ignore_index=True)


@comparison_metric("gain", summary="Mean of the last values less the baseline's")
def gain(curves: Mapping[str, Curves], baseline: str, *, factor: float = 1.0) -> dict[str, float]:
    last = {strategy: float(np.mean([curve.values[-1] for curve in own])) for strategy, own in curves.items() if own}
    return {strategy: factor * (value - last[baseline]) for strategy, value in last.items()}


@pytest.fixture
def registry() -> Registry:
    """The built-in metrics, and a comparison metric."""
    registry = plugins.loaded().registry.copy()
    registry.add([spec_of(gain)], "toys", "1")
    return registry


def scored(
    registry: Registry, frame: pd.DataFrame, metric: str, of: str | None = None, **more: Any
) -> dict[str, float]:
    found = scores(frame, question(registry, frame, metric, of, **more))
    return dict(zip(found["run"], found["score"], strict=True))


# --- curves ----------------------------------------------------------------------------------------------------------


def test_recorded_metrics_are_the_columns_that_nothing_else_has():
    assert recorded(run([0.5], f1=[0.4])) == ["accuracy", "f1"]


def test_curve_is_the_metric_against_labelled_rows_in_order_of_rounds():
    frame = records(run([0.1, 0.2, 0.3], step=4), run([0.7], seed=1)).iloc[::-1]
    found = curves(frame, "accuracy")
    assert set(found) == {"d/margin/knn/0", "d/margin/knn/1"}
    assert found["d/margin/knn/0"].labeled.tolist() == [10, 14, 18]
    assert found["d/margin/knn/0"].values.tolist() == [0.1, 0.2, 0.3]
    assert found["d/margin/knn/1"].values.tolist() == [0.7]


def test_curve_begins_where_something_could_be_scored_and_keeps_what_is_undefined_later():
    found = curves(run([NAN, NAN, 0.2, NAN, 0.3]), "accuracy")["d/margin/knn/0"]
    assert found.labeled.tolist() == [12, 13, 14]
    np.testing.assert_array_equal(found.values, [0.2, NAN, 0.3])


def test_run_without_a_value_has_no_curve():
    frame = records(run([NAN, NAN]), run(seed=1, status="skipped"), run([0.5], seed=2))
    assert list(curves(frame, "accuracy")) == ["d/margin/knn/2"]


def test_records_without_any_value_have_no_curves():
    assert curves(run(status="skipped"), "accuracy") == {}


def test_curves_of_what_was_not_recorded():
    with pytest.raises(
        InputError, match=r"'acuracy' was not recorded; there is accuracy, f1. Did you mean 'accuracy'\?"
    ):
        curves(run([0.5], f1=[0.5]), "acuracy")


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "of", "asked", "title"),
    [
        ("accuracy", None, "accuracy", "accuracy at the end"),
        ("f1-macro", None, "f1-macro", "f1-macro at the end"),
        ("aubc", None, "accuracy", "aubc of accuracy"),
        ("aubc", "f1-macro", "f1-macro", "aubc of f1-macro"),
        ("gain", None, "accuracy", "gain of accuracy"),
        ("own label", None, "own label", "own label at the end"),
        ("labels-to(target=0.9)", None, "accuracy", "labels-to(target=0.9) of accuracy"),
    ],
)
def test_question(registry, metric, of, asked, title):
    frame = run([0.5], **{"f1-macro": [0.5], "own label": [0.5]})
    found = question(registry, frame, metric, of)
    assert (found.of, found.title) == (asked, title)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("labels-to(target=0.9)", {"target": 0.9}),
        ("labels-to(greater_is_better=false,target=0.9)", {"greater_is_better": False, "target": 0.9}),
        ("labels-to(target = 0.9, greater_is_better = true)", {"greater_is_better": True, "target": 0.9}),
        ("aubc(kind=ariapoy2023)", {"kind": "ariapoy2023"}),
        ('aubc(kind="ariapoy2023")', {"kind": "ariapoy2023"}),
        ("gain(factor=2)", {"factor": 2}),
    ],
)
def test_parameters_are_asked_for_as_labels_show_them(registry, metric, params):
    assert question(registry, run([0.5]), metric, None).params == params


@pytest.mark.parametrize(
    ("metric", "of", "message"),
    [
        ("aubcc", None, r"no metric is called 'aubcc'\. Did you mean 'aubc'\?"),
        ("f1-macro", None, "'f1-macro' was not recorded; there is accuracy"),
        ("aubc", "acuracy", r"'acuracy' was not recorded; there is accuracy. Did you mean 'accuracy'\?"),
        ("labels-to", None, "labels-to needs the parameter 'target'"),
        ("aubc(knd=standard)", None, r"aubc has no parameter 'knd'; it takes kind. Did you mean 'kind'\?"),
    ],
)
def test_question_that_has_no_answer(registry, metric, of, message):
    with pytest.raises(InputError, match=message):
        question(registry, run([0.5]), metric, of)


def test_records_without_a_metric(registry):
    with pytest.raises(InputError, match=r"no metric was recorded; set metrics.round in the experiment"):
        question(registry, run([0.5]).drop(columns="accuracy"), "aubc", None)


# --- scores ----------------------------------------------------------------------------------------------------------


def test_round_metric_scores_a_run_by_its_last_round(registry):
    frame = records(run([0.1, 0.4, 0.3]), run([0.5, NAN], seed=1))
    assert scored(registry, frame, "accuracy") == pytest.approx(
        {"d/margin/knn/0": 0.3, "d/margin/knn/1": NAN}, nan_ok=True
    )


def test_curve_metric_scores_every_curve(registry):
    frame = records(run([0.0, 1.0, 1.0]), run([0.5, 0.7, 0.6], seed=1, step=3))
    expected = {"d/margin/knn/0": (0.5 + 1.0) / 2, "d/margin/knn/1": (0.6 + 0.65) / 2}
    assert scored(registry, frame, "aubc") == pytest.approx(expected)


def test_curve_metric_with_parameters_of_another_round_metric(registry):
    frame = run([0.5, 0.5, 0.5], f1=[0.1, 0.8, 0.9])
    assert scored(registry, frame, "labels-to", "f1", target=0.8) == {"d/margin/knn/0": 11.0}
    assert scored(registry, frame, "labels-to(target=0.85)", "f1") == {"d/margin/knn/0": 12.0}


def test_a_target_that_is_not_reached_is_beyond(registry):
    """It is no gap: it ranks last, where a gap would cost the others their seed."""
    frame = records(run([0.5, 0.6]), run([0.5, 0.9], seed=1))
    assert scored(registry, frame, "labels-to(target=0.8)") == pytest.approx(
        {"d/margin/knn/0": np.inf, "d/margin/knn/1": 11.0}
    )


@pytest.mark.parametrize("metric", ["accuracy", "aubc", "gain"])
@pytest.mark.parametrize("status", ["failed", "timeout"])
def test_curve_that_was_cut_short_is_not_scored(registry, metric, status):
    frame = records(run([0.5, 0.5], strategy="random"), run([0.5, 0.7]), run([0.5], seed=1, status=status))
    found = scores(frame, question(registry, frame, metric, None))
    assert found["score"].isna().tolist() == [False, False, True]
    assert found["status"].tolist() == ["completed", "completed", status]


def test_comparison_metric_scores_strategies_on_each_data_set_with_each_learner(registry):
    frame = records(
        *(run([0.5, value], seed=seed, strategy="random") for seed, value in enumerate([0.6, 0.8])),
        *(run([0.5, value], seed=seed) for seed, value in enumerate([0.7, 0.9])),
        run([0.1, 0.2], dataset="e", strategy="random"),
        run([0.1, 0.5], dataset="e"),
        run([0.1, 0.3], dataset="e", learner="lda", strategy="random"),
        run([0.1, 0.2], dataset="e", learner="lda"),
    )
    assert scored(registry, frame, "gain") == pytest.approx(
        {
            "d/random/knn/0": 0.0,
            "d/random/knn/1": 0.0,
            "d/margin/knn/0": 0.1,
            "d/margin/knn/1": 0.1,
            "e/random/knn/0": 0.0,
            "e/margin/knn/0": 0.3,
            "e/random/lda/0": 0.0,
            "e/margin/lda/0": -0.1,
        }
    )
    assert scored(registry, frame, "gain", factor=10.0)["d/margin/knn/0"] == pytest.approx(1.0)


def test_comparison_takes_another_baseline(registry):
    frame = records(run([0.5], strategy="random"), run([0.7]))
    found = scores(frame, question(registry, frame, "gain", None), baseline="margin")
    assert found["score"].tolist() == pytest.approx([-0.2, 0.0])


def test_comparison_without_its_baseline(registry):
    frame = records(run([0.5], strategy="random"), run([0.7]))
    message = r"the baseline 'randm' is none of the strategies random, margin. Did you mean 'random'\?"
    with pytest.raises(InputError, match=message):
        scores(frame, question(registry, frame, "gain", None), baseline="randm")


def test_comparison_has_no_score_where_the_baseline_did_not_complete(registry):
    frame = records(
        run([0.5], strategy="random", status="failed"),
        run([0.7]),
        run([0.5], dataset="e", strategy="random"),
        run([0.7], dataset="e"),
    )
    assert scored(registry, frame, "gain") == pytest.approx(
        {"d/random/knn/0": NAN, "d/margin/knn/0": NAN, "e/random/knn/0": 0.0, "e/margin/knn/0": 0.2}, nan_ok=True
    )


# --- tables ----------------------------------------------------------------------------------------------------------


def runs_scored(*rows: tuple[str, str, int, float, str]) -> pd.DataFrame:
    """Return scored runs: dataset, strategy, seed, score, status."""
    frame = pd.DataFrame(rows, columns=["dataset", "strategy", "seed", "score", "status"])
    return frame.assign(learner="knn", query_learner="lda", task_learner="knn")


def test_cell_is_mean_and_standard_deviation_over_its_runs():
    frame = runs_scored(*(("d", "margin", seed, value, "completed") for seed, value in enumerate([1.0, 2.0, 6.0])))
    cell = table(frame, ["dataset"], ["strategy"])[("d",)][("margin",)]
    assert cell.mean == pytest.approx(3.0)
    assert cell.sd == pytest.approx(math.sqrt((4 + 1 + 9) / 2))
    assert (cell.n, cell.total, cell.ended, cell.whole) == (3, 3, {}, True)


def test_cell_has_the_t_interval_of_its_mean():
    frame = runs_scored(*(("d", "margin", seed, value, "completed") for seed, value in enumerate([1.0, 2.0, 3.0])))
    cell = table(frame, ["dataset"], ["strategy"])[("d",)][("margin",)]
    assert cell.half_width == pytest.approx(4.302652729911275 / math.sqrt(3))


def test_cell_of_one_run_has_no_deviation():
    cell = table(runs_scored(("d", "margin", 0, 1.0, "completed")), ["dataset"], ["strategy"])[("d",)][("margin",)]
    assert cell.mean == 1.0
    assert math.isnan(cell.sd)
    assert math.isnan(cell.half_width)


def test_cell_counts_what_it_does_not_average():
    frame = runs_scored(
        ("d", "margin", 0, 1.0, "completed"),
        ("d", "margin", 1, NAN, "failed"),
        ("d", "margin", 2, NAN, "failed"),
        ("d", "margin", 3, NAN, "timeout"),
        ("d", "margin", 4, NAN, "completed"),
        ("d", "margin", 5, 3.0, "completed"),
    )
    cell = table(frame, ["dataset"], ["strategy"])[("d",)][("margin",)]
    assert (cell.mean, cell.n, cell.total, cell.whole) == (2.0, 2, 6, False)
    assert cell.ended == {"failed": 2, "timeout": 1}


def test_cell_without_a_score():
    cell = table(runs_scored(("d", "margin", 0, NAN, "skipped")), ["dataset"], ["strategy"])[("d",)][("margin",)]
    assert math.isnan(cell.mean)
    assert (cell.n, cell.total, cell.ended) == (0, 1, {"skipped": 1})


def test_pair_that_was_not_run_has_no_cell_and_the_rest_keeps_its_order():
    frame = runs_scored(
        ("z", "margin", 0, 1.0, "completed"),
        ("z", "entropy", 0, 2.0, "completed"),
        ("a", "entropy", 0, 3.0, "completed"),
    )
    cells = table(frame, ["dataset"], ["strategy"])
    assert [(row, list(columns)) for row, columns in cells.items()] == [
        (("z",), [("margin",), ("entropy",)]),
        (("a",), [("entropy",)]),
    ]


def test_rows_and_columns_can_be_of_several_names():
    frame = runs_scored(("d", "margin", 0, 1.0, "completed"), ("d", "margin", 1, 2.0, "completed"))
    cells = table(frame, ["dataset", "query_learner"], ["strategy", "seed"])
    assert {row: {column: cell.mean for column, cell in found.items()} for row, found in cells.items()} == {
        ("d", "lda"): {("margin", "0"): 1.0, ("margin", "1"): 2.0}
    }


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (["dataset"], ["strateg"], r"'strateg' cannot make rows or columns; use dataset, .* Did you mean 'strategy'\?"),
        (["status"], ["strategy"], "'status' cannot make rows or columns"),
        (["dataset", "strategy"], ["strategy"], "strategy makes rows or columns twice; use it once"),
        (["dataset", "dataset"], ["strategy"], "dataset makes rows or columns twice; use it once"),
    ],
)
def test_names_that_make_no_table(rows, columns, message):
    with pytest.raises(InputError, match=message):
        table(runs_scored(("d", "margin", 0, 1.0, "completed")), rows, columns)


# --- bands -----------------------------------------------------------------------------------------------------------


def curve(labeled: Sequence[float], values: Sequence[float]) -> Curve:
    return Curve(np.array(labeled, dtype=float), np.array(values, dtype=float))


@pytest.mark.parametrize(("level", "quantile"), [(0.95, 4.302652729911275), (0.9, 2.919985580353726)])
def test_band_is_a_t_interval(level, quantile):
    found = [curve([10, 20], [value, 5.0]) for value in (1.0, 2.0, 3.0)]
    labeled, mean, low, high = band(found, level)
    assert labeled.tolist() == [10, 20]
    assert mean.tolist() == [2.0, 5.0]
    half = quantile * 1.0 / math.sqrt(3)  # t of 2 degrees of freedom, standard deviation 1, three curves
    np.testing.assert_allclose(low, [2 - half, 5.0])
    np.testing.assert_allclose(high, [2 + half, 5.0])


def test_band_is_over_the_label_counts_that_all_curves_share():
    labeled, mean, _, _ = band([curve([10, 12, 14, 16], [1, 2, 3, 4]), curve([12, 13, 16, 18], [4, 9, 6, 9])])
    assert labeled.tolist() == [12, 16]
    assert mean.tolist() == [3.0, 5.0]


def test_band_of_curves_that_share_no_label_count_is_empty():
    assert [len(part) for part in band([curve([1, 3], [0, 0]), curve([2, 4], [0, 0])])] == [0, 0, 0, 0]


def test_band_of_one_curve_has_no_ends():
    labeled, mean, low, high = band([curve([1, 2], [0.5, 0.6])])
    assert (labeled.tolist(), mean.tolist()) == ([1, 2], [0.5, 0.6])
    assert np.isnan([low, high]).all()


def test_band_keeps_what_is_undefined():
    _, mean, _, _ = band([curve([1, 2], [0.5, NAN]), curve([1, 2], [0.7, 0.6])])
    np.testing.assert_allclose(mean, [0.6, NAN])


def test_band_of_nothing():
    with pytest.raises(InputError, match="there is no curve to average"):
        band([])
