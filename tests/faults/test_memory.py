"""Valid and hostile input never ends the process and never reads or writes outside of memory; each case by name."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

import scorio
from helpers import crafted
from scorio import (
    Accumulator,
    AvgMetric,
    BayesMetric,
    MaxAtK,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
)
from scorio.inference import Prior
from scorio.outcomes import SavedCounts, _accumulator


def crafted_total(path, known):
    """A file whose 2,049 questions have 2**53 trials each but one of 3: the sum of 64 bits is 3."""
    header, arrays = crafted.example(path)
    counts = np.zeros((2049, 2), np.uint64)
    counts[:, 0] = 2**53
    counts[-1, 0] = 3
    [task] = header["tasks"].values()
    [model] = task["models"].values()
    task["questions"] = None
    model |= {"planned": 2**53, "counts": {"shape": [2049, 2]}, known: {"shape": [3]}}
    for name in {"runs", "answers", "scores"} - {known}:
        del model[name]
        model.pop(f"labels of {name}", model.pop(f"names of {name}", None))
    return crafted.write(path, header, {known: arrays[known][:3], "counts": counts.ravel()})


@pytest.mark.parametrize("known", ["runs", "answers"])
def test_saved_counts_whose_trials_overflow_are_refused(tmp_path, known):
    """Each question is within the limit, and the sum of all of them wraps to three."""
    path = crafted_total(tmp_path / "crafted.npz", known)
    with pytest.raises(OutcomeError, match="2\\*\\*62"):
        SavedCounts.load(path)


@pytest.mark.parametrize("known", ["runs", "answers"])
def test_one_crafted_file_of_a_folder_is_left_out(tmp_path, known):
    crafted_total(tmp_path / "crafted.npz", known)
    OutcomeSet({"m": [[0, 1], [1, 1]]}).save(tmp_path / "sound.npz")
    found = scorio.read(tmp_path, skip_bad=True)
    assert list(found) == ["m"]


def test_sums_of_counts_do_not_wrap():
    """More trials than 64 bits add up are refused where they come from; fewer are added exactly."""
    with pytest.raises(OutcomeError, match="2\\*\\*62"):
        OutcomeMatrix.from_counts([2**53] * 2049, [2**53] * 2049)
    with pytest.raises(OutcomeError, match="2\\*\\*62"):
        OutcomeMatrix.from_counts([1] * 2049, [1] * 2049, planned=2**53)
    many = OutcomeMatrix.from_counts([2**53] * 500, 2**53)
    assert many.planned == 500 * 2**53
    assert many.completeness == 1.0


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint64, np.float64])
def test_an_array_that_changes_while_it_is_counted(dtype):
    """Another thread writes to the array: it is counted within memory, and no count is negative."""
    table = np.full((64, 4000), 17 if dtype is np.uint8 else 300, dtype)
    large, stop = (255 if dtype is np.uint8 else 65_535 if dtype is np.uint16 else 2**33), threading.Event()

    def write():
        while not stop.is_set():
            table[:, 3997] = large
            table[:, 3997] = 3

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            try:
                counts = OutcomeMatrix(table, questions=range(64)).counts
            except OutcomeError:
                continue
            assert counts.min() >= 0
            assert (counts.sum(axis=1) == 4000).all()
    finally:
        stop.set()
        writer.join()


def test_an_array_file_that_is_cut_while_it_is_read(tmp_path, monkeypatch):
    """A memory map would end the process: blocks that are missing are an error."""
    path = tmp_path / "outcomes.npy"
    np.save(path, np.ones((2, 50, 30), np.int8))
    read, whole = np.fromfile, path.read_bytes()

    def cut(*arguments, **options):
        path.write_bytes(whole[:200])
        try:
            return read(*arguments, **options)
        finally:
            path.write_bytes(whole)

    monkeypatch.setattr(np, "fromfile", cut)
    with pytest.raises(OutcomeError, match="became shorter|changed"):
        scorio.read(path)


@pytest.mark.parametrize("order", ["C", "F"])
def test_array_files_read_as_before(tmp_path, order):
    outcomes = np.random.default_rng(0).integers(0, 2, (2, 7, 5))
    np.save(tmp_path / "outcomes.npy", np.asarray(outcomes, order=order))
    found = scorio.read(tmp_path / "outcomes.npy")
    assert [found[name].successes.tolist() for name in found] == outcomes.sum(axis=2).tolist()


@dataclass(frozen=True)
class Given(Prior):
    """Returns whatever it was given."""

    numbers: object

    def per_category(self, n_categories):
        return self.numbers


@pytest.mark.parametrize(
    "numbers", [[1.0], [], [np.nan, 1.0], [-3.0, 1.0], [np.inf, 1.0], [0.0, 1.0], "ab", None, [[1.0, 1.0]]]
)
@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(2), AvgMetric(), BayesMetric(), MaxAtK(2)], ids=str)
def test_a_prior_that_gives_other_numbers_is_refused_in_words(metric, numbers):
    """Kernels read one number for each category, and take them for positive ones."""
    with pytest.raises(ParameterError, match="per_category"):
        metric.interval([[0, 1, 1], [1, 1, 0]], prior=Given(numbers))


@pytest.mark.parametrize(
    "numbers", [[1, 2], (1.0, 2.0), np.array([1, 2], np.int32), np.arange(1.0, 9.0)[:2], np.array([1.0, 9.0, 2.0])[::2]]
)
def test_a_prior_may_give_any_sequence_of_positive_numbers(numbers):
    interval = PassAtK(1).interval([[0, 1, 1], [1, 1, 0]], prior=Given(numbers))
    assert interval.mu == PassAtK(1).interval([[0, 1, 1], [1, 1, 0]], prior=(2.0, 1.0)).mu


def test_an_interrupted_batch_changes_nothing(monkeypatch):
    """An interrupt while batches are added up left the failures of a batch in, and its successes out."""
    monkeypatch.setattr(_accumulator, "_WAITING", 4)
    log = Accumulator()
    log.add(["a", "b"], [[0, 1], [1, 1]])
    before = log.outcomes
    for _ in range(4):
        log.add(["a"], [[1]])

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_accumulator, "union", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.add(["b", "c"], [[0, 1], [1, 0]])
    assert log.outcomes == before.merge(OutcomeMatrix([[1] * 4, []], questions=["a", "b"], missing="omit"))
    log.add(["b", "c"], [[0, 1], [1, 0]])
    assert log.outcomes.successes.tolist() == [5, 3, 1]
    assert log.outcomes.trials.tolist() == [6, 4, 2]
