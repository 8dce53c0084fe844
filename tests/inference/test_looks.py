"""Boundaries and Looks against reflection, simulated walks and numbers worked out by hand."""

import math
import pickle

import numpy as np
import pytest
from scipy.special import lambertw, ndtr, ndtri

from scorio.errors import ParameterError
from scorio.inference._looks import Looks, boundary_constant, mixture_scale, mixture_z

WALKS = 100_000


def crossing_share(c, shape, rng, walks=WALKS, steps=150, start=1e-4):
    """The share of Brownian motions with ``|W(t)| >= c t**shape`` in [start, 1], crossings between steps included."""
    times = np.geomspace(start, 1.0, steps)
    place = rng.normal(0.0, math.sqrt(start), walks)
    alive = np.ones(walks)
    for earlier, later in zip(times[:-1], times[1:], strict=True):
        moved = place + rng.normal(0.0, math.sqrt(later - earlier), walks)
        before, after = c * earlier**shape, c * later**shape
        for side in (1.0, -1.0):
            gaps = np.maximum(before - side * place, 0.0) * np.maximum(after - side * moved, 0.0)
            alive *= 1.0 - np.exp(-2.0 * gaps / (later - earlier))
        place = moved
    return float(1.0 - alive.mean()), float(alive.std() / math.sqrt(walks))


@pytest.mark.parametrize("alpha", [1e-100, 1e-38, 1e-12, 0.001, 0.01, 0.05, 0.1, 0.2])
def test_without_curvature_the_constant_is_that_of_the_reflection_principle(alpha):
    # Two-sided reflection: 4 Phi(-c) - 4 Phi(-3 c) + ..; the second term is below 1e-6 of the first up to alpha = .2.
    assert boundary_constant(alpha, 0.0) == pytest.approx(-ndtri(alpha / 4.0), rel=5e-5)


@pytest.mark.parametrize(("alpha", "published"), [(0.01, 2.940), (0.05, 2.392), (0.10, 2.122), (0.20, 1.821)])
def test_constants_are_those_of_a_coarser_recursion_which_errs_on_the_safe_side(alpha, published):
    assert 0.994 * published < boundary_constant(alpha) < published


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.5, 0.9])
def test_simulated_walks_cross_as_often_as_promised(alpha):
    share, error = crossing_share(boundary_constant(alpha), 0.25, np.random.default_rng(1))
    assert share == pytest.approx(alpha, abs=4 * error + 0.005 * alpha)


def test_small_errors_follow_the_tangent_approximation():
    for alpha in (1e-300, 1e-100, 1e-38, 1e-16):
        assert boundary_constant(alpha) == pytest.approx(-ndtri(alpha / 6.0), rel=2e-4)


def test_the_constant_falls_smoothly_through_all_errors():
    errors = np.exp(np.linspace(-700.0, math.log(0.5), 3000))
    constants = np.array([boundary_constant(float(alpha)) for alpha in errors])
    assert (np.diff(constants) < 0).all()
    assert np.abs(np.diff(constants, 2)).max() < 0.02


def test_mixture_scale_is_lambert_w():
    for alpha in (1e-100, 1e-10, 0.01, 0.05, 0.1, 0.5, 0.99):
        assert mixture_scale(alpha) == pytest.approx(-lambertw(-(alpha**2) / math.e, -1).real - 1.0, rel=1e-9)
    assert 1300 < mixture_scale(1e-300) < 1400


def test_the_mixture_holds_over_ten_thousand_looks():
    rng, walks, looks, alpha = np.random.default_rng(2), 3000, 10_000, 0.1
    boundary = np.array([mixture_z(n / 100.0, alpha) * math.sqrt(n) for n in range(1, looks + 1)])
    missed = 0
    for _ in range(30):
        steps = np.cumsum(rng.standard_normal((walks // 30, looks)), axis=1)
        missed += int((np.abs(steps) >= boundary).any(axis=1).sum())
    share = missed / walks
    assert 0.03 < share < alpha


def test_the_mixture_is_tightest_where_declared():
    widths = {n: Looks(around=16).z(n) for n in (8.0, 15.9, 16.0, 16.1, 32.0)}
    best = {n: min(Looks(around=16 * f).z(16.0) for f in (0.99, 1.0, 1.01)) for n in widths}
    assert best[16.0] == widths[16.0]
    assert Looks(around=16).z(4.0) < 1.08 * Looks(around=4).z(4.0)
    assert Looks(around=16).z(64.0) < 1.08 * Looks(around=64).z(64.0)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_z_falls_with_trials_stays_above_the_fixed_z_and_ends_at_the_constant(confidence):
    looks = Looks(trials=64, confidence=confidence)
    found = [looks.z(n) for n in range(1, 65)]
    assert (np.diff(found) < 0).all()
    assert min(found) == found[-1] == boundary_constant(1.0 - confidence)
    assert min(found) > -ndtri((1.0 - confidence) / 2.0)


def test_tail_is_the_two_sided_probability_beyond_z():
    looks = Looks(trials=64)
    assert looks.tail(16.0) == pytest.approx(2.0 * ndtr(-looks.z(16.0)))
    assert 0.0 < Looks(trials=100).tail(2.0, 1e-20) < 1e-130
    assert Looks(trials=1000).tail(1.0, 1e-38) == 0.0


def test_a_smaller_error_is_shared_by_passing_alpha():
    looks = Looks(trials=64)
    assert looks.z(32.0, looks.alpha / 3) > looks.z(32.0)
    assert looks.z(64.0, 0.02) == boundary_constant(0.02)
    assert looks.shared(3).z(32.0) == looks.z(32.0, looks.alpha / 3)
    assert looks.shared(3).shared(2) == looks.shared(6) == Looks(**looks.shared(6).to_dict())
    assert str(looks.shared(3)) == f"{looks}, error shared by 3 intervals"


def test_no_trials_say_nothing_and_past_the_budget_is_an_error():
    assert Looks(trials=64).z(0.0) == math.inf
    assert Looks(around=64).z(0.0) == math.inf
    assert Looks(trials=64).tail(0.0) == 0.0
    assert Looks(trials=0.1 + 0.2).z(0.3 * (1 + 1e-12)) == pytest.approx(boundary_constant(1.0 - 0.95))
    with pytest.raises(ParameterError, match=r"65 trials per question, .* declared for at most 64"):
        Looks(trials=64).z(65.0)
    for bad in (-1.0, math.nan):
        with pytest.raises(ParameterError, match="n must be"):
            Looks(trials=64).z(bad)
        with pytest.raises(ParameterError, match="n must be"):
            Looks(around=64).z(bad)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan, "x"])
def test_alpha_must_be_a_probability(alpha):
    with pytest.raises(ParameterError, match="alpha must be"):
        Looks(trials=64).z(8.0, alpha)
    with pytest.raises(ParameterError, match="alpha must be"):
        Looks(around=64).z(8.0, alpha)


def test_looks_are_frozen_equal_by_value_and_survive_saving():
    looks = Looks(trials=64, confidence=0.9)
    assert pickle.loads(pickle.dumps(looks)) == looks == Looks(**looks.to_dict())
    assert hash(looks) == hash(Looks(64, None, 0.9))
    assert Looks(**Looks(around=8.5).to_dict()) == Looks(around=8.5)
    with pytest.raises(AttributeError):
        looks.trials = 128
    assert str(looks) == "valid at every look, at most 64 trials per question"
