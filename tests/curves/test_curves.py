"""Curves over a property of questions: against direct formulas, other optimisers, and data whose answer is plain."""

import math
import warnings

import numpy as np
import pytest
from scipy.special import expit

from scorio import AvgMetric, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, PassAtK
from scorio.curves import horizon
from scorio.errors import BiasWarning


def world(seed=0, tasks=40, runs=4, families=12, slope=0.7, spread=0.7):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, 10.0, tasks)
    family = rng.integers(0, families, tasks)
    effect = rng.normal(0.0, spread, tasks) + rng.normal(0.0, spread, families)[family]
    p = expit(-slope * (x - 5.0) + effect)
    return x, family, p, (rng.random((tasks, runs)) < p[:, None]).astype(int)


def outcomes_of(family, **rows):
    return OutcomeSet(rows, clusters=[f"f{i}" for i in family])


def test_a_horizon_beyond_the_data_is_not_given():
    x, family, _, R = world(6)
    found = horizon("pass@1", outcomes_of(family, m=R), 2.0**x, at=(0.5, 0.01, 0.999))
    inside, above, below = found.horizons
    assert (above.value, above.hi, above.beyond) == (None, None, "above")
    assert (below.value, below.lo, below.beyond) == (None, None, "below")
    assert above.extrapolated > 2.0 ** x.max() > inside.hi > inside.value > inside.lo
    assert "beyond the data (above), above" in str(above)
    with pytest.raises(ParameterError, match="beyond the data"):
        found.curves["m"].at(1e9)


@pytest.mark.parametrize("fit", ["logistic", "metr"])
@pytest.mark.parametrize("outcome", [0, 1])
def test_a_model_without_a_slope_has_no_horizon(outcome, fit):
    x, family, _, R = world(7)
    models = outcomes_of(family, m=R, flat=np.full_like(R, outcome))
    found = horizon("pass@1", models, 2.0**x, at=0.5, fit=fit)
    flat = found.of("flat")
    assert (flat.value, flat.lo, flat.hi, flat.beyond) == (None, None, None, "either side")
    assert found.of("m").value is not None
    assert found.ratio("m", "flat").winner is None


def test_ratios_are_paired_and_antisymmetric():
    x, family, _, R = world(8)
    rng = np.random.default_rng(0)
    noise = (rng.random(R.shape) < 0.05).astype(int)
    models = outcomes_of(family, m=R, n=R ^ noise)
    found = horizon("pass@1", models, 2.0**x, at=0.5, target="population")
    one, other = found.ratio("m", "n"), found.ratio("n", "m")
    assert one.value == pytest.approx(1 / other.value)
    assert (one.lo, one.hi) == pytest.approx((1 / other.hi, 1 / other.lo))
    parts, _ = found.errors(["m", "n"])
    apart = math.sqrt((parts**2).sum())
    assert np.linalg.norm(parts[0] - parts[1]) < 0.5 * apart  # what tasks have in common cancels
    assert found.ratio("m", "m").value == 1.0


def test_values_by_label_and_as_kept_by_readers():
    x, _, _, R = world(9)
    names = [f"q{i}" for i in range(40)]
    minutes = np.round(2.0**x, 3)
    plain = horizon("pass@1", {"m": R}, minutes).of("m")
    labelled = OutcomeSet({"m": R}, questions=names)
    assert horizon("pass@1", labelled, dict(zip(names, minutes.tolist(), strict=True))).of("m") == plain
    kept = OutcomeMatrix(R, scores={"minutes": np.repeat(minutes[:, None], 4, axis=1)})
    assert horizon("pass@1", {"m": kept}, "minutes").of("m") == plain
    with pytest.raises(ParameterError, match="are dates: give the time since one of them"):
        horizon("pass@1", {"m": R}, [f"2025-01-{1 + i % 30:02d}" for i in range(40)])


def test_other_metrics_and_missing_trials():
    x, family, _, R = world(11)
    found = horizon(PassAtK(2), outcomes_of(family, m=R), 2.0**x, at=0.5)
    assert found.of("m").value > horizon("pass@1", outcomes_of(family, m=R), 2.0**x, at=0.5).of("m").value
    holed = R.astype(float)
    holed[:5] = np.nan
    some = OutcomeSet({"m": holed, "n": R.astype(float)}, missing="omit")
    assert len(horizon("pass@1", some, 2.0**x).curves["m"].values) == 35


@pytest.mark.parametrize("solved", [0, 1])
@pytest.mark.parametrize(
    ("metric", "target"), [("pass@1", "questions"), ("pass^2", "questions"), ("pass@1", "population")]
)
def test_a_model_that_solves_all_or_nothing_leaves_its_curve_open(solved, metric, target):
    horizons = horizon(metric, {"m": np.full((40, 4), solved)}, range(1, 41), target=target)
    found = horizons.curves["m"].at(20)
    score = PassAtK(1).interval(np.full((40, 4), solved), 0.95, target=target)
    assert abs(found.rate - solved) < 0.03
    near, far = (found.lo, found.hi) if solved else (found.hi, found.lo)
    assert abs(near - solved) > 0.75 * abs((score.lo if solved else score.hi) - solved)
    assert abs(far - solved) < 0.005
    assert all((each.value, each.lo, each.hi) == (None, None, None) for each in horizons.horizons)


def test_trials_and_questions_of_a_cluster_that_agree_say_no_more_than_one():
    values, about = 2.0 ** np.arange(40), {"target": "population"}
    one, four = (horizon("pass@1", {"m": np.ones((40, n))}, values, **about).curves["m"].at(1024) for n in (1, 4))
    assert (one.rate, one.lo) == pytest.approx((four.rate, four.lo))
    family = np.arange(40) // 4
    joined = horizon("pass@1", outcomes_of(family, m=np.ones((40, 1))), values, **about).curves["m"].at(1024)
    assert joined.rate == pytest.approx(11 / 12, abs=0.002)
    assert joined.lo < one.lo


def test_rewards_that_agree_in_all_trials_leave_their_curve_open():
    levels = np.repeat([[0, 1, 1, 2]] * 10, 3).reshape(40, 3)
    found = horizon(AvgMetric([0.0, 0.5, 1.0]), {"m": levels}, range(1, 41)).curves["m"].at(20)
    assert found.lo < 0.45
    assert found.hi > 0.55


@pytest.mark.parametrize(
    ("values", "about", "message"),
    [
        ([1.0] * 40, {}, "5 different values; got 1"),
        ([0.0, *range(1, 40)], {}, "above 0"),
        ([1.0] * 3, {}, "one value for each of 40 questions; got 3"),
        ([math.inf, *range(1, 40)], {}, "finite"),
        ("minutes", {}, "no trial has 'minutes'"),
        ({"a": 1}, {}, "these have none"),
        (range(1, 41), {"fit": "probit"}, "fit"),
        (range(1, 41), {"at": 1.0}, "at"),
        (["a", "b"] * 20, {}, "names of categories, which have no order: outcomes.split"),
        ([*range(1, 39), None, math.nan], {}, r"no value \(None or NaN\) for 2 questions: 38, 39"),
        (["a", None] * 20, {}, "no value .* for 20 questions: 1, 3"),
    ],
)
def test_faults_say_what_is_wrong(values, about, message):
    R = world(13)[3]
    with pytest.raises((OutcomeError, ParameterError), match=message):
        horizon("pass@1", {"m": R}, values, **about)


@pytest.mark.parametrize(("solved", "side"), [(8, "above"), (0, "below")])
def test_where_all_or_none_is_solved_the_side_is_told(solved, side):
    found = horizon("pass@1", {"m": OutcomeMatrix.from_counts([solved] * 12, 8)}, [2.0**i for i in range(12)])
    for each in found.horizons:
        assert (each.value, each.beyond, each.throughout) == (None, "either side", side)
        rate = f"{each.rate:.0%}"
        assert f"beyond the data ({side} if falling), success is {side} {rate} at all values" in str(each)
        assert f"success is {side} {rate} at all values" in str(found)


def test_where_the_data_do_not_say_on_which_side_of_the_rate_success_is_nothing_is_told():
    found = horizon("pass@1", {"m": OutcomeMatrix.from_counts([4] * 12, 8)}, [2.0**i for i in range(12)], at=0.5)
    assert "beyond the data (either side), the interval reaches beyond" in str(found.of("m"))
    few = horizon("pass@1", {"m": OutcomeMatrix.from_counts([1] * 5, 1)}, [2.0**i for i in range(5)], at=0.95)
    assert "beyond the data (either side)" in str(few.of("m"))


def test_the_curve_of_metr_passes_as_many_as_were_solved():
    """Its penalty is on the slope alone, so that where the intercept is best, the curve's mean is that of the rates."""
    x = np.geomspace(1, 512, 40)
    solved = np.random.default_rng(0).binomial(5, expit(0.6 * (4 - np.log2(x))))
    [curve] = horizon("pass@1", {"m": OutcomeMatrix.from_counts(solved, 5)}, x, fit="metr").curves.values()
    fitted = [curve.at(value).rate for value in x]
    assert np.mean(fitted) == pytest.approx(np.mean(solved / 5), abs=1e-9)


# Curves that are not logistic.

LINKS = {
    "logistic": expit,
    "steps": lambda e: expit(np.where(e > 0.0, 2.0 * e, 0.6 * e)),
    "plateau": lambda e: 0.8 * expit(e),
}


def bent_world(link, tasks, runs, rng):
    x = rng.uniform(-4.0, 4.0, tasks)
    p = LINKS[link](-0.7 * x + rng.normal(0.0, 0.8, tasks))
    return 2.0 ** (x + 5.0), OutcomeMatrix.from_counts(rng.binomial(runs, p), runs)


def warned(link, tasks, runs, rng, **about):
    values, outcomes = bent_world(link, tasks, runs, rng)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", BiasWarning)
        horizon("pass@1", {"m": outcomes}, values, at=0.5, **about)
    return bool(found)


@pytest.mark.parametrize("about", [{}, {"target": "population"}, {"fit": "metr"}], ids=str)
def test_a_curve_that_bends_is_warned_of_once(about):
    """In truth, success crosses 50% at 44.2: the horizon's interval lies beside it."""
    values, bent = bent_world("steps", 2000, 2, np.random.default_rng(0))
    _, straight = bent_world("logistic", 2000, 2, np.random.default_rng(0))
    models = OutcomeSet({"straight": straight, "bent": bent})
    with pytest.warns(BiasWarning, match="log-odds of success of bent do not fall") as found:
        horizons = horizon("pass@1", models, values, **about)
    assert len(found) == 1
    assert horizons.of("bent").lo > 45.0


@pytest.mark.parametrize("solved", [0, 1])
def test_a_model_without_a_slope_does_not_bend(solved):
    horizon("pass@1", {"m": np.full((40, 4), solved)}, range(1, 41))


@pytest.mark.slow
def test_false_alarms_and_power():
    """One in 20 logistic curves is called; of 200 worlds, the standard error is .015."""
    rng = np.random.default_rng(1)
    rates = {
        (link, tasks, runs): np.mean([warned(link, tasks, runs, rng, target="population") for _ in range(200)])
        for link, tasks, runs in [("logistic", 24, 4), ("logistic", 200, 1), ("steps", 120, 6), ("plateau", 400, 2)]
    }
    assert max(rate for (link, *_), rate in rates.items() if link == "logistic") < 0.096
    assert rates["steps", 120, 6] > 0.5
    assert rates["plateau", 400, 2] > 0.2
