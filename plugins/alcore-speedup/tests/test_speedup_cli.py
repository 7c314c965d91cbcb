"""The command, the metrics by name, the figures and the report, as a user meets them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import alcore.testing
from alcore import InputError, plugins
from alcore.cli import main
from alcore.experiment import parse
from alcore.report.page.sections import Results
from alcore_speedup import of_store, speed_up
from alcore_speedup.figures import draw
from alcore_speedup.metrics import METRICS, lc_mean_metric, speed_up_metric
from alcore_speedup.plugin import alcore_report_sections
from alcore_speedup.times import exponent, processing_times


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def curves(table, tmp_path):
    path = tmp_path / "curves.csv"
    table(noise=0.01, seeds=4).to_csv(path, index=False)
    return path


def test_json_keeps_the_contract(curves):
    result = run("speed-up", curves, "--baseline", "random", "--ceiling", 0.9, "--json")
    assert result.exit_code == 0, result.output
    rows = {row["strategy"]: row for row in json.loads(result.stdout)["rows"]}
    assert set(rows) == {"fast", "slow"}
    assert rows["fast"]["speed_up"] == pytest.approx(0.25, rel=0.02)
    assert rows["fast"]["interval"][0] < 0.25 < rows["fast"]["interval"][1]
    assert rows["fast"]["function"] == "p1"
    assert rows["fast"]["reason"] is None


def test_json_of_what_is_refused_has_null_and_a_reason(curves):
    result = run("speed-up", curves, "--json")
    assert result.exit_code == 0, result.output
    for row in json.loads(result.stdout)["rows"]:
        assert row["speed_up"] is None
        assert row["interval"] is None
        assert "give the ceiling" in row["reason"]


def test_the_table_shows_all_metrics_and_reasons(curves):
    result = run("speed-up", curves, "--ceiling", "estimate")
    assert result.exit_code == 0, result.output
    head = result.output.splitlines()[1].split()
    assert head[:2] == ["strategy", "S"]
    assert "* fast, random, slow: the ceiling of 0.9" in result.output


def test_other_baselines_turn_the_factor_over(curves):
    words = ("speed-up", curves, "--ceiling", 0.9, "--json")
    one = json.loads(run(*words).stdout)["rows"][0]
    rows = {row["strategy"]: row for row in json.loads(run(*words, "--baseline", "fast").stdout)["rows"]}
    assert rows["random"]["speed_up"] == pytest.approx(1 / one["speed_up"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--baseline", "rand"), "Did you mean 'random'"),
        (("--ceiling", "high"), "give a number, 'final', 'estimate' or 'train'"),
        (("--ceiling", "train"), "needs a store"),
        (("--ceiling", "0.9", "--times", "t.svg"), "--times needs a store"),
        (("--ceiling", "0.9", "--figure", "f.gif"), "figures are drawn as .svg, .pdf, .png"),
    ],
)
def test_wrong_input_is_told(curves, words, message):
    result = run("speed-up", curves, *words)
    assert result.exit_code == 2
    assert message in result.output


def test_figures_are_drawn_and_repeat_byte_by_byte(curves, tmp_path):
    for name in ("one.svg", "two.svg"):
        result = run("speed-up", curves, "--ceiling", 0.9, "--draws", 50, "--figure", tmp_path / name)
        assert result.exit_code == 0, result.output
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert "fast: S = 0.25" in text
    assert "over the stop budget" in text


def test_a_figure_of_what_is_refused_says_so(setup, tmp_path):
    text = draw(speed_up(setup(points=30)), tmp_path / "refused.svg").read_text()
    assert "S refused" in text
    assert "no ceiling" in text


def test_a_store_gives_factors_ceilings_and_times(store, tmp_path):
    words = ("--draws", 50, "--force", "--json")
    result = run("speed-up", store.path, *words, "--times", tmp_path / "times.svg")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["rows"][0]["dataset"] == "two"
    assert found["setups"][0]["ceiling_source"] == "final"
    trained = json.loads(run("speed-up", store.path, *words, "--ceiling", "train").stdout)
    assert trained["setups"][0]["ceiling"] == pytest.approx(found["setups"][0]["ceiling"])  # all pools are exhausted
    assert "processing time, normalised" in (tmp_path / "times.svg").read_text()


def test_times_are_normalised_by_the_slowest(store):
    found = {one.strategy: one for one in processing_times(store)}
    assert max(one.normalised for one in found.values()) == pytest.approx(1.0)
    assert found["margin"].unlabeled.tolist() == list(range(4, 48, 4))
    assert found["random"].growth == "linear"
    ratio = found["random"].mean / found["margin"].mean
    assert found["random"].normalised / found["margin"].normalised == pytest.approx(ratio)


def test_an_exponent_is_a_slope_of_logarithms():
    rows = np.array([100.0, 200.0, 400.0, 800.0])
    assert exponent(rows, 1e-6 * rows**2) == pytest.approx(2.0)
    assert np.isnan(exponent(rows[:2], rows[:2]))
    assert np.isnan(exponent(np.array([100.0, 110.0, 120.0]), np.ones(3)))


@pytest.mark.parametrize(
    "check",
    [check for metric in METRICS for check in alcore.testing.checks_for(metric)]
    + alcore.testing.checks_for(speed_up_metric, params={"ceiling": 0.9}),
    ids=str,
)
def test_contract(check):
    check()


def test_the_metric_is_the_factor_with_its_reasons(known):
    given = known(noise=0.01, seeds=3)
    found = speed_up_metric(given, "random", ceiling=0.9)
    assert found["fast"] == pytest.approx(0.25, rel=0.02)
    assert found["random"] == 1.0
    assert found.reasons == {}
    assert set(speed_up_metric(given, "random").reasons) == {"fast", "random", "slow"}


def test_the_mean_of_a_curve_is_that_of_its_points(known):
    one = known()["fast"][0]
    assert lc_mean_metric(one) == pytest.approx(one.values.mean())


def test_tables_show_the_metric_and_its_reasons(store):
    forced = run("table", store.path, "--metric", "speed-up(force=true)", "--json")
    assert forced.exit_code == 0, forced.output
    cells = {cell["strategy"]: cell["mean"] for cell in json.loads(forced.stdout)["cells"]}
    (setup,) = of_store(store)
    assert cells["margin"] == pytest.approx(speed_up(setup, draws=0, force=True)["margin"].speed_up)
    loss = run("table", store.path, "--metric", "speed-up", "--of", "log-loss")
    assert loss.exit_code == 0, loss.output
    assert "undefined" in loss.output
    assert "two / margin: the performance at the start" in loss.output


@pytest.mark.parametrize("metric", ["speed-up-connected", "speed-up-fixed", "aulc-ratio", "cut-points", "lc-mean"])
def test_tables_show_the_other_metrics(store, metric):
    result = run("table", store.path, "--metric", metric)
    assert result.exit_code == 0, result.output


def test_a_report_has_a_section(store):
    records = store.records()
    ((title, make),) = alcore_report_sections(Results(store, records, "accuracy", "random"))
    assert title == "Speed-up over random"
    assert "<td>margin</td>" in make()
    ((title, _),) = alcore_report_sections(Results(store, records, "accuracy", "margin"))
    assert title == "Speed-up over margin"
    assert not alcore_report_sections(Results(store, records, "accuracy", "nobody"))


def test_a_strategy_that_completed_fewer_seeds_is_marked(store):
    records = store.records()
    lost = (records["strategy"] == "margin") & (records["seed"] > 0)
    records.loc[lost, "status"] = "failed"
    ((_, make),) = alcore_report_sections(Results(store, records, "accuracy", "random"))
    assert "<td>1 of 3*</td>" in make()


def test_the_names_are_listed():
    registry = plugins.loaded().registry
    assert registry.entry("metric", "speed-up").distribution == "alcore-speedup"
    raw = {"name": "x", "datasets": ["sklearn.iris"], "strategies": ["random"], "learners": ["knn"]}
    with pytest.raises(InputError, match="alcore table STORE --metric speed-up"):
        parse(raw | {"metrics": {"curve": ["speed-up"]}}, registry)
