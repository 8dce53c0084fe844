"""Comparisons with looks: who is called better, about what, and how often wrongly."""

import numpy as np
import pytest
from scipy.special import stdtrit

from scorio import Looks, OutcomeMatrix, ParameterError, PassAtK, compare
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
        compare("pass@1", long, long, looks=LOOKS)


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
