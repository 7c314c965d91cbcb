"""The metrics that the factor is compared with, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit
from scipy.stats import kendalltau, page_trend_test

from alcore import InputError
from alcore.protocols import Curve
from alcore_speedup import Setup, aulc, connected, cut_points, fixed, lc_mean, speed_up, stability
from alcore_speedup.ceiling import find
from alcore_speedup.companions import inverse

X = np.array([0.0, 20.0, 40.0, 60.0])


def two(qm, random, start=20.0):
    return Setup.of({"qm": [Curve(X + start, np.array(qm))], "random": [Curve(X + start, np.array(random))]})


def test_the_inverse_is_where_the_curve_first_reaches_a_performance():
    curve = np.array([0.1, 0.5, 0.4, 0.8])
    found = inverse(X, curve, np.array([0.05, 0.1, 0.3, 0.5, 0.65, 0.8, 0.9]))
    assert found[:-1] == pytest.approx([0, 0, 10, 20, 50, 60])
    assert np.isnan(found[-1])


def test_connected_curves_that_are_straight_have_one_ratio():
    setup = two([0.1, 0.5, 0.9, 0.9], [0.1, 0.3, 0.5, 0.7])
    found = connected(setup, "qm", "random")
    assert found.ratio == pytest.approx(0.5)
    assert found.mean == pytest.approx(0.5)
    assert found.p[[0, -1]] == pytest.approx([0.1 + 0.06, 0.7 - 0.06])
    assert found.undefined == (pytest.approx((0.7, 0.9)),)


def test_the_connected_factor_of_known_curves_is_near_theirs(setup):
    found = connected(setup(points=200), "fast", "random")
    assert found.ratio == pytest.approx(0.25, rel=0.06)


def test_the_connected_factor_of_all_labels_is_1_at_the_start():
    setup = two([0.1, 0.5, 0.9, 0.9], [0.1, 0.3, 0.5, 0.7])
    found = connected(setup, "qm", "random", count="total", inner=(0.0, 1.0))
    assert found.ratio[0] == pytest.approx(1.0)
    assert found.ratio[-1] == pytest.approx((20 + 30) / (20 + 60))


def test_curves_without_a_common_performance_have_no_connected_factor():
    found = connected(two([0.1, 0.2, 0.2, 0.3], [0.5, 0.6, 0.7, 0.8]), "qm", "random")
    assert found.reason == "the curves share no range of performance"
    assert np.isnan(found.mean)


def test_the_fixed_version_counts_all_labels_and_has_no_start(setup):
    given = setup(noise=0.01, seeds=3)
    found = fixed(given, "random", find(given, 0.9))
    scales = {}

    def model(x, b):
        return 0.9 * (1 - np.exp(-x / b))

    for q, name in enumerate(given.strategies):
        labels = np.broadcast_to(20.0 + given.x, given.values[q].shape)
        scales[name] = curve_fit(model, labels.ravel(), given.values[q].ravel(), p0=[300.0])[0][0]
    assert found == pytest.approx({name: b / scales["random"] for name, b in scales.items()}, rel=1e-5)


def test_the_fixed_version_is_biased_where_the_start_is_not_zero(setup):
    given = setup("p1")
    assert fixed(given, "random", find(given, 0.9))["fast"] == pytest.approx(0.282, abs=2e-3)


def test_means_and_areas_by_hand():
    setup = two([0.1, 0.5, 0.9, 0.9], [0.1, 0.3, 0.5, 0.7])
    assert lc_mean(setup) == pytest.approx({"qm": 0.6, "random": 0.4})
    assert aulc(setup, "random") == pytest.approx({"qm": (0.3 + 0.7 + 0.9) / (0.2 + 0.4 + 0.6), "random": 1.0})


def test_areas_end_where_the_shorter_curve_does():
    curves = {
        "qm": [Curve(X[:3] + 20, np.array([0.1, 0.5, 0.9]))],
        "random": [Curve(X + 20, np.array([0.1, 0.3, 0.5, 0.7]))],
    }
    assert aulc(Setup.of(curves), "random")["qm"] == pytest.approx((0.3 + 0.7) / (0.2 + 0.4))


def test_cut_points_are_kendalls_test_of_the_lead(setup):
    given = setup(noise=0.02, seeds=3)
    mean = given.mean()
    d = mean[given.position("fast")] - mean[given.position("random")]
    found = cut_points(given, "fast", "random")
    assert found.d == pytest.approx(d)
    assert found.p_value == pytest.approx(kendalltau(np.arange(70), d, alternative="greater").pvalue)


def test_cut_points_over_seeds_are_pages_test(setup):
    given = setup(noise=0.02, seeds=4, points=12)
    d = given.values[given.position("fast")] - given.values[given.position("random")]
    found = cut_points(given, "fast", "random", test="page")
    assert found.p_value == pytest.approx(page_trend_test(d, method="asymptotic").pvalue)
    assert found.superior


def test_cut_points_accept_a_lead_that_grows_and_lose_it_after_saturation(setup):
    short, whole = setup(points=8), setup(points=400)
    assert cut_points(short, "fast", "random").superior
    assert not cut_points(whole, "fast", "random").superior
    assert not cut_points(short, "slow", "random").superior


def test_cut_points_of_equal_curves_have_a_reason(setup):
    found = cut_points(setup(), "random", "random")
    assert np.isnan(found.p_value)
    assert found.reason == "the test needs three common points that differ"


@pytest.mark.parametrize("how", [{"test": "wilcoxon"}, {"alpha": 0.0}])
def test_wrong_parameters_of_cut_points_are_errors(setup, how):
    with pytest.raises(InputError, match="'kendall' or 'page'"):
        cut_points(setup(), "fast", "random", **how)


@pytest.mark.parametrize("how", [{"count": "all"}, {"inner": (0.9, 0.1)}])
def test_wrong_parameters_of_the_connected_factor_are_errors(setup, how):
    with pytest.raises(InputError, match="'added' or 'total'"):
        connected(setup(), "fast", "random", **how)


# --- over the stop budget --------------------------------------------------------------------------------------------


def test_at_every_budget_the_metrics_are_those_of_the_curves_cut_there(known):
    curves = known(noise=0.02, seeds=3, points=15, step=40.0)
    setup = Setup.of(curves)
    found = stability(setup, "fast", "random", find(setup, 0.9))
    assert found.budgets.tolist() == (40.0 * np.arange(2, 15)).tolist()
    for at in (0, 5, 12):
        cut = {n: [Curve(c.labeled[: at + 3], c.values[: at + 3], c.seed) for c in each] for n, each in curves.items()}
        short = Setup.of(cut)
        whole = speed_up(short, ceiling=0.9, draws=0, force=True)
        assert found.values["speed-up"][at] == pytest.approx(whole["fast"].speed_up, rel=1e-8)
        assert found.values["speed-up-fixed"][at] == pytest.approx(fixed(short, "random", find(short, 0.9))["fast"])
        assert found.values["lc-mean"][at] == pytest.approx(lc_mean(short)["fast"])
        assert found.values["aulc-ratio"][at] == pytest.approx(aulc(short, "random")["fast"])
        assert found.values["cut-points"][at] == cut_points(short, "fast", "random").superior
        assert found.gain[at] == pytest.approx(min(whole["fast"].gain, whole["random"].gain))
    mean = setup.mean()
    assert found.values["stop-budget"] == pytest.approx((mean[0] - mean[1])[2:])
    assert found.trusted.tolist() == (found.gain >= 0.2).tolist()


def test_the_factor_is_the_most_stable_metric(setup):
    given = setup(noise=0.01, seeds=5, points=150, chance=3)
    found = stability(given, "fast", "random", find(given, 0.9)).variation()
    assert found["speed-up"] == min(found[name] for name in ("speed-up", "speed-up-fixed", "lc-mean", "aulc-ratio"))
    assert found["cut-points"] > 0
    assert found["speed-up"] < 0.02


def test_two_points_have_no_budgets_to_vary(known):
    setup = Setup.of(known(points=2))
    assert len(stability(setup, "fast", "random", find(setup, 0.9)).budgets) == 0
