"""Saved counts: what comes back is what was saved, from files of this and of every later version."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from helpers.saved_counts import (
    METADATA,
    example_of_a_state,
    examples,
    examples_with_costs,
    examples_with_facts,
    sets,
    write_examples,
)
from scorio import Accumulator, OutcomeError, OutcomeSet, ParameterError, RewardMatrix, Suite, read
from scorio.outcomes import SavedCounts

FOLDER = Path(__file__).parent


def parts_of(outcomes):
    """Everything that a matrix holds, also what equality leaves out."""
    for models in outcomes.values() if isinstance(outcomes, Suite) else [outcomes]:
        for name, matrix in models.items():
            numbers = [matrix.planned_trials, matrix.trials]
            if isinstance(matrix, RewardMatrix):
                summary = matrix.summary
                numbers += [summary.mean, summary.squares, summary.cubes]
                numbers += [] if summary.values is None else [summary.values]
            else:
                numbers += [matrix.counts] + ([] if matrix.prior_counts is None else [matrix.prior_counts])
            labels = [matrix.questions, matrix.clusters, matrix.levels, matrix.is_adaptive]
            yield name, [each.tolist() for each in numbers], labels, getattr(matrix, "support", None)


def same(one, other):
    return one == other and repr(list(parts_of(one))) == repr(list(parts_of(other)))


@pytest.mark.slow
@given(sets())
def test_any_outcomes_come_back(outcomes):
    saved = SavedCounts(outcomes)
    assert same(SavedCounts.from_bytes(saved.to_bytes()).outcomes, outcomes)
    assert pickle.loads(pickle.dumps(saved)) == saved


@pytest.mark.parametrize("name", examples())
def test_files_are_read_for_ever(name):
    saved = SavedCounts.load(FOLDER / "saved" / f"{name}.npz")
    assert same(saved.outcomes, examples()[name])
    assert list(saved.parts) == [f"part {name}"]
    assert saved.metadata == (METADATA if name in ("binary", "suite") else {})


@pytest.mark.parametrize("name", examples_with_costs())
def test_files_with_costs_are_read_for_ever(name):
    saved, expected = SavedCounts.load(FOLDER / "saved" / f"{name}.npz"), examples_with_costs()[name]
    assert same(saved.outcomes, expected)
    assert costs_of(saved.outcomes) == costs_of(expected)
    assert list(saved.parts) == [f"part {name}"]


def test_files_with_facts_and_states_are_read_for_ever():
    first, second = examples_with_facts()
    saved = SavedCounts.load(FOLDER / "saved" / "facts.npz")
    assert saved.to_bytes() == first.merge(second).to_bytes()
    saved = SavedCounts.load(FOLDER / "saved" / "success_costs.npz").outcomes
    solved = {task: {m: own["dollars"].successes for m, own in each.costs.items()} for task, each in saved.items()}
    assert {(t, m): each.trials.tolist() for t, models in solved.items() for m, each in models.items()} == {
        ("x", "a"): [1, 2],
        ("x", "b"): [0, 0],
        ("y", "a"): [1],
    }
    assert solved["x"]["a"].means.tolist() == [0.5, 0.375]
    log = Accumulator.load(FOLDER / "saved" / "state.npz")
    assert (log.outcomes, log.step) == (example_of_a_state().outcomes, 2)
    assert SavedCounts.load(FOLDER / "saved" / "state.npz").metadata == {"policy": {"costs": {"usd": 1.5}}}


def test_a_part_without_a_name_is_recognised_by_its_content():
    for path in (FOLDER / "saved").iterdir():
        saved = SavedCounts.load(path)
        with pytest.raises(OutcomeError, match="would be counted twice"):
            saved.merge(path)
        if len(saved.parts) > 1:  # the content of merged parts is that of all of them
            continue
        merged = saved.merge(SavedCounts(saved.outcomes))
        assert SavedCounts.from_bytes(merged.to_bytes()).to_bytes() == merged.to_bytes()
        doubled = {name: 2 * matrix.trials for name, matrix in set_of(saved.outcomes).items()}
        assert {name: each.trials.tolist() for name, each in set_of(merged.outcomes).items()} == {
            name: each.tolist() for name, each in doubled.items()
        }


def set_of(outcomes):
    return next(iter(outcomes.values())) if isinstance(outcomes, Suite) else outcomes


def test_a_trial_that_does_not_tell_its_cost_changes_no_mean(tmp_path):
    half_told = {"a": {"dollars": [[0.25, 0.5], [0.125, float("nan")]]}}
    tasks = {
        "x": OutcomeSet({"a": [[0, 1], [1, 1]]}, questions=["q1", "q2"], costs=half_told),
        "y": OutcomeSet({"a": [[1, 0]]}, questions=["r"], costs={"a": {"dollars": [[2.0, 1.0]]}}),
    }
    Suite(tasks).save(tmp_path / "counts.npz")
    for loaded in (Suite.load(tmp_path / "counts.npz"), read(tmp_path / "counts.npz")):
        assert costs_of(loaded) == costs_of(Suite(tasks))


def costs_of(outcomes):
    """The costs of a set, or of every task of a suite, with those of single trials."""
    sets_of_models = outcomes if isinstance(outcomes, Suite) else {"": outcomes}
    return {
        (task, model, what): (pytest.approx(float(cost)), trials_of(cost))
        for task, models in sets_of_models.items()
        for model, own in models.costs.items()
        for what, cost in own.items()
    }


def trials_of(cost):
    trials = getattr(cost, "trials", None)
    return None if trials is None else (trials.trials.tolist(), trials.means.tolist(), trials.questions)


def test_equal_outcomes_are_equal_bytes(tmp_path):
    write_examples(tmp_path)
    fixtures = list((FOLDER / "saved").iterdir())
    assert len(fixtures) == len(list(tmp_path.iterdir())) == 11
    for path in fixtures:  # whose archive another numpy may have written in another way
        content = (tmp_path / path.name).read_bytes()
        assert content == SavedCounts.from_bytes(content).to_bytes() == SavedCounts.load(path).to_bytes()


def test_numpy_reads_the_arrays(tmp_path):
    examples()["binary"].save(tmp_path / "counts.npz")
    with np.load(tmp_path / "counts.npz", allow_pickle=False) as arrays:
        assert arrays["counts"].reshape(2, 3, 2).tolist() == [[[1, 1], [0, 2], [2, 0]], [[0, 2], [1, 1], [1, 1]]]
        assert arrays["scorio"].tobytes().startswith(b'{"format":"scorio saved counts","version":1,')


@pytest.mark.parametrize(
    ("label", "message"),
    [(b"x", "a bytes, which cannot be saved"), (float("inf"), "cannot be saved"), (1j, "a complex")],
)
def test_labels_that_json_cannot_hold_are_refused(label, message, tmp_path):
    with pytest.raises(OutcomeError, match=message):
        OutcomeSet({"a": [[1]]}, questions=[label]).save(tmp_path / "counts.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"z": {}},
        {"a": 1},
        {"a": {"x": object()}},
        {"a": {"x": float("nan")}},
        {"a": {1: 2}},
        {"a": {"costs": {"usd": "1"}}},
    ],
)
def test_metadata_that_json_cannot_hold_is_refused(metadata):
    with pytest.raises(ParameterError, match="^metadata "):
        SavedCounts(OutcomeSet({"a": [[1]]}), metadata=metadata)


def test_files_are_named_by_their_kind(tmp_path):
    outcomes = OutcomeSet({"a": [[1]]})
    with pytest.raises(ParameterError, match=r"path must end with .npz; got"):
        outcomes.save(tmp_path / "counts.csv")
    with pytest.raises(FileNotFoundError, match="no such file"):
        OutcomeSet.load(tmp_path / "counts.npz")
    with pytest.raises(ParameterError, match="path must be the name of a file"):
        outcomes.save(3)
    with pytest.raises(ParameterError, match="outcomes must be an OutcomeSet or a Suite"):
        SavedCounts([[1]])


def test_a_set_and_a_suite_are_told_apart(tmp_path):
    outcomes = examples()
    outcomes["suite"].save(tmp_path / "suite.npz")
    outcomes["one"].save(tmp_path / "set.npz")
    with pytest.raises(OutcomeError, match=r"several tasks.*scorio.Suite.load"):
        OutcomeSet.load(tmp_path / "suite.npz")
    with pytest.raises(OutcomeError, match=r"without tasks.*scorio.OutcomeSet.load"):
        Suite.load(tmp_path / "set.npz")


@pytest.mark.parametrize("layout", [0, 2])
def test_another_layout_is_refused_with_a_way_out(layout, tmp_path):
    path = tmp_path / "counts.npz"
    header = json.dumps({"format": "scorio saved counts", "version": layout}).encode()
    np.savez(path, scorio=np.frombuffer(header, np.uint8))
    with pytest.raises(OutcomeError, match=f"have layout {layout}, .* reads layout 1 only: read the logs again"):
        OutcomeSet.load(path)
