"""Least squares for b against known scales, and against scipy's curve_fit on random curves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from alcore import InputError
from alcore_speedup import approximate
from alcore_speedup.approximation import curve, derivatives, origin
from alcore_speedup.fit import fit

ONE = np.ones(1)


def test_the_functions_are_those_of_figure_2():
    x = np.array([0.0, 150.0, 600.0])
    p_0 = 0.9 * (1 - np.exp(-0.2))
    assert p_0 == pytest.approx(0.163, abs=5e-4)
    assert approximate(x, 150.0, p_0, 0.9) == pytest.approx(0.9 * (1 - np.exp(-0.2 - x / 150)), abs=1e-14)
    p_0 = 0.9 / (1 + np.exp(1.5))
    assert approximate(x, 150.0, p_0, 0.9, "p2") == pytest.approx(0.9 / (1 + np.exp(1.5 - x / 150)), abs=1e-14)


def test_an_unknown_function_is_refused():
    with pytest.raises(InputError, match="use one of p1, p2"):
        approximate(np.arange(3.0), 1.0, 0.1, 0.9, "p3")


@pytest.mark.parametrize("function", ["p1", "p2"])
def test_the_derivatives_are_those_of_differences(function):
    x, a, h = np.linspace(1, 400, 30), np.full(1, 0.9), 1e-4
    k = origin(function, np.full(1, 0.2), a)

    def at(u):
        return curve(function, np.exp(-x / np.exp(u)), a, k)

    u = np.log(90.0)
    p, first, second = derivatives(function, x / 90.0, a, k)
    assert p == pytest.approx(at(u), abs=1e-14)
    assert first == pytest.approx((at(u + h) - at(u - h)) / (2 * h), abs=1e-8)
    assert second == pytest.approx((at(u + h) - 2 * p + at(u - h)) / h**2, abs=1e-6)


@pytest.mark.parametrize("function", ["p1", "p2"])
def test_known_scales_are_found(function):
    x = 20.0 * np.arange(70)
    scales = np.array([3.0, 20.0, 150.0, 600.0, 5000.0, 40000.0])
    mean = np.stack([approximate(x, b, 0.2, 0.9, function) for b in scales])[None]
    found = fit(x, mean, np.ones(1), 0.2 * ONE, 0.9 * ONE, function)
    assert found.b[0] == pytest.approx(scales, rel=1e-9)
    assert not found.border.any()


@pytest.mark.parametrize("function", ["p1", "p2"])
def test_random_curves_have_the_scales_of_curve_fit(function):
    rng = np.random.default_rng(1)
    x = np.concatenate([[0.0], np.sort(rng.uniform(1, 800, 25))])
    true = np.exp(rng.uniform(np.log(20), np.log(900), 60))
    values = np.stack([approximate(x, b, 0.3, 0.85, function) for b in true]) + 0.03 * rng.normal(size=(60, 26))
    ours = fit(x, values[None], np.ones(1), 0.3 * ONE, 0.85 * ONE, function).b[0]

    def model(x, u):
        return approximate(x, np.exp(u), 0.3, 0.85, function)

    for b, p, start in zip(ours, values, true, strict=True):
        (u,), _ = curve_fit(model, x, p, p0=[np.log(start)], xtol=1e-12, ftol=1e-12)
        assert b == pytest.approx(np.exp(u), rel=1e-5)


def test_the_least_of_two_minima_is_taken():
    rng = np.random.default_rng(2)
    x = 20.0 * np.arange(8)
    values = rng.uniform(0.2, 0.9, size=(200, 8))
    found = fit(x, values[None], np.ones(1), 0.5 * ONE, 0.9 * ONE, "p1")
    fine = np.exp(np.linspace(np.log(x[1] * 1e-2), np.log(x[-1] * 1e3), 20_001))
    table = 0.9 - 0.4 * np.exp(-x / fine[:, None])
    for k in np.flatnonzero(~found.border[0]):
        assert found.squares[0, k] <= ((values[k] - table) ** 2).sum(axis=1).min() + 1e-12


def test_weights_say_how_often_a_point_counts():
    rng = np.random.default_rng(3)
    x = 10.0 * np.arange(6)
    p = approximate(x, 30.0, 0.1, 0.8) + 0.05 * rng.normal(size=6)
    weights = np.array([1.0, 2.0, 0.0, 3.0, 1.0, 1.0])
    repeated = np.repeat(np.arange(6), weights.astype(int))
    one = fit(x, p[None, None], weights, 0.1 * ONE, 0.8 * ONE, "p1")
    other = curve_fit(lambda x, b: approximate(x, b, 0.1, 0.8), x[repeated], p[repeated], p0=[30.0])[0]
    assert one.b[0, 0] == pytest.approx(other[0], rel=1e-5)


@pytest.mark.parametrize("function", ["p1", "p2"])
@pytest.mark.parametrize("values", [np.full(10, 0.2), np.linspace(0.2, 0.1, 10), np.append(0.2, np.full(9, 0.9))])
def test_curves_without_a_scale_are_at_a_border(function, values):
    found = fit(20.0 * np.arange(10), values[None, None], np.ones(1), 0.2 * ONE, 0.9 * ONE, function)
    assert found.border[0, 0]


def test_starts_of_zero_and_at_the_ceiling_stay_finite():
    x = 20.0 * np.arange(10)
    for function in ("p1", "p2"):
        assert np.isfinite(approximate(x, 50.0, 0.0, 0.9, function)).all()
        assert np.isfinite(approximate(x, 50.0, 0.95, 0.9, function)).all()
