"""The speed-up factor: known ones, intervals, the choice of the function, guard rails, ceilings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from alcore import InputError
from alcore.protocols import Curve
from alcore_speedup import Limits, Setup, delta_log, delta_rel, speed_up

TRUE = {"fast": 0.25, "random": 1.0, "slow": 700 / 600}


@pytest.mark.parametrize("function", ["p1", "p2"])
def test_known_factors_are_found(setup, function):
    found = speed_up(setup(function), ceiling=0.9)
    assert found.function == function
    for one in found.factors:
        assert one.speed_up == pytest.approx(TRUE[one.strategy], abs=1e-9)
        assert (one.reason, one.refused, one.interval) == (None, False, None)


@pytest.mark.parametrize("function", ["p1", "p2"])
def test_noisy_factors_are_within_their_intervals(setup, function):
    found = speed_up(setup(function, noise=0.02, seeds=8, chance=1), ceiling=0.9)
    assert found.function == function
    for one in found.others:
        assert one.interval[0] < TRUE[one.strategy] < one.interval[1]
        assert one.interval[1] - one.interval[0] < 0.1 * TRUE[one.strategy]
        assert one.reason is None


def test_intervals_hold_the_true_factor_as_often_as_they_say(setup):
    hits = []
    for chance in range(60):
        found = speed_up(setup(noise=0.02, seeds=4, points=30, step=50.0, chance=chance), ceiling=0.9, draws=200)
        hits += [one.interval[0] <= TRUE[one.strategy] <= one.interval[1] for one in found.others]
    assert 0.88 <= np.mean(hits) <= 1.0


def test_percentile_intervals_are_quantiles_of_the_draws(setup):
    given = setup(noise=0.02, seeds=6)
    wide, narrow = (speed_up(given, ceiling=0.9, interval="percentile", level=level)["fast"] for level in (0.95, 0.5))
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


def test_the_function_is_one_for_all_strategies_and_can_be_given(known):
    curves = known("p1") | {"odd": known("p2")["fast"]}
    found = speed_up(Setup.of(curves), ceiling=0.9, function="p2")
    assert {one.function for one in found.factors} == {"p2"}
    assert len({one.function for one in speed_up(Setup.of(curves), ceiling=0.9).factors}) == 1


def test_rmse_is_that_of_the_scatter(setup):
    given = setup(noise=0.02, seeds=5)
    found = speed_up(given, ceiling=0.9)
    fast = found["fast"]
    k = 1 - found.p_0 / 0.9
    q = given.position("fast")
    left = given.values[q] - 0.9 * (1 - k * np.exp(-given.x / fast.b))
    assert fast.rmse["p1"] == pytest.approx(np.sqrt((left**2).mean()), rel=1e-9)


def test_order_of_strategies_and_seeds_changes_nothing(known):
    curves = known(noise=0.02, seeds=4)
    turned = {name: curves[name][::-1] for name in reversed(curves)}
    for one, other in zip(
        speed_up(Setup.of(curves), ceiling=0.9).factors, speed_up(Setup.of(turned), ceiling=0.9).factors, strict=True
    ):
        assert one == other


def test_seeds_have_factors_of_their_own(setup):
    found = speed_up(setup(noise=0.02, seeds=4), ceiling=0.9)["fast"]
    assert list(found.per_seed) == [0, 1, 2, 3]
    assert np.mean(list(found.per_seed.values())) == pytest.approx(found.speed_up, rel=0.02)
    assert len(set(found.per_seed.values())) == 4


def test_start_sets_and_queries_may_differ_in_size(known):
    curves = {
        "random": known(points=70, step=20)["random"],
        "fast": known(points=35, step=40, start=80)["fast"],
    }
    assert speed_up(Setup.of(curves), ceiling=0.9)["fast"].speed_up == pytest.approx(0.25, abs=1e-9)


def test_a_strategy_may_lack_seeds(known):
    curves = known(noise=0.01, seeds=5)
    curves["fast"] = curves["fast"][:3]
    found = speed_up(Setup.of(curves), ceiling=0.9)["fast"]
    assert found.speed_up == pytest.approx(0.25, rel=0.03)
    assert found.interval is not None
    assert [seed for seed, S in found.per_seed.items() if np.isnan(S)] == [3, 4]


# --- guard rails -----------------------------------------------------------------------------------------------------


def refused(curves, **how):
    found = speed_up(Setup.of(curves), **({"ceiling": 0.9} | how))["mine"]
    assert found.refused
    assert np.isnan(found.speed_up)
    assert found.interval is None
    return found.reason


def mine(known, values, **how):
    return {
        "random": known(points=len(values), **how)["random"],
        "mine": [Curve(20.0 * np.arange(1, len(values) + 1), values)],
    }


P_0 = 0.9 * (1 - np.exp(-0.2))


def test_a_flat_curve_is_refused(known):
    reason = refused(mine(known, np.full(40, P_0)))
    assert "the gain of mine is 0.00, below 0.2" in reason
    assert "no scale b fits mine" in reason


def test_a_decreasing_curve_is_refused(known):
    reason = refused(mine(known, np.linspace(P_0, 0.05, 40)))
    assert "the gain of mine is -" in reason
    assert "not monotonic: it falls by 100%" in reason


def test_two_points_are_refused(known):
    assert "the curve of mine has 2 points; a factor needs 3" in refused(mine(known, np.array([P_0, 0.5])))


def test_one_point_is_refused(known):
    assert "no curve has a point after the start set's" in refused(mine(known, np.array([P_0])))


def test_a_missing_ceiling_is_refused(known):
    assert "give the ceiling" in refused(known(scales={"random": 600.0, "mine": 150.0}), ceiling=None)


def test_a_start_at_the_ceiling_is_refused(known):
    assert "is not below the ceiling, 0.1" in refused(known(scales={"random": 600.0, "mine": 150.0}), ceiling=0.1)


def test_negative_performance_is_refused(known):
    assert "values of 0 or more" in refused(mine(known, np.linspace(-0.5, 0.6, 40)))


def test_a_strategy_without_a_value_is_refused(known):
    assert "has 0 points" in refused(mine(known, np.full(40, np.nan)))


def test_a_curve_that_is_at_the_ceiling_at_once_is_refused(known):
    assert "is at the ceiling after one query" in refused(mine(known, np.append(P_0, np.full(39, 0.9))))


def test_a_small_gain_is_refused_and_a_larger_one_warned_of(known):
    scales = {"random": 600.0, "mine": 300.0}
    assert "the gain of random is 0.15" in refused(known(scales=scales, points=6))
    warned = speed_up(Setup.of(known(scales=scales, points=10)), ceiling=0.9)["mine"]
    assert not warned.refused
    assert warned.speed_up == pytest.approx(0.5)
    assert "the gain of random is 0.26, below 0.3: the factor is uncertain" in warned.reason


def test_a_refused_factor_can_be_forced_and_keeps_its_reason(known):
    curves = known(scales={"random": 600.0, "mine": 300.0}, points=6)
    forced = speed_up(Setup.of(curves), ceiling=0.9, force=True)["mine"]
    assert forced.speed_up == pytest.approx(0.5)
    assert forced.refused
    assert "gain" in forced.reason


def test_limits_can_be_set(known):
    curves = known(scales={"random": 600.0, "mine": 300.0}, points=6)
    assert speed_up(Setup.of(curves), ceiling=0.9, limits=Limits(refused=0.1, doubtful=0.1))["mine"].reason is None


def test_waves_are_warned_of(known):
    values = 0.6 - 0.4 * np.exp(-np.arange(40) / 5) + 0.2 * np.sin(np.arange(40) / 4)
    values[0] = P_0
    found = speed_up(Setup.of(mine(known, values)), ceiling=0.9)["mine"]
    assert "not monotonic" in found.reason
    assert np.isfinite(found.speed_up)


def test_noise_alone_is_no_wave(setup):
    for chance in range(10):
        assert speed_up(setup(noise=0.03, seeds=1, chance=chance), ceiling=0.9)["slow"].reason is None


def test_scales_of_less_than_two_queries_are_warned_of(known):
    found = speed_up(Setup.of(known(scales={"random": 600.0, "mine": 30.0})), ceiling=0.9)["mine"]
    assert "the scale b of mine is 30 labels, fewer than 2 queries" in found.reason


def test_different_starts_are_warned_of(known):
    curves = known()
    curves["fast"] = [Curve(one.labeled, one.values + 0.1 * (one.labeled == 20)) for one in curves["fast"]]
    assert (
        "fast starts 0.067 above the mean of all strategies" in speed_up(Setup.of(curves), ceiling=0.9)["fast"].reason
    )


def test_a_ceiling_below_the_end_is_warned_of(known):
    curves = known(scales={"random": 100.0, "mine": 90.0})
    assert "above the ceiling of 0.85" in speed_up(Setup.of(curves), ceiling=0.85)["mine"].reason


# --- ceilings --------------------------------------------------------------------------------------------------------


def test_the_last_values_of_exhausted_pools_are_the_ceiling(known):
    curves = known(points=200)
    whole = {n: [Curve(c.labeled, c.values, c.seed, exhausted=n != "slow") for c in each] for n, each in curves.items()}
    found = speed_up(Setup.of(whole))
    assert found.ceiling.source == "final"
    assert found.ceiling.a_inf == pytest.approx(np.mean([whole[n][0].values[-1] for n in ("fast", "random")]))
    assert speed_up(Setup.of(curves), ceiling="final").ceiling.a_inf == pytest.approx(
        np.mean([each[0].values[-1] for each in curves.values()])
    )


def test_a_ceiling_per_seed_is_averaged(setup):
    given = setup(noise=0.01, seeds=3)
    found = speed_up(given, ceiling={0: 0.89, 1: 0.90, 2: 0.91})
    assert found.ceiling.a_inf == pytest.approx(0.9)
    with pytest.raises(InputError, match="lacks seed 2"):
        speed_up(given, ceiling={0: 0.89, 1: 0.90})


def test_an_estimated_ceiling_is_near_and_said_to_be_estimated(setup):
    found = speed_up(setup(noise=0.005, seeds=3), ceiling="estimate")
    assert found.ceiling.a_inf == pytest.approx(0.9, abs=0.01)
    assert found["fast"].speed_up == pytest.approx(0.25, rel=0.03)
    assert "is estimated from the curves" in found["fast"].reason


def test_a_ceiling_that_is_out_of_sight_is_not_estimated(setup):
    found = speed_up(setup(scales={"random": 60_000.0, "fast": 30_000.0}), ceiling="estimate")
    assert found["fast"].refused


@pytest.mark.parametrize("ceiling", [0.0, -1.0, np.inf, True, "best"])
def test_a_wrong_ceiling_is_an_error(setup, ceiling):
    with pytest.raises(InputError, match="the ceiling is"):
        speed_up(setup(), ceiling=ceiling)


def test_a_missing_baseline_is_an_error(setup):
    with pytest.raises(InputError, match=r"the baseline 'rendom' is none of .* Did you mean 'random'"):
        speed_up(setup(), "rendom", ceiling=0.9)


@pytest.mark.parametrize("how", [{"draws": -1}, {"level": 1.0}, {"interval": "wide"}, {"function": "p3"}])
def test_wrong_parameters_are_errors(setup, how):
    with pytest.raises(InputError):
        speed_up(setup(), ceiling=0.9, **how)


# --- sensitivity -----------------------------------------------------------------------------------------------------


def test_the_delta_columns_of_table_6_follow_from_its_factors(shared):
    table = pd.read_csv(shared / "reference" / "speedup_table6_sensitivity.csv")
    assert len(table) == 46
    for row in table.itertuples():
        # The printed factors are rounded to 0.005, so that Delta is known to within what that changes it by.
        slack = 100 * 0.005 * (1 / row.S_p1 + 1 / row.S_p2) + 0.005
        assert 100 * delta_rel(row.S_p1, row.S_p2) == pytest.approx(row.delta_rel_pct, abs=slack)
        assert 100 * delta_log(row.S_p1, row.S_p2) == pytest.approx(row.delta_log_pct, abs=slack)
    large = table.nlargest(1, "delta_rel_pct").iloc[0]
    assert 100 * delta_rel(large.S_p1, large.S_p2) == pytest.approx(38.18, abs=0.005)
    assert 100 * delta_log(large.S_p1, large.S_p2) == pytest.approx(38.66, abs=0.005)


def test_a_row_tells_both_functions_and_their_differences(setup):
    row = speed_up(setup("p1"), ceiling=0.9)["fast"].to_json()
    assert row["by_function"]["p1"] == pytest.approx(0.25)
    assert row["delta_rel"] == pytest.approx(delta_rel(*row["by_function"].values()))
    assert row["delta_log"] == pytest.approx(delta_log(*row["by_function"].values()))
