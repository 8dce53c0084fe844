"""What k samples are worth by rules: against enumeration, simple truths, and simulated worlds."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, ParameterError, analyze_selection


def samples(seed, questions, n, trap=0.6, skill=1.5):
    """Return the rates, and right and wrong samples with answers and a verifier's scores."""
    rng = np.random.default_rng(seed)
    rate = rng.beta(1, 1, questions)
    right = rng.random((questions, n)) < rate[:, None]
    wrong = np.where(rng.random((questions, n)) < trap, "trap", rng.integers(0, 8, (questions, n)).astype(str))
    scores = rng.normal(size=(questions, n)) + skill * right
    made = OutcomeMatrix(right.astype(int), answers=np.where(right, "yes", wrong), scores={"judge": scores})
    return made, right, np.where(right, "yes", wrong), scores


def voted(answers, right):
    """Return the chance that a vote of these samples is right, ties shared."""
    counts = Counter(answers)
    most = [each for each in counts if counts[each] == max(counts.values())]
    return Fraction(sum(any(r for a, r in zip(answers, right, strict=True) if a == each) for each in most), len(most))


def test_points_are_means_over_all_draws():
    R, right, answers, scores = samples(0, 5, 6)
    found = analyze_selection(R, ["vote", "best", "worst"], [1, 2, 3, 5])
    for k in (1, 2, 3, 5):
        truth = dict.fromkeys(("pass", "vote", "best", "worst"), Fraction(0))
        for row in range(5):
            draws = list(itertools.combinations(range(6), k))
            for draw in draws:
                own = [bool(right[row, i]) for i in draw]
                share = Fraction(1, 5 * len(draws))
                truth["pass"] += share * any(own)
                truth["worst"] += share * all(own)
                truth["vote"] += share * voted([str(answers[row, i]) for i in draw], own)
                truth["best"] += share * own[int(np.argmax([scores[row, i] for i in draw]))]
        for rule, value in truth.items():
            [point] = [each for each in found.of(rule) if each.k == k]
            assert point.score == pytest.approx(float(value), abs=1e-13)
            assert rule == "pass" or point.lo <= point.score <= point.hi  # that of Pass@k is around its posterior mean


def test_shares_of_the_gap():
    R, _, _, _ = samples(1, 40, 16)
    found = analyze_selection(R, ["vote", "best"], [4, 8])
    single, oracle = found.single.score, {each.k: each.score for each in found.of("pass")}
    for point in (*found.of("vote"), *found.of("best")):
        share = (point.score - single) / (oracle[point.k] - single)
        assert point.closed == pytest.approx(share, abs=1e-12)
        assert point.closed_lo < share < point.closed_hi <= 1.0


def test_an_oracle_by_another_name_closes_the_gap_and_a_single_sample_does_not():
    _, right, answers, _ = samples(2, 30, 8)
    R = OutcomeMatrix(right.astype(int), scores={"truth": right * 1.0, "none": np.zeros_like(right, float)})
    found = analyze_selection(R, ["best:by=truth", "best:by=none"], [4])
    [sure], [blind] = found.of("best:by=truth"), found.of("best:by=none")
    assert (sure.closed, sure.closed_lo, sure.closed_hi) == pytest.approx((1.0, 1.0, 1.0), abs=1e-9)
    assert (blind.closed, blind.closed_lo, blind.closed_hi) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert answers.shape == right.shape


def test_a_gap_that_may_be_zero_has_no_share():
    R = OutcomeMatrix([[1, 1, 1, 1], [0, 0, 0, 0]], answers=[list("aaaa"), list("bcbc")])
    found = analyze_selection(R, ks=[2])
    assert found.of("vote")[0].closed is None
    assert "is not known from these trials" in found.verdicts()[0]


@pytest.mark.parametrize("seed", range(5))
def test_misled_questions_are_counted_one_by_one(seed):
    R, right, answers, _ = samples(seed, 50, 7)
    misled = 0
    for row in range(50):
        own = list(zip(answers[row].tolist(), right[row].tolist(), strict=True))
        if right[row].any():
            counts = Counter(answer for answer, _ in own)
            misled += counts["yes"] < max(counts.values())
    found = analyze_selection(R)
    assert (found.misled, found.solved) == (misled, int(right.any(axis=1).sum()))
    assert f"{misled} of {found.solved} questions" in found.verdicts()[-1]


def test_another_sample_that_is_not_worth_it():
    R, _, _, _ = samples(4, 100, 32)
    found = analyze_selection(R, ks=range(1, 17))
    gains = np.diff([each.score for each in found.of("pass")])
    assert found.enough("pass", gain=0.01) == 1 + max(np.flatnonzero(gains >= 0.01)) + 1
    assert found.enough("pass", gain=0.0) == 16
    assert found.enough("pass", cost=1.0, worth=1.0) == 1
    assert found.enough("pass", cost=0.03, worth=3.0) == found.enough("pass", gain=0.01)
    with pytest.raises(ParameterError, match="needs worth"):
        found.enough("pass", cost=1.0)


def test_defaults_are_the_rules_that_the_outcomes_have():
    R, _, _, scores = samples(5, 10, 8)
    assert (analyze_selection(R).rules, analyze_selection(R).ks) == (("pass", "vote", "best"), (1, 2, 4))
    two = OutcomeMatrix(R.counts.argmax(axis=1)[:, None] * np.ones((10, 8), int), scores={"a": scores, "b": scores})
    assert analyze_selection(two).rules == ("pass", "best:by=a", "best:by=b")
    rewards = OutcomeMatrix.from_rewards([[0.0, 0.5, 1.0, 0.5]] * 3, scores={"judge": [[1, 2, 3, 4]] * 3})
    assert analyze_selection(rewards).rules == ("max", "best")


@pytest.mark.parametrize("outcome", [0, 1])
def test_samples_that_all_agree_leave_a_single_one_uncertain(outcome):
    found = analyze_selection(OutcomeMatrix([[outcome] * 4] * 3), ["worst"])
    assert found.single.hi - found.single.lo > 0.1
    assert (found.single.lo, found.single.hi) == (found.of("pass")[0].lo, found.of("pass")[0].hi)


def test_errors():
    R = OutcomeMatrix([[0, 1, 1, 0]])
    with pytest.raises(OutcomeError, match="neither answers nor scores"):
        analyze_selection(R)
    with pytest.raises(OutcomeError, match="answers of the trials are not known"):
        analyze_selection(R, ["vote"])
    with pytest.raises(ParameterError, match="without their k"):
        analyze_selection(R, ["worst@2"])
    with pytest.raises(ParameterError, match="avg takes no k"):
        analyze_selection(R, ["avg"])
    with pytest.raises(OutcomeError, match="N is 4"):
        analyze_selection(R, ["worst"], [5])


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_intervals_of_the_share_cover(target):
    rng = np.random.default_rng(8)
    rate, worlds, k = rng.beta(1, 1, 60), 300, 4
    hits = np.zeros(2)
    truth = None
    for world in range(-1, worlds):
        n = 20_000 if world < 0 else 16
        if target == "population" and world >= 0:
            rate = rng.beta(1, 1, 60)
        elif target == "population":
            rate = (np.arange(400) + 0.5) / 400
            n = 4000
        right = rng.random((len(rate), n)) < rate[:, None]
        wrong = np.where(rng.random(right.shape) < 0.6, 1, rng.integers(2, 10, right.shape))
        answers, scores = np.where(right, 0, wrong), rng.normal(size=right.shape) + 1.5 * right
        if world < 0:
            truth = shares(right, answers, scores, k, rng)
            continue
        R = OutcomeMatrix(right.astype(int), answers=answers, scores={"v": scores}, normalize=None)
        found = analyze_selection(R, ks=[k], target=target)
        points = (found.of("vote")[0], found.of("best")[0])
        hits += [each.closed_lo <= true <= each.closed_hi for each, true in zip(points, truth, strict=True)]
    error = np.sqrt(0.95 * 0.05 / worlds)
    assert (hits / worlds > 0.92 - 3 * error).all(), hits / worlds
    assert (hits / worlds < 0.98 + 3 * error).all(), hits / worlds


def shares(right, answers, scores, k, rng):
    """Return the shares that a vote and a verifier close, from disjoint groups of k samples of each question."""
    groups = right.shape[1] // k

    def grouped(values):
        return values[:, : groups * k].reshape(-1, k)

    own = grouped(right)
    votes = (grouped(answers)[:, :, None] == np.arange(10)).sum(axis=1) + rng.random((len(own), 10)) / 2
    best = np.take_along_axis(own, grouped(scores).argmax(axis=1)[:, None], 1)[:, 0]
    one, oracle = own.mean(), own.any(axis=1).mean()
    return [(value - one) / (oracle - one) for value in ((votes.argmax(axis=1) == 0).mean(), best.mean())]


def test_a_number_of_the_question_is_no_score_to_choose_by():
    right = np.array([[1, 0, 1, 0], [0, 0, 1, 1]])
    minutes = np.repeat([[3.0], [60.0]], 4, axis=1)
    both = OutcomeMatrix(right, scores={"minutes": minutes, "judge": np.arange(8.0).reshape(2, 4)})
    assert analyze_selection(both).rules == ("pass", "best:by=judge")
    with pytest.raises(OutcomeError, match="neither answers nor scores"):
        analyze_selection(OutcomeMatrix(right, scores={"minutes": minutes}))
