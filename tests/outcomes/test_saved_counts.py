"""Saved counts come back as they were saved, under a digest, from files that are written whole or not at all."""

import io
import json
import os
import pickle
import random
import signal
import time
import warnings
from functools import reduce
from operator import getitem
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from helpers.crafted import unpacked
from helpers.damaged import places, replaced
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
from scorio.outcomes._saved_layout import whole_file

FOLDER = Path(__file__).parent / "saved"
EXAMPLES = examples() | examples_with_costs()
BITS = (1, 8, 64)


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


@pytest.mark.parametrize("name", EXAMPLES)
def test_files_are_read_for_ever(name):
    saved = SavedCounts.load(FOLDER / f"{name}.npz")
    assert same(saved.outcomes, EXAMPLES[name])
    assert list(saved.parts) == [f"part {name}"]
    assert saved.metadata == (METADATA if name in ("binary", "suite") else {})
    assert costs_of(saved.outcomes) == costs_of(EXAMPLES[name])


def test_files_with_facts_and_states_are_read_for_ever():
    first, second = examples_with_facts()
    saved = SavedCounts.load(FOLDER / "facts.npz")
    assert saved.to_bytes() == first.merge(second).to_bytes()
    saved = SavedCounts.load(FOLDER / "success_costs.npz").outcomes
    solved = {task: {m: own["dollars"].successes for m, own in each.costs.items()} for task, each in saved.items()}
    assert {(t, m): each.trials.tolist() for t, models in solved.items() for m, each in models.items()} == {
        ("x", "a"): [1, 2],
        ("x", "b"): [0, 0],
        ("y", "a"): [1],
    }
    assert solved["x"]["a"].means.tolist() == [0.5, 0.375]
    log = Accumulator.load(FOLDER / "state.npz")
    assert (log.outcomes, log.step) == (example_of_a_state().outcomes, 2)
    assert SavedCounts.load(FOLDER / "state.npz").metadata == {"policy": {"seed": 7}}


def test_a_part_without_a_name_is_recognised_by_its_content():
    for path in FOLDER.iterdir():
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
    fixtures = list(FOLDER.iterdir())
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
    "metadata", [{"z": {}}, {"a": 1}, {"a": {"x": object()}}, {"a": {"x": float("nan")}}, {"a": {1: 2}}]
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


# Everything in a file is under a digest.


def files():
    """The bytes of files that hold everything there is, and what reads them and writes them again."""

    def saved(content):
        return SavedCounts.from_bytes(content).to_bytes()

    def state(content):
        return Accumulator.from_state(content).to_state()

    first, second = examples_with_facts()
    return {
        "facts": (first.merge(second).to_bytes(), saved),
        "trial costs": (SavedCounts(examples_with_costs()["tasks"], part="p").to_bytes(), saved),
        "state": (example_of_a_state().to_state(), state),
    }


def is_refused(content, again, expected):
    """Whether bytes are refused in one line; if they are not, they hold exactly what was saved."""
    try:
        assert again(content) == expected
    except OutcomeError as error:
        assert "\n" not in str(error)
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", files())
def test_no_changed_byte_changes_anything(kind):
    """Every byte in three ways, and cuts: names of parts, conditions, costs and states are as safe as counts."""
    content, again = files()[kind]
    assert again(content) == content
    refused = 0
    for i, byte in enumerate(content):
        for bit in BITS:
            refused += is_refused(content[:i] + bytes([byte ^ bit]) + content[i + 1 :], again, content)
    assert refused > len(content)
    assert all(is_refused(content[:end], again, content) for end in range(0, len(content), 7))


def other(value):
    """A value of the same kind that is not the same."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return value + "x" if isinstance(value, str) else [value]


def variants(header, path):
    """The header with one value changed, left out, and under another key."""
    *above, last = path
    holder = reduce(getitem, above, header)
    yield replaced(header, path, other(holder[last]))
    if isinstance(holder, list):
        yield replaced(header, tuple(above), [*holder[:last], *holder[last + 1 :]])
        return
    yield replaced(header, tuple(above), {key: value for key, value in holder.items() if key != last})
    yield replaced(header, tuple(above), {f"{key}x" if key == last else key: value for key, value in holder.items()})


def file_of(header, members):
    """An archive whose checksums are right."""
    target = io.BytesIO()
    text = json.dumps(header, separators=(",", ":")).encode()
    np.savez(target, scorio=np.frombuffer(text, np.uint8), **members)
    return target.getvalue()


@pytest.mark.parametrize("kind", files())
def test_nothing_in_the_header_can_be_exchanged(kind):
    """Also where the checksums of the archive are right, as after a mistake of another tool."""
    content, again = files()[kind]
    header, members = unpacked(io.BytesIO(content))
    assert again(file_of(header, members)) == content
    tried = 0
    for path in places(header):
        for changed in variants(header, path) if path else ():
            assert is_refused(file_of(changed, members), again, content), (path, changed)
            tried += 1
    assert tried > 90


def facts_of(suite):
    """The costs and conditions of each task and model."""
    return {
        (task, name): (dict(models.costs[name]), dict(models.conditions[name]))
        for task, models in suite.items()
        for name in models
    }


def test_tasks_keep_their_own_costs_and_conditions(tmp_path):
    """Also where one task tells what its trials cost, and another only a mean, or nothing."""
    first, _ = examples_with_facts()
    first.save(tmp_path / "one.npz")
    expected = facts_of(first.outcomes)
    assert expected["x", "a"][0] == {"usd": 0.25}
    assert expected["y", "a"][0] == {"usd": 1.1, "tokens": 7.0}
    assert facts_of(Suite.load(tmp_path / "one.npz")) == expected
    known = Suite.load(tmp_path / "one.npz")["x"].costs["a"]["usd"].trials
    assert known.means.tolist() == [0.375, 0.125]
    as_read = facts_of(read(tmp_path))
    assert {key: costs for key, (costs, _) in as_read.items()} == {
        key: pytest.approx(costs) for key, (costs, _) in expected.items()
    }
    assert as_read["y", "a"][1] == {"temperature": "1"}


def test_merged_parts_have_the_mean_of_each_task():
    first, second = examples_with_facts()
    settings = {"a": {"temperature": 1}}
    late = OutcomeSet({"a": [[1]]}, questions=["r"], conditions=settings, costs={"a": {"usd": 0.7}})
    third = SavedCounts(Suite({"y": late}), part="wednesday")
    merged = first.merge(second, third)
    found = facts_of(merged.outcomes)
    assert found["x", "a"] == facts_of(first.outcomes)["x", "a"]
    assert found["y", "a"] == ({"usd": pytest.approx((3 * 1.1 + 2 * 1.1 + 1 * 0.7) / 6)}, {"temperature": 1})
    assert found["y", "b"] == ({}, {})
    for again in (third.merge(first).merge(second), second.merge(third.merge(first))):
        assert again == merged
        costs = {key: pytest.approx(own) for key, (own, _) in facts_of(again.outcomes).items()}
        assert {key: own for key, (own, _) in found.items()} == costs
    hot = Suite({"y": OutcomeSet({"a": [[1]]}, questions=["r"], conditions={"a": {"temperature": 2}})})
    with pytest.raises(OutcomeError, match="'a' was run under different conditions"):
        merged.merge(SavedCounts(hot, part="thursday"))


def test_a_part_that_does_not_tell_the_cost_of_a_model_hides_it():
    """Its trials count, and what they cost is not known: a mean over all would be too small."""
    both = SavedCounts(OutcomeSet({"a": [[1, 1]], "b": [[0]]}, questions=["q"], costs={"b": {"usd": 1.0}}), part="1")
    one = SavedCounts(OutcomeSet({"a": [[1, 1]]}, questions=["q"], costs={"a": {"usd": 1.0}}), part="2")
    merged = both.merge(one)
    assert {name: dict(each) for name, each in merged.outcomes.costs.items()} == {"a": {}, "b": {"usd": 1.0}}


def test_numbers_in_the_metadata_are_no_costs(tmp_path):
    models = OutcomeSet({"a": [[1, 0]]}, costs={"a": {"usd": 0.75}})
    SavedCounts(models, metadata={"a": {"seed": 7}}).save(tmp_path / "one.npz")
    assert dict(read(tmp_path).costs["a"]) == {"usd": 0.75}


# Files are written whole or not at all, also when the writer is killed.


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
ODD_NAMES = ["x[1].npz", "x*.npz", "x?.npz", "{x,y}.npz", "m [temperature=1.0].npz", "%41.npz", "~x.npz", "$HOME.npz"]


def in_child(job):
    """Start a job in a forked process, and return its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads
        child = os.fork()
    if not child:
        try:
            job()
        finally:
            os._exit(1)
    return child


def kill(child):
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_block_that_fails_changes_nothing(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as unfinished:
        unfinished.write_text("new")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    with pytest.raises(OSError), whole_file(tmp_path / "none" / "text.txt"):
        pass
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are those of POSIX systems")
def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "real.txt", tmp_path / "link.txt"
    link.symlink_to(path)
    before = os.umask(0o027)
    try:
        for mode in (0o640, 0o604):  # those of a new file, and those that its owner gave it
            with whole_file(link) as unfinished:
                assert unfinished.suffix == ".txt"
                unfinished.write_text(oct(mode))
            assert link.is_symlink()
            assert path.read_text() == oct(mode)
            assert path.stat().st_mode & 0o777 == mode
            path.chmod(0o604)
    finally:
        os.umask(before)


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / f"{'x' * 251}.npz"
    OutcomeSet({"a": [[1]]}).save(path)
    assert OutcomeSet.load(path) == OutcomeSet({"a": [[1]]})


@forks
@pytest.mark.parametrize("times", [20, pytest.param(120, marks=pytest.mark.slow)])
def test_killed_savers_leave_no_broken_or_mixed_file(tmp_path, times):
    """Two savers write versions of one set, and of a state; both are killed at a random moment, again and again."""
    chance = random.Random(0)
    counts, state = tmp_path / "counts.npz", tmp_path / "state.npz"

    def versions():
        number = 0
        while True:
            number += 1
            models = {"a": [[number % 7] * 50] * 20, "b": [[number % 7] * 50] * 20}
            metadata = {"a": {"conditions": {"version": number % 7}}}
            SavedCounts(OutcomeSet(models), metadata=metadata, part="p").save(counts)
            log = Accumulator(name="log", model=f"version {number % 5}")
            log.add(["q"], [[number % 5] * 100])
            log.save(state)

    for _ in range(times):
        children = [in_child(versions) for _ in range(2)]
        time.sleep(chance.random() * 0.02)
        for child in children:
            kill(child)
        if counts.exists():
            saved = SavedCounts.load(counts)
            version = saved.metadata["a"]["conditions"]["version"]
            assert all(matrix.question_rewards()[1].tolist() == [version] * 20 for matrix in saved.outcomes.values())
        if state.exists():
            [(model, matrix)] = SavedCounts.load(state).outcomes.items()
            assert model == f"version {matrix.question_rewards()[1][0]:g}"
    assert counts.exists()
    assert state.exists()


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_never_patterns(tmp_path, name):
    """Beside the file, there are others that the name would match if it were a pattern."""
    others = [tmp_path / each for each in ("x1.npz", "xy.npz", "x.npz", "y.npz", "A.npz", "m t.npz")]
    for number, path in enumerate(others):
        OutcomeSet({f"other {number}": [[1]]}).save(path)
    with pytest.raises(FileNotFoundError):
        OutcomeSet.load(tmp_path / name)
    mine = OutcomeSet({"mine": [[0, 1]]})
    mine.save(tmp_path / name)
    for place in (tmp_path / name, str(tmp_path / name), os.fsencode(tmp_path / name)):
        assert OutcomeSet.load(place) == mine
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert SavedCounts.load(name).outcomes == mine
    finally:
        os.chdir(here)
    merged = SavedCounts.load(others[0]).merge(tmp_path / name)
    assert merged.outcomes.models == ("mine", "other 0")
    with pytest.raises(OutcomeError, match=r"scorio\.OutcomeSet\.load"):
        Suite.load(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, *(path.name for path in others)])
