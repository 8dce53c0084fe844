"""Rule@k: against metrics that have the same rule, by enumeration, and with draws at random."""

from itertools import combinations, permutations

import numpy as np
import pytest

from scorio import MajAtK, OutcomeError, OutcomeMatrix, VoteAtK, compare
from scorio.metrics import BestOfK, RuleAtK

RNG = np.random.default_rng(4)
RIGHT = (RNG.random((12, 6)) < RNG.beta(1, 1, (12, 1))).astype(int)
R = OutcomeMatrix(
    RIGHT, answers=np.where(RIGHT, "a", "b"), scores={"judge": RNG.random((12, 6)), "tokens": RIGHT + 1.0}
)


def majority(draw):
    return float(draw.outcomes.mean() > 0.5)


def best(draw):
    return draw.outcomes[np.argmax(draw.scores["judge"])]


def until_right(draw):
    """The tokens of a rule that stops at the first success."""
    stop = int(np.argmax(draw.outcomes)) if draw.outcomes.any() else len(draw.outcomes) - 1
    return draw.scores["tokens"][: stop + 1].sum()


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize(("rule", "metric"), [(majority, MajAtK), (best, lambda k: BestOfK(k, "judge"))])
def test_it_is_the_metric_that_has_the_same_rule(k, rule, metric):
    ours, theirs = RuleAtK(k, rule), metric(k)
    assert ours.per_question(R) == pytest.approx(theirs.per_question(R), abs=1e-12)
    if isinstance(theirs, BestOfK):
        one, other = ours.interval(R), theirs.interval(R)
        assert (one.mu, one.lo, one.hi) == pytest.approx((other.mu, other.lo, other.hi))


def test_a_vote_by_answers():
    rule = RuleAtK(3, lambda draw: float(draw.answers.count("a") >= 2))
    assert rule.score(R) == pytest.approx(VoteAtK(3).score(R))


def test_an_early_stop_sees_the_trials_in_every_order():
    rule = RuleAtK(3, until_right, ends=(0.0, 6.0), is_ordered=True)
    expected = []
    for row in RIGHT:
        spent = []
        for order in permutations(row, 3):
            stop = order.index(1) if 1 in order else 2
            spent.append(sum(1 + each for each in order[: stop + 1]))
        expected.append(np.mean(spent))
    assert rule.per_question(R) == pytest.approx(expected)
    assert rule.interval(R).lo < rule.score(R) < rule.interval(R).hi


def test_draws_at_random_are_near_all_draws_and_their_noise_is_counted():
    many = RNG.integers(0, 2, (3, 20))
    rule = RuleAtK(6, majority)
    values = rule._values(OutcomeMatrix(many))
    exact = [np.mean([np.mean(draw) > 0.5 for draw in combinations(row, 6)]) for row in many]
    assert (values.noise > 0).all()
    assert (np.abs(values.value - exact) < 5 * np.sqrt(values.noise)).all()
    assert rule.score(many) == rule.score(many)


def test_accuracy_per_token_and_a_comparison():
    right, spent = RuleAtK(2, best), RuleAtK(2, until_right, (0.0, 4.0), is_ordered=True)
    ratio = right.score(R) / spent.score(R)
    assert 0 < ratio < 1
    assert compare(RuleAtK(3, majority), OutcomeMatrix(np.ones((12, 6), dtype=int)), R).winner == "A"


def test_what_is_refused():
    with pytest.raises(ValueError, match="function of a Draw"):
        RuleAtK(2, 3)
    with pytest.raises(ValueError, match="lower one first"):
        RuleAtK(2, majority, (1.0, 0.0))
    with pytest.raises(OutcomeError, match="the rule asks for the score 'tokens', and the trials have no scores"):
        RuleAtK(2, tokens).score(RIGHT)


@pytest.mark.parametrize("returned", [[1, 2], "yes", None, float("nan"), 2.0])
def test_a_rule_that_returns_no_number_within_its_ends_is_refused(returned):
    with pytest.raises(OutcomeError, match="the rule must return one number from 0 to 1 for each draw"):
        RuleAtK(2, lambda draw: returned).score(OutcomeMatrix([[1, 0, 1]]))


def test_a_sum_of_rules_is_a_rule_and_a_ratio_has_the_interval_of_one():
    right, spent = (RuleAtK(1, rule, (0.0, 2.0)).estimate(R) for rule in (outcome, tokens))
    combined = RuleAtK(1, lambda draw: outcome(draw) - 0.3 * tokens(draw), (-0.6, 2.0)).estimate(R)
    assert (right - 0.3 * spent).value == pytest.approx(combined.value, rel=1e-12)
    assert (right - 0.3 * spent).sd == pytest.approx(combined.sd, rel=1e-9)
    ends = tuple(combined.interval())[2:]  # which unseen trials move by more, where one rule alone returns up to 2
    assert tuple((right - 0.3 * spent).interval())[2:] == pytest.approx(ends, abs=0.01)
    _, _, lo, hi = (right / spent).interval()
    assert (right - lo * spent).p_above() == pytest.approx(0.975, abs=1e-3)
    assert (right - hi * spent).p_above() == pytest.approx(0.025, abs=1e-3)


def test_a_rule_of_one_trial_is_no_success_rate():
    right = RIGHT[:, :1]
    few, many = (OutcomeMatrix(right, scores={"tokens": RNG.random((12, 1)) + more}) for more in (0.0, 0.9))
    said = str(compare(RuleAtK(1, tokens, (0.0, 2.0)), few, many))
    assert "B is better on RuleAtK@1:rule=tokens:ends=0.0,2.0 for" in said
    assert "McNemar" not in said


def test_functions_without_names_are_told_apart():
    worths = (0.0, 0.25, 1.0)
    assert [RuleAtK(1, lambda _, worth=worth: worth).score(R) for worth in worths] == list(worths)


def outcome(draw):
    return draw.outcomes[0]


def tokens(draw):
    return draw.scores["tokens"][0]
