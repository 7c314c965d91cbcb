"""What comparison metrics are given of a store, and what becomes of what they tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from alcore import metrics, stats
from alcore.decorators import comparison_metric, spec_of
from alcore.execute import execute
from alcore.plan import plan
from alcore.plugins import loaded
from alcore.protocols import Curve, Curves, Told
from alcore.spec import MetricSpec
from alcore.store import Store


@comparison_metric("mine.ends", summary="Number of exhausted curves, and words about random")
def ends(curves: Any, baseline: str) -> Told:
    return Told(
        {name: float(sum(one.exhausted for one in each)) for name, each in curves.items()}, {"random": "chance"}
    )


@pytest.fixture
def records(make_experiment: Any, tmp_path: Path) -> pd.DataFrame:
    """Two strategies and seeds; the second data set's pool is labelled whole."""
    data = [{"name": "synthetic.clouds", "n": n, "label": str(n)} for n in (60, 20)]
    store = Store(tmp_path / "store", create=True)
    for run in plan(make_experiment(datasets=data, budget=6, start={"size": 6}), loaded().registry):
        store.write(run, execute(run))
    return store.records()


def test_curves_know_their_seed_and_whether_the_pool_was_exhausted(records: pd.DataFrame) -> None:
    heads = records.drop_duplicates("run").set_index("run")
    for run, curve in stats.curves(records, "accuracy").items():
        assert curve.seed == heads.loc[run, "seed"]
        assert curve.exhausted == (heads.loc[run, "dataset"] == "20")


def test_a_curve_by_itself_has_no_seed() -> None:
    one = Curve(np.arange(3.0), np.zeros(3))
    assert (one.seed, one.exhausted) == (None, False)
    assert metrics.aubc(one) == 0.0


def test_what_a_metric_tells_is_kept_with_its_scores(records: pd.DataFrame) -> None:
    spec = spec_of(ends)
    assert isinstance(spec, MetricSpec)
    scored = stats.scores(records, stats.Question("mine.ends", spec, "accuracy", {}))
    assert scored.groupby("dataset")["score"].unique().map(list).to_dict() == {"60": [0.0], "20": [2.0]}
    assert stats.words(scored) == ["60 / random: chance", "20 / random: chance"]


def test_metrics_that_tell_nothing_leave_no_words(records: pd.DataFrame) -> None:
    def plain(curves: dict[str, Curves], baseline: str) -> dict[str, float]:
        return dict.fromkeys(curves, 1.0)

    spec = MetricSpec(name="mine.plain", summary="One", make=lambda: plain, scope="comparison")
    scored = stats.scores(records, stats.Question("mine.plain", spec, "accuracy", {}))
    assert stats.words(scored) == []
