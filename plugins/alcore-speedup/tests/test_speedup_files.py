"""Curves out of tables and stores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

from alcore import InputError, plugins
from alcore.execute import prepare
from alcore.protocols import Curve
from alcore_speedup import Setup, of_frame, of_store, read, speed_up
from alcore_speedup.files import trained_ceilings


def test_a_table_gives_the_curves_in_it(table, setup):
    (found,) = of_frame(table(noise=0.01, seeds=3).sample(frac=1, random_state=0))
    wanted = setup(noise=0.01, seeds=3)
    assert (found.strategies, found.seeds) == (wanted.strategies, wanted.seeds)
    np.testing.assert_array_equal(found.values, wanted.values)
    np.testing.assert_array_equal(found.start, np.full((3, 3), 20.0))


def test_data_sets_and_learners_are_setups_of_their_own(table):
    frame = pd.concat([table(seeds=2).assign(dataset=d, learner=m) for d in ("a", "b") for m in ("x", "y")])
    found = of_frame(frame)
    assert [setup.names for setup in found] == [{"dataset": d, "learner": m} for d in "ab" for m in "xy"]


def test_one_seed_needs_no_column(table):
    (found,) = of_frame(table().drop(columns="seed"))
    assert found.seeds == (0,)


def test_points_without_a_value_are_left_out(table):
    frame = table()
    frame.loc[(frame.strategy == "fast") & (frame.labels <= 40), "value"] = np.nan
    (found,) = of_frame(frame)
    x, _ = found.points(found.position("fast"))
    assert found.start[found.position("fast"), 0] == 60
    assert x[0] == 0


def test_an_exhausted_column_gives_the_ceiling(table):
    (found,) = of_frame(table(points=200).assign(exhausted=True))
    assert speed_up(found).ceiling.a_inf == pytest.approx(found.finals().mean())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="labels"), "has no column 'labels'"),
        (lambda t: t.rename(columns={"value": "values"}), "Did you mean 'values'"),
        (lambda t: t.assign(value="high"), "column 'value' holds something that is no number"),
        (lambda t: t.assign(strategy=t.strategy.where(t.index != 3)), "strategy is empty in row 3"),
        (lambda t: pd.concat([t, t]), "two values at 20 labels; give one curve per strategy and seed"),
        (lambda t: t.assign(value=np.inf), "infinite"),
    ],
)
def test_wrong_tables_are_errors(table, change, message):
    with pytest.raises(InputError, match=message):
        of_frame(change(table()))


def test_curves_that_repeat_a_seed_or_a_label_count_are_errors():
    one = Curve(np.array([1.0, 2.0]), np.array([0.1, 0.2]), 3)
    with pytest.raises(InputError, match="seed 3: two values at 1 labels"):
        Setup.of({"a": [one, one]})
    with pytest.raises(InputError, match="there are no curves"):
        Setup.of({})


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_read(table, tmp_path, suffix):
    path = tmp_path / f"curves.{suffix}"
    getattr(table(), f"to_{suffix}")(path, index=False)
    (found,) = read(path)
    assert found.strategies == ("fast", "random", "slow")


def test_what_is_not_there_or_no_table_is_an_error(tmp_path):
    with pytest.raises(InputError, match="there is no file or store"):
        read(tmp_path / "none.csv")
    (tmp_path / "bad.parquet").write_text("x")
    with pytest.raises(InputError, match="cannot be read as parquet"):
        read(tmp_path / "bad.parquet")
    (tmp_path / "one.csv").write_text("strategy,labels,value\na,1,0.5\n")
    with pytest.raises(InputError, match="--of is for stores"):
        read(tmp_path / "one.csv", "accuracy")


def test_a_store_is_read_with_its_seeds_and_its_exhausted_pools(store):
    (found,) = of_store(store)
    assert (found.strategies, found.seeds) == (("margin", "random"), (0, 1, 2))
    assert found.names["metric"] == "accuracy"
    assert found.exhausted.all()
    assert found.x.tolist() == list(range(0, 45, 4))
    assert of_store(store, "log-loss")[0].names["metric"] == "log-loss"
    with pytest.raises(InputError, match="was not recorded"):
        of_store(store, "accurracy")


def test_a_trained_ceiling_is_the_learner_fitted_to_the_pool(store):
    (by_seed,) = trained_ceilings(store, "accuracy").values()
    assert set(by_seed) == {0, 1, 2}
    (setup,) = of_store(store)
    assert by_seed == pytest.approx(dict(zip(setup.seeds, setup.finals()[0], strict=True)))  # all pools are exhausted
    run = next(iter(store.runs()["run"]))
    config = store.about(run)["config"]
    prepared = prepare(config, plugins.loaded().registry)
    model = GaussianNB().fit(prepared.pool.X, prepared.y)
    right = accuracy_score(prepared.test.y, model.predict(prepared.test.X))
    assert by_seed[config["seed"]] == pytest.approx(right)
