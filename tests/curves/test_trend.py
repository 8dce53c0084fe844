"""Trends of horizons: against formulas for simple errors, and simulated models on shared tasks."""

import numpy as np
import pytest
from scipy.stats import linregress, t

from scorio import OutcomeSet, ParameterError, horizon
from scorio.curves._trend import trend_of

DATES = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 4.0}
LOGS = np.array([1.0, 2.5, 2.9, 5.2])


def test_without_errors_of_tasks_it_is_the_usual_regression():
    found = trend_of(DATES, LOGS, np.zeros((4, 1)), np.full(4, 50.0), 0.95, 0.5)
    usual = linregress(list(DATES.values()), LOGS)
    reach = t.ppf(0.975, 2) * usual.stderr
    assert (found.doublings, found.lo, found.hi) == pytest.approx(
        (usual.slope, usual.slope - reach, usual.slope + reach)
    )
    assert found.doubling_time == pytest.approx(1 / usual.slope)
    assert (found.fastest, found.slowest) == pytest.approx((1 / found.hi, 1 / found.lo))


def test_errors_that_all_models_share_do_not_move_the_slope():
    alone = trend_of(DATES, LOGS, np.zeros((4, 1)), np.full(4, 50.0), 0.95, 0.5)
    shared = trend_of(DATES, LOGS, np.ones((4, 1)), np.full(4, 50.0), 0.95, 0.5)
    assert (shared.lo, shared.hi) == pytest.approx((alone.lo, alone.hi))
    own = trend_of(DATES, LOGS, 0.6 * np.eye(4), np.full(4, 50.0), 0.95, 0.5)
    assert own.scatter < alone.scatter


def test_a_trend_that_may_be_none_has_no_upper_end():
    flat = trend_of(DATES, np.array([1.0, 3.0, 0.5, 2.5]), np.zeros((4, 1)), np.full(4, 9.0), 0.95, 0.5)
    assert flat.slowest is None
    assert "without an upper end" in str(flat)
    down = trend_of(DATES, -LOGS, np.zeros((4, 1)), np.full(4, 9.0), 0.95, 0.5)
    assert (down.doubling_time, down.fastest) == (None, None)
    assert str(down).startswith("horizons do not grow")


def test_dates_of_models():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 10.0, 60)
    levels = {"a": 3.0, "b": 4.0, "c": 5.0, "d": 6.0, "weak": -30.0}
    rows = {name: (rng.random((60, 4)) < (1 / (1 + np.exp(x - h)))[:, None]).astype(int) for name, h in levels.items()}
    found = horizon("pass@1", OutcomeSet(rows), 2.0**x, at=0.5)
    dates = {name: f"202{i}-01-01" for i, name in enumerate("abcd")} | {"weak": "2019-01-01"}
    trend = found.trend(dates)
    assert trend.left_out == ("weak",)
    assert trend.fastest < 365.25 < trend.slowest
    assert "days" in str(trend)
    with pytest.raises(ParameterError, match="unknown model 'e'"):
        found.trend({"e": 1})
    with pytest.raises(ParameterError, match="3 dates"):
        found.trend({"a": 1, "b": 2})
