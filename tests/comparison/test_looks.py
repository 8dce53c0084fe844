"""Comparisons with looks: who is called better, about what, and how often wrongly."""

import numpy as np
import pytest
from scipy.special import stdtrit

from scorio import Leaderboard, Looks, OutcomeMatrix, ParameterError, PassAtK, Suite, compare
from scorio.errors import BiasWarning

LOOKS = Looks(trials=64)
RNG = np.random.default_rng(0)
RATES = RNG.beta(0.6, 0.6, 50)
A = OutcomeMatrix((RNG.random((50, 8)) < RATES[:, None]).astype(int))
B = OutcomeMatrix((RNG.random((50, 8)) < 0.6 * RATES[:, None]).astype(int))


def test_about_these_questions_the_two_posteriors_are_independent():
    found = compare("pass@4", A, B, looks=LOOKS, shape="normal")
    one, other = (PassAtK(4).interval(R, prior="learned") for R in (A, B))
    assert found.difference == pytest.approx(one.mu - other.mu)
    assert found.sigma == pytest.approx(np.hypot(one.sigma, other.sigma))
    assert found.needed == pytest.approx(LOOKS.z(8))
    assert found.hi - found.difference == pytest.approx(LOOKS.z(8) * found.sigma)
    assert (found.target, found.looks) == ("questions", LOOKS)
    assert found.winner == ("A" if found.z > found.needed else None)


def test_about_the_population_the_boundary_is_students():
    found = compare("pass@1", A, B, target="population", looks=LOOKS)
    assert (found.target, found.paired, found.degrees) == ("population", True, 50)
    assert found.needed == pytest.approx(-stdtrit(50, LOOKS.tail(8) / 2))
    assert found.needed > LOOKS.z(8)
    assert found.lo == pytest.approx(found.difference - found.needed * found.sigma)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("shape", ["normal", "quantile"])
def test_the_interval_is_the_same_one_at_another_tail_probability(shape, target):
    always = compare("pass@4", A, B, shape=shape, target=target, looks=LOOKS)
    plain = compare("pass@4", A, B, shape=shape, target=target, confidence=1.0 - LOOKS.tail(8))
    assert (always.lo, always.hi) == pytest.approx((plain.lo, plain.hi), abs=1e-6)
    assert always.p_value is None
    assert (always.winner is not None) == (always.z > always.needed)


def test_a_fixed_prior_warns():
    with pytest.warns(BiasWarning, match='pass prior="learned"'):
        compare("pass@1", A, B, prior="uniform", looks=LOOKS)


def test_the_model_with_fewer_trials_counts():
    short = OutcomeMatrix(A.successes[:, None] % 3 > 1)
    assert compare("pass@1", short, B, looks=LOOKS, shape="normal").needed == pytest.approx(LOOKS.z(1))
    long = OutcomeMatrix.from_counts([300] * 50, 1000)
    found = compare("pass@1", A, long, looks=Looks(around=16), shape="normal")
    assert found.needed == pytest.approx(Looks(around=16).z(8))
    with pytest.raises(ParameterError, match="1000 trials per question, .* at most 64"):
        compare("pass@1", long, OutcomeMatrix.from_counts([301] * 50, 1000), looks=LOOKS)


def test_looks_go_with_the_rule_of_intervals_and_their_own_confidence():
    with pytest.raises(ParameterError, match="looks go with the rule 'interval' only"):
        compare("pass@1", A, B, rule="published", looks=LOOKS)
    with pytest.raises(ParameterError, match="set it in Looks"):
        compare("pass@1", A, B, confidence=0.9, looks=LOOKS)
    assert compare("pass@1", A, B, looks=Looks(trials=64, confidence=0.9)).confidence == 0.9


def first_call(seed, looks, trials=20):
    """The first look at which two runs of the same model are told apart; 0 if there is none."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(0.4, 0.4, 40)
    counts = np.zeros((2, 40), int)
    for n in range(1, trials + 1):
        counts += rng.random((2, 40)) < rates
        one, other = (OutcomeMatrix.from_counts(each, n) for each in counts)
        if compare("pass@1", one, other, looks=looks).winner:
            return n
    return 0


@pytest.mark.simulation
def test_the_same_model_twice_is_rarely_told_apart_however_often_one_looks():
    honest = sum(bool(first_call(seed, Looks(trials=20))) for seed in range(60))
    naive = sum(bool(first_call(seed, None)) for seed in range(60))
    assert honest <= 8  # nominal 3; more than 8 of 60 have a probability below 1%
    assert naive > 10


# Suites: the boundary of the overall score, against that of one task.

AROUND = Looks(around=8)
SIZES = (30, 20, 12)


def suite_of(trials, shifts=(0.0, -0.05, -0.4), sizes=SIZES, seed=0):
    rng = np.random.default_rng(seed)
    tasks = {}
    for at, (count, n) in enumerate(zip(sizes, trials, strict=True)):
        rates = rng.beta(0.8, 0.5, count)
        models = zip("abc", shifts, strict=False)
        tasks[f"task {at}"] = {
            name: OutcomeMatrix.from_counts(rng.binomial(n, np.clip(rates + shift, 0.02, 0.98)), n)
            for name, shift in models
        }
    return Suite(tasks)


def compared(suite, looks, **options):
    first, second = (suite.select(models=[name]) for name in "ab")
    return compare("pass@1", first, second, looks=looks, **options)


@pytest.mark.parametrize("looks", [LOOKS, AROUND], ids=["budget", "around"])
def test_tasks_with_as_many_trials_have_the_boundary_of_one_task(looks):
    found = compared(suite_of([8, 8, 8]), looks, shape="normal")
    assert found.needed == pytest.approx(looks.z(8), rel=1e-9)
    assert found.looks == looks
    assert found.p_value is None
    assert "valid at every look" in str(found)
    for task in found.tasks.values():
        assert task.needed == pytest.approx(looks.z(8), rel=1e-9)


@pytest.mark.parametrize(
    ("looks", "widest"), [(LOOKS, 4), (AROUND, 60), (Looks(around=32), 4)], ids=["budget", "around 8", "around 32"]
)
def test_unequal_tasks_have_the_wider_boundary_of_the_fewest_and_the_most_trials(looks, widest):
    trials = (4, 60, 16)
    assert max(trials, key=looks.z) == widest
    assert compared(suite_of(trials), looks, shape="normal").needed == pytest.approx(looks.z(widest), rel=1e-9)


def test_trials_beyond_the_budget_of_any_task_are_an_error():
    with pytest.raises(ParameterError, match="70 trials per question, but these looks were declared for at most 64"):
        compared(suite_of([4, 70, 4]), LOOKS)
    with pytest.raises(ParameterError, match="declared for at most 64"):
        Leaderboard("pass@1", suite_of([4, 70, 4]), looks=LOOKS)


def test_the_leaderboard_of_a_suite_at_a_look():
    suite = suite_of([8, 4, 16])
    board = Leaderboard(["pass@1", "pass@2"], suite, shape="normal", looks=LOOKS)
    ranking = board["pass@1"]
    assert ranking.settings.looks == LOOKS.shared(2)
    low, high = (getattr(ranking.intervals[0], end) for end in ("lo", "hi"))
    assert (high - low) / 2 / ranking.intervals[0].sigma == pytest.approx(LOOKS.shared(6).z(4), rel=1e-6)
    needed = LOOKS.z(4, 2 * 0.05 / 2 / 2)  # two metrics, two comparisons, one direction; the fewest trials
    values = [(each.mu, each.sigma) for each in ranking.intervals]
    z = [(values[0][0] - mu) / np.hypot(values[0][1], sigma) for mu, sigma in values]
    assert ranking.tied_with_top.tolist() == [each < needed for each in z] == [True, True, False]
    assert ranking.tasks["task 1"].settings.looks == LOOKS.shared(2 * 3)
    assert "shared by the tasks" in str(board)
    assert {each["looks"] for each in board.as_records() if each["task"] == "overall"} == {str(LOOKS.shared(6))}
