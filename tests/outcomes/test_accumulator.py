"""The accumulator: whatever the batches, the outcomes are those of all trials at once."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.saved_counts import BINARY, CATEGORIES, FEW_REWARDS, LABELS, REWARDS
from scorio import Accumulator, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, read
from scorio.outcomes import SavedCounts

KINDS = {
    "binary": (BINARY, False),
    "categories": (CATEGORIES, False),
    "binary rewards": (BINARY.map(float), True),
    "few rewards": (FEW_REWARDS, True),
    "rewards": (REWARDS, True),
    "many rewards": (st.integers(-200, 200).map(lambda value: value / 4), True),
}


@st.composite
def batches(draw, *, missing=True):
    """Draw a kind of outcomes and batches: lists of labels, and of the trials of each, some of which are missing."""
    kind = draw(st.sampled_from(list(KINDS)))
    outcome, rewards = KINDS[kind]
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    trial = st.one_of(outcome, st.none()) if missing else outcome
    row = st.lists(trial, min_size=1, max_size=30 if kind == "many rewards" else 5)
    asked = st.lists(st.sampled_from(labels), min_size=1, max_size=5)
    made = []
    for _ in range(draw(st.integers(1, 6))):
        own = draw(asked)
        made.append((own, [draw(row) for _ in own]))
    made[0][1][0][0] = draw(outcome)
    return rewards, made


def truth_of(rewards, made):
    """The outcomes of all trials of some batches, made at once; None where there is no trial."""
    trials = {}
    for labels, rows in made:
        for label, row in zip(labels, rows, strict=True):
            trials.setdefault(label, []).extend(row)
    build = OutcomeMatrix.from_rewards if rewards else OutcomeMatrix
    if all(each is None for row in trials.values() for each in row):
        return None
    return build(list(trials.values()), questions=list(trials), missing="omit")


def filled(rewards, made, **options):
    log = Accumulator(rewards=rewards, missing="omit", **options)
    for labels, rows in made:
        log.add(labels, rows)
    return log


@pytest.mark.slow
@given(batches())
def test_outcomes_are_those_of_all_trials(drawn):
    assert filled(*drawn).outcomes == truth_of(*drawn)


def sorted_rows(matrix):
    order = sorted(matrix.questions, key=repr)
    return matrix.reordered(np.array([matrix.questions.index(label) for label in order]))


@pytest.mark.slow
@given(batches(), st.data())
def test_a_saved_state_goes_on_as_if_nothing_had_happened(drawn, data):
    rewards, made = drawn
    stop = data.draw(st.integers(1, len(made)))
    state = filled(rewards, made[:stop]).to_state()
    log, whole = Accumulator.from_state(state), filled(rewards, made)
    assert log.step == stop
    assert Accumulator.from_state(log.to_state()).to_state() == log.to_state() == state
    for labels, rows in made[stop:]:
        log.add(labels, rows)
    assert log.outcomes == whole.outcomes
    assert log.step == whole.step


@pytest.mark.slow
@given(batches(), st.data())
def test_workers_merge_to_the_whole(drawn, data):
    """Each batch goes to one of two workers, under the number of its step."""
    rewards, made = drawn
    workers = [Accumulator(rewards=rewards, missing="omit", name=name) for name in ("one", "two")]
    for step, (labels, rows) in enumerate(made, 1):
        workers[data.draw(st.integers(0, 1))].add(labels, rows, step=step)
    merged = workers[0].merge(workers[1])
    assert merged.step == len(made)
    assert sorted_rows(merged.outcomes) == sorted_rows(truth_of(rewards, made))
    assert sorted_rows(workers[1].merge(workers[0]).outcomes) == sorted_rows(merged.outcomes)


@pytest.mark.slow
@given(batches(missing=False))
def test_rewards_that_are_not_kept_have_the_same_moments(drawn):
    _, made = drawn
    whole = filled(True, made).outcomes.as_continuous()
    log = Accumulator(rewards=True, keep_values=False)
    for labels, rows in made:
        log.add(labels, rows)
    log = Accumulator.from_state(log.to_state())
    found = log.outcomes.as_continuous()
    assert found.trials.tolist() == whole.trials.tolist()
    np.testing.assert_allclose(found.means, whole.means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.variances, whole.variances, rtol=1e-9, atol=1e-9)


def test_a_flat_batch_has_one_outcome_per_question():
    log = Accumulator()
    log.add(["q1", "q2", "q1"], [1, 0, 0])
    log.add(["q3"], [1, 1, 0])
    assert log.outcomes.counts.tolist() == [[1, 1], [1, 0], [1, 2]]
    log.add(["q4", "q5"], ["pass", "fail"])
    assert log.outcomes.successes.tolist() == [1, 0, 2, 1, 0]


def test_missing_trials():
    rows = [[1, None], [0, float("nan")]]
    for missing, counts in (("omit", [[0, 1], [1, 0]]), ("fail", [[1, 1], [2, 0]])):
        log = Accumulator(missing=missing)
        log.add(["a", "b"], rows)
        log.add(["a", "b"], np.array([[np.nan, 1.0], [1.0, np.nan]]))
        expected = np.array(counts) + [[0, 1], [0, 1]] + (np.array([[1, 0], [1, 0]]) if missing == "fail" else 0)
        assert log.outcomes.counts.tolist() == expected.tolist()
        assert log.outcomes.planned_trials.tolist() == [4, 4]
    with pytest.raises(OutcomeError, match="a trial without an outcome"):
        Accumulator().add(["a", "b"], rows)
    with pytest.raises(ParameterError, match="missing cannot be 'fail' for rewards"):
        Accumulator(rewards=True, missing="fail")


def test_a_refused_batch_changes_nothing():
    log = Accumulator()
    log.add(["a"], [[0, 1]])
    before = log.to_state()
    for questions, outcomes in [
        (["a", "b"], [[0, 1], [0, -1]]),
        (["c", "d"], [[0, 1]]),
        (["e", []], [[0], [1]]),
        (["f", float("nan")], [[0], [1]]),
        ([], []),
        (["g"], [[0.5]]),
        (3, [[1]]),
    ]:
        with pytest.raises((OutcomeError, TypeError)):
            log.add(questions, outcomes)
        assert log.to_state() == before
    log.add(["b"], [[1, 1]])
    assert log.outcomes.questions == ("a", "b")


def test_faults_are_named():
    log = Accumulator()
    with pytest.raises(OutcomeError, match="no outcome was added yet"):
        _ = log.outcomes
    with pytest.raises(OutcomeError, match="there is nothing to save"):
        log.to_state()
    with pytest.raises(OutcomeError, match="outcomes have 3 rows for 2 questions"):
        log.add(["a", "b"], [[1], [1], [0]])
    with pytest.raises(OutcomeError, match="Accumulator.rewards=True. adds rewards"):
        log.add(["a"], [["P", "C"]])
    log.add(["a"], [[1]], step=5)
    with pytest.raises(ParameterError, match="step must be a whole number from 5 on; got 4"):
        log.add(["a"], [[1]], step=4)
    with pytest.raises(ParameterError, match="name must be a name"):
        Accumulator(name="")
    with pytest.raises(OutcomeError, match="not the state of an accumulator"):
        Accumulator.from_state(SavedCounts(OutcomeSet({"model": log.outcomes})).to_bytes())


# The state: a file of saved counts that other processes go on with, and that never counts twice.


def test_two_states_of_one_accumulator_are_never_added(tmp_path):
    log = Accumulator(name="worker 1")
    log.add(["a"], [[0, 1]])
    log.save(tmp_path / "early.npz")
    log.add(["a"], [[1, 1]])
    with pytest.raises(OutcomeError, match="the accumulator 'worker 1' would be counted twice"):
        log.merge(Accumulator.load(tmp_path / "early.npz"))
    log.save(tmp_path / "late.npz")
    with pytest.raises(OutcomeError, match="part 'worker 1' would be counted twice"):
        SavedCounts.load(tmp_path / "early.npz").merge(tmp_path / "late.npz")
    with pytest.raises(OutcomeError, match="different settings cannot be merged"):
        log.merge(Accumulator(rewards=True))


def test_a_state_is_saved_counts(tmp_path):
    log = Accumulator(model="policy", name="run")
    log.add(["a", "b"], [[0, 1], [1, 1]])
    log.save(tmp_path / "state.npz", metadata={"costs": {"tokens": 7}})
    assert read(tmp_path / "state.npz")["policy"] == log.outcomes
    assert SavedCounts.load(tmp_path / "state.npz").metadata == {"policy": {"costs": {"tokens": 7}}}
    assert pickle.loads(pickle.dumps(log)).outcomes == log.outcomes
    with pytest.raises(ParameterError, match=r"must end with .npz"):
        log.save(tmp_path / "state.parquet")
