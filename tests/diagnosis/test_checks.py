"""Each check finds what was put into simulated outcomes, and raises false alarms no more often than promised."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, diagnose
from scorio.io import recognise


def test_cached_trials_are_found():
    rng = np.random.default_rng(3)
    first = rng.binomial(1, 0.6, (60, 1))
    sound = rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 5))
    found = diagnose({"cached": np.repeat(first, 5, axis=1), "sound": sound})
    assert found.finding("trials alike").models == ("cached",)
    assert [each.kind for each in found.findings].count("trials alike") == 1
    assert found.finding("copied run") is None  # said once
    assert "outcomes of cached" in found.next_reason


def test_cached_trials_are_found_from_counts_alone():
    solved = np.arange(80) % 2
    found = diagnose({"a": OutcomeMatrix.from_counts(4 * solved, 4)})
    assert "or success rates near 0 and 1" in found.finding("trials alike").advice
    assert found.next_command == "scorio convert LOGS"
    ragged = OutcomeMatrix([[one] * (2 + i % 3) for i, one in enumerate(solved.tolist())])
    assert diagnose({"a": ragged}).finding("trials alike")
    sound = OutcomeMatrix.from_counts(np.random.default_rng(0).binomial(4, 0.5, 80), 4)
    assert diagnose({"a": ragged, "b": sound}).finding("trials alike").models == ("a",)


def test_one_trial_per_question_is_never_called_a_copy():
    assert diagnose({"a": (np.arange(500) % 2)[:, None]}).finding("trials alike") is None


def test_a_run_that_was_read_twice_is_found():
    rng = np.random.default_rng(4)
    outcomes = rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 4))
    twice = np.hstack([outcomes, outcomes[:, 1:2]])
    found = diagnose({"a": twice, "b": outcomes})
    finding = found.finding("copied run")
    assert finding.models == ("a",)
    assert "trial 1 and trial 4" in finding.what
    assert diagnose({"a": outcomes}).is_sound


def test_swapped_axes_are_found():
    rng = np.random.default_rng(7)
    right = rng.binomial(1, rng.beta(0.4, 0.4, (50, 1)), (50, 6))
    with pytest.warns(UserWarning, match="transpose"):
        diagnosis = diagnose({"a": right.T})
    assert diagnosis.finding("swapped axes")
    assert diagnosis.next_command == "scorio convert LOGS"
    assert diagnose({"a": right}).finding("swapped axes") is None


def test_swapped_axes_of_counts_are_told_by_their_shape():
    with pytest.warns(UserWarning, match="transpose"):
        matrix = OutcomeMatrix(np.random.default_rng(8).binomial(1, 0.5, (2, 400)))
    assert diagnose({"a": matrix}).finding("swapped axes")


def test_a_run_that_went_wrong_is_found():
    rng = np.random.default_rng(9)
    outcomes = rng.binomial(1, rng.beta(1, 1, (80, 1)), (80, 5))
    outcomes[:, 2] = rng.binomial(1, 0.1, 80)
    finding = diagnose({"a": outcomes}).finding("trials differ")
    assert "trial 2" in finding.what
    assert diagnose({"a": outcomes}).finding("swapped axes") is None


def with_gaps(rng, by_outcome):
    rates = rng.beta(1, 1, 60)
    outcomes = rng.binomial(1, rates[:, None], (60, 5)).astype(float)
    chance = np.where(outcomes > 0, 0.02, 0.3) if by_outcome else np.full(outcomes.shape, 0.15)
    outcomes[rng.uniform(size=outcomes.shape) < chance] = np.nan
    return OutcomeSet({"a": outcomes}, missing="omit")


def test_missing_trials_that_depend_on_the_outcome_are_found():
    found = diagnose(with_gaps(np.random.default_rng(10), by_outcome=True))
    assert "fails on" in found.finding("missing by outcome").what
    assert found.next_command == "scorio rank LOGS --missing fail"
    assert found.finding("missing trials") is None


def test_two_trials_of_every_question_are_enough_to_find_opposites():
    rng = np.random.default_rng(0)
    rates = rng.random(300)
    models = {"a": rng.binomial(2, rates), "b": 2 - rng.binomial(2, rates)}
    [finding] = diagnose(OutcomeSet({name: OutcomeMatrix.from_counts(s, 2) for name, s in models.items()})).findings
    assert finding.what.startswith("where a succeeds, b fails")


def test_a_run_that_went_wrong_is_named_beside_one_of_few_questions(tmp_path):
    rng = np.random.default_rng(9)
    outcomes = rng.binomial(1, rng.beta(1, 1, (80, 1)), (80, 5))
    outcomes[:, 2] = rng.binomial(1, 0.1, 80)
    cells = [f"q{i},{j},{outcomes[i, j]}" for i in range(80) for j in range(5) if j or i < 10]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["question,trial,correct", *cells]))
    assert f"in {path}: trial 2 to" in diagnose(recognise(path)).finding("trials differ").what
