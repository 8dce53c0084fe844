"""Continuous rewards: when they are kept without categories, what is kept, and what can be done with it."""

import pickle
from itertools import product

import numpy as np
import pytest

from helpers.frames import maker
from scorio import (
    AvgMetric,
    BayesMetric,
    MaxAtK,
    MGPass,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    RewardMatrix,
)
from scorio.metrics import GeomAtK, GeomDsAtK
from scorio.outcomes import as_outcomes
from scorio.outcomes._rewards import pooled, summarize

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(6, 5))
ROWS = [TABLE[a, : n + 1] for a, n in enumerate([4, 0, 2, 3, 1, 4])]
NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "continuous"),
    [
        (np.arange(10) / 7, False),  # ten levels stay categories, whatever they are
        (np.arange(11) / 7, True),  # eleven trials with a value of their own
        (np.tile(np.arange(11) / 7, 2), False),  # every value twice
        (np.tile(np.arange(50) / 7, 2), False),
        (np.tile(np.arange(51) / 7, 20), True),
        (np.tile([0.0, 0.5, 1.0], 5000), False),
        (np.append(np.zeros(5000), np.arange(1, 60)), True),  # the levels come late
    ],
)
def test_switch(values, continuous):
    R = OutcomeMatrix.from_rewards([values])
    assert R.is_continuous is continuous
    assert isinstance(R, RewardMatrix) is continuous
    assert ("continuous rewards" in repr(R)) is continuous


@pytest.mark.parametrize(
    "rows",
    [TABLE, ROWS, list(map(list, ROWS)), TABLE[::-1, ::2], TABLE.astype(np.float32)],
    ids=["array", "rows", "lists", "view", "float32"],
)
def test_numbers_of_each_question(rows):
    R = RewardMatrix(rows, questions=list("abcdef"))
    assert R.trials.tolist() == [len(row) for row in rows]
    for a, row in enumerate(rows):
        values = np.asarray(row, float)
        assert R.means[a] == pytest.approx(values.mean(), rel=1e-13)
        if len(row) > 1:
            assert R.variances[a] == pytest.approx(values.var(ddof=1))
        else:
            assert np.isnan(R.variances[a])
        assert R.summary.cubes[a] == pytest.approx(np.sum((values - values.mean()) ** 3), abs=1e-13)
    np.testing.assert_array_equal(R.ordered, np.concatenate([np.sort(np.asarray(row, float)) for row in rows]))


def test_large_common_value_costs_no_digits():
    near, far = RewardMatrix(TABLE), RewardMatrix(np.round(TABLE * 2**20) / 2**20 + 2.0**30)
    np.testing.assert_allclose(far.variances, near.variances, rtol=1e-5)


def test_continuous_rewards_have_no_categories():
    R = RewardMatrix(TABLE)
    assert (R.has_two_categories, R.is_pass_fail, R.levels) == (False, False, None)
    assert R.with_prior_counts is R
    assert as_outcomes(R) is R


def test_missing_rewards():
    values = TABLE.copy()
    values[1, 2] = NAN
    R = RewardMatrix(values, missing="omit")
    assert R.trials.tolist() == [5, 4, 5, 5, 5, 5]
    assert (R.completeness, R.planned) == (29 / 30, 30)
    assert R.means[1] == pytest.approx(np.nanmean(values[1]))
    R = RewardMatrix(values, missing="fail")
    assert R.means[1] == pytest.approx(np.where(np.isnan(values[1]), np.nanmin(values), values[1]).mean())
    masked = RewardMatrix(np.ma.masked_invalid(values))
    assert masked.trials.tolist() == [5, 4, 5, 5, 5, 5]
    assert RewardMatrix([[], [0.5, 0.25]], missing="omit").trials.tolist() == [0, 2]


def test_threshold():
    R = RewardMatrix(ROWS, questions=list("abcdef"), clusters=[1, 1, 2, 2, 3, 3])
    binary = R.at_least(0.25)
    assert binary.successes.tolist() == [int((row >= 0.25).sum()) for row in ROWS]
    assert (binary.trials.tolist(), binary.questions, binary.clusters) == (R.trials.tolist(), R.questions, R.clusters)


def test_select_and_merge():
    R = RewardMatrix(ROWS, questions=list("abcdef"), clusters=[1, 1, 2, 2, 3, 3])
    part = R.select(["f", "c"])
    assert part == RewardMatrix([ROWS[5], ROWS[2]], questions=list("fc"), clusters=[3, 2])
    assert hash(part) == hash(RewardMatrix([ROWS[5], ROWS[2]], questions=list("fc"), clusters=[3, 2]))
    assert R.select(R.trials > 3).n_questions == 3
    other = RewardMatrix(TABLE[::-1], questions=list("fedcba"))
    both = R.merge(other)
    assert both == RewardMatrix(
        [np.append(row, TABLE[a]) for a, row in enumerate(ROWS)], questions=list("abcdef"), clusters=R.clusters
    )
    bare = RewardMatrix(ROWS, questions=list("abcdef"), keep_values=False).merge(other)
    for name in ("trials", "mean", "squares", "cubes"):
        np.testing.assert_allclose(getattr(bare.summary, name), getattr(both.summary, name), atol=1e-13)
    levels = OutcomeMatrix.from_rewards([[0.0, 1.0]] * 6)
    assert levels.merge(R).trials.tolist() == R.merge(levels).trials.tolist() == (R.trials + 2).tolist()


def test_trials_allocated_by_outcomes_stay_marked():
    few = OutcomeMatrix.from_rewards([[0.0, 0.5, 1.0]] * 6).as_adaptive()
    R = RewardMatrix(TABLE).as_adaptive()
    assert repr(R).endswith(", adaptive)")
    assert R != RewardMatrix(TABLE)
    for made in (few.as_continuous(), R.select([0]), R.at_least(0.0), RewardMatrix(TABLE).merge(R)):
        assert made.is_adaptive
    assert pickle.loads(pickle.dumps(R)).is_adaptive


def test_without_values():
    R = RewardMatrix(TABLE, keep_values=False)
    assert R.means.tolist() == RewardMatrix(TABLE).means.tolist()
    assert repr(R) == "RewardMatrix(6 questions x 5 trials, continuous rewards)"
    assert R != RewardMatrix(TABLE)
    assert R == RewardMatrix(TABLE, keep_values=False)


def test_support():
    assert RewardMatrix([[0.25, 0.5]], support=(0, 1)).support == (0.0, 1.0)


def test_immutable_and_picklable():
    R = RewardMatrix(ROWS, support=(-9, 9), questions=list("abcdef"))
    copy = pickle.loads(pickle.dumps(R))
    assert copy == R
    assert (copy.support, copy.questions) == (R.support, R.questions)
    for array in (copy.means, R.means, R.trials, R.ordered, R.variances):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    values = TABLE.copy()
    kept = RewardMatrix(values)
    values[:] = 0.0
    assert kept == RewardMatrix(TABLE)


def test_sets_have_one_kind():
    few = OutcomeMatrix.from_rewards([[0.0, 0.5, 1.0]] * 6, questions=list("abcdef"))
    models = OutcomeSet({"a": RewardMatrix(TABLE[::-1], questions=list("fedcba")), "b": few})
    assert repr(models) == "OutcomeSet(2 models x 6 questions, continuous rewards)"
    assert models["b"].means.tolist() == [0.5] * 6
    assert models["b"].questions == models["a"].questions == tuple("fedcba")
    assert models.select(["a"])["a"].means[0] == pytest.approx(TABLE[0].mean())
    assert few.as_continuous().variances[0] == pytest.approx(0.25)


@pytest.mark.parametrize("engine", ["pandas", "pandas-nullable", "polars", "pyarrow", "duckdb"])
def test_frames_of_many_distinct_rewards_are_not_counted(engine):
    values = RNG.normal(size=120).tolist()
    column = [None if i == 7 else value for i, value in enumerate(values)]
    data = {"q": [f"q{i // 20}" for i in range(120)], "y": column}
    frame_of = maker(engine)
    R = OutcomeMatrix.from_frame(frame_of(data), question="q", outcome="y", missing="omit")
    values[7] = NAN
    expected = RewardMatrix(np.reshape(values, (6, 20)), questions=[f"q{i}" for i in range(6)], missing="omit")
    assert R == expected
    data["y"] = [float("inf"), *values[1:]]
    with pytest.raises(OutcomeError, match="column 'y': an outcome is infinite"):
        OutcomeMatrix.from_frame(frame_of(data), question="q", outcome="y", missing="omit")


@pytest.mark.parametrize("rewards", [[[0.5, 0.5]], [[0, 0.5]], [[-1, 1]], [[0, 0.5, 1]]], ids=str)
@pytest.mark.parametrize("metric", [PassAtK(1), MGPass(1), GeomAtK(1), GeomDsAtK(1)], ids=str)
def test_rewards_other_than_0_and_1_are_neither_right_nor_wrong(rewards, metric):
    R = OutcomeMatrix.from_rewards(rewards)
    assert not R.is_pass_fail
    assert "binary" not in repr(R)
    for ask in (metric.score, metric.interval, metric.per_question, metric.moments, metric.curve):
        with pytest.raises(OutcomeError, match="right or wrong is needed here, and these are rewards of"):
            ask(R)
    for own in (BayesMetric(), AvgMetric(), MaxAtK(1)):
        assert own.interval(R, prior="learned", shape="quantile").mu == pytest.approx(
            own.interval(R, prior="learned").mu
        )


def test_rewards_whose_squares_overflow_are_refused():
    for make, weight in product((BayesMetric, lambda weights: MaxAtK(2, weights)), (1e308, 2e100, -1e155, 1e-120)):
        with pytest.raises(ParameterError, match=r"the largest between 1e-100 and 1e\+100"):
            make((0, weight))


@pytest.mark.parametrize("size", [1e100, 1e-100])
@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("prior", [(1, 1), "learned"], ids=str)
def test_intervals_scale_with_the_rewards(size, shape, prior):
    plain, scaled = (
        BayesMetric((0, 0.5 * each, each)).interval([[0, 1, 2], [2, 2, 1]], shape=shape, prior=prior)
        for each in (1.0, size)
    )
    assert np.array(scaled) / size == pytest.approx(np.array(plain), rel=1e-9)


def test_quantiles_of_tiny_weights_are_those_of_the_unit():
    tiny, unit = (BayesMetric((0, width)).interval([[0, 1]], shape="quantile") for width in (1e-100, 1.0))
    assert np.array(tiny) / 1e-100 == pytest.approx(np.array(unit), rel=1e-9)


def test_costs_of_a_question_in_neither_of_two_files_do_not_hide_the_others():
    first, second = (summarize(np.array([cost]), np.array([0]), 2) for cost in (10.0, 20.0))
    both = pooled(pooled(first, second), summarize(np.array([5.0]), np.array([1]), 2))
    assert both.squares.tolist() == [50.0, 0.0]
    assert both.mean.tolist() == [15.0, 5.0]


def test_rewards_of_this_class_are_continuous_however_few_differ():
    assert RewardMatrix.from_rewards([[0.5, 0.25], [0.5, 0.5]]) == RewardMatrix([[0.5, 0.25], [0.5, 0.5]])
