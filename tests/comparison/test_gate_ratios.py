"""Relative and equivalence limits of gates: they agree with the interval of the ratio and with two one-sided tests."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, Suite, compare, gate
from scorio.errors import ParameterError

OLD, NEW = ([9, 5, 10, 2, 8, 7, 9, 9, 8, 6], [9, 6, 10, 2, 9, 7, 9, 9, 8, 5])


def pair(trials=10):
    return [OutcomeMatrix.from_counts(each, trials) for each in (NEW, OLD)]


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_relative_gate_agrees_with_the_interval_of_the_ratio(target):
    check = gate("pass@1", *pair(), max_drop="5%", target=target).checks[0]
    ratio, lo, hi = check.ratio
    assert lo < ratio < hi
    assert check.excluded_drop == pytest.approx(1.0 - lo)
    for shift, verdict in ((-0.002, "undecided"), (0.002, "passed")):
        limit = f"{100.0 * (1.0 - lo + shift)}%"
        assert gate("pass@1", *pair(), max_drop=limit, mode="noninferior", target=target).verdict == verdict


def test_the_ratio_of_paired_means_is_fiellers():
    """For the population, the bounds solve m^2 = t^2 v / 11, m and v of d1 - c d2 on ten questions and one more."""
    new, old = (np.array(each) / 10.0 for each in (NEW, OLD))
    _, lo, hi = gate("pass@1", *pair(), max_drop="5%", target="population").checks[0].ratio
    t = 1.8124611228107335  # of 10 degrees of freedom, one-sided 95%
    for c, sign in ((lo, 1.0), (hi, -1.0)):
        rest, middle = new - c * old, (1 - c) / 2
        mean = (rest.sum() + middle) / 11
        square = ((rest - mean) ** 2).sum() + (middle - mean) ** 2 + (1 + c**2) / 2
        assert mean == pytest.approx(sign * t * np.sqrt(square / 10 / 11), rel=1e-6)


def test_a_drop_of_nothing_is_the_same_relative_and_absolute():
    for target in ("questions", "population"):
        relative, absolute = (
            gate("pass@1", *pair(), max_drop=limit, mode="noninferior", target=target).checks[0]
            for limit in ("0%", 0.0)
        )
        assert relative.p_passed == pytest.approx(absolute.p_passed, rel=1e-9)
        assert relative.p_failed == pytest.approx(absolute.p_failed, rel=1e-9)


def test_two_one_sided_tests_are_the_interval_at_90_percent():
    between = compare("pass@1", *pair(40), confidence=0.9)
    most = max(abs(between.lo), abs(between.hi))
    assert gate("pass@1", *pair(40), max_drop=most * 1.01, mode="equivalent").verdict == "passed"
    assert gate("pass@1", *pair(40), max_drop=most * 0.99, mode="equivalent").verdict == "undecided"
    far = OutcomeMatrix.from_counts([40] * 10, 40), OutcomeMatrix.from_counts([0] * 10, 40)
    assert gate("pass@1", *far, max_drop=0.1, mode="equivalent").verdict == "failed"
    assert gate("pass@1", *far[::-1], max_drop=0.1, mode="equivalent").verdict == "failed"


def test_limits_of_both_kinds_by_task():
    suites = [Suite({"a": {"m": each}, "b": {"m": each}}) for each in pair()]
    drops = {"a": "5%", "b": 0.02, "overall": "7%"}
    result = gate("pass@1", *suites, max_drop=drops)
    assert [check.max_drop for check in result.checks] == ["5%", 0.02, "7%"]
    assert [check.ratio is None for check in result.checks] == [False, True, False]
    with pytest.raises(ParameterError, match="imply no limit of the overall score"):
        gate("pass@1", *suites, max_drop={"a": "5%", "b": 0.02})


def test_a_baseline_without_a_success_bounds_no_ratio():
    none = OutcomeMatrix.from_counts([0, 0, 0, 0], 3)
    check = gate("pass@1", none, none, max_drop="5%", mode="noninferior").checks[0]
    assert check.verdict == "undecided"
    assert np.isnan(check.ratio).all()
    single = OutcomeMatrix.from_counts([1, 0, 0, 0, 0, 0], 1)
    assert gate("pass@1", single, single, max_drop="5%").checks[0].ratio[2] == np.inf


def test_what_has_no_ratio_is_refused():
    rewards = [OutcomeMatrix.from_rewards([[-1.0, 1.0], [1.0, 1.0]])] * 2
    with pytest.raises(ParameterError, match="can be negative"):
        gate("avg", *rewards, max_drop="5%")


def test_single_trials_without_a_success_do_not_show_a_low_ratio():
    """The paired differences of a model that never succeeded vary as little as the other model's outcomes do."""
    none, few = (OutcomeMatrix.from_counts([1] * k + [0] * (128 - k), 1) for k in (0, 3))
    for limit in ("88%", "95%"):
        assert gate("pass@1", none, few, max_drop=limit, mode="noninferior").verdict != "failed"
    many = OutcomeMatrix.from_counts([1] * 100 + [0] * 28, 1)
    assert gate("pass@1", none, many, max_drop="88%", mode="noninferior").verdict == "failed"
