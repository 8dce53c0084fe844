"""Files are written whole or not at all, also when the writer is killed."""

import os
import random
import signal
import time
import warnings
from pathlib import Path

import pytest

from scorio import Accumulator, OutcomeError, OutcomeSet, Suite
from scorio.outcomes import SavedCounts
from scorio.outcomes._saved_layout import whole_file

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
            SavedCounts(OutcomeSet(models, categories=7), metadata=metadata, part="p").save(counts)
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
            assert all(matrix.counts[:, version].tolist() == [50] * 20 for matrix in saved.outcomes.values())
        if state.exists():
            [(model, matrix)] = SavedCounts.load(state).outcomes.items()
            assert model == f"version {matrix.counts[0].argmax()}"
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
