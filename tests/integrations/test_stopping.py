"""The decision to stop, without any tool: rounds, widths, baselines."""

import math

import numpy as np
import pytest

from scorio import Looks, OutcomeMatrix, PassAtK, RewardMatrix
from scorio.errors import OutcomeError
from scorio.integrations._stopping import StopWhen

QUESTIONS = [f"q{a}" for a in range(20)]


def fed(rule, rates, rounds, rng, order=None):
    """The verdicts of a run with these rates, round by round."""
    verdicts = []
    for trial in range(1, rounds + 1):
        for a in order or range(len(QUESTIONS)):
            found = rule.add(QUESTIONS[a], trial, float(rng.random() < rates[a]))
            if found is not None:
                verdicts.append(found)
                if found.reason:
                    return verdicts
    return verdicts


def started(planned=64, **options):
    rule = StopWhen("pass@1", **options)
    rule.start(QUESTIONS, planned)
    return rule


def test_the_width_that_was_asked_for_ends_the_run():
    rng = np.random.default_rng(1)
    verdicts = fed(started(half_width=0.1), rng.random(20), 64, rng)
    last = verdicts[-1]
    assert 2 < last.rounds < 64
    assert (last.hi - last.lo) / 2 <= 0.1 < (verdicts[-2].hi - verdicts[-2].lo) / 2
    assert f"after {last.rounds} rounds" in last.reason
    assert "+-0.1 was asked" in last.reason


def test_the_interval_is_that_of_the_complete_rounds():
    rule = started(planned=8)
    for trial in (1, 2, 3):
        for question in QUESTIONS:
            rule.add(question, trial, float(trial != 2))
    rule.add("q3", 4, 1.0)
    expected = PassAtK(1).interval([[1, 0, 1]] * 20, prior="learned", shape="quantile", looks=Looks(trials=8))
    look = rule.look()
    assert (look.rounds, look.value, look.lo, look.hi) == (3, expected.mu, expected.lo, expected.hi)


@pytest.mark.parametrize(("mine", "word"), [(0.9, "better"), (0.2, "worse")])
def test_a_baseline_that_is_clearly_better_or_worse_ends_the_run(mine, word):
    rng = np.random.default_rng(2)
    baseline = OutcomeMatrix(rng.random((20, 30)) < 0.5, questions=QUESTIONS)
    verdicts = fed(started(baseline=baseline), np.full(20, mine), 64, rng)
    assert verdicts[-1].reason.startswith(f"this run is {word} than the baseline by 0.")
    assert verdicts[-1].rounds < 20


def test_the_same_model_again_is_rarely_called_better_or_worse():
    calls = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rates = rng.random(20)
        baseline = OutcomeMatrix(rng.random((20, 16)) < rates[:, None])
        calls += bool(fed(started(planned=16, baseline=baseline), rates, 16, rng)[-1].reason)
    assert calls <= 8  # nominal 4; more than 8 of 40 have a probability below 2%


def test_missing_scores_are_no_trials_and_hold_the_round_open():
    rule = started()
    for trial in (1, 2):
        for question in QUESTIONS:
            rule.add(question, trial, math.nan if (question, trial) == ("q7", 2) else 1.0)
    assert rule.rounds == 1
    assert rule.add("q7", 3, 1.0).rounds == 2


def test_questions_of_the_baseline_must_be_those_of_the_run():
    baseline = OutcomeMatrix(np.ones((20, 3)), questions=[*QUESTIONS[:-1], "other"])
    with pytest.raises(OutcomeError, match="other, q19 occur in one of the two only"):
        started(baseline=baseline)


@pytest.mark.parametrize("baseline", [None, "worse"])
def test_continuous_rewards_end_a_run_too(baseline):
    rng = np.random.default_rng(6)
    old = RewardMatrix(rng.beta(2.0, 6.0, (20, 8))) if baseline else None
    rule = StopWhen("avg", half_width=None if baseline else 0.05, baseline=old)
    rule.start(QUESTIONS, 64)
    reasons = []
    for trial in range(1, 65):
        for question in QUESTIONS:
            verdict = rule.add(question, trial, float(rng.beta(4.0, 4.0)))
        reasons.append(verdict.reason if verdict else "")
        if reasons[-1]:
            break
    assert 2 <= len(reasons) < 40
    assert ("this run is better than the baseline" if baseline else "+-0.05 was asked") in reasons[-1]
