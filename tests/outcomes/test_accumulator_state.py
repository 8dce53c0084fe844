"""The state of an accumulator: a file of saved counts that other processes go on with, and that never counts twice."""

import pickle

import pytest

from scorio import Accumulator, OutcomeError, ParameterError, SavedCounts, read


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
        log.merge(Accumulator(window=3))


def test_a_state_is_saved_counts(tmp_path):
    log = Accumulator(model="policy", window=5, name="run")
    log.add(["a", "b"], [[0, 1], [1, 1]])
    log.save(tmp_path / "state.npz", metadata={"costs": {"tokens": 7}})
    assert read(tmp_path / "state.npz")["policy"] == log.outcomes
    assert SavedCounts.load(tmp_path / "state.npz").metadata == {"policy": {"costs": {"tokens": 7}}}
    assert pickle.loads(pickle.dumps(log)).outcomes == log.outcomes
    with pytest.raises(OutcomeError, match="the state of an accumulator is saved as .npz"):
        log.save(tmp_path / "state.parquet")


@pytest.mark.parametrize("rewards", [False, True])
def test_no_changed_byte_of_a_state_changes_a_number(rewards):
    log = Accumulator(rewards=rewards, window=2, name="run")
    log.add(["a", "b"], [[0, 1], [1, 1]])
    log.add(["b"], [[0, 1]])
    content, refused = log.to_state(), 0
    for i in range(0, len(content), 3):
        try:
            found = Accumulator.from_state(bytes([*content[:i], content[i] ^ 0x55, *content[i + 1 :]]))
            assert (found.outcomes, found.recent, found.step) == (log.outcomes, log.recent, 2)
        except (OutcomeError, ParameterError) as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > len(content) // 8
