"""What is said of the reliability fits the two standard errors beside it, and no interval is a point."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, diagnose
from scorio.diagnosis._reliability import reliability


@pytest.mark.parametrize(("questions", "trials"), [(400, 2), (6, 3), (40, 50)])
def test_the_words_are_those_of_the_larger_error(questions, trials):
    rng = np.random.default_rng(1)
    for _ in range(30):
        rates = rng.beta(2, 2, questions)[:, None]
        found = reliability("a", OutcomeMatrix((rng.random((questions, trials)) < rates).astype(int)), 0.95)
        more = "trials" if found.sigma_trials > found.sigma_questions else "questions"
        assert found.verdict.endswith(f"more {more} would help most")
        assert "luck" not in found.verdict


def test_few_questions_give_no_point():
    rng = np.random.default_rng(2)
    contained = []
    for _ in range(600):
        rates = rng.beta(2, 2, 6)[:, None]  # whose ICC is 1 / 5
        found = reliability("a", OutcomeMatrix((rng.random((6, 3)) < rates).astype(int)), 0.95)
        if not np.isnan([found.icc, found.lo]).any():
            assert found.hi - found.lo > 0.01
            contained.append(found.lo <= 0.2 <= found.hi)
    assert np.mean(contained) > 0.9


def test_questions_that_are_all_alike():
    found = reliability("a", OutcomeMatrix([[1, 0, 0]] * 6), 0.95)
    assert (found.icc, found.lo) == (0.0, 0.0)
    assert found.hi > 0.3


def test_trials_that_all_agree_may_be_copies_and_that_is_said():
    alike = OutcomeMatrix.from_counts([4, 0] * 15, 4)
    differing = OutcomeMatrix.from_counts([4, 3, 0] * 10, 4)
    [said] = [each for each in diagnose({"a": alike, "b": differing}).statements if each.claim.startswith("scores on")]
    assert said.support == "with care"
    assert "all trials of each question of 'a' agree" in said.reason
    for sound in (differing, OutcomeMatrix.from_counts([4] * 30, 4), OutcomeMatrix.from_counts([1, 0] * 15, 1)):
        [said] = [each for each in diagnose({"b": sound}).statements if each.claim.startswith("scores on")]
        assert said.support == "yes"
